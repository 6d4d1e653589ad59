//! Resolves by RFC 3986 with the characters of RFC 3987. The `fluent-uri` crate has the parser.

use fluent_uri::{Iri, IriRef};

use super::{Base, Refusal, Resolution, Standard, clean};

/// Resolves by [RFC 3986 section 5](https://www.rfc-editor.org/rfc/rfc3986#section-5).
pub(super) fn resolve<'r>(base: Option<&Base>, text: &'r str) -> Result<Resolution<'r>, Refusal> {
    let reference = clean(text);
    let refuse = |reason: &dyn std::fmt::Display| Refusal::new(Standard::Rfc3986, reason);
    let parsed = IriRef::parse(&*reference).map_err(|error| refuse(&error))?;
    if parsed.has_scheme() {
        return Ok(Resolution::Absolute(reference));
    }
    let Some(base) = base else { return Ok(Resolution::Unresolved) };
    let Some(base) = base.iri(parse_base) else {
        return Err(refuse(&"the base URL is not an IRI"));
    };
    match parsed.resolve_against(base) {
        Ok(url) => Ok(Resolution::Resolved(url.into_string())),
        Err(error) => Err(refuse(&error)),
    }
}

/// Parses a base without its fragment, which no result inherits (section 5.2.1).
fn parse_base(text: &str) -> Option<Iri<String>> {
    let text = text.split_once('#').map_or(text, |(url, _)| url);
    Iri::parse(text.to_owned()).ok()
}
