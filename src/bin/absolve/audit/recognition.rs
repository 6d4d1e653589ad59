//! Whether a file that is there is a report of this command.
//!
//! Each format begins with what the command writes there whatever the pages hold. Text begins
//! with the name of a page, and is recognized by its last line too, which counts pages.

use super::format::Format;

/// Whether a file whose first and last bytes are these is a report in a format.
pub(super) fn is_report(format: Format, first: &[u8], last: &[u8]) -> bool {
    let begins = |with: &str| first.starts_with(with.as_bytes());
    match format {
        Format::Text => TEXT.iter().any(|with| begins(with)) && ends_in_summary(last),
        Format::Jsonl => begins(FINDING),
        Format::Json => begins("{\"findings\":["),
        Format::Sarif => {
            let start = "{\"$schema\":\"https://docs.oasis-open.org/sarif/";
            let driver = b"\n\"tool\":{\"driver\":{\"name\":\"absolve\",";
            begins(start) && first.windows(driver.len()).any(|window| window == driver)
        }
        Format::Junit => begins(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"absolve audit\" ",
        ),
        Format::Github => {
            ["error", "warning", "notice"].iter().any(|level| begins(&format!("::{level} file=")))
        }
        Format::Markdown => begins("## Audit of links\n\n"),
        Format::Tsv => begins("rule\tlevel\tfile\t"),
    }
}

/// Whether a file whose first bytes are these is a baseline.
pub(super) fn is_baseline(first: &[u8]) -> bool {
    first.starts_with(FINDING.as_bytes())
}

/// What a report as text begins with; the numbers are those of its summary.
const TEXT: &[&str] = &[
    "In ",
    "On many pages\n",
    "fixed: ",
    "no findings; ",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
];

/// What a finding in JSON begins with, and a fingerprint.
const FINDING: &str = "{\"rule\":\"";

/// Whether the last line is that of `report::summary`.
fn ends_in_summary(last: &[u8]) -> bool {
    let Some(text) = last.strip_suffix(b"\n") else { return false };
    let line = text.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let Some((_, checked)) =
        std::str::from_utf8(line).ok().and_then(|line| line.rsplit_once("; checked "))
    else {
        return false;
    };
    let counts = |text: &str, name: &str| {
        let number = text.strip_suffix('s').unwrap_or(text).strip_suffix(name);
        number.is_some_and(|number| {
            number.ends_with(' ')
                && number.trim_end().bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
        })
    };
    let both = checked.split_once(" with ");
    both.is_some_and(|(pages, links)| counts(pages, "page") && counts(links, "link"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::ValueEnum;

    use super::*;
    use crate::audit::baseline::Baseline;
    use crate::audit::sample::{broken, hostile, report};

    #[test]
    fn every_report_is_recognized_and_by_its_own_format_alone() {
        let formats = Format::value_variants();
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
        let mut baseline = Vec::new();
        Baseline::of(&[hostile()], Path::new("")).write(&mut baseline).unwrap();
        assert!(is_baseline(&baseline));
    }

    #[test]
    fn other_files_are_not_recognized() {
        let others = [
            "#!/bin/sh\n",
            "{}\n",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<project>\n",
            "## Audit\n",
            "In site/a.html\n\n",
            "1 error; checked 1 page with 1 link",
            "x; checked 1 page with 1 link; y\n",
            "x; checked a page with 1 link\n",
            "rule\tname\n",
            "[{\"rule\":\"x\"}]\n",
        ];
        for text in others {
            for &format in Format::value_variants() {
                assert!(!is_report(format, text.as_bytes(), text.as_bytes()), "{format:?}: {text}");
            }
        }
    }
}
