//! Recognizes files that are reports.
//!
//! Each format begins with a text that does not depend on pages. A text report begins with the name
//! of a page, and is also recognized by its first finding, or by its last line, which counts pages.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Map, Value};

use super::format::Format;
use super::history::Run;
use super::writers::html::START;
use crate::audit::Rule;

/// Whether a file whose first and last bytes are these is a report in a format.
#[must_use]
pub fn is_report(format: Format, first: &[u8], last: &[u8]) -> bool {
    let begins = |with: &str| first.starts_with(with.as_bytes());
    match format {
        // Without findings they are empty.
        Format::Jsonl | Format::Github | Format::Concise if first.is_empty() => true,
        Format::Text => {
            let is_number = matches!(first, [b'1'..=b'9', ..]);
            (is_number || TEXT.iter().any(|with| begins(with))) && ends_in_summary(last)
                || begins_with_finding(first)
        }
        Format::Jsonl => first_object(first).is_some_and(|object| is_finding(&object)),
        Format::Json => begins("{\"findings\":[") && ends_in_totals(last),
        Format::Sarif => {
            let start = "{\"$schema\":\"https://docs.oasis-open.org/sarif/";
            let driver = b"\n\"tool\":{\"driver\":{\"name\":\"absolve\",";
            begins(start) && first.windows(driver.len()).any(|window| window == driver)
        }
        Format::Junit => begins(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"absolve audit\" ",
        ),
        Format::Concise => first_line(first).is_some_and(is_finding_line),
        Format::Github => first_line(first).is_some_and(is_command),
        Format::Gitlab => {
            let name = b"\",\"check_name\":\"";
            let has_name = first.windows(name.len()).any(|window| window == name);
            first == b"[]\n" || begins("[\n{\"description\":\"") && has_name
        }
        Format::Markdown => {
            let rest = first.strip_prefix(b"## Audit of links\n\n");
            rest.and_then(first_line).is_some_and(is_summary)
        }
        Format::Html => begins(START),
    }
}

/// Whether a file is a report, a baseline or a history, by its extension and contents; files with other
/// extensions are not read.
#[must_use]
pub fn is_own_file<'r>(path: &Path, read: &dyn Fn() -> Option<Cow<'r, [u8]>>) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let Some(extension) = extension else { return false };
    let is_candidate = |format: &&Format| format.extensions().contains(&extension);
    let formats: Vec<Format> = Format::ALL.iter().filter(is_candidate).copied().collect();
    let Some(bytes) = (!formats.is_empty()).then(read).flatten() else { return false };
    // An empty text may be anything.
    if bytes.is_empty() && !formats.contains(&Format::Jsonl) {
        return false;
    }
    let may_be_baseline = matches!(extension, "json" | "jsonl");
    formats.iter().any(|format| is_report(*format, &bytes, &bytes))
        || (may_be_baseline && (is_baseline(&bytes) || is_history(&bytes)))
}

/// Whether a file whose first bytes are these is a baseline; one of no findings is empty.
#[must_use]
pub fn is_baseline(first: &[u8]) -> bool {
    /// The keys that not every fingerprint has.
    const SOME: &[&str] = &["file_bytes", "part", "page", "element", "attribute", "reference"];
    first.is_empty()
        || first_object(first).is_some_and(|object| {
            let always = object.keys().filter(|key| !SOME.contains(&&***key));
            always.eq(["rule", "file", "count"]) && has_rule(&object)
        })
}

/// Whether a file whose first bytes are these is a history; one of no runs is empty.
#[must_use]
pub fn is_history(first: &[u8]) -> bool {
    first.is_empty()
        || first_line(first).is_some_and(|line| serde_json::from_str::<Run>(line).is_ok())
}

/// The first line, which is whole.
fn first_line(first: &[u8]) -> Option<&str> {
    let end = first.iter().position(|byte| *byte == b'\n')?;
    std::str::from_utf8(&first[..end]).ok()
}

/// The last line, which is whole.
fn last_line(last: &[u8]) -> Option<&str> {
    let line = last.strip_suffix(b"\n")?.rsplit(|byte| *byte == b'\n').next()?;
    std::str::from_utf8(line).ok()
}

/// The object that is the first line.
fn first_object(first: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_str(first_line(first)?).ok()
}

fn has_rule(object: &Map<String, Value>) -> bool {
    object.get("rule").and_then(Value::as_str).is_some_and(is_rule)
}

fn is_rule(id: &str) -> bool {
    id.parse::<Rule>().is_ok()
}

/// Whether an object is what [`Record`](super::value::Record) makes of a finding.
fn is_finding(object: &Map<String, Value>) -> bool {
    object.keys().take(3).eq(["rule", "level", "file"]) && has_rule(object)
}

/// Whether the last line is the numbers of `json::write`.
fn ends_in_totals(last: &[u8]) -> bool {
    let line = last_line(last).unwrap_or_default();
    line.starts_with("\"summary\":{\"errors\":") && line.contains(",\"base_url_hint\":")
}

/// Whether a line is a command of `github::write`, whose title is a rule or the command's name.
fn is_command(line: &str) -> bool {
    let levels = ["::error ", "::warning ", "::notice "];
    let Some(rest) = levels.iter().find_map(|level| line.strip_prefix(level)) else {
        return false;
    };
    let Some((properties, _)) = rest.split_once("::") else { return false };
    let last = properties.rsplit(',').next();
    let Some(title) = last.and_then(|last| last.strip_prefix("title=")) else { return false };
    properties == "title=absolve" || properties.starts_with("file=") && is_rule(title)
}

/// Whether a line is that of a finding: `a.html:1:9: error[broken-link]: …`.
fn is_finding_line(line: &str) -> bool {
    let head = line.split_once("]: ").and_then(|(head, _)| head.rsplit_once('['));
    head.is_some_and(|(_, rule)| is_rule(rule))
}

/// What a report as text begins with, beside the numbers of its summary.
const TEXT: &[&str] = &["In ", "On many pages\n", "fixed: ", "no findings; "];

/// Whether the text of a page's first finding follows its name; a report with
/// [`Detail::Errors`](super::Detail::Errors) has no summary.
fn begins_with_finding(first: &[u8]) -> bool {
    let mut lines = first.split(|byte| *byte == b'\n');
    let name = lines.next().unwrap_or_default();
    let is_name = name.starts_with(b"In ") || name == b"On many pages";
    let is_empty = lines.next().is_some_and(<[u8]>::is_empty);
    let finding = lines.next().and_then(|line| std::str::from_utf8(line).ok()).unwrap_or_default();
    is_name && is_empty && is_finding_line(finding)
}

/// Whether the last line is that of `report::summary`.
fn ends_in_summary(last: &[u8]) -> bool {
    last_line(last).is_some_and(is_checked)
}

/// Whether a line is that of `report::summary`, from its beginning.
fn is_summary(line: &str) -> bool {
    let found = line.split("; checked ").next().unwrap_or_default();
    let begins = found == "no findings" || found.starts_with(|c: char| c.is_ascii_digit());
    begins && is_checked(line)
}

/// Whether a line ends with the pages and links that were checked.
fn is_checked(line: &str) -> bool {
    let Some((_, checked)) = line.rsplit_once("; checked ") else { return false };
    // Where the links lead.
    let checked = match checked.split_once(" (") {
        Some((checked, scopes)) if scopes.ends_with(')') => checked,
        Some(_) => return false,
        None => checked,
    };
    let counts = |text: &str, name: &str| {
        let number = text.strip_suffix('s').unwrap_or(text).strip_suffix(name);
        number.is_some_and(|number| {
            number.ends_with(' ')
                && number.trim_end().bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
        })
    };
    let both = checked.split_once(" with ");
    both.is_some_and(|(pages, links)| {
        ["page", "file"].iter().any(|name| counts(pages, name)) && counts(links, "link")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::AuditReport;
    use crate::report::baseline::Baseline;
    use crate::report::context::{Context, Detail};
    use crate::report::tests::{broken, hostile, report};
    use crate::report::write::write;

    #[test]
    fn every_report_is_recognized_and_by_its_own_format_alone() {
        let formats = Format::ALL;
        for findings in [vec![], vec![broken("a", "x")], vec![hostile(), broken("a", "x")]] {
            for &written in formats {
                let text = report(written, &findings);
                // A report without findings is empty in some formats, and loses nothing.
                for &format in formats.iter().filter(|_| !text.is_empty()) {
                    let found = is_report(format, text.as_bytes(), text.as_bytes());
                    assert_eq!(found, format == written, "{written:?} as {format:?}: {text}");
                }
            }
        }
        for &format in formats {
            let is_empty = report(format, &[]).is_empty();
            assert_eq!(is_report(format, b"", b""), is_empty, "{format:?}");
        }
        let mut baseline = Vec::new();
        Baseline::of(&[hostile()], Path::new("")).write(&mut baseline).unwrap();
        assert!(is_baseline(&baseline));
    }

    #[test]
    fn a_text_report_of_errors_alone_is_recognized() {
        let findings = [broken("a", "x")];
        let audited = AuditReport { findings: findings.to_vec(), ..AuditReport::default() };
        let context = Context::new(&audited).detail(Detail::Errors);
        let mut text = Vec::new();
        write(Format::Text, &findings, &context, &mut text).unwrap();
        assert!(is_report(Format::Text, &text, &text));
    }

    #[test]
    fn other_files_are_not_recognized() {
        let others = [
            "#!/bin/sh\n",
            "{}\n",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<project>\n",
            "## Audit\n",
            "In site/a.html\n\n",
            "In short\n\nnote[mine]: x\n",
            "In short\nerror[broken-link]: x\n",
            "1 error; checked 1 page with 1 link",
            "x; checked 1 page with 1 link; y\n",
            "x; checked a page with 1 link\n",
            "x; checked 1 page with 1 link (1 internal) y\n",
            "rule\tname\n",
            "[{\"rule\":\"x\"}]\n",
            "## Audit of links\n\nMy own notes\n",
            "{\"findings\":[{\"cve\":1}]}\n",
            "{\"findings\":[],\n\"summary\":{\"errors\":1}}\n",
            "{\"rule\":\"mine\"}\n",
            "{\"rule\":\"broken-link\",\"file\":\"a\"}\n",
            "::error file=x::other tool\n",
            "::error file=x,title=mine::other tool\n",
            "::error title=broken-link::other tool\n",
            "rule\tlevel\tfile\tmine\n",
        ];
        for text in others {
            assert!(!is_baseline(text.as_bytes()), "{text}");
            for &format in Format::ALL {
                assert!(!is_report(format, text.as_bytes(), text.as_bytes()), "{format:?}: {text}");
            }
        }
    }
}
