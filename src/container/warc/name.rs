//! Names of new records: name-based UUIDs.

use data_encoding::HEXLOWER;
use sha1::{Digest, Sha1};

/// The namespace of the names: that of URLs
/// ([RFC 9562 section 5.5](https://www.rfc-editor.org/rfc/rfc9562#section-5.5)).
const NAMESPACE: [u8; 16] = *b"\x6b\xa7\xb8\x11\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8";

/// The name-based UUID of an original's name and the digest of the new record.
pub(super) fn record_name(original: &[u8], digest: &str) -> String {
    let mut sha1 = Sha1::new();
    for part in [&NAMESPACE, original, b" ", digest.as_bytes()] {
        sha1.update(part);
    }
    let hash = sha1.finalize();
    let mut uuid = [0; 16];
    uuid.copy_from_slice(&hash[..16]);
    uuid[6] = uuid[6] & 0x0f | 0x50;
    uuid[8] = uuid[8] & 0x3f | 0x80;
    let hex = HEXLOWER.encode(&uuid);
    let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| &hex[group]);
    format!("<urn:uuid:{}>", groups.join("-"))
}

#[cfg(test)]
mod tests {
    use super::record_name;

    #[test]
    fn names_are_those_of_name_based_uuids() {
        // python3 -c 'import uuid; print(uuid.uuid5(uuid.NAMESPACE_URL, "<urn:x> sha1:A"))'
        let name = record_name(b"<urn:x>", "sha1:A");
        assert_eq!(name, "<urn:uuid:a29fb6a2-90c7-59c7-aea3-84ad70b9ce47>");
    }
}
