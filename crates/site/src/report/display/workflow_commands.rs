//! Removes workflow commands from text.
//!
//! The runners of GitHub and Azure read [commands][spec] from the log of a step: `::name::` at the
//! start of a line, and `##[name]` anywhere in it. Pages and file names choose parts of a text, so
//! that text for people never has commands.
//!
//! [spec]: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands

use std::borrow::Cow;
use std::io::{self, Write};

use crate::report::wrapped;

/// A text without commands: one character of each is escaped.
#[must_use]
pub fn without_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("##[") && !text.contains("::") {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let line = line.replace("##[", "#\\u{23}[");
        let rest = line.trim_start();
        if !rest.starts_with("::") {
            return line;
        }
        let (space, rest) = line.split_at(line.len() - rest.len());
        format!("{space}\\u{{3a}}{}", &rest[1..])
    });
    Cow::Owned(lines.collect())
}

/// Writes lines without commands, wrapped between words.
pub struct WithoutCommands<'w> {
    out: &'w mut dyn Write,
    /// The unfinished line.
    line: Vec<u8>,
    /// The columns of a line.
    width: usize,
}

impl<'w> WithoutCommands<'w> {
    #[must_use]
    pub fn new(out: &'w mut dyn Write, width: usize) -> Self {
        Self { out, line: Vec::new(), width }
    }
}

impl Write for WithoutCommands<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.flush()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let line = String::from_utf8_lossy(&self.line);
        let line = wrapped(&line, self.width, 2);
        self.out.write_all(without_commands(&line).as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_escaped() {
        for (text, shown) in [
            ("a: x::y ##vso[a] # #[b]\n", "a: x::y ##vso[a] # #[b]\n"),
            ("::error::x", "\\u{3a}:error::x"),
            ("a\n \t::set-env name=A::b\nc", "a\n \t\\u{3a}:set-env name=A::b\nc"),
            ("a ##[add-path]b ####[c]", "a #\\u{23}[add-path]b ###\\u{23}[c]"),
        ] {
            assert_eq!(without_commands(text), shown);
        }
    }

    #[test]
    fn a_line_is_looked_at_as_a_whole() {
        let mut out = Vec::new();
        let mut writer = WithoutCommands::new(&mut out, usize::MAX);
        for part in ["a #", "#", "[b]\n:", ":c\nd", " é\n"] {
            writer.write_all(part.as_bytes()).unwrap();
        }
        assert_eq!(String::from_utf8(out).unwrap(), "a #\\u{23}[b]\n\\u{3a}:c\nd é\n");
    }
}
