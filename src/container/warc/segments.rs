//! Splits an archive into segments whose concatenation is the input, byte for byte.

mod member;
mod oversized;
mod plain;
mod segment;
mod state;

use std::collections::VecDeque;
use std::io::ErrorKind::InvalidData;
use std::io::{self, Read, Seek, SeekFrom};

use super::super::Format;
use super::super::signature::BEGINNING;
use super::codec::Codec;
use super::lookahead::LookaheadReader;
use super::member::{Member, MemberBuffers};
use super::record_type::RecordOptions;
use super::zstd::{self, Dictionary, SKIPPABLE_HEADER};
use state::{MemberContent, State};

pub(super) use segment::{Form, RecordGroup, RecordSpan, Segment};
pub(super) use state::{Purpose, Segments};

impl<R: Read> Segments<R> {
    pub(super) fn new(source: R) -> Self {
        Self::from(source, 0)
    }

    /// Segments of a source that is at this offset of the archive.
    fn from(source: R, offset: u64) -> Self {
        Self {
            state: State::Between(LookaheadReader::from(source, offset)),
            start: 0,
            options: RecordOptions::default(),
            dictionary: None,
            probe: None,
            ready: VecDeque::new(),
            indexed: Vec::new(),
            buffers: Vec::new(),
            returned: None,
            purpose: Purpose::default(),
            read_again: 0,
        }
    }

    /// Counts positions from this offset of the first byte, before anything is read.
    pub(super) fn start_at(&mut self, offset: u64) {
        self.start = offset;
        if let State::Between(raw) = &mut self.state {
            raw.start_at(offset);
        }
    }

    /// The next segment.
    pub(super) fn next(&mut self) -> Option<io::Result<Segment>> {
        while self.ready.is_empty() {
            let next = match std::mem::replace(&mut self.state, State::Done) {
                State::Between(raw) => self.between(raw),
                State::Copy(raw, left, entry) => self.copy(raw, left, entry),
                State::Lost(raw, from) => self.lost(raw, from),
                State::Member(inside) => self.inside(*inside),
                State::Large(large) => self.large(*large),
                State::Done => return None,
            };
            match next {
                Ok(state) => self.state = state,
                Err(error) => return Some(Err(error)),
            }
        }
        self.ready.pop_front().map(Ok)
    }

    fn between(&mut self, mut raw: LookaheadReader<R>) -> io::Result<State<R>> {
        if raw.ensure(SKIPPABLE_HEADER)? == 0 {
            return Ok(State::Done);
        }
        if let Some(codec) = Codec::of(raw.ahead()) {
            let kept = self.buffers.iter().position(|buffers| buffers.codec() == codec);
            let buffers = match kept.map(|kept| self.buffers.swap_remove(kept)) {
                Some(buffers) => buffers,
                None => MemberBuffers::new(codec, self.dictionary.as_ref())?,
            };
            let content = Member::open(raw, buffers, self.options.limits);
            return Ok(State::Member(Box::new(MemberContent::new(content))));
        }
        if raw.offset() == self.start {
            check_beginning(&mut raw)?;
        }
        if let Some(size) = zstd::skippable(raw.ahead()) {
            if raw.offset() == self.start {
                self.dictionary = Dictionary::read(&mut raw, size)?;
            }
            return self.copy(raw, size, None);
        }
        self.plain(raw)
    }
}

/// Fails for a file of another type, such as ZIP, before anything is written.
fn check_beginning<R: Read>(raw: &mut LookaheadReader<R>) -> io::Result<()> {
    raw.ensure(BEGINNING)?;
    Format::check_archive(raw.ahead()).map_err(|error| io::Error::new(InvalidData, error))
}

impl<R: Read + Seek> Segments<R> {
    /// Segments of a seekable source.
    pub(super) fn seekable(source: R) -> Self {
        Self { probe: Some(probe), ..Self::new(source) }
    }

    /// Segments of a seekable source from a record on.
    pub(super) fn seek(mut source: R, offset: u64) -> io::Result<Self> {
        let mut start = LookaheadReader::new(&mut source, Vec::new());
        start.ensure(SKIPPABLE_HEADER)?;
        let dictionary = match zstd::skippable(start.ahead()) {
            Some(size) => Dictionary::read(&mut start, size)?,
            None => None,
        };
        source.seek(SeekFrom::Start(offset))?;
        Ok(Self { dictionary, probe: Some(probe), ..Self::from(source, offset) })
    }
}

/// The bytes at `ahead` bytes from the current position; `None` after the end.
fn probe<R: Read + Seek>(source: &mut R, ahead: u64) -> io::Result<Option<[u8; 4]>> {
    let here = source.stream_position()?;
    let end = source.seek(SeekFrom::End(0))?;
    let found = match here.checked_add(ahead) {
        Some(there) if there <= end => {
            source.seek(SeekFrom::Start(there))?;
            let mut bytes = Vec::new();
            source.by_ref().take(4).read_to_end(&mut bytes)?;
            let mut found = *b"\r\n\r\n";
            found[..bytes.len()].copy_from_slice(&bytes);
            Some(found)
        }
        _ => None,
    };
    source.seek(SeekFrom::Start(here))?;
    Ok(found)
}
