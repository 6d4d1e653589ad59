//! The captures of a crawl, gathered to choose one for each URL.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use super::address::Address;
use super::date::Date;
use super::index::{Index, IndexedCapture, Naming, Payload, Place, Redirect};
use super::media::Media;
use crate::container::warc::Capture;
use crate::link::Syntax;

/// Which captures are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CaptureFilter {
    /// None after this date.
    pub(super) until: Option<Date>,
    /// Those of every status, not of 200 alone.
    pub(super) every_status: bool,
}

/// The captures of a crawl so far.
#[derive(Debug, Default)]
pub(super) struct Captures {
    hasher: RandomState,
    list: Vec<IndexedCapture>,
    /// The digest of each payload that states one, with its number in `list`.
    digests: Vec<(u64, u32)>,
    revisits: Vec<Revisit>,
    redirects: HashMap<u64, Redirect>,
    /// The folders of names, without regard to case.
    folders: HashSet<u64>,
    /// URLs that were requested without a referrer.
    entries: HashSet<u64>,
    has_referrers: bool,
    unread: UnreadCaptures,
}

/// Captures that cannot be extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnreadCaptures {
    /// Larger than the limit on records.
    pub too_large: u64,
    /// Revisits whose payload is in no archive.
    pub revisits: u64,
}

/// A revisit, whose payload is that of another capture.
#[derive(Debug)]
struct Revisit {
    address: Address,
    date: Date,
    digest: Option<u64>,
    /// The URL and the date of the other capture.
    referred: (u64, Option<Date>),
    media: Option<Media>,
}

impl Captures {
    /// Adds a capture of the archive with this number, if it is to be taken.
    pub(super) fn add(&mut self, archive: u32, capture: &Capture, filter: CaptureFilter) {
        let Some(address) = Address::parse(&capture.url) else { return };
        let date = Date::of_field(capture.date.as_deref().unwrap_or_default());
        if filter.until.is_some_and(|until| date > until) {
            return;
        }
        let url = self.hasher.hash_one(address.as_str());
        if capture.kind == "request" {
            self.has_referrers |= capture.has_referrer;
            if !capture.has_referrer {
                self.entries.insert(url);
            }
            return;
        }
        if let Some(location) = &capture.location
            && capture.status.is_some_and(|status| (300..400).contains(&status))
        {
            self.redirect(url, &address, location, date);
            return;
        }
        let media = capture.media_type.as_deref().map(Media::named);
        let digest =
            capture.digest.as_ref().map(|digest| self.hasher.hash_one(digest.to_ascii_lowercase()));
        let is_taken = filter.every_status || matches!(capture.status, None | Some(200));
        match &*capture.kind {
            "revisit" if capture.is_selected && (is_taken || capture.status == Some(304)) => {
                let (other, at) = &capture.referred;
                let other = other.as_deref().and_then(Address::parse);
                let other = other.map_or(url, |other| self.hasher.hash_one(other.as_str()));
                let referred = (other, at.as_deref().map(Date::of_field));
                self.revisits.push(Revisit { address, date, digest, referred, media });
                return;
            }
            "response" if is_taken && capture.status.is_some() => {}
            "resource" => {}
            _ => return,
        }
        if !capture.is_in_memory {
            self.unread.too_large += u64::from(capture.is_selected);
            return;
        }
        let media = media.unwrap_or_else(|| match capture.document {
            Some(Syntax::Html) => Media::HTML,
            Some(Syntax::Css) => Media::CSS,
            Some(Syntax::Xml) => Media::XML,
            Some(Syntax::Markdown | Syntax::JsonFeed) | None => Media::default(),
        });
        let place = Place { archive, position: capture.position };
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.digests.extend(digest.map(|digest| (digest, number)));
        let payload = Payload { place, media, digest };
        self.push(&address, payload, date, None, capture.is_selected);
    }

    fn redirect(&mut self, url: u64, address: &Address, location: &str, date: Date) {
        let Some((target, fragment)) = address.join(location) else { return };
        let new = Redirect { date, target, fragment };
        let old = self.redirects.entry(url).or_insert_with(|| new.clone());
        if old.date <= date {
            *old = new;
        }
    }

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
        let capture = IndexedCapture { url, name, payload, date, naming, is_selected, revisited };
        self.list.push(capture);
    }

    /// The last capture of each URL, and what cannot be extracted.
    pub(super) fn index(mut self) -> (Index, UnreadCaptures) {
        self.resolve_revisits();
        let Self {
            hasher, mut list, redirects, folders, mut entries, has_referrers, unread, ..
        } = self;
        // A program that never names referrers says nothing of entries.
        if !has_referrers {
            entries.clear();
        }
        list.retain(|capture| capture.is_selected);
        list.sort_by_key(|capture| (capture.url, capture.date, capture.payload.place));
        list.dedup_by(|later, earlier| {
            let is_same = later.url == earlier.url;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        (Index::new(hasher, list, redirects, folders, entries), unread)
    }

    /// Gives each revisit the payload that it refers to: by digest, or by URL and date.
    fn resolve_revisits(&mut self) {
        if self.revisits.is_empty() {
            return;
        }
        self.digests.sort_unstable();
        let numbered = self.list.iter().enumerate();
        let mut by_date: Vec<_> =
            numbered.map(|(number, capture)| (capture.url, capture.date, number)).collect();
        by_date.sort_unstable();
        for revisit in std::mem::take(&mut self.revisits) {
            let of_digest = revisit.digest.and_then(|digest| {
                let first = self.digests.partition_point(|(other, _)| *other < digest);
                let found = self.digests.get(first).filter(|(other, _)| *other == digest);
                found.map(|(_, number)| *number as usize)
            });
            let of_date = || {
                let (url, date) = revisit.referred;
                let key = (url, date.unwrap_or(revisit.date), usize::MAX);
                let before = by_date.partition_point(|entry| *entry <= key).checked_sub(1)?;
                let (other, at, number) = by_date[before];
                (other == url && date.is_none_or(|date| date == at)).then_some(number)
            };
            let Some(number) = of_digest.or_else(of_date) else {
                self.unread.revisits += 1;
                continue;
            };
            let payload = self.list[number].payload;
            let payload = Payload { media: revisit.media.unwrap_or(payload.media), ..payload };
            let address = revisit.address;
            self.push(&address, payload, revisit.date, Some(Box::new(address.clone())), true);
        }
    }
}
