//! Stub with the interface of the libdeflate decoder, for builds without the feature `libdeflate`:
//! always selects stepwise decompression.

use std::io::{self, Read};

use super::lookahead::LookaheadReader;

/// A decoder that never decompresses a whole member in one call.
#[derive(Debug)]
pub(super) struct WholeMemberDecoder;

#[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the interface of libdeflate")]
impl WholeMemberDecoder {
    pub(super) fn new() -> Self {
        Self
    }

    /// Returns `None`: flate2 must decompress the member in steps.
    pub(super) fn read<R: Read>(
        &mut self,
        _raw: &mut LookaheadReader<R>,
        _content: &mut Vec<u8>,
        _max: usize,
    ) -> io::Result<Option<usize>> {
        Ok(None)
    }
}
