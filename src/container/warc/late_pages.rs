//! Pages after the revisits that refer to them.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::capture_keys::CaptureKeys;
use super::payloads::{ChangedPayload, Payloads};

/// Maximum keys of revisits whose pages are searched for (5 MB).
const MOST_WANTED: usize = (1 << 19) / 8 * 7;

/// Maximum pages that are kept (10 MB, and then as much for their table).
const MOST_FOUND: usize = 1 << 16;

/// The pages that come after revisits of them: a first run over an archive finds them, so that a second
/// one can make these revisits agree. The two runs have the same options, and the same pages.
///
/// A run knows only the records before a revisit. Most archives need no second run.
#[derive(Debug, Clone, Default)]
pub struct LatePages(Arc<Mutex<LatePagesState>>);

/// What the runs have found.
#[derive(Debug, Default)]
pub(super) struct LatePagesState {
    wanted: HashSet<u64>,
    found: Vec<(CaptureKeys, Option<ChangedPayload>)>,
    /// The pages of the first run, in the second.
    known: Option<Payloads>,
}

impl LatePages {
    /// Whether the first run found pages, so that a second run makes more revisits agree. The next run
    /// is the second.
    #[must_use]
    pub fn needs_second_run(&self) -> bool {
        let mut state = self.lock();
        if state.known.is_some() || state.found.is_empty() {
            return false;
        }
        let mut known = Payloads::default();
        for (keys, changed) in std::mem::take(&mut state.found) {
            known.add(&keys, changed);
        }
        state.wanted = HashSet::new();
        state.known = Some(known);
        true
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, LatePagesState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LatePagesState {
    /// The pages of the first run; `None` in the first run.
    pub(super) fn known(&self) -> Option<&Payloads> {
        self.known.as_ref()
    }

    /// Searches for the page that a revisit with these keys refers to.
    pub(super) fn want(&mut self, keys: [Option<u64>; 3]) {
        if self.known.is_none() && self.wanted.len() < MOST_WANTED {
            self.wanted.extend(keys.into_iter().flatten());
        }
    }

    /// Adds a capture if a revisit before it refers to it.
    pub(super) fn add(&mut self, keys: &CaptureKeys, changed: Option<ChangedPayload>) {
        let CaptureKeys { id, date, digest, message_digest, .. } = *keys;
        let mut all = [id, date, digest, message_digest].into_iter().flatten();
        if keys.is_document
            && !self.wanted.is_empty()
            && self.found.len() < MOST_FOUND
            && all.any(|key| self.wanted.contains(&key))
        {
            self.found.push((*keys, changed));
        }
    }
}
