//! Copies large records in segments.

use std::io::{self, Read};
use std::ops::Range;

use super::super::frame::line_ends;
use super::super::outcome::{Problem, RecordOutcome, Skip};
use super::state::{BACK, CopyMode, OversizedRecord, STEP, Segments, State, unreadable};

impl<R: Read> Segments<R> {
    /// Copies the next step of a large record.
    pub(super) fn large(&mut self, mut large: OversizedRecord<R>) -> io::Result<State<R>> {
        loop {
            let there = match large.inside.reader.ensure(1) {
                Ok(there) => there,
                Err(error) => return self.large_is_broken(large, &error),
            };
            let is_whole = large.rest.as_ref().is_none_or(|rest| rest.left == 0);
            if there == 0 {
                return self.large_ends(large, is_whole);
            }
            if is_whole && large.rest.is_some() {
                match self.large_is_whole(&mut large) {
                    Ok(()) if !matches!(large.mode, CopyMode::Raw) => {
                        return Ok(State::Member(Box::new(large.inside)));
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

    /// Emits the copied bytes, if there are enough.
    fn large_is_ready(&mut self, large: &mut OversizedRecord<R>) -> bool {
        let raw = large.inside.reader.source().raw();
        // Keeps some for the search of the next record after damage.
        let done = raw.taken().len().saturating_sub(BACK);
        match &mut large.mode {
            CopyMode::Raw if done < STEP => false,
            CopyMode::Raw => {
                self.bytes(&raw.taken()[..done]);
                raw.pass(done);
                true
            }
            CopyMode::Discard => {
                raw.pass(done);
                false
            }
            CopyMode::Split(member) => {
                raw.pass(done);
                let is_enough = member.written().len() >= STEP;
                if is_enough {
                    self.bytes(&std::mem::take(member.written()));
                }
                is_enough
            }
        }
    }

    /// Ends a large record that more of the member follows.
    fn large_is_whole(&mut self, large: &mut OversizedRecord<R>) -> io::Result<()> {
        let reader = &mut large.inside.reader;
        let ends = line_ends(reader, 0)?;
        let is_last = reader.ensure(ends + 1)? == ends;
        if let CopyMode::Split(member) = &mut large.mode {
            member.write(&reader.ahead()[..ends])?;
            member.finish()?;
            self.bytes(&std::mem::take(member.written()));
        }
        reader.pass(ends);
        if let Some(rest) = large.rest.take() {
            self.report(rest.position, rest.payload.outcome_of_large());
        }
        if matches!(large.mode, CopyMode::Raw) && !is_last {
            self.report(large.inside.position(), RecordOutcome::Skipped(Skip::AfterOversized));
        }
        Ok(())
    }

    fn large_ends(&mut self, large: OversizedRecord<R>, is_whole: bool) -> io::Result<State<R>> {
        if let Some(rest) = large.rest {
            let cut = || {
                RecordOutcome::Failed(Problem::new(
                    "record is truncated: its compressed member ends inside it",
                ))
            };
            self.report(
                rest.position,
                if is_whole { rest.payload.outcome_of_large() } else { cut() },
            );
        }
        let mut raw = self.leave(large.inside);
        match large.mode {
            CopyMode::Raw => self.bytes(raw.taken()),
            CopyMode::Split(mut member) => {
                member.finish()?;
                self.bytes(member.written());
            }
            CopyMode::Discard => {}
        }
        raw.pass(raw.taken().len());
        Ok(State::Between(raw))
    }

    fn large_is_broken(
        &mut self,
        mut large: OversizedRecord<R>,
        error: &io::Error,
    ) -> io::Result<State<R>> {
        let position =
            large.rest.as_ref().map_or_else(|| large.inside.position(), |rest| rest.position);
        self.report_broken(&mut large.inside, position, unreadable(error))?;
        let (mut raw, Range { start: from, .. }) = self.leave_broken(large.inside);
        match large.mode {
            CopyMode::Raw => return Ok(State::Lost(raw, from)),
            CopyMode::Split(mut member) => {
                member.finish()?;
                self.bytes(member.written());
            }
            CopyMode::Discard => {}
        }
        raw.pass(from - 1);
        Ok(State::Lost(raw, 1))
    }
}
