//! The file of each URL of a crawl.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::address::Address;
use super::date::Date;
use super::media::Media;
use crate::container::warc::RecordPosition;

/// The place of a record: its archive by number, and its position in that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) archive: u32,
    pub(super) position: RecordPosition,
}

/// How the name of a file relates to those of other URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// It is the first one with this name.
    Own,
    /// Another URL has the name, and the same payload: `/` and `/index.html`.
    Shared,
    /// Another URL or a folder has the name, which gets a digest.
    Distinct,
}

/// A capture: its URL and the name of its file as hashes, since a crawl has many.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) url: u64,
    /// Without regard to case.
    pub(super) name: u64,
    /// The record of its payload.
    pub(super) place: Place,
    pub(super) date: Date,
    pub(super) media: Media,
    /// The digest that its record states.
    pub(super) digest: Option<u64>,
    pub(super) naming: Naming,
    /// The URL, where the record of the payload has another.
    pub(super) revisited: Option<Box<Address>>,
}

impl Held {
    /// The name of its file, as a capture of this URL.
    pub(super) fn file_name(&self, url: &str) -> String {
        let address = Address::parse(url);
        address.map_or_else(String::new, |address| {
            address.file_name(self.media, self.naming == Naming::Distinct)
        })
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
    held: Vec<Held>,
    /// Their numbers, by the places of their payloads.
    by_place: Vec<u32>,
    redirects: HashMap<u64, Redirect>,
}

/// A file, and the fragment that a redirect adds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found<'i> {
    pub(super) name: String,
    pub(super) fragment: Option<&'i str>,
}

impl Index {
    /// The index of captures in the order of their URLs.
    pub(super) fn new(
        hasher: RandomState,
        held: Vec<Held>,
        redirects: HashMap<u64, Redirect>,
    ) -> Self {
        let by_place = by_place(&held);
        Self { hasher, held, by_place, redirects }
    }

    /// Keeps the captures with these places.
    pub(super) fn retain(&mut self, is_kept: impl Fn(Place) -> bool) {
        self.held.retain(|held| is_kept(held.place));
        self.by_place = by_place(&self.held);
    }

    /// The number of files.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// The only capture, if there is one alone.
    pub(super) fn only(&self) -> Option<&Held> {
        self.held.first().filter(|_| self.held.len() == 1)
    }

    /// The captures whose payload a record has.
    pub(super) fn at(&self, place: Place) -> impl Iterator<Item = &Held> {
        let held = |number: &u32| &self.held[*number as usize];
        let start = self.by_place.partition_point(|number| held(number).place < place);
        self.by_place[start..].iter().map(held).take_while(move |held| held.place == place)
    }

    /// The file that a URL leads to, through redirects.
    pub(super) fn find(&self, address: &Address) -> Option<Found<'_>> {
        let (mut address, mut fragment) = (address, None);
        for _ in 0..=MAX_REDIRECTS {
            let url = self.hasher.hash_one(address.as_str());
            if let Ok(number) = self.held.binary_search_by_key(&url, |held| held.url) {
                let Held { media, naming, .. } = self.held[number];
                let name = address.file_name(media, naming == Naming::Distinct);
                return Some(Found { name, fragment });
            }
            let redirect = self.redirects.get(&url)?;
            address = &redirect.target;
            fragment = redirect.fragment.as_deref().or(fragment);
        }
        None
    }
}

/// The numbers of captures in the order of their places.
fn by_place(held: &[Held]) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..u32::try_from(held.len()).unwrap_or(u32::MAX)).collect();
    numbers.sort_by_key(|&number| held[number as usize].place);
    numbers
}
