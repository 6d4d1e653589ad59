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

mod line;

use std::collections::HashMap;

use percent_encoding::{AsciiSet, percent_decode, percent_encode};

use crate::audit::site::files::join;
use crate::batch::NOT_IN_A_NAME;
use line::{Line, Parameter, Segment};

/// The rules of a redirects file.
#[derive(Debug, Clone, Default)]
pub struct Redirects {
    lines: Vec<Line>,
    /// Rules without splat, placeholder and query, by path.
    fixed: HashMap<Vec<u8>, Vec<usize>>,
    /// The other rules, by the path before their first splat or placeholder, in order.
    patterns: HashMap<Vec<u8>, Vec<usize>>,
    /// The number of segments of the longest such path.
    deepest: usize,
    problems: Vec<Problem>,
}

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
            match Line::parse(text, number) {
                Ok(Some(line)) => redirects.add(line),
                Ok(None) => {}
                Err(message) => redirects.problems.push(Problem { line: number, message }),
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
        let fixed = self.fixed.get(path).map_or(&[][..], Vec::as_slice);
        let mut fixed = fixed.iter().copied().filter(|at| self.lines[*at].has_phase(phase));
        let fixed = fixed.next();
        let mut first = None;
        let mut end = fixed.unwrap_or(self.lines.len());
        let segments: Vec<&[u8]> = segments(path).collect();
        let mut start = Vec::new();
        for depth in 0..=segments.len().min(self.deepest) {
            if let Some(segment) = depth.checked_sub(1).map(|last| segments[last]) {
                start = join(&start, segment);
            }
            let lines = self.patterns.get(&start).map_or(&[][..], Vec::as_slice);
            for &at in lines.iter().take_while(|at| **at < end) {
                let line = &self.lines[at];
                if line.has_phase(phase)
                    && let Some(bound) = bind(line, &segments, query)
                {
                    (first, end) = (Some((line, bound)), at);
                    break;
                }
            }
        }
        match first {
            Some((line, bound)) => Some(line.matched(fill(&line.to, &bound))),
            None => fixed.map(|at| self.lines[at].matched(self.lines[at].to.clone())),
        }
    }

    fn add(&mut self, line: Line) {
        let at = self.lines.len();
        match line.fixed_path() {
            _ if line.has_host => {}
            Some(path) => self.fixed.entry(path).or_default().push(at),
            None => {
                let start = line.start();
                self.deepest = self.deepest.max(start.len());
                self.patterns.entry(start.join(&b'/')).or_default().push(at);
            }
        }
        self.lines.push(line);
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

    fn matched(&self, to: String) -> RedirectMatch {
        RedirectMatch { to, status: self.status, line: self.number }
    }
}

/// The segments of a decoded path.
fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|segment| !segment.is_empty())
}

/// Placeholders and their decoded values.
type Bound<'a> = Vec<(&'a str, Vec<u8>)>;

/// The values of the placeholders of a line; `None` if it does not match.
fn bind<'a>(line: &'a Line, path: &[&[u8]], query: Option<&str>) -> Option<Bound<'a>> {
    let mut bound = Bound::new();
    let mut rest = path;
    for segment in &line.from {
        match segment {
            Segment::Splat => {
                bound.push(("splat", rest.join(&b'/')));
                rest = &[];
            }
            Segment::Placeholder(name) => {
                let (first, others) = rest.split_first()?;
                bound.push((name, first.to_vec()));
                rest = others;
            }
            Segment::Name(name) => {
                let (first, others) = rest.split_first()?;
                if first != name {
                    return None;
                }
                rest = others;
            }
        }
    }
    if !rest.is_empty() {
        return None;
    }
    for Parameter { key, value } in &line.query {
        let given = parameter(query.unwrap_or(""), key)?;
        match value {
            Segment::Placeholder(name) => bound.push((name, given)),
            Segment::Name(value) if *value == given => {}
            _ => return None,
        }
    }
    Some(bound)
}

/// The value of a parameter of a query, decoded.
fn parameter(query: &str, key: &str) -> Option<Vec<u8>> {
    let decoded =
        |text: &str| -> Vec<u8> { percent_decode(text.replace('+', " ").as_bytes()).collect() };
    query.split('&').find_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name) == key.as_bytes()).then(|| decoded(value))
    })
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
