//! The file of each URL of a crawl.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use absolve_archive::warc::RecordPosition;

use super::address::Address;
use super::date::Date;
use super::media::Media;

/// The place of a record: its archive by number, and its position in that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub(super) archive: u32,
    pub(super) position: RecordPosition,
}

/// How the name of a file relates to those of other URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// The first URL with this name.
    Own,
    /// Another URL has the name, and the same payload: `/` and `/index.html`.
    Shared,
    /// Another URL or a folder has the name, which gets a digest.
    Distinct,
}

/// The payload of a capture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Payload {
    /// The record that has it.
    pub(super) place: Place,
    pub(super) media: Media,
    /// The digest that the record states.
    pub(super) digest: Option<u64>,
    /// Whether the record has the beginning of it alone.
    pub(super) is_truncated: bool,
}

/// A capture: its URL and the name of its file as hashes, since a crawl has many.
#[derive(Debug)]
pub(super) struct IndexedCapture {
    pub(super) url: u64,
    /// Without regard to case.
    pub(super) name: u64,
    pub(super) payload: Payload,
    pub(super) date: Date,
    pub(super) naming: Naming,
    /// Whether it is extracted; else its payload may be that of a revisit which is.
    pub(super) is_selected: bool,
    /// Whether it answers a request with another method than `GET`.
    pub(super) is_other: bool,
    /// The URL of a revisit, whose payload is in the record of another URL.
    pub(super) revisited: Option<Box<Address>>,
}

impl IndexedCapture {
    /// The name of its file, as a capture of this URL.
    pub(super) fn name_of(&self, address: &Address) -> String {
        address.file_name(self.payload.media, self.naming == Naming::Distinct)
    }

    /// Orders captures by the places of their payloads. The URLs of revisits decide between those that
    /// share one, since the hashes of URLs differ from run to run.
    fn place(&self) -> (Place, Option<&str>) {
        (self.payload.place, self.revisited.as_deref().map(Address::as_str))
    }
}

/// The target of a URL that redirects.
#[derive(Debug, Clone)]
pub(super) struct Redirect {
    pub(super) date: Date,
    pub(super) target: Address,
    pub(super) fragment: Option<String>,
}

/// The most redirects that lead to a file, as in browsers
/// ([Fetch Standard](https://fetch.spec.whatwg.org/#concept-http-redirect-fetch)).
const MAX_REDIRECTS: usize = 20;

/// The file of each URL of a crawl.
#[derive(Debug)]
pub(super) struct Index {
    hasher: RandomState,
    /// By URL.
    captures: Vec<IndexedCapture>,
    /// Their numbers, by the places of their payloads.
    by_place: Vec<u32>,
    redirects: HashMap<u64, Redirect>,
    /// The folders of names, without regard to case.
    folders: HashSet<u64>,
    /// URLs that were requested without a referrer.
    entries: HashSet<u64>,
}

/// A file, and the fragment that a redirect adds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CrawlTarget<'i> {
    pub(super) name: String,
    pub(super) fragment: Option<&'i str>,
}

impl Index {
    /// The index of captures, one for each URL.
    pub(super) fn new(
        hasher: RandomState,
        captures: Vec<IndexedCapture>,
        redirects: HashMap<u64, Redirect>,
        folders: HashSet<u64>,
        entries: HashSet<u64>,
    ) -> Self {
        let mut index =
            Self { hasher, captures, by_place: Vec::new(), redirects, folders, entries };
        index.sort();
        index
    }

    /// Keeps the captures with these places.
    pub(super) fn retain(&mut self, is_kept: impl Fn(Place) -> bool) {
        self.captures.retain(|capture| is_kept(capture.payload.place));
        self.sort();
    }

    /// Decides which names of files need a digest, and sorts the captures.
    fn sort(&mut self) {
        self.captures
            .sort_by(|one, other| (one.name, one.place()).cmp(&(other.name, other.place())));
        let mut first: Option<(u64, Option<u64>)> = None;
        for capture in &mut self.captures {
            let (name, digest) = (capture.name, capture.payload.digest);
            let same = first.filter(|(other, _)| *other == name);
            capture.naming = match same {
                _ if self.folders.contains(&name) => Naming::Distinct,
                None => Naming::Own,
                Some((_, other)) if other.is_some() && other == digest => Naming::Shared,
                Some(_) => Naming::Distinct,
            };
            first = same.or(Some((name, digest)));
        }
        self.captures.sort_by_key(|capture| capture.url);
        self.by_place = (0..u32::try_from(self.captures.len()).unwrap_or(u32::MAX)).collect();
        let place = |&number: &u32| self.captures[number as usize].place();
        self.by_place.sort_by(|one, other| place(one).cmp(&place(other)));
    }

    /// The number of files.
    pub(super) fn len(&self) -> usize {
        self.captures.len()
    }

    /// Whether a crawl began with a capture, as far as its requests say so.
    pub(super) fn is_entry(&self, capture: &IndexedCapture) -> bool {
        self.entries.contains(&capture.url)
    }

    /// The capture of a crawl that has only one.
    pub(super) fn only(&self) -> Option<&IndexedCapture> {
        self.captures.first().filter(|_| self.captures.len() == 1)
    }

    /// The captures whose payload a record has.
    pub(super) fn at(&self, place: Place) -> impl Iterator<Item = &IndexedCapture> {
        let capture = |number: &u32| &self.captures[*number as usize];
        let is_before = |number: &u32| capture(number).payload.place < place;
        let start = self.by_place.partition_point(is_before);
        let captures = self.by_place[start..].iter().map(capture);
        captures.take_while(move |capture| capture.payload.place == place)
    }

    /// The file that a URL leads to, through redirects.
    pub(super) fn find(&self, address: &Address) -> Option<CrawlTarget<'_>> {
        let (mut address, mut fragment) = (address, None);
        for _ in 0..=MAX_REDIRECTS {
            let url = self.hasher.hash_one(address.as_str());
            if let Ok(number) = self.captures.binary_search_by_key(&url, |capture| capture.url) {
                let capture = &self.captures[number];
                return Some(CrawlTarget { name: capture.name_of(address), fragment });
            }
            let redirect = self.redirects.get(&url)?;
            address = &redirect.target;
            fragment = redirect.fragment.as_deref().or(fragment);
        }
        None
    }
}
