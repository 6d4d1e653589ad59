//! The fragments that pages request of files, and the pages that request them.
//!
//! A page is known to link to a file or a fragment by its block alone, one of 64: what
//! is kept grows with the number of files and fragments, not with that of links. Of the
//! pages of a block some may be looked at again for nothing. The fragments of a file that
//! has many are not listed, and a page that requests one is looked at again: a list of
//! 400,000 takes longer than a second look at the page with their links.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::audit::hash::HashMap;

/// A set of blocks of pages.
pub(crate) type Blocks = u64;

/// The block of a page among so many.
pub(crate) fn block_of(page: usize, pages: usize) -> Blocks {
    1 << (page * 64 / pages.max(1)).min(63)
}

/// The fragments of one file that pages request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Requests {
    /// Those whose anchors are to be looked up.
    pub(crate) anchors: HashMap<Box<str>, Blocks>,
    /// Those that name a text.
    pub(crate) texts: HashMap<Box<str>, Blocks>,
}

/// The fragments that pages request, by file.
#[derive(Debug)]
pub(crate) struct FragmentRequests {
    /// Each for the files whose numbers have these last bits.
    shards: Vec<Mutex<HashMap<usize, Requests>>>,
    /// By file: who links to it.
    linked: Vec<AtomicU64>,
    /// By file: who requests an anchor of it that is not listed.
    unlisted: Vec<AtomicU64>,
    /// Bytes that the anchors take, about.
    anchors_size: AtomicUsize,
    /// Bytes that the texts take, about. Threads do not change what is requested of texts, so
    /// that they do not change either whether there is room for all.
    texts_size: AtomicUsize,
    max_size: usize,
}

const SHARDS: usize = 64;

/// Bytes that the anchors may take, and the texts: 16 MiB, which are some 150,000 fragments.
pub(crate) const MAX_SIZE: usize = 16 << 20;

/// Bytes that a fragment takes beside its text, about.
const ENTRY: usize = 80;

/// Anchors of one file that are listed, and of a page those that it requests of itself.
pub(crate) const MAX_ANCHORS: usize = 1 << 14;

impl FragmentRequests {
    pub(crate) fn new(files: usize, max_size: usize) -> Self {
        let no_blocks = || (0..files).map(|_| AtomicU64::new(0)).collect();
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            linked: no_blocks(),
            unlisted: no_blocks(),
            anchors_size: AtomicUsize::new(0),
            texts_size: AtomicUsize::new(0),
            max_size,
        }
    }

    /// A page links to a file.
    pub(crate) fn link(&self, file: usize, page: Blocks) {
        add(&self.linked[file], page);
    }

    /// Who links to a file.
    pub(crate) fn links_to(&self, file: usize) -> Blocks {
        self.linked[file].load(Ordering::Relaxed)
    }

    /// A page requests the anchor of a fragment of a file.
    pub(crate) fn anchor(&self, file: usize, fragment: &str, page: Blocks) {
        if self.unlisted(file) & page != 0 {
            return;
        }
        let mut shard = self.shard(file);
        let anchors = &mut shard.entry(file).or_default().anchors;
        if let Some(blocks) = anchors.get_mut(fragment) {
            *blocks |= page;
        } else if anchors.len() < MAX_ANCHORS && self.has_room(&self.anchors_size, fragment) {
            anchors.insert(fragment.into(), page);
        } else {
            add(&self.unlisted[file], page);
        }
    }

    /// A page requests anchors of a file that it does not list.
    pub(crate) fn any_anchor(&self, file: usize, page: Blocks) {
        self.shard(file).entry(file).or_default();
        add(&self.unlisted[file], page);
    }

    /// A page requests the text of a fragment of a file.
    pub(crate) fn text(&self, file: usize, fragment: &str, page: Blocks) {
        let mut shard = self.shard(file);
        let texts = &mut shard.entry(file).or_default().texts;
        if let Some(blocks) = texts.get_mut(fragment) {
            *blocks |= page;
        } else if self.has_room(&self.texts_size, fragment) {
            texts.insert(fragment.into(), page);
        }
    }

    /// Who requests anchors of a file that are not listed.
    pub(crate) fn unlisted(&self, file: usize) -> Blocks {
        self.unlisted[file].load(Ordering::Relaxed)
    }

    fn has_room(&self, used: &AtomicUsize, fragment: &str) -> bool {
        let size = fragment.len() + ENTRY;
        used.fetch_add(size, Ordering::Relaxed) + size <= self.max_size
    }

    fn shard(&self, file: usize) -> MutexGuard<'_, HashMap<usize, Requests>> {
        // A thread that panicked left a whole map.
        self.shards[file % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files that fragments are requested of, in order.
    pub(crate) fn files(&self) -> Vec<usize> {
        let mut files: Vec<usize> = (0..SHARDS)
            .flat_map(|shard| self.shard(shard).keys().copied().collect::<Vec<_>>())
            .collect();
        files.sort_unstable();
        files
    }

    /// The fragments that are requested of a file, which are forgotten; without texts where
    /// there was no room for those of all files.
    pub(crate) fn take(&self, file: usize) -> Requests {
        let mut requests = self.shard(file).remove(&file).unwrap_or_default();
        if self.texts_size.load(Ordering::Relaxed) > self.max_size {
            requests.texts.clear();
        }
        requests
    }
}

/// Adds blocks to a set.
fn add(set: &AtomicU64, page: Blocks) {
    // Most links are not the first of their block, and reading is cheap.
    if set.load(Ordering::Relaxed) & page == 0 {
        set.fetch_or(page, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_in_one_of_64_blocks() {
        assert_eq!(block_of(0, 1), 1);
        assert_eq!((0..64).fold(0, |all, page| all | block_of(page, 64)), u64::MAX);
        assert_eq!(block_of(9_999, 10_000), 1 << 63);
        assert!((0..1000).all(|page| block_of(page, 1000).is_power_of_two()));
    }

    fn anchors(anchors: &[(&str, Blocks)]) -> Requests {
        let anchors = anchors.iter().map(|&(anchor, blocks)| (anchor.into(), blocks)).collect();
        Requests { anchors, texts: HashMap::default() }
    }

    #[test]
    fn what_is_requested_is_taken_once() {
        let wanted = FragmentRequests::new(200, 3 * (1 + ENTRY));
        for (file, fragment, page) in [(3, "b", 1), (3, "a", 2), (3, "b", 4), (130, "c", 1)] {
            wanted.anchor(file, fragment, page);
        }
        assert_eq!(wanted.files(), [3, 130]);
        assert_eq!(wanted.take(3), anchors(&[("a", 2), ("b", 5)]));
        assert_eq!(wanted.take(3), Requests::default());
        wanted.link(7, 2);
        wanted.link(7, 8);
        assert_eq!((wanted.links_to(7), wanted.links_to(8)), (10, 0));
    }

    #[test]
    fn without_room_only_the_pages_are_known() {
        let wanted = FragmentRequests::new(10, 2 * (1 + ENTRY));
        for (file, fragment, page) in [(3, "a", 1), (3, "b", 2), (3, "c", 4), (4, "a", 8)] {
            wanted.anchor(file, fragment, page);
        }
        assert_eq!((wanted.unlisted(3), wanted.unlisted(4)), (4, 8));
        assert_eq!(wanted.files(), [3, 4]);
        assert_eq!(wanted.take(3), anchors(&[("a", 1), ("b", 2)]));
        wanted.any_anchor(5, 16);
        assert_eq!((wanted.unlisted(5), wanted.files()), (16, vec![4, 5]));
    }

    #[test]
    fn one_file_has_a_share_of_the_room() {
        let wanted = FragmentRequests::new(2, usize::MAX);
        let all = MAX_ANCHORS as u64 + 2;
        (0..all).for_each(|number| wanted.anchor(0, &number.to_string(), 1));
        wanted.anchor(1, "a", 1);
        assert_eq!((wanted.unlisted(0), wanted.unlisted(1)), (1, 0));
        assert_eq!(wanted.take(0).anchors.len(), MAX_ANCHORS);
    }

    #[test]
    fn texts_are_there_for_all_files_or_for_none() {
        let wanted = FragmentRequests::new(2, 1 + ENTRY);
        wanted.text(0, "a", 1);
        wanted.text(0, "a", 2);
        wanted.anchor(0, "a", 1);
        assert_eq!(wanted.shard(0)[&0].texts["a"], 3);
        wanted.text(1, "b", 1);
        assert_eq!(wanted.take(0), anchors(&[("a", 1)]));
        assert_eq!(wanted.take(1), Requests::default());
    }
}
