//! The rows of the table as data: columns of numbers, and each text once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use serde::Serialize;

use crate::report::excerpt::WIDTH;
use crate::report::groups::subject;
use crate::report::{
    Context, Excerpt, Fingerprint, History, SourceUrl, Sources, history, printable, view,
};
use crate::{Finding, Rule, Safety};

/// The data of the page; the names of its keys are those that `table.js` reads.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rows {
    /// The beginning of paths that the table leaves out.
    common: String,
    /// Every text of the columns once; the first is empty, for values that are not known.
    texts: Vec<String>,
    rules: Vec<RuleText>,
    /// The numbers of the texts of targets. A target is a group of the text report: a rule, a
    /// level, and the subject that its findings share.
    targets: Vec<u64>,
    /// The targets that the run before this one did not have; `None` if its targets are not known.
    new_targets: Option<Vec<u64>>,
    /// The template of the URLs of source lines.
    source_url: Option<String>,
    /// The number of rows.
    size: usize,
    /// A number for each row: that of a text, unless [`Rows::add`] says otherwise. A column ends
    /// with its last number other than 0.
    ///
    /// A new field of [`Finding`] is a new column, and a line in `detail.js`.
    columns: BTreeMap<&'static str, Vec<u64>>,
    #[serde(skip)]
    text_numbers: HashMap<String, u64>,
    #[serde(skip)]
    target_numbers: HashMap<(u64, u64, u64), u64>,
    #[serde(skip)]
    rule_numbers: HashMap<String, u64>,
}

/// The texts about a rule; a rule of another version has only a name.
#[derive(Default, Serialize)]
struct RuleText {
    id: String,
    summary: &'static str,
    reason: &'static str,
    fix: &'static str,
}

/// The levels by their numbers, as `table.js` has them.
const LEVELS: [&str; 4] = ["error", "warning", "note", "fixed"];

impl Rows {
    /// The rows of all findings, then of those that are fixed; `common` is the folder that all are
    /// in.
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

    /// The levels and the numbers of their rows; only a baseline has fixed ones.
    pub(super) fn levels(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let count = |level| (0..self.size).filter(|&row| self.cell("level", row) == level).count();
        let counts = (0..).zip(LEVELS).map(move |(number, name)| (name, count(number)));
        counts.filter(|&(name, count)| name != "fixed" || count > 0)
    }

    /// The number of rows of new targets, if it is known which are new.
    pub(super) fn new_rows(&self) -> Option<usize> {
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
        // Numbers in the lists of rules, levels and targets.
        let rule = self.add_rule(finding.rule.id());
        let level = number_of_level(view::level(finding.level));
        let target = self.add_target_of(finding, (rule, level), earlier);
        let cells = [
            ("rule", rule),
            ("level", level),
            ("target", target),
            ("page", self.intern(&view::shown(&finding.file))),
            // 0 if the line is not known; so is `column`.
            ("line", finding.line.unwrap_or_default()),
            ("column", finding.column.unwrap_or_default()),
            ("markup", self.intern(&view::place_in_markup(finding).unwrap_or_default())),
            ("reference", self.intern_printable(finding.reference.as_deref())),
            ("url", self.intern_printable(finding.url.as_deref())),
            ("base", self.intern(&view::base(finding).unwrap_or_default())),
            // The file that was looked for.
            ("file", self.intern(&finding.target.as_deref().map(view::shown).unwrap_or_default())),
            ("message", self.intern_printable(Some(&finding.message))),
            ("hint", self.intern_printable(finding.hint.as_deref())),
            // The new reference, and the options that write it.
            ("fix", self.intern_printable(fix.map(|fix| &*fix.reference))),
            ("applied", self.intern(fix.map_or("", |fix| describe_options(fix.safety)))),
            // The line of Markdown that made the link.
            ("source", self.intern(&view::source(finding).unwrap_or_default())),
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

    /// Adds a finding that the baseline has and the audit has no more.
    fn add_fixed(&mut self, fingerprint: &Fingerprint, count: u64) {
        let rule = self.add_rule(fingerprint.rule());
        let page = self.intern(&fingerprint.place());
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

    /// The number of the target of a finding, which is new if the run before did not have it.
    fn add_target_of(
        &mut self,
        finding: &Finding,
        kind: (u64, u64),
        earlier: Option<&HashSet<&str>>,
    ) -> u64 {
        let known = self.targets.len();
        let subject = subject(finding).map_or(0, |subject| self.intern(&subject.shown()));
        let target = self.add_target(kind, subject);
        let is_first = self.targets.len() > known;
        if is_first && earlier.is_some_and(|earlier| !earlier.contains(&*history::target(finding)))
        {
            self.new_targets.get_or_insert_default().push(target);
        }
        target
    }

    /// The number of the target of a finding; one without a subject is alone.
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

    /// Returns the number of a text, which is new or known.
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

/// The line of an excerpt, and the start and length of its marked part in UTF-16 code units.
fn measure_mark(excerpt: Option<Excerpt>) -> (String, u64, u64) {
    let Some(Excerpt { line, marked, .. }) = excerpt else { return Default::default() };
    let units =
        |range: Range<usize>| line.get(range).map_or(0, |text| text.encode_utf16().count() as u64);
    let (start, length) = (units(0..marked.start), units(marked));
    (line, start, length)
}

/// The path and the line that a finding links to, if reports have links.
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
