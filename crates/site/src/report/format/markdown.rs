//! Writes findings as a table in Markdown, for the summary of a job or a comment.

use std::fmt;
use std::io::{self, Write};

use crate::Finding;
use crate::report::{Context, FormatRow, Group, counted, group_worst_first, printable, view};

/// Maximum characters of a report; [GitHub][limit] refuses comments of more than 65,536 characters.
///
/// [limit]: https://github.com/orgs/community/discussions/27190
const MAX_REPORT: usize = 60_000;

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "markdown", summary: "A table in Markdown", write };

fn write(findings: &[Finding], context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut text = format!("## Audit of links\n\n{}\n", context.summary(findings));
    if let Some(diff) = context.diff {
        text.extend([format!("\n{}\n", diff.summary())]);
    }
    text.extend(context.coverage.remarks().map(|remark| format!("\n{remark}\n")));
    let groups = group_worst_first(findings);
    if !groups.is_empty() {
        text += "\n| Level | Rule | Place | Reference | Message |\n|---|---|---|---|---|\n";
    }
    let left_out = |targets: usize| format!("\n{} left out\n", counted(targets as u64, "target"));
    let room = MAX_REPORT.saturating_sub(text.chars().count() + left_out(groups.len()).len());
    let (mut length, mut rows) = (0, 0);
    for group in &groups {
        let row = format_row(group);
        length += row.chars().count();
        if length > room {
            text += &left_out(groups.len() - rows);
            break;
        }
        text += &row;
        rows += 1;
    }
    out.write_all(text.as_bytes())
}

fn format_row(group: &Group<'_>) -> String {
    let finding = group.first;
    let mut position = format_code(&view::format_position(finding));
    if let Some(source) = view::format_source_position(finding) {
        position = format!("{} ({position})", format_code(&source));
    }
    if group.pages > 1 {
        let pages = counted(group.pages as u64, group.noun);
        position = format!("on {pages}, first {position}");
    } else if group.finding_count() > 1 {
        position = format!("{} times, first {position}", group.finding_count());
    }
    let reference =
        finding.reference.as_deref().map_or(String::new(), |text| format_code(&printable(text)));
    let mut message = mark_code(&printable(&finding.message));
    if let Some(hint) = &finding.hint {
        message = format!("{message}; {}", mark_code(&printable(hint)));
    }
    let (level, rule) = (view::level_name(finding.level), finding.rule.id());
    format!("| {level} | `{rule}` | {position} | {reference} | {message} |\n")
}

/// Formats a text as a code span, or as a `code` element with character references if it contains
/// characters that would end the span or the cell.
fn format_code(text: &str) -> String {
    if !text.is_empty() && !text.contains(['`', '|', '\\']) && text.trim() == text {
        return format!("`{text}`");
    }
    format!("<code>{}</code>", escape_markup(text))
}

/// Formats a message for Markdown: its quoted values become code, and the rest is escaped.
fn mark_code(text: &str) -> String {
    let (mut marked, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(" '") {
        let is_end = |at: &usize| !after[at + 1..].starts_with(char::is_alphanumeric);
        let mut quotes = after.match_indices('\'').map(|(at, _)| at);
        let Some(end) = quotes.find(is_end) else { break };
        marked.extend([&escape_markup(before), " ", &format_code(&after[..end])]);
        rest = &after[end + 1..];
    }
    marked + &escape_markup(rest)
}

/// Escapes markup, and what code hosts turn into links: mentions of users and issues, and URLs.
fn escape_markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut word = String::new();
    while let Some(c) = rest.next() {
        match c {
            // Code hosts search for mentions in rendered text; an empty comment interrupts them.
            '@' => escaped.push_str("&#64;<!-- -->"),
            '#' if rest.peek().is_some_and(char::is_ascii_digit) => {
                escaped.push_str("&#35;<!-- -->");
            }
            ':' if rest.peek() == Some(&'/') => escaped.push_str("&#58;<!-- -->"),
            '.' if word.eq_ignore_ascii_case("www") => escaped.push_str("&#46;<!-- -->"),
            '&' | '<' | '>' | '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '~' | '$' | '!' => {
                let _ = fmt::Write::write_fmt(&mut escaped, format_args!("&#{};", u32::from(c)));
            }
            c => escaped.push(c),
        }
        if c.is_ascii_alphanumeric() { word.push(c) } else { word.clear() }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use crate::{Level, Rule};

    use super::*;
    use crate::report::format::Format;
    use crate::report::tests::{assert_harmless, broken, finding, hostile, report, with_source};

    #[test]
    fn a_target_is_a_row() {
        let mut bad = broken("a", "x");
        bad.hint = Some("did you mean y_z?".to_owned());
        let findings = [bad, broken("b", "x"), finding(Rule::BadTel, Level::Warn, "c")];
        assert_eq!(
            report(Format::Markdown, &findings),
            "## Audit of links\n\n\
             2 errors, 1 warning on 3 pages; checked 1,200 pages with 1 link\n\n\
             | Level | Rule | Place | Reference | Message |\n|---|---|---|---|---|\n\
             | error | `broken-link` | on 2 pages, first `a:1:9` | `x` | nothing is at x; did \
             you mean y&#95;z? |\n\
             | warning | `bad-tel` | `c` |  | it is wrong |\n"
        );
        assert_eq!(
            report(Format::Markdown, &[]),
            "## Audit of links\n\nno findings; checked 1,200 pages with 1 link\n"
        );
    }

    #[test]
    fn a_source_is_named_before_its_page() {
        let report = report(Format::Markdown, &[with_source(broken("a", "x"))]);
        assert!(report.contains("| `docs/a,b.md:7` (`a:1:9`) |"), "{report}");
    }

    #[test]
    fn nothing_is_markup() {
        let row = |text: &str, expected: &str| assert_eq!(escape_markup(text), expected);
        row("a.html", "a.html");
        row("[x](y)", "&#91;x&#93;(y)");
        row("<b>&amp;", "&#60;b&#62;&#38;amp;");
        row("@me #1", "&#64;<!-- -->me &#35;<!-- -->1");
        row("no anchor '#top' ##[group]", "no anchor '#top' ##&#91;group&#93;");
        row("http://h: WWW.h", "http&#58;<!-- -->//h: WWW&#46;<!-- -->h");
        row(
            "*a* _b_ ~c~ `d` $e$ !f",
            "&#42;a&#42; &#95;b&#95; &#126;c&#126; &#96;d&#96; &#36;e&#36; &#33;f",
        );
        let row = |text: &str, expected: &str| assert_eq!(format_code(text), expected);
        row("a b@*<script>", "`a b@*<script>`");
        row("a|b", "<code>a&#124;b</code>");
        row("a`b", "<code>a&#96;b</code>");
        row("a\\", "<code>a&#92;</code>");
        row(" a", "<code> a</code>");
        row("", "<code></code>");
        let row = |text: &str, expected: &str| assert_eq!(mark_code(text), expected);
        row("no anchor '#1-x_y'; see 'b' and 'c", "no anchor `#1-x_y`; see `b` and 'c");
        row("it's '@me's', '`'", "it's `@me's`, <code>&#96;</code>");
    }

    #[test]
    fn a_long_table_says_what_is_left_out() {
        let findings: Vec<Finding> = (0..2000)
            .map(|number| finding(Rule::DuplicateId, Level::Warn, &format!("{number:04}")))
            .collect();
        let report = report(Format::Markdown, &findings);
        let rows = report.lines().filter(|line| line.starts_with("| warning")).count();
        assert!((59_900..=60_000).contains(&report.chars().count()), "{}", report.len());
        assert!(report.ends_with(&format!(" |\n\n{} targets left out\n", 2000 - rows)));
    }

    #[test]
    fn hostile_texts_stay_in_their_cells() {
        let report = report(Format::Markdown, &[hostile()]);
        assert_harmless(&report);
        let row = report.lines().last().unwrap();
        assert_eq!(row.matches('|').count(), 6, "{row}");
        let tags = row.replace("<code>", "").replace("</code>", "").replace("<!-- -->", "");
        assert!(!tags.contains(['<', '>', '@', '[', '*', '\\']), "{row}");
    }
}
