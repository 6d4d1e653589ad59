//! The totals of a run over an archive.

use absolve::LinkCounts;
use absolve::container::warc::Totals;
use absolve::report::display::{counted, thousands};
use serde::Serialize;

use crate::command::rewrite::totals::{LinkStats, RunMode, links_text};
use crate::command::rewrite::unresolved::Unresolved;

/// Records and links by outcome.
pub(super) struct ArchiveTotals {
    pub(super) records: Totals,
    pub(super) links: LinkCounts,
}

/// The totals as JSON.
#[derive(Serialize)]
pub(super) struct Stats<'a> {
    #[serde(with = "RecordStats")]
    records: Totals,
    #[serde(with = "LinkStats")]
    links: LinkCounts,
    without_base: &'a Unresolved,
    seconds: f64,
}

/// Records by outcome as JSON.
#[derive(Serialize)]
#[serde(remote = "Totals")]
struct RecordStats {
    #[serde(rename = "seen")]
    records: u64,
    rewritten: u64,
    unchanged: u64,
    copied: u64,
    skipped: u64,
    failed: u64,
}

impl ArchiveTotals {
    pub(super) fn is_changed(&self) -> bool {
        self.records.rewritten > 0
    }

    pub(super) fn has_failed(&self) -> bool {
        self.records.failed + self.records.skipped > 0
    }

    /// Two lines for people.
    pub(super) fn text(&self, mode: RunMode, seconds: f64) -> [String; 2] {
        let Totals { records, rewritten, unchanged, copied, skipped, failed, .. } = self.records;
        let done = mode.rewritten();
        let records = counted(records, "record");
        let [rewritten, unchanged, copied, skipped, failed] =
            [rewritten, unchanged, copied, skipped, failed].map(thousands);
        let records = format!(
            "{records}: {rewritten} {done}, {unchanged} unchanged, {copied} copied, {skipped} skipped, {failed} failed"
        );
        [records, links_text(&self.links, mode, seconds)]
    }

    pub(super) fn stats<'u>(&self, without_base: &'u Unresolved, seconds: f64) -> Stats<'u> {
        Stats { records: self.records, links: self.links, without_base, seconds }
    }
}
