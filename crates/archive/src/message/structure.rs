//! Finds the spans of the parts of a message
//! ([RFC 2046 section 5.1](https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1)).
//!
//! mail-parser does not find the structure: it accepts a boundary in the middle of a line, misses
//! the boundary of an outer part in an inner one, and decodes every part. Here a delimiter is a
//! whole line, trailing white space allowed, and ends every part inside the multipart that has the
//! boundary. Time is linear in the length of the file, and there is no recursion.

use std::collections::HashMap;
use std::ops::Range;

use absolve::{Error, Limit, Limits, Location};
use memchr::{memchr, memmem};

use super::header::{DefaultMedia, Header, Media};
use crate::error::no_message_error;

/// An entity of RFC 2046, the message or a part of it, with its span in the file.
#[derive(Debug)]
pub(super) struct Entity {
    /// The number of the part that contains it.
    pub(super) parent: Option<usize>,
    pub(super) header: Header,
    pub(super) body: Range<usize>,
}

/// Finds the parts of a message, in the order of their starts. A part that reaches a limit is
/// reported in `failures`, and its content is skipped.
///
/// # Errors
///
/// If the file does not begin with a header field.
pub(super) fn find_parts(
    file: &[u8],
    limits: &Limits,
    failures: &mut Vec<Error>,
) -> Result<Vec<Entity>, Error> {
    let mut scan = PartScan {
        file,
        limits,
        parts: Vec::new(),
        open: Vec::new(),
        owners: HashMap::new(),
        failures,
    };
    // Some programs write empty lines or a byte order mark in front of a message.
    let text = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let start = file.len() - text.trim_ascii_start().len();
    let mut at = scan.begin_part(start, None);
    if scan.failures.is_empty() && !scan.parts[0].header.has_fields {
        return Err(no_message_error());
    }
    let finder = memmem::Finder::new(b"\n--");
    loop {
        let rest = &file[at..];
        let start = if rest.starts_with(b"--") {
            at
        } else if let Some(end) = finder.find(rest) {
            at + end + 1
        } else {
            break;
        };
        at = start + line_len(&file[start..]);
        if let Some((owner, end)) = scan.find_delimiter(&file[start..at]) {
            scan.end_parts_inside(owner, start);
            match end {
                Delimiter::Between if scan.check_room(at) => at = scan.begin_part(at, Some(owner)),
                Delimiter::Between => break,
                Delimiter::Close => scan.forget_boundary(owner),
            }
        }
    }
    scan.end_parts_from(0, file.len());
    Ok(scan.parts)
}

/// The search for delimiters, with the parts found so far.
struct PartScan<'s> {
    file: &'s [u8],
    limits: &'s Limits,
    parts: Vec<Entity>,
    /// The open parts, each inside the one before it.
    open: Vec<usize>,
    /// The open multiparts by their boundaries, the innermost last.
    owners: HashMap<Vec<u8>, Vec<usize>>,
    failures: &'s mut Vec<Error>,
}

impl PartScan<'_> {
    /// Begins a part. If it is a message, also begins the message inside, and so on. Returns the
    /// offset at which the search for delimiters continues.
    fn begin_part(&mut self, mut start: usize, mut parent: Option<usize>) -> usize {
        loop {
            let number = self.parts.len();
            let (header, end) = match self.read_header(start, parent) {
                Ok(header) => header,
                Err(error) => {
                    self.failures.push(error.in_part(number, |byte| byte));
                    (Header::default(), start)
                }
            };
            if let Media::Multipart { boundary, .. } = &header.media {
                self.owners.entry(boundary.clone()).or_default().push(number);
            }
            self.parts.push(Entity { parent, header, body: end..end });
            self.open.push(number);
            let is_message = self.parts[number].header.media == Media::Message;
            if !is_message || !self.check_room(end) {
                return end;
            }
            (start, parent) = (end, Some(number));
        }
    }

    /// Whether the limit allows another part; reports the limit once.
    fn check_room(&mut self, start: usize) -> bool {
        let max = self.limits.parts;
        let has_room = !Limits::exceeds(max, self.parts.len() + 1);
        let is_reported =
            || self.failures.iter().any(|failure| failure.limit_reached() == Some(Limit::Parts));
        if !has_room && !is_reported() {
            self.failures.push(Error::limit(Limit::Parts, max, Some(Location::Byte(start))));
        }
        has_room
    }

    /// Reads the header that begins at `start`, and returns it with its end.
    fn read_header(&self, start: usize, parent: Option<usize>) -> Result<(Header, usize), Error> {
        let max = self.limits.part_depth;
        if Limits::exceeds(max, self.open.len()) {
            return Err(Error::limit(Limit::PartDepth, max, Some(Location::Byte(start))));
        }
        let default_media = match parent.map(|parent| &self.parts[parent].header.media) {
            Some(Media::Multipart { part_default, .. }) => *part_default,
            _ => DefaultMedia::Text,
        };
        let end = self.find_header_end(start)?;
        let header = Header::parse(&self.file[start..end], start, default_media);
        if header.is_type_too_long {
            let why = "its Content-Type exceeds 4096 bytes and is not read; it was left as it was";
            return Err(Error::other(why));
        }
        Ok((header, end))
    }

    /// Finds the end of a header: after an empty line, or in front of a delimiter.
    fn find_header_end(&self, start: usize) -> Result<usize, Error> {
        let max = self.limits.header;
        let mut at = start;
        while at < self.file.len() {
            let end = at + line_len(&self.file[at..]);
            if Limits::exceeds(max, end - start) {
                return Err(Error::limit(Limit::Header, max, Some(Location::Byte(start))));
            }
            let line = &self.file[at..end];
            if line.starts_with(b"--") && self.find_delimiter(line).is_some() {
                break;
            }
            at = end;
            if matches!(line, b"\n" | b"\r\n") {
                break;
            }
        }
        Ok(at)
    }

    /// Returns the open multipart whose delimiter a line is, and the kind of delimiter.
    fn find_delimiter(&self, line: &[u8]) -> Option<(usize, Delimiter)> {
        let owner = |name| self.owners.get(name).and_then(|owners| owners.last());
        parse_delimiter(line).into_iter().find_map(|(name, end)| Some((*owner(name)?, end)))
    }

    /// Ends every open part inside `owner`, in front of the delimiter at offset `at`.
    fn end_parts_inside(&mut self, owner: usize, at: usize) {
        // The line end in front of a delimiter belongs to it.
        let before = self.file[..at].strip_suffix(b"\n").unwrap_or(&self.file[..at]);
        let end = before.strip_suffix(b"\r").unwrap_or(before).len();
        let first = self.open.iter().rposition(|&open| open == owner);
        self.end_parts_from(first.map_or(0, |first| first + 1), end);
    }

    /// Ends the open parts from the one at index `first` on.
    fn end_parts_from(&mut self, first: usize, end: usize) {
        for number in self.open.split_off(first).into_iter().rev() {
            self.forget_boundary(number);
            let body = &mut self.parts[number].body;
            body.end = end.max(body.start);
        }
    }

    /// Drops the boundary of a multipart after its last part.
    fn forget_boundary(&mut self, number: usize) {
        let Media::Multipart { boundary, .. } = &self.parts[number].header.media else { return };
        if let Some(owners) = self.owners.get_mut(boundary) {
            // With equal boundaries, the innermost part ends first.
            owners.pop_if(|&mut owner| owner == number);
        }
    }
}

/// Whether a text contains a line that is a delimiter of one of these boundaries.
pub(super) fn contains_delimiter(text: &[u8], boundaries: &[&[u8]]) -> bool {
    let starts = memmem::find_iter(text, b"\n--").map(|at| at + 1);
    let starts = starts.chain(text.starts_with(b"--").then_some(0));
    starts.into_iter().any(|start| {
        let line = &text[start..start + line_len(&text[start..])];
        parse_delimiter(line).into_iter().any(|(name, _)| boundaries.contains(&name))
    })
}

/// The kinds of delimiter lines of a multipart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    /// Ends the part before it; another part follows.
    Between,
    /// Ends the last part; `--` follows the boundary.
    Close,
}

/// Lists the boundaries that a line with `--` may contain, and the kind of delimiter of each. A
/// boundary may end with `--` itself, so there are two readings.
pub(super) fn parse_delimiter(line: &[u8]) -> [(&[u8], Delimiter); 2] {
    let name = line.trim_ascii_end().get(2..).unwrap_or_default();
    [(name, Delimiter::Between), (name.strip_suffix(b"--").unwrap_or_default(), Delimiter::Close)]
}

/// Returns the length of the first line, with its line end.
pub(super) fn line_len(text: &[u8]) -> usize {
    memchr(b'\n', text).map_or(text.len(), |end| end + 1)
}

/// Detects the newline of a text, CR LF or LF, by its first line.
pub(super) fn detect_newline(text: &[u8]) -> Option<&'static [u8]> {
    let end = memchr(b'\n', text)?;
    Some(if text[..end].ends_with(b"\r") { b"\r\n" } else { b"\n" })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the parent and the body of each part.
    #[track_caller]
    fn assert_parts(file: &str, expected: &[(Option<usize>, &str)]) {
        for ending in ["\n", "\r\n"] {
            let file = file.replace('\n', ending);
            let mut failures = Vec::new();
            let parts = find_parts(file.as_bytes(), &Limits::default(), &mut failures).unwrap();
            assert_eq!(failures, []);
            let found: Vec<_> = parts
                .iter()
                .map(|part| (part.parent, file[part.body.clone()].replace("\r\n", "\n")))
                .collect();
            let found: Vec<_> =
                found.iter().map(|(parent, body)| (*parent, body.as_str())).collect();
            assert_eq!(found, expected, "{file:?}");
        }
    }

    const MIXED: &str = "Content-Type: multipart/mixed; boundary=b\n\n";

    #[test]
    fn a_delimiter_is_a_whole_line() {
        assert_parts("A: b\n\nbody\n--b\n", &[(None, "body\n--b\n")]);
        let body = "x\n--b\nA: b\n\none\n--bc\nx--b\n --b\n--b \t\n\ntwo\n--b--  \nend\n--b\n";
        assert_parts(
            &format!("{MIXED}{body}"),
            &[(None, body), (Some(0), "one\n--bc\nx--b\n --b"), (Some(0), "two")],
        );
        let body = "--b\n--b\n\n\n--b";
        assert_parts(
            &format!("{MIXED}{body}"),
            &[(None, body), (Some(0), ""), (Some(0), ""), (Some(0), "")],
        );
        assert_parts(
            &format!("{MIXED}--b\nA: b\n--b--"),
            &[(None, "--b\nA: b\n--b--"), (Some(0), "")],
        );
    }

    #[test]
    fn an_outer_delimiter_ends_inner_parts() {
        let inner = "Content-Type: multipart/related; boundary=c\n\n--c\n\none\n";
        let body = format!("--b\n{inner}--b\n\ntwo\n--c\n--b--\n");
        assert_parts(
            &format!("{MIXED}{body}"),
            &[(None, &body), (Some(0), "--c\n\none"), (Some(1), "one"), (Some(0), "two\n--c")],
        );
        // If two multiparts have one boundary, the inner one counts.
        let body = format!("--b\n{MIXED}--b\n\none\n--b--\n--b\n\ntwo\n--b--");
        assert_parts(
            &format!("{MIXED}{body}"),
            &[(None, &body), (Some(0), "--b\n\none\n--b--"), (Some(1), "one"), (Some(0), "two")],
        );
    }

    #[test]
    fn a_message_is_inside_its_part() {
        let message = "Content-Type: message/rfc822\n\nA: b\n\nbody";
        assert_parts(message, &[(None, "A: b\n\nbody"), (Some(0), "body")]);
        let digest = "Content-Type: multipart/digest; boundary=b\n\n";
        let body = "--b\n\nA: b\n\nbody\n--b--";
        assert_parts(
            &format!("{digest}{body}"),
            &[(None, body), (Some(0), "A: b\n\nbody"), (Some(1), "body")],
        );
    }

    #[track_caller]
    fn assert_limit(file: &str, expected: Limit) {
        let mut failures = Vec::new();
        find_parts(file.as_bytes(), &Limits::default(), &mut failures).unwrap();
        let reached = failures.iter().map(Error::limit_reached);
        assert!(!failures.is_empty() && reached.into_iter().all(|limit| limit == Some(expected)));
    }

    #[test]
    fn hostile_messages_reach_a_limit() {
        assert_limit(&"Content-Type: message/rfc822\n\n".repeat(1000), Limit::PartDepth);
        assert_limit(&MIXED.replace("\n\n", "\n\n--b\n").repeat(1000), Limit::PartDepth);
        assert_limit(&format!("{MIXED}{}", "--b\n".repeat(100_000)), Limit::Parts);
        assert_limit(&"A: b\n".repeat(300_000), Limit::Header);
        assert_limit(&format!("A: {}", "b".repeat(2_000_000)), Limit::Header);
        assert_limit(&format!("{MIXED}--b\n{}", "A: b\n ".repeat(300_000)), Limit::Header);
    }

    #[test]
    fn a_file_without_a_header_is_no_message() {
        for file in [
            "",
            "\n\n",
            "<html>\n</html>",
            "<a>\nA: b",
            "<!--a:b-->",
            "A",
            "\n\nA: b",
            "\u{feff}A: b",
        ] {
            let error = find_parts(file.as_bytes(), &Limits::default(), &mut Vec::new());
            assert_eq!(
                error.is_err(),
                !file.ends_with("A: b") || file.starts_with('<'),
                "{file:?}"
            );
        }
    }
}
