//! Writes findings as `JUnit` XML: one suite per page, one case per finding.
//!
//! The elements and attributes are those of the [schema of Jenkins][schema], which other servers
//! also use. A case has no attribute for its position, so its text contains the position.
//!
//! A finding below the level that fails the audit is a passed case, with the finding as output.
//!
//! [schema]: https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd

use std::collections::HashMap;
use std::io::{self, Write};

use crate::report::{Context, FormatRow, counted, printable, view};
use crate::{Finding, Level, Unlisted};

/// The name of the suite for findings that are only counted.
const NOT_LISTED: &str = "not listed";

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "junit", summary: "JUnit XML, one suite per page", write };

fn write(findings: &[Finding], context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let is_failure = |finding: &Finding| fails(finding.level, context);
    let failures = |all: &[Finding]| all.iter().filter(|finding| is_failure(finding)).count();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    // Many readers reject a report without a case, so an audit without findings writes one.
    let unlisted = &context.coverage.audited.unlisted;
    let tests = (findings.len() + unlisted.len()).max(1);
    let failed = failures(findings)
        + unlisted.iter().filter(|unlisted| fails(unlisted.level, context)).count();
    open_element("testsuites", "absolve audit", [tests, failed], out)?;
    if findings.is_empty() && unlisted.is_empty() {
        let text = escape_xml(&context.summary(findings));
        open_element("testsuite", "absolve audit", [1, 0], out)?;
        writeln!(out, "<testcase name=\"{text}\" classname=\"absolve audit\"/>\n</testsuite>")?;
    }
    for page in findings.chunk_by(view::are_of_one_page) {
        let Some(first) = page.first() else { continue };
        let name = escape_xml(&view::format_path(&first.file));
        open_element("testsuite", &name, [page.len(), failures(page)], out)?;
        let mut names = CaseNames::default();
        for finding in page {
            let case = (&*names.add_unique(finding), &*name);
            write_case(finding, case, is_failure(finding), out)?;
        }
        writeln!(out, "</testsuite>")?;
    }
    write_unlisted(context, out)?;
    writeln!(out, "</testsuites>")
}

/// Opens a suite or the list of suites, with its numbers of tests and failures.
fn open_element(
    element: &str,
    name: &str,
    [tests, failed]: [usize; 2],
    out: &mut dyn Write,
) -> io::Result<()> {
    let counts = format_args!("tests=\"{tests}\" failures=\"{failed}\" errors=\"0\"");
    writeln!(out, "<{element} name=\"{name}\" {counts}>")
}

/// Writes a suite for the findings that are not listed, one case per rule.
fn write_unlisted(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let unlisted = &context.coverage.audited.unlisted;
    if unlisted.is_empty() {
        return Ok(());
    }
    let failed = unlisted.iter().filter(|unlisted| fails(unlisted.level, context)).count();
    open_element("testsuite", NOT_LISTED, [unlisted.len(), failed], out)?;
    for &Unlisted { rule, level, count } in unlisted {
        let (rule, findings) = (rule.id(), counted(count, "finding"));
        write!(out, "<testcase name=\"{findings} of {rule}\" classname=\"{NOT_LISTED}\">")?;
        let message = "raise --limit findings or findings-size to list them";
        if fails(level, context) {
            write!(out, "<failure message=\"{message}\" type=\"{rule}\"/>")?;
        } else {
            write!(out, "<system-out>{message}</system-out>")?;
        }
        writeln!(out, "</testcase>")?;
    }
    writeln!(out, "</testsuite>")
}

/// Whether a finding of a level fails the audit.
fn fails(level: Level, context: &Context<'_>) -> bool {
    context.fail_on.is_some_and(|fail_on| level >= fail_on)
}

/// The names of a page's cases, each with the last ordinal that was appended to it.
#[derive(Default)]
struct CaseNames(HashMap<String, usize>);

impl CaseNames {
    /// Creates an escaped name that is unique on the page. Servers compare names between runs, so
    /// an ordinal makes it unique, not a line number, which an edit would change.
    fn add_unique(&mut self, finding: &Finding) -> String {
        let rule = finding.rule.id();
        let name = match finding.reference.as_deref() {
            Some(reference) => escape_xml(&format!("{rule}: {}", printable(reference))),
            None => rule.to_owned(),
        };
        let mut unique = name.clone();
        while self.0.contains_key(&unique) {
            let count = self.0.entry(name.clone()).or_default();
            *count += 1;
            unique = format!("{name} ({count})");
        }
        self.0.insert(unique.clone(), 1);
        unique
    }
}

fn write_case(
    finding: &Finding,
    (name, page): (&str, &str),
    is_failure: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rule = finding.rule.id();
    writeln!(out, "<testcase name=\"{name}\" classname=\"{page}\">")?;
    let text = format_details(finding);
    let level = view::level_name(finding.level);
    let message = escape_xml(&printable(&finding.message));
    if is_failure {
        writeln!(out, "<failure type=\"{rule}\" message=\"{message}\">{level}: {text}</failure>")?;
    } else {
        writeln!(out, "<system-out>{level}: {text}</system-out>")?;
    }
    writeln!(out, "</testcase>")
}

/// Formats the fields of a finding, one per line, escaped.
fn format_details(finding: &Finding) -> String {
    let mut lines = vec![printable(&finding.message), view::format_position(finding)];
    lines.extend(view::format_source_position(finding).map(|source| format!("source: {source}")));
    let element = finding.element.as_deref().unwrap_or("-");
    if let Some(attribute) = &finding.attribute {
        lines.push(format!("in {}[{}]", printable(element), printable(attribute)));
    }
    let url = finding.url.as_deref().map(|url| format!("resolved: {}", printable(url)));
    let target =
        finding.target.as_ref().map(|path| format!("looked for: {}", view::format_path(path)));
    let hint = finding.hint.as_ref().map(|hint| format!("help: {}", printable(hint)));
    lines.extend([url, target, hint].into_iter().flatten());
    escape_xml(&lines.join("\n"))
}

/// Escapes text for the content of an XML 1.0 element, or for an attribute in double quotes. XML
/// excludes two noncharacters even as references; the callers have escaped control characters.
fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use crate::{Level, Rule};
    use quick_xml::events::Event;
    use quick_xml::{Reader, XmlVersion};

    use crate::report::format::Format;
    use crate::report::tests::{assert_harmless, broken, finding, hostile, report};

    /// The elements of a document that is well-formed, and its text.
    fn parse(document: &str) -> (Vec<String>, String) {
        let mut reader = Reader::from_str(document);
        reader.config_mut().check_comments = true;
        let (mut elements, mut text) = (Vec::new(), String::new());
        loop {
            match reader.read_event().unwrap() {
                Event::Start(tag) | Event::Empty(tag) => {
                    for attribute in tag.attributes() {
                        attribute.unwrap().normalized_value(XmlVersion::Implicit1_0).unwrap();
                    }
                    elements.push(String::from_utf8(tag.name().as_ref().to_vec()).unwrap());
                }
                Event::Text(found) => text.push_str(&found.decode().unwrap()),
                Event::Eof => return (elements, text),
                Event::CData(_) | Event::Comment(_) | Event::PI(_) | Event::DocType(_) => {
                    panic!("{document}")
                }
                _ => {}
            }
        }
    }

    #[test]
    fn a_page_is_a_suite() {
        let mut bad = broken("a", "x");
        bad.hint = Some("did you mean <y>?".to_owned());
        let note = finding(Rule::LegacyEncoding, Level::Note, "b");
        assert_eq!(
            report(Format::Junit, &[bad, note]),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites name=\"absolve audit\" tests=\"2\" failures=\"1\" errors=\"0\">\n\
             <testsuite name=\"a\" tests=\"1\" failures=\"1\" errors=\"0\">\n\
             <testcase name=\"broken-link: x\" classname=\"a\">\n\
             <failure type=\"broken-link\" message=\"nothing is at x\">error: nothing is at x\n\
             a:1:9\nin a[href]\nresolved: http://h/x\nlooked for: site/x\n\
             help: did you mean &lt;y&gt;?</failure>\n</testcase>\n</testsuite>\n\
             <testsuite name=\"b\" tests=\"1\" failures=\"0\" errors=\"0\">\n\
             <testcase name=\"legacy-encoding\" classname=\"b\">\n\
             <system-out>note: it is wrong\nb</system-out>\n</testcase>\n</testsuite>\n\
             </testsuites>\n"
        );
    }

    #[test]
    fn the_names_of_a_page_differ() {
        let references = ["x", "x", "x (2)", "x", "x (2)"];
        let document = report(Format::Junit, &references.map(|reference| broken("a", reference)));
        let names = document.split("testcase name=\"broken-link: ").skip(1);
        let names: Vec<&str> = names.filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(names, ["x", "x (2)", "x (2) (2)", "x (3)", "x (2) (3)"]);
    }

    #[test]
    fn without_findings_there_is_one_case_that_passed() {
        let document = report(Format::Junit, &[]);
        let (elements, _) = parse(&document);
        assert_eq!(elements, ["testsuites", "testsuite", "testcase"]);
        assert!(document.contains("name=\"no findings; checked 1,200 pages with 1 link\""));
    }

    #[test]
    fn hostile_texts_stay_in_their_places() {
        let document = report(Format::Junit, &[hostile()]);
        assert_harmless(&document);
        assert!(!document.contains('\u{fffe}'));
        let (elements, _) = parse(&document);
        assert_eq!(elements, ["testsuites", "testsuite", "testcase", "failure"]);
    }
}
