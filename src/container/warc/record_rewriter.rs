//! Rewrites the records of one segment of an archive, in any thread.

use std::sync::{Mutex, PoisonError};

use super::codec::Codec;
use super::conversion::{self, ConversionKey};
use super::limits::ArchiveLimits;
use super::members::Members;
use super::new_record::NewRecord;
use super::outcome::{Entry, Problem, RecordOutcome, Skip};
use super::page::Page;
use super::payloads::{CaptureKeys, ChangedPayload};
use super::record::{Record, RecordPosition};
use super::record_type::{PayloadKind, RecordType, Statuses};
use super::replacement::{self, Changes, new_location};
use super::rewritten_record::{Change, RewrittenRecord, forget_conversions};
use super::segments::{Form, Purpose, RecordGroup, RecordSpan, Segment};
use super::selection::RecordSelection;
use super::warcinfo::WarcInfo;
use crate::error::{Error, Limit};
use crate::jobs::{ThreadState, lock_if_more};
use crate::rewrite::{Buffers, Rewriter, Rewritten, Summary};

/// Bytes of documents that are rewritten one at a time, and whose memory is not kept for the next: a
/// document of nothing but links takes eight times its size, and may become three times as large.
/// With 4 MiB, which are the limit for files, such pages in gzip members took 237 MiB in three threads,
/// and now 139.
const LARGE: usize = 1 << 20;

/// How the segments of an archive are rewritten.
pub(super) struct RecordRewriter<'r> {
    pub(super) rewriter: &'r Rewriter,
    pub(super) record_type: RecordType,
    pub(super) statuses: Statuses,
    pub(super) limits: ArchiveLimits,
    pub(super) purpose: Purpose,
    /// What the archive says of this run.
    pub(super) info: Option<&'r WarcInfo>,
    pub(super) selection: &'r RecordSelection,
    /// Memory of large documents of records that are not compressed, the same for every thread: glibc
    /// keeps what is freed for the thread which allocated it. With memory of their own, three threads
    /// took 215 MB for pages of 4 MiB of links, and now 135 (peak of `absolve rewrite -j 8`).
    pub(super) large: Mutex<Buffers>,
}

/// Memory of one thread, reused from one segment to the next.
#[derive(Debug, Default)]
pub(super) struct RecordBuffers {
    documents: Buffers,
    /// Bytes of the largest document that `documents` had or made.
    largest: usize,
    members: Members,
}

impl ThreadState for RecordBuffers {
    fn shrink(&mut self) {
        if self.largest > LARGE {
            (self.documents, self.largest) = (Buffers::new(), 0);
        }
    }
}

/// A record that may change.
struct Original<'a> {
    position: RecordPosition,
    text: &'a [u8],
    record: &'a Record<'a>,
    codec: Option<Codec>,
}

impl RecordRewriter<'_> {
    /// The results of the records of a segment; empty unless it has records to read.
    pub(super) fn on(
        &self,
        segment: &Segment,
        buffers: &mut RecordBuffers,
    ) -> Vec<RewrittenRecord> {
        let Segment::RecordGroup(group) = segment else { return Vec::new() };
        let records = group.parts.iter().map(|part| self.record(group, part, buffers));
        let mut records: Vec<_> = records.collect();
        forget_conversions(&mut records);
        if self.purpose == Purpose::Write {
            split(group, &mut records, &mut buffers.members);
        }
        records
    }

    /// A new record in the form of the others; empty if nothing is written.
    pub(super) fn encode(
        &self,
        parts: &[&[u8]],
        codec: Option<Codec>,
        members: &mut Members,
    ) -> Vec<u8> {
        match (self.purpose, codec) {
            (Purpose::Read, _) => Vec::new(),
            (Purpose::Write, None) => parts.concat(),
            (Purpose::Write, Some(codec)) => members.compress(parts, codec),
        }
    }

    fn record(
        &self,
        group: &RecordGroup,
        part: &RecordSpan,
        buffers: &mut RecordBuffers,
    ) -> RewrittenRecord {
        let (text, position) = (&group.text[part.start..part.end], part.position);
        let at = |outcome| Some(Entry::at(position, outcome));
        let entry = match part.payload {
            PayloadKind::Other => at(RecordOutcome::Copied),
            PayloadKind::PassedOver => at(RecordOutcome::PassedOver),
            // Junk was reported when it was found.
            PayloadKind::Junk | PayloadKind::Revisit => None,
            PayloadKind::Conversion => {
                let own_key = Record::parse(text).ok().map(|record| ConversionKey::of(&record));
                let entry = at(RecordOutcome::Copied);
                return RewrittenRecord { entry, own_key, ..RewrittenRecord::default() };
            }
            PayloadKind::Page | PayloadKind::Redirect => match Record::parse(text) {
                Ok(record) => {
                    let codec = group.form.codec();
                    let original = Original { position, text, record: &record, codec };
                    return if part.payload == PayloadKind::Page {
                        self.page(&original, buffers)
                    } else {
                        self.redirect(&original, &mut buffers.members)
                    };
                }
                Err(why) => at(RecordOutcome::Failed(Problem::new(why))),
            },
        };
        RewrittenRecord { entry, ..RewrittenRecord::default() }
    }

    /// A response without a document.
    fn redirect(&self, original: &Original<'_>, members: &mut Members) -> RewrittenRecord {
        let location = new_location(original.record, self.rewriter.settings());
        let Some(location) = location else {
            let entry = Some(Entry::at(original.position, RecordOutcome::Copied));
            return RewrittenRecord { entry, ..RewrittenRecord::default() };
        };
        let changes = Changes { location: Some(location), ..Changes::default() };
        let (new, _) = replacement::new_record(original.text, original.record, &changes);
        RewrittenRecord {
            change: Change::Replaced(self.encode(&new.parts(), original.codec, members)),
            entry: Some(Entry::at(original.position, RecordOutcome::Updated)),
            ..RewrittenRecord::default()
        }
    }

    fn page(&self, original: &Original<'_>, buffers: &mut RecordBuffers) -> RewrittenRecord {
        let Original { position, record, .. } = *original;
        let is_conversion = record.kind() == "conversion";
        let mut done = RewrittenRecord {
            own_key: is_conversion.then(|| ConversionKey::of(record)),
            keys: (!is_conversion && self.record_type == RecordType::Response)
                .then(|| CaptureKeys::of(record)),
            ..RewrittenRecord::default()
        };
        let page = match Page::of(position, record, &self.limits) {
            Ok(page) => page,
            Err(error) => {
                done.entry = Some(Entry::of(position, record, *error));
                return done;
            }
        };
        let RecordBuffers { documents, largest, members } = buffers;
        let lock = lock_if_more(page.document().len() as u64, LARGE);
        // Compressing takes most of the time, and little memory; without it, a record is copied.
        let is_shared = lock.is_some() && original.codec.is_none();
        let mut large =
            is_shared.then(|| self.large.lock().unwrap_or_else(PoisonError::into_inner));
        let result = self.document(&page, large.as_deref_mut().unwrap_or(documents));
        let _lock = lock.filter(|_| is_shared);
        let outcome = match result {
            Ok(result) => {
                *largest = (*largest).max(page.document().len()).max(result.bytes().len());
                match self.record_type {
                    RecordType::Conversion => {
                        self.convert(original, &page, &result, &mut done, members)
                    }
                    RecordType::Response => self.replace(original, &result, &mut done, members),
                }
            }
            Err(error) => {
                // How much of the document was written is not known.
                *largest = self.limits.max_in_memory();
                done.entry = Some(Entry::of(position, record, *error));
                return done;
            }
        };
        done.entry = Some(Entry::of(position, record, outcome));
        done
    }

    /// The rewritten document. It grows no larger than a record may be.
    fn document<'b>(
        &self,
        page: &'b Page<'_>,
        buffers: &'b mut Buffers,
    ) -> Result<Rewritten<'b>, Box<RecordOutcome>> {
        let document = page.document();
        let mut rewriter = page.rewriter(self.rewriter);
        let (mut limits, most) = (rewriter.settings().limits, self.limits.max_in_memory());
        let max = limits.max_output(document.len());
        let is_bounded = max == 0 || most < max;
        if is_bounded {
            limits.output = most;
            rewriter = rewriter.limits(limits);
        }
        let outcome = |error: Error| match error.limit_reached() {
            Some(Limit::Output) if is_bounded => RecordOutcome::Skipped(Skip::GrowsTooLarge),
            _ => RecordOutcome::Failed(Problem::new(error.to_string())),
        };
        Ok(rewriter.rewrite_in(document, buffers).map_err(outcome)?)
    }

    fn convert(
        &self,
        original: &Original<'_>,
        page: &Page<'_>,
        result: &Rewritten<'_, Summary>,
        done: &mut RewrittenRecord,
        members: &mut Members,
    ) -> RecordOutcome {
        let Original { position, record, codec, .. } = *original;
        let summary = result.summary().clone();
        // The conversion by other options is that of the original.
        if !result.is_changed() || conversion::is_own(record) {
            return RecordOutcome::Unchanged(summary);
        }
        let date = self.info.map(WarcInfo::date);
        let document = result.bytes();
        let content_type =
            conversion::content_type(page.media_type(), summary.encoding(), document);
        let new = conversion::new_record(record, position, document, &content_type, date);
        if self.is_too_large(&new) {
            return RecordOutcome::Skipped(Skip::GrowsTooLarge);
        }
        if let Ok(conversion) = Record::parse(&new.head) {
            let key = ConversionKey::of(&conversion);
            done.change = Change::Added(self.encode(&new.parts(), codec, members), key);
        }
        RecordOutcome::Rewritten(summary)
    }

    fn replace(
        &self,
        original: &Original<'_>,
        result: &Rewritten<'_, Summary>,
        done: &mut RewrittenRecord,
        members: &mut Members,
    ) -> RecordOutcome {
        let Original { text, record, codec, .. } = *original;
        let summary = result.summary().clone();
        let location = match self.statuses {
            Statuses::All => new_location(record, self.rewriter.settings()),
            Statuses::Successful => None,
        };
        let document = result.is_changed().then(|| result.bytes());
        if document.is_none() && location.is_none() {
            return RecordOutcome::Unchanged(summary);
        }
        let changes = Changes { document, location, ..Changes::default() };
        let (new, digest) = replacement::new_record(text, record, &changes);
        if self.is_too_large(&new) {
            return RecordOutcome::Skipped(Skip::GrowsTooLarge);
        }
        done.change = Change::Replaced(self.encode(&new.parts(), codec, members));
        let length = result.bytes().len();
        done.payload = digest.map(|digest| ChangedPayload::new(record, digest, length, &summary));
        RecordOutcome::Rewritten(summary)
    }

    /// Whether the next run would not read a record, so that it would add a conversion again.
    fn is_too_large(&self, new: &NewRecord<'_>) -> bool {
        new.len() > self.limits.max_in_memory()
    }
}

/// Compresses the unchanged records of a member that is split.
fn split(group: &RecordGroup, records: &mut [RewrittenRecord], members: &mut Members) {
    let Some(codec) = group.form.codec() else { return };
    let is_split = match group.form {
        Form::Member(..) => {
            records.len() > 1 && records.iter().any(|record| record.change.is_some())
        }
        Form::Plain | Form::Split(_) => true,
    };
    if !is_split {
        return;
    }
    for (record, part) in records.iter_mut().zip(&group.parts) {
        if !matches!(record.change, Change::Replaced(_)) {
            let text = &group.text[part.start..part.end];
            record.member = Some(members.compress(&[text], codec));
        }
    }
}
