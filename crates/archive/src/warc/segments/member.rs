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
use super::{MARGIN_LEN, OpenMember, RecordSpan, SEARCH_BACK_LEN, Segments, State};
use crate::codec::WrongChecksum;

/// Maximum bytes of buffered records of a member after its split.
const MAX_BUFFERED: usize = 1 << 20;

/// Maximum buffered records of a member: data about a small record is larger than the record.
const MAX_SPANS: usize = 16 * 1024;

/// Maximum bytes of a window of a decoder that is kept for the next member.
const MAX_KEPT_WINDOW: u64 = 8 << 20;

/// Maximum bytes that are read again beyond the offset of the damaged member.
const MAX_READ_AGAIN: u64 = 16 << 20;

impl<R: Read> Segments<R> {
    /// Reads the records of a member, up to its end or a full buffer.
    pub(super) fn read_member(&mut self, mut member: OpenMember<R>) -> io::Result<State<R>> {
        let max_in_memory = self.options.limits.max_in_memory();
        loop {
            match member.reader.fill_to(member.spans_end + 1) {
                Ok(available) if available <= member.spans_end => {
                    return Ok(self.finish_member(member));
                }
                Ok(_) => {}
                Err(error) => return self.handle_damaged(member, &error),
            }
            // Records wait for the checksum at the end of their member, but not after a split.
            let max = if member.is_split { MAX_BUFFERED } else { usize::MAX };
            if member.spans_end > max_in_memory.min(max) || member.spans.len() >= MAX_SPANS {
                self.split_member(&mut member);
                return Ok(State::Member(Box::new(member)));
            }
            let (at, position) = (member.spans_end, member.position());
            match read_frame(&mut member.reader, at, position, &self.options) {
                Ok(Frame { extent: Extent::Complete(end), kind, capture }) => {
                    self.report_capture(capture);
                    member.add(end, kind);
                }
                Ok(Frame { extent: Extent::Large(length), kind, capture }) => {
                    self.report_capture(capture);
                    self.split_member(&mut member);
                    match member.skip_record(length) {
                        Ok(true) if kind.is_page() => {
                            self.report(position, RecordProblem::TooLarge);
                        }
                        Ok(true) => {}
                        Ok(false) => {
                            let why = "record is truncated: its compressed member ends inside it";
                            self.report(position, RecordProblem::damaged(why));
                            return Ok(self.finish_member(member));
                        }
                        Err(error) => {
                            self.report_damaged(
                                &mut member,
                                position,
                                describe_member_damage(&error),
                            )?;
                            let (raw, range) = self.release_damaged(member);
                            return State::skip_damage(raw, range.start);
                        }
                    }
                }
                Err(FrameError::Read(error)) => return self.handle_damaged(member, &error),
                Err(FrameError::Damage(why)) => {
                    if !mem::replace(&mut member.is_reported, true) {
                        self.report(position, why);
                    }
                    if let Err(error) = member.skip_junk(max_in_memory) {
                        return self.handle_damaged(member, &error);
                    }
                }
            }
        }
    }

    /// Emits the buffered records before the end of the member, so that memory stays limited.
    fn split_member(&mut self, member: &mut OpenMember<R>) {
        let has_pages = member.has_pages();
        let spans = mem::take(&mut member.spans);
        if has_pages {
            self.report_pages(member.reader.ahead()[..member.spans_end].to_owned(), spans);
        }
        member.reader.pass(member.spans_end);
        member.spans_end = 0;
        member.is_split = true;
        member.pass_raw();
    }

    /// Emits the buffered records at the end of a member.
    fn finish_member(&mut self, mut member: OpenMember<R>) -> State<R> {
        let spans = mem::take(&mut member.spans);
        let text = match &self.text_buffer {
            _ if !spans.iter().any(|span| span.kind.is_page()) => Vec::new(),
            Some(_) => member.reader.take_buffer(member.spans_end),
            None => member.reader.copy_or_take_ahead(member.spans_end),
        };
        let mut raw = self.release_member(member);
        raw.pass(raw.consumed().len());
        self.report_pages(text, spans);
        State::Between(raw)
    }

    /// Reports a damaged member, emits its records, and searches for the next member.
    fn handle_damaged(
        &mut self,
        mut member: OpenMember<R>,
        error: &io::Error,
    ) -> io::Result<State<R>> {
        let has_records = member.has_records();
        let is_suspect = has_wrong_checksum(error) && has_records && !member.is_split;
        if !is_suspect {
            if has_records || member.is_split {
                self.add_last_records(&mut member);
            }
            let all_whole = member.spans_end > 0 && member.spans_end == member.reader.ahead().len();
            let problem = if all_whole {
                describe_unreadable_end(error)
            } else {
                describe_member_damage(error)
            };
            let position = member.position();
            self.report_damaged(&mut member, position, problem)?;
        }
        let ahead_len = member.reader.ahead().len();
        if ahead_len > member.spans_end {
            member.add(ahead_len, SpanKind::Junk);
        }
        if is_suspect {
            self.report_wrong_checksum(&member.spans, error);
        } else if member.has_pages() {
            self.report_pages(member.reader.ahead().to_owned(), mem::take(&mut member.spans));
        }
        let is_split = member.is_split;
        let (mut raw, Range { start: from, end: consumed }) = self.release_damaged(member);
        if is_split || !has_records {
            return State::skip_damage(raw, from);
        }
        // The damaged member ends at the next member. Uncompressed records in the bytes of the
        // damaged member are its own content, in stored blocks.
        raw.fill_to(consumed + MARGIN_LEN)?;
        // Starts one byte early, so that a record start is seen after its line end.
        let rest = &raw.ahead()[from - 1..];
        let is_beyond = |at: &usize| from - 1 + at >= consumed;
        let next = find_next_member(rest).or_else(|| find_next_start(rest).filter(is_beyond));
        let next = next.map(|at| from - 1 + at);
        raw.pass(next.unwrap_or(consumed));
        if next.is_some() { Ok(State::Between(raw)) } else { State::skip_damage(raw, 0) }
    }

    /// Adds the complete records among the last bytes of a damaged member.
    fn add_last_records(&mut self, member: &mut OpenMember<R>) {
        loop {
            let position = member.position();
            let mut rest =
                LookaheadReader::new(&member.reader.ahead()[member.spans_end..], Vec::new());
            let frame = read_frame(&mut rest, 0, position, &self.options);
            let Ok(Frame { extent: Extent::Complete(end), kind, capture }) = frame else {
                return;
            };
            self.report_capture(capture);
            member.add(member.spans_end + end, kind);
        }
    }

    /// Reports the records of a member with damage at an unknown position.
    fn report_wrong_checksum(&mut self, spans: &[RecordSpan], error: &io::Error) {
        // Junk is reported too: at the end, it may be the rest of the last record.
        let is_reported = |span: &RecordSpan| !matches!(span.kind, SpanKind::Other);
        let has_reported = spans.iter().any(is_reported);
        for (number, span) in spans.iter().enumerate() {
            if is_reported(span) || (!has_reported && number == 0) {
                self.report(span.position, describe_member_damage(error));
            }
        }
    }

    /// Reports a damaged member; fails if the file cannot be read.
    fn report_damaged(
        &mut self,
        member: &mut OpenMember<R>,
        position: RecordPosition,
        problem: RecordProblem,
    ) -> io::Result<()> {
        if let Some(failure) = member.reader.source().raw().take_failure() {
            return Err(failure);
        }
        if !member.is_reported {
            self.report(position, problem);
        }
        Ok(())
    }

    /// Returns the stream of a member, and keeps its buffers for the next member.
    fn release_member(&mut self, member: OpenMember<R>) -> LookaheadReader<R> {
        let (stream, mut buffer) = member.reader.into_parts();
        if buffer.is_empty() {
            buffer = self.text_buffer.as_mut().map(mem::take).unwrap_or_default();
        }
        let is_kept = stream.window_size() <= MAX_KEPT_WINDOW;
        let (raw, buffers) = stream.into_parts(buffer);
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
    fn release_damaged(&mut self, mut member: OpenMember<R>) -> (LookaheadReader<R>, Range<usize>) {
        let start = member.reader.source().start();
        let mut raw = self.release_member(member);
        let consumed = raw.consumed().len();
        let back = consumed.min(SEARCH_BACK_LEN);
        let read_again = self.read_again + back as u64;
        let from = if read_again > start + MAX_READ_AGAIN {
            consumed
        } else {
            self.read_again = read_again;
            consumed - back
        };
        raw.rewind();
        // Never 0, or the search would find the same member again.
        (raw, from.max(1)..consumed.max(1))
    }
}

/// Whether a member has a wrong checksum, so that any of its records may be damaged.
fn has_wrong_checksum(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(error) if error.is::<WrongChecksum>())
}

/// Describes the problem of a damaged member.
fn describe_member_damage(error: &io::Error) -> RecordProblem {
    let why = match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            "record is truncated: its compressed member has no end".to_owned()
        }
        _ => format!("its compressed member cannot be read: {error}"),
    };
    RecordProblem::Damaged(Diagnosis::new(why).advising(error.advice()))
}

/// Describes the problem of a damaged member whose records could be read.
fn describe_unreadable_end(error: &io::Error) -> RecordProblem {
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
