//! Rewrites the records of one segment of an archive, in any thread.

use super::super::http::Response;
use super::capture_keys::CaptureKeys;
use super::conversion::{self, ConversionKey};
use super::digest;
use super::level::Level;
use super::limits::ArchiveLimits;
use super::members::Members;
use super::outcome::{Entry, Problem, RecordOutcome, Skip};
use super::page::Page;
use super::payloads::ChangedPayload;
use super::reader::{entry, error_entry};
use super::record::Record;
use super::record_type::{PayloadKind, RecordType, Statuses};
use super::replacement::{self, Changes, absolute_location};
use super::segments::{Form, Purpose, RecordGroup, RecordSpan, Segment};
use super::selection::RecordSelection;
use super::warcinfo::WarcInfo;
use crate::jobs::{KEPT, ThreadState, lock_if_large};
use crate::rewrite::{Buffers, Rewriter, Rewritten, Summary};

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

/// The result of a record.
#[derive(Default)]
pub(super) struct RewrittenRecord {
    pub(super) change: Change,
    /// `None` for what is not a record, and for a revisit, whose outcome depends on the records
    /// before it.
    pub(super) entry: Option<Entry>,
    /// The key of a record that is a conversion itself.
    pub(super) own_key: Option<ConversionKey>,
    /// The keys of a page that revisits may refer to.
    pub(super) keys: Option<CaptureKeys>,
    /// The payload of a page that changes.
    pub(super) payload: Option<ChangedPayload>,
    /// The record as a gzip member of its own, if its member is split.
    pub(super) member: Option<Vec<u8>>,
}

/// What is written of a record; new bytes are compressed if the record is.
#[derive(Default)]
pub(super) enum Change {
    /// The record.
    #[default]
    None,
    /// A new record.
    Replaced(Vec<u8>),
    /// The record, and a conversion.
    Added(Vec<u8>, ConversionKey),
}

impl Change {
    pub(super) fn is_some(&self) -> bool {
        !matches!(self, Self::None)
    }

    fn bytes(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Self::None => None,
            Self::Replaced(bytes) | Self::Added(bytes, _) => Some(bytes),
        }
    }
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
        for number in 1..records.len() {
            let (before, after) = records.split_at_mut(number);
            let next = after.iter().take(MOST_CONVERSIONS).map_while(|next| next.own_key.as_ref());
            if let Some(record) = before.last_mut() {
                record.forget_conversion(next);
            }
        }
        if let Purpose::Write(level) = self.purpose {
            compress(group, &mut records, &mut buffers.members, level);
        }
        records
    }

    fn record(
        &self,
        group: &RecordGroup,
        part: &RecordSpan,
        buffers: &mut RecordBuffers,
    ) -> RewrittenRecord {
        let text = &group.text[part.start..part.end];
        let at = |outcome| Some(Entry::at(part.position, outcome));
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
                Ok(record) if part.payload == PayloadKind::Page => {
                    return self.page(part, text, &record, buffers);
                }
                Ok(record) => return self.redirect(part, text, &record),
                Err(why) => at(RecordOutcome::Failed(Problem::new(why))),
            },
        };
        RewrittenRecord { entry, ..RewrittenRecord::default() }
    }

    /// A response without a document.
    fn redirect(&self, part: &RecordSpan, text: &[u8], record: &Record<'_>) -> RewrittenRecord {
        let location = absolute_location(record, self.rewriter.settings().standard);
        let outcome = match location {
            Some(_) => RecordOutcome::Updated,
            None => RecordOutcome::Copied,
        };
        let change = location.map_or(Change::None, |location| {
            let changes = Changes { location: Some(location), ..Changes::default() };
            let mut new = Vec::with_capacity(text.len() + 256);
            replacement::write(&mut new, text, record, &changes);
            Change::Replaced(new)
        });
        let entry = Some(Entry::at(part.position, outcome));
        RewrittenRecord { change, entry, ..RewrittenRecord::default() }
    }

    fn page(
        &self,
        part: &RecordSpan,
        text: &[u8],
        record: &Record<'_>,
        buffers: &mut RecordBuffers,
    ) -> RewrittenRecord {
        let is_conversion = record.kind() == "conversion";
        let mut done = RewrittenRecord {
            own_key: is_conversion.then(|| ConversionKey::of(record)),
            keys: self.keys(record),
            ..RewrittenRecord::default()
        };
        let page = match Page::of(part.position, record, &self.limits) {
            Ok(page) => page,
            Err(error) => {
                done.entry = Some(error_entry(part.position, record, error));
                return done;
            }
        };
        let lock = lock_if_large(page.document().len() as u64);
        let rewriter = page.rewriter(self.rewriter);
        let result = rewriter.rewrite_in(page.document(), &mut buffers.documents);
        let new_size = result.as_ref().map_or(0, |result| result.bytes().len());
        buffers.largest = buffers.largest.max(page.document().len()).max(new_size);
        let outcome = match result {
            Ok(result) => match self.record_type {
                RecordType::Conversion => self.convert(part, &page, &result, &mut done),
                RecordType::Response => self.replace(text, record, &result, &mut done),
            },
            Err(error) => RecordOutcome::Failed(Problem::new(error.to_string())),
        };
        drop(lock);
        done.entry = Some(entry(part.position, record, outcome));
        done
    }

    /// The keys of a page that revisits may refer to.
    fn keys(&self, record: &Record<'_>) -> Option<CaptureKeys> {
        let has_revisits =
            self.record_type == RecordType::Response && record.kind() != "conversion";
        has_revisits.then(|| {
            let has_digest = record.headers().get("WARC-Payload-Digest").is_some();
            let body =
                || Response::parse(record.block()).map_or(record.block(), |found| found.body);
            CaptureKeys::of(record, (!has_digest).then(|| digest::of(body())))
        })
    }

    fn convert(
        &self,
        part: &RecordSpan,
        page: &Page<'_>,
        result: &Rewritten<'_, Summary>,
        done: &mut RewrittenRecord,
    ) -> RecordOutcome {
        let (record, summary) = (page.record(), result.summary().clone());
        // The conversion by other options is that of the original.
        if !result.is_changed() || conversion::is_own(record) {
            return RecordOutcome::Unchanged(summary);
        }
        let mut new = Vec::with_capacity(result.bytes().len() + 1024);
        let date = self.info.map(WarcInfo::date);
        let content_type = conversion::content_type(page.syntax(), summary.encoding());
        conversion::write(&mut new, record, part.position, result.bytes(), &content_type, date);
        // The next run would not read it, and would add it again.
        if new.len() > self.limits.max_in_memory() {
            return RecordOutcome::Skipped(Skip::TooLarge);
        }
        if let Ok(conversion) = Record::parse(&new) {
            let key = ConversionKey::of(&conversion);
            done.change = Change::Added(new, key);
        }
        RecordOutcome::Rewritten(summary)
    }

    fn replace(
        &self,
        text: &[u8],
        record: &Record<'_>,
        result: &Rewritten<'_, Summary>,
        done: &mut RewrittenRecord,
    ) -> RecordOutcome {
        let summary = result.summary().clone();
        let location = match self.statuses {
            Statuses::All => absolute_location(record, self.rewriter.settings().standard),
            Statuses::Successful => None,
        };
        let document = result.is_changed().then(|| result.bytes());
        if document.is_none() && location.is_none() {
            return RecordOutcome::Unchanged(summary);
        }
        let changes = Changes { document, location, ..Changes::default() };
        let mut new = Vec::with_capacity(result.bytes().len() + 1024);
        let digest = replacement::write(&mut new, text, record, &changes);
        done.change = Change::Replaced(new);
        done.payload =
            digest.map(|digest| ChangedPayload::new(digest, result.bytes().len(), &summary));
        RecordOutcome::Rewritten(summary)
    }
}

impl RewrittenRecord {
    /// Adds no conversion if its key is among those of the conversions that follow.
    fn forget_conversion<'k>(&mut self, mut next: impl Iterator<Item = &'k ConversionKey>) {
        if let Change::Added(_, key) = &self.change
            && next.any(|next| next == key)
        {
            self.change = Change::None;
            self.entry = self.entry.take().map(Entry::unchanged);
        }
    }
}

/// Conversions after a record that are compared with its own, in one member: as many as a user has
/// sets of options.
const MOST_CONVERSIONS: usize = 64;

/// Compresses new records, and the others of a member that is split.
fn compress(
    group: &RecordGroup,
    records: &mut [RewrittenRecord],
    members: &mut Members,
    level: Level,
) {
    let Some(codec) = group.form.codec() else { return };
    let is_changed = records.iter().any(|record| record.change.is_some());
    let is_split = match group.form {
        Form::Member(..) => is_changed && records.len() > 1,
        Form::Plain | Form::Split(_) => true,
    };
    if !is_changed && !is_split {
        return;
    }
    for (record, part) in records.iter_mut().zip(&group.parts) {
        if is_split && !matches!(record.change, Change::Replaced(_)) {
            let mut member = Vec::new();
            members.add(&mut member, &group.text[part.start..part.end], codec, level);
            record.member = Some(member);
        }
        if let Some(bytes) = record.change.bytes() {
            let text = std::mem::take(bytes);
            members.add(bytes, &text, codec, level);
        }
    }
}
