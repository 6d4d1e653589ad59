//! A source that remembers its last bytes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::rc::Rc;

use sha2::{Digest, Sha256};

/// Bytes that a reader may be ahead of the record that it shows.
const AHEAD: usize = 2 << 20;

/// The last bytes of a source, for the hashes of records that have been read.
#[derive(Default)]
pub(super) struct RecentBytes {
    /// The position of the first of `bytes`.
    start: u64,
    bytes: VecDeque<u8>,
    max: usize,
}

/// A source, and its last bytes.
pub(super) struct Recording<R> {
    source: R,
    recent: Rc<RefCell<RecentBytes>>,
}

impl<R> Recording<R> {
    /// Remembers a record of `max` bytes. Larger ones are never changed.
    pub(super) fn new(source: R, max: usize) -> (Self, Rc<RefCell<RecentBytes>>) {
        let recent = RecentBytes { max: max.saturating_add(AHEAD), ..RecentBytes::default() };
        let recent = Rc::new(RefCell::new(recent));
        (Self { source, recent: Rc::clone(&recent) }, recent)
    }
}

impl RecentBytes {
    fn add(&mut self, bytes: &[u8]) {
        let room = self.bytes.capacity() - self.bytes.len();
        if room < bytes.len() {
            // Not twice the capacity, which would be twice the memory for one large record.
            self.bytes.reserve_exact(bytes.len().max(AHEAD));
        }
        self.bytes.extend(bytes);
        self.forget(self.bytes.len().saturating_sub(self.max));
    }

    fn forget(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.start += count as u64;
    }

    /// The SHA-256 of a stretch, if all of it is remembered; forgets what is before it.
    pub(super) fn sha256(&mut self, offset: u64, length: u64) -> Option<[u8; 32]> {
        let before = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        if before > self.bytes.len() {
            return None;
        }
        self.forget(before);
        let length = usize::try_from(length).ok().filter(|length| *length <= self.bytes.len())?;
        let (one, other) = self.bytes.as_slices();
        let in_one = length.min(one.len());
        let hash = Sha256::new().chain_update(&one[..in_one]);
        Some(hash.chain_update(&other[..length - in_one]).finalize().into())
    }
}

impl<R: Read> Read for Recording<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(into)?;
        self.recent.borrow_mut().add(&into[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_hashed_as_long_as_it_is_remembered() {
        let bytes = vec![7; AHEAD + 30];
        let (mut source, recent) = Recording::new(&bytes[..], 10);
        io::copy(&mut source, &mut io::sink()).unwrap();
        let mut recent = recent.borrow_mut();
        assert_eq!(recent.sha256(19, 3), None);
        let expected: [u8; 32] = Sha256::digest([7; 3]).into();
        assert_eq!(recent.sha256(20, 3), Some(expected));
        assert_eq!(recent.sha256(AHEAD as u64 + 27, 3), Some(expected));
        assert_eq!(recent.sha256(AHEAD as u64 + 27, 4), None);
        assert_eq!(recent.sha256(0, 1), None);
    }
}
