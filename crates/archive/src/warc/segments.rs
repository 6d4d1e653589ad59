//! Splits an archive into segments: documents, records that cannot be read, captures.

mod member;
mod state;

use std::collections::VecDeque;
use std::io::ErrorKind::InvalidData;
use std::io::{self, Read, Seek, SeekFrom};

use super::super::Format;
use super::super::signature::BEGINNING;
use super::codec::Codec;
use super::frame::{self, Extent, Frame, FrameError, RecordOptions, frame};
use super::lookahead::LookaheadReader;
use super::member::{Member, MemberBuffers};
use super::record::RecordPosition;
use super::unread::RecordProblem;
use super::zstd::{self, Dictionary, SKIPPABLE_HEADER};
use state::{MemberContent, RecordSpan, State};

pub(super) use state::{Segment, Segments};

/// The largest record that is trusted without inspecting its end: 1 TiB.
const TRUSTED: u64 = 1 << 40;

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
            buffers: Vec::new(),
            returned: None,
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
                State::Member(inside) => self.inside(*inside),
                State::Done => return None,
            };
            match next {
                Ok(state) => self.state = state,
                // Segments before the error come first.
                Err(error) => self.ready.push_back(Err(error)),
            }
        }
        self.ready.pop_front()
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
            let is_whole = raw.pass_over(size)?;
            return Ok(if is_whole { State::Between(raw) } else { State::Done });
        }
        self.plain(raw)
    }

    /// Reads an uncompressed record.
    fn plain(&mut self, mut raw: LookaheadReader<R>) -> io::Result<State<R>> {
        let position = RecordPosition { offset: raw.offset(), within: 0 };
        let Frame { extent, kind, capture } = match frame(&mut raw, 0, position, &self.options) {
            Ok(frame) => frame,
            Err(FrameError::Read(error)) => return Err(error),
            Err(FrameError::Damage(why)) => return self.damaged(raw, position, why),
        };
        match extent {
            Extent::Complete(end) => {
                self.report_capture(capture);
                if kind.is_page() {
                    let text = raw.ahead()[..end].to_owned();
                    self.report_pages(text, vec![RecordSpan { position, start: 0, end, kind }]);
                }
                raw.pass(end);
            }
            Extent::Large(length) => {
                if let Some(why) = self.large_is_wrong(&mut raw, length)? {
                    return self.damaged(raw, position, RecordProblem::damaged(why));
                }
                self.report_capture(capture);
                if !raw.pass_over(length)? {
                    let why = "record is truncated: the file ends inside it";
                    self.report(position, RecordProblem::damaged(why));
                    return Ok(State::Done);
                }
                if kind.is_page() {
                    self.report(position, RecordProblem::TooLarge);
                }
                let ends = frame::line_ends(&mut raw, 0)?;
                raw.pass(ends);
            }
        }
        Ok(State::Between(raw))
    }

    fn damaged(
        &mut self,
        raw: LookaheadReader<R>,
        position: RecordPosition,
        problem: RecordProblem,
    ) -> io::Result<State<R>> {
        self.report(position, problem);
        State::after_damage(raw, 0)
    }

    /// The problem with the length of a large record, of which only the head is read.
    fn large_is_wrong(
        &self,
        raw: &mut LookaheadReader<R>,
        length: u64,
    ) -> io::Result<Option<&'static str>> {
        let Some(probe) = self.probe else {
            let why = "its Content-Length is wrong: it is more than a TiB";
            return Ok((length > TRUSTED).then_some(why));
        };
        let Some(ahead) = length.checked_sub(raw.ahead().len() as u64) else { return Ok(None) };
        Ok(match probe(raw.source(), ahead)? {
            None => Some("record is truncated: the file ends inside it"),
            Some([b'\r', b'\n', ..] | [b'\n', ..] | [b'W', b'A', b'R', b'C']) => None,
            Some(_) => Some("its Content-Length is wrong: no record ends where it says"),
        })
    }
}

/// Fails for a file of another type, such as ZIP.
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
