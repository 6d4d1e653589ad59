//! The payloads of the captures that revisits may refer to, after the rewriting.

use std::collections::{HashMap, HashSet};

use super::capture_keys::{CaptureKeys, Key, date_key, id_key};
use super::digest::{FieldDigest, Sha1Digest};
use super::record::{Record, unbracketed};
use crate::base::BaseSource;
use crate::rewrite::Summary;

/// Maximum keys of captures with a document, of which each has up to four. With one more, the
/// memory of the table (36 MB) would double.
const MOST_KEYS: usize = (1 << 21) / 8 * 7;

/// Captures with a document whose keys are kept.
pub(super) const MOST_PAGES: usize = MOST_KEYS / 4;

/// Maximum keys of other captures (9 MB), to which revisits without a media type may refer.
const MOST_OTHERS: usize = (1 << 20) / 8 * 7;

/// The payload of a rewritten document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChangedPayload {
    pub(super) digest: Sha1Digest,
    pub(super) length: u64,
    /// Whether links have the URL of the record as their base.
    pub(super) is_of_url: bool,
}

impl ChangedPayload {
    pub(super) fn new(digest: Sha1Digest, length: usize, summary: &Summary) -> Self {
        let is_of_url = summary.base_source() == BaseSource::TargetUri;
        Self { digest, length: length as u64, is_of_url }
    }
}

/// A capture in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Unchanged {
        status: u16,
    },
    Changed {
        status: u16,
        number: u32,
    },
    /// Several captures with different outcomes.
    Ambiguous,
}

impl Known {
    fn status(self) -> Option<u16> {
        match self {
            Self::Unchanged { status } | Self::Changed { status, .. } => Some(status),
            Self::Ambiguous => None,
        }
    }
}

/// What a revisit refers to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Referred {
    Unchanged,
    Changed(ChangedPayload),
    /// One of several captures, or one whose digest is of another algorithm.
    Unknown,
    /// Not in the archive before the revisit.
    Missing,
}

/// The payloads of the captures before a revisit.
#[derive(Debug, Default)]
pub(super) struct Payloads {
    documents: HashMap<u64, Known>,
    changed: Vec<ChangedPayload>,
    others: HashSet<u64>,
    is_full: bool,
    are_others_full: bool,
}

impl Payloads {
    /// Whether captures with a document are missing.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether captures without a document are missing.
    pub(super) fn are_others_full(&self) -> bool {
        self.are_others_full
    }

    /// Adds a capture, whose payload is unchanged unless there is one here.
    pub(super) fn add(&mut self, keys: &CaptureKeys, changed: Option<ChangedPayload>) {
        if !keys.is_document {
            let key = keys.digest.or(keys.date);
            self.are_others_full |= self.others.len() >= MOST_OTHERS;
            self.others.extend(key.filter(|_| !self.are_others_full));
            return;
        }
        if self.documents.len() + 4 > MOST_KEYS {
            self.is_full = true;
            return;
        }
        let status = keys.status;
        let known = match changed {
            None => Known::Unchanged { status },
            Some(payload) => {
                // Below `MOST_PAGES`.
                let number = u32::try_from(self.changed.len()).unwrap_or(u32::MAX);
                self.changed.push(payload);
                Known::Changed { status, number }
            }
        };
        let keys_of_one = [keys.id, keys.date, keys.algorithm];
        keys_of_one.into_iter().flatten().for_each(|key| self.insert(key, known));
        let Some(digest) = keys.digest else { return };
        let first = self.documents.get(&digest);
        let is_of_other_status =
            first.is_some_and(|first| first.status().is_some_and(|first| first != status));
        match keys.status_key().filter(|_| is_of_other_status) {
            Some(key) => self.insert(key, known),
            None => self.insert(digest, known),
        }
    }

    fn insert(&mut self, key: u64, new: Known) {
        let changed = &self.changed;
        let is_same = |old: Known| match (old, new) {
            (Known::Unchanged { .. }, Known::Unchanged { .. }) => true,
            (Known::Changed { number: old, .. }, Known::Changed { number: new, .. }) => {
                changed.get(old as usize) == changed.get(new as usize)
            }
            _ => false,
        };
        let known = self.documents.entry(key).or_insert(new);
        if !is_same(*known) {
            *known = Known::Ambiguous;
        }
    }

    /// What a revisit refers to: the record that it names, else the page of its URL and digest, of
    /// which the one with the status of the revisit is preferred.
    pub(super) fn find(&self, revisit: &Record<'_>, status: Option<u16>) -> Referred {
        let headers = revisit.headers();
        let own = revisit.target_uri();
        let url = headers.text("WARC-Refers-To-Target-URI");
        let url = url.as_deref().map(unbracketed).or(own.as_deref());
        let id = headers.get("WARC-Refers-To").map(id_key);
        let date = headers.get("WARC-Refers-To-Date");
        let date = date.and_then(|date| Some(date_key(url?, date)));
        let named = [id, date].into_iter().flatten().find_map(|key| self.get(key));
        if let Some(named) = named.filter(|found| *found != Referred::Unknown) {
            return named;
        }
        let digest = headers.get("WARC-Payload-Digest").map(FieldDigest::parse);
        let Some((url, digest)) = url.zip(digest) else {
            // It has nothing to compare, and nothing that could be wrong.
            return Referred::Unchanged;
        };
        let key = Key::Digest(url, &digest).hashed();
        let status = status.unwrap_or(OK);
        let by_status = || self.get(Key::Status(key, status).hashed());
        let is_same = |known: &Known| known.status() == Some(status);
        let found = match self.documents.get(&key) {
            Some(known) if !is_same(known) => by_status().or_else(|| self.get(key)),
            found => found.and_then(|_| self.get(key)),
        };
        let is_other =
            [Some(key), date].into_iter().flatten().any(|key| self.others.contains(&key));
        match found {
            Some(found) => found,
            None if is_other => Referred::Unchanged,
            None => self.of_other_algorithm(url, &digest),
        }
    }

    /// Whether a page of a URL, whose digest cannot be compared, stays as it is.
    fn of_other_algorithm(&self, url: &str, digest: &FieldDigest) -> Referred {
        let pages = digest.others().filter_map(|name| self.get(Key::Algorithm(url, name).hashed()));
        pages.fold(Referred::Missing, |all, found| match (all, found) {
            (Referred::Missing | Referred::Unchanged, Referred::Unchanged) => Referred::Unchanged,
            _ => Referred::Unknown,
        })
    }

    fn get(&self, key: u64) -> Option<Referred> {
        Some(match *self.documents.get(&key)? {
            Known::Unchanged { .. } => Referred::Unchanged,
            Known::Changed { number, .. } => Referred::Changed(*self.changed.get(number as usize)?),
            Known::Ambiguous => Referred::Unknown,
        })
    }
}

/// The status of a response whose revisit does not repeat it.
const OK: u16 = 200;

#[cfg(test)]
mod tests {
    use super::super::digest;
    use super::*;

    fn record(kind: &str, fields: &str, block: &str) -> String {
        let fields = fields.replace('|', "\r\n");
        let length = block.len();
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\n{fields}\r\nContent-Length: {length}\r\n\r\n{block}"
        )
    }

    /// A page of a URL, at a second, with a status and further fields.
    fn page(url: &str, second: u8, status: &str, media_type: &str, fields: &str) -> String {
        let fields = format!(
            "WARC-Target-URI: http://h/{url}|WARC-Record-ID: <urn:{url}{second}>|\
             WARC-Date: 2020-01-01T00:00:0{second}.5Z{fields}"
        );
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\n\r\nabc");
        record("response", &fields, &head)
    }

    fn changed(number: u8) -> ChangedPayload {
        ChangedPayload { digest: [number; 20], length: 3, is_of_url: true }
    }

    fn payloads() -> Payloads {
        let html = "text/html";
        let digest = |value: &str| format!("|WARC-Payload-Digest: {value}");
        let old = digest("sha1:OLD");
        let rows = [
            (page("a", 1, "200 OK", html, &old), Some(1)),
            (page("a", 2, "404 Not Found", html, &old), None),
            (page("a", 3, "301 Moved", html, &digest("sha1:MOVED")), None),
            (page("b", 1, "200 OK", html, ""), Some(4)),
            (page("c", 1, "200 OK", html, &digest("md5:OLD")), Some(5)),
            (page("d", 1, "200 OK", html, &digest("md5:OLD")), None),
            (page("i", 1, "200 OK", "image/png", &digest("sha1:IMAGE")), None),
            (
                page("s", 1, "200 OK", html, "|WARC-Segment-Number: 1|WARC-Payload-Digest: x:S"),
                None,
            ),
            // Two in one second.
            (page("e", 1, "200 OK", html, &digest("sha1:ONE")), Some(6)),
            (page("e", 1, "200 OK", html, &digest("sha1:TWO")), Some(7)),
            // The same in two types of records.
            (page("f", 1, "200 OK", html, &old), Some(8)),
            (page("f", 2, "200 OK", html, &old), None),
        ];
        let mut payloads = Payloads::default();
        for (text, number) in rows {
            let record = Record::parse(text.as_bytes()).unwrap();
            let keys = CaptureKeys::of(&record, Some(digest::of(b"abc")));
            payloads.add(&keys, number.map(changed));
        }
        payloads
    }

    const OLD: &str = "WARC-Payload-Digest: sha1:OLD";

    #[track_caller]
    fn refers(url: &str, fields: &str, status: Option<u16>, expected: &Referred) {
        let text = record("revisit", &format!("WARC-Target-URI: http://h/{url}|{fields}"), "");
        let record = Record::parse(text.as_bytes()).unwrap();
        assert_eq!(payloads().find(&record, status), *expected, "{text}");
    }

    fn to(number: u8) -> Referred {
        Referred::Changed(changed(number))
    }

    #[test]
    fn a_revisit_refers_to_the_record_that_it_names() {
        let named = |fields: &str| format!("{OLD}|{fields}");
        refers("x", &named("WARC-Refers-To: <urn:a1>"), None, &to(1));
        refers("x", &named("WARC-Refers-To: <urn:a2>"), None, &Referred::Unchanged);
        let url = "WARC-Refers-To-Target-URI: <http://h/a>";
        let date = "WARC-Refers-To-Date: 2020-01-01T00:00:0";
        // The status counts only if no record is named.
        refers("x", &named(&format!("{url}|{date}1.5Z")), Some(404), &to(1));
        refers("x", &named(&format!("{url}|{date}2Z")), Some(200), &Referred::Unchanged);
        refers("a", &named(&format!("{date}1Z")), Some(404), &to(1));
        // One without a digest, of which only the date is known.
        refers("b", &format!("WARC-Payload-Digest: md5:X|{date}1Z"), None, &to(4));
        refers("b", &format!("{date}1Z"), None, &to(4));
        // A name that is not in the archive.
        refers("a", &named("WARC-Refers-To: <urn:none>"), Some(200), &to(1));
        refers("x", &named("WARC-Refers-To: <urn:none>"), Some(200), &Referred::Missing);
    }

    #[test]
    fn without_a_name_it_refers_to_the_page_of_its_url_and_digest() {
        refers("a", OLD, Some(200), &to(1));
        refers("a", OLD, None, &to(1));
        refers("a", OLD, Some(404), &Referred::Unchanged);
        refers("a", OLD, Some(500), &to(1));
        refers("a", "WARC-Payload-Digest: SHA-1:moved", Some(301), &Referred::Unchanged);
        refers("a", "WARC-Payload-Digest: sha1:OTHER", Some(200), &Referred::Missing);
        refers("x", OLD, Some(200), &Referred::Missing);
        let url = "WARC-Refers-To-Target-URI: http://h/a";
        refers("x", &format!("{OLD}|{url}"), Some(200), &to(1));
        // printf abc | sha1sum
        let hex = "sha1:a9993e364706816aba3e25717850c26c9cd0d89d";
        refers("b", &format!("WARC-Payload-Digest: {hex}"), Some(200), &to(4));
        refers("e", "WARC-Payload-Digest: sha1:TWO", None, &to(7));
        refers("f", OLD, None, &Referred::Unknown);
        refers("a", "X: y", None, &Referred::Unchanged);
    }

    #[test]
    fn captures_that_stay_are_in_the_archive() {
        refers("i", "WARC-Payload-Digest: sha1:IMAGE", None, &Referred::Unchanged);
        refers("i", "WARC-Payload-Digest: sha1:OTHER", None, &Referred::Missing);
        refers("s", "WARC-Payload-Digest: x:S", Some(200), &Referred::Unchanged);
    }

    #[test]
    fn digests_of_two_algorithms_are_not_compared() {
        refers("c", "WARC-Payload-Digest: md5:OLD", None, &to(5));
        refers("c", OLD, None, &Referred::Unknown);
        refers("d", OLD, None, &Referred::Unchanged);
        refers("d", "WARC-Payload-Digest: md5:OTHER", None, &Referred::Missing);
        refers("b", "WARC-Payload-Digest: md5:OTHER", None, &Referred::Unknown);
    }

    #[test]
    fn keys_are_bounded() {
        let mut payloads = Payloads::default();
        let mut keys = CaptureKeys {
            id: None,
            date: None,
            digest: None,
            algorithm: None,
            status: 200,
            is_document: true,
        };
        for page in 0..=MOST_PAGES as u64 {
            let key = |number: u64| Some(page * 4 + number);
            (keys.id, keys.date, keys.digest, keys.algorithm) = (key(0), key(1), key(2), key(3));
            payloads.add(&keys, None);
        }
        assert_eq!((payloads.documents.len(), payloads.is_full()), (MOST_KEYS, true));
        // More would have taken twice the memory.
        assert!(payloads.documents.capacity() < MOST_KEYS * 2);
        assert_eq!(size_of::<(u64, Known)>(), 16);
        keys.is_document = false;
        for number in 0..=MOST_OTHERS as u64 {
            keys.digest = Some(number);
            payloads.add(&keys, None);
        }
        assert_eq!((payloads.others.len(), payloads.are_others_full()), (MOST_OTHERS, true));
    }
}
