//! An established base URL, prepared for resolving many references.

use std::fmt;
use std::sync::{Arc, OnceLock};

use encoding_rs::Encoding;

use super::credentials::{find_credentials, masked};
use super::parts::NOT_HIERARCHICAL;
use super::{clean, rfc1808};

use crate::error::Error;

/// Whether browsers accept a URL as the base of a document, by the [HTML Standard][spec], although
/// no relative reference resolves against it: its path is opaque, as in `mailto:x` and `x:y`, or
/// its scheme has no hierarchy by RFC 1808.
///
/// NOTE: browsers resolve a fragment alone against any URL, and all references against
/// `telnet://host/`. These stay unchanged too, and so keep their meaning together with the `base`
/// element.
///
/// [spec]: https://html.spec.whatwg.org/multipage/semantics.html#set-the-frozen-base-url
pub(crate) fn is_inert(url: &str) -> bool {
    ::url::Url::parse(&clean(url)).is_ok_and(|url| {
        let is_opaque = url.cannot_be_a_base() || NOT_HIERARCHICAL.contains(&url.scheme());
        is_opaque && !matches!(url.scheme(), "data" | "javascript")
    })
}

/// An established base URL, against which references are resolved ([RFC 1808 section 3][rfc]).
///
/// The base keeps its original text, without the white space around it, and precomputed data for
/// fast resolving by each standard. Clones share both.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3
#[derive(Debug, Clone)]
pub struct Base {
    parts: Arc<BaseData>,
    pub(super) query_encoding: &'static Encoding,
}

#[derive(Debug)]
struct BaseData {
    text: BaseText,
    directory: rfc1808::Directory,
    #[cfg(feature = "rfc3986")]
    iri: OnceLock<Option<fluent_uri::Iri<String>>>,
}

/// The text of a base.
#[derive(Debug)]
enum BaseText {
    /// The text that the URL parser writes.
    Parsed(::url::Url),
    /// Any other text; the parser may reject it, and reads it only when a standard needs that.
    Other { text: String, parsed: OnceLock<Option<Box<::url::Url>>> },
}

impl Base {
    /// Creates the base of a document from a URL that is usable as such.
    ///
    /// Every standard can use a URL that has a scheme other than `mailto`, `news`, `telnet`,
    /// `data`, `javascript`, `about`, `blob`, `cid`, `mid`, `tel` and `urn`, has a `/` after the
    /// scheme, and is accepted by a URL parser as the [URL Standard](https://url.spec.whatwg.org/)
    /// describes it.
    ///
    /// # Errors
    ///
    /// If the URL is not usable; the message gives the reason.
    pub fn new(url: &str) -> Result<Self, Error> {
        let text = clean(url);
        let refused = |why: &str| Error::unusable_base(&masked(&text), why);
        let Some(colon) = rfc1808::scheme_end(&text) else {
            return Err(refused("it has no scheme, expected an absolute URL such as http://host/"));
        };
        let scheme = &text[..colon];
        if NOT_HIERARCHICAL.iter().any(|other| scheme.eq_ignore_ascii_case(other)) {
            let scheme = scheme.to_ascii_lowercase();
            return Err(refused(&format!("no reference resolves against {scheme}: URLs")));
        }
        if !text[colon + 1..].starts_with('/') {
            let scheme = scheme.to_ascii_lowercase();
            let after = text[colon + 1..].bytes().next();
            return Err(refused(&if after.is_some_and(|port| port.is_ascii_digit()) {
                format!("it has no scheme, expected an absolute URL such as http://{scheme}:8000/")
            } else {
                format!("expected a / after {scheme}:")
            }));
        }
        match ::url::Url::parse(&text) {
            Ok(url) => Ok(Self::from_parsed(&text, Some(url))),
            Err(error) => Err(refused(&error.to_string())),
        }
    }

    /// Creates a base from any text, usable or not, for the bare algorithms.
    ///
    /// A standard that cannot parse the text refuses every relative reference, and `rfc1808`
    /// returns a relative URL if `url` is itself relative.
    #[must_use]
    pub fn unchecked(url: &str) -> Self {
        let text = clean(url);
        Self::from_parsed(&text, ::url::Url::parse(&text).ok())
    }

    fn from_parsed(text: &str, parsed: Option<::url::Url>) -> Self {
        let directory = rfc1808::Directory::new(text);
        let text = match parsed {
            Some(url) if url.as_str() == text => BaseText::Parsed(url),
            parsed => {
                BaseText::Other { text: text.to_owned(), parsed: parsed.map(Box::new).into() }
            }
        };
        Self::from_parts(text, directory)
    }

    fn from_parts(text: BaseText, directory: rfc1808::Directory) -> Self {
        let parts = BaseData {
            text,
            directory,
            #[cfg(feature = "rfc3986")]
            iri: OnceLock::new(),
        };
        Self { parts: Arc::new(parts), query_encoding: encoding_rs::UTF_8 }
    }

    /// Creates a base from `url`, which differs from this base only in its path, and has an encoded
    /// one.
    ///
    /// RFC 1808 only needs the text, so the URL is parsed only if another standard needs that:
    /// parsing took 2 % of the instructions for a tree of small pages (`absolve rewrite -j 1`,
    /// postgresql-doc-15).
    ///
    /// # Errors
    ///
    /// See [`Base::new`].
    #[doc(hidden)]
    pub fn with_path(&self, url: String) -> Result<Self, Error> {
        // If the URL has no host, a part of the path may be read as one.
        if self.whatwg().and_then(::url::Url::host_str).is_none_or(str::is_empty) {
            return Self::new(&url);
        }
        let directory = rfc1808::Directory::new(&url);
        Ok(Self::from_parts(BaseText::Other { text: url, parsed: OnceLock::new() }, directory))
    }

    /// The base as parsed by the URL parser; `None` if it does not parse.
    pub(super) fn whatwg(&self) -> Option<&::url::Url> {
        match &self.parts.text {
            BaseText::Parsed(url) => Some(url),
            BaseText::Other { text, parsed } => {
                let parse = || ::url::Url::parse(text).ok().map(Box::new);
                parsed.get_or_init(parse).as_deref()
            }
        }
    }

    /// The base as parsed by the parser of RFC 3986; `parse` runs on the first use.
    #[cfg(feature = "rfc3986")]
    pub(super) fn iri(
        &self,
        parse: impl FnOnce(&str) -> Option<fluent_uri::Iri<String>>,
    ) -> Option<&fluent_uri::Iri<String>> {
        self.parts.iri.get_or_init(|| parse(self.as_str())).as_ref()
    }

    /// Sets the encoding in which `whatwg` writes the query of a reference: that of the document,
    /// as in browsers. UTF-8 unless set.
    #[must_use]
    pub fn with_query_encoding(mut self, encoding: &'static Encoding) -> Self {
        // The section "query percent-encode after encoding" takes an output encoding, which is
        // UTF-8 for UTF-16: https://encoding.spec.whatwg.org/#get-an-encoder
        self.query_encoding = encoding.output_encoding();
        self
    }

    /// The encoding in which `whatwg` writes the query of a reference.
    pub(crate) fn query_encoding(&self) -> &'static Encoding {
        self.query_encoding
    }

    /// The original text of the URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.parts.text {
            BaseText::Parsed(url) => url.as_str(),
            BaseText::Other { text, .. } => text,
        }
    }

    /// The base without its user and password.
    #[must_use]
    pub fn without_credentials(&self) -> Self {
        let text = self.as_str();
        let Some(range) = find_credentials(text) else { return self.clone() };
        let without = format!("{}{}", &text[..range.start], &text[range.end + "@".len()..]);
        Self { query_encoding: self.query_encoding, ..Self::unchecked(&without) }
    }

    /// Resolves by RFC 1808 and calls `on_step` for each step
    /// ([section 4](https://www.rfc-editor.org/rfc/rfc1808#section-4)).
    ///
    /// White space in and around `reference` counts: see [`clean`]. Only the result is allocated.
    #[inline]
    pub fn resolve_rfc1808(&self, reference: &str, on_step: impl FnMut(rfc1808::Step)) -> String {
        let joined = rfc1808::resolve(self.as_str(), &self.parts.directory, reference, on_step);
        joined.into_url().unwrap_or_else(|| reference.to_owned())
    }

    /// Resolves by RFC 1808 to slices of the base and of `reference`; allocates only if `reference`
    /// has dot segments inside.
    #[must_use]
    #[inline]
    pub fn join_rfc1808<'u>(&'u self, reference: &'u str) -> rfc1808::Joined<'u> {
        rfc1808::resolve(self.as_str(), &self.parts.directory, reference, |_| {})
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq for Base {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Base {}
