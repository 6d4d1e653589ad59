//! Findings, with the fields of the JSON report.

use std::ffi::OsString;

use absolve::audit;
use absolve::container::EntryId;
use pyo3::prelude::*;

/// One result of an audit.
#[pyclass(frozen, get_all, eq, module = "absolve")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    rule: &'static str,
    level: &'static str,
    file: OsString,
    /// The part of a message.
    part: Option<usize>,
    /// The record of a web archive.
    offset: Option<u64>,
    within: Option<u64>,
    page: Option<String>,
    line: Option<u64>,
    column: Option<u64>,
    span: Option<(usize, usize)>,
    element: Option<String>,
    attribute: Option<String>,
    reference: Option<String>,
    url: Option<String>,
    base: Option<String>,
    base_source: Option<&'static str>,
    message: String,
    hint: Option<String>,
    fix: Option<Fix>,
    source: Option<SourceLine>,
}

/// What to write in place of a reference.
#[pyclass(frozen, get_all, eq, module = "absolve", from_py_object)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fix {
    span: (usize, usize),
    replacement: String,
    safety: &'static str,
}

/// The line of Markdown that made a link.
#[pyclass(frozen, get_all, eq, module = "absolve", from_py_object)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceLine {
    file: OsString,
    line: u64,
}

impl From<&audit::Finding> for Finding {
    fn from(finding: &audit::Finding) -> Self {
        let (part, record) = match finding.inside {
            Some(EntryId::Part(part)) => (Some(part), None),
            Some(EntryId::Record(record)) => (None, Some(record)),
            _ => (None, None),
        };
        Self {
            rule: finding.rule.id(),
            level: finding.level.name(),
            file: finding.file.clone().into_os_string(),
            part,
            offset: record.map(|record| record.offset),
            within: record.map(|record| record.within).filter(|&within| within > 0),
            page: finding.page.clone(),
            line: finding.line,
            column: finding.column,
            span: finding.span.as_ref().map(|span| (span.start, span.end)),
            element: finding.element.clone(),
            attribute: finding.attribute.clone(),
            reference: finding.reference.clone(),
            url: finding.url.clone(),
            base: finding.base.clone(),
            base_source: finding.base_source.map(absolve::BaseSource::name),
            message: finding.message.clone(),
            hint: finding.hint.clone(),
            fix: finding.fix.as_ref().map(|fix| Fix {
                span: (fix.span.start, fix.span.end),
                replacement: fix.replacement.clone(),
                safety: fix.safety.name(),
            }),
            source: finding.source.as_ref().map(|source| SourceLine {
                file: source.file.as_os_str().to_owned(),
                line: source.line,
            }),
        }
    }
}

#[pymethods]
impl Finding {
    /// The place, the level and the rule, as compilers print them.
    fn __str__(&self) -> String {
        let mut place = self.file.to_string_lossy().into_owned();
        let inside = self.part.map(|part| format!("!{part}"));
        let inside = inside.or_else(|| Some(format!("!@{}", self.offset?)));
        place.extend(inside);
        place.extend(self.within.map(|within| format!("+{within}")));
        place.extend([self.line, self.column].iter().flatten().map(|number| format!(":{number}")));
        format!("{place}: {} [{}]: {}", self.level, self.rule, self.message)
    }

    fn __repr__(&self) -> String {
        format!("Finding({:?})", self.__str__())
    }
}

#[pymethods]
impl Fix {
    fn __repr__(&self) -> String {
        format!("Fix(replacement={:?}, safety={:?})", self.replacement, self.safety)
    }
}

#[pymethods]
impl SourceLine {
    fn __repr__(&self) -> String {
        format!("SourceLine(file={:?}, line={})", self.file, self.line)
    }
}
