//! Records that are not compressed, and the search for the next one after damage.

use std::io::{self, Read};

use super::super::frame::{self, Frame, FrameError, frame};
use super::super::lookahead::LookaheadReader;
use super::super::outcome::{Entry, Problem, RecordOutcome};
use super::super::record::RecordPosition;
use super::segment::{Form, RecordGroup, RecordSpan, Segment};
use super::state::{MARGIN, STEP, Segments, State, WINDOW};

/// The largest record that is trusted without inspecting its end: 1 TiB.
const TRUSTED: u64 = 1 << 40;

impl<R: Read> Segments<R> {
    /// Reads an uncompressed record.
    pub(super) fn plain(&mut self, mut raw: LookaheadReader<R>) -> io::Result<State<R>> {
        let position = RecordPosition { offset: raw.offset(), within: 0 };
        match frame(&mut raw, 0, position, &self.options) {
            Ok(Frame::Complete { end, payload, info }) => {
                self.report_info(info);
                if payload.is_read() {
                    let text = raw.ahead()[..end].to_owned();
                    let parts = vec![RecordSpan { position, start: 0, end, payload }];
                    self.ready.push_back(Segment::RecordGroup(RecordGroup {
                        form: Form::Plain,
                        text,
                        parts,
                    }));
                } else {
                    self.bytes(&raw.ahead()[..end]);
                    self.report(position, payload.outcome());
                }
                raw.pass(end);
                Ok(State::Between(raw))
            }
            Ok(Frame::Large { length, payload, info }) => {
                if let Some(why) = self.large_is_wrong(&mut raw, length)? {
                    return Ok(self.damaged(raw, position, why));
                }
                self.report_info(info);
                let entry = Entry::at(position, payload.outcome_of_large());
                Ok(State::Copy(raw, length, Some(Box::new(entry))))
            }
            Err(FrameError::Read(error)) => Err(error),
            Err(FrameError::Damage(why)) => Ok(self.damaged(raw, position, why)),
        }
    }

    fn damaged(
        &mut self,
        raw: LookaheadReader<R>,
        position: RecordPosition,
        why: impl Into<String>,
    ) -> State<R> {
        self.report(position, RecordOutcome::Failed(Problem::new(why)));
        State::Lost(raw, 0)
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

    /// Copies the next step of a large record, or of a frame that has no record.
    pub(super) fn copy(
        &mut self,
        mut raw: LookaheadReader<R>,
        left: u64,
        entry: Option<Box<Entry>>,
    ) -> io::Result<State<R>> {
        let step = usize::try_from(left).unwrap_or(usize::MAX).min(STEP);
        let there = raw.ensure(step)?;
        self.bytes(&raw.ahead()[..there]);
        raw.pass(there);
        let left = left - there as u64;
        if there < step {
            if let Some(entry) = entry {
                let why = "record is truncated: the file ends inside it";
                self.report(entry.position, RecordOutcome::Failed(Problem::new(why)));
            }
            return Ok(State::Done);
        }
        if left > 0 {
            return Ok(State::Copy(raw, left, entry));
        }
        if let Some(entry) = entry {
            let ends = frame::line_ends(&mut raw, 0)?;
            self.bytes(&raw.ahead()[..ends]);
            raw.pass(ends);
            self.ready.push_back(Segment::Skipped(entry));
        }
        Ok(State::Between(raw))
    }

    /// Copies damage, up to the next record, which begins after the first byte ahead and not before
    /// `from`.
    pub(super) fn lost(
        &mut self,
        mut raw: LookaheadReader<R>,
        from: usize,
    ) -> io::Result<State<R>> {
        // The byte before shows the start of a line.
        let before = from.saturating_sub(1);
        self.bytes(&raw.ahead()[..before]);
        raw.pass(before);
        let there = raw.ensure(WINDOW)?;
        let window = &raw.ahead()[..there];
        // A record may be cut off at the end of the window, but not at the end of the file.
        let is_last = there < WINDOW;
        let sure = if is_last { there } else { there - MARGIN };
        let found = frame::next_start(window).filter(|&at| at < sure);
        let until = found.unwrap_or(if is_last { there } else { sure - 1 });
        self.bytes(&window[..until]);
        raw.pass(until);
        Ok(match found {
            Some(_) => State::Between(raw),
            None if is_last => State::Done,
            None => State::Lost(raw, 0),
        })
    }
}
