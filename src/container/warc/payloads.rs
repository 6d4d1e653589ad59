//! The payloads of the captures that revisits may refer to, after the rewriting.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::digest::Sha1Digest;
use super::record::{Record, unbracketed};
use crate::base::BaseSource;
use crate::rewrite::Summary;

/// Maximum keys of captures, of which each has two. With one more, the memory of the table (36 MB)
/// would double.
const MOST_KEYS: usize = (1 << 21) / 8 * 7;

/// Captures whose keys are kept.
pub(super) const MOST_CAPTURES: usize = MOST_KEYS / 2;

/// What names a capture, as hashes, since the table has many: its record ID, and its URL and date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CaptureKeys {
    id: Option<u64>,
    date: Option<u64>,
}

impl CaptureKeys {
    /// The keys of a capture.
    pub(super) fn of(capture: &Record<'_>) -> Self {
        let url = capture.target_uri();
        Self::new(capture, ["WARC-Record-ID", "WARC-Date"], url.as_deref())
    }

    /// The keys of the capture that a revisit refers to.
    pub(super) fn of_referred(revisit: &Record<'_>) -> Self {
        let own = revisit.target_uri();
        let other = revisit.headers().text("WARC-Refers-To-Target-URI");
        let url = other.as_deref().map(unbracketed).or(own.as_deref());
        Self::new(revisit, ["WARC-Refers-To", "WARC-Refers-To-Date"], url)
    }

    fn new(record: &Record<'_>, [id, date]: [&str; 2], url: Option<&str>) -> Self {
        let id = record.headers().text(id);
        let date = record.headers().get(date).zip(url).map(|(date, url)| {
            // Up to the seconds: some programs leave out their fractions.
            let digits = date.iter().filter(|byte| byte.is_ascii_digit()).take(14);
            hashed((url, digits.collect::<Vec<_>>()))
        });
        Self { id: id.map(|id| hashed(unbracketed(&id))), date }
    }

    /// Whether there is a key.
    pub(super) fn is_any(self) -> bool {
        self.iter().next().is_some()
    }

    /// The keys, the more exact one first.
    fn iter(self) -> impl Iterator<Item = u64> {
        self.id.into_iter().chain(self.date)
    }
}

fn hashed(key: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// The payload of a rewritten document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChangedPayload {
    pub(super) digest: Sha1Digest,
    pub(super) length: u64,
    /// Whether links have the URL of the record as their base.
    pub(super) is_of_url: bool,
    /// The digest that the record had.
    pub(super) stated: Option<u64>,
}

impl ChangedPayload {
    pub(super) fn new(
        original: &Record<'_>,
        digest: Sha1Digest,
        length: usize,
        summary: &Summary,
    ) -> Self {
        let is_of_url = summary.base_source() == BaseSource::TargetUri;
        Self { digest, length: length as u64, is_of_url, stated: stated_digest(original) }
    }

    /// Whether the record and a revisit of it state different digests of the old payload.
    pub(super) fn contradicts(&self, revisit: &Record<'_>) -> bool {
        self.stated.zip(stated_digest(revisit)).is_some_and(|(old, new)| old != new)
    }
}

/// The field `WARC-Payload-Digest` as a hash.
fn stated_digest(record: &Record<'_>) -> Option<u64> {
    let field = record.headers().get("WARC-Payload-Digest")?;
    Some(hashed(field.to_ascii_lowercase()))
}

/// A capture in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Unchanged,
    /// The number of its payload.
    Changed(u32),
    /// Several captures with different outcomes.
    Ambiguous,
}

/// What a revisit refers to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Referred {
    Unchanged,
    Changed(ChangedPayload),
    /// One of several captures.
    Ambiguous,
    /// Not in the archive before the revisit.
    Missing,
}

/// The payloads of the captures before a revisit.
#[derive(Debug, Default)]
pub(super) struct Payloads {
    captures: HashMap<u64, Known>,
    changed: Vec<ChangedPayload>,
    is_full: bool,
}

impl Payloads {
    /// Whether captures are missing.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Adds a capture, whose payload is unchanged unless there is one here.
    pub(super) fn add(&mut self, keys: CaptureKeys, changed: Option<ChangedPayload>) {
        self.is_full |= self.captures.len() + keys.iter().count() > MOST_KEYS;
        if self.is_full {
            return;
        }
        let new = changed.map_or(Known::Unchanged, |payload| {
            self.changed.push(payload);
            // Below `MOST_KEYS`, as a capture without a key is not changed.
            Known::Changed(u32::try_from(self.changed.len() - 1).unwrap_or(u32::MAX))
        });
        for key in keys.iter() {
            let old = *self.captures.entry(key).or_insert(new);
            if self.referred(old) != self.referred(new) {
                self.captures.insert(key, Known::Ambiguous);
            }
        }
    }

    /// The capture with the first of these keys that is in the table.
    pub(super) fn find(&self, keys: CaptureKeys) -> Referred {
        let known = keys.iter().find_map(|key| self.captures.get(&key));
        known.map_or(Referred::Missing, |known| self.referred(*known))
    }

    fn referred(&self, known: Known) -> Referred {
        match known {
            Known::Unchanged => Referred::Unchanged,
            Known::Changed(number) => self
                .changed
                .get(number as usize)
                .map_or(Referred::Ambiguous, |payload| Referred::Changed(*payload)),
            Known::Ambiguous => Referred::Ambiguous,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(number: u8) -> ChangedPayload {
        ChangedPayload { digest: [number; 20], length: 3, is_of_url: true, stated: None }
    }

    fn record(fields: &str) -> String {
        format!("WARC/1.1\r\n{}\r\nContent-Length: 0\r\n\r\n", fields.replace('|', "\r\n"))
    }

    fn payloads() -> Payloads {
        let rows = [("a", 1, Some(1)), ("a", 2, None), ("b", 1, Some(2)), ("b", 1, Some(3))];
        let mut payloads = Payloads::default();
        for (number, (url, second, payload)) in rows.into_iter().enumerate() {
            let text = record(&format!(
                "WARC-Target-URI: http://h/{url}|WARC-Record-ID: <urn:{number}>|\
                 WARC-Date: 2020-01-01T00:00:0{second}.5Z"
            ));
            payloads.add(
                CaptureKeys::of(&Record::parse(text.as_bytes()).unwrap()),
                payload.map(changed),
            );
        }
        payloads
    }

    #[track_caller]
    fn refers(fields: &str, expected: &Referred) {
        let text = record(&format!("WARC-Target-URI: http://h/a|{fields}"));
        let keys = CaptureKeys::of_referred(&Record::parse(text.as_bytes()).unwrap());
        assert_eq!(payloads().find(keys), *expected, "{fields}");
    }

    #[test]
    fn a_revisit_names_a_record_or_a_url_and_a_date() {
        let date = "WARC-Refers-To-Date: 2020-01-01T00:00:0";
        refers("WARC-Refers-To: <urn:0>", &Referred::Changed(changed(1)));
        refers("WARC-Refers-To: urn:1", &Referred::Unchanged);
        refers(&format!("{date}1.5Z"), &Referred::Changed(changed(1)));
        refers(&format!("{date}2Z"), &Referred::Unchanged);
        refers(&format!("{date}3Z"), &Referred::Missing);
        // The record is named more exactly than by the date.
        refers(&format!("WARC-Refers-To: <urn:1>|{date}1Z"), &Referred::Unchanged);
        refers(&format!("WARC-Refers-To: <urn:9>|{date}1Z"), &Referred::Changed(changed(1)));
        let other = "WARC-Refers-To-Target-URI: <http://h/b>";
        refers("WARC-Refers-To: <urn:3>", &Referred::Changed(changed(3)));
        refers(&format!("{other}|{date}1Z"), &Referred::Ambiguous);
        refers(other, &Referred::Missing);
    }

    #[test]
    fn keys_are_bounded() {
        let mut payloads = Payloads::default();
        for capture in 0..=MOST_CAPTURES as u64 {
            let (id, date) = (Some(capture * 2), Some(capture * 2 + 1));
            payloads.add(CaptureKeys { id, date }, None);
        }
        assert_eq!((payloads.captures.len(), payloads.is_full()), (MOST_KEYS, true));
        // More would have taken twice the memory.
        assert!(payloads.captures.capacity() < MOST_KEYS * 2);
        assert_eq!(size_of::<(u64, Known)>(), 16);
    }
}
