//! The records of a gzip member.

use std::io::{self, Read};
use std::ops::Range;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::super::frame::{Frame, Holds, Trouble, frame, next_in_text, next_member, next_start};
use super::super::look::Look;
use super::super::member::Member;
use super::super::outcome::Problem;
use super::super::record::Place;
use super::plain::{MARGIN, WINDOW};
use super::rest::{Large, Rest, Way};
use super::{Form, Part, Piece, Pieces, State, Told, Unit};

/// Records of a member that are held at a time. What is known of a small one is larger
/// than it is.
const PARTS: usize = 16 * 1024;

/// A gzip member that is being read. Its content, from the first record that was not
/// handed out yet, is ahead; so is the member itself, in the stream that it is in.
#[derive(Debug)]
pub(super) struct Inside<R> {
    pub(super) look: Look<Member<R>>,
    parts: Vec<Part>,
    /// Bytes of the parts.
    at: usize,
    /// Whether some of its records were handed out.
    is_split: bool,
    /// Whether it is told already what is wrong with what comes next.
    is_told: bool,
}

impl<R: Read> Inside<R> {
    pub(super) fn new(member: Member<R>, memory: Vec<u8>) -> Self {
        let look = Look::new(member, memory);
        Self { look, parts: Vec::new(), at: 0, is_split: false, is_told: false }
    }

    /// Where the next record is.
    pub(super) fn place(&mut self) -> Place {
        let within = self.look.offset() + self.at as u64;
        Place { offset: self.look.source().start(), within }
    }

    fn add(&mut self, end: usize, holds: Holds) {
        let place = self.place();
        self.is_told = holds == Holds::Junk;
        match self.parts.last_mut() {
            Some(last) if holds == Holds::Junk && last.holds == holds => last.end = end,
            _ => self.parts.push(Part { place, start: self.at, end, holds }),
        }
        self.at = end;
    }

    fn has_records(&self) -> bool {
        self.parts.iter().any(|part| part.holds != Holds::Junk)
    }

    /// Goes past what is no record; says whether a record follows, or the member's end.
    fn skip(&mut self, most: usize) -> io::Result<Skipped> {
        let mut from = self.at;
        loop {
            if let Some(found) = next_in_text(&self.look.ahead()[from..]) {
                self.add(from + found, Holds::Junk);
                return Ok(Skipped::Junk);
            }
            let known = self.look.ahead().len();
            from = known.saturating_sub(5).max(self.at);
            if known - self.at > most {
                self.add(known, Holds::Junk);
                return Ok(Skipped::TooMuch);
            }
            if self.look.ensure(known + 1)? == known {
                self.add(known, Holds::Junk);
                return Ok(Skipped::Junk);
            }
        }
    }
}

enum Skipped {
    Junk,
    TooMuch,
}

impl<R: Read> Pieces<R> {
    /// Reads the records of a member, up to its end or what is to be handed out.
    pub(super) fn inside(&mut self, mut inside: Inside<R>) -> io::Result<State<R>> {
        loop {
            match inside.look.ensure(inside.at + 1) {
                Ok(there) if there <= inside.at => return Ok(self.close(inside)),
                Ok(_) => {}
                Err(error) => return self.broken(inside, &error),
            }
            if inside.at > self.bounds.most_held() || inside.parts.len() >= PARTS {
                self.split(&mut inside);
                return Ok(State::Inside(Box::new(inside)));
            }
            match frame(&mut inside.look, inside.at, &self.bounds, self.captures) {
                Ok(Frame::Held { end, holds, capture }) => {
                    self.tell_capture(inside.place(), capture, holds.is_document());
                    inside.add(end, holds);
                }
                Ok(Frame::Large { length, holds, capture }) => {
                    let place = inside.place();
                    self.tell_capture(place, capture, false);
                    let rest = Rest { place, left: length, holds };
                    return Ok(self.open_large(inside, Some(rest)));
                }
                Err(Trouble::Read(error)) => return self.broken(inside, &error),
                Err(Trouble::Damage(why)) => {
                    let place = inside.place();
                    if !std::mem::replace(&mut inside.is_told, true) {
                        self.tell(place, Told::Failed(Problem::new(why)));
                    }
                    match inside.skip(self.bounds.most_held()) {
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

    /// Hands out the records that are held of a member, which is not held itself.
    fn split(&mut self, inside: &mut Inside<R>) {
        if inside.at > 0 {
            let text = inside.look.ahead()[..inside.at].to_owned();
            let parts = std::mem::take(&mut inside.parts);
            self.ready.push_back(Piece::Unit(Unit { form: Form::Split, text, parts }));
            inside.look.pass(inside.at);
            inside.at = 0;
        }
        inside.is_split = true;
        let raw = inside.look.source().raw();
        raw.pass(raw.taken().len().saturating_sub(WINDOW));
    }

    fn open_large(&mut self, mut inside: Inside<R>, rest: Option<Rest>) -> State<R> {
        let way = if inside.parts.is_empty() && !inside.is_split {
            inside.at = 0;
            Way::Raw
        } else {
            self.split(&mut inside);
            Way::Split(Box::new(GzEncoder::new(Vec::new(), Compression::default())))
        };
        State::Large(Box::new(Large { inside, rest, way }))
    }

    /// Hands out what is held of a member at its end.
    fn close(&mut self, mut inside: Inside<R>) -> State<R> {
        let parts = std::mem::take(&mut inside.parts);
        let is_split = inside.is_split;
        let has_page = parts.iter().any(|part| part.holds.is_document());
        let text = if has_page || is_split {
            inside.look.ahead()[..inside.at].to_owned()
        } else {
            Vec::new()
        };
        let mut raw = self.leave(inside);
        let member = raw.taken().to_owned();
        raw.pass(member.len());
        self.unit(if is_split { Form::Split } else { Form::Gzip(member) }, text, parts);
        State::Between(raw)
    }

    fn unit(&mut self, form: Form, text: Vec<u8>, parts: Vec<Part>) {
        match form {
            Form::Gzip(member) if !parts.iter().any(|part| part.holds.is_document()) => {
                self.ready.push_back(Piece::Bytes(member));
                for part in parts.iter().filter(|part| part.holds == Holds::Other) {
                    self.tell(part.place, Told::Copied);
                }
            }
            _ if parts.is_empty() => {}
            form => self.ready.push_back(Piece::Unit(Unit { form, text, parts })),
        }
    }

    /// The member cannot be read on.
    fn broken(&mut self, mut inside: Inside<R>, error: &io::Error) -> io::Result<State<R>> {
        let (place, has_records) = (inside.place(), inside.has_records());
        let is_suspect = is_suspect(error) && has_records && !inside.is_split;
        if !is_suspect {
            self.tell_broken(&mut inside, place, error)?;
        }
        let known = inside.look.ahead().len();
        if known > inside.at {
            inside.add(known, Holds::Junk);
        }
        let text = inside.look.ahead().to_owned();
        let (parts, is_split) = (std::mem::take(&mut inside.parts), inside.is_split);
        let (mut raw, Range { start: from, end: taken }) = self.leave_broken(inside);
        if is_split {
            self.unit(Form::Split, text, parts);
            raw.pass(from - 1);
            return Ok(State::Lost(raw, 1));
        }
        if !has_records {
            return Ok(State::Lost(raw, from));
        }
        // It goes up to where the next one begins. What looks like a record in its own bytes
        // stands in data that is stored in it as it is.
        raw.ensure(taken + MARGIN)?;
        let behind = &raw.ahead()[from - 1..];
        let is_behind = |at: &usize| from - 1 + at >= taken;
        let found = next_member(behind).or_else(|| next_start(behind).filter(is_behind));
        let found = found.map(|at| from - 1 + at);
        let until = found.unwrap_or(taken);
        let member = raw.ahead()[..until].to_owned();
        if is_suspect {
            self.suspect(member, &parts, error);
        } else {
            self.unit(Form::Gzip(member), text, parts);
        }
        raw.pass(until);
        Ok(if found.is_some() { State::Between(raw) } else { State::Lost(raw, 0) })
    }

    /// Hands out a member that is damaged nobody knows where: as it is.
    fn suspect(&mut self, member: Vec<u8>, parts: &[Part], error: &io::Error) {
        self.ready.push_back(Piece::Bytes(member));
        // The last one is none, where the end of the member was to come next.
        let is_told = |part: &Part| matches!(part.holds, Holds::Page | Holds::Junk);
        let has_told = parts.iter().any(is_told);
        for (number, part) in parts.iter().enumerate() {
            let is_told = is_told(part) || (!has_told && number == 0);
            let told = if is_told { Told::Failed(unreadable(error)) } else { Told::Copied };
            self.tell(part.place, told);
        }
    }

    /// Tells what is wrong with a member, unless it is the file that cannot be read.
    pub(super) fn tell_broken(
        &mut self,
        inside: &mut Inside<R>,
        place: Place,
        error: &io::Error,
    ) -> io::Result<()> {
        if let Some(failure) = inside.look.source().raw().failure() {
            return Err(failure);
        }
        if inside.is_told {
            return Ok(());
        }
        self.tell(place, Told::Failed(unreadable(error)));
        Ok(())
    }

    /// The stream that a member was in, behind the member.
    pub(super) fn leave(&mut self, inside: Inside<R>) -> Look<R> {
        let (member, memory) = inside.look.into_parts();
        self.memory = memory;
        member.into_raw()
    }

    /// The stream that a damaged member was in, at its start or what is kept of it; and
    /// where ahead, behind the first byte, the next record is looked for, up to where it was
    /// read.
    ///
    /// Damage shows some bytes behind where it is, and by then the next member may have
    /// been read as a part of this one. But only once, so that members that are damaged
    /// in the same place do not cost the way to it each.
    pub(super) fn leave_broken(&mut self, mut inside: Inside<R>) -> (Look<R>, Range<usize>) {
        let start = inside.look.source().start();
        let mut raw = self.leave(inside);
        let taken = raw.taken().len();
        let end = raw.offset() + taken as u64;
        let from = if start < self.damaged_to { taken } else { taken.saturating_sub(WINDOW) };
        self.damaged_to = self.damaged_to.max(end);
        raw.take_back();
        (raw, from.max(1)..taken.max(1))
    }
}

/// Whether all of a member was read, and is not what its checksum is of: any of its records
/// may be damaged, and none is to come out with a checksum that is right.
fn is_suspect(error: &io::Error) -> bool {
    error.kind() != io::ErrorKind::UnexpectedEof && error.to_string().contains("checksum")
}

/// What is wrong with a member.
fn unreadable(error: &io::Error) -> Problem {
    Problem::new(match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            "record is truncated: its gzip member has no end".to_owned()
        }
        _ => format!("its gzip member cannot be read: {error}"),
    })
}
