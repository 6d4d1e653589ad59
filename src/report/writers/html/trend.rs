//! The line chart: findings of each rule over the runs of a history.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::report::display::{printable, thousands};
use crate::report::history::{History, Run};

/// The most runs that are drawn, the last ones.
const MOST_RUNS: usize = 100;

/// The most rules that have a line of their own.
const MOST_LINES: usize = 6;

/// The size of the chart in its own units.
const WIDTH: u64 = 1000;
const HEIGHT: u64 = 200;

/// Lines over runs.
#[derive(Serialize)]
pub(super) struct Trend {
    pub(super) lines: Vec<Line>,
    /// The rules that have no line.
    pub(super) left_out: usize,
    /// The value at the top of the chart.
    pub(super) most: String,
    pub(super) runs: Vec<RunRow>,
}

/// The findings of a rule over the runs.
#[derive(Serialize)]
pub(super) struct Line {
    pub(super) rule: String,
    /// The points of an SVG polyline.
    pub(super) points: String,
    pub(super) last: String,
}

/// The numbers of a run, for the table below the chart.
#[derive(Serialize)]
pub(super) struct RunRow {
    pub(super) date: String,
    pub(super) errors: String,
    pub(super) warnings: String,
    pub(super) notes: String,
    /// Those of each line.
    pub(super) rules: Vec<String>,
}

impl Trend {
    /// The chart; `None` for fewer than two runs, which make no line.
    pub(super) fn new(history: &History) -> Option<Self> {
        let runs = &history.runs[history.runs.len().saturating_sub(MOST_RUNS)..];
        if runs.len() < 2 {
            return None;
        }
        let mut rules: BTreeMap<&str, u64> = BTreeMap::new();
        for (rule, &count) in runs.iter().flat_map(|run| &run.rules) {
            let most = rules.entry(rule).or_default();
            *most = (*most).max(count);
        }
        let mut rules: Vec<(&str, u64)> = rules.into_iter().collect();
        rules.sort_by_key(|&(_, most)| std::cmp::Reverse(most));
        let left_out = rules.len().saturating_sub(MOST_LINES);
        rules.truncate(MOST_LINES);
        let most = rules.first().map_or(0, |&(_, most)| most).max(1);
        let lines = rules.iter().map(|&(rule, _)| Line::new(rule, runs, most)).collect();
        let row = |run: &Run| RunRow {
            date: printable(&run.date),
            errors: thousands(run.errors),
            warnings: thousands(run.warnings),
            notes: thousands(run.notes),
            rules: rules.iter().map(|(rule, _)| thousands(count(run, rule))).collect(),
        };
        let rows = runs.iter().map(row).collect();
        Some(Self { lines, left_out, most: thousands(most), runs: rows })
    }
}

impl Line {
    fn new(rule: &str, runs: &[Run], most: u64) -> Self {
        let mut points = String::new();
        let last_run = (runs.len() as u64).saturating_sub(1).max(1);
        let mut last = 0;
        for (number, run) in (0..).zip(runs) {
            last = count(run, rule);
            let share = u128::from(last) * u128::from(HEIGHT) / u128::from(most);
            let y = HEIGHT - u64::try_from(share).unwrap_or(HEIGHT).min(HEIGHT);
            let _ = write!(points, "{},{y} ", number * WIDTH / last_run);
        }
        points.truncate(points.trim_end().len());
        Self { rule: printable(rule), points, last: thousands(last) }
    }
}

/// The findings of a rule in a run.
fn count(run: &Run, rule: &str) -> u64 {
    run.rules.get(rule).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::AuditReport;
    use crate::report::tests::broken;

    fn history(counts: &[usize]) -> History {
        let mut history = History::default();
        for &count in counts {
            let findings = vec![broken("a", "x"); count];
            let audited = AuditReport { findings, ..AuditReport::default() };
            history.push(Run::new(format!("day {count}"), &audited, None));
        }
        history
    }

    #[test]
    fn a_line_has_a_point_for_each_run() {
        let trend = Trend::new(&history(&[4, 2, 1])).unwrap();
        assert_eq!(trend.lines[0].points, "0,0 500,100 1000,150");
        assert_eq!((&*trend.lines[0].last, &*trend.most), ("1", "4"));
        assert_eq!((&*trend.runs[0].date, &*trend.runs[2].date), ("day 4", "day 1"));
        assert_eq!(trend.runs[1].rules, ["2"]);
    }

    #[test]
    fn one_run_makes_no_line() {
        assert!(Trend::new(&history(&[])).is_none());
        assert!(Trend::new(&history(&[1])).is_none());
        assert!(Trend::new(&history(&[0, 0])).unwrap().lines.is_empty());
    }

    #[test]
    fn a_long_history_is_cut_to_its_last_runs() {
        let counts: Vec<usize> = (0..=MOST_RUNS).collect();
        let trend = Trend::new(&history(&counts)).unwrap();
        assert_eq!((trend.runs.len(), &*trend.runs[0].date), (MOST_RUNS, "day 1"));
    }
}
