//! The data of the table: columns of numbers, which refer to a list with each text once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use serde::Serialize;

use crate::report::excerpt::WIDTH;
use crate::report::groups::find_subject;
use crate::report::{
    Context, Excerpt, Fingerprint, History, SourceUrl, Sources, history, printable, view,
};
use crate::{Finding, Rule, Safety};

/// The data of the page; `table.js` reads its keys by their names.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rows {
    /// The common beginning of paths, which the table omits.
    common: String,
    /// Every text of the columns once. The first text is empty, so number 0 is an unknown value.
    texts: Vec<String>,
    rules: Vec<RuleText>,
    /// By target: the number of the text that describes it. A target is a group of the text report:
    /// a rule, a level, and the subject that its findings share.
    targets: Vec<u64>,
    /// The targets that the previous run did not have; `None` if its targets are unknown.
    new_targets: Option<Vec<u64>>,
    /// The template of the URLs of source lines.
    source_url: Option<String>,
    /// The number of rows.
    size: usize,
    /// By the name of a column: a number for each row, which refers to a text unless [`Rows::add`]
    /// gives another meaning. Zeros at the end of a column are omitted.
    ///
    /// A new field of [`Finding`] needs a column here, and a line in `detail.js`.
    columns: BTreeMap<&'static str, Vec<u64>>,
    #[serde(skip)]
    text_numbers: HashMap<String, u64>,
    #[serde(skip)]
    target_numbers: HashMap<(u64, u64, u64), u64>,
    #[serde(skip)]
    rule_numbers: HashMap<String, u64>,
}

/// The texts about a rule. A rule of another version, which a baseline may have, has only a name.
#[derive(Default, Serialize)]
struct RuleText {
    id: String,
    summary: &'static str,
    reason: &'static str,
    fix: &'static str,
}

/// The levels by their numbers; `table.js` has the same list.
const LEVELS: [&str; 4] = ["error", "warning", "note", "fixed"];

impl Rows {
    /// Creates the rows of all findings, and then those of the findings that are fixed since the
    /// baseline. `common` is the folder that contains all files.
    pub(super) fn new(findings: &[Finding], common: &str, context: &Context<'_>) -> Self {
        let source_url = context.source_url.map(|template| template.template().to_owned());
        let earlier = context.history.and_then(History::earlier_targets);
        let new_targets = earlier.is_some().then(Vec::new);
        let common = common.to_owned();
        let mut rows = Self { common, new_targets, source_url, ..Self::default() };
        rows.intern("");
        let mut sources = Sources::new(context);
        for finding in findings {
            rows.add(finding, &mut sources, context, earlier.as_ref());
        }
        for (fingerprint, count) in context.diff.iter().flat_map(|diff| &diff.fixed) {
            rows.add_fixed(fingerprint, *count);
        }
        rows
    }

    /// Returns the levels with the numbers of their rows; the level `fixed` only if it has rows.
    pub(super) fn levels(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let count = |level| (0..self.size).filter(|&row| self.cell("level", row) == level).count();
        let counts = (0..).zip(LEVELS).map(move |(number, name)| (name, count(number)));
        counts.filter(|&(name, count)| name != "fixed" || count > 0)
    }

    /// Counts the rows of new targets, if the targets of the previous run are known.
    pub(super) fn count_new_rows(&self) -> Option<usize> {
        let new: HashSet<_> = self.new_targets.as_ref()?.iter().copied().collect();
        Some((0..self.size).filter(|&row| new.contains(&self.cell("target", row))).count())
    }

    pub(super) fn are_empty(&self) -> bool {
        self.size == 0
    }

    fn cell(&self, column: &str, row: usize) -> u64 {
        self.columns.get(column).and_then(|column| column.get(row)).copied().unwrap_or_default()
    }

    /// Adds a row with these cells; the others are 0.
    fn push(&mut self, cells: &[(&'static str, u64)]) {
        for &(name, value) in cells.iter().filter(|(_, value)| *value > 0) {
            let column = self.columns.entry(name).or_default();
            column.resize(self.size, 0);
            column.push(value);
        }
        self.size += 1;
    }

    fn add<'a>(
        &mut self,
        finding: &'a Finding,
        sources: &mut Sources<'a>,
        context: &Context<'_>,
        earlier: Option<&HashSet<&str>>,
    ) {
        let (link, link_line) = link_to_source(finding, context).unwrap_or_default();
        let (excerpt, start, length) = measure_mark(sources.excerpt(finding, WIDTH));
        let fix = finding.fix.as_ref();
        // These numbers refer to the lists of rules, levels and targets, not to texts.
        let rule = self.add_rule(finding.rule.id());
        let level = number_of_level(view::level_name(finding.level));
        let target = self.add_target_of(finding, (rule, level), earlier);
        let cells = [
            ("rule", rule),
            ("level", level),
            ("target", target),
            ("page", self.intern(&view::format_path(&finding.file))),
            // The line and the column are plain numbers; 0 is unknown.
            ("line", finding.line.unwrap_or_default()),
            ("column", finding.column.unwrap_or_default()),
            ("markup", self.intern(&view::describe_markup(finding).unwrap_or_default())),
            ("reference", self.intern_printable(finding.reference.as_deref())),
            ("url", self.intern_printable(finding.url.as_deref())),
            ("base", self.intern(&view::describe_base(finding).unwrap_or_default())),
            // The path at which the audit looked for the target.
            (
                "file",
                self.intern(&finding.target.as_deref().map(view::format_path).unwrap_or_default()),
            ),
            ("message", self.intern_printable(Some(&finding.message))),
            ("hint", self.intern_printable(finding.hint.as_deref())),
            // The new reference, and the options that apply the fix.
            ("fix", self.intern_printable(fix.map(|fix| &*fix.reference))),
            ("applied", self.intern(fix.map_or("", |fix| describe_options(fix.safety)))),
            // The line of Markdown that the link comes from.
            ("source", self.intern(&view::format_source_position(finding).unwrap_or_default())),
            // The path of the file to link to, and the line in it.
            ("link", self.intern(&link)),
            ("linkLine", link_line),
            ("excerpt", self.intern(&excerpt)),
            // The start of the marked part of the excerpt, in UTF-16 code units, and its length.
            ("start", start),
            ("length", length),
        ];
        self.push(&cells);
    }

    /// Adds the row of findings that the baseline has and the audit did not find.
    fn add_fixed(&mut self, fingerprint: &Fingerprint, count: u64) {
        let rule = self.add_rule(fingerprint.rule());
        let page = self.intern(&fingerprint.shown_file());
        let reference = self.intern_printable(fingerprint.reference());
        let message = match count {
            1 => self.intern("fixed since the baseline"),
            _ => self.intern(&format!("fixed since the baseline, {count} times")),
        };
        let level = number_of_level("fixed");
        let target = self.add_target((rule, level), if reference == 0 { page } else { reference });
        self.push(&[
            ("rule", rule),
            ("level", level),
            ("target", target),
            ("page", page),
            ("reference", reference),
            ("message", message),
        ]);
    }

    /// Returns the number of a finding's target, and records it if the previous run did not have
    /// it.
    fn add_target_of(
        &mut self,
        finding: &Finding,
        kind: (u64, u64),
        earlier: Option<&HashSet<&str>>,
    ) -> u64 {
        let known = self.targets.len();
        let subject = find_subject(finding).map_or(0, |subject| self.intern(&subject.format()));
        let target = self.add_target(kind, subject);
        let is_first = self.targets.len() > known;
        if is_first
            && earlier.is_some_and(|earlier| !earlier.contains(&*history::target_hash(finding)))
        {
            self.new_targets.get_or_insert_default().push(target);
        }
        target
    }

    /// Returns the number of a target; adds it unless it is known and has a subject (not 0).
    fn add_target(&mut self, (rule, level): (u64, u64), subject: u64) -> u64 {
        let number = self.targets.len() as u64;
        let key = (rule, level, subject);
        let known = (subject > 0).then(|| *self.target_numbers.entry(key).or_insert(number));
        if known.is_none_or(|known| known == number) {
            self.targets.push(subject);
        }
        known.unwrap_or(number)
    }

    fn intern_printable(&mut self, text: Option<&str>) -> u64 {
        self.intern(&printable(text.unwrap_or_default()))
    }

    /// Returns the number of a text, and adds the text unless it is known.
    fn intern(&mut self, text: &str) -> u64 {
        if let Some(&number) = self.text_numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u64;
        self.texts.push(text.to_owned());
        self.text_numbers.insert(text.to_owned(), number);
        number
    }

    fn add_rule(&mut self, id: &str) -> u64 {
        if let Some(&number) = self.rule_numbers.get(id) {
            return number;
        }
        let mut text = RuleText { id: printable(id), ..RuleText::default() };
        if let Ok(rule) = id.parse::<Rule>() {
            let explanation = rule.explanation();
            text.summary = rule.summary();
            (text.reason, text.fix) = (explanation.reason, explanation.fix);
        }
        let number = self.rules.len() as u64;
        self.rules.push(text);
        self.rule_numbers.insert(id.to_owned(), number);
        number
    }
}

/// Returns the line of an excerpt, and the start and length of its mark in UTF-16 code units.
fn measure_mark(excerpt: Option<Excerpt>) -> (String, u64, u64) {
    let Some(Excerpt { line, marked, .. }) = excerpt else { return Default::default() };
    let units =
        |range: Range<usize>| line.get(range).map_or(0, |text| text.encode_utf16().count() as u64);
    let (start, length) = (units(0..marked.start), units(marked));
    (line, start, length)
}

/// Returns the path and the line to which a finding links, if the page has links to sources.
fn link_to_source(finding: &Finding, context: &Context<'_>) -> Option<(String, u64)> {
    context.source_url?;
    let (file, line) = context.editable(finding);
    Some((SourceUrl::path(&file)?, line.unwrap_or(1)))
}

/// Names the options that apply a fix.
fn describe_options(safety: Safety) -> &'static str {
    match safety {
        Safety::Safe => "(--fix writes it)",
        Safety::Unsafe => "(--fix --unsafe-fixes writes it)",
    }
}

fn number_of_level(name: &str) -> u64 {
    (0..).zip(LEVELS).find(|(_, level)| *level == name).map_or(0, |(number, _)| number)
}
