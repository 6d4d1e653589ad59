//! Splits an archive into segments whose concatenation is the input, byte for byte.

mod info;
mod member;
mod oversized;
mod plain;
mod segment;
mod state;

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};

use super::limits::ArchiveLimits;
use super::lookahead::LookaheadReader;
use super::member::{MAGIC, Member};
use super::record_type::Interest;
use super::selection::RecordSelection;
use state::{MemberContent, State};

pub(super) use segment::{Form, RecordGroup, RecordSpan, Segment, SkipReason};
pub(super) use state::{Purpose, Segments};

impl<R: Read> Segments<R> {
    pub(super) fn new(source: R, limits: ArchiveLimits) -> Self {
        Self::from(source, 0, limits)
    }

    /// Segments of a source that is at this offset of the archive.
    fn from(source: R, offset: u64, limits: ArchiveLimits) -> Self {
        Self {
            state: State::Between(LookaheadReader::from(source, offset)),
            limits,
            interest: Interest::default(),
            selection: RecordSelection::default(),
            probe: None,
            ready: VecDeque::new(),
            indexed: Vec::new(),
            buffers: None,
            purpose: Purpose::default(),
            damaged_to: 0,
        }
    }

    /// The next segment.
    pub(super) fn next(&mut self) -> Option<io::Result<Segment>> {
        while self.ready.is_empty() {
            let next = match std::mem::replace(&mut self.state, State::Done) {
                State::Between(raw) => self.between(raw),
                State::Plain(raw, rest) => self.plain_rest(raw, rest),
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
        if raw.ensure(MAGIC.len())? == 0 {
            return Ok(State::Done);
        }
        if raw.ahead().starts_with(MAGIC) {
            let buffers = self.buffers.take().unwrap_or_default();
            let (member, memory) = Member::new(raw, buffers, self.limits);
            return Ok(State::Member(Box::new(MemberContent::new(member, memory))));
        }
        self.plain(raw)
    }
}

impl<R: Read + Seek> Segments<R> {
    /// Segments of a seekable source.
    pub(super) fn seekable(source: R, limits: ArchiveLimits) -> Self {
        Self { probe: Some(probe), ..Self::new(source, limits) }
    }

    /// Segments of a seekable source from a record on.
    pub(super) fn seek(mut source: R, offset: u64, limits: ArchiveLimits) -> io::Result<Self> {
        source.seek(SeekFrom::Start(offset))?;
        Ok(Self { probe: Some(probe), ..Self::from(source, offset, limits) })
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
