//! Large records: copied in pieces, as they come.

use std::io::{self, Read, Write};
use std::ops::Range;

use flate2::write::GzEncoder;

use super::super::frame::{Holds, line_ends};
use super::super::outcome::{Problem, Skip};
use super::super::record::Place;
use super::inside::Inside;
use super::plain::{STEP, WINDOW};
use super::{Pieces, State, Told};

/// What is left of a large record.
#[derive(Debug)]
pub(super) struct Rest {
    pub(super) place: Place,
    /// Bytes up to the end of its block.
    pub(super) left: u64,
    pub(super) holds: Holds,
}

impl Rest {
    pub(super) fn told(&self) -> Told {
        if self.holds == Holds::Page { Told::Skipped(Skip::TooLarge) } else { Told::Copied }
    }
}

/// A large record of a gzip member.
#[derive(Debug)]
pub(super) struct Large<R> {
    pub(super) inside: Inside<R>,
    /// None, where all that follows in the member is copied with it.
    pub(super) rest: Option<Rest>,
    pub(super) way: Way,
}

/// How a large record of a gzip member is copied.
#[derive(Debug)]
pub(super) enum Way {
    /// With the member that it is the first record of.
    Raw,
    /// As a member of its own.
    Split(Box<GzEncoder<Vec<u8>>>),
}

impl<R: Read> Pieces<R> {
    /// Copies the next step of a large record.
    pub(super) fn large(&mut self, mut large: Large<R>) -> io::Result<State<R>> {
        loop {
            let there = match large.inside.look.ensure(1) {
                Ok(there) => there,
                Err(error) => return self.large_is_broken(large, &error),
            };
            let is_whole = large.rest.as_ref().is_none_or(|rest| rest.left == 0);
            if there == 0 {
                return self.large_ends(large, is_whole);
            }
            if is_whole && large.rest.is_some() {
                match self.large_is_whole(&mut large) {
                    Ok(()) if matches!(large.way, Way::Split(_)) => {
                        return Ok(State::Inside(Box::new(large.inside)));
                    }
                    Ok(()) => continue,
                    Err(error) => return self.large_is_broken(large, &error),
                }
            }
            large.step()?;
            if self.large_is_ready(&mut large) {
                return Ok(State::Large(Box::new(large)));
            }
        }
    }

    /// Hands out what is copied, where that is enough.
    fn large_is_ready(&mut self, large: &mut Large<R>) -> bool {
        let raw = large.inside.look.source().raw();
        // Kept back, so that behind damage the next record can be looked for in it.
        let done = raw.taken().len().saturating_sub(WINDOW);
        match &mut large.way {
            Way::Raw if done < STEP => false,
            Way::Raw => {
                self.bytes(&raw.taken()[..done]);
                raw.pass(done);
                true
            }
            Way::Split(encoder) => {
                raw.pass(done);
                let is_enough = encoder.get_ref().len() >= STEP;
                if is_enough {
                    self.bytes(&std::mem::take(encoder.get_mut()));
                }
                is_enough
            }
        }
    }

    /// The block is whole, and something follows in the member.
    fn large_is_whole(&mut self, large: &mut Large<R>) -> io::Result<()> {
        let look = &mut large.inside.look;
        let ends = line_ends(look, 0)?;
        let is_last = look.ensure(ends + 1)? == ends;
        if let Way::Split(encoder) = &mut large.way {
            encoder.write_all(&look.ahead()[..ends])?;
            encoder.try_finish()?;
            self.bytes(encoder.get_ref());
        }
        look.pass(ends);
        if let Some(rest) = large.rest.take() {
            self.tell(rest.place, rest.told());
        }
        if matches!(large.way, Way::Raw) && !is_last {
            self.tell(large.inside.place(), Told::Skipped(Skip::BehindLarge));
        }
        Ok(())
    }

    fn large_ends(&mut self, large: Large<R>, is_whole: bool) -> io::Result<State<R>> {
        if let Some(rest) = large.rest {
            let cut = || {
                Told::Failed(Problem::new("record is truncated: its gzip member ends inside it"))
            };
            self.tell(rest.place, if is_whole { rest.told() } else { cut() });
        }
        let mut raw = self.leave(large.inside);
        match large.way {
            Way::Raw => self.bytes(raw.taken()),
            Way::Split(encoder) => self.bytes(&encoder.finish()?),
        }
        raw.pass(raw.taken().len());
        Ok(State::Between(raw))
    }

    fn large_is_broken(&mut self, mut large: Large<R>, error: &io::Error) -> io::Result<State<R>> {
        let place = large.rest.as_ref().map_or_else(|| large.inside.place(), |rest| rest.place);
        self.tell_broken(&mut large.inside, place, error)?;
        let (mut raw, Range { start: from, .. }) = self.leave_broken(large.inside);
        if let Way::Split(encoder) = large.way {
            self.bytes(&encoder.finish()?);
            raw.pass(from - 1);
            return Ok(State::Lost(raw, 1));
        }
        Ok(State::Lost(raw, from))
    }
}

impl<R: Read> Large<R> {
    /// Takes what is ahead.
    fn step(&mut self) -> io::Result<()> {
        let look = &mut self.inside.look;
        let mut step = look.ahead().len();
        if let Some(rest) = &mut self.rest {
            step = usize::try_from(rest.left).unwrap_or(usize::MAX).min(step);
            rest.left -= step as u64;
        }
        if let Way::Split(encoder) = &mut self.way {
            encoder.write_all(&look.ahead()[..step])?;
        }
        look.pass(step);
        Ok(())
    }
}
