//! The rows of the options, in the order of the help.

use super::{DocumentOption, Host, InvalidOption, Setter, Value, Values, nearest};

use crate::attributes::{DefaultState, Extra, InvalidExtra};
use crate::base::Learn;
use crate::encoding::{Repertoire, for_label};
use crate::error::Error;
use crate::grammar::Grammar;
use crate::link::{
    BaseElement, BaseScope, Credentials, Engine, FeedBase, Form, LinkPattern, SameDocument, Syntax,
};
use crate::url::{Base, Maps, Standard, masked};

/// The names of [`Standard::ALL`].
const STANDARDS: &[&str] = &[
    "rfc1808",
    #[cfg(feature = "rfc3986")]
    "rfc3986",
    "whatwg",
];

const ENGINES: &[&str] = &[
    "splice",
    #[cfg(feature = "dom")]
    "dom",
];

#[rustfmt::skip]
const SYNTAXES: &[&str] = &[
    "html", "css", "xml", "xhtml", "svg", "feed", "sitemap", "json-feed",
    #[cfg(feature = "markdown")]
    "markdown",
];

/// The hosts of an option that the command itself declares, with other values for files.
const DOCUMENTS: &[Host] = &[Host::Npm];

/// Every option, in the order of the help.
pub const OPTIONS: &[DocumentOption] = &[
    DocumentOption::new(
        "standard",
        Values::Name(STANDARDS),
        "Standard to resolve references by",
        Setter::Infallible(|settings, given| settings.standard = given.choose(Standard::ALL)),
    )
    .default("rfc1808"),
    DocumentOption::new(
        "engine",
        Values::Name(ENGINES),
        "How documents are parsed and written",
        Setter::Infallible(|settings, given| settings.engine = given.choose(&[Engine::Splice, Engine::Dom])),
    )
    .explained(&[
        "Edit the bytes of the source; every other byte stays unchanged",
        "Parse to a DOM tree, and serialize it",
    ])
    .rare()
    .default("splice")
    .heading("Output")
    .hosts(&[Host::Command]),
    DocumentOption::new(
        "encoding",
        Values::Label,
        "Encoding of documents without a byte order mark",
        Setter::Fallible(|settings, given| {
            settings.encoding = Some(for_label(given.text())?);
            settings.repertoire = Repertoire::from_label(given.text().as_bytes());
            Ok(())
        }),
    )
    .rare()
    .placeholder("LABEL")
    .heading("Input files"),
    DocumentOption::new(
        "only",
        Values::TextsByComma,
        "Count only these attributes as links, such as href,src",
        Setter::Infallible(|settings, given| given.texts().for_each(|name| settings.selection.only(name))),
    )
    .placeholder("ATTRIBUTE,...")
    .details(
        "(text) is the text of style elements, of style sheets, and of elements of XML such as loc.",
    ),
    DocumentOption::new(
        "attr",
        Values::Texts,
        "Also count this attribute, such as 'img:data-zoom=url'; * is any element",
        Setter::Fallible(|settings, given| {
            given.parse_texts(parse_extra)?.into_iter().for_each(|extra| settings.selection.add(extra));
            Ok(())
        }),
    )
    .placeholder("ELEMENT:ATTRIBUTE=GRAMMAR"),
    DocumentOption::new(
        "meta",
        Values::Flag,
        "Also count URLs in meta elements: Open Graph, Twitter cards and similar",
        Setter::Infallible(|settings, given| {
            if given.is_set() {
                settings.selection.opt_in(DefaultState::WithMeta);
            }
        }),
    ),
    DocumentOption::new(
        "lazy",
        Values::Flag,
        "Also count the data- attributes that scripts load images from",
        Setter::Infallible(|settings, given| {
            if given.is_set() {
                settings.selection.opt_in(DefaultState::WithLazy);
            }
        }),
    ),
    DocumentOption::new(
        "ignore-link",
        Values::Texts,
        "Ignore links whose reference or URL matches; * matches anything",
        Setter::Fallible(|settings, given| {
            settings.ignored = given.parse_texts(LinkPattern::new)?.into();
            Ok(())
        }),
    )
    .placeholder("PATTERN")
    .details(
        "It has * for any text, ? for a character, [ab], {a,b}, and a backslash before these.",
    ),
    DocumentOption::new(
        "same-document",
        Values::Name(&["rewrite", "keep"]),
        "How to handle references to the document itself, such as #id",
        Setter::Infallible(|settings, given| settings.same_document = given.choose(&[SameDocument::Rewrite, SameDocument::Keep])),
    )
    .explained(&[
        "Make them absolute, like other links",
        "Leave them unchanged where the base is the document's own URL",
    ])
    .placeholder("WHAT")
    .default("rewrite"),
    #[cfg(feature = "markdown")]
    DocumentOption::new(
        "raw-base",
        Values::Text,
        "URL that images in Markdown are resolved against [default: that of --base-url]",
        Setter::Fallible(|settings, given| {
            settings.raw_base = Some(base_url(given.text())?);
            Ok(())
        }),
    )
    .rare()
    .placeholder("URL")
    .heading("Base URL")
    .details(
        "Forges serve pages and raw files at two URLs. It is like --base-url: for a folder, the \
         folder's.",
    ),
    DocumentOption::new(
        "base-scope",
        Values::Name(&["head", "document"]),
        "Where a base element must be to take effect",
        Setter::Infallible(|settings, given| settings.base_scope = given.choose(&[BaseScope::Head, BaseScope::Document])),
    )
    .explained(&[
        "In the head, as RFC 1808 requires",
        "Anywhere in the document, as in browsers",
    ])
    .rare()
    .placeholder("WHERE")
    .default("head")
    .heading("Base URL"),
    DocumentOption::new(
        "feed-base",
        Values::Name(&["feed", "item"]),
        "What the HTML in items of feeds is relative to",
        Setter::Infallible(|settings, given| settings.feed_base = given.choose(&[FeedBase::Feed, FeedBase::Item])),
    )
    .explained(&[
        "The xml:base around it, else the URL of the feed",
        "The link of the item, unless an xml:base in the item says otherwise",
    ])
    .rare()
    .placeholder("BASE")
    .default("feed")
    .heading("Base URL"),
    DocumentOption::new(
        "base-element",
        Values::Name(&["absolute", "keep", "remove"]),
        "How to handle base elements [default: absolute; remove for --to relative, offline and \
         root-relative]",
        Setter::Infallible(|settings, given| {
            let elements = [BaseElement::Absolute, BaseElement::Keep, BaseElement::Remove];
            settings.base_element = Some(given.choose(&elements));
        }),
    )
    .explained(&[
        "Give their href the form of other links",
        "Leave them unchanged",
        "Remove them, except where one leaves relative links unresolved; one with a \
         target attribute loses only its href",
    ])
    .rare()
    .placeholder("WHAT")
    .heading("Base URL"),
    DocumentOption::new(
        "keep-credentials",
        Values::Flag,
        "Copy user and password of a base URL into links; 'links' then shows them",
        Setter::Infallible(|settings, given| {
            let keeps = given.is_set();
            settings.credentials = if keeps { Credentials::Keep } else { Credentials::Drop };
        }),
    )
    .rare()
    .heading("Base URL"),
    DocumentOption::new(
        "learn",
        Values::Names(&["saved-from", "singlefile", "httrack", "monolith", "webscrapbook", "original", "xattr", "zone-identifier", "none"]),
        "Sources of recorded URLs that the base URL is learned from if none is given",
        Setter::Fallible(|settings, given| {
            let sources = given.chosen.iter().filter_map(|&chosen| Learn::SOURCES.get(chosen));
            let learn = sources.copied().fold(Learn::NONE, Learn::with);
            if given.chosen.len() > 1 && given.chosen.contains(&Learn::SOURCES.len()) {
                let why = "'none' excludes other sources; give it alone";
                return Err(InvalidOption::Together(why.to_owned()));
            }
            settings.learn = learn;
            Ok(())
        }),
    )
    .hosts(DOCUMENTS),
    DocumentOption::new(
        "map",
        Values::Pairs,
        "Move links: URLs beneath OLD are beneath NEW",
        Setter::Fallible(|settings, given| {
            let maps = parse_maps(given.values)?;
            settings.change_direction(|direction| direction.maps(maps));
            Ok(())
        }),
    )
    .hosts(DOCUMENTS),
    DocumentOption::new(
        "strict",
        Values::Flag,
        "Fail if relative links stay for want of a base URL",
        Setter::Infallible(|settings, given| settings.is_strict |= given.is_set()),
    )
    .hosts(&[]),
    DocumentOption::new(
        "to",
        Values::Name(&["absolute", "relative", "root-relative"]),
        "Form of links [default: absolute; with moved links, the one that they have]",
        Setter::Infallible(|settings, given| {
            let form = given.choose(&[Form::Absolute, Form::Relative, Form::RootRelative]);
            settings.change_direction(|direction| direction.form(form));
        }),
    )
    .explained(&[
        "Absolute URLs",
        "Relative to the document, where the target is on its host",
        "The path from the root of the host, for its own links; else absolute",
    ])
    .hosts(DOCUMENTS),
    DocumentOption::new(
        "as",
        Values::Name(SYNTAXES),
        "Syntax of documents; xhtml, svg, feed and sitemap are other names of xml",
        Setter::Infallible(|settings, given| {
            settings.syntax = match given.text() {
                "html" => Syntax::Html,
                "css" => Syntax::Css,
                "json-feed" => Syntax::JsonFeed,
                "markdown" => Syntax::Markdown,
                _ => Syntax::Xml,
            };
        }),
    )
    .default("html")
    .hosts(DOCUMENTS),
];

impl DocumentOption {
    /// Finds the option of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        OPTIONS.iter().find(|option| option.name == name)
    }
}

/// Parses a base URL as a user gives it.
///
/// # Errors
///
/// If it is a Windows path, or not usable as a base.
pub fn base_url(text: &str) -> Result<Base, Error> {
    // A scheme of one letter does not exist, so the letter is a drive.
    match text.as_bytes() {
        [drive, b':', ..] if drive.is_ascii_alphabetic() => Err(Error::unusable_base(
            text,
            "it is a path; expected the URL that is served, such as http://host/, or file:///C:/x/",
        )),
        _ => Base::new(text),
    }
}

/// Parses an attribute, and proposes the grammar that may have been meant.
fn parse_extra(text: &str) -> Result<Extra, String> {
    text.parse().map_err(|error: InvalidExtra| {
        let name = text.rsplit_once('=').map_or("", |(_, name)| name);
        let names = Grammar::ALL.iter().map(|grammar| grammar.name());
        match (error, nearest(name, names)) {
            (InvalidExtra::Grammar(_), Some(near)) => {
                format!("no such grammar, did you mean {near}?")
            }
            (error, _) => error.to_string(),
        }
    })
}

const EXPECTED_PAIR: &str = "expected two absolute URLs, OLD=NEW";

fn parse_maps(values: &[Value<'_>]) -> Result<Maps, InvalidOption> {
    let mut maps = Maps::new();
    for value in values {
        let pair = match *value {
            Value::Pair(old, new) => Some((old, new)),
            Value::Text(rule) => Maps::split(rule),
            Value::Flag(_) => None,
        };
        let invalid = || match *value {
            Value::Text(rule) => {
                InvalidOption::Text(masked(rule).into_owned(), EXPECTED_PAIR.to_owned())
            }
            _ => InvalidOption::Together(EXPECTED_PAIR.to_owned()),
        };
        let (old, new) = pair.ok_or_else(invalid)?;
        maps.add(old, new).map_err(|why| InvalidOption::Together(why.to_string()))?;
    }
    Ok(maps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Settings;

    #[test]
    fn every_name_has_a_value_and_its_help() {
        for option in OPTIONS {
            let (Values::Name(names) | Values::Names(names)) = option.values else { continue };
            for name in names {
                let set = option.set(&mut Settings::default(), &[Value::Text(name)]);
                assert!(set.is_ok(), "{}: {name}", option.name);
            }
            let helps = option.explanations.len();
            let has_all = helps >= names.len() || cfg!(not(feature = "help"));
            assert!(helps == 0 || has_all, "{}: {helps}", option.name);
            let unknown = option.set(&mut Settings::default(), &[Value::Text("itm")]);
            assert!(matches!(unknown, Err(InvalidOption::Name(..))), "{}", option.name);
        }
    }

    #[test]
    fn a_default_is_what_settings_have() {
        let settings = |values: Option<(&DocumentOption, &str)>| {
            let mut settings = Settings::default();
            if let Some((option, name)) = values {
                option.set(&mut settings, &[Value::Text(name)]).unwrap();
            }
            format!("{settings:?}")
        };
        for option in OPTIONS.iter().filter(|option| !option.default.is_empty()) {
            assert_eq!(settings(Some((option, option.default))), settings(None), "{}", option.name);
        }
    }

    #[test]
    fn names_of_standards_and_sources_are_in_their_order() {
        let names = |option: &str| match DocumentOption::find(option).unwrap().values {
            Values::Name(names) | Values::Names(names) => names.to_vec(),
            _ => Vec::new(),
        };
        let standards: Vec<_> = Standard::ALL.iter().map(|standard| standard.name()).collect();
        assert_eq!(names("standard"), standards);
        let sources: Vec<_> = Learn::SOURCES.iter().map(|source| source.name()).collect();
        assert_eq!(names("learn"), [sources, vec!["none"]].concat());
    }
}
