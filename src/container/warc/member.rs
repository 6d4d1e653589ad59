//! One gzip member of an archive, decompressed.

use std::io::{self, Read};

use flate2::bufread::GzDecoder;

use super::limits::ArchiveLimits;
use super::lookahead::LookaheadReader;

/// The first bytes of a gzip member ([RFC 1952 section 2.3][rfc]), with the only method.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1952#page-5
pub(super) const MAGIC: &[u8] = b"\x1f\x8b\x08";

/// Bytes decompressed at a time; an error loses all of them.
const STEP: usize = 16 * 1024;

/// The content of a gzip member, with a limit on its growth. The compressed bytes stay in the
/// lookahead of the raw stream.
#[derive(Debug)]
pub(super) struct Member<R> {
    gzip: GzDecoder<LookaheadReader<R>>,
    start: u64,
    grown: u64,
    limits: ArchiveLimits,
}

impl<R: Read> Member<R> {
    /// The member that is ahead in `raw`.
    pub(super) fn new(raw: LookaheadReader<R>, limits: ArchiveLimits) -> Self {
        let start = raw.offset();
        Self { gzip: GzDecoder::new(raw), start, grown: 0, limits }
    }

    /// Where it begins in the file.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// The stream that it is in.
    pub(super) fn raw(&mut self) -> &mut LookaheadReader<R> {
        self.gzip.get_mut()
    }

    pub(super) fn into_raw(self) -> LookaheadReader<R> {
        self.gzip.into_inner()
    }
}

impl<R: Read> Read for Member<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(STEP);
        let read = self.gzip.read(&mut into[..most])?;
        self.grown += read as u64;
        let raw = self.gzip.get_ref();
        let used = raw.offset() + raw.taken().len() as u64 - self.start;
        let ratio = self.limits.most_growth();
        let bound = used.saturating_mul(ratio).saturating_add(self.limits.max_in_memory() as u64);
        if self.grown > bound {
            let message = format!(
                "the gzip member grows to more than {ratio} times its size, raise --max-ratio (0 = no limit) if it is trusted"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(read)
    }
}
