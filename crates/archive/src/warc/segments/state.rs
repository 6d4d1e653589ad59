//! The state of reading an archive.

use std::collections::VecDeque;
use std::io::{self, Read};

use super::super::capture::Capture;
use super::super::frame::{self, RecordOptions, SpanKind, line_ends, next_in_text};
use super::super::lookahead::LookaheadReader;
use super::super::member::{Member, MemberBuffers};
use super::super::record::{REPORT_SIZE, RecordPosition};
use super::super::unread::{RecordProblem, UnreadRecord};
use super::super::zstd::Dictionary;

/// Bytes searched at a time for the next record; one in the last [`MARGIN`] bytes is inspected again
/// with the following bytes.
pub(super) const WINDOW: usize = 64 * 1024;
pub(super) const MARGIN: usize = 4 * 1024;

/// Bytes before the place where damage shows that are searched for the next member: damaged headers
/// of Zstandard blocks make up to 128 KiB each a part of it.
pub(super) const BACK: usize = 1 << 20;

/// A segment of an archive.
#[derive(Debug)]
pub(in super::super) enum Segment {
    /// Records with documents.
    Pages {
        /// The uncompressed records, and others between them and after them.
        text: Vec<u8>,
        pages: Vec<RecordSpan>,
    },
    /// A record that cannot be read.
    Unread(Box<UnreadRecord>),
    Capture(Box<Capture>),
}

/// A record in a text.
#[derive(Debug)]
pub(in super::super) struct RecordSpan {
    pub(in super::super) position: RecordPosition,
    pub(in super::super) start: usize,
    pub(in super::super) end: usize,
    pub(in super::super) kind: SpanKind,
}

impl Segment {
    /// Its size in memory.
    pub(in super::super) fn size(&self) -> usize {
        match self {
            Self::Unread(_) | Self::Capture(_) => REPORT_SIZE,
            Self::Pages { text, pages } => {
                let parsed: usize = pages.iter().map(|page| page.kind.size()).sum();
                text.len() + pages.len() * REPORT_SIZE + parsed
            }
        }
    }
}

/// Reads the bytes at a distance from the current position.
pub(super) type Probe<R> = fn(&mut R, u64) -> io::Result<Option<[u8; 4]>>;

/// Reads an archive segment by segment.
#[derive(Debug)]
pub(in super::super) struct Segments<R> {
    pub(super) state: State<R>,
    /// The offset of the first byte.
    pub(super) start: u64,
    pub(in super::super) options: RecordOptions,
    /// The dictionary of its Zstandard frames, if there is one.
    pub(super) dictionary: Option<Dictionary>,
    pub(super) probe: Option<Probe<R>>,
    pub(super) ready: VecDeque<io::Result<Segment>>,
    /// Memory for the next compressed member of each codec.
    pub(super) buffers: Vec<MemberBuffers>,
    /// Memory of the last text, for a reader that returns it before it reads the next segment.
    pub(in super::super) returned: Option<Vec<u8>>,
    /// Bytes that were read again after damage.
    pub(super) read_again: u64,
}

/// The state of reading.
#[derive(Debug)]
pub(super) enum State<R> {
    /// At a record that is not compressed, a compressed member, or the end.
    Between(LookaheadReader<R>),
    /// In a compressed member.
    Member(Box<MemberContent<R>>),
    Done,
}

impl<R: Read> State<R> {
    /// Passes over damage, up to the next record, which begins after the first byte ahead and not
    /// before `from`.
    pub(super) fn after_damage(mut raw: LookaheadReader<R>, from: usize) -> io::Result<Self> {
        // The byte before shows the start of a line.
        raw.pass(from.saturating_sub(1));
        loop {
            let there = raw.ensure(WINDOW)?;
            // A record may be cut off at the end of the window, but not at the end of the file.
            let is_last = there < WINDOW;
            let sure = if is_last { there } else { there - MARGIN };
            let found = frame::next_start(&raw.ahead()[..there]).filter(|&at| at < sure);
            raw.pass(found.unwrap_or(if is_last { there } else { sure - 1 }));
            if found.is_some() {
                return Ok(Self::Between(raw));
            }
            if is_last {
                return Ok(Self::Done);
            }
        }
    }
}

/// An open compressed member. Its content from the first pending record is in the lookahead, and its
/// compressed bytes are in that of the raw stream.
#[derive(Debug)]
pub(super) struct MemberContent<R> {
    pub(super) reader: LookaheadReader<Member<R>>,
    pub(super) parts: Vec<RecordSpan>,
    /// The end of the parts in the lookahead.
    pub(super) at: usize,
    /// Whether some of its records were passed.
    pub(super) is_split: bool,
    /// Whether the current problem is reported already.
    pub(super) is_reported: bool,
}

impl<R: Read> MemberContent<R> {
    pub(in super::super) fn new(reader: LookaheadReader<Member<R>>) -> Self {
        Self { reader, parts: Vec::new(), at: 0, is_split: false, is_reported: false }
    }

    /// Bytes that its decoder keeps.
    pub(in super::super) fn window(&mut self) -> u64 {
        self.reader.source().window()
    }

    /// The position of the next record.
    pub(super) fn position(&mut self) -> RecordPosition {
        let within = self.reader.offset() + self.at as u64;
        RecordPosition { offset: self.reader.source().start(), within }
    }

    pub(super) fn add(&mut self, end: usize, kind: SpanKind) {
        let position = self.position();
        self.is_reported = kind.is_junk();
        match self.parts.last_mut() {
            Some(last) if kind.is_junk() && last.kind.is_junk() => last.end = end,
            _ => self.parts.push(RecordSpan { position, start: self.at, end, kind }),
        }
        self.at = end;
    }

    pub(super) fn has_pages(&self) -> bool {
        self.parts.iter().any(|part| part.kind.is_page())
    }

    pub(super) fn has_records(&self) -> bool {
        self.parts.iter().any(|part| !part.kind.is_junk())
    }

    /// Skips bytes that are not a record, up to a record or the end, or the limit.
    pub(super) fn skip(&mut self, most: usize) -> io::Result<()> {
        let mut from = self.at;
        loop {
            if let Some(found) = next_in_text(&self.reader.ahead()[from..]) {
                self.add(from + found, SpanKind::Junk);
                return Ok(());
            }
            let known = self.reader.ahead().len();
            from = known.saturating_sub(5).max(self.at);
            if known - self.at > most || self.reader.ensure(known + 1)? == known {
                self.add(known, SpanKind::Junk);
                return Ok(());
            }
        }
    }

    /// Passes over a record of so many bytes, and the line ends after it; whether it was all there.
    pub(super) fn pass_over(&mut self, mut left: u64) -> io::Result<bool> {
        while left > 0 {
            if self.reader.ensure(1)? == 0 {
                return Ok(false);
            }
            let ahead = self.reader.ahead().len();
            let step = usize::try_from(left).unwrap_or(usize::MAX).min(ahead);
            left -= step as u64;
            self.reader.pass(step);
            self.pass_raw();
        }
        let ends = line_ends(&mut self.reader, 0)?;
        self.reader.pass(ends);
        Ok(true)
    }

    /// Passes the compressed bytes that no search for the next member needs.
    pub(super) fn pass_raw(&mut self) {
        let raw = self.reader.source().raw();
        raw.pass(raw.taken().len().saturating_sub(BACK));
    }
}

impl<R: Read> Segments<R> {
    /// Bytes that the decoder of the open member keeps.
    pub(in super::super) fn window(&mut self) -> u64 {
        match &mut self.state {
            State::Member(member) => member.window(),
            State::Between(_) | State::Done => 0,
        }
    }

    /// Reports a record that cannot be read.
    pub(super) fn report(&mut self, position: RecordPosition, problem: RecordProblem) {
        let unread = Box::new(UnreadRecord::at(position, problem));
        self.ready.push_back(Ok(Segment::Unread(unread)));
    }

    pub(super) fn report_capture(&mut self, capture: Option<Box<Capture>>) {
        self.ready.extend(capture.map(Segment::Capture).map(Ok));
    }

    /// Reports the documents of a text, if there are any.
    pub(super) fn report_pages(&mut self, text: Vec<u8>, mut pages: Vec<RecordSpan>) {
        pages.retain(|span| span.kind.is_page());
        if !pages.is_empty() {
            self.ready.push_back(Ok(Segment::Pages { text, pages }));
        }
    }
}
