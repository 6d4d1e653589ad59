//! Rewrites one segment of an archive, in any thread.

use super::conversion;
use super::frame::PayloadKind;
use super::level::Level;
use super::limits::ArchiveLimits;
use super::members::Members;
use super::outcome::{Entry, Problem, RecordOutcome};
use super::page::Page;
use super::reader::{entry, error_entry};
use super::record::Record;
use super::segments::{Form, Purpose, RecordGroup, RecordSpan, Segment};
use crate::jobs::{KEPT, ThreadState, lock_if_large};
use crate::rewrite::{Buffers, Rewriter};

/// Whether a record with a rewritten document is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Originals {
    /// The conversion replaces it. The default.
    #[default]
    Replace,
    /// It stays, and the conversion follows it.
    Keep,
}

/// How the segments of an archive are rewritten.
pub(super) struct RecordRewriter<'r> {
    pub(super) rewriter: &'r Rewriter,
    pub(super) originals: Originals,
    pub(super) limits: ArchiveLimits,
    pub(super) purpose: Purpose,
}

/// Memory of one thread, reused from one segment to the next.
#[derive(Debug, Default)]
pub(super) struct RecordBuffers {
    documents: Buffers,
    /// Bytes of the largest document that `documents` had.
    largest: usize,
    members: Members,
}

impl ThreadState for RecordBuffers {
    fn shrink(&mut self) {
        if self.largest > KEPT {
            (self.documents, self.largest) = (Buffers::new(), 0);
        }
    }
}

/// The result of a segment.
#[derive(Default)]
pub(super) struct RewrittenSegment {
    /// The new bytes; `None` copies the segment.
    new: Option<Vec<u8>>,
    pub(super) entries: Vec<Entry>,
    pub(super) split: u64,
}

impl RewrittenSegment {
    /// The output for a segment.
    pub(super) fn bytes<'a>(&'a self, segment: &'a Segment) -> &'a [u8] {
        match (&self.new, segment) {
            (Some(new), _) => new,
            (None, Segment::Bytes(bytes)) => bytes,
            (None, Segment::RecordGroup(group)) => group.original(),
            (None, Segment::Skipped(..) | Segment::Capture(_)) => &[],
        }
    }
}

impl RecordGroup {
    fn original(&self) -> &[u8] {
        match &self.form {
            Form::Gzip(member) => member,
            Form::Plain | Form::Split => &self.text,
        }
    }
}

impl RecordRewriter<'_> {
    pub(super) fn on(&self, segment: &Segment, buffers: &mut RecordBuffers) -> RewrittenSegment {
        match segment {
            Segment::Bytes(_) | Segment::Capture(_) => RewrittenSegment::default(),
            Segment::Skipped(position, reason) => {
                let entries = vec![Entry::at(*position, reason.clone().into())];
                RewrittenSegment { entries, ..RewrittenSegment::default() }
            }
            Segment::RecordGroup(group) => self.group(group, buffers),
        }
    }

    fn group(&self, group: &RecordGroup, buffers: &mut RecordBuffers) -> RewrittenSegment {
        let mut done = RewrittenSegment::default();
        let mut conversions = Vec::with_capacity(group.parts.len());
        for part in &group.parts {
            conversions.push(match part.payload {
                PayloadKind::Page => self.page(group, part, buffers, &mut done.entries),
                PayloadKind::Other | PayloadKind::Conversion => {
                    done.entries.push(Entry::at(part.position, RecordOutcome::Copied));
                    None
                }
                // It was reported when it was found.
                PayloadKind::Junk => None,
            });
        }
        let is_changed = conversions.iter().any(Option::is_some);
        if let Purpose::Write(level) = self.purpose
            && (is_changed || matches!(group.form, Form::Split))
        {
            let (mut new, members) = (Vec::new(), &mut buffers.members);
            for (part, conversion) in group.parts.iter().zip(conversions) {
                if conversion.is_none() || self.originals == Originals::Keep {
                    done.split += u64::from(
                        copy(&mut new, members, level, group, part) && conversion.is_none(),
                    );
                }
                match (conversion, &group.form) {
                    (Some(text), Form::Plain) => new.extend_from_slice(&text),
                    (Some(text), _) => members.add(&mut new, &text, level),
                    (None, _) => {}
                }
            }
            done.new = Some(new);
        }
        done
    }

    /// The conversion of a record, if a link of its document changes.
    fn page(
        &self,
        group: &RecordGroup,
        part: &RecordSpan,
        buffers: &mut RecordBuffers,
        entries: &mut Vec<Entry>,
    ) -> Option<Vec<u8>> {
        let failed = |why: String| RecordOutcome::Failed(Problem::new(why));
        let record = match Record::parse(&group.text[part.start..part.end]) {
            Ok(record) => record,
            Err(why) => {
                entries.push(Entry::at(part.position, failed(why.to_owned())));
                return None;
            }
        };
        let page = match Page::of(part.position, &record, &self.limits) {
            Ok(page) => page,
            Err(error) => {
                entries.push(error_entry(part.position, &record, error));
                return None;
            }
        };
        let lock = lock_if_large(page.document().len() as u64);
        let mut conversion = None;
        let rewriter = page.rewriter(self.rewriter);
        let result = rewriter.rewrite_in(page.document(), &mut buffers.documents);
        let new_size = result.as_ref().map_or(0, |result| result.bytes().len());
        buffers.largest = buffers.largest.max(page.document().len()).max(new_size);
        let outcome = match result {
            Ok(result) if result.is_changed() && self.purpose == Purpose::Read => {
                RecordOutcome::Rewritten(result.summary().clone())
            }
            Ok(result) if result.is_changed() => {
                let mut text = Vec::with_capacity(result.bytes().len() + 1024);
                let encoding = result.summary().encoding();
                conversion::write(&mut text, &record, part.position, result.bytes(), encoding);
                conversion = Some(text);
                RecordOutcome::Rewritten(result.summary().clone())
            }
            Ok(result) => RecordOutcome::Unchanged(result.summary().clone()),
            Err(error) => failed(error.to_string()),
        };
        drop(lock);
        entries.push(entry(part.position, &record, outcome));
        conversion
    }
}

/// Copies a record; returns whether it was split from its gzip member.
fn copy(
    new: &mut Vec<u8>,
    members: &mut Members,
    level: Level,
    group: &RecordGroup,
    part: &RecordSpan,
) -> bool {
    let text = &group.text[part.start..part.end];
    match &group.form {
        Form::Plain => new.extend_from_slice(text),
        Form::Gzip(member) if group.parts.len() == 1 => new.extend_from_slice(member),
        Form::Gzip(_) | Form::Split => {
            members.add(new, text, level);
            return true;
        }
    }
    false
}
