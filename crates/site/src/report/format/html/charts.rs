//! The charts: bars of findings by rule and by folder, and the areas of a history, which show the
//! findings of each level over its runs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Component, Path};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use crate::report::{History, Run, printable, thousands};
use crate::{Finding, Level, Rule, Unlisted};

/// Maximum folders that have a bar.
const MAX_FOLDERS: usize = 10;

/// Maximum depth of folders that have a bar, below the folder that all findings are in.
const MAX_DEPTH: usize = 4;

/// A bar: a name, a number, and the parts that it is made of.
#[derive(Serialize)]
pub(super) struct Bar {
    /// The rule or the folder.
    pub(super) name: String,
    pub(super) count: String,
    pub(super) parts: Vec<Part>,
    /// The state of the table that shows these findings; empty if there is none.
    pub(super) href: String,
}

/// The part of a bar for a level; its ends are in percent of the chart.
#[derive(Serialize)]
pub(super) struct Part {
    pub(super) class: &'static str,
    pub(super) start: String,
    pub(super) width: String,
}

/// The folders that have findings.
#[derive(Serialize)]
pub(super) struct Folders {
    /// The folder that all of them are in, with its slash; empty if there is none.
    pub(super) common: String,
    pub(super) bars: Vec<Bar>,
    /// The number of folders without a bar.
    pub(super) left_out: usize,
}

/// The numbers of errors, warnings and notes.
type LevelCounts = [u64; 3];

/// The names of a folder, from the first one that not all findings share.
type FolderKey = Vec<String>;

fn level_number(level: Level) -> usize {
    match level {
        Level::Error => 0,
        Level::Warn => 1,
        _ => 2,
    }
}

/// Draws the bars of the rules, the longest first; the findings that are not listed count.
pub(super) fn draw_rules(findings: &[Finding], unlisted: &[Unlisted]) -> Vec<Bar> {
    let mut rules: BTreeMap<Rule, LevelCounts> = BTreeMap::new();
    let listed = findings.iter().map(|finding| (finding.rule, finding.level, 1));
    let unlisted = unlisted.iter().map(|of| (of.rule, of.level, of.count));
    for (rule, level, count) in listed.chain(unlisted) {
        rules.entry(rule).or_default()[level_number(level)] += count;
    }
    let href = |rule: Rule| format!("#rule={}&group=target", rule.id());
    let bars = rules.into_iter().map(|(rule, counts)| (rule.id().to_owned(), href(rule), counts));
    draw_bars(bars.collect())
}

/// Draws bars, the longest first.
fn draw_bars(mut bars: Vec<(String, String, LevelCounts)>) -> Vec<Bar> {
    let sum = |counts: &LevelCounts| counts.iter().sum::<u64>();
    bars.sort_by_key(|(_, _, counts)| std::cmp::Reverse(sum(counts)));
    let longest = bars.first().map_or(1, |(_, _, counts)| sum(counts)).max(1);
    let percent = |count: u64| hundredths(count, longest);
    let draw = |(name, href, counts): (String, String, LevelCounts)| {
        let mut start = 0;
        let mut parts = Vec::new();
        for (count, class) in counts.into_iter().zip(["error", "warning", "note"]) {
            if count > 0 {
                parts.push(Part { class, start: percent(start), width: percent(count) });
            }
            start += count;
        }
        Bar { name, count: thousands(start), parts, href }
    };
    bars.into_iter().map(draw).collect()
}

/// A share in percent, with two digits after the point.
fn hundredths(count: u64, of: u64) -> String {
    let share = u128::from(count) * 10_000 / u128::from(of);
    format!("{}.{:02}", share / 100, share % 100)
}

impl Folders {
    /// The folders of the findings, as deep as there is room for.
    pub(super) fn new(findings: &[Finding]) -> Self {
        let files = count_by_file(findings);
        let common = count_common(&files);
        let common_path = join_names(files.first().map_or(&[], |(names, _)| &names[..common]));
        let at_depth = |depth: usize| {
            let mut folders: BTreeMap<FolderKey, LevelCounts> = BTreeMap::new();
            for (names, counts) in &files {
                let rest = &names[common..];
                let sum = folders.entry(rest[..depth.min(rest.len())].to_vec()).or_default();
                for (sum, count) in sum.iter_mut().zip(counts) {
                    *sum += count;
                }
            }
            folders
        };
        let depths = (1..=MAX_DEPTH).map(at_depth);
        let fitting = depths.take_while(|folders| folders.len() <= MAX_FOLDERS).last();
        let folders = fitting.unwrap_or_else(|| at_depth(1));
        let bars = folders.iter().map(|(key, counts)| {
            // Its own files, where the folders in it have bars of their own.
            let has_inner = folders.keys().any(|other| other != key && other.starts_with(key));
            let end = if has_inner { "*" } else { "" };
            let name = if key.is_empty() { "./".to_owned() } else { join_names(key) };
            let path = [&*common_path, &*join_names(key)].concat();
            let path = if path.is_empty() { "./".to_owned() } else { path };
            let encoded = utf8_percent_encode(&path, NON_ALPHANUMERIC);
            (format!("{name}{end}"), format!("#file={encoded}{end}&group=target"), *counts)
        });
        let mut bars = draw_bars(bars.collect());
        let left_out = bars.len().saturating_sub(MAX_FOLDERS);
        bars.truncate(MAX_FOLDERS);
        Self { common: common_path, bars, left_out }
    }
}

/// Counts the findings of each file by level, with the names of its folder.
fn count_by_file(findings: &[Finding]) -> Vec<(FolderKey, LevelCounts)> {
    let by_file = findings.chunk_by(|a, b| a.file == b.file);
    let counted = by_file.map(|findings| {
        let mut counts = LevelCounts::default();
        for finding in findings {
            counts[level_number(finding.level)] += 1;
        }
        let file = findings.first().map_or(Path::new(""), |finding| &finding.file);
        let folder = file.parent().unwrap_or(Path::new(""));
        let name = |part: Component<'_>| match part {
            Component::CurDir => None,
            Component::RootDir => Some(String::new()),
            part => Some(printable(&part.as_os_str().to_string_lossy())),
        };
        (folder.components().filter_map(name).collect(), counts)
    });
    counted.collect()
}

/// Counts the names that all folders begin with.
fn count_common(files: &[(FolderKey, LevelCounts)]) -> usize {
    let Some((first, _)) = files.first() else { return 0 };
    let count_shared =
        |names: &FolderKey| first.iter().zip(names).take_while(|(a, b)| a == b).count();
    files.iter().map(|(names, _)| count_shared(names)).min().unwrap_or_default()
}

/// Names as the path of a folder.
fn join_names(names: &[String]) -> String {
    names.iter().flat_map(|name| [name, "/"]).collect()
}

/// Maximum runs that are drawn, the last ones.
const MAX_RUNS: usize = 100;

/// The size of the chart in its own units.
const WIDTH: u64 = 1000;
const HEIGHT: u64 = 200;

/// The chart of a history: the findings of each level over its runs, one area above the other.
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
        let runs = &history.runs[history.runs.len().saturating_sub(MAX_RUNS)..];
        if runs.len() < 2 {
            return None;
        }
        let most = runs.iter().map(|run| sum(run, LEVELS.len())).max().unwrap_or_default().max(1);
        let edges: Vec<Vec<String>> = (0..=LEVELS.len())
            .map(|level| draw_edge(runs.iter().map(|run| sum(run, level)), runs.len(), most))
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

/// Draws the line of runs with these values, as the points of an SVG polyline.
fn draw_edge(values: impl Iterator<Item = u64>, runs: usize, most: u64) -> Vec<String> {
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

    fn describe(files: &[&str]) -> (String, Vec<String>) {
        let findings: Vec<Finding> = files.iter().map(|file| broken(file, "x")).collect();
        let folders = Folders::new(&findings);
        let bar = |bar: &Bar| format!("{} {} {}", bar.name, bar.count, bar.href);
        (folders.common.clone(), folders.bars.iter().map(bar).collect())
    }

    #[test]
    fn folders_are_shown_below_the_one_that_all_share() {
        let (common, bars) = describe(&["site/a b/x", "site/a b/y", "site/c/d/x", "site/x"]);
        assert_eq!(common, "site/");
        assert_eq!(
            bars,
            [
                "a b/ 2 #file=site%2Fa%20b%2F&group=target",
                "./* 1 #file=site%2F*&group=target",
                "c/d/ 1 #file=site%2Fc%2Fd%2F&group=target",
            ]
        );
        assert_eq!(describe(&["a"]).1, ["./ 1 #file=%2E%2F&group=target"]);
        assert_eq!(describe(&[]), (String::new(), Vec::new()));
    }

    #[test]
    fn many_folders_are_cut_to_the_longest() {
        let files: Vec<String> = (0..30).map(|number| format!("{:02}/a", number / 2)).collect();
        let files: Vec<&str> = files.iter().map(|file| &**file).collect();
        let (_, bars) = describe(&files);
        assert_eq!(bars.len(), MAX_FOLDERS);
        assert_eq!(bars[0], "00/ 2 #file=00%2F&group=target");
    }

    #[test]
    fn the_longest_bar_is_as_long_as_the_chart() {
        let mut findings = vec![broken("a", "x"), broken("a", "y")];
        findings.push(finding(Rule::BadTel, Level::Warn, "a"));
        let unlisted = [Unlisted { rule: Rule::BadTel, level: Level::Warn, count: 5 }];
        let bars = draw_rules(&findings, &unlisted);
        let shown: Vec<_> =
            bars.iter().map(|bar| (&*bar.name, &*bar.count, &*bar.parts[0].width)).collect();
        assert_eq!(shown, [("bad-tel", "6", "100.00"), ("broken-link", "2", "33.33")]);
    }

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
    fn an_area_is_above_that_of_a_worse_level() {
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
        let counts: Vec<usize> = (0..=MAX_RUNS).collect();
        let trend = Trend::new(&history(&counts)).unwrap();
        assert_eq!((trend.runs.len(), &*trend.runs[0].date), (MAX_RUNS, "day 1"));
    }
}
