//! Redirect rules, from a `_redirects` file.
//!
//! The syntax is that of [Netlify][syntax], which other hosts share in part: a line is
//! `from [key=value...] to [status[!]] [Condition=value...]`, and `#` begins a comment.
//! The supported [options][options]:
//!
//! - The first matching rule applies. A trailing slash of a path makes no difference.
//! - `*` at the end of `from` matches the rest of the path, also an empty one, which is
//!   `:splat` in `to`; `:name` matches one segment.
//! - `key=value` requires a parameter of the query, and `key=:name` captures its value.
//! - The status is 301 by default. 3xx redirects to `to`; 200 serves the content of `to`; 404 and
//!   other errors are answered as such.
//! - A file that exists takes precedence, unless the status ends in `!` ([shadowing]).
//! - A rule with conditions (`Country`, `Language`, `Role`, `Cookie`) applies to some visitors
//!   only: it is used if nothing else matches.
//!
//! Left out: rules for other hosts (`from` is a URL), which match nothing here.
//!
//! [syntax]: https://docs.netlify.com/manage/routing/redirects/overview/
//! [options]: https://docs.netlify.com/manage/routing/redirects/redirect-options/
//! [shadowing]: https://docs.netlify.com/manage/routing/redirects/rewrites-proxies/#shadowing

mod form;
mod line;

use std::collections::HashMap;

use percent_encoding::{AsciiSet, percent_decode, percent_encode};

use crate::batch::NOT_IN_A_NAME;
use form::{Form, Literals, Query};
use line::{Line, Segment};

/// The rules of a redirects file.
#[derive(Debug, Clone, Default)]
pub struct Redirects {
    lines: Vec<Line>,
    /// By form and literals, the first rule of each phase: later ones never match.
    rules: HashMap<Form, HashMap<Literals, FirstRules>>,
    /// The sum of the sizes of the forms.
    size: usize,
    problems: Vec<Problem>,
}

/// The first rule of each [`RulePhase`], by its index.
type FirstRules = [Option<usize>; 3];

/// Limit on the sum of the sizes of the forms, so that the time of a lookup does not grow with the
/// number of lines. Sites have few forms: any number of lines such as `/:language/page /page` has one.
const MAX_SIZE: usize = 1000;

/// A malformed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line, counted from 1.
    pub line: u64,
    /// The problem, without a full stop.
    pub message: &'static str,
}

/// The rule that matches a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectMatch {
    /// A path from the root of the site, or an absolute URL.
    pub to: String,
    /// The status of the answer.
    pub status: u16,
    /// The line, counted from 1.
    pub line: u64,
}

/// The rules that apply at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RulePhase {
    /// Rules that take precedence over a file (`!`).
    Forced,
    /// Rules for all visitors.
    Unconditional,
    /// Rules for some visitors.
    Conditional,
}

impl Redirects {
    /// Parses a redirects file. A malformed line becomes a [`Problem`], and is ignored as on the
    /// server.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut redirects = Self::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, text) in (1..).zip(text.lines()) {
            let added = Line::parse(text, number).and_then(|line| match line {
                Some(line) => redirects.add(line),
                None => Ok(()),
            });
            if let Err(message) = added {
                redirects.problems.push(Problem { line: number, message });
            }
        }
        redirects
    }

    /// The malformed lines, in order.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The targets as written, with their lines; those without placeholders can be looked up.
    pub fn targets(&self) -> impl Iterator<Item = (&str, u64)> {
        self.lines.iter().map(|line| (&*line.to, line.number))
    }

    /// The first rule for all visitors that matches a decoded path and a query.
    #[must_use]
    pub fn matching(&self, path: &[u8], query: Option<&str>) -> Option<RedirectMatch> {
        self.first(path, query, RulePhase::Unconditional)
    }

    pub(crate) fn first(
        &self,
        path: &[u8],
        query: Option<&str>,
        phase: RulePhase,
    ) -> Option<RedirectMatch> {
        let path: Vec<&[u8]> = segments(path).collect();
        let query = parameters(query.unwrap_or(""));
        let matching = self
            .rules
            .iter()
            .filter_map(|(form, rules)| rules.get(&form.literals(&path, &query)?)?[phase as usize]);
        let line = &self.lines[matching.min()?];
        let to = fill(&line.to, &bind(line, &path, &query));
        Some(RedirectMatch { to, status: line.status, line: line.number })
    }

    fn add(&mut self, line: Line) -> Result<(), &'static str> {
        if !line.has_host {
            let (form, literals) = Form::of(&line);
            if !self.rules.contains_key(&form) {
                self.size += form.size();
                if self.size > MAX_SIZE {
                    return Err(
                        "the file has too many combinations of placeholders and query keys",
                    );
                }
            }
            let first = self.rules.entry(form).or_default().entry(literals).or_default();
            for phase in [RulePhase::Forced, RulePhase::Unconditional, RulePhase::Conditional] {
                if line.has_phase(phase) {
                    first[phase as usize].get_or_insert(self.lines.len());
                }
            }
        }
        self.lines.push(line);
        Ok(())
    }
}

impl Line {
    fn has_phase(&self, phase: RulePhase) -> bool {
        match phase {
            RulePhase::Forced => self.is_forced && !self.is_conditional,
            RulePhase::Unconditional => !self.is_conditional,
            RulePhase::Conditional => self.is_conditional,
        }
    }
}

/// The segments of a decoded path.
fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|segment| !segment.is_empty())
}

/// Placeholders and their decoded values.
type Bound<'a> = Vec<(&'a str, Vec<u8>)>;

/// The values of the placeholders of a line that matches.
fn bind<'a>(line: &'a Line, path: &[&[u8]], query: &Query) -> Bound<'a> {
    let mut bound = Bound::new();
    for (at, segment) in line.from.iter().enumerate() {
        match segment {
            Segment::Name(_) => {}
            Segment::Placeholder(name) => bound.push((name, path[at].to_vec())),
            Segment::Splat => bound.push(("splat", path[at..].join(&b'/'))),
        }
    }
    for parameter in &line.query {
        if let Segment::Placeholder(name) = &parameter.value {
            bound.push((name, query[parameter.key.as_bytes()].clone()));
        }
    }
    bound
}

/// The parameters of a query; the first of a name counts.
fn parameters(query: &str) -> Query {
    let decoded =
        |text: &str| -> Vec<u8> { percent_decode(text.replace('+', " ").as_bytes()).collect() };
    let mut parameters = Query::new();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        parameters.entry(decoded(name)).or_insert_with(|| decoded(value));
    }
    parameters
}

/// Characters to encode in a path, except the slashes of a splat.
const NOT_IN_A_PATH: &AsciiSet = &NOT_IN_A_NAME.add(b':');

/// A target with the values of its placeholders.
fn fill(to: &str, bound: &Bound<'_>) -> String {
    let mut filled = String::with_capacity(to.len());
    let mut rest = to;
    while let Some(colon) = rest.find(':') {
        filled.push_str(&rest[..colon]);
        rest = &rest[colon + 1..];
        let end = rest.find(|c: char| !line::is_in_name(c)).unwrap_or(rest.len());
        match bound.iter().find(|(name, _)| *name == &rest[..end]) {
            Some((_, value)) => {
                filled.extend(percent_encode(value, NOT_IN_A_PATH));
                rest = &rest[end..];
            }
            None => filled.push(':'),
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests;
