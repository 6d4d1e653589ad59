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
/// `telnet://host/`. These stay unchanged too, and keep their meaning, as the `base` element stays.
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
/// The base keeps its original text, without the white space around it, and data that each standard
/// computes once to resolve faster. Clones share both.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3
#[derive(Debug, Clone)]
pub struct Base {
    data: Arc<BaseData>,
    pub(super) query_encoding: &'static Encoding,
}

#[derive(Debug)]
struct BaseData {
    text: BaseText,
    prepared: rfc1808::PreparedBase,
    #[cfg(feature = "rfc3986")]
    iri: OnceLock<Option<fluent_uri::Iri<String>>>,
}

/// The text of a base.
#[derive(Debug)]
enum BaseText {
    /// A text that the URL parser reproduces unchanged.
    Parsed(::url::Url),
    /// Any other text. The parser may reject it, and reads it only if a standard needs the result.
    Other { text: String, parsed: OnceLock<Option<Box<::url::Url>>> },
}

impl Base {
    /// Creates the base of a document from a usable URL.
    ///
    /// A URL is usable by all standards if it has a scheme other than `mailto`, `news`, `telnet`,
    /// `data`, `javascript`, `about`, `blob`, `cid`, `mid`, `tel` and `urn`, has a `/` after the
    /// scheme, and parses by the [URL Standard](https://url.spec.whatwg.org/).
    ///
    /// # Errors
    ///
    /// If the URL is not usable; the message gives the reason.
    pub fn new(url: &str) -> Result<Self, Error> {
        let text = clean(url);
        let refuse = |why: &str| Error::unusable_base(&masked(&text), why);
        let Some(colon) = rfc1808::scheme_end(&text) else {
            return Err(refuse("it has no scheme, expected an absolute URL such as http://host/"));
        };
        let scheme = &text[..colon];
        if NOT_HIERARCHICAL.iter().any(|other| scheme.eq_ignore_ascii_case(other)) {
            let scheme = scheme.to_ascii_lowercase();
            return Err(refuse(&format!("no reference resolves against {scheme}: URLs")));
        }
        if !text[colon + 1..].starts_with('/') {
            let scheme = scheme.to_ascii_lowercase();
            // A host and port without scheme, such as `localhost:8000`, looks like a scheme.
            let after = text[colon + 1..].bytes().next();
            return Err(refuse(&if after.is_some_and(|port| port.is_ascii_digit()) {
                format!("it has no scheme, expected an absolute URL such as http://{scheme}:8000/")
            } else {
                format!("expected a / after {scheme}:")
            }));
        }
        match ::url::Url::parse(&text) {
            Ok(url) => Ok(Self::from_parsed(&text, Some(url))),
            Err(error) => Err(refuse(&error.to_string())),
        }
    }

    /// Creates a base from any text, usable or not, to run the algorithms on it.
    ///
    /// A standard that cannot parse the text refuses every relative reference. `rfc1808` returns a
    /// relative URL if `url` is relative itself.
    #[must_use]
    pub fn unchecked(url: &str) -> Self {
        let text = clean(url);
        Self::from_parsed(&text, ::url::Url::parse(&text).ok())
    }

    fn from_parsed(text: &str, parsed: Option<::url::Url>) -> Self {
        let prepared = rfc1808::PreparedBase::new(text);
        let text = match parsed {
            Some(url) if url.as_str() == text => BaseText::Parsed(url),
            parsed => {
                BaseText::Other { text: text.to_owned(), parsed: parsed.map(Box::new).into() }
            }
        };
        Self::from_parts(text, prepared)
    }

    fn from_parts(text: BaseText, prepared: rfc1808::PreparedBase) -> Self {
        let data = BaseData {
            text,
            prepared,
            #[cfg(feature = "rfc3986")]
            iri: OnceLock::new(),
        };
        Self { data: Arc::new(data), query_encoding: encoding_rs::UTF_8 }
    }

    /// Creates a base from `url`, which differs from this base only in its path, and whose path is
    /// already percent-encoded.
    ///
    /// RFC 1808 only needs the text, so the URL is parsed only if another standard needs the
    /// result: parsing took 2 % of the instructions for a tree of small pages
    /// (`absolve rewrite -j 1`, postgresql-doc-15).
    ///
    /// # Errors
    ///
    /// See [`Base::new`].
    #[doc(hidden)]
    pub fn with_same_authority(&self, url: String) -> Result<Self, Error> {
        // Without a host, a parser may read a part of the path as the host.
        if self.whatwg().and_then(::url::Url::host_str).is_none_or(str::is_empty) {
            return Self::new(&url);
        }
        let prepared = rfc1808::PreparedBase::new(&url);
        Ok(Self::from_parts(BaseText::Other { text: url, parsed: OnceLock::new() }, prepared))
    }

    /// Returns the base as parsed by the URL parser; `None` if it does not parse.
    pub(super) fn whatwg(&self) -> Option<&::url::Url> {
        match &self.data.text {
            BaseText::Parsed(url) => Some(url),
            BaseText::Other { text, parsed } => {
                let parse = || ::url::Url::parse(text).ok().map(Box::new);
                parsed.get_or_init(parse).as_deref()
            }
        }
    }

    /// Returns the base as parsed by the parser of RFC 3986; `parse` runs on the first use.
    #[cfg(feature = "rfc3986")]
    pub(super) fn iri(
        &self,
        parse: impl FnOnce(&str) -> Option<fluent_uri::Iri<String>>,
    ) -> Option<&fluent_uri::Iri<String>> {
        self.data.iri.get_or_init(|| parse(self.as_str())).as_ref()
    }

    /// Sets the encoding in which `whatwg` writes the query of a reference; UTF-8 unless set.
    /// Browsers use the encoding of the document.
    #[must_use]
    pub fn with_query_encoding(mut self, encoding: &'static Encoding) -> Self {
        // The section "query percent-encode after encoding" takes an output encoding, which is
        // UTF-8 for UTF-16: https://encoding.spec.whatwg.org/#get-an-encoder
        self.query_encoding = encoding.output_encoding();
        self
    }

    /// Returns the encoding in which `whatwg` writes the query of a reference.
    pub(crate) fn query_encoding(&self) -> &'static Encoding {
        self.query_encoding
    }

    /// Returns the original text of the URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.data.text {
            BaseText::Parsed(url) => url.as_str(),
            BaseText::Other { text, .. } => text,
        }
    }

    /// Returns the base without its user and password.
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
    /// White space in and around `reference` is data: see [`clean`]. Only the result is allocated.
    #[inline]
    pub fn resolve_rfc1808(&self, reference: &str, on_step: impl FnMut(rfc1808::Step)) -> String {
        let joined = rfc1808::resolve(self.as_str(), &self.data.prepared, reference, on_step);
        joined.into_url().unwrap_or_else(|| reference.to_owned())
    }

    /// Resolves by RFC 1808 to slices of the base and of `reference`; allocates only if `reference`
    /// has dot segments inside.
    #[must_use]
    #[inline]
    pub fn join_rfc1808<'u>(&'u self, reference: &'u str) -> rfc1808::Joined<'u> {
        rfc1808::resolve(self.as_str(), &self.data.prepared, reference, |_| {})
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
