//! A pool of memory for arrays.
//!
//! Allocators return large blocks to the system, and the first write to a page of new memory takes
//! long: a third of the time of rewriting an array, and a quarter of the time of reading an
//! archive. The memory of an array returns to the pool when the last array upon it is released, in
//! any thread.

use std::mem;
use std::sync::{Mutex, TryLockError};

use arrow_buffer::Buffer;
use bytes::Bytes;

/// The most bytes in the pool, which lives as long as the process.
const MAX_BYTES: usize = 64 << 20;

/// The least bytes of a vector in the pool: allocators keep smaller ones themselves.
const LARGE: usize = 128 << 10;

/// The most capacity of a reused vector, as a multiple of the needed one.
const EXCESS: usize = 4;

/// The vectors in the order of their capacity, with their old contents.
static VECTORS: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Returns an empty vector with this capacity.
pub(crate) fn vector(capacity: usize) -> Vec<u8> {
    let Some(mut bytes) = take_vector(capacity) else { return Vec::with_capacity(capacity) };
    bytes.clear();
    bytes
}

/// Returns a vector of `length` bytes, which are to be overwritten.
pub(super) fn zeroed(length: usize) -> Vec<u8> {
    // The system zeroes new memory at the first write.
    let Some(mut bytes) = take_vector(length) else { return vec![0; length] };
    bytes.resize(length, 0);
    bytes
}

/// Makes room for `more` bytes.
pub(super) fn grow(mut bytes: Vec<u8>, more: usize) -> Vec<u8> {
    let needed = bytes.len() + more;
    if needed < LARGE {
        bytes.reserve(more);
    } else if needed > bytes.capacity() {
        let mut new = vector(needed.max(2 * bytes.capacity()));
        new.extend_from_slice(&bytes);
        put(mem::replace(&mut bytes, new));
    }
    bytes
}

/// Makes a buffer of these bytes, whose memory returns to the pool.
pub(crate) fn buffer(bytes: Vec<u8>) -> Buffer {
    if bytes.capacity() < LARGE {
        return Buffer::from_vec(bytes);
    }
    Bytes::from_owner(Lent(bytes)).into()
}

/// Puts memory into the pool.
pub(super) fn put(bytes: Vec<u8>) {
    if !(LARGE..=MAX_BYTES).contains(&bytes.capacity()) {
        return;
    }
    with_vectors(|vectors| {
        let at = vectors.partition_point(|other| other.capacity() < bytes.capacity());
        vectors.insert(at, bytes);
        // Small vectors go first, since new memory costs least if little is needed.
        while vectors.iter().map(Vec::capacity).sum::<usize>() > MAX_BYTES {
            vectors.remove(0);
        }
    });
}

/// Takes a vector of at least this capacity from the pool, unless all are much larger.
fn take_vector(capacity: usize) -> Option<Vec<u8>> {
    if capacity < LARGE {
        return None;
    }
    let found = with_vectors(|vectors| {
        let at = vectors.partition_point(|bytes| bytes.capacity() < capacity);
        let fits = vectors.get(at).is_some_and(|bytes| bytes.capacity() / EXCESS <= capacity);
        fits.then(|| vectors.remove(at))
    });
    found.flatten()
}

/// Works on the vectors; returns `None` while another thread does, which after a fork may last for
/// ever.
fn with_vectors<T>(work: impl FnOnce(&mut Vec<Vec<u8>>) -> T) -> Option<T> {
    match VECTORS.try_lock() {
        Ok(mut vectors) => Some(work(&mut vectors)),
        Err(TryLockError::Poisoned(vectors)) => Some(work(&mut vectors.into_inner())),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The bytes of an array, which return to the pool.
struct Lent(Vec<u8>);

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        put(mem::take(&mut self.0));
    }
}
