//! Reports on the findings of an audit, in formats for people and programs.
//!
//! [`write()`] writes findings in a [`Format`]; a [`Context`] has the other data of a report. A
//! [`Baseline`] has the findings of an earlier audit, so that only new ones are reported. This
//! module opens no file and prints nothing: it writes only to the writer that the caller gives.
//!
//! ```
//! use absolve_site::{AuditReport, Finding, Level, Rule};
//! use absolve_site::report::{self, Context, Format};
//!
//! let message = "docs/x.html does not exist".to_owned();
//! let finding = Finding::new(Rule::BrokenLink, Level::Error, "docs/a.html".into(), message);
//! let audited = AuditReport { findings: vec![finding], pages: 1, links: 1, ..AuditReport::default() };
//! let context = Context::new(&audited).fail_on(Some(Level::Error));
//! let mut out = Vec::new();
//! report::write(Format::Github, &audited.findings, &context, &mut out)?;
//! assert_eq!(
//!     String::from_utf8_lossy(&out),
//!     "::error file=docs/a.html,title=broken-link::docs/x.html does not exist\n"
//! );
//! assert!(context.fails(&audited.findings));
//! # Ok::<(), std::io::Error>(())
//! ```

mod baseline;
mod context;
mod coverage;
#[doc(hidden)]
pub mod display;
mod excerpt;
mod format;
mod groups;
mod history;
mod value;
mod view;

#[doc(hidden)]
pub use baseline::Fingerprint;
pub use baseline::{Baseline, BaselineDiff, Comparison, InvalidBaseline};
#[doc(hidden)]
pub use context::Detail;
pub use context::{About, Color, Context};
pub use format::{Format, write};
#[doc(hidden)]
pub use format::{UnknownFormat, write_entries};
#[doc(hidden)]
pub use history::InvalidHistory;
pub use history::{History, Run};
pub use view::{InvalidSourceUrl, SourceUrl};

use baseline::number_hashes;
use coverage::{Coverage, Totals};
use display::{WithoutCommands, counted, is_harmless, printable, thousands};
use excerpt::{Excerpt, Sources};
use format::FormatRow;
use groups::{Group, group_findings, group_hash, group_worst_first};
use value::{Record, to_json, write_list};
use view::are_of_one_page;

#[cfg(test)]
mod tests {
    //! Findings for the tests of reports, some with hostile texts.

    use std::path::{Path, PathBuf};

    use absolve::BaseSource;

    use super::baseline::BaselineDiff;
    use super::context::Context;
    use super::format::{Format, write};

    use crate::AuditReport;
    use crate::{Finding, Level, Rule, SourceLine};

    pub(super) fn finding(rule: Rule, level: Level, file: &str) -> Finding {
        Finding::new(rule, level, file.into(), "it is wrong".to_owned())
    }

    /// Creates a finding about a broken link to `http://h/x`, on the first line after `<a href=`.
    pub(super) fn broken(file: &str, reference: &str) -> Finding {
        Finding {
            line: Some(1),
            column: Some(9),
            span: Some(8..8 + reference.len()),
            element: Some("a".to_owned()),
            attribute: Some("href".to_owned()),
            reference: Some(reference.to_owned()),
            url: Some("http://h/x".to_owned()),
            base: Some("http://h/".to_owned()),
            base_source: Some(BaseSource::RetrievalUrl),
            target: Some("site/x".into()),
            message: "nothing is at x".to_owned(),
            ..finding(Rule::BrokenLink, Level::Error, file)
        }
    }

    /// Adds a line of Markdown as the source of a finding.
    pub(super) fn with_source(finding: Finding) -> Finding {
        let source = SourceLine { file: Path::new("docs/a,b.md").into(), line: 7 };
        Finding { source: Some(source), ..finding }
    }

    /// A text with everything that breaks lines, cells, tags and terminals.
    pub(super) const HOSTILE: &str = "=a\nb\r\t\x1b[31m\u{202e}\u{61c}\u{9b}\u{2028}\u{fffe}'\"`|,:%\\<script>&amp;]]>--> \
         @user [x](javascript:1) {0} ${{ x }} ::error::x";

    /// Creates a finding with only hostile texts.
    pub(super) fn hostile() -> Finding {
        Finding {
            file: bad_name(),
            element: Some(HOSTILE.to_owned()),
            attribute: Some(HOSTILE.to_owned()),
            url: Some(HOSTILE.to_owned()),
            base: Some(HOSTILE.to_owned()),
            target: Some(bad_name()),
            message: HOSTILE.to_owned(),
            hint: Some(HOSTILE.to_owned()),
            ..broken("", HOSTILE)
        }
    }

    #[cfg(unix)]
    fn bad_name() -> PathBuf {
        use std::os::unix::ffi::OsStringExt;
        std::ffi::OsString::from_vec([HOSTILE.as_bytes(), b"\xff"].concat()).into()
    }

    #[cfg(not(unix))]
    fn bad_name() -> PathBuf {
        HOSTILE.into()
    }

    /// Writes a report without color and without a baseline.
    pub(super) fn report(format: Format, findings: &[Finding]) -> String {
        report_compared(format, findings, None)
    }

    pub(super) fn report_compared(
        format: Format,
        findings: &[Finding],
        diff: Option<&BaselineDiff>,
    ) -> String {
        let read = |path: &Path| {
            let name = path.file_name()?.to_str()?;
            (name != "lost").then(|| b"<a href=x>y</a>\n".to_vec())
        };
        let audited = AuditReport { pages: 1200, links: 1, ..AuditReport::default() };
        let context =
            Context::new(&audited).source(&read).fail_on(Some(Level::Error)).baseline(diff);
        let mut out = Vec::new();
        write(format, findings, &context, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Asserts that a report contains no character that controls a terminal or deceives a reader.
    #[track_caller]
    pub(super) fn assert_harmless(report: &str) {
        let bad = |c: &char| c.is_control() && !matches!(c, '\n' | '\t');
        assert_eq!(report.chars().find(bad), None, "{report:?}");
        for c in ['\u{202e}', '\u{61c}', '\u{2028}'] {
            assert!(!report.contains(c), "{report:?}");
        }
    }
}
