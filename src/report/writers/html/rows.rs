//! The rows of the table as data: columns of numbers, and each text once.

use std::collections::HashMap;

use serde::Serialize;

use crate::audit::{Finding, Rule, Safety};
use crate::base::BaseSource;
use crate::report::baseline::BaselineDiff;
use crate::report::context::Context;
use crate::report::display::printable;
use crate::report::excerpt::WIDTH;
use crate::report::fingerprint::Fingerprint;
use crate::report::groups::subject;
use crate::report::sources::Sources;
use crate::report::view;

/// The data of the page; the names of its keys are those that `page.js` reads.
#[derive(Default, Serialize)]
pub(super) struct Rows {
    /// The beginning of paths that the table leaves out.
    common: String,
    /// Every text of the columns once; 0 is the text of what is not known.
    texts: Vec<String>,
    rules: Vec<RuleText>,
    /// The text of what the findings of each target share: those of one rule and level, by the
    /// grouping of the rule, as in the text report.
    targets: Vec<usize>,
    columns: Columns,
    #[serde(skip)]
    numbers: HashMap<String, usize>,
    #[serde(skip)]
    target_numbers: HashMap<(usize, usize, usize), usize>,
    #[serde(skip)]
    rule_numbers: HashMap<String, usize>,
}

/// What the page says about a rule; all but the name is empty for one of another version.
#[derive(Default, Serialize)]
struct RuleText {
    id: String,
    summary: &'static str,
    reason: &'static str,
    fix: &'static str,
}

/// One number for each row: a text, or what the column says.
///
/// A new field of [`Finding`] is a new column here and a line in the detail of `page.js`.
#[derive(Default, Serialize)]
struct Columns {
    /// A number in the list of rules.
    rule: Vec<usize>,
    level: Vec<usize>,
    page: Vec<usize>,
    /// 0 where it is not known; so it is with `column`.
    line: Vec<u64>,
    column: Vec<u64>,
    markup: Vec<usize>,
    reference: Vec<usize>,
    url: Vec<usize>,
    base: Vec<usize>,
    /// A number in the list of targets.
    target: Vec<usize>,
    /// The file that was looked for.
    file: Vec<usize>,
    message: Vec<usize>,
    hint: Vec<usize>,
    /// The new reference, and the option that applies it.
    fix: Vec<usize>,
    excerpt: Vec<usize>,
    /// Where the marked part of the excerpt begins, in UTF-16 code units; so it is with `length`.
    start: Vec<usize>,
    length: Vec<usize>,
}

/// The levels by their numbers, as `page.js` has them.
const LEVELS: [&str; 4] = ["error", "warning", "note", "fixed"];

impl Rows {
    /// The rows of all findings, then of those that are fixed; `common` is the folder that all are
    /// in.
    pub(super) fn new(findings: &[Finding], common: &str, context: &Context<'_>) -> Self {
        let mut rows = Self { common: common.to_owned(), ..Self::default() };
        rows.number("");
        let mut sources = Sources::new(context);
        for finding in findings {
            rows.add(finding, &mut sources);
        }
        for (fingerprint, count) in context.diff.map(BaselineDiff::fixed).unwrap_or_default() {
            rows.add_fixed(fingerprint, *count);
        }
        rows
    }

    /// The levels and the numbers of their rows; only a baseline has fixed ones.
    pub(super) fn levels(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let count = |number| self.columns.level.iter().filter(|one| **one == number).count();
        let counts =
            LEVELS.into_iter().enumerate().map(move |(number, name)| (name, count(number)));
        counts.filter(|&(name, count)| name != "fixed" || count > 0)
    }

    fn add<'a>(&mut self, finding: &'a Finding, sources: &mut Sources<'a>) {
        let mut page = view::page(finding);
        if let Some(url) = finding.page.as_deref() {
            page = format!("{page} ({})", printable(url));
        }
        let page = self.number(&page);
        let reference = self.printed(finding.reference.as_deref());
        let subject = subject(finding).map_or(0, |subject| self.number(&subject.shown()));
        let level = number_of_level(view::level(finding.level));
        let file = self.number(&finding.target.as_deref().map(view::shown).unwrap_or_default());
        let excerpt = sources.excerpt(finding, WIDTH);
        let (line, start, length) = excerpt.as_ref().map_or(("", 0, 0), |shown| {
            let units = |text: &str| text.encode_utf16().count();
            let before = shown.line.get(..shown.marked.start).unwrap_or_default();
            let marked = shown.line.get(shown.marked.clone()).unwrap_or_default();
            (&*shown.line, units(before), units(marked))
        });
        let excerpt = self.number(line);
        let rule = self.rule(finding.rule.id());
        let target = self.target(rule, level, subject);
        let markup = self.number(&view::place_in_markup(finding).unwrap_or_default());
        let url = self.printed(finding.url.as_deref());
        // Elsewhere it is the URL of the page, of which nobody needs 10,000.
        let is_shown =
            |source: &BaseSource| matches!(source, BaseSource::BaseElement | BaseSource::Enclosing);
        let base = finding.base.as_deref().zip(finding.base_source.filter(is_shown));
        let base = base.map(|(base, source)| format!("{} ({})", printable(base), source.name()));
        let base = self.number(&base.unwrap_or_default());
        let message = self.printed(Some(&finding.message));
        let hint = self.printed(finding.hint.as_deref());
        let fix = finding
            .fix
            .as_ref()
            .map(|fix| format!("{} ({})", printable(&fix.reference), applied_by(fix.safety)));
        let fix = self.number(&fix.unwrap_or_default());
        let columns = &mut self.columns;
        columns.rule.push(rule);
        columns.level.push(level);
        columns.page.push(page);
        columns.line.push(finding.line.unwrap_or_default());
        columns.column.push(finding.column.unwrap_or_default());
        columns.markup.push(markup);
        columns.reference.push(reference);
        columns.url.push(url);
        columns.base.push(base);
        columns.target.push(target);
        columns.file.push(file);
        columns.message.push(message);
        columns.hint.push(hint);
        columns.fix.push(fix);
        columns.excerpt.push(excerpt);
        columns.start.push(start);
        columns.length.push(length);
    }

    /// Adds what the baseline has and the audit has no more.
    fn add_fixed(&mut self, fingerprint: &Fingerprint, count: u64) {
        let rule = self.rule(fingerprint.rule());
        let page = self.number(&fingerprint.place());
        let reference = self.printed(fingerprint.reference());
        let message = match count {
            1 => self.number("fixed since the baseline"),
            _ => self.number(&format!("fixed since the baseline, {count} times")),
        };
        let level = number_of_level("fixed");
        let target = self.target(rule, level, if reference == 0 { page } else { reference });
        let columns = &mut self.columns;
        columns.rule.push(rule);
        columns.level.push(level);
        columns.page.push(page);
        columns.reference.push(reference);
        columns.target.push(target);
        columns.message.push(message);
        for numbers in [&mut columns.line, &mut columns.column] {
            numbers.push(0);
        }
        let Columns { markup, url, base, file, hint, fix, excerpt, start, length, .. } = columns;
        for texts in [markup, url, base, file, hint, fix, excerpt, start, length] {
            texts.push(0);
        }
    }

    /// The number of the target of a finding; one without a subject is alone.
    fn target(&mut self, rule: usize, level: usize, subject: usize) -> usize {
        let number = self.targets.len();
        let key = (rule, level, subject);
        let known = (subject > 0).then(|| *self.target_numbers.entry(key).or_insert(number));
        if known.is_none_or(|known| known == number) {
            self.targets.push(subject);
        }
        known.unwrap_or(number)
    }

    fn printed(&mut self, text: Option<&str>) -> usize {
        self.number(&printable(text.unwrap_or_default()))
    }

    fn number(&mut self, text: &str) -> usize {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len();
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    fn rule(&mut self, id: &str) -> usize {
        if let Some(&number) = self.rule_numbers.get(id) {
            return number;
        }
        let mut text = RuleText { id: printable(id), ..RuleText::default() };
        if let Ok(rule) = id.parse::<Rule>() {
            let explanation = rule.explanation();
            text.summary = rule.summary();
            (text.reason, text.fix) = (explanation.reason, explanation.fix);
        }
        let number = self.rules.len();
        self.rules.push(text);
        self.rule_numbers.insert(id.to_owned(), number);
        number
    }
}

/// How the page says which options apply a fix.
fn applied_by(safety: Safety) -> &'static str {
    match safety {
        Safety::Safe => "--fix writes it",
        Safety::Unsafe => "--fix --unsafe-fixes writes it",
    }
}

fn number_of_level(name: &str) -> usize {
    LEVELS.iter().position(|level| *level == name).unwrap_or_default()
}
