//! Findings, with the fields of the JSON report.

use std::ffi::OsString;

use absolve::audit;
use pyo3::prelude::*;

/// One result of an audit, with the fields of the JSON report.
#[pyclass(frozen, get_all, eq, hash, module = "absolve")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Finding {
    /// The name of the rule, such as `broken-link`.
    rule: &'static str,
    /// The level of the rule in this audit: `error`, `warn` or `note`.
    level: &'static str,
    /// The path of the file.
    file: OsString,
    /// The line, from 1.
    line: Option<u64>,
    /// The column in characters, from 1.
    column: Option<u64>,
    /// Start and end of the reference as it is written, in bytes.
    span: Option<(usize, usize)>,
    /// The name of the element, in lower case.
    element: Option<String>,
    /// The name of the attribute, in lower case.
    attribute: Option<String>,
    /// The reference as an HTML parser reads it.
    reference: Option<String>,
    /// The URL that it resolves to.
    url: Option<String>,
    /// The base URL that it was resolved against.
    base: Option<String>,
    /// Where the base URL came from.
    base_source: Option<&'static str>,
    /// The problem, in one line.
    message: String,
    /// What the author may have meant, or what to write.
    hint: Option<String>,
    /// What to write instead, if that is certain or the only similar name.
    fix: Option<Fix>,
    /// The line of Markdown that made the link, with `sources`.
    source: Option<SourceLine>,
}

/// What to write in place of a reference.
#[pyclass(frozen, get_all, eq, hash, module = "absolve", from_py_object)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Fix {
    /// Start and end of the bytes of the file to replace.
    span: (usize, usize),
    /// The text to write there, escaped for its attribute.
    replacement: String,
    /// `safe` if only this can be meant, else `unsafe`.
    safety: &'static str,
}

/// The line of Markdown that made a link.
#[pyclass(frozen, get_all, eq, hash, module = "absolve", from_py_object)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SourceLine {
    /// The path of the file.
    file: OsString,
    /// The line, from 1.
    line: u64,
}

impl From<&audit::Finding> for Finding {
    fn from(finding: &audit::Finding) -> Self {
        Self {
            rule: finding.rule.id(),
            level: finding.level.name(),
            file: finding.file.clone().into_os_string(),
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
        let file = self.file.to_string_lossy();
        format!("SourceLine(file={file:?}, line={})", self.line)
    }
}
