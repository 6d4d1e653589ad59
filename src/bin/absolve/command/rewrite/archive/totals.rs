//! The totals of a run over an archive.

use std::fmt::Write as _;

use absolve::LinkCounts;
use absolve::container::warc::Totals;
use absolve::report::display::{counted, thousands};
use serde::Serialize;

use crate::command::rewrite::totals::{LinkStats, RunMode, links_text};
use crate::session::unresolved::Unresolved;

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
    passed_over: u64,
    updated: u64,
    stale: u64,
    skipped: u64,
    failed: u64,
}

impl ArchiveTotals {
    pub(super) fn is_changed(&self) -> bool {
        self.records.rewritten + self.records.updated > 0
    }

    /// Whether no record had a document to read.
    pub(super) fn has_no_document(&self) -> bool {
        let totals = &self.records;
        totals.rewritten + totals.unchanged + totals.passed_over + totals.updated == 0
            && !self.has_failed()
    }

    pub(super) fn has_failed(&self) -> bool {
        self.records.failed + self.records.skipped > 0
    }

    /// Two lines for people.
    pub(super) fn text(&self, mode: RunMode, seconds: f64) -> [String; 2] {
        let totals = &self.records;
        let mut records = format!(
            "{}: {} {}, {} unchanged, {} copied",
            counted(totals.records, "record"),
            thousands(totals.rewritten),
            mode.rewritten(),
            thousands(totals.unchanged),
            thousands(totals.copied),
        );
        let rare = [
            (totals.passed_over, "passed over (parts)"),
            (totals.updated, "updated"),
            (totals.stale, "stale"),
        ];
        for (number, what) in rare {
            if number > 0 {
                let _ = write!(records, ", {} {what}", thousands(number));
            }
        }
        let [skipped, failed] = [totals.skipped, totals.failed].map(thousands);
        let _ = write!(records, ", {skipped} skipped, {failed} failed");
        [records, links_text(&self.links, mode, seconds)]
    }

    pub(super) fn stats<'u>(&self, without_base: &'u Unresolved, seconds: f64) -> Stats<'u> {
        Stats { records: self.records, links: self.links, without_base, seconds }
    }
}
