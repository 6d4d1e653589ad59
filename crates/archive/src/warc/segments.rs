//! Splits an archive into segments: documents, records that cannot be read, and captures.

mod member;

use std::collections::VecDeque;
use std::io::ErrorKind::InvalidData;
use std::io::{self, Read, Seek, SeekFrom};

use super::capture::Capture;
use super::frame::{
    self, Extent, Frame, FrameError, SpanKind, count_line_ends, find_next_in_text, read_frame,
};
use super::lookahead::LookaheadReader;
use super::member::{Member, MemberBuffers};
use super::options::RecordOptions;
use super::record::{REPORT_SIZE, RecordPosition};
use super::unread::{RecordProblem, UnreadRecord};
use super::zstd::{self, Dictionary, SKIPPABLE_HEADER_LEN};
use crate::Format;
use crate::codec::Codec;
use crate::signature::BEGINNING_LEN;

/// Maximum bytes searched at a time for the next record.
const MAX_SEARCHED: usize = 64 * 1024;

/// Bytes at the end of a search that are searched again with the bytes after them, since a record
/// that begins there may be incomplete.
const MARGIN_LEN: usize = 4 * 1024;

/// Bytes before visible damage in which the next member is searched: a damaged header of a
/// Zstandard block can make up to 128 KiB of other members a part of the damaged member.
const SEARCH_BACK_LEN: usize = 1 << 20;

/// A segment of an archive.
#[derive(Debug)]
pub(super) enum Segment {
    /// Records with documents.
    Pages {
        /// The uncompressed bytes of the records, and of other records between and after them.
        text: Vec<u8>,
        /// The records in `text` that have documents.
        pages: Vec<RecordSpan>,
    },
    /// A record that cannot be read.
    Unread(Box<UnreadRecord>),
    /// A record that belongs to a URL.
    Capture(Box<Capture>),
}

/// A record, or junk, in a text.
#[derive(Debug)]
pub(super) struct RecordSpan {
    pub(super) position: RecordPosition,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: SpanKind,
}

impl Segment {
    /// Returns its size in memory.
    pub(super) fn mem_size(&self) -> usize {
        match self {
            Self::Unread(_) | Self::Capture(_) => REPORT_SIZE,
            Self::Pages { text, pages } => {
                let parsed: usize = pages.iter().map(|page| page.kind.mem_size()).sum();
                text.len() + pages.len() * REPORT_SIZE + parsed
            }
        }
    }
}

/// A function that reads four bytes at a distance from the current position.
type Probe<R> = fn(&mut R, u64) -> io::Result<Option<[u8; 4]>>;

/// Reads an archive segment by segment.
#[derive(Debug)]
pub(super) struct Segments<R> {
    state: State<R>,
    /// The offset of the first byte.
    start: u64,
    pub(super) options: RecordOptions,
    /// The dictionary of its Zstandard frames, if there is one.
    dictionary: Option<Dictionary>,
    /// Inspects the end of a large record; `None` for a stream, which cannot seek.
    probe: Option<Probe<R>>,
    /// Segments that are read and not returned.
    ready: VecDeque<io::Result<Segment>>,
    /// Memory for the next compressed member of each codec.
    buffers: Vec<MemberBuffers>,
    /// The buffer for the next text, which the reader gives back; `None` if readers keep the texts.
    pub(super) text_buffer: Option<Vec<u8>>,
    /// Bytes that were read again after damage.
    read_again: u64,
}

/// The position in an archive.
#[derive(Debug)]
enum State<R> {
    /// At a record that is not compressed, a compressed member, or the end.
    Between(LookaheadReader<R>),
    /// In a compressed member.
    Member(Box<OpenMember<R>>),
    Done,
}

impl<R: Read> State<R> {
    /// Skips damage up to a record that begins after the first byte ahead and not before `from`.
    fn skip_damage(mut raw: LookaheadReader<R>, from: usize) -> io::Result<Self> {
        // The search needs the byte before `from`, to detect the start of a line.
        raw.pass(from.saturating_sub(1));
        loop {
            let available = raw.fill_to(MAX_SEARCHED)?;
            // At the end of the bytes, but not of the file, a record may be incomplete.
            let is_last = available < MAX_SEARCHED;
            let end = if is_last { available } else { available - MARGIN_LEN };
            let start = frame::find_next_start(&raw.ahead()[..available]).filter(|&at| at < end);
            raw.pass(start.unwrap_or(if is_last { available } else { end - 1 }));
            if start.is_some() {
                return Ok(Self::Between(raw));
            }
            if is_last {
                return Ok(Self::Done);
            }
        }
    }
}

/// An open compressed member. Its lookahead has the content from the first buffered record on, and
/// the lookahead of the raw stream has the compressed bytes.
#[derive(Debug)]
struct OpenMember<R> {
    reader: LookaheadReader<Member<R>>,
    /// The buffered records, and junk between them.
    spans: Vec<RecordSpan>,
    /// The end of the spans in the lookahead.
    spans_end: usize,
    /// Whether some of its records were emitted before its end.
    is_split: bool,
    /// Whether the current problem is reported already.
    is_reported: bool,
}

impl<R: Read> OpenMember<R> {
    pub(super) fn new(reader: LookaheadReader<Member<R>>) -> Self {
        Self { reader, spans: Vec::new(), spans_end: 0, is_split: false, is_reported: false }
    }

    /// Returns the bytes of content that its decoder keeps.
    pub(super) fn window_size(&mut self) -> u64 {
        self.reader.source().window_size()
    }

    /// Returns the position of the next record.
    fn position(&mut self) -> RecordPosition {
        let within = self.reader.offset() + self.spans_end as u64;
        RecordPosition { offset: self.reader.source().start(), within }
    }

    fn add(&mut self, end: usize, kind: SpanKind) {
        let position = self.position();
        self.is_reported = kind.is_junk();
        match self.spans.last_mut() {
            Some(last) if kind.is_junk() && last.kind.is_junk() => last.end = end,
            _ => self.spans.push(RecordSpan { position, start: self.spans_end, end, kind }),
        }
        self.spans_end = end;
    }

    fn has_pages(&self) -> bool {
        self.spans.iter().any(|span| span.kind.is_page())
    }

    fn has_records(&self) -> bool {
        self.spans.iter().any(|span| !span.kind.is_junk())
    }

    /// Skips junk up to the next record or the end, but little more than `max` bytes.
    fn skip_junk(&mut self, max: usize) -> io::Result<()> {
        let mut from = self.spans_end;
        loop {
            if let Some(at) = find_next_in_text(&self.reader.ahead()[from..]) {
                self.add(from + at, SpanKind::Junk);
                return Ok(());
            }
            let ahead_len = self.reader.ahead().len();
            // The last bytes may be a line end and the beginning of a record.
            from = ahead_len.saturating_sub(5).max(self.spans_end);
            if ahead_len - self.spans_end > max || self.reader.fill_to(ahead_len + 1)? == ahead_len
            {
                self.add(ahead_len, SpanKind::Junk);
                return Ok(());
            }
        }
    }

    /// Skips a record of this length and its line ends; `false` if the record is truncated.
    fn skip_record(&mut self, mut left: u64) -> io::Result<bool> {
        while left > 0 {
            if self.reader.fill_to(1)? == 0 {
                return Ok(false);
            }
            let ahead = self.reader.ahead().len();
            let passed_len = usize::try_from(left).unwrap_or(usize::MAX).min(ahead);
            left -= passed_len as u64;
            self.reader.pass(passed_len);
            self.pass_raw();
        }
        let ends = count_line_ends(&mut self.reader, 0)?;
        self.reader.pass(ends);
        Ok(true)
    }

    /// Passes compressed bytes that are too far back for a search for the next member.
    fn pass_raw(&mut self) {
        let raw = self.reader.source().raw();
        raw.pass(raw.consumed().len().saturating_sub(SEARCH_BACK_LEN));
    }
}

impl<R: Read> Segments<R> {
    /// Returns the bytes of content that the decoder of the open member keeps.
    pub(super) fn window_size(&mut self) -> u64 {
        match &mut self.state {
            State::Member(member) => member.window_size(),
            State::Between(_) | State::Done => 0,
        }
    }

    /// Reports a record that cannot be read.
    fn report(&mut self, position: RecordPosition, problem: RecordProblem) {
        let unread = Box::new(UnreadRecord::new(position, problem));
        self.ready.push_back(Ok(Segment::Unread(unread)));
    }

    fn report_capture(&mut self, capture: Option<Box<Capture>>) {
        self.ready.extend(capture.map(Segment::Capture).map(Ok));
    }

    /// Reports the documents of a text, if there are any.
    fn report_pages(&mut self, text: Vec<u8>, mut pages: Vec<RecordSpan>) {
        pages.retain(|span| span.kind.is_page());
        if !pages.is_empty() {
            self.ready.push_back(Ok(Segment::Pages { text, pages }));
        }
    }
}

/// Maximum length of a record in a stream, whose end cannot be inspected: 1 TiB.
const MAX_TRUSTED_LEN: u64 = 1 << 40;

impl<R: Read> Segments<R> {
    pub(super) fn new(source: R) -> Self {
        Self::from_offset(source, 0)
    }

    /// Creates segments of a source that is at this offset of the archive.
    fn from_offset(source: R, offset: u64) -> Self {
        Self {
            state: State::Between(LookaheadReader::from_offset(source, offset)),
            start: 0,
            options: RecordOptions::default(),
            dictionary: None,
            probe: None,
            ready: VecDeque::new(),
            buffers: Vec::new(),
            text_buffer: None,
            read_again: 0,
        }
    }

    /// Sets the offset of the first byte, before any byte is read.
    pub(super) fn start_at(&mut self, offset: u64) {
        self.start = offset;
        if let State::Between(raw) = &mut self.state {
            raw.start_at(offset);
        }
    }

    /// Returns the next segment; `None` at the end.
    pub(super) fn next(&mut self) -> Option<io::Result<Segment>> {
        while self.ready.is_empty() {
            let next = match std::mem::replace(&mut self.state, State::Done) {
                State::Between(raw) => self.read_between(raw),
                State::Member(member) => self.read_member(*member),
                State::Done => return None,
            };
            match next {
                Ok(state) => self.state = state,
                // The segments before the error are returned first.
                Err(error) => self.ready.push_back(Err(error)),
            }
        }
        self.ready.pop_front()
    }

    /// Reads an uncompressed record, skips a skippable frame, or opens a compressed member.
    fn read_between(&mut self, mut raw: LookaheadReader<R>) -> io::Result<State<R>> {
        if raw.fill_to(SKIPPABLE_HEADER_LEN)? == 0 {
            return Ok(State::Done);
        }
        if let Some(codec) = Codec::detect(raw.ahead()) {
            let index = self.buffers.iter().position(|buffers| buffers.codec() == codec);
            let buffers = match index.map(|index| self.buffers.swap_remove(index)) {
                Some(buffers) => buffers,
                None => MemberBuffers::new(codec, self.dictionary.as_ref())?,
            };
            let content = Member::open(raw, buffers, self.options.limits);
            return Ok(State::Member(Box::new(OpenMember::new(content))));
        }
        if raw.offset() == self.start {
            check_beginning(&mut raw)?;
        }
        if let Some(size) = zstd::skippable_frame_size(raw.ahead()) {
            if raw.offset() == self.start {
                self.dictionary = Dictionary::read(&mut raw, size)?;
            }
            let is_whole = raw.skip(size)?;
            return Ok(if is_whole { State::Between(raw) } else { State::Done });
        }
        self.read_uncompressed(raw)
    }

    /// Reads an uncompressed record.
    fn read_uncompressed(&mut self, mut raw: LookaheadReader<R>) -> io::Result<State<R>> {
        let position = RecordPosition { offset: raw.offset(), within: 0 };
        let Frame { extent, kind, capture } = match read_frame(&mut raw, 0, position, &self.options)
        {
            Ok(frame) => frame,
            Err(FrameError::Read(error)) => return Err(error),
            Err(FrameError::Damage(why)) => return self.report_and_skip(raw, position, why),
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
                if let Some(why) = self.find_length_problem(&mut raw, length)? {
                    return self.report_and_skip(raw, position, RecordProblem::damaged(why));
                }
                self.report_capture(capture);
                if !raw.skip(length)? {
                    let why = "record is truncated: the file ends inside it";
                    self.report(position, RecordProblem::damaged(why));
                    return Ok(State::Done);
                }
                if kind.is_page() {
                    self.report(position, RecordProblem::TooLarge);
                }
                let ends = count_line_ends(&mut raw, 0)?;
                raw.pass(ends);
            }
        }
        Ok(State::Between(raw))
    }

    /// Reports damage, and searches for the next record.
    fn report_and_skip(
        &mut self,
        raw: LookaheadReader<R>,
        position: RecordPosition,
        problem: RecordProblem,
    ) -> io::Result<State<R>> {
        self.report(position, problem);
        State::skip_damage(raw, 0)
    }

    /// Finds the problem with the length of a large record, of which only the head is read.
    fn find_length_problem(
        &self,
        raw: &mut LookaheadReader<R>,
        length: u64,
    ) -> io::Result<Option<&'static str>> {
        let Some(probe) = self.probe else {
            let why = "its Content-Length is wrong: it is more than a TiB";
            return Ok((length > MAX_TRUSTED_LEN).then_some(why));
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
    raw.fill_to(BEGINNING_LEN)?;
    Format::check_archive(raw.ahead()).map_err(|error| io::Error::new(InvalidData, error))
}

impl<R: Read + Seek> Segments<R> {
    /// Creates segments of a seekable source.
    pub(super) fn seekable(source: R) -> Self {
        Self { probe: Some(probe), ..Self::new(source) }
    }

    /// Creates segments of a seekable source from the record at this offset on.
    pub(super) fn seek(mut source: R, offset: u64) -> io::Result<Self> {
        let mut start = LookaheadReader::new(&mut source, Vec::new());
        start.fill_to(SKIPPABLE_HEADER_LEN)?;
        let dictionary = match zstd::skippable_frame_size(start.ahead()) {
            Some(size) => Dictionary::read(&mut start, size)?,
            None => None,
        };
        source.seek(SeekFrom::Start(offset))?;
        Ok(Self { dictionary, probe: Some(probe), ..Self::from_offset(source, offset) })
    }
}

/// Reads the four bytes at this distance; `None` if they begin after the end of the file. At the
/// end, line ends replace the missing bytes, since the last record may have none.
fn probe<R: Read + Seek>(source: &mut R, ahead: u64) -> io::Result<Option<[u8; 4]>> {
    let here = source.stream_position()?;
    let end = source.seek(SeekFrom::End(0))?;
    let bytes = match here.checked_add(ahead) {
        Some(there) if there <= end => {
            source.seek(SeekFrom::Start(there))?;
            let mut bytes = Vec::new();
            source.by_ref().take(4).read_to_end(&mut bytes)?;
            let mut padded = *b"\r\n\r\n";
            padded[..bytes.len()].copy_from_slice(&bytes);
            Some(padded)
        }
        _ => None,
    };
    source.seek(SeekFrom::Start(here))?;
    Ok(bytes)
}
