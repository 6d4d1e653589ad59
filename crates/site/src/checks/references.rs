//! Rules about the text of a reference, whatever it leads to.
//!
//! References are as an HTML parser yields them; the checks ignore white space around them
//! ([`clean`]).

use absolve::url::rfc1808::scheme_end;
use absolve::url::{clean, is_invisible};
use percent_encoding::percent_decode_str;

use crate::{Rule, rows};

rows! {
    InvalidReference: Error, Reference;
        summary: "a browser refuses the URL",
        reason: "The reference does not resolve to a valid URL by the URL Standard, so that a \
                 click on the link does nothing.",
        example: "<a href=\"http://exa mple.org/\">, <a href=\"https://h:port/\">",
        fix: "Correct the host or the port.";

    BadPercent: Error, Reference;
        summary: "a % without two hexadecimal digits after it, in a path",
        reason: "RFC 1808 section 2.2 reserves % for escapes; a server answers 400, even if a file \
                 has that name. This finding replaces broken-link. In a query, the rule is \
                 bad-percent-in-query.",
        example: "<a href=\"100%.html\">",
        fix: "Write %25 for the percent sign itself.";

    BadMailto: Warn, Reference;
        summary: "a mailto: link without an address",
        reason: "The mail program opens a message without a recipient.",
        example: "<a href=\"mailto:\">, <a href=\"mailto:help.example.org\">",
        fix: "Write the address, or a field such as ?subject=, after mailto:.";

    BadTel: Warn, Reference;
        summary: "a tel: link without a number",
        reason: "The phone has no number to dial.",
        example: "<a href=\"tel:\">",
        fix: "Write the number, as in tel:+1-201-555-0123.";

    InvisibleCharacter: Warn, Reference;
        summary: "an invisible character in a URL",
        reason: "It is a part of the URL, and most often came along with a copied text, so that the link \
                 leads nowhere.",
        example: "<a href=\"https://example.org/a%E2%80%8B\">, with a zero-width space at the end",
        fix: "Remove the character.";

    BadPercentInQuery: Warn, Reference;
        summary: "a % without two hexadecimal digits after it, in a query",
        reason: "Programs decode the query in different ways: some keep the sign, others drop it \
                 or answer 400. The rule also applies to a URL without a server, such as mailto:. A \
                 fragment is compared as it is written, and needs no escape.",
        example: "<a href=\"search?q=50%\">",
        fix: "Write %25 for the percent sign itself.";

    Backslash: Warn, Reference;
        summary: "a backslash in the path",
        reason: "Browsers read it as a slash; RFC 1808 and other programs do not.",
        example: "<img src=\"images\\logo.png\">",
        fix: "Write a slash, or %5C if the name really has a backslash.";

    ColonInFirstSegment: Note, Reference;
        summary: "a relative reference has a colon before its first slash",
        reason: "A program may read the text before the colon as a scheme (RFC 1808 section 5.3).",
        example: "<a href=\"12:30.html\">",
        fix: "Write ./ in front: ./12:30.html.";

    ProtocolRelative: Note, Url;
        summary: "the reference begins with //",
        reason: "An http page loads it over http, and a local copy of the page cannot load it.",
        example: "<script src=\"//cdn.example.org/x.js\">",
        fix: "Write https:// in front.";

    EmptyReference: Off, Reference;
        summary: "the reference is empty",
        reason: "The link leads to the base URL, which is rarely intended; for other elements \
                 browsers fetch nothing.",
        example: "<a href=\"\">, <img src=\"\">",
        fix: "Write the target, or remove the attribute.";

    StandardsDiffer: Off, Url, Rfc;
        summary: "RFC 1808 and browsers resolve the reference differently",
        reason: "The link works in browsers and breaks in a program that follows RFC 1808, or the \
                 other way around. An audit resolves as browsers do, so that it misses no link that \
                 is broken for visitors.",
        example: "<a href=\"http:page.html\">, <a href=\";x\">",
        fix: "Write the reference so that both agree; absolve resolve --explain shows the steps.";
}

/// A check that needs only the reference.
#[derive(Debug)]
pub struct Check {
    /// The rule that it checks.
    pub rule: Rule,
    /// Returns the message if the [`clean`] reference violates the rule.
    pub(crate) find: fn(&str) -> Option<&'static str>,
    /// Returns the detail to show before the message.
    pub(crate) detail: fn(&str) -> Option<String>,
    /// Returns the reference to write, if its form alone is wrong.
    pub(crate) write: Option<fn(&str) -> String>,
    /// Whether the finding is dropped if a browser refuses the reference.
    pub(crate) needs_url: bool,
}

impl Check {
    const fn new(rule: Rule, find: fn(&str) -> Option<&'static str>) -> Self {
        Self { rule, find, detail: |_| None, write: None, needs_url: false }
    }
}

/// The checks that need only the reference, in the order of the rules.
pub(crate) const CHECKS: &[Check] = &[
    Check { detail: show_escape, needs_url: true, ..Check::new(Rule::BadPercent, check_percent) },
    Check::new(Rule::BadMailto, check_mailto),
    Check::new(Rule::BadTel, check_tel),
    Check { detail: show_invisible, ..Check::new(Rule::InvisibleCharacter, check_invisible) },
    Check {
        detail: show_escape,
        needs_url: true,
        ..Check::new(Rule::BadPercentInQuery, check_percent_in_query)
    },
    Check { write: Some(with_slashes), ..Check::new(Rule::Backslash, check_backslash) },
    Check::new(Rule::ColonInFirstSegment, check_colon),
    Check { needs_url: true, ..Check::new(Rule::ProtocolRelative, check_protocol) },
    Check::new(Rule::EmptyReference, check_empty),
];

/// Runs the `CHECKS` on a reference, and returns those that find something, with messages.
///
/// Most references have no byte that a check searches, and cost one pass over their bytes.
pub fn check(reference: &str) -> impl Iterator<Item = (&'static Check, &'static str)> {
    let reference = clean(reference);
    let bytes = reference.as_bytes();
    let is_suspect = bytes.is_empty()
        || bytes.starts_with(b"//")
        || bytes.iter().any(|byte| matches!(byte, b'%' | b'\\' | b':' | 0x80..));
    let checks = if is_suspect { CHECKS } else { &[] };
    checks.iter().filter_map(move |check| Some((check, (check.find)(&reference)?)))
}

/// Returns the text after a scheme, if the reference has this scheme.
pub(crate) fn after_scheme<'r>(reference: &'r str, scheme: &str) -> Option<&'r str> {
    let colon = scheme_end(reference)?;
    reference[..colon].eq_ignore_ascii_case(scheme).then(|| &reference[colon + 1..])
}

/// Whether a reference has a scheme in which percent signs and backslashes have no special meaning.
fn is_opaque(reference: &str) -> bool {
    ["javascript", "data"].iter().any(|scheme| after_scheme(reference, scheme).is_some())
}

/// [`Rule::BadMailto`]: no address and no fields, or an address without `@`
/// ([RFC 6068 section 2](https://www.rfc-editor.org/rfc/rfc6068#section-2)).
fn check_mailto(reference: &str) -> Option<&'static str> {
    let rest = after_scheme(reference, "mailto")?;
    let rest = rest.split('#').next().unwrap_or(rest);
    let (to, fields) = rest.split_once('?').unwrap_or((rest, ""));
    if to.is_empty() {
        return fields.is_empty().then_some("a mailto: link without an address");
    }
    if find_bad_escape(to).is_some() {
        return Some("a % without two hexadecimal digits after it; write %25 for the sign");
    }
    let decode_address = |text: &str| text.replace("%40", "@").replace("%20", " ");
    let has_at = |text: &str| {
        let address = decode_address(text);
        let parts = address.rsplit_once('@');
        parts.is_some_and(|(name, host)| !name.trim().is_empty() && !host.trim().is_empty())
    };
    let is_single = |text: &str| {
        let address = decode_address(text);
        let (name, host) = address.trim().rsplit_once('@').unwrap_or_default();
        !name.contains(['@', ' ']) && !host.contains(' ') && !host.split('.').any(str::is_empty)
    };
    // A comma inside quotes is a part of the name, so a quoted address is not split.
    let is_quoted = to.contains('"') || to.contains("%22");
    // An unquoted address has no semicolon and no angle bracket (RFC 5322, section 3.2.3).
    if !is_quoted && to.contains(';') {
        return Some("a semicolon between addresses, where mailto: has a comma");
    }
    if !is_quoted && to.contains(['<', '>']) {
        return Some("angle brackets around an address; mailto: has the address alone");
    }
    let is_bad = if is_quoted { !has_at(to) } else { !to.split(',').all(has_at) };
    if is_bad {
        return Some("an address without a name, an @ and a host after mailto:");
    }
    if !is_quoted && to.rsplit('@').next().is_some_and(|host| host.contains('&')) {
        return Some("an & after the address, where mailto: has a ?");
    }
    (!is_quoted && !to.split(',').all(is_single))
        .then_some("an address with a space, a second @ or an empty part of its host")
}

/// [`Rule::BadTel`]: no number
/// ([RFC 3966 section 3](https://www.rfc-editor.org/rfc/rfc3966#section-3)).
fn check_tel(reference: &str) -> Option<&'static str> {
    let rest = after_scheme(reference, "tel")?;
    let number = rest.split([';', '?', '#']).next().unwrap_or(rest);
    let has_digit = number.contains(|c: char| c.is_ascii_alphanumeric() || c == '*' || c == '%');
    (!has_digit).then_some("a tel: link without a number")
}

/// [`Rule::InvisibleCharacter`], also percent-encoded, before the fragment.
fn check_invisible(reference: &str) -> Option<&'static str> {
    let is_found = find_invisible(reference).is_some() && !is_opaque(reference);
    is_found.then_some("an invisible character, which came along with copied text")
}

fn show_invisible(reference: &str) -> Option<String> {
    find_invisible(reference).map(|c| format!("U+{:04X}", u32::from(c)))
}

/// Finds the first invisible character of a URL before its fragment, also percent-encoded.
fn find_invisible(reference: &str) -> Option<char> {
    let end = reference.find('#').unwrap_or(reference.len());
    let written = &reference.as_bytes()[..end];
    // Invisible characters are not ASCII, and most links are, with or without escapes.
    let is_ascii_escape = |at: usize| written.get(at + 1).is_none_or(|digit| *digit < b'8');
    if written.is_ascii() && memchr::memchr_iter(b'%', written).all(is_ascii_escape) {
        return None;
    }
    let decoded = percent_decode_str(&reference[..end]).decode_utf8_lossy();
    decoded.chars().find(|c| is_invisible(*c))
}

/// [`Rule::BadPercent`]: `%` without two hexadecimal digits, in the path of a URL that a server
/// reads ([RFC 1808 section 2.2](https://www.rfc-editor.org/rfc/rfc1808#section-2.2)).
fn check_percent(reference: &str) -> Option<&'static str> {
    let path = before_query(reference);
    (is_hierarchical(path) && find_bad_escape(path).is_some())
        .then_some("a % without two hexadecimal digits after it: a server answers 400; write %25")
}

/// [`Rule::BadPercentInQuery`]: `%` without two hexadecimal digits before the fragment, unless
/// another rule reports it. A fragment needs no escape to be found
/// ([RFC 1808 section 2.2](https://www.rfc-editor.org/rfc/rfc1808#section-2.2)).
fn check_percent_in_query(reference: &str) -> Option<&'static str> {
    let end = reference.find('#').unwrap_or(reference.len());
    let is_bad = find_bad_escape(&reference[..end]).is_some()
        && !is_opaque(reference)
        && check_percent(reference).is_none()
        && check_mailto(reference).is_none();
    is_bad.then_some("a % without two hexadecimal digits after it; write %25 for the sign")
}

/// A reference without its query and fragment.
fn before_query(reference: &str) -> &str {
    let end = memchr::memchr2(b'?', b'#', reference.as_bytes());
    &reference[..end.unwrap_or(reference.len())]
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

fn show_escape(reference: &str) -> Option<String> {
    find_bad_escape(reference).map(|escape| format!("escape '{escape}'"))
}

/// Finds the first `%` without two hexadecimal digits after it; the result ends after up to two
/// more characters.
fn find_bad_escape(reference: &str) -> Option<&str> {
    let is_escape = |rest: &[u8]| rest.len() > 2 && rest[1..3].iter().all(u8::is_ascii_hexdigit);
    let bytes = reference.as_bytes();
    let at = memchr::memchr_iter(b'%', bytes).find(|&at| !is_escape(&bytes[at..]))?;
    let end = reference[at..].char_indices().nth(3).map_or(reference.len(), |(end, _)| at + end);
    Some(&reference[at..end])
}

/// [`Rule::Backslash`]: in the path or before it, where browsers read it as a slash
/// ([RFC 1808 section 2.2](https://www.rfc-editor.org/rfc/rfc1808#section-2.2)).
fn check_backslash(reference: &str) -> Option<&'static str> {
    let path = before_query(reference);
    (path.contains('\\') && is_hierarchical(path))
        .then_some("a backslash, which only browsers read as a slash")
}

/// Replaces the backslashes before the query, which browsers read as slashes.
pub(crate) fn with_slashes(reference: &str) -> String {
    let reference = clean(reference);
    let (path, rest) = reference.split_at(reference.find(['?', '#']).unwrap_or(reference.len()));
    path.replace('\\', "/") + rest
}

/// [`Rule::EmptyReference`]
/// ([RFC 1808 section 4](https://www.rfc-editor.org/rfc/rfc1808#section-4)).
fn check_empty(reference: &str) -> Option<&'static str> {
    reference.is_empty().then_some("an empty reference, which leads to the base URL")
}

/// [`Rule::ColonInFirstSegment`]: browsers do not accept the text before the colon as a scheme
/// ([RFC 1808 section 5.3](https://www.rfc-editor.org/rfc/rfc1808#section-5.3)).
fn check_colon(reference: &str) -> Option<&'static str> {
    let segment = &reference[..reference.find(['/', '?', '#', '\\']).unwrap_or(reference.len())];
    let (before, _) = segment.split_once(':')?;
    (!is_scheme(before)).then_some("a colon before the first slash; write ./ in front")
}

/// [`Rule::ProtocolRelative`]
/// ([RFC 1808 section 2.4.3](https://www.rfc-editor.org/rfc/rfc1808#section-2.4.3)).
fn check_protocol(reference: &str) -> Option<&'static str> {
    reference.starts_with("//").then_some("a host without a scheme in front; write https:")
}

/// Returns the scheme of a reference, unless it is a common one or `//` follows. If a file has that
/// name, the reference violates [`Rule::ColonInFirstSegment`].
pub(crate) fn unknown_scheme(reference: &str) -> Option<&str> {
    let reference = reference.trim_matches(|c| c <= ' ');
    let scheme = &reference[..scheme_end(reference)?];
    let is_known = KNOWN_SCHEMES.split(' ').any(|known| scheme.eq_ignore_ascii_case(known));
    (!is_known && !reference[scheme.len() + 1..].starts_with("//")).then_some(scheme)
}

/// The [registered] schemes that pages use, the most frequent first.
///
/// [registered]: https://www.iana.org/assignments/uri-schemes/uri-schemes.xhtml
pub(super) const KNOWN_SCHEMES: &str = "\
    https http mailto javascript data tel ftp about blob callto cid doi facetime feed file ftps \
    geo git gopher im info irc ircs ldap magnet maps market matrix mid mms news nntp rtsp sftp \
    sip sips skype sms ssh steam svn telnet tg urn view-source webcal whatsapp ws wss xmpp";

/// Whether a text can be a [scheme](https://url.spec.whatwg.org/#url-scheme-string).
pub(super) fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_finds(reference: &str, expected: &[Rule]) {
        let found: Vec<_> = check(reference).map(|(check, _)| check.rule).collect();
        assert_eq!(found, expected, "{reference}");
    }

    #[test]
    fn a_good_reference_is_not_found() {
        for reference in [
            "a.html",
            "../a/b.html?c=d#e",
            "#a",
            "?a:b",
            "./a:b",
            "a/b:c",
            "http://h/a%20b",
            "mailto:a@h",
            "tel:+1-201",
            "data:,100%",
            "javascript:a%b\\c",
            "a?b\\c",
            "a#b\\c",
            "/a@b",
        ] {
            assert_finds(reference, &[]);
        }
    }

    #[test]
    fn a_mailto_needs_somebody() {
        assert_finds("mailto:", &[Rule::BadMailto]);
        assert_finds("MAILTO: ", &[Rule::BadMailto]);
        assert_finds("mailto:?", &[Rule::BadMailto]);
        assert_finds("mailto:h.org", &[Rule::BadMailto]);
        assert_finds("mailto:a@", &[Rule::BadMailto]);
        assert_finds("mailto:@h", &[Rule::BadMailto]);
        assert_finds("mailto:a@h,b", &[Rule::BadMailto]);
        assert_finds("mailto:a@h,b@h?subject=x", &[]);
        assert_finds("mailto:a%40h", &[]);
        assert_finds("mailto:?subject=x", &[]);
        assert_finds("mailto:%22a,b%22@h", &[]);
        assert_finds("mailto:a@h;b@h", &[Rule::BadMailto]);
        assert_finds("mailto:%22a;b%22@h", &[]);
        assert_finds("mailto:A <a@h>", &[Rule::BadMailto]);
        assert_finds("mailto:%ZZ@h", &[Rule::BadMailto]);
        for bad in
            ["a@b.c&subject=x", "a b@c.de", "a%20b@c.de", "a@b c", "a@b..c", "a@@b.c", "a@.b"]
        {
            assert_finds(&format!("mailto:{bad}"), &[Rule::BadMailto]);
        }
        for good in
            ["a&b@c.de", "a@b, c@d", "a@b?subject=x&body=a b@..c", "%22a b@c%22@d", "a@[::1]"]
        {
            assert_finds(&format!("mailto:{good}"), &[]);
        }
        assert_finds("mailto:a%25b@h?subject=%C3%A4;b", &[]);
    }

    #[test]
    fn an_invisible_character_is_found_in_every_form() {
        for reference in [
            "https://h/a\u{200b}",
            "https://h/a%E2%80%8B",
            "\u{feff}https://h/",
            "a\u{ad}b.html",
            "mailto:a@h\u{200b}",
            "?q=\u{202e}x",
        ] {
            let found: Vec<_> = check(reference).map(|(check, _)| check.rule).collect();
            assert!(found.contains(&Rule::InvisibleCharacter), "{reference:?}: {found:?}");
        }
        for reference in ["\u{e4}.html", "a\u{200c}b", "a#\u{200b}", "data:,\u{200b}", "%E2%80"] {
            let found: Vec<_> = check(reference).map(|(check, _)| check.rule).collect();
            assert!(!found.contains(&Rule::InvisibleCharacter), "{reference:?}: {found:?}");
        }
    }

    #[test]
    fn a_tel_needs_a_number() {
        assert_finds("tel:", &[Rule::BadTel]);
        assert_finds("tel:+;ext=1", &[Rule::BadTel]);
        assert_finds("tel:*100%23", &[]);
        assert_finds("tel:0800-FLOWERS", &[]);
    }

    #[test]
    fn a_percent_sign_needs_two_digits() {
        assert_finds("100%", &[Rule::BadPercent]);
        assert_finds("http://h/%x?%y#%z", &[Rule::BadPercent]);
        assert_finds("a%2", &[Rule::BadPercent]);
        assert_finds("a%zz", &[Rule::BadPercent]);
        assert_finds("a?b%", &[Rule::BadPercentInQuery]);
        assert_finds("mailto:a@h?subject=50%", &[Rule::BadPercentInQuery]);
        assert_finds("a#100%", &[]);
        assert_finds("#%zz?%", &[]);
        assert_finds("a%20%2Gb", &[Rule::BadPercent]);
        assert_finds("a%2e%2E", &[]);
    }

    #[test]
    fn a_backslash_is_found_before_the_query() {
        assert_finds("a\\b", &[Rule::Backslash]);
        assert_finds("http:\\\\h\\a", &[Rule::Backslash]);
        assert_finds("\\\\h\\a", &[Rule::Backslash]);
        assert_finds("x:a\\b", &[]);
    }

    #[test]
    fn an_empty_reference_is_found() {
        assert_finds("", &[Rule::EmptyReference]);
        assert_finds(" \n", &[Rule::EmptyReference]);
    }

    #[test]
    fn a_colon_makes_a_scheme_of_a_segment() {
        assert_finds("12:30.html", &[Rule::ColonInFirstSegment]);
        assert_finds("a b:c", &[Rule::ColonInFirstSegment]);
        assert_finds(":a", &[Rule::ColonInFirstSegment]);
        assert_finds("\u{e4}:b", &[Rule::ColonInFirstSegment]);
        assert_finds("this:that", &[]);
        assert_eq!(unknown_scheme("this:that"), Some("this"));
        assert_eq!(unknown_scheme(" File:x.png"), None);
        assert_eq!(unknown_scheme("this://that"), None);
        assert_eq!(unknown_scheme("that"), None);
    }

    #[test]
    fn a_host_without_a_scheme_is_found() {
        assert_finds("//h/a", &[Rule::ProtocolRelative]);
        assert_finds(" //h/a:b", &[Rule::ProtocolRelative]);
        assert_finds("/a//b", &[]);
    }

    #[test]
    fn the_checks_are_in_the_order_of_the_rules() {
        assert!(CHECKS.is_sorted_by_key(|check| check.rule));
    }
}
