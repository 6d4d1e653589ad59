//! RFC 1808, [Relative Uniform Resource Locators][rfc]: parsing (section 2.4) and resolving
//! (section 4), exactly as written and in the order of the RFC.
//!
//! Characters are never re-encoded, added or dropped, except where a `NOTE:` says so. The caller
//! removes white space around a reference ([`super::clean`]). Nothing is validated: by this RFC
//! every string is a reference.
//!
//! [rfc]: https://www.rfc-editor.org/rfc/rfc1808

mod resolve;

use std::fmt;

pub(super) use resolve::{Directory, resolve};
pub use resolve::{Joined, Step};

/// The components of a URL, as slices of it ([section 2.1][rfc]).
///
/// `None` is a missing component; `Some("")` is a delimiter with nothing after it. Written out
/// again (`to_string`), the components result in the URL that they were parsed from.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.1
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Components<'u> {
    /// The text before the first `:`.
    pub scheme: Option<&'u str>,
    /// The network location after `//`: user, password, host and port.
    pub net_loc: Option<&'u str>,
    /// The path, including a leading slash.
    pub path: &'u str,
    /// The object parameters after the first `;`.
    pub params: Option<&'u str>,
    /// The query after the first `?`.
    pub query: Option<&'u str>,
    /// The fragment after the first `#`.
    pub fragment: Option<&'u str>,
}

impl<'u> Components<'u> {
    /// Parses a URL or reference, in the order of [section 2.4][rfc].
    ///
    /// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.4
    #[must_use]
    pub fn parse(url: &'u str) -> Self {
        // 2.4.1 Parsing the Fragment Identifier
        let (rest, fragment) = split_off(url, '#');
        // 2.4.2 Parsing the Scheme
        let (scheme, rest) = match scheme_end(rest) {
            Some(colon) => (Some(&rest[..colon]), &rest[colon + 1..]),
            None => (None, rest),
        };
        // 2.4.3 Parsing the Network Location/Login
        let (net_loc, rest) = match rest.strip_prefix("//") {
            // NOTE: the RFC ends a net_loc only at the next slash, so that the query of
            // `http://h?q` becomes a part of the host. Here a `?` ends it too.
            Some(rest) => {
                let end = rest.find(['/', '?']).unwrap_or(rest.len());
                (Some(&rest[..end]), &rest[end..])
            }
            None => (None, rest),
        };
        // 2.4.4 Parsing the Query Information
        let (rest, query) = split_off(rest, '?');
        // 2.4.5 Parsing the Parameters
        let (path, params) = split_off(rest, ';');
        // 2.4.6 Parsing the Path
        Self { scheme, net_loc, path, params, query, fragment }
    }
}

impl fmt::Display for Components<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let around = [
            ("", self.scheme, ":"),
            ("//", self.net_loc, ""),
            ("", Some(self.path), ""),
            (";", self.params, ""),
            ("?", self.query, ""),
            ("#", self.fragment, ""),
        ];
        for (before, component, after) in around {
            if let Some(component) = component {
                write!(f, "{before}{component}{after}")?;
            }
        }
        Ok(())
    }
}

/// The ends of the components of a URL, each including its delimiter; the fragment ends with the
/// URL. The range of a missing component is empty.
#[derive(Debug, Clone, Copy)]
struct Ends {
    scheme: usize,
    net_loc: usize,
    path: usize,
    params: usize,
    query: usize,
}

impl Ends {
    fn parse(url: &str) -> Self {
        let components = Components::parse(url);
        let rest = |end: usize, component: Option<&str>, delimiter: usize| {
            end + component.map_or(0, |component| component.len() + delimiter)
        };
        let scheme = rest(0, components.scheme, 1);
        let net_loc = rest(scheme, components.net_loc, 2);
        let path = net_loc + components.path.len();
        let params = rest(path, components.params, 1);
        let query = rest(params, components.query, 1);
        Self { scheme, net_loc, path, params, query }
    }

    fn has_net_loc(&self) -> bool {
        self.net_loc > self.scheme
    }
}

const NO_SCHEME: u8 = 1;
const PARAMS: u8 = 4;
const QUERY: u8 = 8;
const FRAGMENT: u8 = 16;

/// The classes of each byte, as bits.
static KINDS: [u8; 256] = {
    let mut kinds = [NO_SCHEME; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        let of_scheme = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        kinds[byte as usize] = if of_scheme { 0 } else { NO_SCHEME };
        byte += 1;
    }
    kinds[b';' as usize] |= PARAMS;
    kinds[b'?' as usize] |= QUERY;
    kinds[b'#' as usize] |= FRAGMENT;
    kinds
};

/// The offset of the first byte in any of the classes, from `from` on.
#[inline]
fn end(bytes: &[u8], from: usize, kinds: u8) -> usize {
    let is_end = |&byte: &u8| KINDS[usize::from(byte)] & kinds != 0;
    let length = bytes.get(from..).and_then(|rest| rest.iter().position(is_end));
    length.map_or(bytes.len(), |length| from + length)
}

fn split_off(text: &str, delimiter: char) -> (&str, Option<&str>) {
    match text.split_once(delimiter) {
        Some((before, rest)) => (before, Some(rest)),
        None => (text, None),
    }
}

/// The offset of the scheme's `:`, if the text begins with a scheme: [section 2.4.2][rfc].
///
/// By that section, a scheme may begin with a digit, `+`, `-` or `.`, so `12:30.html` has the
/// scheme `12`.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.4.2
#[must_use]
pub fn scheme_end(text: &str) -> Option<usize> {
    let end = end(text.as_bytes(), 0, NO_SCHEME);
    (end > 0 && text.as_bytes().get(end) == Some(&b':')).then_some(end)
}
