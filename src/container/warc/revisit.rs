//! Revisits of pages whose digest changes
//! ([WARC 1.1, section 6.7](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#revisit)).

use std::collections::HashMap;

use super::super::http::{self, BodyKind, Response};
use super::digest::{self, Sha1Digest};
use super::outcome::{Problem, RecordOutcome};
use super::record::{Record, unbracketed};
use super::record_type::Statuses;
use super::replacement::{self, Changes, ReferredPayload, absolute_location};
use super::selection::RecordSelection;
use crate::base::BaseSource;
use crate::rewrite::Summary;
use crate::url::Standard;

/// Maximum pages whose digests are kept, of about 60 bytes each. With one more, the memory of the
/// table would double.
const MOST_PAGES: usize = (1 << 19) / 8 * 7;

/// The payload of a page: its old digest, and the URL of the page, since equal pages of two URLs
/// get different links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PayloadKey([u8; 16]);

impl PayloadKey {
    /// The key of the payload of a page; `None` if it has no digest.
    pub(super) fn of_page(record: &Record<'_>) -> Option<Self> {
        Some(Self::new(record.headers().get("WARC-Payload-Digest")?, &record.target_uri()?))
    }

    /// The key of the payload that a revisit refers to.
    fn of_revisit(record: &Record<'_>) -> Option<Self> {
        let digest = record.headers().get("WARC-Payload-Digest")?;
        let own = record.target_uri();
        let other = record.headers().text("WARC-Refers-To-Target-URI");
        Some(Self::new(digest, other.as_deref().map(unbracketed).or(own.as_deref())?))
    }

    fn new(digest: &[u8], url: &str) -> Self {
        let whole = digest::of(&[&digest.to_ascii_lowercase(), url.as_bytes()].join(&b'\n'));
        let mut key = [0; 16];
        key.copy_from_slice(&whole[..16]);
        Self(key)
    }
}

/// The payload of a page after the rewriting.
#[derive(Debug, Clone, Copy)]
pub(super) enum Payload {
    Unchanged,
    Changed {
        digest: Sha1Digest,
        length: u32,
        /// Whether links have the URL of the record as their base.
        is_of_url: bool,
    },
}

impl Payload {
    /// A rewritten document; `None` for one of 4 GiB, which is not kept in memory.
    pub(super) fn changed(digest: Sha1Digest, length: usize, summary: &Summary) -> Option<Self> {
        let is_of_url = summary.base_source() == BaseSource::TargetUri;
        Some(Self::Changed { digest, length: length.try_into().ok()?, is_of_url })
    }
}

/// The payloads of the pages before a revisit.
#[derive(Debug, Default)]
pub(super) struct Payloads {
    pages: HashMap<PayloadKey, Payload>,
    is_full: bool,
}

impl Payloads {
    pub(super) fn add(&mut self, key: PayloadKey, payload: Payload) {
        if self.pages.len() < MOST_PAGES || self.pages.contains_key(&key) {
            self.pages.insert(key, payload);
        } else {
            self.is_full = true;
        }
    }

    /// The outcome of the revisit of this text, and its new text if it changes.
    pub(super) fn revisit(
        &self,
        text: &[u8],
        standard: Standard,
        statuses: Statuses,
        selection: &RecordSelection,
    ) -> (RecordOutcome, Option<Vec<u8>>) {
        let record = match Record::parse(text) {
            Ok(record) => record,
            Err(why) => return (RecordOutcome::Failed(Problem::new(why)), None),
        };
        let found = PayloadKey::of_revisit(&record).map(|key| self.pages.get(&key));
        let location = match statuses {
            Statuses::All => absolute_location(&record, standard),
            Statuses::Successful => None,
        };
        let mut changes = Changes { location, ..Changes::default() };
        let stale = match found {
            Some(Some(&Payload::Changed { digest, length, is_of_url })) => {
                changes.referred = Some(ReferredPayload { digest, length: length.into() });
                other_url(&record).filter(|_| is_of_url)
            }
            Some(None) if may_be_page(&record, statuses, selection) => Some(self.missing()),
            Some(None | Some(Payload::Unchanged)) | None => None,
        };
        let new = (changes.referred.is_some() || changes.location.is_some()).then(|| {
            let (new, _) = replacement::new_record(text, &record, &changes);
            new.to_vec()
        });
        let outcome = match (stale, &new) {
            (Some(why), _) => RecordOutcome::Stale(Problem::new(why)),
            (None, Some(_)) => RecordOutcome::Updated,
            (None, None) => RecordOutcome::Copied,
        };
        (outcome, new)
    }

    fn missing(&self) -> String {
        if self.is_full {
            return format!(
                "revisit keeps its digest: the archive has more than {MOST_PAGES} pages, and the page that it refers to is not among the first"
            );
        }
        "revisit keeps its digest: the page that it refers to is not in the archive before it"
            .to_owned()
    }
}

/// What is wrong with a revisit of the page of another URL.
fn other_url(record: &Record<'_>) -> Option<String> {
    let other = record.headers().text("WARC-Refers-To-Target-URI")?;
    let other = unbracketed(&other);
    (other != record.target_uri()?).then(|| {
        format!("revisit refers to the page of another URL, and has the links of that: {other}")
    })
}

/// Whether a revisit may be of a page that is rewritten.
fn may_be_page(record: &Record<'_>, statuses: Statuses, selection: &RecordSelection) -> bool {
    let is_document = |name: &str| selection.has_document(BodyKind::of(Some(name), b""));
    let identified = record.headers().text("WARC-Identified-Payload-Type");
    let Some(response) = Response::parse(record.block()) else {
        return identified.is_none_or(|name| is_document(&name));
    };
    let status = http::status(record.block());
    let content_type = response.headers.text("Content-Type").or(identified);
    (statuses.include(status) || status == Some(NOT_MODIFIED))
        && content_type.is_some_and(|name| is_document(&name))
}

/// The status of a response that confirms an earlier one.
const NOT_MODIFIED: u16 = 304;

#[cfg(test)]
mod tests {
    use super::*;

    fn revisit(fields: &str, block: &str) -> String {
        let length = block.len();
        format!(
            "WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Target-URI: http://h/\r\n{fields}Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    }

    const HTML: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

    #[track_caller]
    fn is(text: &str, expected: &str) {
        let mut payloads = Payloads::default();
        let changed = Payload::Changed { digest: digest::of(b"abc"), length: 3, is_of_url: true };
        payloads.add(PayloadKey::new(b"sha1:OLD", "http://h/"), changed);
        payloads.add(PayloadKey::new(b"sha1:OLD", "http://i/"), changed);
        payloads.add(PayloadKey::new(b"sha1:SAME", "http://h/"), Payload::Unchanged);
        let (standard, selection) = (Standard::Rfc1808, RecordSelection::default());
        let (outcome, new) =
            payloads.revisit(text.as_bytes(), standard, Statuses::Successful, &selection);
        let outcome = match outcome {
            RecordOutcome::Copied => "copied".to_owned(),
            RecordOutcome::Updated => "updated".to_owned(),
            RecordOutcome::Stale(why) => why.to_string(),
            other => panic!("{other:?}"),
        };
        let is_new = new.is_some_and(|new| {
            let new = String::from_utf8(new).unwrap();
            new.contains("WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n")
        });
        let found = if is_new { format!("new digest, {outcome}") } else { outcome };
        assert_eq!(found, expected, "{text}");
    }

    const MISSING: &str =
        "revisit keeps its digest: the page that it refers to is not in the archive before it";

    #[test]
    fn a_revisit_gets_the_digest_of_the_page_that_it_refers_to() {
        let digest = |digest: &str| format!("WARC-Payload-Digest: {digest}\r\n");
        let old = digest("sha1:OLD");
        is(&revisit(&old, HTML), "new digest, updated");
        is(&revisit(&digest("SHA1:old"), ""), "new digest, updated");
        is(
            &revisit(&format!("{old}WARC-Refers-To-Target-URI: <http://h/>\r\n"), HTML),
            "new digest, updated",
        );
        let other = format!("{old}WARC-Refers-To-Target-URI: http://i/\r\n");
        let why = "new digest, revisit refers to the page of another URL, and has the links of that: http://i/";
        is(&revisit(&other, HTML), why);
        is(&revisit(&digest("sha1:SAME"), HTML), "copied");
        is(&revisit("", HTML), "copied");
    }

    #[test]
    fn a_revisit_of_a_missing_page_is_reported() {
        let other = "WARC-Payload-Digest: sha1:OTHER\r\n";
        is(&revisit(other, HTML), MISSING);
        is(&revisit(other, ""), MISSING);
        is(&revisit(other, &HTML.replace("200 OK", "304 Not Modified")), MISSING);
        is(&revisit(other, &HTML.replace("200 OK", "404 Not Found")), "copied");
        is(&revisit(other, &HTML.replace("text/html", "image/png")), "copied");
        let image = format!("{other}WARC-Identified-Payload-Type: image/png\r\n");
        is(&revisit(&image, ""), "copied");
    }

    #[test]
    fn digests_are_bounded() {
        let mut payloads = Payloads::default();
        for number in 0..=MOST_PAGES {
            payloads.add(PayloadKey::new(number.to_string().as_bytes(), ""), Payload::Unchanged);
        }
        assert_eq!((payloads.pages.len(), payloads.is_full), (MOST_PAGES, true));
        assert!(payloads.missing().contains("more than 458752 pages"));
        // A capacity of more would have taken twice the memory.
        assert!(payloads.pages.capacity() < MOST_PAGES * 2);
        assert!(size_of::<(PayloadKey, Payload)>() <= 48);
    }
}
