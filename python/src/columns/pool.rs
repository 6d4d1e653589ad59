//! Memory of arrays that is used again.
//!
//! Allocators give large blocks back to the system, and the first write to a page of new memory takes
//! long: a third of the time of rewriting an array, and a quarter of that of reading an archive. The
//! memory of an array comes here when the last one upon it is released, in any thread.

use std::mem;
use std::sync::{Mutex, TryLockError};

use arrow_buffer::Buffer;
use bytes::Bytes;

/// Maximum bytes that are kept, for the time of the process.
const MAX_BYTES: usize = 64 << 20;

/// The least bytes of a vector that is kept: allocators keep smaller ones.
const LARGE: usize = 128 << 10;

/// Maximum size of a vector that is used again, as a multiple of what is needed.
const EXCESS: usize = 4;

/// By their capacity, with what was in them.
static VECTORS: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// An empty vector with room for so many bytes.
pub(crate) fn vector(capacity: usize) -> Vec<u8> {
    let Some(mut bytes) = take_vector(capacity) else { return Vec::with_capacity(capacity) };
    bytes.clear();
    bytes
}

/// So many bytes, to be written.
pub(super) fn zeroed(length: usize) -> Vec<u8> {
    // The system gives zeroed memory when it is first written to.
    let Some(mut bytes) = take_vector(length) else { return vec![0; length] };
    bytes.resize(length, 0);
    bytes
}

/// The same bytes, with room for so many more.
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

/// A buffer of these bytes, whose memory comes back.
pub(crate) fn buffer(bytes: Vec<u8>) -> Buffer {
    if bytes.capacity() < LARGE {
        return Buffer::from_vec(bytes);
    }
    Bytes::from_owner(Lent(bytes)).into()
}

/// Takes memory back.
pub(super) fn put(bytes: Vec<u8>) {
    if !(LARGE..=MAX_BYTES).contains(&bytes.capacity()) {
        return;
    }
    with_vectors(|vectors| {
        let at = vectors.partition_point(|other| other.capacity() < bytes.capacity());
        vectors.insert(at, bytes);
        // New memory costs the least where little is needed.
        while vectors.iter().map(Vec::capacity).sum::<usize>() > MAX_BYTES {
            vectors.remove(0);
        }
    });
}

/// A vector of at least this capacity, if one is kept that is not much larger.
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

/// `None` while another thread is here: after a fork, it may be so for ever.
fn with_vectors<T>(work: impl FnOnce(&mut Vec<Vec<u8>>) -> T) -> Option<T> {
    match VECTORS.try_lock() {
        Ok(mut vectors) => Some(work(&mut vectors)),
        Err(TryLockError::Poisoned(vectors)) => Some(work(&mut vectors.into_inner())),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The bytes of an array.
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
