//! The hashes of members, as `datapackage.json` has them.

use std::io::{self, Write};

use data_encoding::HEXLOWER;
use md5::Md5;
use sha2::{Digest, Sha256};

/// The hash that a resource has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HashType {
    Sha256,
    Md5,
    /// MD5 without a name before it, as the standard Data Package has it.
    BareMd5,
}

impl HashType {
    /// The type of a written hash; SHA-256 in place of those that WACZ does not know.
    pub(super) fn of(hash: &str) -> Self {
        match hash.split_once(':') {
            Some((name, _)) if name.eq_ignore_ascii_case("md5") => Self::Md5,
            None if hash.len() == 32 => Self::BareMd5,
            _ => Self::Sha256,
        }
    }
}

/// What `datapackage.json` has of a member.
#[derive(Debug)]
pub(super) struct MemberDigest {
    pub(super) bytes: u64,
    sha256: [u8; 32],
    md5: [u8; 16],
}

impl MemberDigest {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.len() as u64,
            sha256: Sha256::digest(bytes).into(),
            md5: Md5::digest(bytes).into(),
        }
    }

    pub(super) fn hash(&self, hash_type: HashType) -> String {
        match hash_type {
            HashType::Sha256 => sha256_text(&self.sha256),
            HashType::Md5 => format!("md5:{}", HEXLOWER.encode(&self.md5)),
            HashType::BareMd5 => HEXLOWER.encode(&self.md5),
        }
    }
}

/// `sha256:` and hexadecimal digits.
pub(super) fn sha256_text(hash: &[u8; 32]) -> String {
    format!("sha256:{}", HEXLOWER.encode(hash))
}

/// Hashes what it writes.
pub(super) struct HashingWriter<W> {
    output: W,
    bytes: u64,
    sha256: Sha256,
    /// Only if the member has such a hash, as it takes as long as reading.
    md5: Option<Md5>,
}

impl<W> HashingWriter<W> {
    pub(super) fn new(output: W, hash_type: HashType) -> Self {
        let md5 = (hash_type != HashType::Sha256).then(Md5::new);
        Self { output, bytes: 0, sha256: Sha256::new(), md5 }
    }

    /// Bytes so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn finish(self) -> MemberDigest {
        let md5 = self.md5.map_or([0; 16], |md5| md5.finalize().into());
        MemberDigest { bytes: self.bytes, sha256: self.sha256.finalize().into(), md5 }
    }

    /// The SHA-256 of all bytes.
    pub(super) fn finish_sha256(self) -> [u8; 32] {
        self.sha256.finalize().into()
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        let bytes = &bytes[..written];
        self.sha256.update(bytes);
        if let Some(md5) = &mut self.md5 {
            md5.update(bytes);
        }
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
