//! What names a capture in the revisits of it.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::super::http::{self, BodyKind};
use super::digest::{FieldDigest, Sha1Digest};
use super::record::Record;
use super::record_type::{Interest, PayloadKind, RecordType};

/// What names a capture in a revisit, as hashes, since the table has many.
#[derive(Debug, Clone, Copy)]
pub(super) struct CaptureKeys {
    pub(super) id: Option<u64>,
    pub(super) date: Option<u64>,
    pub(super) digest: Option<u64>,
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
        (has_revisits && !is_page && is_capture()).then(|| Self::of(record, None))
    }

    /// The keys of a capture; `computed` is for a record without the field of a digest.
    pub(super) fn of(record: &Record<'_>, computed: Option<Sha1Digest>) -> Self {
        let headers = record.headers();
        let field = headers.get("WARC-Payload-Digest").map(FieldDigest::parse);
        let algorithm = field.as_ref().map_or("".into(), |digest| digest.algorithm.clone());
        let digest = field.or(computed.map(FieldDigest::sha1));
        let url = record.target_uri();
        let url = url.as_deref();
        let id = headers.get("WARC-Record-ID").map(id_key);
        let date = headers.get("WARC-Date").and_then(|date| Some(date_key(url?, date)));
        Self {
            id,
            date,
            digest: digest.as_ref().and_then(|digest| Some(Key::Digest(url?, digest).hashed())),
            algorithm: url.map(|url| Key::Algorithm(url, &algorithm).hashed()),
            status: http::status(record.block()).unwrap_or_default(),
            is_document: record.body_kind() != BodyKind::Other,
        }
    }

    /// The key of the digest, for captures of one URL and digest that differ in their status.
    pub(super) fn status_key(&self) -> Option<u64> {
        self.digest.map(|digest| Key::Status(digest, self.status).hashed())
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
