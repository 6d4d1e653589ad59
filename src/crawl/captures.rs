//! The captures of a crawl, gathered to choose one for each URL.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use super::address::Address;
use super::date::Date;
use super::index::{Held, Index, Naming, Place, Redirect};
use super::media::Media;
use crate::container::warc::Capture;
use crate::link::Syntax;

/// Which captures are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Chosen {
    /// None after this date.
    pub(super) until: Option<Date>,
    /// Those of every status, not of 200 alone.
    pub(super) every_status: bool,
}

/// The captures of a crawl so far.
#[derive(Debug, Default)]
pub(super) struct Captures {
    hasher: RandomState,
    held: Vec<Held>,
    /// The digest of each payload that states one, with its number in `held`.
    digests: Vec<(u64, u32)>,
    revisits: Vec<Revisit>,
    redirects: HashMap<u64, Redirect>,
    /// The folders of names, without regard to case.
    folders: HashSet<u64>,
}

/// The payload of a capture.
#[derive(Clone, Copy)]
struct Payload {
    place: Place,
    media: Media,
    digest: Option<u64>,
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
    /// Adds a capture of an archive with this number, if it is to be taken; returns why not, if that is
    /// no choice of the caller.
    pub(super) fn add(
        &mut self,
        archive: u32,
        capture: &Capture,
        chosen: Chosen,
    ) -> Option<Skipped> {
        let address = Address::parse(&capture.url)?;
        let date = Date::of_field(capture.date.as_deref().unwrap_or_default());
        if chosen.until.is_some_and(|until| date > until) {
            return None;
        }
        let url = self.hasher.hash_one(address.as_str());
        if let Some(location) = &capture.location
            && capture.status.is_some_and(|status| (300..400).contains(&status))
        {
            self.redirect(url, &address, location, date);
            return None;
        }
        if !capture.is_selected {
            return None;
        }
        let media = capture.media_type.as_deref().map(Media::named);
        let digest =
            capture.digest.as_ref().map(|digest| self.hasher.hash_one(digest.to_ascii_lowercase()));
        let is_taken = chosen.every_status || matches!(capture.status, None | Some(200));
        match &*capture.kind {
            "revisit" if is_taken || capture.status == Some(304) => {
                let (other, at) = &capture.referred;
                let other = other.as_deref().and_then(Address::parse);
                let other = other.map_or(url, |other| self.hasher.hash_one(other.as_str()));
                let referred = (other, at.as_deref().map(Date::of_field));
                self.revisits.push(Revisit { address, date, digest, referred, media });
                return None;
            }
            "response" if is_taken && capture.status.is_some() => {}
            "resource" => {}
            _ => return None,
        }
        if !capture.is_in_memory {
            return Some(Skipped::TooLarge);
        }
        let media = media.unwrap_or_else(|| match capture.document {
            Some(Syntax::Html) => Media::HTML,
            Some(Syntax::Css) => Media::CSS,
            Some(Syntax::Xml) => Media::XML,
            None => Media::default(),
        });
        let place = Place { archive, position: capture.position };
        let number = u32::try_from(self.held.len()).unwrap_or(u32::MAX);
        self.digests.extend(digest.map(|digest| (digest, number)));
        self.hold(&address, Payload { place, media, digest }, date, None);
        None
    }

    fn redirect(&mut self, url: u64, address: &Address, location: &str, date: Date) {
        let Some((target, fragment)) = address.join(location) else { return };
        let new = Redirect { date, target, fragment };
        let old = self.redirects.entry(url).or_insert_with(|| new.clone());
        if old.date <= date {
            *old = new;
        }
    }

    fn hold(
        &mut self,
        address: &Address,
        payload: Payload,
        date: Date,
        revisited: Option<Box<Address>>,
    ) {
        let Payload { place, media, digest } = payload;
        let url = self.hasher.hash_one(address.as_str());
        let name = address.file_name(media, false).to_ascii_lowercase();
        for (slash, _) in name.match_indices('/') {
            self.folders.insert(self.hasher.hash_one(&name[..slash]));
        }
        let name = self.hasher.hash_one(&*name);
        let naming = Naming::Own;
        self.held.push(Held { url, name, place, date, media, digest, naming, revisited });
    }

    /// Chooses the last capture of each URL; returns revisits of payloads that are nowhere, too.
    pub(super) fn choose(mut self) -> (Index, u64) {
        let missing = self.resolve_revisits();
        let Self { hasher, mut held, redirects, folders, .. } = self;
        held.sort_by_key(|held| (held.url, held.date, held.place));
        held.dedup_by(|later, earlier| {
            let is_same = later.url == earlier.url;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        held.sort_by_key(|held| (held.name, held.place));
        let mut first: Option<(u64, Option<u64>)> = None;
        for held in &mut held {
            let is_new = first.is_none_or(|(name, _)| name != held.name);
            held.naming = match first {
                _ if folders.contains(&held.name) => Naming::Distinct,
                _ if is_new => Naming::Own,
                Some((_, digest)) if digest.is_some() && digest == held.digest => Naming::Shared,
                _ => Naming::Distinct,
            };
            if is_new {
                first = Some((held.name, held.digest));
            }
        }
        held.sort_by_key(|held| held.url);
        (Index::new(hasher, held, redirects), missing)
    }

    /// Gives each revisit the payload that it refers to: by digest, or by URL and date.
    fn resolve_revisits(&mut self) -> u64 {
        if self.revisits.is_empty() {
            return 0;
        }
        self.digests.sort_unstable();
        let mut by_date: Vec<_> = self
            .held
            .iter()
            .enumerate()
            .map(|(number, held)| (held.url, held.date, number))
            .collect();
        by_date.sort_unstable();
        let mut missing = 0;
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
            let Some(payload) = of_digest.or_else(of_date).map(|number| &self.held[number]) else {
                missing += 1;
                continue;
            };
            let media = revisit.media.unwrap_or(payload.media);
            let payload = Payload { place: payload.place, media, digest: payload.digest };
            let address = revisit.address;
            self.hold(&address, payload, revisit.date, Some(Box::new(address.clone())));
        }
        missing
    }
}

/// Why a capture is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skipped {
    TooLarge,
}
