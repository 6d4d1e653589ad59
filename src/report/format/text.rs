//! Findings as text for people: by page, with the source, as compilers show errors.

use std::io::{self, Write};

use super::FormatRow;
use crate::audit::{Finding, Level, SourceLine};
use crate::base::BaseSource;
use crate::report::color::Color;
use crate::report::context::{Context, Detail};
use crate::report::display::{WithoutCommands, counted, printable};
use crate::report::excerpt::Excerpt;
use crate::report::groups::{Group, groups};
use crate::report::sources::Sources;
use crate::report::view;

/// The most fixed findings that are listed.
const MAX_FIXED: usize = 20;

/// Writes the findings of each page, then those on many pages, then the summary; with
/// [`Detail::Errors`] only errors.
pub(super) const FORMAT: FormatRow =
    FormatRow { name: "text", summary: "Grouped by page, with the source, for people", write };

fn write(findings: &[Finding], context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let out = &mut WithoutCommands::new(out, context.width);
    let paint = Paint { color: context.color };
    let mut writer =
        Writer { sources: Sources::new(context), text: String::new(), width: context.width };
    let mut groups = groups(findings);
    if context.detail == Detail::Errors {
        groups.retain(|group| group.first.level == Level::Error);
    }
    let (mut many, single): (Vec<_>, Vec<_>) = groups.iter().partition(|group| group.pages > 1);
    many.sort_by_key(|group| group.worst_first());
    for page in single.chunk_by(|a, b| view::are_of_one_page(a.first, b.first)) {
        let Some(group) = page.first() else { continue };
        // A line that begins with a file name could be a command for a program that reads the log.
        let name = format!("In {}", view::shown(&group.first.file));
        writeln!(out, "{}\n", paint.with(Style::Page, &name))?;
        for group in page {
            GroupWriter { group, paint }.write(&mut writer, out)?;
        }
    }
    if !many.is_empty() {
        writeln!(out, "{}\n", paint.with(Style::Page, "On many pages"))?;
    }
    for group in many {
        GroupWriter { group, paint }.write(&mut writer, out)?;
    }
    let coverage = &context.coverage;
    if context.detail == Detail::Errors {
        return match coverage.not_listed(Level::Error) {
            Some(text) => writeln!(out, "{text}"),
            None => Ok(()),
        };
    }
    write_applied(context, out)?;
    write_diff(context, out)?;
    context.remarks(findings).iter().try_for_each(|text| writeln!(out, "{text}"))?;
    writeln!(out, "{}", paint.with(Style::Strong, &context.summary(findings)))
}

/// Lists the findings whose fixes were applied.
fn write_applied(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(applied) = context.applied else { return Ok(()) };
    for finding in applied.iter().take(MAX_FIXED) {
        let old = printable(finding.reference.as_deref().unwrap_or(""));
        let new = printable(finding.fix.as_ref().map_or("", |fix| &fix.reference));
        let place = view::place(finding);
        let from = finding.source.as_ref().map_or(String::new(), |source| {
            format!(", from {}:{}", view::shown(&source.file), source.line)
        });
        writeln!(out, "fixed: {} at {place}{from}: '{old}' is now '{new}'", finding.rule.id())?;
    }
    let all = applied.len() as u64 + context.applied_unlisted;
    let more = all - applied.len().min(MAX_FIXED) as u64;
    if more > 0 {
        writeln!(out, "fixed: {} more", counted(more, "finding"))?;
    }
    Ok(())
}

fn write_diff(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(diff) = context.diff else { return Ok(()) };
    for (fingerprint, count) in diff.fixed.iter().take(MAX_FIXED) {
        writeln!(out, "fixed: {}", fingerprint.describe(*count))?;
    }
    let more: u64 = diff.fixed.iter().skip(MAX_FIXED).map(|(_, count)| count).sum();
    if more > 0 {
        writeln!(out, "fixed: {} more", counted(more, "finding"))?;
    }
    Ok(())
}

/// What the groups of a report share.
struct Writer<'a> {
    sources: Sources<'a>,
    /// The text of the last finding.
    text: String,
    /// The columns of a line.
    width: usize,
}

/// Writes the findings of one target.
struct GroupWriter<'a> {
    group: &'a Group<'a>,
    paint: Paint,
}

impl<'a> GroupWriter<'a> {
    fn write(&self, writer: &mut Writer<'a>, out: &mut dyn Write) -> io::Result<()> {
        writer.text.clear();
        self.append(&mut writer.sources, writer.width, &mut writer.text);
        out.write_all(writer.text.as_bytes())
    }

    /// Appends the finding. A report may have 10,000 of a page, so that its lines share a buffer.
    fn append(&self, sources: &mut Sources<'a>, width: usize, out: &mut String) {
        let (finding, paint) = (self.group.first, self.paint);
        let level = Style::Level(finding.level);
        let head = [view::level(finding.level), "[", finding.rule.id(), "]"];
        paint.push(level, &head, out);
        paint.push(Style::Strong, &[": ", &printable(&finding.message)], out);
        let number = finding.line.map_or(String::new(), |line| line.to_string());
        let gutter = " ".repeat(number.len());
        out.extend(["\n", &gutter]);
        paint.push(Style::Frame, &["-->"], out);
        out.extend([" ", &self.places(), "\n"]);
        let frame = number.len() + " | ".len();
        let shown = sources.excerpt(finding, width.saturating_sub(frame));
        if let Some(shown) = &shown {
            self.write_excerpt(shown, &number, out);
        }
        self.notes(shown.is_some(), |name, text| {
            out.extend([&gutter, " "]);
            paint.push(Style::Frame, &["="], out);
            out.extend([" ", name, ": ", text, "\n"]);
        });
        out.push('\n');
    }

    fn places(&self) -> String {
        let &Group { first, pages, .. } = self.group;
        let places = self.group.places();
        let place = view::place(first);
        match (pages, places) {
            (1, 1) => place,
            (1, _) => format!("{place}, the first of {}", counted(places as u64, "place")),
            _ => format!("on {}, first {place}", counted(pages as u64, self.group.noun)),
        }
    }

    fn write_excerpt(&self, shown: &Excerpt, number: &str, out: &mut String) {
        let paint = self.paint;
        let gutter = " ".repeat(number.len());
        out.extend([&gutter, " "]);
        paint.push(Style::Frame, &["|"], out);
        out.push('\n');
        paint.push(Style::Frame, &[number], out);
        out.push(' ');
        paint.push(Style::Frame, &["|"], out);
        out.extend([" ", &shown.line, "\n", &gutter, " "]);
        paint.push(Style::Frame, &["|"], out);
        out.extend([" ", &" ".repeat(shown.indent)]);
        let (carets, level) = ("^".repeat(shown.carets), Style::Level(self.group.first.level));
        match view::place_in_markup(self.group.first) {
            Some(place) => paint.push(level, &[&carets, " ", &place], out),
            None => paint.push(level, &[&carets], out),
        }
        out.push('\n');
    }

    /// Passes each further field with its name to `note`.
    fn notes(&self, has_excerpt: bool, mut note: impl FnMut(&str, &str)) {
        let finding = self.group.first;
        if let (false, Some(reference)) = (has_excerpt, finding.reference.as_deref()) {
            let place =
                view::place_in_markup(finding).map_or(String::new(), |at| format!(" in {at}"));
            note("reference", &format!("{}{place}", printable(reference)));
        }
        if let Some(url) = finding.url.as_deref() {
            note("resolved", &printable(url));
        }
        if let (Some(base), Some(source)) = (finding.base.as_deref(), finding.base_source)
            && matches!(source, BaseSource::BaseElement | BaseSource::Enclosing)
        {
            note("base", &format!("{} ({})", printable(base), source.name()));
        }
        if let Some(target) = &finding.target {
            note("looked for", &view::shown(target));
        }
        if let Some(SourceLine { file, line }) = &finding.source {
            note("source", &format!("{}:{line}", view::shown(file)));
        }
        if let Some(hint) = &finding.hint {
            note("help", &printable(hint));
        }
    }
}

/// The role of a text, which decides its color.
#[derive(Clone, Copy)]
enum Style {
    Page,
    Strong,
    Frame,
    Level(Level),
}

#[derive(Clone, Copy)]
struct Paint {
    color: Color,
}

impl Paint {
    fn with(self, style: Style, text: &str) -> String {
        let mut painted = String::new();
        self.push(style, &[text], &mut painted);
        painted
    }

    /// Appends the parts of a text.
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
mod tests;
