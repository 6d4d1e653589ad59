//! Decides on links of JSON scripts: [import maps][maps] and [speculation rules][rules].
//!
//! [maps]: https://html.spec.whatwg.org/multipage/webappapis.html#import-maps
//! [rules]: https://html.spec.whatwg.org/multipage/speculative-loading.html

use std::ops::Range;

use memchr::memchr2_iter;

use super::document::{Document, Site};
use super::pass::{EmitEdit, LinkPass, SpanOf};
use crate::attributes::{EmptyValue, Namespace};
use crate::edit::{Edit, Edits};
use crate::error::{Error, Location};
use crate::reference::{Context, Decoded, encode_json};
use crate::url::rfc1808::scheme_end;
use crate::value::json::{self, PathStep, Role};

/// The languages of scripts that are JSON with links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonScript {
    ImportMap,
    SpeculationRules,
}

/// A string of a script that may contain a URL.
struct ScriptString {
    /// The attribute under which the table has the string.
    attribute: &'static str,
    form: UrlForm,
    span: Range<usize>,
}

/// The way in which a string contains a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UrlForm {
    Url,
    /// A URL; an empty one means the document.
    Scope,
    /// A URL if it is absolute or begins with `/`, `./` or `../`, otherwise a name.
    Specifier,
    /// A pattern that may begin with a URL that moves.
    Pattern,
}

impl JsonScript {
    /// Finds the language of a `script` element with this `type`.
    pub(crate) fn from_type(kind: &str) -> Option<Self> {
        let is = |name: &str| kind.eq_ignore_ascii_case(name);
        match kind.len() {
            9 if is("importmap") => Some(Self::ImportMap),
            16 if is("speculationrules") => Some(Self::SpeculationRules),
            _ => None,
        }
    }

    /// Whether the script is in another file, by the attributes that its element has.
    pub(crate) fn is_elsewhere(namespace: Namespace, has: impl Fn(&str) -> bool) -> bool {
        let names: &[&str] =
            if namespace == Namespace::Svg { &["href", "xlink:href"] } else { &["src"] };
        names.iter().any(|name| has(name))
    }

    /// Finds the attribute under which the table has a string, and the form of its URL.
    fn find_attribute(
        self,
        text: &str,
        path: &[PathStep],
        role: Role,
    ) -> Option<(&'static str, UrlForm)> {
        let first = path.first()?.name(text);
        match (self, &*first, path.len(), role) {
            (Self::ImportMap, "imports", 1, Role::Name)
            | (Self::ImportMap, "imports", 2, Role::Value) => Some(("imports", UrlForm::Specifier)),
            (Self::ImportMap, "scopes", 1, Role::Name) => Some(("scopes", UrlForm::Scope)),
            (Self::ImportMap, "scopes", 2, Role::Name)
            | (Self::ImportMap, "scopes", 3, Role::Value) => Some(("scopes", UrlForm::Specifier)),
            (Self::ImportMap, "integrity", 1, Role::Name) => {
                Some(("integrity", UrlForm::Specifier))
            }
            (Self::SpeculationRules, _, 4.., Role::Value) => {
                let [PathStep::Item(_), list @ PathStep::Name(_), rest @ ..] = &path[1..] else {
                    return None;
                };
                match (&*list.name(text), rest) {
                    ("urls", [PathStep::Item(_)]) => Some(("urls", UrlForm::Url)),
                    (
                        "where",
                        [.., name @ PathStep::Name(_)]
                        | [.., name @ PathStep::Name(_), PathStep::Item(_)],
                    ) => (name.name(text) == "href_matches")
                        .then_some(("href_matches", UrlForm::Pattern)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Decides on the links in the text of a script, and passes the edits of the text to `emit`. A text
/// that is not JSON has no links, as in browsers. A visitor gets the links that may be fetched.
///
/// The text stays as written if its edits would change where the script ends.
pub(crate) fn decide_on_script(
    language: JsonScript,
    text: &str,
    document: &Document,
    pass: &mut LinkPass<'_>,
    span_of: &SpanOf<'_>,
    emit: &mut EmitEdit<'_>,
) -> Result<(), Error> {
    if text.is_empty() {
        return Ok(());
    }
    // Browsers fetch neither names nor prefixes, which represent other URLs.
    let is_fetched =
        |role, span: &Range<usize>| role == Role::Value && !text[span.clone()].ends_with('/');
    let mut strings = Vec::new();
    let read = json::strings(text, &mut |path, role, span| {
        if let Some((attribute, form)) = language.find_attribute(text, path, role)
            && (form != UrlForm::Pattern || pass.moves_urls())
            && (!pass.is_visiting()
                || language == JsonScript::SpeculationRules
                || is_fetched(role, &span))
        {
            strings.push(ScriptString { attribute, form, span });
        }
    });
    if let Err(fault) = read {
        if let (Some(span), false) = (span_of(fault.at..fault.at), pass.is_ignored)
            && let Some(visit) = pass.visitor()
        {
            visit.malformed_script(span, fault.why);
        }
        return Ok(());
    }
    let location = span_of(0..text.len()).map(|span| Location::Byte(span.start));
    let mut edits = Edits::new(pass.max_output, location);
    let rewritten = pass.counts.rewritten;
    let mut push = |edit: Edit<'_>| edits.push(edit);
    strings
        .iter()
        .try_for_each(|string| decide_string(string, text, document, pass, span_of, &mut push))?;
    if edits.iter().next().is_some()
        && !find_delimiters(text).eq(find_delimiters(&edits.apply(text)))
    {
        pass.counts.kept += pass.counts.rewritten - rewritten;
        pass.counts.rewritten = rewritten;
        pass.notes.kept_scripts += 1;
        return Ok(());
    }
    edits.iter().try_for_each(emit)
}

/// A part of a text that decides where a [script of HTML][spec] ends.
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#script-data-state
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScriptDelimiter {
    CommentStart,
    CommentEnd,
    StartTag,
    EndTag,
}

/// Finds the delimiters of a text in order; they may overlap. Two texts with equal sequences of
/// delimiters leave the parser in the same state.
fn find_delimiters(text: &str) -> impl Iterator<Item = ScriptDelimiter> {
    let bytes = text.as_bytes();
    memchr2_iter(b'<', b'-', bytes).filter_map(|at| {
        let rest = &bytes[at..];
        let is_tag = |start: &str| {
            let is_start = |bytes: &[u8]| bytes.eq_ignore_ascii_case(start.as_bytes());
            let ends_name = |byte: &u8| byte.is_ascii_whitespace() || b"/>".contains(byte);
            rest.get(..start.len()).is_some_and(is_start)
                && rest.get(start.len()).is_some_and(ends_name)
        };
        match rest {
            [b'<', b'!', b'-', b'-', ..] => Some(ScriptDelimiter::CommentStart),
            [b'-', b'-', b'>', ..] => Some(ScriptDelimiter::CommentEnd),
            _ if is_tag("<script") => Some(ScriptDelimiter::StartTag),
            _ if is_tag("</script") => Some(ScriptDelimiter::EndTag),
            _ => None,
        }
    })
}

fn decide_string(
    string: &ScriptString,
    text: &str,
    document: &Document,
    pass: &mut LinkPass<'_>,
    span_of: &SpanOf<'_>,
    emit: &mut EmitEdit<'_>,
) -> Result<(), Error> {
    let ScriptString { attribute, form, span } = string;
    let site = Site::find(pass.settings, "script", Namespace::Json, attribute);
    let decoded = Decoded::new(&text[span.clone()], Context::Json);
    let value = match form {
        UrlForm::Pattern => find_literal_start(decoded.text()),
        _ => decoded.text(),
    };
    let is_link = match form {
        UrlForm::Specifier => is_url(value),
        UrlForm::Pattern => !value.is_empty(),
        UrlForm::Url | UrlForm::Scope => true,
    };
    let Some(mut site) = site.filter(|_| is_link) else { return Ok(()) };
    if *form == UrlForm::Scope {
        site.spot.empty = EmptyValue::Resolves;
    }
    let in_text = |part: Range<usize>| {
        let part = decoded.source_range(part);
        span.start + part.start..span.start + part.end
    };
    let mut escaped = String::new();
    pass.value(document, &site, value, &|part| span_of(in_text(part)), &mut |edit| {
        let whole = decoded.uncut(edit.span.clone());
        let mut new =
            [&value[whole.start..edit.span.start], edit.text, &value[edit.span.end..whole.end]]
                .concat();
        // A prefix names no page, so the name of an index page is removed.
        if value.ends_with('/') && whole.end == value.len() && !new.ends_with('/') {
            new.truncate(new.rfind('/').map_or(0, |slash| slash + 1));
            if new.is_empty() && whole.start == 0 {
                new.push_str("./");
            }
        }
        // Without `./`, a specifier that begins with a name is no URL.
        if *form == UrlForm::Specifier
            && !is_url(&format!("{}{new}{}", &value[..whole.start], &value[whole.end..]))
        {
            new.insert_str(0, "./");
        }
        let is_pattern = *form == UrlForm::Pattern && find_literal_start(&new) != new;
        if new == value[whole.clone()] || is_pattern {
            return Ok(());
        }
        escaped.clear();
        encode_json(&new, &mut escaped);
        // Markdown would escape `)` with a character reference, which scripts do not have.
        if document.is_in_markdown {
            escaped = escaped.replace(')', "\\u0029");
        }
        emit(Edit { span: in_text(whole), text: &escaped, container: edit.container })
    })
}

/// Finds the start of a [pattern of a URL](https://urlpattern.spec.whatwg.org/#pattern-strings)
/// that matches only one text, up to a slash; empty if it ends in the host. A pattern without
/// special characters is returned whole.
fn find_literal_start(pattern: &str) -> &str {
    let bytes = pattern.as_bytes();
    let is_name = |at: usize| bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
    let is_special = |(at, byte): (usize, &u8)| match byte {
        b':' => is_name(at),
        byte => b"*+?(){}\\".contains(byte),
    };
    let Some(special) = bytes.iter().enumerate().position(is_special) else { return pattern };
    let start = &pattern[..pattern[..special].rfind('/').map_or(0, |slash| slash + 1)];
    if start.ends_with("//") { "" } else { start }
}

/// Whether a [specifier][spec] is a URL.
///
/// [spec]: https://html.spec.whatwg.org/multipage/webappapis.html#resolving-a-url-like-module-specifier
fn is_url(specifier: &str) -> bool {
    let is_relative = ["/", "./", "../"].iter().any(|start| specifier.starts_with(start));
    is_relative || scheme_end(specifier).is_some()
}
