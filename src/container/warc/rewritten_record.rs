//! The result of a record.

use super::conversion::ConversionKey;
use super::outcome::Entry;
use super::payloads::{CaptureKeys, ChangedPayload};

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

impl RewrittenRecord {
    /// Bytes that wait to be written.
    pub(super) fn size(&self) -> usize {
        let change = match &self.change {
            Change::None => 0,
            Change::Replaced(bytes) | Change::Added(bytes, _) => bytes.len(),
        };
        change + self.member.as_ref().map_or(0, Vec::len)
    }
}

/// What is written of a record. New bytes are compressed if the record is, and empty if nothing is
/// written.
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
}

/// Conversions after a record that are compared with its own, in one member: as many as a user has
/// sets of options.
const MOST_CONVERSIONS: usize = 64;

/// Adds no conversion to a record of a member if it is among the conversions that follow there.
pub(super) fn forget_conversions(records: &mut [RewrittenRecord]) {
    for number in 1..records.len() {
        let (before, after) = records.split_at_mut(number);
        let mut next = after.iter().take(MOST_CONVERSIONS).map_while(|next| next.own_key.as_ref());
        if let Some(record) = before.last_mut()
            && let Change::Added(_, key) = &record.change
            && next.any(|next| next == key)
        {
            record.change = Change::None;
            record.entry = record.entry.take().map(Entry::unchanged);
        }
    }
}
