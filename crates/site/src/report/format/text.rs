//! Writes findings as text for people: by page, with the source, in the style of compilers.

use std::io::{self, Write};

use crate::report::{
    Color, Context, Detail, Excerpt, FormatRow, Group, Sources, WithoutCommands, counted,
    group_findings, printable, view,
};
use crate::{Finding, Level};

/// Maximum fixed findings that are listed.
const MAX_FIXED: usize = 20;

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "text", summary: "Grouped by page, with the source, for people", write };

/// Writes the targets with findings on one page, page by page, then those on many pages, then the
/// summary. With [`Detail::Errors`], writes only errors, and no summary.
fn write(findings: &[Finding], context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let out = &mut WithoutCommands::new(out, context.width);
    let paint = Paint { color: context.color };
    let sources = Sources::new(context);
    let mut writer = Writer { sources, text: String::new(), width: context.width, paint };
    let mut groups = group_findings(findings);
    if context.detail == Detail::Errors {
        groups.retain(|group| group.first.level == Level::Error);
    }
    let (mut many, single): (Vec<_>, Vec<_>) = groups.iter().partition(|group| group.pages > 1);
    many.sort_by_key(|group| group.worst_first_key());
    for page in single.chunk_by(|a, b| view::are_of_one_page(a.first, b.first)) {
        let Some(group) = page.first() else { continue };
        // If the line began with a file name, a program that reads the log could see a command.
        let name = format!("In {}", view::format_path(&group.first.file));
        writeln!(out, "{}\n", paint.apply(Style::Page, &name))?;
        for group in page {
            writer.write(group, out)?;
        }
    }
    if !many.is_empty() {
        writeln!(out, "{}\n", paint.apply(Style::Page, "On many pages"))?;
    }
    for group in many {
        writer.write(group, out)?;
    }
    let coverage = &context.coverage;
    if context.detail == Detail::Errors {
        return match coverage.describe_unlisted(Level::Error) {
            Some(text) => writeln!(out, "{text}"),
            None => Ok(()),
        };
    }
    write_applied(context, out)?;
    write_diff(context, out)?;
    context.remarks(findings).iter().try_for_each(|text| writeln!(out, "{text}"))?;
    writeln!(out, "{}", paint.apply(Style::Strong, &context.summary(findings)))
}

/// Lists the findings whose fixes were applied, up to [`MAX_FIXED`].
fn write_applied(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(applied) = context.applied else { return Ok(()) };
    for finding in applied.iter().take(MAX_FIXED) {
        let old = printable(finding.reference.as_deref().unwrap_or(""));
        let new = printable(finding.fix.as_ref().map_or("", |fix| &fix.reference));
        let position = view::format_position(finding);
        let source = view::format_source_position(finding);
        let from = source.map_or(String::new(), |source| format!(", from {source}"));
        writeln!(out, "fixed: {} at {position}{from}: '{old}' is now '{new}'", finding.rule.id())?;
    }
    let all = applied.len() as u64 + context.applied_unlisted;
    write_more(all - applied.len().min(MAX_FIXED) as u64, out)
}

/// Lists the findings of the baseline that are fixed, up to [`MAX_FIXED`].
fn write_diff(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(diff) = context.diff else { return Ok(()) };
    for (fingerprint, count) in diff.fixed.iter().take(MAX_FIXED) {
        writeln!(out, "fixed: {}", fingerprint.describe(*count))?;
    }
    write_more(diff.fixed.iter().skip(MAX_FIXED).map(|(_, count)| count).sum(), out)
}

/// Writes the number of fixed findings that are not listed, unless it is 0.
fn write_more(more: u64, out: &mut dyn Write) -> io::Result<()> {
    match more {
        0 => Ok(()),
        _ => writeln!(out, "fixed: {} more", counted(more, "finding")),
    }
}

/// Writes the groups of a report, with excerpts.
struct Writer<'a> {
    sources: Sources<'a>,
    /// The buffer for the text of a group; a page may have 10,000 of them.
    text: String,
    /// Maximum columns of a line.
    width: usize,
    paint: Paint,
}

impl<'a> Writer<'a> {
    /// Writes a group as its first finding, with the number of the others.
    fn write(&mut self, group: &Group<'a>, out: &mut dyn Write) -> io::Result<()> {
        let Self { sources, text, width, paint } = self;
        let finding = group.first;
        text.clear();
        let head = [view::level_name(finding.level), "[", finding.rule.id(), "]"];
        paint.push(Style::Level(finding.level), &head, text);
        paint.push(Style::Strong, &[": ", &printable(&finding.message)], text);
        let number = finding.line.map_or(String::new(), |line| line.to_string());
        let gutter = " ".repeat(number.len());
        text.extend(["\n", &gutter]);
        paint.push(Style::Frame, &["-->"], text);
        text.extend([" ", &describe_positions(group), "\n"]);
        let frame = number.len() + " | ".len();
        let shown = sources.excerpt(finding, width.saturating_sub(frame));
        if let Some(shown) = &shown {
            paint.push_excerpt(finding, shown, &number, text);
        }
        each_note(finding, shown.is_some(), |name, note| {
            text.extend([&gutter, " "]);
            paint.push(Style::Frame, &["="], text);
            text.extend([" ", name, ": ", note, "\n"]);
        });
        text.push('\n');
        out.write_all(text.as_bytes())
    }
}

fn describe_positions(group: &Group<'_>) -> String {
    let (first, findings) = (view::format_position(group.first), group.finding_count());
    match (group.pages, findings) {
        (1, 1) => first,
        (1, _) => format!("{first}, the first of {}", counted(findings as u64, "place")),
        (pages, _) => format!("on {}, first {first}", counted(pages as u64, group.noun)),
    }
}

/// Passes each field for the lines after the excerpt to `note`, with its name.
fn each_note(finding: &Finding, has_excerpt: bool, mut note: impl FnMut(&str, &str)) {
    if let (false, Some(reference)) = (has_excerpt, finding.reference.as_deref()) {
        let markup = view::describe_markup(finding).map_or(String::new(), |at| format!(" in {at}"));
        note("reference", &format!("{}{markup}", printable(reference)));
    }
    if let Some(url) = finding.url.as_deref() {
        note("resolved", &printable(url));
    }
    if let Some(base) = view::describe_base(finding) {
        note("base", &base);
    }
    if let Some(target) = &finding.target {
        note("looked for", &view::format_path(target));
    }
    if let Some(source) = view::format_source_position(finding) {
        note("source", &source);
    }
    if let Some(hint) = &finding.hint {
        note("help", &printable(hint));
    }
}

/// The role of a text, which determines its color.
#[derive(Clone, Copy)]
enum Style {
    Page,
    Strong,
    Frame,
    Level(Level),
}

/// Adds the escape sequences of a style to text, if the report is colored.
#[derive(Clone, Copy)]
struct Paint {
    color: Color,
}

impl Paint {
    fn apply(self, style: Style, text: &str) -> String {
        let mut painted = String::new();
        self.push(style, &[text], &mut painted);
        painted
    }

    /// Appends a line of source, and a line with carets below the marked part.
    fn push_excerpt(self, finding: &Finding, shown: &Excerpt, number: &str, out: &mut String) {
        let gutter = " ".repeat(number.len());
        out.extend([&gutter, " "]);
        self.push(Style::Frame, &["|"], out);
        out.push('\n');
        self.push(Style::Frame, &[number], out);
        out.push(' ');
        self.push(Style::Frame, &["|"], out);
        out.extend([" ", &shown.line, "\n", &gutter, " "]);
        self.push(Style::Frame, &["|"], out);
        out.extend([" ", &" ".repeat(shown.indent)]);
        let markup =
            view::describe_markup(finding).map_or(String::new(), |markup| format!(" {markup}"));
        self.push(Style::Level(finding.level), &[&"^".repeat(shown.carets), &markup], out);
        out.push('\n');
    }

    /// Appends the parts of a text in a style.
    fn push(self, style: Style, text: &[&str], out: &mut String) {
        let code = match style {
            _ if self.color == Color::No || text.iter().all(|part| part.is_empty()) => "",
            Style::Page => "\x1b[1;4m",
            Style::Strong => "\x1b[1m",
            Style::Frame => "\x1b[34m",
            Style::Level(Level::Error) => "\x1b[1;31m",
            Style::Level(Level::Warn) => "\x1b[1;33m",
            Style::Level(_) => "\x1b[1;36m",
        };
        let end = if code.is_empty() { "" } else { "\x1b[0m" };
        out.push_str(code);
        out.extend(text.iter().copied());
        out.push_str(end);
    }
}

#[cfg(test)]
mod tests {
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
        let mut other = broken("b", "z");
        other.url = Some("http://i/z".to_owned());
        other.base = Some("http://***@i/".to_owned());
        other.base_source = Some(BaseSource::BaseElement);
        other.target = None;
        other.line = Some(120);
        let findings = [broken("a", "x"), other.clone(), other, broken("c", "../x")];
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
        let diff = Baseline::from_findings(&old, Path::new("")).finish(
            &mut findings,
            Path::new(""),
            |_| true,
        );
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
}
