//! The attributes that count as links in a run: the table, narrowed and extended by the user.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::{
    DefaultState, EmptyValue, Namespace, RequiredForm, Row, Rule, TABLE, TEXT, find, has_text,
    may_have_rows,
};
use crate::grammar::{Grammar, UnknownGrammar};

/// An attribute that the user adds to the table: `ELEMENT:ATTRIBUTE=GRAMMAR`, with `*` for any
/// element.
///
/// ```
/// use absolve::attributes::Extra;
///
/// let extra: Extra = "img:data-zoom=url".parse()?;
/// assert_eq!(extra.to_string(), "img:data-zoom=url");
/// # Ok::<(), absolve::attributes::InvalidExtra>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extra {
    /// In lower case; `None` for any element.
    element: Option<String>,
    attribute: String,
    grammar: Grammar,
}

impl FromStr for Extra {
    type Err = InvalidExtra;

    fn from_str(text: &str) -> Result<Self, InvalidExtra> {
        let (names, grammar) = text.rsplit_once('=').ok_or(InvalidExtra::Form)?;
        let (element, attribute) = names.split_once(':').ok_or(InvalidExtra::Form)?;
        let is_name = |name: &str| {
            !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "/>=\"'<".contains(c))
        };
        if !is_name(element) || !is_name(attribute) {
            return Err(InvalidExtra::Form);
        }
        // Templates use names such as `v-bind:src` and `:src`, which have no namespace prefix.
        let prefix = attribute.split_once(':').map(|(prefix, _)| prefix.to_ascii_lowercase());
        if let Some(prefix) = prefix
            && element != "*"
            && !["", "xlink", "xml"].contains(&&*prefix)
            && !prefix.contains('-')
        {
            return Err(InvalidExtra::Prefix);
        }
        Ok(Self {
            element: (element != "*").then(|| element.to_ascii_lowercase()),
            attribute: attribute.to_ascii_lowercase(),
            grammar: grammar.parse().map_err(InvalidExtra::Grammar)?,
        })
    }
}

impl Extra {
    /// The name of the attribute, in lower case.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.attribute
    }

    /// Whether this adds an attribute with a name, which may be in any case in XML.
    fn matches(&self, attribute: &str) -> bool {
        self.attribute.eq_ignore_ascii_case(attribute)
    }
}

impl fmt::Display for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = self.element.as_deref().unwrap_or("*");
        write!(f, "{element}:{}={}", self.attribute, self.grammar)
    }
}

/// The reason why a text is not an [`Extra`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidExtra {
    /// The text does not have the form `ELEMENT:ATTRIBUTE=GRAMMAR`.
    Form,
    /// The element has a prefix, but elements are looked up without one.
    Prefix,
    /// The grammar does not exist.
    Grammar(UnknownGrammar),
}

impl fmt::Display for InvalidExtra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => {
                f.write_str("expected ELEMENT:ATTRIBUTE=GRAMMAR, such as img:data-zoom=url")
            }
            Self::Prefix => f.write_str(
                "elements count by their names without a prefix, such as thumbnail:url=url for \
                 media:thumbnail; for an attribute with a prefix, give *:PREFIX:ATTRIBUTE=GRAMMAR",
            ),
            Self::Grammar(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InvalidExtra {}

/// The attributes that count as links in a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    /// The names to which the user narrows the table, in lower case; empty for the whole table.
    only: Vec<String>,
    extra: Vec<Extra>,
    /// The conditions that options satisfy, besides [`DefaultState::Always`].
    opted_in: Vec<DefaultState>,
}

/// The grammar and the special rules of the references of an attribute that counts as links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) grammar: Grammar,
    pub(crate) rule: Rule,
    pub(crate) empty: EmptyValue,
    pub(crate) form: RequiredForm,
}

impl Spot {
    /// A single URL without special rules; an empty value stays.
    pub(crate) const PLAIN: Self = Self::new(Grammar::Url);

    /// Creates the rules for an attribute that the user adds.
    const fn new(grammar: Grammar) -> Self {
        Self { grammar, rule: Rule::None, empty: EmptyValue::Stays, form: RequiredForm::Any }
    }
}

impl Selection {
    /// Whether the user narrows the table; references in other attributes stay.
    pub(crate) fn is_narrowed(&self) -> bool {
        !self.only.is_empty()
    }

    /// Narrows the table to this attribute, and to the attributes of other calls.
    pub(crate) fn only(&mut self, attribute: &str) {
        self.only.push(attribute.to_ascii_lowercase());
    }

    pub(crate) fn add(&mut self, extra: Extra) {
        self.extra.push(extra);
    }

    /// Returns the names of the attributes that the user adds.
    pub(crate) fn added_names(&self) -> impl Iterator<Item = &str> {
        self.extra.iter().map(Extra::name)
    }

    pub(crate) fn opt_in(&mut self, state: DefaultState) {
        self.opted_in.push(state);
    }

    /// Whether the options select a row.
    fn selects(&self, row: &Row) -> bool {
        row.counts == DefaultState::Always || self.opted_in.contains(&row.counts)
    }

    /// Returns the first name of `--only` that selects nothing, and a table row with that name.
    pub(crate) fn unused_only(&self) -> Option<(&str, Option<&'static Row>)> {
        self.only.iter().find_map(|name| {
            let rows = || {
                let rows = TABLE.iter().filter(|row| row.grammar.is_some());
                rows.filter(|row| row.attributes.iter().any(|own| own.eq_ignore_ascii_case(name)))
            };
            let is_added = self.extra.iter().any(|extra| extra.attribute == *name);
            (!is_added && !rows().any(|row| self.selects(row)))
                .then(|| (name.as_str(), rows().next()))
        })
    }

    /// Whether the table is unchanged.
    pub(crate) fn is_default(&self) -> bool {
        self.only.is_empty() && self.extra.is_empty() && self.opted_in.is_empty()
    }

    /// Finds the rules for an attribute, if it counts as links. Names are in lower case.
    ///
    /// `sibling` returns the values of the element's other attributes.
    pub(crate) fn find(
        &self,
        element: &str,
        namespace: Namespace,
        attribute: &str,
        sibling: impl Fn(&str) -> Option<String>,
    ) -> Option<Spot> {
        self.find_where(element, namespace, attribute, |row| match row.rule {
            Rule::Refresh => {
                sibling("http-equiv").is_some_and(|value| value.eq_ignore_ascii_case("refresh"))
            }
            Rule::MetaProperty => is_url_property(&sibling),
            Rule::HtmlType => sibling("type").is_some_and(|kind| is_html(&kind)),
            Rule::Permalink => {
                let is_not_url = |name| sibling(name).is_some_and(|kind: String| is_false(&kind));
                !PERMALINK.into_iter().any(is_not_url)
            }
            _ => true,
        })
    }

    /// Finds the rules for an attribute, if it counts as links for some values of its siblings.
    pub(crate) fn find_possible(
        &self,
        element: &str,
        namespace: Namespace,
        attribute: &str,
    ) -> Option<Spot> {
        self.find_where(element, namespace, attribute, |_| true)
    }

    /// Finds the rules of the user for an attribute, else those of the first selected row whose
    /// conditions on siblings hold.
    fn find_where(
        &self,
        element: &str,
        namespace: Namespace,
        attribute: &str,
        matches_siblings: impl Fn(&Row) -> bool,
    ) -> Option<Spot> {
        if !self.only.is_empty()
            && !self.only.iter().any(|only| only.eq_ignore_ascii_case(attribute))
        {
            return None;
        }
        let extra = self.extra.iter().find(|extra| {
            extra.matches(attribute)
                && extra.element.as_deref().is_none_or(|name| name.eq_ignore_ascii_case(element))
        });
        if let Some(extra) = extra {
            return Some(Spot::new(extra.grammar));
        }
        find(element, namespace, attribute)
            .filter(|row| self.selects(row) && matches_siblings(row))
            .find_map(|&Row { grammar, rule, empty, form, .. }| {
                Some(Spot { grammar: grammar?, rule, empty, form })
            })
    }

    /// Whether an attribute of an element of an XML document, or its text, may count as links,
    /// judging by the names.
    pub(crate) fn may_count(&self, element: &str, namespace: Namespace, attribute: &str) -> bool {
        if namespace == Namespace::Other && self.extra.is_empty() {
            return false;
        }
        // Siblings can only exclude a row, so the names suffice.
        find(element, namespace, attribute).any(|row| self.selects(row))
            || self.extra.iter().any(|extra| extra.matches(attribute))
    }

    /// Whether the text of an element of an XML document may count as links, judging by its name.
    pub(crate) fn may_hold_text(&self, local: &[u8], namespace: Namespace) -> bool {
        match str::from_utf8(local) {
            Ok(name) if self.has_extra() => self.may_count(name, namespace, TEXT),
            _ => has_text(local, namespace),
        }
    }

    /// Whether an attribute with this name may count as links, whatever its element is.
    pub(crate) fn may_name(&self, attribute: &[u8]) -> bool {
        may_have_rows(attribute) || self.has_extra()
    }

    /// Whether the user adds attributes to the table.
    pub(crate) fn has_extra(&self) -> bool {
        !self.extra.is_empty()
    }

    /// Whether an attribute of an element of an XML document may contain a reference, judging by
    /// the names and by the value as written.
    pub(crate) fn may_hold(
        &self,
        element: &str,
        namespace: Namespace,
        attribute: &str,
        value: &[u8],
    ) -> bool {
        if namespace == Namespace::Other && self.extra.is_empty() {
            return false;
        }
        // Most values of `style` and `fill` have no function, which every reference in them needs.
        let has_function = || memchr::memchr2(b'(', b'&', value).is_some();
        let is_css = |grammar| matches!(grammar, Some(Grammar::Css | Grammar::FuncIri));
        let may_contain = |row: &Row| self.selects(row) && (!is_css(row.grammar) || has_function());
        find(element, namespace, attribute).any(may_contain)
            || self.extra.iter().any(|extra| extra.matches(attribute))
    }

    /// Returns all attribute names that may count as links in HTML, each once, without [`TEXT`].
    pub(crate) fn names(&self) -> Vec<Cow<'static, str>> {
        let rows = TABLE
            .iter()
            .filter(|row| !row.is_xml() && self.selects(row))
            .flat_map(|row| row.attributes.iter().map(|&name| Cow::Borrowed(name)));
        let extra = self.extra.iter().map(|extra| Cow::Owned(extra.attribute.clone()));
        let mut names: Vec<_> = rows
            .chain(extra)
            .filter(|name| *name != TEXT)
            .filter(|name| self.only.is_empty() || self.only.iter().any(|only| only == name))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether the text of `style` elements may count as links.
    pub(crate) fn has_styles(&self) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == TEXT)
    }

    /// Whether the table alone decides on an attribute, because the user does not add it.
    pub(crate) fn is_plain(&self, attribute: &str) -> bool {
        !self.extra.iter().any(|extra| extra.attribute == attribute)
    }
}

/// The attribute that says whether a `guid` of RSS is a URL, in the spellings that feeds use.
pub(crate) const PERMALINK: [&str; 3] = ["isPermaLink", "isPermalink", "ispermalink"];

fn is_false(value: &str) -> bool {
    value.trim_ascii().eq_ignore_ascii_case("false")
}

/// Whether a `type` of Atom is HTML ([text](https://www.rfc-editor.org/rfc/rfc4287#section-3.1.1),
/// [content](https://www.rfc-editor.org/rfc/rfc4287#section-4.1.3.1), whose media type may have
/// parameters).
fn is_html(kind: &str) -> bool {
    let media_type = kind.split(';').next().unwrap_or_default().trim_ascii();
    kind.eq_ignore_ascii_case("html") || media_type.eq_ignore_ascii_case("text/html")
}

/// The names with which a `meta` element declares a URL: Open Graph, Twitter cards, Windows tiles
/// and microdata.
#[rustfmt::skip]
const URL_PROPERTIES: &[(&str, &[&str])] = &[
    ("property", &[
        "og:image", "og:image:url", "og:image:secure_url", "og:url", "og:audio", "og:audio:url",
        "og:audio:secure_url", "og:video", "og:video:url", "og:video:secure_url",
    ]),
    ("name", &[
        "twitter:image", "twitter:player", "msapplication-tileimage",
        "msapplication-square70x70logo", "msapplication-square150x150logo",
        "msapplication-wide310x150logo", "msapplication-square310x310logo", "msapplication-config",
        "image", "thumbnail",
    ]),
    ("itemprop", &["image", "url"]),
];

fn is_url_property(sibling: &impl Fn(&str) -> Option<String>) -> bool {
    URL_PROPERTIES.iter().any(|(attribute, names)| {
        sibling(attribute).is_some_and(|value| {
            value
                .split_ascii_whitespace()
                .any(|word| names.iter().any(|name| name.eq_ignore_ascii_case(word)))
        })
    })
}

/// Whether a link states the URL of a page or of its picture to other programs: [canonical],
/// translations ([hreflang]), and previews in social networks. Windows reads its tiles together
/// with the page, so they are not included.
///
/// [canonical]: https://www.rfc-editor.org/rfc/rfc6596
/// [hreflang]: https://developers.google.com/search/docs/specialty/international/localized-versions
pub(crate) fn is_statement(
    (element, namespace): (&str, Namespace),
    (attribute, rule): (&str, Rule),
    sibling: impl Fn(&str) -> Option<String>,
) -> bool {
    let begins = |attribute: &str, start: &str| {
        let value = sibling(attribute);
        value.is_some_and(|value| value.trim_start().to_ascii_lowercase().starts_with(start))
    };
    if rule == Rule::MetaProperty {
        return !begins("name", "msapplication-");
    }
    if (element, namespace, attribute) != ("link", Namespace::Html, "href") {
        return false;
    }
    let rel = sibling("rel").unwrap_or_default();
    let has = |name: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(name));
    let is_feed = || FEEDS.iter().any(|feed| begins("type", feed));
    has("canonical")
        || has("shortlink")
        || has("alternate") && sibling("hreflang").is_some() && !is_feed()
}

/// The media types of feeds, which feed readers discover in the page.
const FEEDS: &[&str] = &["application/rss+xml", "application/atom+xml", "application/feed+json"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refuses(text: &str, why: &str) {
        assert_eq!(text.parse::<Extra>().unwrap_err().to_string(), why, "{text}");
    }

    #[test]
    fn an_extra_has_one_form() {
        for text in ["img:data-zoom=url", "*:xlink:title=srcset", "x-y:about=url-list"] {
            assert_eq!(text.parse::<Extra>().unwrap().to_string(), text);
        }
        let form = "expected ELEMENT:ATTRIBUTE=GRAMMAR, such as img:data-zoom=url";
        for text in ["", "img", "img:x", "img=url", ":x=url", "img:=url", "i g:x=url"] {
            refuses(text, form);
        }
        for text in ["img::src=url", "img:v-bind:src=url", "use:XLink:href=url"] {
            assert!(text.parse::<Extra>().is_ok(), "{text}");
        }
        for text in ["media:content:url=url", "fb:like:data-href=url", "svg:use:xlink:href=url"] {
            refuses(text, &InvalidExtra::Prefix.to_string());
        }
        assert!("img:x=uri".parse::<Extra>().unwrap_err().to_string().contains("srcset"));
    }

    #[test]
    fn the_user_narrows_and_extends_the_table() {
        let find = |selection: &Selection, attribute: &str| {
            selection.find("img", Namespace::Html, attribute, |_| None).map(|spot| spot.grammar)
        };
        let mut selection = Selection::default();
        assert_eq!(find(&selection, "src"), Some(Grammar::Url));
        assert_eq!(find(&selection, "data-src"), None);
        assert_eq!(find(&selection, "usemap"), None);
        selection.opt_in(DefaultState::WithLazy);
        assert_eq!(find(&selection, "data-src"), Some(Grammar::Url));
        selection.add("IMG:Data-Zoom=srcset".parse().unwrap());
        assert_eq!(find(&selection, "data-zoom"), Some(Grammar::Srcset));
        selection.only("SRC");
        assert_eq!(find(&selection, "src"), Some(Grammar::Url));
        assert_eq!(find(&selection, "data-src"), None);
        assert_eq!(selection.names(), ["src"]);
    }

    #[test]
    fn a_name_that_nothing_makes_count_is_found() {
        let mut selection = Selection::default();
        selection.only("HREF");
        assert!(selection.unused_only().is_none());
        selection.only("data-src");
        let (name, row) = selection.unused_only().unwrap();
        assert_eq!((name, row.unwrap().counts), ("data-src", DefaultState::WithLazy));
        selection.opt_in(DefaultState::WithLazy);
        selection.only("data-zoom");
        assert!(matches!(selection.unused_only(), Some(("data-zoom", None))));
        selection.add("img:data-zoom=url".parse().unwrap());
        assert!(selection.unused_only().is_none());
    }

    #[test]
    fn a_meta_element_counts_by_its_other_attributes() {
        let find = |selection: &Selection, name: &str, value: &str| {
            let sibling = |asked: &str| (asked == name).then(|| value.to_owned());
            selection.find("meta", Namespace::Html, "content", sibling).map(|spot| spot.grammar)
        };
        let mut selection = Selection::default();
        assert_eq!(find(&selection, "http-equiv", "REFRESH"), Some(Grammar::Refresh));
        assert_eq!(find(&selection, "http-equiv", "refresh "), None);
        assert_eq!(find(&selection, "property", "og:image"), None);
        selection.opt_in(DefaultState::WithMeta);
        assert_eq!(find(&selection, "property", "og:image"), Some(Grammar::Url));
        assert_eq!(find(&selection, "name", "msapplication-TileImage"), Some(Grammar::Url));
        assert_eq!(find(&selection, "itemprop", "name url"), Some(Grammar::Url));
        for property in ["og:image:url", "og:video:url", "og:audio:url", "OG:Video:Secure_URL"] {
            assert_eq!(find(&selection, "property", property), Some(Grammar::Url), "{property}");
        }
        for name in [
            "msapplication-square70x70logo",
            "msapplication-square150x150logo",
            "msapplication-wide310x150logo",
            "msapplication-square310x310logo",
            "image",
            "Thumbnail",
        ] {
            assert_eq!(find(&selection, "name", name), Some(Grammar::Url), "{name}");
        }
        for property in ["og:image:alt", "og:image:type", "image", "og:video:width"] {
            assert_eq!(find(&selection, "property", property), None, "{property}");
        }
        assert_eq!(find(&selection, "name", "description"), None);
        assert_eq!(find(&selection, "http-equiv", "refresh"), Some(Grammar::Refresh));
    }
}
