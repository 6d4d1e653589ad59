//! What names a capture in the revisits of it.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::super::http::{self, BodyKind, Response};
use super::digest::{self, DigestTag, FieldDigest, Sha1Digest};
use super::limits::ArchiveLimits;
use super::record::Record;
use super::record_type::{Interest, PayloadKind, RecordType};

/// What names a capture in a revisit, as hashes, since the table has many.
#[derive(Debug, Clone, Copy)]
pub(super) struct CaptureKeys {
    pub(super) id: Option<u64>,
    pub(super) date: Option<u64>,
    pub(super) digest: Option<u64>,
    /// The digest of the body with its transfer codings, if that is another one and computed.
    pub(super) message_digest: Option<u64>,
    /// The digest in the field of the record.
    pub(super) stated: Option<DigestTag>,
    /// The URL, and the algorithm of the digest.
    pub(super) algorithm: Option<u64>,
    pub(super) status: u16,
    pub(super) is_document: bool,
}

impl CaptureKeys {
    /// The keys of a record that stays as it is; `None` if revisits do not refer to it. The outcome
    /// of a document is that of its page, unless the document is too large (`has_block`).
    pub(super) fn of_unchanged(
        record: &Record<'_>,
        interest: Interest,
        payload: PayloadKind,
        has_block: bool,
    ) -> Option<Self> {
        let has_revisits = matches!(interest, Interest::Rewriting(RecordType::Response, _));
        let is_page = payload == PayloadKind::Page && has_block;
        let is_capture = || matches!(&*record.kind(), "response" | "resource");
        (has_revisits && !is_page && is_capture())
            .then(|| Self::of(record, ComputedDigests::default()))
    }

    /// The keys of a capture; `computed` is for a record without the field of a digest.
    pub(super) fn of(record: &Record<'_>, computed: ComputedDigests) -> Self {
        let headers = record.headers();
        let field = headers.get("WARC-Payload-Digest").map(FieldDigest::parse);
        let algorithm = field.as_ref().map_or("".into(), |digest| digest.algorithm.clone());
        let stated = field.as_ref().map(FieldDigest::tag);
        let digest = field.or(computed.payload.map(FieldDigest::sha1));
        let message_digest = computed.message.map(FieldDigest::sha1);
        let url = record.target_uri();
        let url = url.as_deref();
        let of_url = |digest: FieldDigest| Some(Key::Digest(url?, &digest).hashed());
        let id = headers.get("WARC-Record-ID").map(id_key);
        let date = headers.get("WARC-Date").and_then(|date| Some(date_key(url?, date)));
        Self {
            id,
            date,
            digest: digest.and_then(of_url),
            message_digest: message_digest.and_then(of_url),
            stated,
            algorithm: url.map(|url| Key::Algorithm(url, &algorithm).hashed()),
            status: http::status(record.block()).unwrap_or_default(),
            is_document: record.body_kind() != BodyKind::Other,
        }
    }
}

/// The digests of a page whose record states none.
///
/// NOTE: a payload has no transfer codings ([WARC 1.1, section 6.3.2][spec]), but most programs
/// compute its digest with them (<https://github.com/webrecorder/warcio/issues/74>), so a revisit
/// may have either one. Content codings are a part of the payload for all of them.
///
/// [spec]: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#for-http-and-https-schemes
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ComputedDigests {
    payload: Option<Sha1Digest>,
    /// That of the body with its transfer codings, if it is another one.
    message: Option<Sha1Digest>,
}

impl ComputedDigests {
    pub(super) fn of(record: &Record<'_>, limits: &ArchiveLimits) -> Self {
        let Some(response) = Response::parse(record.block()) else {
            return Self { payload: Some(digest::of(record.block())), message: None };
        };
        let payload = http::payload(&response, limits.max_in_memory(), limits.most_growth());
        let message = Some(digest::of(response.body));
        match payload {
            Some(Cow::Owned(payload)) => Self { payload: Some(digest::of(&payload)), message },
            Some(Cow::Borrowed(_)) | None => Self { payload: message, message: None },
        }
    }
}

/// The fields by which a capture is found.
#[derive(Hash)]
pub(super) enum Key<'a> {
    Id(&'a [u8]),
    /// The digits of a date up to its seconds: some programs leave out their fractions.
    Date(&'a str, Vec<u8>),
    Digest(&'a str, &'a FieldDigest),
    Status(u64, u16),
    Algorithm(&'a str, &'a str),
}

impl Key<'_> {
    pub(super) fn hashed(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

pub(super) fn id_key(id: &[u8]) -> u64 {
    let inner = id.strip_prefix(b"<").and_then(|id| id.strip_suffix(b">"));
    Key::Id(inner.unwrap_or(id)).hashed()
}

pub(super) fn date_key(url: &str, date: &[u8]) -> u64 {
    let digits = date.iter().copied().filter(u8::is_ascii_digit).take(14);
    Key::Date(url, digits.collect()).hashed()
}

/// The key of a digest, for captures of one URL and digest that differ in their status.
pub(super) fn status_key(digest: u64, status: u16) -> u64 {
    Key::Status(digest, status).hashed()
}
