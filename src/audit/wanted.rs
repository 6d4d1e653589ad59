//! Which fragments of which files are asked for, and by which pages.
//!
//! A page is known to link to a file or a fragment by its block alone, one of 64: what
//! is kept grows with the number of files and fragments, not with that of links. Of the
//! pages of a block some may be looked at again for nothing. Where even the fragments take
//! too much memory, every link with a fragment is looked at again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A set of blocks of pages.
pub(super) type Blocks = u64;

/// The block of a page among so many.
pub(super) fn block_of(page: usize, pages: usize) -> Blocks {
    1 << (page * 64 / pages.max(1)).min(63)
}

/// The fragments of one file that are asked for.
type Fragments = HashMap<Box<str>, Blocks>;

/// The fragments that are asked for, by file.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Each for the files whose numbers have these last bits.
    shards: Vec<Mutex<HashMap<usize, Fragments>>>,
    /// By file: who links to it.
    linked: Vec<AtomicU64>,
    /// Bytes that the fragments take, about.
    size: AtomicUsize,
    max_size: usize,
}

const SHARDS: usize = 64;

/// Bytes that the fragments may take: 32 MiB, which are some 300,000 fragments.
pub(super) const MAX_SIZE: usize = 32 << 20;

/// Bytes that a fragment takes beside its text, about.
const ENTRY: usize = 80;

impl Wanted {
    pub(super) fn new(files: usize, max_size: usize) -> Self {
        Self {
            size: AtomicUsize::new(0),
            max_size,
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            linked: (0..files).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// A page links to a file.
    pub(super) fn link(&self, file: usize, page: Blocks) {
        // Most links are not the first of their block, and reading is cheap.
        if self.linked[file].load(Ordering::Relaxed) & page == 0 {
            self.linked[file].fetch_or(page, Ordering::Relaxed);
        }
    }

    /// Who links to a file.
    pub(super) fn links_to(&self, file: usize) -> Blocks {
        self.linked[file].load(Ordering::Relaxed)
    }

    /// A page asks for a fragment of a file.
    pub(super) fn fragment(&self, file: usize, fragment: &str, page: Blocks) {
        let mut shard = self.shard(file);
        let fragments = shard.entry(file).or_default();
        if let Some(blocks) = fragments.get_mut(fragment) {
            *blocks |= page;
            return;
        }
        let size = fragment.len() + ENTRY;
        if self.size.fetch_add(size, Ordering::Relaxed) + size <= self.max_size {
            fragments.insert(fragment.into(), page);
        }
    }

    fn shard(&self, file: usize) -> MutexGuard<'_, HashMap<usize, Fragments>> {
        // A thread that panicked left a whole map.
        self.shards[file % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether more fragments were asked for than there is room for.
    pub(super) fn is_over(&self) -> bool {
        self.size.load(Ordering::Relaxed) > self.max_size
    }

    /// Forgets all fragments.
    pub(super) fn clear(&self) {
        (0..SHARDS).for_each(|shard| *self.shard(shard) = HashMap::new());
    }

    /// The files that fragments are asked for of, in order.
    pub(super) fn files(&self) -> Vec<usize> {
        let mut files: Vec<usize> = (0..SHARDS)
            .flat_map(|shard| self.shard(shard).keys().copied().collect::<Vec<_>>())
            .collect();
        files.sort_unstable();
        files
    }

    /// The fragments that are asked for of a file, in order, which are forgotten.
    pub(super) fn take(&self, file: usize) -> Vec<(Box<str>, Blocks)> {
        let fragments = self.shard(file).remove(&file).unwrap_or_default();
        let mut fragments: Vec<_> = fragments.into_iter().collect();
        fragments.sort_unstable();
        fragments
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

    #[test]
    fn what_is_asked_for_is_taken_once() {
        let wanted = Wanted::new(200, 3 * (1 + ENTRY));
        for (file, fragment, page) in [(3, "b", 1), (3, "a", 2), (3, "b", 4), (130, "c", 1)] {
            wanted.fragment(file, fragment, page);
        }
        assert_eq!(wanted.files(), [3, 130]);
        assert_eq!(wanted.take(3), [("a".into(), 2), ("b".into(), 5)]);
        assert_eq!(wanted.take(3), []);
        wanted.link(7, 2);
        wanted.link(7, 8);
        assert_eq!((wanted.links_to(7), wanted.links_to(8)), (10, 0));
        assert!(!wanted.is_over());
        wanted.fragment(4, "a", 1);
        assert!(wanted.is_over());
        assert_eq!(wanted.take(4), []);
    }
}
