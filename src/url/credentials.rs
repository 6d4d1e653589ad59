//! User and password of a URL: taken out of bases, and masked in messages and reports.

mod delimiters;
mod words;

use std::borrow::Cow;

use super::schemes::{NOT_HIERARCHICAL, is_known_scheme, is_special};
use super::{clean, rfc1808};
use delimiters::{ends_net_loc, ends_url, is_slash};
use words::Names;

pub use delimiters::MASK;

/// `url` with `mask` in place of the user and password of its `net_loc`; with an empty
/// `mask` the `@` goes as well.
///
/// After `http:` and the other special schemes any number of slashes leads to the
/// `net_loc`, as a browser has it: `http:/u:p@h/` is masked too.
#[must_use]
pub fn mask_credentials(url: &str, mask: &str) -> String {
    let Some(start) = net_loc_start(url) else {
        return url.to_owned();
    };
    let end = url[start..].find(ends_net_loc).map_or(url.len(), |end| start + end);
    match url[start..end].rfind('@') {
        Some(at) => {
            let after = if mask.is_empty() { start + at + 1 } else { start + at };
            format!("{}{mask}{}", &url[..start], &url[after..])
        }
        None => url.to_owned(),
    }
}

/// A text for messages and reports: a reference, a URL, or a sentence with URLs in it. In
/// each URL, [`MASK`] replaces user and password.
///
/// The text may hold anything. What looks like a password is masked, even where no URL
/// parser sees one: `http://user:pa/ss@host` has an invalid port, which is not a port.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'@', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    // As one URL it may hold spaces, and line ends that do not count.
    let cleaned = clean(text);
    let whole = mask_credentials(&cleaned, MASK);
    let text = if whole == *cleaned { Cow::Borrowed(text) } else { Cow::Owned(whole) };
    chained(chained(text, masked_within), |text| words::masked(text, Names::Shown))
}

/// The same for a text about a reference that has a password, which another standard may
/// resolve to a name in a path: `http:user:password@host` to `http://h/user:password@host`.
#[must_use]
pub fn masked_with_names(text: &str) -> Cow<'_, str> {
    chained(masked(text), |text| words::masked(text, Names::Masked))
}

fn chained(text: Cow<'_, str>, mask: impl Fn(&str) -> Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => mask(text),
        Cow::Owned(text) => Cow::Owned(mask(&text).into_owned()),
    }
}

/// The same for what was given as a base URL, usable or not: `user:password@host` is
/// masked too, which has lost its scheme, and `user@host` or `user@password:host`.
#[must_use]
pub fn masked_base(text: &str) -> Cow<'_, str> {
    let end = text.find(ends_net_loc).unwrap_or(text.len());
    let at = password_end(text).or_else(|| text[..end].rfind('@').filter(|&at| at > 0));
    let Some(at) = at.filter(|_| !has_known_scheme(text)) else { return masked(text) };
    let end = text[at..].find(ends_net_loc).map_or(text.len(), |end| at + end);
    // Where no port is after the host, the password may be there.
    let from = if has_invalid_port(&text[at + 1..end]) { end } else { at };
    Cow::Owned(format!("{MASK}{}", masked(&text[from..])))
}

/// Whether a text begins with a scheme whose URLs are known to have a user, or to have no user.
fn has_known_scheme(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, _)| is_known_scheme(scheme.trim_start()))
}

/// Where user and password end in `user:password@host`, which has no scheme.
pub(super) fn password_end(text: &str) -> Option<usize> {
    let (colon, at) = (text.find(':')?, text.rfind('@')?);
    let user = text[..colon].trim_start().to_ascii_lowercase();
    let is_scheme = is_special(&user) || NOT_HIERARCHICAL.contains(&user.as_str());
    let has_path = text[colon + 1..].starts_with(is_slash) || user.contains(is_slash);
    (colon < at && !is_scheme && !has_path).then_some(at)
}

/// Where the `net_loc` of a URL begins, by RFC 1808 or in a browser.
fn net_loc_start(url: &str) -> Option<usize> {
    let after_scheme = rfc1808::scheme_end(url).map_or(0, |colon| colon + 1);
    let is_special = is_special(url[..after_scheme].trim_end_matches(':'));
    let rest = &url[after_scheme..];
    match rest.len() - rest.trim_start_matches(is_slash).len() {
        slashes if is_special => Some(after_scheme + slashes),
        slashes if slashes >= 2 && after_scheme == 0 => Some(slashes),
        _ if rest.starts_with("//") => Some(after_scheme + 2),
        _ => None,
    }
}

/// Masks wherever a `net_loc` seems to begin.
///
/// Each byte is inspected a constant number of times, so that a hostile text takes linear
/// time: of the URL that it is in, the last `@` is searched for once.
fn masked_within(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut copied, mut from) = (0, 0);
    let (mut url_end, mut last_at) = (0, None);
    let mut spaced = Spaced::default();
    while let Some((start, has_scheme)) = next_net_loc(text, from) {
        if start >= url_end {
            url_end = text[start..].find(ends_url).map_or(text.len(), |end| start + end);
            last_at = text[start..url_end].rfind('@').map(|at| start + at);
        }
        let end = text[start..url_end].find(ends_net_loc).map_or(url_end, |end| start + end);
        let at = user_end(&text[start..end], has_scheme).map(|at| start + at);
        let at = match at {
            Some(at) => Some(at),
            None if has_scheme && end == url_end => spaced.user_end(text, start, end),
            None if has_invalid_port(&text[start..end]) => last_at.filter(|&at| at > end),
            None => None,
        };
        if let Some(at) = at {
            out.push_str(&text[copied..start]);
            out.push_str(MASK);
            copied = at;
        }
        from = at.unwrap_or(end);
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Where a password with a space, a quote or a bracket in it may end, which a browser takes.
#[derive(Default)]
struct Spaced {
    /// Where the `net_loc` ends that was searched last.
    end: usize,
    last_at: Option<usize>,
}

impl Spaced {
    /// Where user and password end in a `net_loc` that seems to end in a sentence or in markup,
    /// in the middle of a password: there is a colon, and no port after it.
    fn user_end(&mut self, text: &str, start: usize, end: usize) -> Option<usize> {
        let (_, port) = text[start..end].split_once(':')?;
        if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        if start >= self.end {
            self.end = text[start..].find(ends_net_loc).map_or(text.len(), |end| start + end);
            self.last_at = text[start..self.end].rfind('@').map(|at| start + at);
        }
        self.last_at.filter(|&at| at > end)
    }
}

/// The next place that a `net_loc` may begin at, and whether a scheme is before it: after
/// two slashes, or after `http:` and its like.
fn next_net_loc(text: &str, from: usize) -> Option<(usize, bool)> {
    let bytes = text.as_bytes();
    let slashes =
        |at: usize| bytes[at..].iter().take_while(|&&byte| is_slash(char::from(byte))).count();
    let mut at = from;
    while at < bytes.len() {
        let (has_scheme, is_special) = match bytes[at] {
            b':' => (true, is_special(last_word(&bytes[from..at]))),
            b'/' | b'\\' => (false, false),
            _ => {
                at += 1;
                continue;
            }
        };
        let first = at + usize::from(has_scheme);
        let count = slashes(first);
        at = (first + count).max(at + 1);
        if is_special || count >= 2 {
            return Some((at, has_scheme));
        }
    }
    None
}

/// The letters that end a text: the longest special scheme has five.
fn last_word(bytes: &[u8]) -> &str {
    let letters = bytes.iter().rev().take(6).take_while(|byte| byte.is_ascii_alphabetic()).count();
    std::str::from_utf8(&bytes[bytes.len() - letters..]).unwrap_or_default()
}

/// Where user and password end in a `net_loc`. Two slashes that no scheme is before are
/// part of a path more often: there a password has to be seen.
fn user_end(net_loc: &str, has_scheme: bool) -> Option<usize> {
    let at = net_loc.rfind('@')?;
    (has_scheme || net_loc[..at].contains(':')).then_some(at)
}

/// Whether a `net_loc` ends in what is not a port: it may be the beginning of a password.
fn has_invalid_port(net_loc: &str) -> bool {
    let port = net_loc.split_once(':').map(|(_, port)| port);
    let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    !net_loc.starts_with('[') && port.is_some_and(|port| !is_number(port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shows(text: &str, expected: &str) {
        assert_eq!(masked(text), expected);
        assert_eq!(masked(expected), expected, "it is masked already");
    }

    #[test]
    fn a_url_shows_no_password() {
        shows("http://u:p@h/a@b", "http://***@h/a@b");
        shows("http://u@h", "http://***@h");
        shows("//u@h", "//***@h");
        shows("\\\\u:p@h/", "\\\\***@h/");
        shows("http:u:p@h", "http:***@h");
        shows("HTTPS:/u:p@h", "HTTPS:/***@h");
        shows("http:\\\\u:p@h", "http:\\\\***@h");
        shows("x://u:p@h", "x://***@h");
        shows("http://u:p@p@h/", "http://***@h/");
        shows("http://u:p w@h/", "http://***@h/");
        shows(" ht\ntp://u:p@h/ ", "http://***@h/");
        for secret in ["u: p", "u:\"p", "u:<p", "u:>p", "u:\np", "u:a\tp"] {
            shows(&format!("see 'http://{secret}@h/'"), "see 'http://***@h/'");
        }
        shows("http://h/?to=http://u:p@h/", "http://h/?to=http://***@h/");
        shows("http://u:p@[::1]:80/", "http://***@[::1]:80/");
    }

    #[test]
    fn a_password_may_hold_what_ends_a_host() {
        shows("http://u:p/w@h/", "http://***@h/");
        shows("http://u:p#w?x@h/", "http://***@h/");
        shows("'http://u:p/w@h/' is not usable", "'http://***@h/' is not usable");
    }

    #[test]
    fn a_sentence_shows_no_password() {
        shows(
            "it redirects to 'https://u:p@h/x', see //v:q@i",
            "it redirects to 'https://***@h/x', see //***@i",
        );
        shows("<a href=http://u:p@h>@</a>", "<a href=http://***@h>@</a>");
        shows("a.css?//u:p@h", "a.css?//***@h");
        shows("//u:p@h //v:q@i", "//***@h //***@i");
    }

    #[test]
    fn what_is_no_password_stays() {
        for text in [
            "",
            "@",
            "mailto:a@b",
            "a//u@h",
            "http://h/@u",
            "http://h:80/@u",
            "http://[::1]/@u",
            "see http: and a@b",
            "see http://h:80 and a@b",
            "see http://h/: a@b",
            "x:y",
            "https://h/a//b@c",
            "git@h:a/b",
            "\u{e9}://h/\u{e9}@",
            "http://",
            "//",
            "http:",
            ":@",
            "/@",
            "npm/a@1.2:3",
            "npm:a@1.2",
            "jsr:@a/b@1",
            "a@b.example",
            "xmpp:a@b",
            "http://h/a@2x.png",
            "color:red;background:url(a@2x.png)",
            "a{color:red}@media",
            "a.html:3:7: @b",
            "localhost:8080/a/@b",
            "12:a",
            "C:\\a\\b@c",
            "https://h/wiki/User:Foo@bar",
            "https://h/wiki/User:Foo@bar?action=edit#top",
            "see 'https://h/wiki/User:Foo@bar'.",
            "/wiki/User:Foo@bar",
            "wiki/User:Foo@bar",
            "C:\\a\\b:c@d",
        ] {
            shows(text, text);
        }
    }

    #[test]
    fn a_word_without_a_net_loc_shows_no_password() {
        shows("u:p@h", "***@h");
        shows("see 'u:p@h'.", "see '***@h'.");
        shows("u:p/w?x#y@h/z", "***@h/z");
        shows("u:p@h/v:q@i", "***@h/***@i");
        shows("/u:p@h", "/***@h");
        shows("htp:/u:p@h", "htp:/***@h");
        shows("x/u:p@h/y", "x/***@h/y");
        shows("http://h/x/u:p@h.example.", "http://h/x/***@h.example.");
        shows("http://h/x/u:p@h:80", "http://h/x/***@h:80");
        shows("http://h/u:p@i/x", "http://h/***@i/x");
        shows("http:u:p@h/x", "http:***@h/x");
        shows("data:u:p@h", "data:***@h");
        shows("htp:/u:p@h/", "htp:/***@h/");
        shows("mailto:u:p@h", "mailto:***@h");
        shows("<loc>u:p@h</loc>", "<loc>***@h</loc>");
        shows("<a href=u:p@h>", "<a href=***@h>");
        shows("url(u:p@h)", "url(***@h)");
        shows("http://h/?to=u:p@h&x", "http://h/?to=***@h&x");
        shows("u:p@w@h", "***@h");
        shows("\u{e9}:\u{e9}@h", "***@h");
    }

    #[test]
    fn a_base_without_its_scheme_shows_no_password() {
        assert_eq!(masked_base("u:p@h/"), "***@h/");
        assert_eq!(masked_base("u:p/w@h/"), "***@h/");
        assert_eq!(masked_base("http://u:p@h/"), "http://***@h/");
        assert_eq!(masked_base("mailto:a@b"), "mailto:a@b");
        assert_eq!(masked_base("x:/a@b"), "x:/a@b");
        assert_eq!(masked_base("u@p:h"), "***");
        assert_eq!(masked_base("@p@h/x"), "***@h/x");
        assert_eq!(masked_base("u@h:80"), "***@h:80");
        assert_eq!(masked_base("data:u:p@h"), "data:***@h");
        assert_eq!(masked_base("htp:/u:p@h/"), "htp:/***@h/");
        assert_eq!(masked_base("@a/b"), "@a/b");
        assert_eq!(masked_base("/a/@b"), "/a/@b");
    }

    /// A hostile text of a megabyte, in which each place looks like a URL's beginning.
    #[test]
    fn hostile_texts_end() {
        for unit in [
            "//a:b", "http:", "//a:b@", ":/", "\\/", "//a:b/@", "@", "a:b/", "a:b@", "a:",
            "http:a: ",
        ] {
            let text = unit.repeat((1 << 20) / unit.len());
            assert!(masked(&text).len() <= text.len() * 2, "{unit}");
        }
    }
}
