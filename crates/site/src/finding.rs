//! Findings: their order in reports, and their fixes.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use absolve::{Advice, BaseSource, Diagnosis, HasAdvice};

use crate::{Level, Rule};

/// A result of an audit: a rule, a level, a position.
///
/// A field without a value is `None`: a finding about a line of a redirects file has no element. In
/// the URLs of an audit's findings, `***` replaces user and password ([`Standard::masked`]).
///
/// [`Standard::masked`]: absolve::url::Standard::masked
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Its level in this audit.
    pub level: Level,
    /// The file, as reports show it.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// The column in that line, counted from 1, in characters.
    pub column: Option<u64>,
    /// The bytes of the reference as written, without quotes.
    pub span: Option<Range<usize>>,
    /// The element's name, in lower case; in `robots.txt`, the name of the field.
    pub element: Option<String>,
    /// The attribute's name, in lower case, with its prefix.
    pub attribute: Option<String>,
    /// The reference as an HTML parser yields it.
    pub reference: Option<String>,
    /// The URL that it resolves to.
    pub url: Option<String>,
    /// The base URL that it was resolved against.
    pub base: Option<String>,
    /// The source of that base URL.
    pub base_source: Option<BaseSource>,
    /// The file that was looked for.
    pub target: Option<PathBuf>,
    /// The problem, in one line without a full stop.
    pub message: String,
    /// The advice after the message, in which each host spells the options in its own way.
    #[doc(hidden)]
    pub advice: Option<Advice>,
    /// The reference or anchor that the author may have meant, or advice on what to write.
    pub hint: Option<String>,
    /// The replacement, if it is certain or the only similar name.
    pub fix: Option<Fix>,
    /// The line of Markdown that the link was generated from; see [`Sources`](crate::Sources).
    pub source: Option<SourceLine>,
}

/// A line of a file that a page was generated from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// The path of the file, beginning with the folder of sources as given.
    pub file: Arc<Path>,
    /// The line of the link, or the first line of its paragraph, counted from 1.
    pub line: u64,
}

impl Finding {
    /// Creates a finding about a file, without the other fields.
    #[must_use]
    pub fn new(rule: Rule, level: Level, file: PathBuf, message: String) -> Self {
        Self {
            rule,
            level,
            file,
            line: None,
            column: None,
            span: None,
            element: None,
            attribute: None,
            reference: None,
            url: None,
            base: None,
            base_source: None,
            target: None,
            message,
            advice: None,
            hint: None,
            source: None,
            fix: None,
        }
    }

    /// Adds the advice for a problem, if it has any.
    pub(crate) fn advising(self, problem: &impl HasAdvice) -> Self {
        Self { advice: problem.advice(), ..self }
    }

    /// Returns the message with the advice.
    #[doc(hidden)]
    #[must_use]
    pub fn problem(&self) -> Diagnosis {
        Diagnosis::new(&*self.message).advising(self.advice)
    }

    /// Returns the approximate bytes of the texts, with the overhead of their allocations.
    pub(crate) fn text_size(&self) -> usize {
        const ALLOCATION_SIZE: usize = 24;
        let Self { element, attribute, reference, url, base, hint, .. } = self;
        let texts = [element, attribute, reference, url, base, hint];
        let texts = texts.into_iter().flatten().chain([&self.message]);
        let fix = self.fix.iter().flat_map(|fix| [&fix.replacement, &fix.reference]);
        let texts = texts.chain(fix).map(|text| text.len() + ALLOCATION_SIZE);
        let paths = [Some(&self.file), self.target.as_ref()].into_iter().flatten();
        let paths = paths.map(|path| path.as_os_str().len() + ALLOCATION_SIZE);
        texts.chain(paths).sum()
    }

    /// Compares by file, position, then rule: the order of reports.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        let key = |finding: &Self| {
            let start = finding.span.as_ref().map(|span| span.start);
            (start, finding.line, finding.column, finding.rule)
        };
        // Most neighbours are in one file, and comparing paths by components is slow.
        let is_same = self.file.as_os_str() == other.file.as_os_str();
        let by_file = if is_same { Ordering::Equal } else { self.file.cmp(&other.file) };
        by_file
            .then_with(|| key(self).cmp(&key(other)))
            .then_with(|| self.reference.cmp(&other.reference))
            .then_with(|| self.message.cmp(&other.message))
    }
}

/// The certainty of a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Safety {
    /// Only this can be meant.
    Safe,
    /// A similar name, which may be a coincidence.
    Unsafe,
}

impl Safety {
    /// Returns the name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// The text that replaces a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The bytes of the file to replace: the whole reference, or only the part that changes if the
    /// rest is not valid in the encoding of the file.
    pub span: Range<usize>,
    /// The line and the column of the start of `span`, counted from 1 like those of the finding.
    pub start: (u64, u64),
    /// The line and the column of the end of `span`.
    pub end: (u64, u64),
    /// The source text to write there: escaped for its attribute, in the encoding of the file.
    pub replacement: String,
    /// The new reference, as an HTML parser yields it.
    pub reference: String,
    /// Its certainty.
    pub safety: Safety,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_sorted_by_position() {
        let at = |file: &str, span: Option<usize>, rule: Rule| Finding {
            span: span.map(|start| start..start + 1),
            ..Finding::new(rule, rule.level(), file.into(), String::new())
        };
        let sorted = [
            at("a/b.html", None, Rule::Unreadable),
            at("a/b.html", Some(3), Rule::BrokenLink),
            at("a/b.html", Some(3), Rule::Backslash),
            at("a/b.html", Some(20), Rule::BrokenLink),
            at("b.html", Some(1), Rule::BrokenLink),
        ];
        assert!(sorted.is_sorted_by(|a, b| a.order(b).is_lt()));
    }
}
