//! Findings as text, compared whole.

use std::path::Path;

use absolve::BaseSource;

use super::*;

use crate::report::baseline::Baseline;
use crate::report::format::Format;
use crate::report::tests::{
    assert_harmless, broken, finding, hostile, report, report_compared, with_source,
};
use crate::report::write;
use crate::{AuditReport, Rule};

const CHECKED: &str = "checked 1,200 pages with 1 link\n";

#[test]
fn a_finding_is_shown_in_its_line() {
    let mut bad = with_source(broken("site/a", "x"));
    bad.hint = Some("did you mean y?".to_owned());
    assert_eq!(
        report(Format::Text, &[bad]),
        format!(
            "In site/a\n\n\
             error[broken-link]: nothing is at x\n \
             --> site/a:1:9\n  \
             |\n\
             1 | <a href=x>y</a>\n  \
             |         ^ a[href]\n  \
             = resolved: http://h/x\n  \
             = looked for: site/x\n  \
             = source: docs/a,b.md:7\n  \
             = help: did you mean y?\n\n\
             1 error on 1 page; {CHECKED}"
        )
    );
    assert_eq!(report(Format::Text, &[]), format!("no findings; {CHECKED}"));
}

#[test]
fn one_target_is_shown_once() {
    let mut own = broken("b", "z");
    own.url = Some("http://i/z".to_owned());
    own.base = Some("http://***@i/".to_owned());
    own.base_source = Some(BaseSource::BaseElement);
    own.target = None;
    own.line = Some(120);
    let findings = [broken("a", "x"), own.clone(), own, broken("c", "../x")];
    assert_eq!(
        report(Format::Text, &findings),
        format!(
            "In b\n\n\
             error[broken-link]: nothing is at x\n   \
             --> b:120:9, the first of 2 places\n    \
             |\n\
             120 | <a href=x>y</a>\n    \
             |         ^ a[href]\n    \
             = resolved: http://i/z\n    \
             = base: http://***@i/ (base-element)\n\n\
             On many pages\n\n\
             error[broken-link]: nothing is at x\n \
             --> on 2 pages, first a:1:9\n  \
             |\n\
             1 | <a href=x>y</a>\n  \
             |         ^ a[href]\n  \
             = resolved: http://h/x\n  \
             = looked for: site/x\n\n\
             4 errors on 3 pages; {CHECKED}"
        )
    );
}

#[test]
fn without_a_source_the_reference_is_shown() {
    let warning = finding(Rule::DuplicateId, Level::Warn, "a");
    assert_eq!(
        report(Format::Text, &[warning, broken("lost", "x")]),
        format!(
            "In a\n\nwarning[duplicate-id]: it is wrong\n--> a\n\n\
             In lost\n\nerror[broken-link]: nothing is at x\n --> lost:1:9\n  \
             = reference: x in a[href]\n  = resolved: http://h/x\n  = looked for: site/x\n\n\
             1 error, 1 warning on 2 pages; {CHECKED}"
        )
    );
}

#[test]
fn fixed_and_known_findings_are_counted() {
    let mut findings = vec![broken("a", "x")];
    let old = [broken("a", "x"), broken("b", "y"), broken("b", "y")];
    let diff = Baseline::of(&old, Path::new("")).finish(&mut findings, Path::new(""), |_| true);
    assert_eq!(
        report_compared(Format::Text, &findings, Some(&diff)),
        format!(
            "fixed: broken-link in b: y (2 times)\n1 finding left out by the baseline\n\
             no findings; {CHECKED}"
        )
    );
}

#[test]
fn colors_end_with_their_text() {
    let audited = AuditReport { pages: 1, links: 1, ..AuditReport::default() };
    let context = Context::new(&audited).color(Color::Yes);
    let mut out = Vec::new();
    let note = finding(Rule::BadTel, Level::Note, "a");
    write(Format::Text, &[note], &context, &mut out).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "\x1b[1;4mIn a\x1b[0m\n\n\
         \x1b[1;36mnote[bad-tel]\x1b[0m\x1b[1m: it is wrong\x1b[0m\n\
         \x1b[34m-->\x1b[0m a\n\n\
         \x1b[1m1 note on 1 page; checked 1 page with 1 link\x1b[0m\n"
    );
}

#[test]
fn hostile_texts_move_no_cursor() {
    let report = report(Format::Text, &[hostile(), broken("z", "x")]);
    assert_harmless(&report);
    let mut lines = report.lines();
    assert!(lines.next().unwrap().starts_with("In =a\\nb\\r\\t\\u{1b}[31m\\u{202e}"));
    assert!(!report.contains('\t'), "{report}");
}
