//! Digests of blocks and payloads, in the form of the fields of records.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;

use data_encoding::{BASE32, BASE32_NOPAD, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};
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

/// The algorithms of digests, with the bytes of a digest.
const ALGORITHMS: &[(&str, usize)] =
    &[("sha1", 20), ("sha256", 32), ("md5", 16), ("sha384", 48), ("sha512", 64)];

/// The digest of a field, without the notation: `sha1:` may be `SHA-1:`, and the value may be in
/// base 32, in hexadecimal digits or in base 64
/// ([WARC 1.1, section 5.8](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#warc-block-digest)).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct FieldDigest {
    /// The name of the algorithm; empty if it is unknown.
    pub(super) algorithm: Cow<'static, str>,
    value: Vec<u8>,
}

impl FieldDigest {
    pub(super) fn sha1(digest: Sha1Digest) -> Self {
        Self { algorithm: "sha1".into(), value: digest.into() }
    }

    /// Reads the value of a field. A value in an unknown notation is its text, in lower case.
    pub(super) fn parse(field: &[u8]) -> Self {
        let text = String::from_utf8_lossy(field.trim_ascii());
        let (name, value) = text.split_once(':').unwrap_or(("", &text));
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        let mut known = ALGORITHMS.iter().filter(|(known, _)| name.is_empty() || name == *known);
        let found = known.find_map(|(name, size)| Some((*name, decode(value, *size)?)));
        match found {
            Some((name, value)) => Self { algorithm: name.into(), value },
            None => Self { algorithm: name.into(), value: value.to_ascii_lowercase().into() },
        }
    }

    /// What is kept of it for comparison.
    pub(super) fn tag(&self) -> DigestTag {
        let hashed = |part: &dyn Fn(&mut DefaultHasher)| {
            let mut hasher = DefaultHasher::new();
            part(&mut hasher);
            hasher.finish()
        };
        let algorithm = hashed(&|hasher| self.algorithm.hash(hasher));
        let value = hashed(&|hasher| self.value.hash(hasher));
        DigestTag(
            NonZeroU64::MIN | (algorithm << ALGORITHM_SHIFT) | value >> (64 - ALGORITHM_SHIFT),
        )
    }

    /// The names of the other algorithms, and the empty one for records without a digest.
    pub(super) fn others(&self) -> impl Iterator<Item = &'static str> {
        let names = ALGORITHMS.iter().map(|(name, _)| *name).chain([""]);
        names.filter(|name| *name != self.algorithm)
    }
}

/// A hash of a digest and one of the name of its algorithm, since a table has many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DigestTag(NonZeroU64);

/// The bits of a tag below those of its algorithm.
const ALGORITHM_SHIFT: u32 = 48;

impl DigestTag {
    pub(super) fn is_of_same_algorithm(self, other: Self) -> bool {
        self.0.get() >> ALGORITHM_SHIFT == other.0.get() >> ALGORITHM_SHIFT
    }
}

/// Bytes of this number in any notation, which the length tells apart.
fn decode(value: &str, size: usize) -> Option<Vec<u8>> {
    let value = value.trim().trim_end_matches('=');
    let length = |bits: usize| (size * 8).div_ceil(bits);
    let decoded = match value.len() {
        found if found == length(4) => HEXLOWER_PERMISSIVE.decode(value.as_bytes()),
        found if found == length(5) => BASE32_NOPAD.decode(value.to_ascii_uppercase().as_bytes()),
        found if found == length(6) => BASE64_NOPAD
            .decode(value.as_bytes())
            .or_else(|_| BASE64URL_NOPAD.decode(value.as_bytes())),
        _ => return None,
    };
    decoded.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_has_many_notations() {
        // printf abc | sha1sum | xxd -r -p | base32
        let expected = FieldDigest::sha1(of(b"abc"));
        for field in [
            "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
            " SHA-1: vgmt4nsha2awvor6evyxqugcnsonbwe5 ",
            "sha1:a9993e364706816aba3e25717850c26c9cd0d89d",
            "Sha1:A9993E364706816ABA3E25717850C26C9CD0D89D",
            "sha-1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
            "sha_1:qZk-NkcGgWq6PiVxeFDCbJzQ2J0",
            "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
        ] {
            assert_eq!(FieldDigest::parse(field.as_bytes()), expected, "{field}");
        }
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let base64 = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
        let expected = FieldDigest::parse(format!("sha256:{sha256}").as_bytes());
        assert_eq!((&*expected.algorithm, expected.value.len()), ("sha256", 32));
        for field in [format!("SHA-256:{base64}"), sha256.to_ascii_uppercase()] {
            assert_eq!(FieldDigest::parse(field.as_bytes()), expected, "{field}");
        }
        for (one, other) in [("sha1:OLD", "SHA1:old"), ("crc:1A", "CRC:1a"), ("x", "X")] {
            assert_eq!(FieldDigest::parse(one.as_bytes()), FieldDigest::parse(other.as_bytes()));
        }
        assert_ne!(FieldDigest::parse(b"sha1:OLD"), FieldDigest::parse(b"md5:OLD"));
        let tag = |field: &str| FieldDigest::parse(field.as_bytes()).tag();
        assert_eq!(tag("sha1:OLD"), tag("SHA-1:old"));
        assert_ne!(tag("sha1:OLD"), tag("sha1:NEW"));
        assert!(tag("sha1:OLD").is_of_same_algorithm(tag("sha1:NEW")));
        assert!(!tag("sha1:OLD").is_of_same_algorithm(tag("md5:OLD")));
        assert!(expected.others().eq(["sha1", "md5", "sha384", "sha512", ""]));
    }
}
