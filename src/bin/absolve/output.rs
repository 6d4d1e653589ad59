//! Results on stdout, messages on stderr.

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::fmt::{self, Display};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use absolve::batch::{Outcome, Report, Skip};
use absolve::url::masked;

use crate::args::{Args, ColorArg};
use crate::failure::Failure;
use crate::rewrite::Colour;
use crate::seen::Seen;
use crate::workflow_commands::without_commands;

/// How results and messages look.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    pub(crate) messages: Messages,
    color: ColorArg,
}

impl Output {
    pub(crate) fn new(args: &Args) -> Self {
        Self { messages: Messages::new(args), color: args.color }
    }

    /// Whether results are coloured.
    pub(crate) fn colour(self) -> Colour {
        let is_wanted = match self.color {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto => is_coloured(|name| env::var_os(name), io::stdout().is_terminal()),
        };
        if is_wanted { Colour::Yes } else { Colour::No }
    }
}

/// Whether output is coloured without `--color`: by [`NO_COLOR`][no], [`FORCE_COLOR`][force],
/// [`CLICOLOR_FORCE` and `CLICOLOR`][cli], `TERM` and the terminal, the first of them that says.
///
/// NOTE: `FORCE_COLOR=0` forces nothing, as with the Node tools that introduced it.
///
/// [no]: https://no-color.org
/// [force]: https://force-color.org
/// [cli]: https://bixense.com/clicolors/
fn is_coloured(variable: impl Fn(&str) -> Option<OsString>, is_terminal: bool) -> bool {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let is = |name, value: &str| variable(name).is_some_and(|set| set == value);
    let forces = |name| is_set(name) && !is(name, "0");
    match () {
        () if is_set("NO_COLOR") => false,
        () if forces("FORCE_COLOR") || forces("CLICOLOR_FORCE") => true,
        () => is_terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb"),
    }
}

/// Messages on stderr; one that cannot be written is lost, and is no reason to
/// stop.
#[derive(Clone, Copy)]
pub(crate) struct Messages {
    level: Level,
}

/// Whether `--quiet` hides a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    Warning,
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Quiet,
    Normal,
    Verbose,
}

impl Messages {
    fn new(args: &Args) -> Self {
        let level = match (args.quiet, args.verbose) {
            (true, _) => Level::Quiet,
            (false, true) => Level::Verbose,
            (false, false) => Level::Normal,
        };
        Self { level }
    }

    /// Says why the command failed, also with `--quiet`. No message shows a password.
    pub(crate) fn error(message: impl Display) {
        Self::line(format_args!("absolve: {}", self::message(&message.to_string())));
    }

    /// Writes a line for a program to read, also with `--quiet`.
    pub(crate) fn line(line: impl Display) {
        let _ = writeln!(io::stderr(), "{line}");
    }

    /// Says what the user should know, unless `--quiet`.
    pub(crate) fn warning(self, message: impl Display) {
        if self.level > Level::Quiet {
            Self::error(message);
        }
    }

    /// Reports a problem that is an error only by an option.
    pub(crate) fn report(self, severity: Severity, message: impl Display) {
        match severity {
            Severity::Warning => self.warning(message),
            Severity::Error => Self::error(message),
        }
    }

    pub(crate) fn are_quiet(self) -> bool {
        self.level == Level::Quiet
    }

    pub(crate) fn are_verbose(self) -> bool {
        self.level == Level::Verbose
    }

    /// What is to be said of one document of many, unless `--quiet`: that it could not
    /// be read, that its base does not count, or why it was passed over.
    pub(crate) fn notes(self, report: &Report, name: impl Fn() -> String) -> Vec<String> {
        let mut notes = Vec::new();
        if self.are_quiet() {
            return notes;
        }
        for seen in report.documents.iter().flat_map(Seen::all) {
            notes.extend(seen.notes(&name()));
        }
        match &report.outcome {
            // What is no file of documents is only counted.
            Outcome::Skipped(Skip::Special) if !self.are_verbose() => {}
            Outcome::Skipped(skip) => notes.push(format!("{}: skipped: {skip}", name())),
            _ => {}
        }
        notes
    }

    /// Says what was done, with `--verbose`.
    pub(crate) fn detail(self, message: impl Display) {
        if self.level == Level::Verbose {
            Self::error(message);
        }
    }
}

/// Writes results to stdout through `write`, and all of them before it returns.
pub(crate) fn to_stdout(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let stdout = io::stdout().lock();
    let written = if stdout.is_terminal() {
        // Line by line, as they come.
        let mut stdout = stdout;
        write(&mut stdout).and_then(|()| stdout.flush())
    } else {
        let mut stdout = BufWriter::new(stdout);
        write(&mut stdout).and_then(|()| stdout.flush())
    };
    written.map_err(|error| Failure::output(&error))
}

/// Who reads stdout.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A person, at a terminal.
    Person,
    /// A program, through a pipe or a file.
    Program,
}

impl Reader {
    /// The reader of stdout.
    pub(crate) fn of_stdout() -> Self {
        if io::stdout().is_terminal() { Self::Person } else { Self::Program }
    }

    /// Bytes from documents and file names: as they are for a program, escaped for a person.
    pub(crate) fn shown(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Person => {
                let text = String::from_utf8_lossy(bytes);
                // A tab moves the cursor no further than the text.
                let cells = text.split('\t').map(printable);
                Cow::Owned(cells.collect::<Vec<_>>().join("\t").into_bytes())
            }
            Self::Program => Cow::Borrowed(bytes),
        }
    }
}

/// Writes a path to stdout, and ends the line.
pub(crate) fn path_to_stdout(path: &Path) -> Result<(), Failure> {
    let reader = Reader::of_stdout();
    to_stdout(|out| {
        match reader {
            Reader::Person => out.write_all(printable(&path.to_string_lossy()).as_bytes())?,
            Reader::Program => out.write_all(path.as_os_str().as_encoded_bytes())?,
        }
        out.write_all(b"\n")
    })
}

/// Text for a person to read: what could move the cursor or end the line is
/// shown as an escape.
pub(crate) fn printable(text: &str) -> String {
    // Most texts are of such characters alone, and a report has many texts.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    text.chars()
        .flat_map(|c| {
            let escaped = !is_harmless(c);
            let (escape, plain) =
                if escaped { (Some(c.escape_default()), None) } else { (None, Some(c)) };
            escape.into_iter().flatten().chain(plain)
        })
        .collect()
}

/// A message as it is shown: without passwords, and with values and the whole cut to what can be
/// read.
pub(crate) fn message(text: &str) -> String {
    /// More than any message has whose values are short.
    const LONGEST: usize = 4000;
    /// A value beyond it is cut; what a path and a URL begin and end with says most.
    const VALUE: usize = 256;
    let masked = masked(text);
    let masked = without_commands(&masked);
    let mut shown = String::new();
    for word in masked.split_inclusive(' ') {
        if shown.len() > LONGEST {
            shown.truncate(shown.trim_end().len());
            shown.push('…');
            break;
        }
        let (word, space) = word.strip_suffix(' ').map_or((word, ""), |word| (word, " "));
        if word.len() <= VALUE {
            shown.extend([word, space]);
            continue;
        }
        let is_boundary = |at: &usize| word.is_char_boundary(*at);
        let first = (0..=VALUE / 2).rev().find(is_boundary).unwrap_or(0);
        let last = (word.len() - VALUE / 2..word.len()).find(is_boundary).unwrap_or(word.len());
        shown.extend([&word[..first], "…", &word[last..], space]);
    }
    shown
}

/// Whether a character neither moves the cursor, nor ends the line, nor turns the
/// direction of text.
pub(crate) fn is_harmless(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !(turns || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// The name that may have been meant, where one is near: by one edit, such as two letters that
/// changed places, or by its beginning.
pub(crate) fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    /// By [Jaro and Winkler](https://en.wikipedia.org/wiki/Jaro-Winkler_distance), to
    /// whom the same beginning counts most: 1 is the same, 0 has nothing in common.
    const NEAR: f64 = 0.85;
    /// In a shorter name, one edit is too much of it.
    const SHORTEST: usize = 3;
    names
        .map(|name| {
            let is_one_edit =
                text.chars().count() >= SHORTEST && strsim::osa_distance(text, name) == 1;
            (is_one_edit, strsim::jaro_winkler(text, name), name)
        })
        .filter(|(is_one_edit, likeness, _)| *is_one_edit || *likeness > NEAR)
        .max_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)))
        .map(|(.., name)| name)
}

/// Said of a page in an encoding that no decoder reads.
pub(crate) const UNREADABLE: &str = "its encoding is one that browsers refuse to read, it stays as it is; give another with --encoding";

/// Columns as wide as their widest cell; the last one is as long as it is.
#[derive(Default)]
pub(crate) struct Columns {
    widths: Vec<usize>,
}

impl Columns {
    /// A cell that is longer pushes the others instead of widening the column.
    const WIDEST: usize = 60;

    /// Makes the columns wide enough for a row.
    pub(crate) fn fit(&mut self, row: &[String]) {
        self.widths.resize(self.widths.len().max(row.len()), 0);
        for (width, cell) in self.widths.iter_mut().zip(row) {
            *width = cell.chars().count().min(Self::WIDEST).max(*width);
        }
    }

    /// Writes a row.
    pub(crate) fn write(&self, out: &mut dyn Write, row: &[String]) -> io::Result<()> {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&self.widths) {
            let _ = fmt::Write::write_fmt(&mut line, format_args!("{cell:width$}  "));
        }
        writeln!(out, "{}", without_commands(line.trim_end()))
    }
}

/// Writes rows with their columns aligned.
pub(crate) fn write_aligned(out: &mut dyn Write, rows: &[Vec<String>]) -> io::Result<()> {
    let mut columns = Columns::default();
    for row in rows {
        columns.fit(row);
    }
    rows.iter().try_for_each(|row| columns.write(out, row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn colours(set: &[(&str, &str)], on_terminal: bool, elsewhere: bool) {
        let variable =
            |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        let both = (is_coloured(variable, true), is_coloured(variable, false));
        assert_eq!(both, (on_terminal, elsewhere), "{set:?}");
    }

    #[test]
    fn a_message_repeats_no_long_value() {
        for text in ["", "a: cannot read 'b'\n  c", &"x".repeat(256)] {
            assert_eq!(message(text), text);
        }
        let (one, other) = ("é".repeat(64), "z".repeat(128));
        let long = format!("{one}{}{other}", "é".repeat(100_000));
        assert_eq!(message(&format!("a {long} b")), format!("a {one}…{other} b"));
        let many = message(&"a b ".repeat(100_000));
        assert!(many.ends_with('…') && many.len() < 5000, "{many}");
    }

    #[test]
    fn a_near_name_is_one_edit_away_or_begins_alike() {
        let near = |text| nearest(text, ["src", "href", "srcset", "url", "id"].into_iter());
        for (text, name) in [
            ("scr", Some("src")),
            ("hrf", Some("href")),
            ("herf", Some("href")),
            ("urls", Some("url")),
            ("uri", Some("url")),
            ("srcse", Some("srcset")),
            ("srcs", Some("src")),
            ("xd", None),
            ("title", None),
        ] {
            assert_eq!(near(text), name, "{text}");
        }
    }

    #[test]
    fn the_environment_decides_on_colours() {
        colours(&[], true, false);
        colours(&[("TERM", "xterm")], true, false);
        colours(&[("TERM", "dumb")], false, false);
        colours(&[("NO_COLOR", "1")], false, false);
        colours(&[("NO_COLOR", "")], true, false);
        colours(&[("FORCE_COLOR", "1")], true, true);
        colours(&[("FORCE_COLOR", "")], true, false);
        colours(&[("FORCE_COLOR", "0")], true, false);
        colours(&[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], true, true);
        colours(&[("CLICOLOR_FORCE", "0")], true, false);
        colours(&[("CLICOLOR", "0")], false, false);
        colours(&[("CLICOLOR", "1")], true, false);
        colours(&[("CLICOLOR", "0"), ("CLICOLOR_FORCE", "1")], true, true);
        colours(&[("NO_COLOR", "1"), ("FORCE_COLOR", "1")], false, false);
    }
}
