//! A writer whose bytes are read in another thread.

use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Bytes that are sent at a time.
const CHUNK: usize = 256 * 1024;

/// Chunks that wait for the reader.
const WAITING: usize = 4;

/// A writer to `output`, and a reader of what was written there. The reader ends when the writer is
/// dropped; the writer does not wait for a reader that is dropped.
pub(super) fn tee<W: Write>(output: W) -> (Tee<W>, Written) {
    let (sender, receiver) = sync_channel(WAITING);
    let tee = Tee { output, chunk: Vec::with_capacity(CHUNK), sender };
    (tee, Written { receiver, chunk: Vec::new(), passed: 0 })
}

/// The writer; it is flushed at the end.
pub(super) struct Tee<W> {
    output: W,
    chunk: Vec<u8>,
    sender: SyncSender<Vec<u8>>,
}

impl<W> Tee<W> {
    fn send(&mut self) {
        let chunk = std::mem::replace(&mut self.chunk, Vec::with_capacity(CHUNK));
        // It fails if the reader was dropped.
        let _ = self.sender.send(chunk);
    }
}

impl<W: Write> Write for Tee<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let most = bytes.len().min(CHUNK - self.chunk.len());
        let written = self.output.write(&bytes[..most])?;
        self.chunk.extend_from_slice(&bytes[..written]);
        if self.chunk.len() == CHUNK {
            self.send();
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.chunk.is_empty() {
            self.send();
        }
        self.output.flush()
    }
}

/// The reader.
pub(in crate::container) struct Written {
    receiver: Receiver<Vec<u8>>,
    chunk: Vec<u8>,
    passed: usize,
}

impl Written {
    /// Bytes that are written already.
    pub(super) fn whole(bytes: Vec<u8>) -> Self {
        Self { receiver: sync_channel(0).1, chunk: bytes, passed: 0 }
    }
}

impl Read for Written {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.passed == self.chunk.len() {
            let Ok(chunk) = self.receiver.recv() else { return Ok(0) };
            (self.chunk, self.passed) = (chunk, 0);
        }
        let read = (&self.chunk[self.passed..]).read(into)?;
        self.passed += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reader_gets_what_is_written() {
        let bytes: Vec<u8> = (0..CHUNK * 2 + 5).map(|number| number.to_le_bytes()[0]).collect();
        let mut output = Vec::new();
        let (mut tee, mut written) = tee(&mut output);
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                let mut read = Vec::new();
                written.read_to_end(&mut read).map(|_| read)
            });
            bytes.chunks(1000).for_each(|chunk| tee.write_all(chunk).unwrap());
            tee.flush().unwrap();
            drop(tee);
            reader.join().unwrap().unwrap()
        });
        assert!(read == bytes && output == bytes);
    }

    #[test]
    fn a_reader_that_is_gone_stops_nothing() {
        let (mut tee, written) = tee(io::sink());
        drop(written);
        let bytes = vec![0; CHUNK];
        for _ in 0..WAITING * 2 {
            tee.write_all(&bytes).unwrap();
        }
    }
}
