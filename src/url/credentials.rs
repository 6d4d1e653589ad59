//! Masks the user and password of URLs, for lists, reports and messages.

use std::borrow::Cow;
use std::ops::Range;

use super::clean;
use super::parts::is_special;
use super::rfc1808::scheme_end;

/// The text that replaces user and password.
const MASK: &str = "***";

/// The parser of URLs whose rules find the user and password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parser {
    /// RFC 1808 and RFC 3986: the text before the last `@` of the part after two slashes.
    Rfc1808,
    /// The URL Standard, which reads `http:/user@host` and `http:\\user@host` like browsers.
    Whatwg,
}

/// Masks a URL for a message that does not depend on a standard: `***` replaces the user and
/// password that the URL Standard finds, or else RFC 1808.
#[must_use]
pub fn masked(url: &str) -> Cow<'_, str> {
    mask_range(url, find_credentials)
}

/// Masks a reference in a document with this base URL: `***` replaces the user and password that
/// the parser finds.
pub(super) fn mask_as<'r>(parser: Parser, base: Option<&str>, reference: &'r str) -> Cow<'r, str> {
    mask_range(reference, |reference| find_userinfo(parser, base, reference))
}

/// Finds the user and password that [`masked`] replaces.
pub(super) fn find_credentials(url: &str) -> Option<Range<usize>> {
    let find = |parser| find_userinfo(parser, None, url);
    find(Parser::Whatwg).or_else(|| find(Parser::Rfc1808))
}

/// Replaces the part that `find` finds in the [`clean`] reference by `***`.
fn mask_range(reference: &str, find: impl FnOnce(&str) -> Option<Range<usize>>) -> Cow<'_, str> {
    if memchr::memchr(b'@', reference.as_bytes()).is_none() {
        return Cow::Borrowed(reference);
    }
    let Some(range) = find(&clean(reference)).filter(|range| !range.is_empty()) else {
        return Cow::Borrowed(reference);
    };
    // The range is one of the clean reference, so it is mapped back to the reference as written.
    let lead = reference.len() - reference.trim_start_matches(|c| c <= ' ').len();
    let is_kept = |at: &usize| !matches!(reference.as_bytes()[*at], b'\t' | b'\n' | b'\r');
    let mut offsets = (lead..reference.len()).filter(is_kept);
    let start = offsets.nth(range.start).unwrap_or(reference.len());
    let end = offsets.nth(range.len() - 1).unwrap_or(reference.len());
    Cow::Owned(format!("{}{MASK}{}", &reference[..start], &reference[end..]))
}

/// Finds the user and password in a [`clean`] reference: the text, possibly empty, before the last
/// `@` of its authority. `base` is the base URL, whose scheme decides how browsers read slashes.
fn find_userinfo(parser: Parser, base: Option<&str>, reference: &str) -> Option<Range<usize>> {
    let is_browser = parser == Parser::Whatwg;
    let is_scheme = |first: char| !is_browser || first.is_ascii_alphabetic();
    let colon = scheme_end(reference).filter(|_| reference.starts_with(is_scheme));
    let after_scheme = colon.map_or(0, |colon| colon + 1);
    let (scheme, rest) = reference.split_at(after_scheme);
    let base_scheme = base.and_then(|base| base.split_once(':')).map(|(scheme, _)| scheme);
    let scheme = scheme.strip_suffix(':').or(base_scheme).unwrap_or_default();
    let is_special = is_browser && is_special(scheme);
    let is_file = is_browser && scheme.eq_ignore_ascii_case("file");
    let slashes = rest.bytes().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
    // https://url.spec.whatwg.org/#special-relative-or-authority-state
    let is_relative = base_scheme.is_some_and(|base| base.eq_ignore_ascii_case(scheme));
    let start = if is_special && (slashes >= 2 || !is_relative) {
        after_scheme + slashes
    } else if !is_special && rest.starts_with("//") {
        after_scheme + 2
    } else if is_browser && !is_file && colon.is_none() && base.is_some() && slashes >= 2 {
        // NOTE: the url crate (2.5) reads backslashes as slashes against every base.
        slashes
    } else {
        return None;
    };
    let ends_authority = |c| matches!(c, '/' | '?' | '#') || c == '\\' && (is_special || is_file);
    let end = reference[start..].find(ends_authority).map_or(reference.len(), |end| start + end);
    let at = reference[start..end].rfind('@')?;
    Some(start..start + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url::Standard;

    /// References of all forms, some of which contain a user and password for a parser.
    fn references() -> impl Iterator<Item = String> {
        let starts = ["", "http:", "HTTPS:", "x:", "1:", "file:", "mailto:", "/", "?"];
        let slashes = ["", "/", "//", "///", "\\", "\\\\", "/\\", "//\\"];
        let rests = ["u:p@h", "u@h/x", "u@@h?q", "h", "h/u:p@x", "h?u@x", "h#u@x", "@h", "h\\u@x"];
        starts.into_iter().flat_map(move |start| {
            slashes.into_iter().flat_map(move |slashes| {
                rests.into_iter().map(move |rest| format!("{start}{slashes}{rest}"))
            })
        })
    }

    #[test]
    fn whatwg_masks_what_the_url_parser_sees() {
        let bases =
            [None, Some("http://b/c"), Some("https://b/c"), Some("x://b/c"), Some("file:///c")];
        for reference in references() {
            for base in bases {
                let base = base.map(|base| crate::url::Base::new(base).unwrap());
                let shown = Standard::Whatwg.masked(base.as_ref(), &reference);
                let Ok(resolved) = Standard::Whatwg.resolve(base.as_ref(), &reference) else {
                    continue;
                };
                let Some(url) = resolved.url().and_then(|url| ::url::Url::parse(url).ok()) else {
                    continue;
                };
                let sees = !url.username().is_empty() || url.password().is_some();
                assert_eq!(sees, shown != reference, "{reference} {base:?}");
            }
        }
    }

    #[test]
    fn rfc_1808_masks_what_is_in_a_net_loc() {
        for reference in references() {
            let net_loc = super::super::rfc1808::Components::parse(&reference).net_loc;
            let user = net_loc.and_then(|net_loc| net_loc.rsplit_once('@')).map(|(user, _)| user);
            let shown = Standard::Rfc1808.masked(None, &reference);
            let expected = match user.filter(|user| !user.is_empty()) {
                Some(user) => reference.replacen(&format!("//{user}@"), "//***@", 1),
                None => reference.clone(),
            };
            assert_eq!(shown, expected, "{reference}");
        }
    }

    #[test]
    fn white_space_that_does_not_count_stays() {
        let masks = |reference: &str, expected: &str| {
            for &standard in Standard::ALL {
                assert_eq!(standard.masked(None, reference), expected, "{standard}");
            }
        };
        masks(" \u{1}ht\ntp:/\t/\tu\n:p\r@\th/ \n", " \u{1}ht\ntp:/\t/\t***@\th/ \n");
        masks("http://\u{e9}:\u{e9} @h/\u{e9}", "http://***@h/\u{e9}");
        masks("http://u:\n@\n", "http://***@\n");
        masks("\n", "\n");
    }

    #[test]
    fn a_url_without_a_standard_is_masked_as_either_sees_it() {
        assert_eq!(masked("http:u:p@h"), "http:***@h");
        assert_eq!(masked("http://u:p@["), "http://***@[");
        assert_eq!(masked("//u:p@h/"), "//***@h/");
        assert_eq!(masked("http://a\\b@h/"), "http://***@h/");
        assert_eq!(masked("u:p@h"), "u:p@h");
        assert_eq!(masked("see http://u:p@h/"), "see http://u:p@h/");
    }

    /// Each text has about a megabyte.
    #[test]
    fn hostile_texts_end() {
        for unit in ["//a:b@", "http:", "@", "\n@", ":/", "\\/"] {
            let text = unit.repeat((1 << 20) / unit.len());
            for &standard in Standard::ALL {
                assert!(standard.masked(None, &text).len() <= text.len(), "{unit}");
            }
        }
    }
}
