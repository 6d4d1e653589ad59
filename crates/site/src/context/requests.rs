//! The fragments that pages request of files, and the pages that request them.
//!
//! Pages are divided into 63 blocks. A request by a single page records its number; a request by
//! several pages records only their blocks, so that memory grows with files and fragments, not with
//! links. Other pages of these blocks are then read again in vain. Fragments of a file beyond
//! [`MAX_ANCHORS`] are not listed, and the pages that request them are read again: a list of
//! 400,000 fragments takes longer than a second reading of the page with the links.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::HashMap;

/// Pages that make a request: no page, a single page, or the pages of some blocks.
///
/// The highest bit marks a single page, with its number in the lowest 32 bits and the number of its
/// block above them. Without it, each of the other bits is a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Requesters(u64);

/// A set of blocks of pages.
type Blocks = u64;

const BLOCK_COUNT: usize = 63;
const SINGLE_PAGE: u64 = 1 << 63;

impl Requesters {
    pub(crate) const NONE: Self = Self(0);

    /// Creates the requester for a page, by its number among all pages.
    pub(crate) fn from_page(page: usize, pages: usize) -> Self {
        let block = (page * BLOCK_COUNT / pages.max(1)).min(BLOCK_COUNT - 1);
        match u32::try_from(page) {
            Ok(page) => Self(SINGLE_PAGE | (block as u64) << 32 | u64::from(page)),
            Err(_) => Self(1 << block),
        }
    }

    fn page(self) -> Option<u64> {
        (self.0 & SINGLE_PAGE != 0).then_some(self.0 & u64::from(u32::MAX))
    }

    fn blocks(self) -> Blocks {
        if self.0 & SINGLE_PAGE == 0 { self.0 } else { 1 << (self.0 >> 32 & 63) }
    }

    fn union(self, other: Self) -> Self {
        match (self.0, other.0) {
            (_, 0) => self,
            (0, _) => other,
            _ if self == other => self,
            _ => Self(self.blocks() | other.blocks()),
        }
    }
}

/// The pages to read again.
#[derive(Debug, Default)]
pub(crate) struct SelectedPages {
    pages: HashSet<u64>,
    blocks: Blocks,
}

impl SelectedPages {
    pub(crate) fn add(&mut self, requesters: Requesters) {
        match requesters.page() {
            Some(page) => _ = self.pages.insert(page),
            None => self.blocks |= requesters.blocks(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.blocks == 0
    }

    /// Whether the selection has a page, given as [`Requesters::from_page`].
    pub(crate) fn contains(&self, page: Requesters) -> bool {
        self.blocks & page.blocks() != 0 || page.page().is_some_and(|at| self.pages.contains(&at))
    }
}

/// The requested fragments of a file, and the pages that request each.
type Requests = HashMap<Box<str>, Requesters>;

/// The fragments that pages request, and the links between pages, by file.
#[derive(Debug)]
pub(crate) struct FragmentRequests {
    /// By the file number modulo [`SHARD_COUNT`].
    shards: Vec<Mutex<HashMap<usize, Requests>>>,
    /// By file: the blocks with links to it.
    linked: Vec<AtomicU64>,
    /// By file: the blocks with requests that are not listed.
    unlisted: Vec<AtomicU64>,
    /// Approximate bytes of the fragments.
    size: AtomicUsize,
    max_size: usize,
}

const SHARD_COUNT: usize = 64;

/// Limit on the bytes of the fragments: 16 MiB, about 150,000 fragments.
pub(crate) const MAX_SIZE: usize = 16 << 20;

/// Approximate bytes of a request, without its text.
const ENTRY_SIZE: usize = 80;

/// Maximum listed anchors of a file, and maximum own anchors that a page requests.
pub(crate) const MAX_ANCHORS: usize = 1 << 14;

impl FragmentRequests {
    pub(crate) fn new(files: usize, max_size: usize) -> Self {
        let no_blocks = || (0..files).map(|_| AtomicU64::new(0)).collect();
        Self {
            shards: (0..SHARD_COUNT).map(|_| Mutex::default()).collect(),
            linked: no_blocks(),
            unlisted: no_blocks(),
            size: AtomicUsize::new(0),
            max_size,
        }
    }

    /// Records that a page links to a file.
    pub(crate) fn record_link(&self, file: usize, page: Requesters) {
        add_blocks(&self.linked[file], page);
    }

    /// Returns the blocks with links to a file.
    pub(crate) fn links_to(&self, file: usize) -> Requesters {
        Requesters(self.linked[file].load(Ordering::Relaxed))
    }

    /// Records that a page requests the anchor of a fragment of a file.
    pub(crate) fn request(&self, file: usize, fragment: &str, page: Requesters) {
        if self.is_unlisted(file, page) {
            return;
        }
        let mut shard = self.shard(file);
        let anchors = shard.entry(file).or_default();
        if let Some(pages) = anchors.get_mut(fragment) {
            *pages = pages.union(page);
        } else if anchors.len() < MAX_ANCHORS && self.reserve(fragment) {
            anchors.insert(fragment.into(), page);
        } else {
            add_blocks(&self.unlisted[file], page);
        }
    }

    /// Records that a page requests anchors of a file, without a list of the anchors.
    pub(crate) fn request_any(&self, file: usize, page: Requesters) {
        self.shard(file).entry(file).or_default();
        add_blocks(&self.unlisted[file], page);
    }

    /// Returns the blocks with requests of a file that are not listed.
    pub(crate) fn unlisted(&self, file: usize) -> Requesters {
        Requesters(self.unlisted[file].load(Ordering::Relaxed))
    }

    /// Whether a page is in a block with requests of a file that are not listed.
    pub(crate) fn is_unlisted(&self, file: usize, page: Requesters) -> bool {
        self.unlisted(file).blocks() & page.blocks() != 0
    }

    /// Reserves the bytes of a fragment; returns whether they fit. After a failure, none fit.
    fn reserve(&self, fragment: &str) -> bool {
        let size = fragment.len() + ENTRY_SIZE;
        self.size.fetch_add(size, Ordering::Relaxed) + size <= self.max_size
    }

    fn shard(&self, file: usize) -> MutexGuard<'_, HashMap<usize, Requests>> {
        // A panic cannot leave a map inconsistent.
        self.shards[file % SHARD_COUNT].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists the files with requested fragments, in order.
    pub(crate) fn files(&self) -> Vec<usize> {
        let mut files: Vec<usize> = (0..SHARD_COUNT)
            .flat_map(|shard| self.shard(shard).keys().copied().collect::<Vec<_>>())
            .collect();
        files.sort_unstable();
        files
    }

    /// Removes and returns the requests of a file.
    pub(crate) fn take(&self, file: usize) -> Requests {
        self.shard(file).remove(&file).unwrap_or_default()
    }
}

/// Adds blocks to a set.
fn add_blocks(set: &AtomicU64, page: Requesters) {
    // Most links are not the first of their block, and reading is cheap.
    let blocks = page.blocks();
    if set.load(Ordering::Relaxed) & blocks != blocks {
        set.fetch_or(blocks, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_in_one_of_63_blocks() {
        let block = |page, pages| Requesters::from_page(page, pages).blocks();
        assert_eq!(block(0, 1), 1);
        assert_eq!((0..63).fold(0, |all, page| all | block(page, 63)), u64::MAX >> 1);
        assert_eq!(block(9_999, 10_000), 1 << 62);
        assert!((0..1000).all(|page| block(page, 1000).is_power_of_two()));
        assert_eq!(block(1 << 40, 1 << 41), 1 << 31);
    }

    #[test]
    fn one_page_is_selected_alone_and_several_by_their_blocks() {
        let by_page = |page| Requesters::from_page(page, 630);
        let selected = |requesters: Requesters| {
            let mut selection = SelectedPages::default();
            selection.add(requesters);
            (0..630).filter(|&page| selection.contains(by_page(page))).collect::<Vec<_>>()
        };
        assert_eq!(selected(Requesters::NONE), [0; 0]);
        assert_eq!(selected(by_page(17).union(by_page(17)).union(Requesters::NONE)), [17]);
        assert_eq!(selected(Requesters::NONE.union(by_page(0))), [0]);
        assert_eq!(selected(by_page(17).union(by_page(19))), (10..20).collect::<Vec<_>>());
        assert_eq!(selected(by_page(17).union(by_page(25))), (10..30).collect::<Vec<_>>());
        assert!(SelectedPages::default().is_empty());
    }

    fn anchors(anchors: &[(&str, Blocks)]) -> Requests {
        anchors.iter().map(|&(anchor, blocks)| (anchor.into(), Requesters(blocks))).collect()
    }

    #[test]
    fn what_is_requested_is_taken_once() {
        let requests = FragmentRequests::new(200, 3 * (1 + ENTRY_SIZE));
        for (file, fragment, page) in [(3, "b", 1), (3, "a", 2), (3, "b", 4), (130, "c", 1)] {
            requests.request(file, fragment, Requesters(page));
        }
        assert_eq!(requests.files(), [3, 130]);
        assert_eq!(requests.take(3), anchors(&[("a", 2), ("b", 5)]));
        assert_eq!(requests.take(3), Requests::default());
        requests.record_link(7, Requesters(2));
        requests.record_link(7, Requesters(8));
        assert_eq!((requests.links_to(7).0, requests.links_to(8).0), (10, 0));
    }

    #[test]
    fn without_room_only_the_pages_are_known() {
        let requests = FragmentRequests::new(10, 2 * (1 + ENTRY_SIZE));
        for (file, fragment, page) in [(3, "a", 1), (3, "b", 2), (3, "c", 4), (4, "a", 8)] {
            requests.request(file, fragment, Requesters(page));
        }
        assert_eq!((requests.unlisted(3).0, requests.unlisted(4).0), (4, 8));
        assert_eq!(requests.files(), [3, 4]);
        assert_eq!(requests.take(3), anchors(&[("a", 1), ("b", 2)]));
        requests.request_any(5, Requesters(16));
        assert_eq!((requests.unlisted(5).0, requests.files()), (16, vec![4, 5]));
    }

    #[test]
    fn one_file_has_a_share_of_the_room() {
        let requests = FragmentRequests::new(2, usize::MAX);
        let all = MAX_ANCHORS as u64 + 2;
        (0..all).for_each(|number| requests.request(0, &number.to_string(), Requesters(1)));
        requests.request(1, "a", Requesters(1));
        assert_eq!((requests.unlisted(0).0, requests.unlisted(1).0), (1, 0));
        assert_eq!(requests.take(0).len(), MAX_ANCHORS);
    }
}
