//! The payloads of the captures that revisits may refer to, after the rewriting.

use std::collections::{HashMap, HashSet};

use super::capture_keys::{CaptureKeys, Key, date_key, id_key, status_key};
use super::digest::{DigestTag, FieldDigest, Sha1Digest};
use super::record::{Record, unbracketed};
use crate::base::BaseSource;
use crate::rewrite::Summary;

/// Maximum keys of captures with a document, of which each has four, or five if its digest is
/// computed. With one more, the memory of the table (36 MB) would double.
const MOST_KEYS: usize = (1 << 21) / 8 * 7;

/// Captures with a document whose keys are kept.
pub(super) const MOST_PAGES: usize = MOST_KEYS / 4;

/// Maximum keys of other captures (19 MB), of which each has three: revisits may refer to them
/// without a media type, and by a digest that a page has too.
const MOST_OTHERS: usize = (1 << 21) / 8 * 7;

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

/// A rewritten document in the table.
#[derive(Debug, Clone, Copy)]
struct ChangedPage {
    payload: ChangedPayload,
    /// The digest that its record had.
    stated: Option<DigestTag>,
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
    /// The digest is not that of the capture which is named.
    Contradictory,
    /// Not in the archive before the revisit.
    Missing,
}

/// The payloads of the captures before a revisit.
#[derive(Debug, Default)]
pub(super) struct Payloads {
    documents: HashMap<u64, Known>,
    changed: Vec<ChangedPage>,
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
        let CaptureKeys { id, date, digest, message_digest, algorithm, status, .. } = *keys;
        if !keys.is_document {
            let keys = [id, date, digest].into_iter().flatten();
            self.are_others_full |= self.others.len() + keys.clone().count() > MOST_OTHERS;
            self.others.extend(keys.filter(|_| !self.are_others_full));
            return;
        }
        let keys_of_one = [id, date, algorithm].into_iter().flatten();
        let digests = [digest, message_digest].into_iter().flatten();
        if self.documents.len() + keys_of_one.clone().chain(digests.clone()).count() > MOST_KEYS {
            self.is_full = true;
            return;
        }
        let known = match changed {
            None => Known::Unchanged { status },
            Some(payload) => {
                // Below `MOST_PAGES`.
                let number = u32::try_from(self.changed.len()).unwrap_or(u32::MAX);
                self.changed.push(ChangedPage { payload, stated: keys.stated });
                Known::Changed { status, number }
            }
        };
        keys_of_one.for_each(|key| self.insert(key, known));
        for digest in digests {
            let first = self.documents.get(&digest).and_then(|first| first.status());
            let is_of_other_status = first.is_some_and(|first| first != status);
            let key = if is_of_other_status { status_key(digest, status) } else { digest };
            self.insert(key, known);
        }
    }

    fn insert(&mut self, key: u64, new: Known) {
        let old = *self.documents.entry(key).or_insert(new);
        if self.referred(old) != self.referred(new) {
            self.documents.insert(key, Known::Ambiguous);
        }
    }

    /// What a revisit refers to, by the most exact of its fields: the record that it names, else
    /// the capture of a URL and date, else the page of its URL and digest, of which the one with
    /// the status of the revisit is preferred.
    pub(super) fn find(&self, revisit: &Record<'_>, status: Option<u16>) -> Referred {
        let headers = revisit.headers();
        let own = revisit.target_uri();
        let url = headers.text("WARC-Refers-To-Target-URI");
        let url = url.as_deref().map(unbracketed).or(own.as_deref());
        let digest = headers.get("WARC-Payload-Digest").map(FieldDigest::parse);
        let by_digest = url.zip(digest.as_ref());
        let id = headers.get("WARC-Refers-To").map(id_key);
        if let Some(known) = id.and_then(|id| self.named(id)) {
            return match known {
                // A capture of a URL that is perhaps not named.
                Known::Unchanged { .. } => Referred::Unchanged,
                known => self.checked(known, by_digest),
            };
        }
        let date = headers.get("WARC-Refers-To-Date");
        let date = date.and_then(|date| Some(date_key(url?, date)));
        if let Some(known) = date.and_then(|date| self.named(date)) {
            return self.checked(known, by_digest);
        }
        let Some((url, digest)) = by_digest else {
            // It has nothing to compare, and nothing that could be wrong.
            return Referred::Unchanged;
        };
        let found = self.of_digest(url, digest, status.unwrap_or(OK));
        match found {
            // The capture that it names may be one that is not kept.
            Referred::Changed(_) if date.or(id).is_some() && self.are_others_full => {
                Referred::Unknown
            }
            found => found,
        }
    }

    /// The one capture with the key of a record or of a date.
    fn named(&self, key: u64) -> Option<Known> {
        let is_other = self.others.contains(&key);
        match self.documents.get(&key) {
            Some(Known::Ambiguous) => None,
            // Two in one second.
            Some(Known::Changed { .. }) if is_other => None,
            Some(known) => Some(*known),
            None => is_other.then_some(Known::Unchanged { status: 0 }),
        }
    }

    /// What a revisit refers to that names a capture, unless its digest is that of others.
    fn checked(&self, named: Known, digest: Option<(&str, &FieldDigest)>) -> Referred {
        let referred = self.referred(named);
        let Some((url, digest)) = digest else { return referred };
        let key = Key::Digest(url, digest).hashed();
        let keys = [key, status_key(key, named.status().unwrap_or_default())];
        let others: Vec<_> = keys.iter().filter_map(|key| self.get(*key)).collect();
        let is_other_digest = match named {
            Known::Changed { number, .. } => {
                let stated = self.changed.get(number as usize).and_then(|page| page.stated);
                let tag = digest.tag();
                match stated.filter(|stated| stated.is_of_same_algorithm(tag)) {
                    Some(stated) if stated == tag => false,
                    stated => stated.is_some() || !others.is_empty(),
                }
            }
            _ => !others.is_empty() && !self.others.contains(&key),
        };
        let is_same = |found: &Referred| *found == referred || *found == Referred::Unknown;
        if is_other_digest && !others.iter().any(is_same) {
            Referred::Contradictory
        } else {
            referred
        }
    }

    /// The page of a URL and digest.
    fn of_digest(&self, url: &str, digest: &FieldDigest, status: u16) -> Referred {
        let key = Key::Digest(url, digest).hashed();
        let by_status = || self.get(status_key(key, status));
        let found = match self.documents.get(&key) {
            Some(known) if known.status() != Some(status) => by_status().or_else(|| self.get(key)),
            found => found.and_then(|_| self.get(key)),
        };
        match found {
            Some(found) => found,
            None if self.others.contains(&key) => Referred::Unchanged,
            None => self.of_other_algorithm(url, digest),
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
        self.documents.get(&key).map(|known| self.referred(*known))
    }

    fn referred(&self, known: Known) -> Referred {
        match known {
            Known::Unchanged { .. } => Referred::Unchanged,
            Known::Changed { number, .. } => self
                .changed
                .get(number as usize)
                .map_or(Referred::Unknown, |page| Referred::Changed(page.payload)),
            Known::Ambiguous => Referred::Unknown,
        }
    }
}

/// The keys of the capture that a revisit refers to: by its id, its date and its digest.
pub(super) fn reference_keys(revisit: &Record<'_>) -> [Option<u64>; 3] {
    let headers = revisit.headers();
    let own = revisit.target_uri();
    let url = headers.text("WARC-Refers-To-Target-URI");
    let url = url.as_deref().map(unbracketed).or(own.as_deref());
    let date = headers.get("WARC-Refers-To-Date");
    let digest = headers.get("WARC-Payload-Digest").map(FieldDigest::parse);
    [
        headers.get("WARC-Refers-To").map(id_key),
        date.and_then(|date| Some(date_key(url?, date))),
        url.zip(digest.as_ref()).map(|(url, digest)| Key::Digest(url, digest).hashed()),
    ]
}

/// The status of a response whose revisit does not repeat it.
const OK: u16 = 200;

#[cfg(test)]
mod tests;
