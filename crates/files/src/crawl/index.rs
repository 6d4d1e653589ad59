//! Indexes the file and the date of each URL of a crawl, and resolves links of pages to files.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use absolve::url::Base;
use absolve::{Placement, Targets};
use absolve_archive::warc::RecordPosition;

use super::address::{Address, Media, reference_path};

/// The position of a record: the number of its archive, and the position in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ArchivePosition {
    pub(super) archive: u32,
    pub(super) position: RecordPosition,
}

/// Whether the name of a file needs a digest to distinguish it from the files of other URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// The first URL with this name.
    Own,
    /// Another URL has the name and the same payload, so both share a file: `/` and `/index.html`.
    Shared,
    /// Another URL or a folder has the name, so it gets a digest.
    Distinct,
}

/// The payload of a capture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Payload {
    /// The record that has it.
    pub(super) record: ArchivePosition,
    pub(super) media: Media,
    /// The digest that the record states.
    pub(super) digest: Option<u64>,
    /// Whether the record has only the beginning of the payload.
    pub(super) is_truncated: bool,
}

/// A capture, with its URL and the name of its file as hashes, since a crawl has many captures.
#[derive(Debug)]
pub(super) struct IndexedCapture {
    pub(super) url: u64,
    /// The hash of the name in lower case.
    pub(super) name: u64,
    pub(super) payload: Payload,
    pub(super) date: Date,
    pub(super) naming: Naming,
    /// Whether it is to be extracted; if not, a revisit may need its payload.
    pub(super) is_selected: bool,
    /// Whether it answers a request with another method than `GET`.
    pub(super) answers_other_method: bool,
    /// The URL of a revisit, whose payload is in the record of another URL.
    pub(super) revisited: Option<Box<Address>>,
}

impl IndexedCapture {
    /// Returns the name of its file; the caller has its URL, of which the index has only a hash.
    pub(super) fn file_name_for(&self, address: &Address) -> String {
        address.file_name(self.payload.media, self.naming == Naming::Distinct)
    }

    /// Returns the position of the payload, by which captures are sorted. The URLs of revisits
    /// order captures with the same payload, since the hashes of URLs differ from run to run.
    fn sort_key(&self) -> (ArchivePosition, Option<&str>) {
        (self.payload.record, self.revisited.as_deref().map(Address::as_str))
    }
}

/// The target of a URL that redirects.
#[derive(Debug, Clone)]
pub(super) struct Redirect {
    pub(super) date: Date,
    pub(super) target: Address,
    pub(super) fragment: Option<String>,
}

/// Maximum redirects on the way to a file, as in browsers
/// ([Fetch Standard](https://fetch.spec.whatwg.org/#concept-http-redirect-fetch)).
const MAX_REDIRECTS: usize = 20;

/// The file of each URL of a crawl.
#[derive(Debug)]
pub(super) struct Index {
    hasher: RandomState,
    /// Sorted by URL.
    captures: Vec<IndexedCapture>,
    /// The numbers of captures, sorted by the positions of their payloads.
    by_record: Vec<u32>,
    redirects: HashMap<u64, Redirect>,
    /// The hashes of the folders of all names, in lower case.
    folders: HashSet<u64>,
    /// The hashes of URLs that were requested without a referrer.
    entries: HashSet<u64>,
}

/// The file that a URL leads to, and the fragment that a redirect adds.
#[derive(Debug, PartialEq, Eq)]
struct CrawlTarget<'i> {
    name: String,
    fragment: Option<&'i str>,
}

impl Index {
    /// Creates the index of captures, one for each URL.
    pub(super) fn new(
        hasher: RandomState,
        captures: Vec<IndexedCapture>,
        redirects: HashMap<u64, Redirect>,
        folders: HashSet<u64>,
        entries: HashSet<u64>,
    ) -> Self {
        let mut index =
            Self { hasher, captures, by_record: Vec::new(), redirects, folders, entries };
        index.sort();
        index
    }

    /// Keeps the captures whose payload is in a record that `is_kept` accepts.
    pub(super) fn retain(&mut self, is_kept: impl Fn(ArchivePosition) -> bool) {
        self.captures.retain(|capture| is_kept(capture.payload.record));
        self.sort();
    }

    /// Decides which names of files need a digest, and sorts the captures.
    fn sort(&mut self) {
        self.captures.sort_by(|a, b| (a.name, a.sort_key()).cmp(&(b.name, b.sort_key())));
        let mut first: Option<(u64, Option<u64>)> = None;
        for capture in &mut self.captures {
            let (name, digest) = (capture.name, capture.payload.digest);
            let same_name = first.filter(|(other, _)| *other == name);
            capture.naming = match same_name {
                _ if self.folders.contains(&name) => Naming::Distinct,
                None => Naming::Own,
                Some((_, other)) if other.is_some() && other == digest => Naming::Shared,
                Some(_) => Naming::Distinct,
            };
            first = same_name.or(Some((name, digest)));
        }
        self.captures.sort_by_key(|capture| capture.url);
        self.by_record = (0..u32::try_from(self.captures.len()).unwrap_or(u32::MAX)).collect();
        let sort_key = |&number: &u32| self.captures[number as usize].sort_key();
        self.by_record.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    }

    /// Returns the number of captures to extract.
    pub(super) fn len(&self) -> usize {
        self.captures.len()
    }

    /// Whether a crawl began with a capture, by the referrers of its requests.
    pub(super) fn is_entry(&self, capture: &IndexedCapture) -> bool {
        self.entries.contains(&capture.url)
    }

    /// Returns the capture of a crawl that has only one.
    pub(super) fn only(&self) -> Option<&IndexedCapture> {
        self.captures.first().filter(|_| self.captures.len() == 1)
    }

    /// Lists the captures whose payload is in a record.
    pub(super) fn captures_at(
        &self,
        record: ArchivePosition,
    ) -> impl Iterator<Item = &IndexedCapture> {
        let capture = |number: &u32| &self.captures[*number as usize];
        let is_before = |number: &u32| capture(number).payload.record < record;
        let start = self.by_record.partition_point(is_before);
        let captures = self.by_record[start..].iter().map(capture);
        captures.take_while(move |capture| capture.payload.record == record)
    }

    /// Finds the file that a URL leads to, through redirects.
    fn find(&self, address: &Address) -> Option<CrawlTarget<'_>> {
        let (mut address, mut fragment) = (address, None);
        for _ in 0..=MAX_REDIRECTS {
            let url = self.hasher.hash_one(address.as_str());
            if let Ok(number) = self.captures.binary_search_by_key(&url, |capture| capture.url) {
                let capture = &self.captures[number];
                return Some(CrawlTarget { name: capture.file_name_for(address), fragment });
            }
            let redirect = self.redirects.get(&url)?;
            address = &redirect.target;
            fragment = redirect.fragment.as_deref().or(fragment);
        }
        None
    }
}

/// The treatment of links whose URL the crawl does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Makes them absolute.
    #[default]
    Absolute,
    /// Leaves them as written.
    Keep,
    /// Makes them absolute, and fails the extraction.
    Error,
}

/// The URL of the output folder, by which links are made relative; no page has such a URL
/// ([RFC 2606](https://www.rfc-editor.org/rfc/rfc2606#section-2)).
const ROOT: &str = "http://crawl.invalid/";

/// Finds the files of a crawl that the links of a page lead to.
pub(super) struct PageTargets {
    index: Arc<Index>,
    /// The URL of the page's own file.
    document: Option<Base>,
    /// The name of the message that the page is a part of.
    message: Option<String>,
    missing: Missing,
    not_found: Mutex<NotFound>,
}

/// The links of a page whose URLs the crawl does not have.
#[derive(Debug, Default)]
pub(super) struct NotFound {
    links: u64,
    /// The URLs, each once and with a line break after it. A single string saves memory, since a
    /// page can have millions of them.
    urls: String,
    hasher: RandomState,
    seen: HashSet<u64>,
    is_cut: bool,
}

/// Maximum bytes of URLs that are kept for a page.
const MAX_NOT_FOUND: usize = 64 << 20;

impl NotFound {
    fn add(&mut self, url: &str) {
        self.links += 1;
        if self.urls.len() + url.len() > MAX_NOT_FOUND {
            self.is_cut = true;
        } else if self.seen.insert(self.hasher.hash_one(url)) {
            self.urls.extend(url.chars().map(|c| if c == '\n' { ' ' } else { c }));
            self.urls.push('\n');
        }
    }

    /// Returns the number of links.
    pub(super) fn links(&self) -> u64 {
        self.links
    }

    /// Whether some URLs were dropped, because the others reach the limit.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the URLs, sorted.
    pub(super) fn list_sorted(&self) -> Vec<&str> {
        let mut urls: Vec<_> = self.urls.split_terminator('\n').collect();
        urls.sort_unstable();
        urls
    }
}

impl PageTargets {
    pub(super) fn new(
        index: Arc<Index>,
        name: &str,
        message: Option<String>,
        missing: Missing,
    ) -> Self {
        let document = Base::new(&format!("{ROOT}{}", reference_path(name))).ok();
        Self { index, document, message, missing, not_found: Mutex::default() }
    }

    /// Takes the links whose URLs the crawl does not have.
    pub(super) fn take_not_found(&self) -> NotFound {
        std::mem::take(&mut *self.not_found.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Targets for PageTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        let (resource, fragment) =
            url.split_once('#').map_or((url, None), |(url, fragment)| (url, Some(fragment)));
        let Some(address) = Address::parse(resource, self.message.as_deref()) else {
            return Placement::Outside;
        };
        let Some(target) = self.index.find(&address) else {
            let is_kept = match address.scheme_of_part() {
                // An absolute URL of these schemes has no meaning outside the message.
                Some("cid" | "thismessage") => true,
                Some("file") | None => self.missing == Missing::Keep,
                // A link such as `mailto:` leads to no file.
                Some(_) => return Placement::Outside,
            };
            let mut not_found = self.not_found.lock().unwrap_or_else(PoisonError::into_inner);
            not_found.add(url);
            return if is_kept { Placement::Kept } else { Placement::Outside };
        };
        let mut url = format!("{ROOT}{}", reference_path(&target.name));
        if let Some(fragment) = fragment.or(target.fragment) {
            url.push('#');
            url.push_str(fragment);
        }
        Placement::InSite(url.into())
    }

    fn is_on_disk(&self) -> bool {
        true
    }

    fn document(&self, _url: &Base) -> Option<Base> {
        self.document.clone()
    }
}

/// A date of captures: the 18 digits of a `WARC-Date`, of which the last four are the fraction of
/// the second; 0 if the date is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Date(u64);

/// The error for a text that is not a date, or a part of a date with at least the year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidDate;

impl fmt::Display for InvalidDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a date such as 2026, 2026-01-31 or 2026-01-31T12:00:00Z")
    }
}

impl std::error::Error for InvalidDate {}

/// Parses a date, or a part of it as the end of its period: `2026` is the end of the year.
impl FromStr for Date {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        let is_part =
            |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | 'T' | 't' | 'Z' | 'z');
        let digits: String = text.chars().filter(char::is_ascii_digit).take(14).collect();
        if !text.chars().all(is_part) || digits.len() < 4 || digits.len() % 2 == 1 {
            return Err(InvalidDate);
        }
        format!("{digits:9<18}").parse().map(Self).map_err(|_| InvalidDate)
    }
}

impl Date {
    /// Formats the date as a field has it; empty if the date is unknown.
    pub(super) fn field(self) -> String {
        if self == Self::default() {
            return String::new();
        }
        let digits = format!("{:018}", self.0);
        let part = |range| digits.get(range).unwrap_or_default();
        let (day, time) =
            ([part(0..4), part(4..6), part(6..8)], [part(8..10), part(10..12), part(12..14)]);
        format!("{}T{}Z", day.join("-"), time.join(":"))
    }

    /// Parses the date of a field; 0 if the text is not a date.
    pub(super) fn from_field(text: &str) -> Self {
        let (text, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str, max| -> String {
            text.chars().filter(char::is_ascii_digit).take(max).collect()
        };
        let (second, fraction) = (digits(text, 14), digits(fraction, 4));
        Self(format!("{second:0<14}{fraction:0<4}").parse().unwrap_or_default())
    }

    /// Returns the date without the fraction of the second, which `WARC-Refers-To-Date` may lack.
    pub(super) fn second(self) -> u64 {
        self.0 / 10_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_may_be_a_part_of_one() {
        let date = |text: &str| text.parse::<Date>().map(|date| date.0);
        assert_eq!(date("2026"), Ok(202_699_999_999_999_999));
        assert_eq!(date("2026-01-31"), Ok(202_601_319_999_999_999));
        assert_eq!(date("20260131"), date("2026-01-31"));
        assert_eq!(date("2026-01-31T12:00:01Z"), Ok(202_601_311_200_019_999));
        for wrong in ["", "x", "26", "2026-1", "2026-01-31 12:00"] {
            assert_eq!(date(wrong), Err(InvalidDate), "{wrong}");
        }
        assert_eq!(Date::from_field("2026-01-31T12:00:01.5Z").0, 202_601_311_200_015_000);
        assert_eq!(Date::from_field("2026-01-31T12:00:01.5Z").field(), "2026-01-31T12:00:01Z");
        assert_eq!((Date::from_field("").0, Date::from_field("").field()), (0, String::new()));
    }
}
