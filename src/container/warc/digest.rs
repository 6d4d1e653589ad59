//! Digests of blocks and payloads, in the form of the fields of records.

use data_encoding::BASE32;
use sha1::{Digest, Sha1};

/// A SHA-1 digest.
pub(super) type Sha1Digest = [u8; 20];

pub(super) fn of(bytes: &[u8]) -> Sha1Digest {
    of_parts(&[bytes])
}

/// That of parts one after the other.
pub(super) fn of_parts(parts: &[&[u8]]) -> Sha1Digest {
    parts.iter().fold(Sha1::new(), Sha1::chain_update).finalize().into()
}

/// As in `WARC-Block-Digest`: `sha1:` and base 32, as most programs write it.
pub(super) fn text(digest: &Sha1Digest) -> String {
    format!("sha1:{}", BASE32.encode(digest))
}
