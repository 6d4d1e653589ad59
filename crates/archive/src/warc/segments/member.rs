//! Reads the records of a compressed member.

use std::io::{self, Read};
use std::mem;
use std::ops::Range;

use absolve::{Diagnosis, HasAdvice};

use super::super::frame::{
    Extent, Frame, FrameError, SpanKind, find_next_member, find_next_start, read_frame,
};
use super::super::lookahead::LookaheadReader;
use super::super::record::RecordPosition;
use super::super::unread::RecordProblem;
use super::{BACK, MARGIN, MemberContent, RecordSpan, Segments, State};
use crate::codec::WrongChecksum;

/// Maximum bytes of buffered records of a member after its split.
const MAX_BUFFERED: usize = 1 << 20;

/// Maximum buffered records of a member: data about a small record is larger than the record.
const MAX_PARTS: usize = 16 * 1024;

/// Maximum bytes of a window of a decoder that is kept for the next member.
const MAX_KEPT_WINDOW: u64 = 8 << 20;

/// Maximum bytes that are read again beyond the offset of the damaged member.
const MAX_READ_AGAIN: u64 = 16 << 20;

impl<R: Read> Segments<R> {
    /// Reads the records of a member, up to its end or a full buffer.
    pub(super) fn read_member(&mut self, mut inside: MemberContent<R>) -> io::Result<State<R>> {
        let max_in_memory = self.options.limits.max_in_memory();
        loop {
            match inside.reader.ensure(inside.at + 1) {
                Ok(available) if available <= inside.at => return Ok(self.close_member(inside)),
                Ok(_) => {}
                Err(error) => return self.handle_broken(inside, &error),
            }
            // Records wait for the checksum at the end of their member, but not after a split.
            let max = if inside.is_split { MAX_BUFFERED } else { usize::MAX };
            if inside.at > max_in_memory.min(max) || inside.parts.len() >= MAX_PARTS {
                self.split_member(&mut inside);
                return Ok(State::Member(Box::new(inside)));
            }
            let (at, position) = (inside.at, inside.position());
            match read_frame(&mut inside.reader, at, position, &self.options) {
                Ok(Frame { extent: Extent::Complete(end), kind, capture }) => {
                    self.report_capture(capture);
                    inside.add(end, kind);
                }
                Ok(Frame { extent: Extent::Large(length), kind, capture }) => {
                    self.report_capture(capture);
                    self.split_member(&mut inside);
                    match inside.pass_over(length) {
                        Ok(true) if kind.is_page() => {
                            self.report(position, RecordProblem::TooLarge);
                        }
                        Ok(true) => {}
                        Ok(false) => {
                            let why = "record is truncated: its compressed member ends inside it";
                            self.report(position, RecordProblem::damaged(why));
                            return Ok(self.close_member(inside));
                        }
                        Err(error) => {
                            self.report_broken(&mut inside, position, member_problem(&error))?;
                            let (raw, range) = self.leave_broken(inside);
                            return State::skip_damage(raw, range.start);
                        }
                    }
                }
                Err(FrameError::Read(error)) => return self.handle_broken(inside, &error),
                Err(FrameError::Damage(why)) => {
                    if !mem::replace(&mut inside.is_reported, true) {
                        self.report(position, why);
                    }
                    if let Err(error) = inside.skip(max_in_memory) {
                        return self.handle_broken(inside, &error);
                    }
                }
            }
        }
    }

    /// Emits the buffered records before the end of the member, so that memory stays limited.
    fn split_member(&mut self, inside: &mut MemberContent<R>) {
        let has_pages = inside.has_pages();
        let parts = mem::take(&mut inside.parts);
        if has_pages {
            self.report_pages(inside.reader.ahead()[..inside.at].to_owned(), parts);
        }
        inside.reader.pass(inside.at);
        inside.at = 0;
        inside.is_split = true;
        inside.pass_raw();
    }

    /// Emits the buffered records at the end of a member.
    fn close_member(&mut self, mut inside: MemberContent<R>) -> State<R> {
        let parts = mem::take(&mut inside.parts);
        let text = match &self.returned {
            _ if !parts.iter().any(|part| part.kind.is_page()) => Vec::new(),
            Some(_) => inside.reader.take_buffer(inside.at),
            None => inside.reader.copy_or_take_ahead(inside.at),
        };
        let mut raw = self.leave_member(inside);
        raw.pass(raw.consumed().len());
        self.report_pages(text, parts);
        State::Between(raw)
    }

    /// Reports a damaged member, emits its records, and searches for the next member.
    fn handle_broken(
        &mut self,
        mut inside: MemberContent<R>,
        error: &io::Error,
    ) -> io::Result<State<R>> {
        let has_records = inside.has_records();
        let is_suspect = is_suspect(error) && has_records && !inside.is_split;
        if !is_suspect {
            if has_records || inside.is_split {
                self.add_last(&mut inside);
            }
            let is_whole = inside.at > 0 && inside.at == inside.reader.ahead().len();
            let problem = if is_whole { end_problem(error) } else { member_problem(error) };
            let position = inside.position();
            self.report_broken(&mut inside, position, problem)?;
        }
        let ahead_len = inside.reader.ahead().len();
        if ahead_len > inside.at {
            inside.add(ahead_len, SpanKind::Junk);
        }
        if is_suspect {
            self.report_suspect(&inside.parts, error);
        } else if inside.has_pages() {
            self.report_pages(inside.reader.ahead().to_owned(), mem::take(&mut inside.parts));
        }
        let is_split = inside.is_split;
        let (mut raw, Range { start: from, end: consumed }) = self.leave_broken(inside);
        if is_split || !has_records {
            return State::skip_damage(raw, from);
        }
        // The broken member ends at the next member. Uncompressed records in the bytes of the
        // broken member are its own content, in stored blocks.
        raw.ensure(consumed + MARGIN)?;
        let after = &raw.ahead()[from - 1..];
        let is_after = |at: &usize| from - 1 + at >= consumed;
        let next = find_next_member(after).or_else(|| find_next_start(after).filter(is_after));
        let next = next.map(|at| from - 1 + at);
        raw.pass(next.unwrap_or(consumed));
        if next.is_some() { Ok(State::Between(raw)) } else { State::skip_damage(raw, 0) }
    }

    /// Adds the complete records among the last bytes of a broken member.
    fn add_last(&mut self, inside: &mut MemberContent<R>) {
        loop {
            let position = inside.position();
            let mut rest = LookaheadReader::new(&inside.reader.ahead()[inside.at..], Vec::new());
            let frame = read_frame(&mut rest, 0, position, &self.options);
            let Ok(Frame { extent: Extent::Complete(end), kind, capture }) = frame else {
                return;
            };
            self.report_capture(capture);
            inside.add(inside.at + end, kind);
        }
    }

    /// Reports the records of a member with damage at an unknown position.
    fn report_suspect(&mut self, parts: &[RecordSpan], error: &io::Error) {
        // Junk is reported too: at the end, it may be the rest of the last record.
        let is_reported = |part: &RecordSpan| !matches!(part.kind, SpanKind::Other);
        let has_reported = parts.iter().any(is_reported);
        for (number, part) in parts.iter().enumerate() {
            if is_reported(part) || (!has_reported && number == 0) {
                self.report(part.position, member_problem(error));
            }
        }
    }

    /// Reports a damaged member; fails if the file cannot be read.
    fn report_broken(
        &mut self,
        inside: &mut MemberContent<R>,
        position: RecordPosition,
        problem: RecordProblem,
    ) -> io::Result<()> {
        if let Some(failure) = inside.reader.source().raw().take_failure() {
            return Err(failure);
        }
        if !inside.is_reported {
            self.report(position, problem);
        }
        Ok(())
    }

    /// Returns the stream of a member, and keeps its buffers for the next member.
    fn leave_member(&mut self, inside: MemberContent<R>) -> LookaheadReader<R> {
        let (member, mut content) = inside.reader.into_parts();
        if content.is_empty() {
            content = self.returned.as_mut().map(mem::take).unwrap_or_default();
        }
        let is_kept = member.window() <= MAX_KEPT_WINDOW;
        let (raw, buffers) = member.into_parts(content);
        if is_kept {
            self.buffers.push(buffers);
        }
        raw
    }

    /// Returns the stream of a damaged member, and the range ahead in which to search for the next
    /// record.
    ///
    /// Damage is detected some bytes after its position. By then, the next members may have been
    /// read as a part of this member, so the search begins some bytes back. In an archive of
    /// damaged members, each member could be read again for all members before it. Therefore all
    /// bytes read again are limited to the offset of this member plus [`MAX_READ_AGAIN`].
    fn leave_broken(&mut self, mut inside: MemberContent<R>) -> (LookaheadReader<R>, Range<usize>) {
        let start = inside.reader.source().start();
        let mut raw = self.leave_member(inside);
        let consumed = raw.consumed().len();
        let back = consumed.min(BACK);
        let read_again = self.read_again + back as u64;
        let from = if read_again > start + MAX_READ_AGAIN {
            consumed
        } else {
            self.read_again = read_again;
            consumed - back
        };
        raw.rewind();
        (raw, from.max(1)..consumed.max(1))
    }
}

/// Whether a member has a wrong checksum, so that any of its records may be damaged.
fn is_suspect(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(error) if error.is::<WrongChecksum>())
}

/// Describes the problem of a damaged member.
fn member_problem(error: &io::Error) -> RecordProblem {
    let why = match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            "record is truncated: its compressed member has no end".to_owned()
        }
        _ => format!("its compressed member cannot be read: {error}"),
    };
    RecordProblem::Damaged(Diagnosis::new(why).advising(error.advice()))
}

/// Describes the problem of a broken member whose records could be read.
fn end_problem(error: &io::Error) -> RecordProblem {
    let why = match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            "the records before it are whole, but their compressed member has no end".to_owned()
        }
        _ => format!(
            "the records before it are whole, but their compressed member cannot be read to its end: {error}"
        ),
    };
    RecordProblem::Damaged(Diagnosis::new(why).advising(error.advice()))
}
