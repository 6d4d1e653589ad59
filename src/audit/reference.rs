//! Checks of references.
//!
//! References are as an HTML parser yields them; white space around them is ignored ([`clean`]).
//! [`CHECKS`] need only the reference. The other checks need to know that a link is broken
//! ([`missing_scheme`]), its URL ([`ftp_type_d`]), or how the element uses it ([`mixed_content`],
//! [`insecure_link`], [`has_to_be_absolute`]).

mod address;
mod development;
mod element;
mod hreflang;
mod known;

use crate::audit::rules::Rule;
use crate::url::clean;
use crate::url::rfc1808::{Components, scheme_end};

pub use address::{MissingScheme, missing_host, missing_mailto, missing_scheme, possible_host};
pub use development::{development_url, is_local};
pub use element::{
    BookResource, MixedContent, book_resource, has_to_be_absolute, insecure_link, is_insecure,
    is_requested, mixed_content, names_a_host, resource_of_type,
};
pub use hreflang::{Relation, is_language_tag, relation};
pub use known::{is_defined, takes_both};

/// A check that needs only the reference.
#[derive(Debug)]
pub struct Check {
    /// The rule that it checks.
    pub rule: Rule,
    /// Returns the message if the [`clean`] reference violates the rule.
    pub find: fn(&str) -> Option<&'static str>,
}

/// The checks that need only the reference, in the order of the rules.
pub const CHECKS: &[Check] = &[
    Check { rule: Rule::BadPercent, find: bad_percent },
    Check { rule: Rule::BadMailto, find: bad_mailto },
    Check { rule: Rule::BadTel, find: bad_tel },
    Check { rule: Rule::BadPercentInQuery, find: bad_percent_in_query },
    Check { rule: Rule::Backslash, find: backslash },
    Check { rule: Rule::ColonInFirstSegment, find: colon_in_first_segment },
    Check { rule: Rule::ProtocolRelative, find: protocol_relative },
    Check { rule: Rule::EmptyReference, find: empty_reference },
];

/// Runs the [`CHECKS`] on a reference, and returns rules and messages.
///
/// Most references have no byte that a check searches, and cost one pass over their bytes.
pub fn check(reference: &str) -> impl Iterator<Item = (Rule, &'static str)> {
    let reference = clean(reference);
    let bytes = reference.as_bytes();
    let is_suspect = bytes.is_empty()
        || bytes.starts_with(b"//")
        || bytes.iter().any(|byte| matches!(byte, b'%' | b'\\' | b':'));
    let checks = if is_suspect { CHECKS } else { &[] };
    checks.iter().filter_map(move |check| Some((check.rule, (check.find)(&reference)?)))
}

/// The text after a scheme, if the reference has it.
fn after_scheme<'r>(reference: &'r str, scheme: &str) -> Option<&'r str> {
    let colon = scheme_end(reference)?;
    reference[..colon].eq_ignore_ascii_case(scheme).then(|| &reference[colon + 1..])
}

/// Whether percent signs and backslashes have no special meaning.
fn is_opaque(reference: &str) -> bool {
    ["javascript", "data"].iter().any(|scheme| after_scheme(reference, scheme).is_some())
}

/// [`Rule::BadMailto`]: no address and no fields, or an address without `@`
/// ([RFC 6068 section 2](https://www.rfc-editor.org/rfc/rfc6068#section-2)).
fn bad_mailto(reference: &str) -> Option<&'static str> {
    let rest = after_scheme(reference, "mailto")?;
    let rest = rest.split('#').next().unwrap_or(rest);
    let (to, fields) = rest.split_once('?').unwrap_or((rest, ""));
    if to.is_empty() {
        return fields.is_empty().then_some("a mailto: link without an address");
    }
    let has_at = |address: &str| {
        let address = address.replace("%40", "@");
        let parts = address.rsplit_once('@');
        parts.is_some_and(|(name, host)| !name.trim().is_empty() && !host.trim().is_empty())
    };
    // A comma inside quotes is a part of the name; an address with one is left alone.
    let is_quoted = to.contains('"') || to.contains("%22");
    let is_bad = if is_quoted { !has_at(to) } else { !to.split(',').all(has_at) };
    is_bad.then_some("an address without a name, an @ and a host after mailto:")
}

/// [`Rule::BadTel`]: no number
/// ([RFC 3966 section 3](https://www.rfc-editor.org/rfc/rfc3966#section-3)).
fn bad_tel(reference: &str) -> Option<&'static str> {
    let rest = after_scheme(reference, "tel")?;
    let number = rest.split([';', '?', '#']).next().unwrap_or(rest);
    let has_digit = number.contains(|c: char| c.is_ascii_alphanumeric() || c == '*' || c == '%');
    (!has_digit).then_some("a tel: link without a number")
}

/// [`Rule::BadPercent`]: `%` without two hexadecimal digits, in the path of a URL that a server reads
/// ([RFC 1808 section 2.2](https://www.rfc-editor.org/rfc/rfc1808#section-2.2)).
fn bad_percent(reference: &str) -> Option<&'static str> {
    let path = before_query(reference);
    (is_hierarchical(path) && bad_escape(path).is_some())
        .then_some("a % without two hexadecimal digits after it: a server answers 400; write %25")
}

/// [`Rule::BadPercentInQuery`]: `%` without two hexadecimal digits elsewhere, unless the path has one
/// as well. A fragment needs no escape to be found
/// ([RFC 1808 section 2.2](https://www.rfc-editor.org/rfc/rfc1808#section-2.2)).
fn bad_percent_in_query(reference: &str) -> Option<&'static str> {
    let end = reference.find('#').unwrap_or(reference.len());
    let is_bad = bad_escape(&reference[..end]).is_some()
        && !is_opaque(reference)
        && bad_percent(reference).is_none();
    is_bad.then_some("a % without two hexadecimal digits after it; write %25 for the sign")
}

/// A reference without its query and fragment.
fn before_query(reference: &str) -> &str {
    &reference[..reference.find(['?', '#']).unwrap_or(reference.len())]
}

/// Whether browsers parse a reference as one with a host or a path of segments.
fn is_hierarchical(reference: &str) -> bool {
    scheme_end(reference).is_none_or(|colon| {
        let scheme = &reference[..colon];
        ["http", "https", "ftp", "file", "ws", "wss"]
            .iter()
            .any(|special| scheme.eq_ignore_ascii_case(special))
            || !is_scheme(scheme)
    })
}

/// The first `%` without two hexadecimal digits after it, with up to two following characters.
#[must_use]
pub fn bad_escape(reference: &str) -> Option<&str> {
    let is_escape = |rest: &[u8]| rest.len() > 2 && rest[1..3].iter().all(u8::is_ascii_hexdigit);
    let bytes = reference.as_bytes();
    let at = memchr::memchr_iter(b'%', bytes).find(|&at| !is_escape(&bytes[at..]))?;
    let end = reference[at..].char_indices().nth(3).map_or(reference.len(), |(end, _)| at + end);
    Some(&reference[at..end])
}

/// [`Rule::Backslash`]: in the path or before it, where browsers read it as a slash
/// ([RFC 1808 section 2.2](https://www.rfc-editor.org/rfc/rfc1808#section-2.2)).
fn backslash(reference: &str) -> Option<&'static str> {
    let path = before_query(reference);
    (path.contains('\\') && is_hierarchical(path))
        .then_some("a backslash, which only browsers read as a slash")
}

/// A reference with slashes for the backslashes that browsers read so.
#[must_use]
pub fn with_slashes(reference: &str) -> String {
    let reference = clean(reference);
    let (path, rest) = reference.split_at(reference.find(['?', '#']).unwrap_or(reference.len()));
    path.replace('\\', "/") + rest
}

/// [`Rule::EmptyReference`]
/// ([RFC 1808 section 4](https://www.rfc-editor.org/rfc/rfc1808#section-4)).
fn empty_reference(reference: &str) -> Option<&'static str> {
    reference.is_empty().then_some("an empty reference, which leads to the base URL")
}

/// [`Rule::ColonInFirstSegment`]: browsers do not accept the text before the colon as a scheme
/// ([RFC 1808 section 5.3](https://www.rfc-editor.org/rfc/rfc1808#section-5.3)).
fn colon_in_first_segment(reference: &str) -> Option<&'static str> {
    let segment = &reference[..reference.find(['/', '?', '#', '\\']).unwrap_or(reference.len())];
    let (before, _) = segment.split_once(':')?;
    (!is_scheme(before)).then_some("a colon before the first slash; write ./ in front")
}

/// [`Rule::ProtocolRelative`]
/// ([RFC 1808 section 2.4.3](https://www.rfc-editor.org/rfc/rfc1808#section-2.4.3)).
fn protocol_relative(reference: &str) -> Option<&'static str> {
    reference.starts_with("//").then_some("a host without a scheme in front; write https:")
}

/// [`Rule::FtpTypeD`], of the URL that a reference resolves to
/// ([RFC 1808 section 5.3](https://www.rfc-editor.org/rfc/rfc1808#section-5.3)).
#[must_use]
pub fn ftp_type_d(url: &str) -> Option<&'static str> {
    after_scheme(url, "ftp")?;
    let params = Components::parse(url).params?;
    let is_directory = params.split(';').any(|param| param.eq_ignore_ascii_case("type=d"));
    is_directory.then_some("an ftp: URL with ;type=d; write a trailing slash instead")
}

/// [`Rule::RelativeBase`], of the `href` of a `base` element
/// ([RFC 1808 section 10](https://www.rfc-editor.org/rfc/rfc1808#section-10)).
#[must_use]
pub fn relative_base(href: &str) -> Option<&'static str> {
    let href = clean(href);
    scheme_end(&href).is_none().then_some("the href of a base element is relative")
}

/// The scheme of a reference, if it is not a common one; if a file has that name, the reference
/// violates [`Rule::ColonInFirstSegment`].
#[must_use]
pub fn unknown_scheme(reference: &str) -> Option<&str> {
    let reference = reference.trim_matches(|c| c <= ' ');
    let scheme = &reference[..scheme_end(reference)?];
    let is_known = KNOWN.split(' ').any(|known| scheme.eq_ignore_ascii_case(known));
    (!is_known && !reference[scheme.len() + 1..].starts_with("//")).then_some(scheme)
}

/// The [registered] schemes that pages use, the most frequent first.
///
/// [registered]: https://www.iana.org/assignments/uri-schemes/uri-schemes.xhtml
const KNOWN: &str = "\
    https http mailto javascript data tel ftp about blob callto cid doi facetime feed file ftps \
    geo git gopher im info irc ircs ldap magnet maps market matrix mid mms news nntp rtsp sftp \
    sip sips skype sms ssh steam svn telnet tg urn view-source webcal whatsapp ws wss xmpp";

/// Whether it can be a [scheme](https://url.spec.whatwg.org/#url-scheme-string).
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

#[cfg(test)]
#[path = "reference/tests.rs"]
mod tests;
