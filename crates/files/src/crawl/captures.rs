//! Collects the captures of a crawl, and chooses the last good one of each URL.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use absolve::Syntax;
use absolve_archive::warc::Capture;

use super::address::Address;
use super::address::Media;
use super::index::Date;
use super::index::{ArchivePosition, Index, IndexedCapture, Naming, Payload, Redirect};

/// The captures to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CaptureFilter {
    /// The last date of captures to take.
    pub(super) until: Option<Date>,
    /// Whether captures of every status are taken; if not, those of 200 alone.
    pub(super) every_status: bool,
}

/// The captures of a crawl so far.
#[derive(Debug, Default)]
pub(super) struct Captures {
    hasher: RandomState,
    list: Vec<IndexedCapture>,
    /// The hash of the digest of each payload whose record states one, with the number of the
    /// capture in `list`.
    digests: Vec<(u64, u32)>,
    revisits: Vec<Revisit>,
    /// The hash of the ID of each record with a payload, with the number of the capture in `list`.
    ids: Vec<(u64, u32)>,
    /// The hashes of the IDs of requests with other methods than `GET`, and of their answers. A
    /// request that names no answer adds the hash of its URL and its date.
    other_methods: HashSet<u64>,
    /// The hashes of the IDs of records of the same transfer, each with the number of the answer in
    /// `list`. A revisit adds its own ID.
    requests: Vec<(u64, u32)>,
    redirects: HashMap<u64, Redirect>,
    /// The hashes of the folders of all names, in lower case.
    folders: HashSet<u64>,
    /// The hashes of URLs that were requested without a referrer.
    entries: HashSet<u64>,
    /// Whether any request has a referrer.
    has_referrers: bool,
    /// Bytes of long URLs of revisits and redirects.
    long_bytes: usize,
    unread: UnreadCaptures,
}

/// Maximum bytes of a URL of a revisit or redirect that does not count against [`MAX_LONG_BYTES`]:
/// it takes no more memory than its record.
const MAX_SHORT_BYTES: usize = 1024;

/// Maximum bytes of long URLs in memory.
const MAX_LONG_BYTES: usize = 64 << 20;

/// The numbers of captures that cannot be extracted, by reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnreadCaptures {
    /// The first damaged position, with the reason: `crawl.warc!@0: record is truncated`.
    pub damaged: Option<String>,
    /// Documents whose URL is not of the Web.
    pub not_of_web: u64,
    /// Records that answer requests, of every kind.
    pub answers: u64,
    /// Captures of a part of a document, with the status 206.
    pub parts: u64,
    /// Responses whose statuses are not selected, with the first such status.
    pub other_statuses: (u64, u16),
    /// Segments of larger records.
    pub segments: u64,
    /// Records that are larger than the limit.
    pub too_large: u64,
    /// Revisits whose payload is in no archive.
    pub revisits: u64,
    /// Revisits and redirects whose long URLs exceed the memory for them.
    pub long_urls: u64,
}

/// A revisit, whose payload is that of another capture.
#[derive(Debug)]
struct Revisit {
    address: Address,
    date: Date,
    digest: Option<u64>,
    /// The hash of the URL and the date of the other capture.
    referred: (u64, Option<Date>),
    /// The hash of the ID of the other record.
    refers_to: Option<u64>,
    media: Option<Media>,
    /// The hashes of the IDs of its record and of others of the same transfer.
    ids: Vec<u64>,
}

impl Captures {
    /// Adds a capture of the archive with this number, if the filter matches it. `message` is the
    /// name of an archive that is generated from a message.
    pub(super) fn add(
        &mut self,
        archive: u32,
        message: Option<&str>,
        capture: &Capture,
        filter: CaptureFilter,
    ) {
        self.unread.answers += u64::from(capture.record_type != "request");
        let Some(address) = Address::parse(&capture.url, message) else {
            self.unread.not_of_web += u64::from(capture.is_selected && capture.syntax.is_some());
            return;
        };
        let date = Date::from_field(capture.date.as_deref().unwrap_or_default());
        if filter.until.is_some_and(|until| date > until) {
            return;
        }
        let url = self.hasher.hash_one(address.as_str());
        let hash = |id: &Option<String>| id.as_ref().map(|id| self.hasher.hash_one(id));
        let (id, refers_to) = (hash(&capture.id), hash(&capture.refers_to));
        let concurrent = capture.concurrent_to.iter().map(|id| self.hasher.hash_one(id));
        let concurrent: Vec<u64> = concurrent.collect();
        if capture.record_type == "request" {
            self.add_request(capture, (url, date), id, concurrent);
            return;
        }
        if let Some(location) = &capture.location
            && capture.status.is_some_and(|status| (300..400).contains(&status))
        {
            self.add_redirect(url, &address, location, date);
            return;
        }
        let is_match = filter.every_status || matches!(capture.status, None | Some(200 | 206));
        if capture.is_partial {
            self.unread.parts += u64::from(capture.is_selected);
            return;
        }
        if let Some(status) = capture.status.filter(|_| capture.is_selected && !is_match) {
            let (count, first) = self.unread.other_statuses;
            self.unread.other_statuses = (count + 1, if count == 0 { status } else { first });
        }
        let media = capture.media_type.as_deref().map(Media::from_name);
        let digest =
            capture.digest.as_ref().map(|digest| self.hasher.hash_one(digest.to_ascii_lowercase()));
        match &*capture.record_type {
            "revisit" if capture.is_selected && (is_match || capture.status == Some(304)) => {
                if !self.reserve(address.as_str().len()) {
                    return;
                }
                let (other, other_date) = &capture.refers_to_target;
                let other = other.as_deref().and_then(|other| Address::parse(other, None));
                let other = other.map_or(url, |other| self.hasher.hash_one(other.as_str()));
                let referred = (other, other_date.as_deref().map(Date::from_field));
                let ids = id.into_iter().chain(concurrent).collect();
                let revisit = Revisit { address, date, digest, referred, refers_to, media, ids };
                self.revisits.push(revisit);
                return;
            }
            "response" if is_match && capture.status.is_some() => {}
            "resource" => {}
            _ => return,
        }
        let media = media.unwrap_or_else(|| media_from_syntax(capture.syntax));
        let record = ArchivePosition { archive, position: capture.position };
        let payload = Payload { record, media, digest, is_truncated: capture.is_truncated };
        self.add_document(capture, &address, payload, date, (id, concurrent));
    }

    /// Adds a document, with the IDs of its record and of others of the same transfer.
    fn add_document(
        &mut self,
        capture: &Capture,
        address: &Address,
        payload: Payload,
        date: Date,
        (id, concurrent): (Option<u64>, Vec<u64>),
    ) {
        if capture.is_segment || !capture.is_in_memory {
            let UnreadCaptures { segments, too_large, .. } = &mut self.unread;
            let count = if capture.is_segment { segments } else { too_large };
            *count += u64::from(capture.is_selected);
            return;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.digests.extend(payload.digest.map(|digest| (digest, number)));
        self.ids.extend(id.map(|id| (id, number)));
        self.requests.extend(concurrent.into_iter().map(|request| (request, number)));
        self.push(address, payload, date, None, capture.is_selected);
    }

    /// Notes a damaged position, if it is the first.
    pub(super) fn add_damage(&mut self, position: impl FnOnce() -> String) {
        self.unread.damaged.get_or_insert_with(position);
    }

    /// Adds a request by its URL and date, with the IDs of its record and of its answers.
    fn add_request(
        &mut self,
        capture: &Capture,
        (url, date): (u64, Date),
        id: Option<u64>,
        answers: Vec<u64>,
    ) {
        if capture.has_non_get_method {
            let transfer = self.hasher.hash_one((url, date));
            self.other_methods.extend(answers.is_empty().then_some(transfer));
            self.other_methods.extend(id.into_iter().chain(answers));
        }
        self.has_referrers |= capture.has_referrer;
        if !capture.has_referrer {
            self.entries.insert(url);
        }
    }

    /// Adds the target of a redirect, unless a later capture of the URL has another one.
    fn add_redirect(&mut self, url: u64, address: &Address, location: &str, date: Date) {
        let Some((target, fragment)) = address.join(location) else { return };
        if self.redirects.get(&url).is_none_or(|old| old.date <= date)
            && self.reserve(target.as_str().len() + fragment.as_ref().map_or(0, String::len))
        {
            self.redirects.insert(url, Redirect { date, target, fragment });
        }
    }

    /// Reserves memory for a URL of this length; `false` if the limit is reached.
    fn reserve(&mut self, bytes: usize) -> bool {
        let long_bytes = if bytes > MAX_SHORT_BYTES { bytes } else { 0 };
        let has_room = self.long_bytes + long_bytes <= MAX_LONG_BYTES;
        if has_room {
            self.long_bytes += long_bytes;
        } else {
            self.unread.long_urls += 1;
        }
        has_room
    }

    /// Adds a capture to the list, and the folders of its name if it is selected.
    fn push(
        &mut self,
        address: &Address,
        payload: Payload,
        date: Date,
        revisited: Option<Box<Address>>,
        is_selected: bool,
    ) {
        let url = self.hasher.hash_one(address.as_str());
        let name = address.file_name(payload.media, false).to_ascii_lowercase();
        for (slash, _) in name.match_indices('/').filter(|_| is_selected) {
            self.folders.insert(self.hasher.hash_one(&name[..slash]));
        }
        let name = self.hasher.hash_one(&*name);
        let naming = Naming::Own;
        self.list.push(IndexedCapture {
            url,
            name,
            payload,
            date,
            naming,
            is_selected,
            answers_other_method: false,
            revisited,
        });
    }

    /// Chooses the last capture of each URL, and counts the captures that cannot be extracted.
    pub(super) fn into_index(mut self) -> (Index, UnreadCaptures) {
        self.resolve_revisits();
        self.mark_answers_to_other_methods();
        let Self {
            hasher, mut list, redirects, folders, mut entries, has_referrers, unread, ..
        } = self;
        // Without any referrer in the crawl, a missing one says nothing about entries.
        if !has_referrers {
            entries.clear();
        }
        list.retain(|capture| capture.is_selected);
        // The order puts the best capture of a URL last: answers to `GET` after answers to other
        // methods, then complete captures after truncated ones, then by date.
        list.sort_by_key(|capture| {
            let Payload { record, is_truncated, .. } = capture.payload;
            (capture.url, !capture.answers_other_method, !is_truncated, capture.date, record)
        });
        list.dedup_by(|later, earlier| {
            let is_same = later.url == earlier.url;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        (Index::new(hasher, list, redirects, folders, entries), unread)
    }

    /// Marks the captures that answer requests with other methods than `GET`: the request names
    /// their ID, they name its ID, or both have the same URL and date.
    fn mark_answers_to_other_methods(&mut self) {
        if self.other_methods.is_empty() {
            return;
        }
        let named = self.ids.iter().chain(&self.requests);
        for (_, number) in named.filter(|(id, _)| self.other_methods.contains(id)) {
            self.list[*number as usize].answers_other_method = true;
        }
        for capture in &mut self.list {
            let transfer = self.hasher.hash_one((capture.url, capture.date));
            capture.answers_other_method |= self.other_methods.contains(&transfer);
        }
    }

    /// Gives each revisit the payload that it refers to: by digest, record ID, or URL and date.
    fn resolve_revisits(&mut self) {
        if self.revisits.is_empty() {
            return;
        }
        self.digests.sort_unstable();
        self.ids.sort_unstable();
        let numbered = self.list.iter().enumerate();
        let mut by_date: Vec<_> =
            numbered.map(|(number, capture)| (capture.url, capture.date, number)).collect();
        by_date.sort_unstable();
        for revisit in std::mem::take(&mut self.revisits) {
            let by_digest = revisit.digest.and_then(|digest| find_number(&self.digests, digest));
            let by_date_and_url = || {
                let (url, date) = revisit.referred;
                let second = date.unwrap_or(revisit.date).second();
                let is_before =
                    |entry: &(u64, Date, usize)| (entry.0, entry.1.second()) <= (url, second);
                let before = by_date.partition_point(is_before).checked_sub(1)?;
                let (other, other_date, number) = by_date[before];
                let has_date = date.is_none_or(|date| date.second() == other_date.second());
                (other == url && has_date).then_some(number)
            };
            let by_id = || find_number(&self.ids, revisit.refers_to?);
            let Some(number) = by_digest.or_else(by_id).or_else(by_date_and_url) else {
                self.unread.revisits += 1;
                continue;
            };
            let payload = self.list[number].payload;
            let payload = Payload { media: revisit.media.unwrap_or(payload.media), ..payload };
            let address = revisit.address;
            let new_number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
            self.requests.extend(revisit.ids.into_iter().map(|id| (id, new_number)));
            self.push(&address, payload, revisit.date, Some(Box::new(address.clone())), true);
        }
    }
}

/// Returns the media type of a document whose record states none.
fn media_from_syntax(document: Option<Syntax>) -> Media {
    match document {
        Some(Syntax::Html) => Media::HTML,
        Some(Syntax::Css) => Media::CSS,
        Some(Syntax::Xml) => Media::XML,
        _ => Media::default(),
    }
}

/// Finds the number of the first capture with a hash, in a sorted list.
fn find_number(sorted: &[(u64, u32)], hash: u64) -> Option<usize> {
    let first = sorted.partition_point(|(other, _)| *other < hash);
    let entry = sorted.get(first).filter(|(other, _)| *other == hash);
    entry.map(|(_, number)| *number as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_urls_of_revisits_have_a_bound() {
        let mut captures = Captures::default();
        assert!(captures.reserve(MAX_SHORT_BYTES) && captures.long_bytes == 0);
        assert!(captures.reserve(MAX_LONG_BYTES));
        assert!(captures.reserve(MAX_SHORT_BYTES));
        assert!(!captures.reserve(MAX_SHORT_BYTES + 1));
        assert_eq!(captures.unread.long_urls, 1);
    }
}
