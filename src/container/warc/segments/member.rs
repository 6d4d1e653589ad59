//! The records of a compressed member.

use std::io::{self, Read};
use std::ops::Range;

use super::super::frame::{Frame, FrameError, frame, next_member, next_start};
use super::super::lookahead::LookaheadReader;
use super::super::members::OpenMember;
use super::super::outcome::{Problem, RecordOutcome};
use super::super::record_info::RecordInfo;
use super::super::record_type::PayloadKind;
use super::segment::{Form, RecordGroup, RecordSpan, Segment};
use super::state::{
    BACK, CopyMode, MARGIN, MemberContent, OversizedRecord, Purpose, RemainingBlock, STEP,
    Segments, Skipped, State, unreadable,
};

/// Maximum buffered records of a member; the data about a small record is larger than it is.
const PARTS: usize = 16 * 1024;

impl<R: Read> Segments<R> {
    /// Reads the records of a member, up to its end or a full buffer.
    pub(super) fn inside(&mut self, mut inside: MemberContent<R>) -> io::Result<State<R>> {
        loop {
            match inside.reader.ensure(inside.at + 1) {
                Ok(there) if there <= inside.at => return Ok(self.close(inside)),
                Ok(_) => {}
                Err(error) => return self.broken(inside, &error),
            }
            // Once its compressed bytes are not kept, there is nothing to wait for.
            let most = if inside.is_split { STEP } else { usize::MAX };
            if inside.at > self.options.limits.max_in_memory().min(most)
                || inside.parts.len() >= PARTS
            {
                self.split(&mut inside);
                return Ok(State::Member(Box::new(inside)));
            }
            let (at, position) = (inside.at, inside.position());
            match frame(&mut inside.reader, at, position, &self.options) {
                Ok(Frame::Complete { end, payload, info }) => {
                    self.report_info_in_member(info);
                    inside.add(end, payload);
                }
                Ok(Frame::Large { length, payload, info }) => {
                    self.report_info_in_member(info);
                    let rest = RemainingBlock { position, left: length, payload };
                    return Ok(self.open_large(inside, Some(rest)));
                }
                Err(FrameError::Read(error)) => return self.broken(inside, &error),
                Err(FrameError::Damage(why)) => {
                    if !std::mem::replace(&mut inside.is_reported, true) {
                        self.report(position, RecordOutcome::Failed(Problem::new(why)));
                    }
                    match inside.skip(self.options.limits.max_in_memory()) {
                        Ok(Skipped::TooMuch) if !inside.has_records() && !inside.is_split => {
                            inside.parts.clear();
                            return Ok(self.open_large(inside, None));
                        }
                        Ok(_) => {}
                        Err(error) => return self.broken(inside, &error),
                    }
                }
            }
        }
    }

    /// Reports what is kept of a record of the member. An index has the length of the member.
    fn report_info_in_member(&mut self, info: Option<RecordInfo>) {
        match info {
            Some(RecordInfo::Index(entry)) => self.indexed.push(*entry),
            info => self.report_info(info),
        }
    }

    /// Emits the buffered records of a member whose compressed bytes are not kept.
    fn split(&mut self, inside: &mut MemberContent<R>) {
        if inside.at > 0 {
            let text = inside.reader.ahead()[..inside.at].to_owned();
            let parts = std::mem::take(&mut inside.parts);
            self.ready.push_back(Segment::RecordGroup(RecordGroup {
                form: Form::Split(inside.reader.source().codec()),
                text,
                parts,
            }));
            inside.reader.pass(inside.at);
            inside.at = 0;
        }
        inside.is_split = true;
        let raw = inside.reader.source().raw();
        raw.pass(raw.taken().len().saturating_sub(BACK));
    }

    fn open_large(
        &mut self,
        mut inside: MemberContent<R>,
        rest: Option<RemainingBlock>,
    ) -> State<R> {
        let mode = if inside.parts.is_empty() && !inside.is_split {
            inside.at = 0;
            CopyMode::Raw
        } else {
            self.split(&mut inside);
            match self.purpose {
                Purpose::Read => CopyMode::Discard,
                Purpose::Write => CopyMode::Split(OpenMember::new(inside.reader.source().codec())),
            }
        };
        State::Large(Box::new(OversizedRecord { inside, rest, mode }))
    }

    /// Emits the buffered records at the end of a member.
    fn close(&mut self, mut inside: MemberContent<R>) -> State<R> {
        let parts = std::mem::take(&mut inside.parts);
        let (is_split, codec) = (inside.is_split, inside.reader.source().codec());
        let is_read = parts.iter().any(|part| part.payload.is_read());
        let text = match &self.returned {
            _ if !is_read && !is_split => Vec::new(),
            Some(_) => inside.reader.take_memory(inside.at),
            None => inside.reader.take_last(inside.at),
        };
        let mut raw = self.leave(inside);
        let member = self.kept(raw.taken());
        raw.pass(raw.taken().len());
        self.group(
            if is_split { Form::Split(codec) } else { Form::Member(codec, member) },
            text,
            parts,
        );
        State::Between(raw)
    }

    fn group(&mut self, form: Form, text: Vec<u8>, parts: Vec<RecordSpan>) {
        match form {
            Form::Member(_, member) if !parts.iter().any(|part| part.payload.is_read()) => {
                if !member.is_empty() {
                    self.ready.push_back(Segment::Bytes(member));
                }
                for part in parts.iter().filter(|part| part.payload != PayloadKind::Junk) {
                    self.report(part.position, part.payload.outcome());
                }
            }
            _ if parts.is_empty() => {}
            form => self.ready.push_back(Segment::RecordGroup(RecordGroup { form, text, parts })),
        }
    }

    /// Handles a member that cannot be decompressed further.
    fn broken(&mut self, mut inside: MemberContent<R>, error: &io::Error) -> io::Result<State<R>> {
        let has_records = inside.has_records();
        let is_suspect = is_suspect(error) && has_records && !inside.is_split;
        if !is_suspect {
            if has_records || inside.is_split {
                self.add_last(&mut inside);
            }
            let is_whole = inside.at > 0 && inside.at == inside.reader.ahead().len();
            let problem = if is_whole { without_end(error) } else { unreadable(error) };
            let position = inside.position();
            self.report_broken(&mut inside, position, problem)?;
        }
        let known = inside.reader.ahead().len();
        if known > inside.at {
            inside.add(known, PayloadKind::Junk);
        }
        let text = inside.reader.ahead().to_owned();
        let (parts, is_split) = (std::mem::take(&mut inside.parts), inside.is_split);
        let codec = inside.reader.source().codec();
        let (mut raw, Range { start: from, end: taken }) = self.leave_broken(inside);
        if is_split {
            self.group(Form::Split(codec), text, parts);
            raw.pass(from - 1);
            return Ok(State::Lost(raw, 1));
        }
        if !has_records {
            return Ok(State::Lost(raw, from));
        }
        // It ends where the next member begins. A record in its own bytes is stored data.
        raw.ensure(taken + MARGIN)?;
        let after = &raw.ahead()[from - 1..];
        let is_after = |at: &usize| from - 1 + at >= taken;
        let found = next_member(after).or_else(|| next_start(after).filter(is_after));
        let found = found.map(|at| from - 1 + at);
        let until = found.unwrap_or(taken);
        let member = self.kept(&raw.ahead()[..until]);
        if is_suspect {
            self.suspect(member, &parts, error);
        } else {
            self.group(Form::Member(codec, member), text, parts);
        }
        raw.pass(until);
        Ok(if found.is_some() { State::Between(raw) } else { State::Lost(raw, 0) })
    }

    /// Adds the whole records at the end of a broken member that follow others. In a member of its
    /// own, the next run would read such a record.
    fn add_last(&mut self, inside: &mut MemberContent<R>) {
        loop {
            let position = inside.position();
            let mut rest = LookaheadReader::new(&inside.reader.ahead()[inside.at..], Vec::new());
            let found = frame(&mut rest, 0, position, &self.options);
            let Ok(Frame::Complete { end, payload, info }) = found else { return };
            self.report_info_in_member(info);
            inside.add(inside.at + end, payload);
        }
    }

    /// Emits a member with damage at an unknown position, unchanged.
    fn suspect(&mut self, member: Vec<u8>, parts: &[RecordSpan], error: &io::Error) {
        if !member.is_empty() {
            self.ready.push_back(Segment::Bytes(member));
        }
        // The last one is junk, if the end of the member was next.
        let is_reported =
            |part: &RecordSpan| matches!(part.payload, PayloadKind::Page | PayloadKind::Junk);
        let has_reported = parts.iter().any(is_reported);
        for (number, part) in parts.iter().enumerate() {
            let is_reported = is_reported(part) || (!has_reported && number == 0);
            let reason = if is_reported {
                RecordOutcome::Failed(unreadable(error))
            } else {
                part.payload.outcome()
            };
            self.report(part.position, reason);
        }
    }
}

/// Whether a member was read to its end and its checksum does not match: any record may be damaged,
/// and must not get a new, valid checksum.
fn is_suspect(error: &io::Error) -> bool {
    error.kind() != io::ErrorKind::UnexpectedEof && error.to_string().contains("checksum")
}

/// The problem of a broken member whose records could be read.
fn without_end(error: &io::Error) -> Problem {
    Problem::new(match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            "the records before it are whole, but their compressed member has no end".to_owned()
        }
        _ => format!(
            "the records before it are whole, but their compressed member cannot be read to its end: {error}"
        ),
    })
}
