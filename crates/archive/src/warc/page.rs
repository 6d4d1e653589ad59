//! Decodes the document in a record, and finds its base URL.

use std::borrow::Cow;

use absolve::Rewriter;
use absolve::Syntax;
use absolve::url::Base;
use absolve::{BaseSource, internal::BaseLayer};
use encoding_rs::Encoding;

use super::super::http::{self, DecodeError, Headers, Response};
use super::options::ArchiveLimits;
use super::record::{Record, RecordPosition, encode_spaces};
use super::unread::RecordProblem;

/// A document in an archive, with transfer and content codings decoded.
#[derive(Debug)]
pub struct Page<'a> {
    position: RecordPosition,
    record: &'a Record<'a>,
    document: Cow<'a, [u8]>,
    base: BaseLayer,
    syntax: Syntax,
}

impl<'a> Page<'a> {
    /// Decodes the document of a record.
    ///
    /// # Errors
    ///
    /// If a `response` has no HTTP header, or its body is damaged or exceeds the limits.
    pub(super) fn decode(
        position: RecordPosition,
        record: &'a Record<'a>,
        limits: &ArchiveLimits,
    ) -> Result<Self, RecordProblem> {
        let syntax = record.syntax.unwrap_or_default();
        let target_base = || {
            parse_base(
                record.target_uri().map(|uri| encode_spaces(&uri).into()),
                BaseSource::TargetUri,
            )
        };
        if record.record_type() != "response" {
            let (document, base) = (Cow::Borrowed(record.block()), target_base());
            return Ok(Self { position, record, document, base, syntax });
        }
        let Some(response) = &record.response else {
            return Err(RecordProblem::damaged("it has no HTTP header"));
        };
        let document = http::decode_body(response, limits.max_in_memory(), limits.max_growth());
        let document = document.map_err(|error| match error {
            DecodeError::TooLarge => RecordProblem::TooLarge,
            DecodeError::Damaged(why) => RecordProblem::damaged(why),
        })?;
        let base = match (syntax, header_base(&response.headers)) {
            (Syntax::Html | Syntax::Xml | Syntax::JsonFeed, base) if base.base().is_some() => base,
            _ => target_base(),
        };
        Ok(Self { position, record, document, base, syntax })
    }

    /// Returns the position of its record.
    #[must_use]
    pub fn position(&self) -> RecordPosition {
        self.position
    }

    /// Returns its URL: the field `WARC-Target-URI` of the record, if it has one.
    #[must_use]
    pub fn url(&self) -> Option<Cow<'_, str>> {
        self.record.target_uri()
    }

    /// Returns the date of its retrieval: the field `WARC-Date` of the record, if it has one.
    #[must_use]
    pub fn date(&self) -> Option<Cow<'_, str>> {
        self.record.headers().text("WARC-Date")
    }

    /// Returns its record.
    #[must_use]
    #[doc(hidden)]
    pub fn record(&self) -> &Record<'a> {
        self.record
    }

    /// Returns the decoded bytes.
    #[must_use]
    pub fn document(&self) -> &[u8] {
        &self.document
    }

    /// Returns the status of the HTTP response, if the record has one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.response()?.status
    }

    /// Returns the headers of the HTTP response, if the record has one.
    #[must_use]
    pub fn http_headers(&self) -> Option<&Headers<'a>> {
        Some(&self.response()?.headers)
    }

    fn response(&self) -> Option<&Response<'a>> {
        self.record.response.as_ref().filter(|_| self.record.record_type() == "response")
    }

    /// Returns the encoding that the `Content-Type` of the response or the record names.
    #[must_use]
    pub fn charset(&self) -> Option<&'static Encoding> {
        self.record.media_type.charset.map(|named| named.encoding)
    }

    /// Returns its media type in lower case; if no header names a type, the type of its syntax.
    #[must_use]
    pub fn media_type(&self) -> &str {
        match self.syntax {
            _ if !self.record.media_type.essence.is_empty() => &self.record.media_type.essence,
            Syntax::Css => "text/css",
            Syntax::Xml => "application/xml",
            Syntax::Markdown => "text/markdown",
            Syntax::JsonFeed => "application/feed+json",
            _ => "text/html",
        }
    }

    /// Whether it has the header `Content-Type`.
    #[must_use]
    #[doc(hidden)]
    pub fn has_media_type(&self) -> bool {
        let headers = self.http_headers().unwrap_or(self.record.headers());
        headers.get("Content-Type").is_some()
    }

    /// Returns the syntax of the document.
    #[must_use]
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// Whether the record has a document; only
    /// [`RecordSelection::any`](super::RecordSelection::any) selects other records too.
    #[must_use]
    #[doc(hidden)]
    pub fn is_document(&self) -> bool {
        self.record.syntax.is_some()
    }

    /// Returns the base URL from the headers, before any `base` element applies, and its source: the
    /// first usable URL of the HTTP headers `Content-Base` and `Base`, and `WARC-Target-URI`.
    /// `Content-Location` is ignored. The base of a style sheet or of Markdown is always
    /// `WARC-Target-URI`.
    #[must_use]
    pub fn base(&self) -> (Option<&Base>, BaseSource) {
        (self.base.base(), self.base.source())
    }

    /// Returns `template` with the base URL, the encoding and the syntax of this page. The base URL
    /// of `template` applies only if the record has no base URL.
    #[must_use]
    pub fn rewriter(&self, template: &Rewriter) -> Rewriter {
        let has_base = self.base.base().is_some();
        let base = if has_base { &self.base } else { &template.settings().retrieval_layer };
        template.for_part(base.clone(), self.record.media_type.charset).syntax(self.syntax)
    }
}

/// Returns the base from the headers of a response. `Content-Base`, which replaced `Base` (RFC 2110
/// section 4.2), takes precedence.
fn header_base(headers: &Headers<'_>) -> BaseLayer {
    let content_base = parse_base(headers.text("Content-Base"), BaseSource::ContentBase);
    if content_base.base().is_some() {
        return content_base;
    }
    parse_base(headers.text("Base"), BaseSource::BaseHeader)
}

fn parse_base(url: Option<Cow<'_, str>>, source: BaseSource) -> BaseLayer {
    let base = url.and_then(|url| Base::new(&http::parse_bracketed_url(&url)).ok());
    BaseLayer::new(base, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_base(target: &str, headers: &str, expected: Option<&str>, source: &str) {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{headers}\r\n\r\nx");
        let text = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {target}\r\nContent-Length: {}\r\n\r\n{block}",
            block.len()
        );
        let record = Record::parse(text.as_bytes()).unwrap();
        let Ok(page) = Page::decode(
            RecordPosition { offset: 0, within: 0 },
            &record,
            &ArchiveLimits::default(),
        ) else {
            panic!("{text}");
        };
        let (base, from) = page.base();
        assert_eq!((base.map(Base::as_str), from.name()), (expected, source), "{text}");
        let options = Rewriter::new().base_url("http://given/").unwrap();
        let summary = page.rewriter(&options).links(b"<a href=x>", |_| ()).unwrap();
        assert_eq!(summary.base().map(Base::as_str), expected.or(Some("http://given/")));
    }

    #[test]
    fn the_layers_of_a_page_are_those_of_its_record() {
        let target = Some("http://h/a/b");
        assert_base("http://h/a/b", "", target, "target-uri");
        assert_base("<http://h/a/b>", "", target, "target-uri");
        assert_base(
            "http://h/a/b",
            "Base: <URL:http://i/\r\n c/>",
            Some("http://i/c/"),
            "base-header",
        );
        assert_base("http://h/a/b", "Content-Base: http://i/", Some("http://i/"), "content-base");
        let both = "Base: <URL:http://j/>\r\nContent-Base: http://i/";
        assert_base("http://h/a/b", both, Some("http://i/"), "content-base");
        assert_base("http://h/a/b", "Content-Location: http://i/", target, "target-uri");
        assert_base("http://h/a/b", "Base: c/\r\nContent-Base: mailto:x", target, "target-uri");
        assert_base("dns:h", "", None, "none");
        assert_base("dns:h", "Base: <URL:http://i/>", Some("http://i/"), "base-header");
    }
}
