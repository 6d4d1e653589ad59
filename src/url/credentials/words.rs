//! User and password in words that no URL parser sees a `net_loc` in: `user:password@host`.

use std::borrow::Cow;
use std::ops::Range;

use super::delimiters::{MASK, ends_net_loc, ends_url, is_slash};
use crate::url::schemes::is_known_scheme;

/// What is done with the last segment of a path that may be a name or a password, as in
/// `https://host/wiki/User:Name@word`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Shown,
    Masked,
}

/// Masks what is before the last `@` of each segment where a colon is before it, or before the
/// last `@` of the word where that begins so: `user:pass/word@host`. An address without a colon
/// stays, also after its scheme: `mailto:user@host`. So does a name in a path, where these are
/// shown, unless a host can be seen after its `@`.
///
/// Each byte is inspected a constant number of times.
pub(super) fn masked(text: &str, names: Names) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut copied, mut from) = (0, 0);
    while from < text.len() {
        let word = &text[from..from + text[from..].find(ends_word).unwrap_or(text.len() - from)];
        for (start, end) in hidden(word, names) {
            out.push_str(&text[copied..from + start]);
            out.push_str(MASK);
            copied = from + end;
        }
        from += word.len();
        from += text[from..].chars().next().map_or(0, char::len_utf8);
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// NOTE: a parenthesis or a brace may be in a password, but much more often one begins or ends
/// a URL in CSS: `background:url(image@2x.png)` is not a password.
fn ends_word(c: char) -> bool {
    ends_url(c) || matches!(c, '(' | ')' | '{' | '}')
}

/// What is to be masked in a word.
fn hidden(word: &str, names: Names) -> Vec<(usize, usize)> {
    let Some(last_at) = word.rfind('@') else { return Vec::new() };
    let mut hidden = Vec::new();
    let mut start = 0;
    while start < last_at {
        let end = word[start..].find(ends_net_loc).map_or(word.len(), |end| start + end);
        let segment = &word[start..end];
        let at = segment.rfind('@').map(|at| start + at);
        let user = start + user_start(segment);
        let colon = word[user..end].find(':').map(|colon| user + colon);
        let secret = colon.and_then(|colon| {
            if let Some(at) = at {
                let is_user =
                    names == Names::Shown && hidden.is_empty() && is_name(word, start..end, at);
                return (colon + 1 < at && !is_user).then_some(at);
            }
            let is_number = word[colon + 1..end].bytes().all(|byte| byte.is_ascii_digit());
            (start == 0 && !is_number && !follows_scheme(segment)).then_some(last_at)
        });
        if let Some(at) = secret {
            hidden.push((user, at));
        }
        // Its separator is one byte long.
        start = secret.filter(|&at| at > end).unwrap_or(end + 1);
    }
    hidden
}

/// Whether a segment with an `@` is the last name of a path: after another name, and with no
/// host after the `@`, which a path, a port or a domain would show.
fn is_name(word: &str, segment: Range<usize>, at: usize) -> bool {
    let is_path_before = word[..segment.start].strip_suffix(is_slash).is_some_and(|before| {
        !before.is_empty() && !before.ends_with(|c: char| is_slash(c) || c == ':')
    });
    let host = word[at + 1..segment.end].trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_host = host.contains(['.', ':']) || word[segment.end..].starts_with(is_slash);
    is_path_before && !is_host
}

/// Where a user may begin in a segment: after a quote or a name, and after a scheme.
fn user_start(segment: &str) -> usize {
    let colon = segment.find(':').unwrap_or(segment.len());
    let first = segment[..colon].rfind(ends_name).map_or(0, |at| at + 1);
    if is_known_scheme(&segment[first..colon]) { (colon + 1).min(segment.len()) } else { first }
}

fn follows_scheme(segment: &str) -> bool {
    user_start(segment) > segment.find(':').unwrap_or(segment.len())
}

fn ends_name(c: char) -> bool {
    matches!(c, '\'' | '`' | '=' | '&' | ',' | ';')
}
