//! Writes the records of an archive in order.

use std::io::{BufWriter, Write};
use std::ops::ControlFlow;

use super::conversion::{ConversionKey, KnownConversions};
use super::members::Members;
use super::outcome::{Entry, Totals};
use super::payloads::Payloads;
use super::record::Record;
use super::record_info::RecordInfo;
use super::record_rewriter::RecordRewriter;
use super::record_type::PayloadKind;
use super::revisit::RevisitUpdate;
use super::rewritten_record::{Change, RewrittenRecord};
use super::segments::{Form, RecordGroup, RecordSpan, Segment};
use super::warcinfo::WarcInfo;
use crate::container::ContainerError;

/// Gets each written record.
pub(super) type OnEntry<'o> = dyn FnMut(&Entry) -> ControlFlow<()> + 'o;

pub(super) struct Writer<'r> {
    output: BufWriter<&'r mut dyn Write>,
    report: &'r mut OnEntry<'r>,
    work: &'r RecordRewriter<'r>,
    totals: Totals,
    /// The record to write before the first record that changes.
    info: Option<&'r WarcInfo>,
    conversion: Option<PendingConversion>,
    before: RecordsBefore,
    members: Members,
}

/// What is known of the records before.
#[derive(Debug, Default)]
pub(super) struct RecordsBefore {
    payloads: Payloads,
    conversions: KnownConversions,
}

/// A conversion that is written unless one of the conversions that follow is the same.
struct PendingConversion {
    bytes: Vec<u8>,
    key: ConversionKey,
    entry: Option<Entry>,
}

impl<'r> Writer<'r> {
    /// `before` has the records of the archives before.
    pub(super) fn new(
        output: &'r mut dyn Write,
        report: &'r mut OnEntry<'r>,
        work: &'r RecordRewriter<'r>,
        before: RecordsBefore,
    ) -> Self {
        // Damage comes in small segments.
        let output = BufWriter::new(output);
        Self {
            output,
            report,
            work,
            totals: Totals::default(),
            info: work.info,
            conversion: None,
            before,
            members: Members::default(),
        }
    }

    /// Writes a segment with the results of its records.
    pub(super) fn put(
        &mut self,
        segment: &Segment,
        done: Vec<RewrittenRecord>,
    ) -> Result<(), ContainerError> {
        match segment {
            Segment::RecordGroup(group) => self.group(group, done),
            Segment::Bytes(bytes) => {
                self.write_conversion()?;
                self.write(bytes)
            }
            Segment::Skipped(entry) => {
                self.write_conversion()?;
                self.report(entry)
            }
            Segment::Info(info) => {
                if let RecordInfo::Unchanged(keys) = info {
                    self.before.payloads.add(*keys, None);
                }
                Ok(())
            }
        }
    }

    /// Ends the archive.
    pub(super) fn finish(mut self) -> Result<(Totals, RecordsBefore), ContainerError> {
        self.write_conversion()?;
        self.output.flush().map_err(ContainerError::Write)?;
        Ok((self.totals, self.before))
    }

    fn group(
        &mut self,
        group: &RecordGroup,
        mut done: Vec<RewrittenRecord>,
    ) -> Result<(), ContainerError> {
        for (record, part) in done.iter_mut().zip(&group.parts) {
            if let Some(keys) = record.keys {
                self.before.payloads.add(keys, record.payload);
            }
            self.know_conversions(record);
            if part.payload == PayloadKind::Revisit {
                self.revisit(group, part, record);
            }
        }
        let is_changed = done.iter().any(|record| record.change.is_some());
        if let Form::Member(_, bytes) = &group.form
            && !is_changed
        {
            self.precede(done.iter().map(|record| record.own_key.as_ref()))?;
            self.write(bytes)?;
            return done
                .iter()
                .flat_map(|record| &record.entry)
                .try_for_each(|entry| self.report(entry));
        }
        group.parts.iter().zip(done).try_for_each(|(part, record)| self.record(group, part, record))
    }

    /// Adds the conversion of a record to those that are known, unless it is among them.
    fn know_conversions(&mut self, record: &mut RewrittenRecord) {
        if let Some(own) = &record.own_key {
            self.before.conversions.add(own);
        }
        if let Change::Added(_, key) = &record.change
            && !self.before.conversions.add(key)
        {
            record.change = Change::None;
            record.entry = record.entry.take().map(Entry::unchanged);
        }
    }

    /// Makes a revisit agree with the records before it.
    fn revisit(&mut self, group: &RecordGroup, part: &RecordSpan, record: &mut RewrittenRecord) {
        let text = &group.text[part.start..part.end];
        let settings = self.work.rewriter.settings();
        let RecordRewriter { statuses, selection, .. } = *self.work;
        let payloads = &self.before.payloads;
        let update = RevisitUpdate { payloads, settings, statuses, selection };
        let (outcome, new) = update.of(text);
        record.entry = Some(Entry::at(part.position, outcome));
        if let Some(new) = new {
            record.change = Change::Replaced(self.encoded(group, &new));
        }
    }

    /// Writes a record of a group that is plain, or of which a record changes.
    fn record(
        &mut self,
        group: &RecordGroup,
        part: &RecordSpan,
        record: RewrittenRecord,
    ) -> Result<(), ContainerError> {
        self.precede([record.own_key.as_ref()])?;
        let RewrittenRecord { change, entry, member, .. } = record;
        match change {
            Change::Replaced(bytes) => {
                self.write_info(group, part, &bytes)?;
                self.write(&bytes)?;
            }
            Change::None => self.totals.split += u64::from(self.copy(group, part, member)?),
            Change::Added(bytes, key) => {
                // That of a page before a conversion which gets one too.
                self.write_conversion()?;
                self.copy(group, part, member)?;
                self.end_record(group, part)?;
                self.conversion = Some(PendingConversion { bytes, key, entry });
                return Ok(());
            }
        }
        entry.map_or(Ok(()), |entry| self.report(&entry))
    }

    /// Copies a record; returns whether it was split from its compressed member.
    fn copy(
        &mut self,
        group: &RecordGroup,
        part: &RecordSpan,
        split: Option<Vec<u8>>,
    ) -> Result<bool, ContainerError> {
        match (&group.form, split) {
            (Form::Plain, _) => self.write(&group.text[part.start..part.end])?,
            (Form::Member(_, bytes), _) if group.parts.len() == 1 => {
                self.write(bytes)?;
            }
            (Form::Member(..) | Form::Split(_), Some(bytes)) => {
                self.write(&bytes)?;
                return Ok(true);
            }
            // Another record of the member is a revisit that changes.
            (Form::Member(..) | Form::Split(_), None) => {
                let member = self.encoded(group, &group.text[part.start..part.end]);
                self.write(&member)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Writes the line ends that a record without compression lacks, so that another can follow it.
    fn end_record(&mut self, group: &RecordGroup, part: &RecordSpan) -> Result<(), ContainerError> {
        const ENDS: &[u8] = b"\r\n\r\n";
        let text = &group.text[part.start..part.end];
        if group.form.codec().is_some() || text.ends_with(b"\n\n") {
            return Ok(());
        }
        let there = (1..=ENDS.len()).rev().find(|&there| text.ends_with(&ENDS[..there]));
        self.write(&ENDS[there.unwrap_or(0)..])
    }

    /// Decides about the pending conversion before records with these keys, of which `None` is that
    /// of a record that is no conversion. It is written after the conversions that the archive has
    /// of its record, unless it is among them.
    fn precede<'k>(
        &mut self,
        keys: impl IntoIterator<Item = Option<&'k ConversionKey>>,
    ) -> Result<(), ContainerError> {
        for next in keys {
            match (&mut self.conversion, next) {
                (None, _) => return Ok(()),
                (Some(_), None) => return self.write_conversion(),
                (Some(pending), Some(next)) if pending.key == *next => {
                    let entry = pending.entry.take().map(Entry::unchanged);
                    self.conversion = None;
                    return entry.map_or(Ok(()), |entry| self.report(&entry));
                }
                (Some(_), Some(_)) => {}
            }
        }
        Ok(())
    }

    /// Writes the pending conversion.
    fn write_conversion(&mut self) -> Result<(), ContainerError> {
        let Some(pending) = self.conversion.take() else { return Ok(()) };
        self.write(&pending.bytes)?;
        pending.entry.map_or(Ok(()), |entry| self.report(&entry))
    }

    fn write_info(
        &mut self,
        group: &RecordGroup,
        part: &RecordSpan,
        next: &[u8],
    ) -> Result<(), ContainerError> {
        let Some(info) = self.info.take() else { return Ok(()) };
        let record = Record::parse(&group.text[part.start..part.end]);
        let version = record.as_ref().map_or("WARC/1.1".into(), Record::version);
        let mut text = Vec::new();
        info.write(&mut text, &version, next);
        let record = self.encoded(group, &text);
        self.write(&record)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ContainerError> {
        self.output.write_all(bytes).map_err(ContainerError::Write)
    }

    fn report(&mut self, entry: &Entry) -> Result<(), ContainerError> {
        self.totals.add(&entry.outcome);
        if (self.report)(entry).is_break() { Err(ContainerError::Stopped) } else { Ok(()) }
    }

    /// A new record in the form of those of a group; empty if nothing is written.
    fn encoded(&mut self, group: &RecordGroup, text: &[u8]) -> Vec<u8> {
        self.work.encode(&[text], group.form.codec(), &mut self.members)
    }
}
