//! Replaces `whole.rs` without the feature `libdeflate`: flate2 decompresses every member in steps.

use std::io::{self, Read};

use super::lookahead::LookaheadReader;

/// A decoder that decompresses no member at once.
#[derive(Debug)]
pub(super) struct WholeDecoder;

#[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the interface of libdeflate")]
impl WholeDecoder {
    pub(super) fn new() -> Self {
        Self
    }

    /// Leaves the member to be decompressed in steps.
    pub(super) fn read<R: Read>(
        &mut self,
        _raw: &mut LookaheadReader<R>,
        _content: &mut Vec<u8>,
        _max: usize,
    ) -> io::Result<Option<usize>> {
        Ok(None)
    }
}
