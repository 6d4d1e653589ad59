//! Dispatches to the chosen standard.

use std::borrow::Cow;

use super::credentials::{Parser, mask_as};
#[cfg(feature = "rfc3986")]
use super::rfc3986;
use super::whatwg;
use super::{Base, Refusal, Resolution, Standard, clean, rfc1808};
use crate::error::Error;

impl Standard {
    /// Resolves a reference against a base, or without one.
    ///
    /// All standards ignore C0 controls and spaces around the reference, and TAB, LF and CR inside
    /// it, as the [URL Standard][ws] does. A reference with a scheme is absolute and stays
    /// unchanged; only `whatwg` resolves `http:g` against a base of the same special scheme.
    ///
    /// ```
    /// use absolve::url::{Base, Resolution, Standard};
    ///
    /// let base = Base::new("http://a/b/c/d;p?q#f")?;
    /// let url = Standard::Rfc1808.resolve(Some(&base), "../g")?;
    /// assert_eq!(url, Resolution::Resolved("http://a/b/g".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the standard refuses the reference or the base. `rfc1808` accepts all of them.
    ///
    /// [ws]: https://url.spec.whatwg.org/#concept-basic-url-parser
    #[inline]
    pub fn resolve<'r>(
        self,
        base: Option<&Base>,
        reference: &'r str,
    ) -> Result<Resolution<'r>, Refusal> {
        match self {
            Self::Rfc1808 => Ok(resolve_rfc1808(base, reference)),
            #[cfg(feature = "rfc3986")]
            Self::Rfc3986 => rfc3986::resolve(base, reference),
            Self::Whatwg => whatwg::resolve(base, reference),
        }
    }

    /// Replaces the user and password that this standard finds in a reference by `***`.
    ///
    /// All other characters stay, even white space that parsers ignore. Only `whatwg` needs the
    /// base: `\\user@host` is a path unless the scheme of the base is special, like `http`.
    ///
    /// ```
    /// use absolve::url::Standard;
    ///
    /// assert_eq!(Standard::Rfc1808.masked(None, "//user:password@host/a@b"), "//***@host/a@b");
    /// assert_eq!(Standard::Rfc1808.masked(None, "http://host/user:a@b"), "http://host/user:a@b");
    /// ```
    #[must_use]
    pub fn masked<'r>(self, base: Option<&Base>, reference: &'r str) -> Cow<'r, str> {
        let parser = if self.is_of_browsers() { Parser::Whatwg } else { Parser::Rfc1808 };
        mask_as(parser, base.map(Base::as_str), reference)
    }

    /// Creates the base that an absolute URL in a document sets. Only `whatwg` normalizes the URL:
    /// `http:sub/` becomes `http://sub/`, and is not usable by other standards.
    pub(crate) fn base(self, url: &str) -> Result<Base, Error> {
        let base = Base::new(url);
        match self {
            Self::Whatwg => base.or_else(|error| {
                let special = whatwg::normalize_special(url).ok_or(error)?;
                Base::new(&special)
            }),
            _ => base,
        }
    }
}

#[inline]
fn resolve_rfc1808<'r>(base: Option<&Base>, reference: &'r str) -> Resolution<'r> {
    let reference = clean(reference);
    match base {
        Some(base) => match base.join_rfc1808(&reference).into_url() {
            Some(url) => Resolution::Resolved(url),
            None => Resolution::Absolute(reference),
        },
        // RFC 1808 section 4, step 1.
        None if rfc1808::scheme_end(&reference).is_some() => Resolution::Absolute(reference),
        None => Resolution::Unresolved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_base_only_absolute_references_have_a_url() {
        for standard in Standard::ALL {
            assert_eq!(standard.resolve(None, "g"), Ok(Resolution::Unresolved), "{standard}");
            let url = standard.resolve(None, " x:y ").unwrap();
            assert_eq!(url, Resolution::Absolute("x:y".into()), "{standard}");
        }
    }
}
