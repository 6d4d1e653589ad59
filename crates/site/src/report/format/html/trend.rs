//! The chart of a history: the findings of each level over its runs, one upon the other.

use std::fmt::Write;

use serde::Serialize;

use crate::report::{History, Run, printable, thousands};

/// The most runs that are drawn, the last ones.
const MOST_RUNS: usize = 100;

/// The size of the chart in its own units.
const WIDTH: u64 = 1000;
const HEIGHT: u64 = 200;

/// Areas over runs.
#[derive(Serialize)]
pub(super) struct Trend {
    /// The findings of each level, the worst at the bottom.
    pub(super) areas: Vec<Area>,
    /// The points of the line of all findings.
    pub(super) total: String,
    pub(super) last_total: String,
    /// The value at the top of the chart.
    pub(super) most: String,
    pub(super) runs: Vec<RunRow>,
}

/// The findings of a level over the runs.
#[derive(Serialize)]
pub(super) struct Area {
    pub(super) class: &'static str,
    pub(super) name: &'static str,
    /// The points of an SVG polygon.
    pub(super) points: String,
    pub(super) last: String,
}

/// The numbers of a run, for the table below the chart.
#[derive(Serialize)]
pub(super) struct RunRow {
    pub(super) date: String,
    /// Errors, warnings, notes and all.
    pub(super) counts: [String; 4],
}

/// The class and the name of each level, the worst first.
const LEVELS: [(&str, &str); 3] = [("error", "errors"), ("warning", "warnings"), ("note", "notes")];

impl Trend {
    /// The chart; `None` for fewer than two runs, which make no line.
    pub(super) fn new(history: &History) -> Option<Self> {
        let runs = &history.runs[history.runs.len().saturating_sub(MOST_RUNS)..];
        if runs.len() < 2 {
            return None;
        }
        let most = runs.iter().map(|run| sum(run, LEVELS.len())).max().unwrap_or_default().max(1);
        let edges: Vec<Vec<String>> = (0..=LEVELS.len())
            .map(|level| edge(runs.iter().map(|run| sum(run, level)), runs.len(), most))
            .collect();
        let last = runs.last()?;
        let area = |(level, (class, name)): (usize, (&'static str, &'static str))| {
            let (lower, upper) = (&edges[level], &edges[level + 1]);
            let points: Vec<_> = upper.iter().chain(lower.iter().rev()).cloned().collect();
            let last = thousands(counts(last)[level]);
            Area { class, name, points: points.join(" "), last }
        };
        let row = |run: &Run| {
            let [errors, warnings, notes] = counts(run);
            let all = sum(run, LEVELS.len());
            let counts = [errors, warnings, notes, all].map(thousands);
            RunRow { date: printable(&run.date), counts }
        };
        Some(Self {
            areas: LEVELS.into_iter().enumerate().map(area).collect(),
            total: edges[LEVELS.len()].join(" "),
            last_total: thousands(sum(last, LEVELS.len())),
            most: thousands(most),
            runs: runs.iter().map(row).collect(),
        })
    }
}

fn counts(run: &Run) -> [u64; 3] {
    [run.errors, run.warnings, run.notes]
}

/// The number of findings of the worst levels.
fn sum(run: &Run, levels: usize) -> u64 {
    counts(run)[..levels].iter().fold(0, |sum, count| sum.saturating_add(*count))
}

/// The points of the runs with these values.
fn edge(values: impl Iterator<Item = u64>, runs: usize, most: u64) -> Vec<String> {
    let last_run = (runs as u64).saturating_sub(1).max(1);
    let point = |(number, value): (u64, u64)| {
        let share = u128::from(value) * u128::from(HEIGHT) / u128::from(most);
        let y = HEIGHT - u64::try_from(share).unwrap_or(HEIGHT).min(HEIGHT);
        let mut point = String::new();
        let _ = write!(point, "{},{y}", number * WIDTH / last_run);
        point
    };
    (0..).zip(values).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{broken, finding};
    use crate::{AuditReport, Level, Rule};

    /// Runs with these numbers of errors, and twice as many notes.
    fn history(counts: &[usize]) -> History {
        let mut history = History::default();
        for &count in counts {
            let mut findings = vec![broken("a", "x"); count];
            findings.extend(vec![finding(Rule::OrphanPage, Level::Note, "b"); 2 * count]);
            let audited = AuditReport { findings, ..AuditReport::default() };
            history.push(Run::new(format!("day {count}"), &audited, None));
        }
        history
    }

    #[test]
    fn an_area_is_upon_that_of_a_worse_level() {
        let trend = Trend::new(&history(&[4, 2, 1])).unwrap();
        let points = |level: usize| &*trend.areas[level].points;
        assert_eq!(points(0), "0,134 500,167 1000,184 1000,200 500,200 0,200");
        assert_eq!(points(1), "0,134 500,167 1000,184 1000,184 500,167 0,134");
        assert_eq!(points(2), "0,0 500,100 1000,150 1000,184 500,167 0,134");
        assert_eq!(trend.total, "0,0 500,100 1000,150");
        assert_eq!((&*trend.areas[2].last, &*trend.last_total, &*trend.most), ("2", "3", "12"));
        assert_eq!((&*trend.runs[0].date, &*trend.runs[2].date), ("day 4", "day 1"));
        assert_eq!(trend.runs[1].counts, ["2", "0", "4", "6"]);
    }

    #[test]
    fn one_run_makes_no_line() {
        assert!(Trend::new(&history(&[])).is_none());
        assert!(Trend::new(&history(&[1])).is_none());
        assert_eq!(Trend::new(&history(&[0, 0])).unwrap().total, "0,200 1000,200");
    }

    #[test]
    fn a_long_history_is_cut_to_its_last_runs() {
        let counts: Vec<usize> = (0..=MOST_RUNS).collect();
        let trend = Trend::new(&history(&counts)).unwrap();
        assert_eq!((trend.runs.len(), &*trend.runs[0].date), (MOST_RUNS, "day 1"));
    }
}
