//! Keeps memory of released arrays in a pool for new ones.
//!
//! Allocators return large blocks to the system, and the first write to a page of new memory takes
//! long: a third of the time of rewriting an array, and a quarter of the time of reading an
//! archive. Memory returns to the pool when the last array that uses it is released, in any thread.

use std::mem;
use std::sync::{Mutex, TryLockError};

use arrow_buffer::Buffer;
use bytes::Bytes;

/// Maximum bytes in the pool, which lives as long as the process.
const MAX_BYTES: usize = 64 << 20;

/// Minimum capacity of a pooled vector, in bytes: allocators keep smaller ones themselves.
const MIN_CAPACITY: usize = 128 << 10;

/// Maximum capacity of a reused vector, as a multiple of the needed one.
const MAX_EXCESS: usize = 4;

/// The vectors in the order of their capacity, with their old contents.
static VECTORS: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Returns an empty vector with this capacity.
pub(crate) fn take_empty(capacity: usize) -> Vec<u8> {
    let Some(mut bytes) = take_vector(capacity) else { return Vec::with_capacity(capacity) };
    bytes.clear();
    bytes
}

/// Returns a vector of `length` bytes with arbitrary contents; the caller overwrites all of them.
pub(super) fn take_scratch(length: usize) -> Vec<u8> {
    // The system zeroes new memory at the first write.
    let Some(mut bytes) = take_vector(length) else { return vec![0; length] };
    bytes.resize(length, 0);
    bytes
}

/// Reserves capacity for `more` bytes; a large vector grows into one of the pool.
pub(super) fn grow(mut bytes: Vec<u8>, more: usize) -> Vec<u8> {
    let needed = bytes.len() + more;
    if needed < MIN_CAPACITY {
        bytes.reserve(more);
    } else if needed > bytes.capacity() {
        let mut new = take_empty(needed.max(2 * bytes.capacity()));
        new.extend_from_slice(&bytes);
        put(mem::replace(&mut bytes, new));
    }
    bytes
}

/// Makes a buffer of the bytes, whose memory later returns to the pool.
pub(crate) fn into_buffer(bytes: Vec<u8>) -> Buffer {
    if bytes.capacity() < MIN_CAPACITY {
        return Buffer::from_vec(bytes);
    }
    Bytes::from_owner(PooledBytes(bytes)).into()
}

/// Puts memory into the pool.
pub(super) fn put(bytes: Vec<u8>) {
    if !(MIN_CAPACITY..=MAX_BYTES).contains(&bytes.capacity()) {
        return;
    }
    with_vectors(|vectors| {
        let index = vectors.partition_point(|other| other.capacity() < bytes.capacity());
        vectors.insert(index, bytes);
        // Small vectors go first, since new memory costs least if little is needed.
        while vectors.iter().map(Vec::capacity).sum::<usize>() > MAX_BYTES {
            vectors.remove(0);
        }
    });
}

/// Takes a vector of at least this capacity from the pool, unless all are much larger.
fn take_vector(capacity: usize) -> Option<Vec<u8>> {
    if capacity < MIN_CAPACITY {
        return None;
    }
    let taken = with_vectors(|vectors| {
        let index = vectors.partition_point(|bytes| bytes.capacity() < capacity);
        let fits =
            vectors.get(index).is_some_and(|bytes| bytes.capacity() / MAX_EXCESS <= capacity);
        fits.then(|| vectors.remove(index))
    });
    taken.flatten()
}

/// Runs `work` on the vectors; returns `None` while another thread does, which after a fork may
/// last for ever.
fn with_vectors<T>(work: impl FnOnce(&mut Vec<Vec<u8>>) -> T) -> Option<T> {
    match VECTORS.try_lock() {
        Ok(mut vectors) => Some(work(&mut vectors)),
        Err(TryLockError::Poisoned(vectors)) => Some(work(&mut vectors.into_inner())),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The bytes of an array, which return to the pool.
struct PooledBytes(Vec<u8>);

impl AsRef<[u8]> for PooledBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for PooledBytes {
    fn drop(&mut self) {
        put(mem::take(&mut self.0));
    }
}
