//! The states of reading an archive.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::mem;
use std::ops::Range;

use super::super::frame::next_in_text;
use super::super::index::IndexEntry;
use super::super::lookahead::LookaheadReader;
use super::super::member::{Member, MemberBuffers};
use super::super::members::OpenMember;
use super::super::outcome::{Entry, Problem, RecordOutcome};
use super::super::record::RecordPosition;
use super::super::record_info::RecordInfo;
use super::super::record_type::{PayloadKind, RecordOptions};
use super::super::zstd::Dictionary;
use super::segment::{RecordSpan, Segment};

/// Bytes copied at a time.
pub(super) const STEP: usize = 1 << 20;

/// Bytes searched at a time for the next record; one in the last [`MARGIN`] bytes is inspected again
/// with the following bytes.
pub(super) const WINDOW: usize = 64 * 1024;
pub(super) const MARGIN: usize = 4 * 1024;

/// Bytes before the place where damage shows that are searched for the next member: damaged headers
/// of Zstandard blocks make up to 128 KiB each a part of it.
pub(super) const BACK: usize = 1 << 20;

/// Maximum bytes of a window whose memory is kept for the next member.
const MAX_KEPT_WINDOW: u64 = 8 << 20;

/// Bytes that may be read again at the beginning of an archive.
const READ_AGAIN: u64 = 16 << 20;

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
    pub(super) ready: VecDeque<Segment>,
    /// Records of the open compressed member, whose length is not known yet.
    pub(super) indexed: Vec<IndexEntry>,
    /// Memory for the next compressed member of each codec.
    pub(super) buffers: Vec<MemberBuffers>,
    /// Memory of the last group, for a reader that returns it before it reads the next segment.
    pub(in super::super) returned: Option<Vec<u8>>,
    pub(in super::super) purpose: Purpose,
    /// Bytes that were read again after damage.
    pub(super) read_again: u64,
}

/// Why an archive is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) enum Purpose {
    /// For its documents: no other bytes are kept, and nothing is compressed.
    #[default]
    Read,
    /// For a new archive.
    Write,
}

/// The state of reading.
#[derive(Debug)]
pub(super) enum State<R> {
    /// At a record that is not compressed, a compressed member, or the end.
    Between(LookaheadReader<R>),
    /// In a large uncompressed record, or in a skippable frame, with this many bytes left.
    Copy(LookaheadReader<R>, u64, Option<Box<Entry>>),
    /// After damage, searching for a record from this offset ahead.
    Lost(LookaheadReader<R>, usize),
    /// In a compressed member.
    Member(Box<MemberContent<R>>),
    /// In a large record of a compressed member.
    Large(Box<OversizedRecord<R>>),
    Done,
}

impl<R: Read> Segments<R> {
    /// Bytes that the decoder of the open member keeps.
    pub(in super::super) fn window(&mut self) -> u64 {
        match &mut self.state {
            State::Member(inside) => inside.reader.source().window(),
            State::Large(large) => large.inside.reader.source().window(),
            _ => 0,
        }
    }

    /// Reports a record that is not processed.
    pub(super) fn report(&mut self, position: RecordPosition, outcome: RecordOutcome) {
        self.ready.push_back(Segment::Skipped(Box::new(Entry::at(position, outcome))));
    }

    /// Reports what is kept of a record.
    pub(super) fn report_info(&mut self, info: Option<RecordInfo>) {
        self.ready.extend(info.map(Segment::Info));
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() && self.purpose != Purpose::Read {
            self.ready.push_back(Segment::Bytes(bytes.to_owned()));
        }
    }

    /// The compressed bytes of a member, if they are written again.
    pub(super) fn kept(&self, member: &[u8]) -> Vec<u8> {
        if self.purpose == Purpose::Read { Vec::new() } else { member.to_owned() }
    }

    /// Reports a damaged member; fails if the file cannot be read.
    pub(super) fn report_broken(
        &mut self,
        inside: &mut MemberContent<R>,
        position: RecordPosition,
        problem: Problem,
    ) -> io::Result<()> {
        if let Some(failure) = inside.reader.source().raw().failure() {
            return Err(failure);
        }
        if inside.is_reported {
            return Ok(());
        }
        self.report(position, RecordOutcome::Failed(problem));
        Ok(())
    }

    /// The stream of a member.
    pub(super) fn leave(&mut self, inside: MemberContent<R>) -> LookaheadReader<R> {
        let mut inside = inside;
        let start = inside.reader.source().start();
        let (member, mut content) = inside.reader.into_parts();
        if content.is_empty() {
            content = self.returned.as_mut().map(mem::take).unwrap_or_default();
        }
        let is_kept = member.window() <= MAX_KEPT_WINDOW;
        let (raw, buffers) = member.into_parts(content);
        if is_kept {
            self.buffers.push(buffers);
        }
        let length = raw.offset() + raw.taken().len() as u64 - start;
        for mut entry in self.indexed.drain(..) {
            entry.length = length;
            self.ready.push_back(Segment::Info(RecordInfo::Index(Box::new(entry))));
        }
        raw
    }

    /// Returns the stream of a damaged member, and the range ahead in which to search for the next
    /// record.
    ///
    /// Damage shows some bytes after its place, and by then the next members may have been read as a
    /// part of this one. In an archive of damaged members, each could be read as a part of all before
    /// it, so no more bytes are read again than come before them, and [`READ_AGAIN`].
    pub(super) fn leave_broken(
        &mut self,
        mut inside: MemberContent<R>,
    ) -> (LookaheadReader<R>, Range<usize>) {
        let start = inside.reader.source().start();
        let mut raw = self.leave(inside);
        let taken = raw.taken().len();
        let back = taken.min(BACK);
        let again = self.read_again + back as u64;
        let from = if again > start + READ_AGAIN {
            taken
        } else {
            self.read_again = again;
            taken - back
        };
        raw.take_back();
        (raw, from.max(1)..taken.max(1))
    }
}

/// The problem of a damaged member.
pub(super) fn unreadable(error: &io::Error) -> Problem {
    Problem::new(match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            "record is truncated: its compressed member has no end".to_owned()
        }
        _ => format!("its compressed member cannot be read: {error}"),
    })
}
/// An open compressed member. Its content from the first pending record is in the lookahead, and its
/// compressed bytes are in that of the raw stream.
#[derive(Debug)]
pub(super) struct MemberContent<R> {
    pub(super) reader: LookaheadReader<Member<R>>,
    pub(super) parts: Vec<RecordSpan>,
    /// The end of the parts in the lookahead.
    pub(super) at: usize,
    /// Whether some of its records were emitted.
    pub(super) is_split: bool,
    /// Whether the current problem is reported already.
    pub(super) is_reported: bool,
}

impl<R: Read> MemberContent<R> {
    pub(super) fn new(reader: LookaheadReader<Member<R>>) -> Self {
        Self { reader, parts: Vec::new(), at: 0, is_split: false, is_reported: false }
    }

    /// The position of the next record.
    pub(super) fn position(&mut self) -> RecordPosition {
        let within = self.reader.offset() + self.at as u64;
        RecordPosition { offset: self.reader.source().start(), within }
    }

    pub(super) fn add(&mut self, end: usize, payload: PayloadKind) {
        let position = self.position();
        self.is_reported = payload == PayloadKind::Junk;
        match self.parts.last_mut() {
            Some(last) if payload == PayloadKind::Junk && last.payload == payload => last.end = end,
            _ => self.parts.push(RecordSpan { position, start: self.at, end, payload }),
        }
        self.at = end;
    }

    pub(super) fn has_records(&self) -> bool {
        self.parts.iter().any(|part| part.payload != PayloadKind::Junk)
    }

    /// Skips bytes that are not a record, up to a record or the end, or the limit.
    pub(super) fn skip(&mut self, most: usize) -> io::Result<Skipped> {
        let mut from = self.at;
        loop {
            if let Some(found) = next_in_text(&self.reader.ahead()[from..]) {
                self.add(from + found, PayloadKind::Junk);
                return Ok(Skipped::Junk);
            }
            let known = self.reader.ahead().len();
            from = known.saturating_sub(5).max(self.at);
            if known - self.at > most {
                self.add(known, PayloadKind::Junk);
                return Ok(Skipped::TooMuch);
            }
            if self.reader.ensure(known + 1)? == known {
                self.add(known, PayloadKind::Junk);
                return Ok(Skipped::Junk);
            }
        }
    }
}

pub(super) enum Skipped {
    Junk,
    TooMuch,
}

/// The rest of a large record.
#[derive(Debug)]
pub(super) struct RemainingBlock {
    pub(super) position: RecordPosition,
    /// Bytes up to the end of its block.
    pub(super) left: u64,
    pub(super) payload: PayloadKind,
}

/// A large record of a compressed member.
#[derive(Debug)]
pub(super) struct OversizedRecord<R> {
    pub(super) inside: MemberContent<R>,
    /// `None` copies the rest of the member with it.
    pub(super) rest: Option<RemainingBlock>,
    pub(super) mode: CopyMode,
}

/// How a large record of a compressed member is copied.
#[derive(Debug)]
pub(super) enum CopyMode {
    /// With the compressed bytes of its member.
    Raw,
    /// As a new member.
    Split(OpenMember),
    /// Not at all: the archive is only read.
    Discard,
}

impl<R: Read> OversizedRecord<R> {
    /// Copies the bytes ahead.
    pub(super) fn step(&mut self) -> io::Result<()> {
        let reader = &mut self.inside.reader;
        let mut step = reader.ahead().len();
        if let Some(rest) = &mut self.rest {
            step = usize::try_from(rest.left).unwrap_or(usize::MAX).min(step);
            rest.left -= step as u64;
        }
        if let CopyMode::Split(member) = &mut self.mode {
            member.write(&reader.ahead()[..step])?;
        }
        reader.pass(step);
        Ok(())
    }
}
