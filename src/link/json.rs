//! The links of scripts that are JSON: [import maps][maps] and [speculation rules][rules].
//!
//! [maps]: https://html.spec.whatwg.org/multipage/webappapis.html#import-maps
//! [rules]: https://html.spec.whatwg.org/multipage/speculative-loading.html

use std::ops::Range;

use super::document::{Document, Site};
use super::pass::{Give, LinkPass, SpanOf};
use super::visit::Siblings;
use crate::attributes::Namespace;
use crate::edit::Edit;
use crate::error::Error;
use crate::reference::{Context, Decoded, encode_json};
use crate::url::rfc1808::scheme_end;
use crate::value::json::{self, Role, Step};

/// The languages of scripts that are JSON with links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonScript {
    ImportMap,
    SpeculationRules,
}

/// What a string of a script is.
struct Found {
    /// The attribute of its row.
    attribute: &'static str,
    /// Whether it is a URL only if it is absolute or begins with `/`, `./` or `../`, and else a name.
    is_specifier: bool,
    span: Range<usize>,
}

impl JsonScript {
    /// The language of a `script` element with this `type`.
    pub(crate) fn of_type(kind: &str) -> Option<Self> {
        let is = |name: &str| kind.eq_ignore_ascii_case(name);
        match kind.len() {
            9 if is("importmap") => Some(Self::ImportMap),
            16 if is("speculationrules") => Some(Self::SpeculationRules),
            _ => None,
        }
    }

    /// The attribute of the row for a string, and whether it is a specifier.
    fn attribute(self, text: &str, path: &[Step], role: Role) -> Option<(&'static str, bool)> {
        let name = |step: &Step| match step {
            Step::Name(span) => &text[span.clone()],
            Step::Item(_) => "*",
        };
        let first = path.first().map(name)?;
        match (self, first, path.len(), role) {
            (Self::ImportMap, "imports", 1, Role::Name)
            | (Self::ImportMap, "imports", 2, Role::Value) => Some(("imports", true)),
            (Self::ImportMap, "scopes", 1, Role::Name) => Some(("scopes", false)),
            (Self::ImportMap, "scopes", 2, Role::Name)
            | (Self::ImportMap, "scopes", 3, Role::Value) => Some(("scopes", true)),
            (Self::ImportMap, "integrity", 1, Role::Name) => Some(("integrity", true)),
            (Self::SpeculationRules, _, 4, Role::Value) => {
                let is_url = matches!(path[1..], [Step::Item(_), Step::Name(_), Step::Item(_)]);
                (is_url && name(&path[2]) == "urls").then_some(("urls", false))
            }
            _ => None,
        }
    }
}

/// Decides on the links in the text of a script, and gives the edits of the text to `give`. A text
/// that is not JSON has none, as in browsers. A visitor gets those that may be fetched.
pub(crate) fn script(
    language: JsonScript,
    text: &str,
    document: &Document,
    pass: &mut LinkPass<'_>,
    span_of: &SpanOf<'_>,
    give: &mut Give<'_>,
) -> Result<(), Error> {
    if text.is_empty() {
        return Ok(());
    }
    // What a name or a prefix stands for is not fetched.
    let is_fetched =
        |role, span: &Range<usize>| role == Role::Value && !text[span.clone()].ends_with('/');
    let mut all = Vec::new();
    let read = json::strings(text, &mut |path, role, span| {
        if let Some((attribute, is_specifier)) = language.attribute(text, path, role)
            && (!pass.is_visiting()
                || language == JsonScript::SpeculationRules
                || is_fetched(role, &span))
        {
            all.push(Found { attribute, is_specifier, span });
        }
    });
    if let Err(fault) = read {
        pass.malformed_script(span_of(fault.at..fault.at), fault.why);
        return Ok(());
    }
    all.iter().try_for_each(|found| string(found, text, document, pass, span_of, give))
}

fn string(
    found: &Found,
    text: &str,
    document: &Document,
    pass: &mut LinkPass<'_>,
    span_of: &SpanOf<'_>,
    give: &mut Give<'_>,
) -> Result<(), Error> {
    let Found { attribute, is_specifier, span } = found;
    let selection = &pass.settings.selection;
    let spot = selection.find("script", Namespace::Json, attribute, |_| None);
    let decoded = Decoded::new(&text[span.clone()], Context::Json);
    let value = decoded.text();
    let Some(spot) = spot.filter(|_| !is_specifier || is_url(value)) else { return Ok(()) };
    let (element, siblings) = ("script", Siblings::NONE);
    let site =
        Site { element, namespace: Namespace::Json, attribute, spot, codebase: None, siblings };
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
        // A prefix is no page, and gets no name of an index page.
        if value.ends_with('/') && whole.end == value.len() && !new.ends_with('/') {
            new.truncate(new.rfind('/').map_or(0, |slash| slash + 1));
            if new.is_empty() && whole.start == 0 {
                new.push_str("./");
            }
        }
        // A relative reference that begins with a name would be a specifier that is no URL.
        if *is_specifier
            && !is_url(&format!("{}{new}{}", &value[..whole.start], &value[whole.end..]))
        {
            new.insert_str(0, "./");
        }
        if new == value[whole.clone()] {
            return Ok(());
        }
        escaped.clear();
        encode_json(&new, &mut escaped);
        give(Edit { span: in_text(whole), text: &escaped, container: edit.container })
    })
}

/// Whether a [specifier](https://html.spec.whatwg.org/multipage/webappapis.html#resolving-a-url-like-module-specifier)
/// is a URL.
fn is_url(specifier: &str) -> bool {
    let is_relative = ["/", "./", "../"].iter().any(|start| specifier.starts_with(start));
    is_relative || scheme_end(specifier).is_some()
}
