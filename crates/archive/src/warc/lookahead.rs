//! Reads ahead in a stream, so that the search after a false record needs no seek back.

use std::io::{self, BufRead, Read};

/// Minimum bytes that are read at a time.
const CHUNK_LEN: usize = 128 * 1024;

/// Minimum bytes that are taken with their buffer instead of copied.
const MIN_MOVED: usize = 1 << 20;

/// Maximum bytes of a buffer that is kept while few bytes are ahead.
const MAX_IDLE_LEN: usize = 8 << 20;

/// A stream whose bytes are inspected before they are passed.
///
/// [`BufRead::consume`] only moves a cursor in the lookahead, and [`LookaheadReader::rewind`] moves
/// it back. Bytes leave the buffer only when they are passed or taken.
#[derive(Debug)]
pub(super) struct LookaheadReader<S> {
    source: S,
    /// The lookahead is `buffer[start..end]`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes ahead that [`BufRead`] has consumed.
    consumed_len: usize,
    /// The offset in the stream of the first byte ahead.
    offset: u64,
    /// The last error of the source, for callers that get only the error of a decoder.
    failure: Option<io::Error>,
    /// An error to return instead of the next bytes of the source.
    deferred_error: Option<io::Error>,
}

impl<S: Read> LookaheadReader<S> {
    /// Reads a source into `buffer`, whose contents are overwritten.
    pub(super) fn new(source: S, buffer: Vec<u8>) -> Self {
        Self {
            source,
            buffer,
            start: 0,
            end: 0,
            consumed_len: 0,
            offset: 0,
            failure: None,
            deferred_error: None,
        }
    }

    /// Reads a source after the bytes of `buffer` before `end`, which are ahead already.
    pub(super) fn with_content(source: S, buffer: Vec<u8>, end: usize) -> Self {
        debug_assert!(end <= buffer.len());
        Self { end, ..Self::new(source, buffer) }
    }

    /// Keeps an error of the source until the next bytes are read.
    pub(super) fn fail_later(&mut self, error: io::Error) {
        self.deferred_error = Some(error);
    }

    /// Reads a source whose first byte has this offset.
    pub(super) fn from_offset(source: S, offset: u64) -> Self {
        Self { offset, ..Self::new(source, Vec::new()) }
    }

    /// Sets the offset of the first byte.
    pub(super) fn start_at(&mut self, offset: u64) {
        self.offset = offset;
    }

    /// Returns the offset of the first byte ahead.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the bytes ahead.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Returns the bytes ahead that [`BufRead`] has consumed.
    pub(super) fn consumed(&self) -> &[u8] {
        &self.buffer[self.start..self.start + self.consumed_len]
    }

    /// Reads until `count` bytes are ahead, or to the end. Returns how many of `count` are ahead.
    pub(super) fn fill_to(&mut self, count: usize) -> io::Result<usize> {
        while self.end - self.start < count && self.read_more()? {}
        Ok((self.end - self.start).min(count))
    }

    /// Drops the first `count` bytes, all of which must be ahead.
    pub(super) fn pass(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start, "only bytes ahead can be passed");
        self.start += count;
        self.consumed_len = self.consumed_len.saturating_sub(count);
        self.offset += count as u64;
        if self.buffer.len() > MAX_IDLE_LEN && self.end - self.start < self.buffer.len() / 8 {
            self.shrink();
        }
    }

    /// Passes the next `left` bytes, and reads the missing ones; `false` if the source ends first.
    pub(super) fn skip(&mut self, mut left: u64) -> io::Result<bool> {
        while left > 0 {
            let chunk_len = usize::try_from(left).unwrap_or(usize::MAX).min(CHUNK_LEN);
            let available = self.fill_to(chunk_len)?;
            self.pass(available);
            if available < chunk_len {
                return Ok(false);
            }
            left -= chunk_len as u64;
        }
        Ok(true)
    }

    /// Frees most of a large buffer while few bytes are ahead.
    #[cold]
    fn shrink(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        self.buffer.truncate(self.end.max(CHUNK_LEN));
        self.buffer.shrink_to_fit();
    }

    /// Returns all bytes ahead, `count` in number. Moves the buffer out if it has at least
    /// [`MIN_MOVED`] bytes, else copies them, so that the buffer can be reused.
    pub(super) fn copy_or_take_ahead(&mut self, count: usize) -> Vec<u8> {
        if count < MIN_MOVED { self.ahead()[..count].to_owned() } else { self.take_buffer(count) }
    }

    /// Moves the buffer out with all bytes ahead, `count` in number, or copies the bytes if they do
    /// not begin the buffer. Only results of [`MIN_MOVED`] bytes or more are shrunk to fit.
    pub(super) fn take_buffer(&mut self, count: usize) -> Vec<u8> {
        debug_assert_eq!(count, self.end - self.start);
        if self.start > 0 {
            return self.ahead()[..count].to_owned();
        }
        let mut bytes = std::mem::take(&mut self.buffer);
        (self.start, self.end) = (0, 0);
        if count >= MIN_MOVED {
            bytes.truncate(count);
            bytes.shrink_to_fit();
        }
        bytes
    }

    /// Lets [`BufRead`] read the lookahead again.
    pub(super) fn rewind(&mut self) {
        self.consumed_len = 0;
    }

    /// Takes the error of the source, if the source failed.
    pub(super) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    pub(super) fn source(&mut self) -> &mut S {
        &mut self.source
    }

    /// Returns the source, and the memory for another reader.
    pub(super) fn into_parts(self) -> (S, Vec<u8>) {
        (self.source, self.buffer)
    }

    /// Reads more bytes; `false` at the end.
    fn read_more(&mut self) -> io::Result<bool> {
        if let Some(error) = self.deferred_error.take() {
            return Err(error);
        }
        if self.buffer.len() - self.end < CHUNK_LEN {
            // The bytes ahead are moved only if at least as many bytes were passed, so moving costs
            // no more than reading.
            if self.start >= self.end - self.start && self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            if self.buffer.len() - self.end < CHUNK_LEN {
                // Grows by a quarter: doubling would waste memory for the largest records.
                let more = (self.buffer.len() / 4).max(CHUNK_LEN);
                self.buffer.resize((self.buffer.len() + more).max(self.end + CHUNK_LEN), 0);
            }
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure = Some(io::Error::new(error.kind(), error.to_string()));
                    return Err(error);
                }
            }
        }
    }
}

impl<S: Read> BufRead for LookaheadReader<S> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start + self.consumed_len == self.end {
            self.read_more()?;
        }
        Ok(&self.buffer[self.start + self.consumed_len..self.end])
    }

    fn consume(&mut self, count: usize) {
        self.consumed_len += count;
    }
}

impl<S: Read> Read for LookaheadReader<S> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buf)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_ahead_until_they_are_passed() {
        let mut reader = LookaheadReader::new(&b"abcdef"[..], Vec::new());
        assert_eq!(reader.fill_to(2).unwrap(), 2);
        assert_eq!(reader.fill_to(9).unwrap(), 6);
        reader.pass(1);
        assert_eq!((reader.offset(), reader.ahead()), (1, &b"bcdef"[..]));
        let mut two = [0; 2];
        reader.read_exact(&mut two).unwrap();
        assert_eq!((&two, reader.consumed(), reader.ahead()), (b"bc", &b"bc"[..], &b"bcdef"[..]));
        reader.pass(1);
        assert_eq!(reader.consumed(), b"c");
        reader.rewind();
        assert_eq!(io::read_to_string(&mut reader).unwrap(), "cdef");
    }

    #[test]
    fn memory_of_many_bytes_is_freed() {
        let mut reader =
            LookaheadReader::new(io::repeat(7).take(2 * MAX_IDLE_LEN as u64), Vec::new());
        assert_eq!(reader.fill_to(2 * MAX_IDLE_LEN).unwrap(), 2 * MAX_IDLE_LEN);
        reader.pass(MAX_IDLE_LEN + 5);
        assert!(reader.buffer.len() >= 2 * MAX_IDLE_LEN);
        reader.pass(MAX_IDLE_LEN - 10);
        assert_eq!((reader.ahead(), reader.offset()), (&[7; 5][..], 2 * MAX_IDLE_LEN as u64 - 5));
        assert!(reader.buffer.capacity() <= 2 * CHUNK_LEN);
    }

    #[test]
    fn the_last_bytes_are_taken_with_or_without_their_memory() {
        for count in [5, MIN_MOVED] {
            let text = vec![b'x'; count];
            let mut reader = LookaheadReader::new(&text[..], Vec::new());
            assert_eq!(reader.fill_to(count + 1).unwrap(), count);
            assert!(reader.copy_or_take_ahead(count) == text);
            assert_eq!(reader.into_parts().1.is_empty(), count == MIN_MOVED);
        }
    }

    #[test]
    fn it_goes_through_any_stream_in_little_memory() {
        let mut reader = LookaheadReader::new(io::repeat(7).take(10_000_019), Vec::new());
        let mut count = 0;
        while reader.fill_to(1000).unwrap() > 0 {
            let chunk_len = reader.ahead().len().min(999);
            reader.pass(chunk_len);
            count += chunk_len;
        }
        assert_eq!((count, reader.offset()), (10_000_019, 10_000_019));
        assert!(reader.buffer.len() <= 4 * CHUNK_LEN);
    }
}
