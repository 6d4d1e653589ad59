//! Draws the charts: bars for the findings by rule and by folder, and areas for the findings of
//! each level over the runs of a history.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Component, Path};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use crate::report::{History, Run, printable, thousands};
use crate::{Finding, Level, Rule, Unlisted};

/// Maximum number of bars for folders.
const MAX_FOLDERS: usize = 10;

/// Maximum depth of the folders with a bar, relative to the folder that contains all findings.
const MAX_DEPTH: usize = 4;

/// A bar with its name, its number, and a part for each level.
#[derive(Serialize)]
pub(super) struct Bar {
    /// The rule or the folder.
    pub(super) name: String,
    pub(super) count: String,
    pub(super) parts: Vec<Part>,
    /// The reference to the state of the table that shows these findings; empty if there is none.
    pub(super) href: String,
}

/// The part of a bar for a level; its start and width are in percent of the chart.
#[derive(Serialize)]
pub(super) struct Part {
    pub(super) class: &'static str,
    pub(super) start: String,
    pub(super) width: String,
}

/// The chart of the folders with findings.
#[derive(Serialize)]
pub(super) struct Folders {
    /// The folder that contains all findings, with a trailing slash; empty if there is none.
    pub(super) common: String,
    pub(super) bars: Vec<Bar>,
    /// The number of folders without a bar.
    pub(super) left_out: usize,
}

/// The numbers of errors, warnings and notes.
type LevelCounts = [u64; 3];

/// The names of a folder's path.
type FolderKey = Vec<String>;

fn level_number(level: Level) -> usize {
    match level {
        Level::Error => 0,
        Level::Warn => 1,
        _ => 2,
    }
}

/// Draws the bars of the rules, the longest first. Findings that are not listed are included.
pub(super) fn draw_rules(findings: &[Finding], unlisted: &[Unlisted]) -> Vec<Bar> {
    let mut rules: BTreeMap<Rule, LevelCounts> = BTreeMap::new();
    let listed = findings.iter().map(|finding| (finding.rule, finding.level, 1));
    let unlisted = unlisted.iter().map(|unlisted| (unlisted.rule, unlisted.level, unlisted.count));
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
    let percent = |count: u64| format_percent(count, longest);
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

/// Formats a share in percent with two decimal places, rounded down so that bars fit the chart.
fn format_percent(count: u64, total: u64) -> String {
    let share = u128::from(count) * 10_000 / u128::from(total);
    format!("{}.{:02}", share / 100, share % 100)
}

impl Folders {
    /// Draws the folders of the findings, at the greatest depth at which [`MAX_FOLDERS`] suffice.
    pub(super) fn new(findings: &[Finding]) -> Self {
        let files = count_by_file(findings);
        let common_len = count_common(&files);
        let common_path = join_names(files.first().map_or(&[], |(names, _)| &names[..common_len]));
        let count_at_depth = |depth: usize| {
            let mut folders: BTreeMap<FolderKey, LevelCounts> = BTreeMap::new();
            for (names, counts) in &files {
                let rest = &names[common_len..];
                let sum = folders.entry(rest[..depth.min(rest.len())].to_vec()).or_default();
                for (sum, count) in sum.iter_mut().zip(counts) {
                    *sum += count;
                }
            }
            folders
        };
        let depths = (1..=MAX_DEPTH).map(count_at_depth);
        let deepest = depths.take_while(|folders| folders.len() <= MAX_FOLDERS).last();
        let folders = deepest.unwrap_or_else(|| count_at_depth(1));
        let bars = folders.iter().map(|(key, counts)| {
            // If inner folders have bars, the bar of a folder is only for the files directly in it.
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

/// Counts the findings of each file by level. Returns them with the names of its folder.
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

/// Counts the leading names that all folders share.
fn count_common(files: &[(FolderKey, LevelCounts)]) -> usize {
    let Some((first, _)) = files.first() else { return 0 };
    let count_shared =
        |names: &FolderKey| first.iter().zip(names).take_while(|(a, b)| a == b).count();
    files.iter().map(|(names, _)| count_shared(names)).min().unwrap_or_default()
}

/// Joins names to the path of a folder, with a trailing slash.
fn join_names(names: &[String]) -> String {
    names.iter().flat_map(|name| [name, "/"]).collect()
}

/// Maximum runs that are drawn; older ones are omitted.
const MAX_RUNS: usize = 100;

/// The size of the chart, in units of its SVG view box.
const WIDTH: u64 = 1000;
const HEIGHT: u64 = 200;

/// The chart of a history: the findings of each level over its runs, as stacked areas.
#[derive(Serialize)]
pub(super) struct Trend {
    /// The findings of each level, the worst at the bottom.
    pub(super) areas: Vec<Area>,
    /// The points of the line for all findings.
    pub(super) total: String,
    pub(super) last_total: String,
    /// The value at the top of the chart.
    pub(super) most: String,
    pub(super) runs: Vec<RunRow>,
}

/// The area for the findings of a level over the runs.
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
    /// The numbers of errors, warnings, notes and all findings.
    pub(super) counts: [String; 4],
}

/// The class and the name of each level, the worst first.
const LEVELS: [(&str, &str); 3] = [("error", "errors"), ("warning", "warnings"), ("note", "notes")];

impl Trend {
    /// Draws the chart; returns `None` for fewer than two runs, which make no line.
    pub(super) fn new(history: &History) -> Option<Self> {
        let runs = &history.runs[history.runs.len().saturating_sub(MAX_RUNS)..];
        if runs.len() < 2 {
            return None;
        }
        let most =
            runs.iter().map(|run| count_worst(run, LEVELS.len())).max().unwrap_or_default().max(1);
        let edges: Vec<Vec<String>> = (0..=LEVELS.len())
            .map(|level| {
                draw_edge(runs.iter().map(|run| count_worst(run, level)), runs.len(), most)
            })
            .collect();
        let last = runs.last()?;
        let area = |(level, (class, name)): (usize, (&'static str, &'static str))| {
            let (lower, upper) = (&edges[level], &edges[level + 1]);
            let points: Vec<_> = upper.iter().chain(lower.iter().rev()).cloned().collect();
            let last = thousands(level_counts(last)[level]);
            Area { class, name, points: points.join(" "), last }
        };
        let row = |run: &Run| {
            let [errors, warnings, notes] = level_counts(run);
            let all = count_worst(run, LEVELS.len());
            let counts = [errors, warnings, notes, all].map(thousands);
            RunRow { date: printable(&run.date), counts }
        };
        Some(Self {
            areas: LEVELS.into_iter().enumerate().map(area).collect(),
            total: edges[LEVELS.len()].join(" "),
            last_total: thousands(count_worst(last, LEVELS.len())),
            most: thousands(most),
            runs: runs.iter().map(row).collect(),
        })
    }
}

fn level_counts(run: &Run) -> [u64; 3] {
    [run.errors, run.warnings, run.notes]
}

/// Counts the findings of this number of worst levels.
fn count_worst(run: &Run, levels: usize) -> u64 {
    level_counts(run)[..levels].iter().fold(0, |sum, count| sum.saturating_add(*count))
}

/// Draws a line through the values of the runs, as the points of an SVG polyline.
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
