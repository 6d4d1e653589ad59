//! Shows changes as a unified diff.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::{env, iter};

use absolve_site::report::Color;
use similar::{DiffOp, group_diff_ops};

use crate::terminal::StdoutReader;

/// Lines of context around a change.
const CONTEXT_LINES: usize = 3;

/// Names files in diffs, by their canonical paths relative to the current folder, where `git apply`
/// and `patch -p1` find them. Both reject `..`, and git rejects symbolic links.
///
/// A file outside the current folder has its path from the root folder, for `git -C / apply` and
/// `patch -d / -p1`.
pub struct DiffNames {
    current: Option<PathBuf>,
}

impl DiffNames {
    pub fn new() -> Self {
        Self { current: env::current_dir().and_then(|current| current.canonicalize()).ok() }
    }

    pub fn name(&self, path: &Path) -> PathBuf {
        // The file may have been deleted since it was read.
        let Ok(real) = path.canonicalize() else { return path.to_owned() };
        let inside = self.current.as_ref().and_then(|current| real.strip_prefix(current).ok());
        inside.map_or_else(|| real.clone(), Path::to_owned)
    }
}

/// Returns the unified diff of a document as git writes it; `git apply` and `patch -p1` take it.
///
/// A program gets the exact bytes. For a person, characters that would move the cursor are escaped.
pub fn unified_diff(
    path: &OsStr,
    (old, new): (&[u8], &[u8]),
    color: Color,
    reader: StdoutReader,
) -> Vec<u8> {
    let (old, new) = (split_lines(old), split_lines(new));
    let mut out = Vec::new();
    let mut add_line = |ansi: &str, parts: &[&[u8]]| {
        let text = parts.concat();
        let (text, end) = match text.strip_suffix(b"\n") {
            Some(text) => (text, &b"\n"[..]),
            None => (&text[..], &b"\n\\ No newline at end of file\n"[..]),
        };
        // A carriage return at the end of a line does not move the cursor.
        let (text, return_) = match text.strip_suffix(b"\r") {
            Some(text) => (text, &b"\r"[..]),
            None => (text, &b""[..]),
        };
        let text = [&reader.show(text), return_].concat();
        if color == Color::Yes && !ansi.is_empty() {
            out.extend([ansi.as_bytes(), &text, b"\x1b[0m", end].concat());
        } else {
            out.extend([&text, end].concat());
        }
    };
    add_line("\x1b[1m", &[b"--- ", &quote_name("a", path), b"\n"]);
    add_line("\x1b[1m", &[b"+++ ", &quote_name("b", path), b"\n"]);
    for group in group_diff_ops(find_changes(&old, &new), CONTEXT_LINES) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let old_range = format_range(first.old_range().start, last.old_range().end);
        let new_range = format_range(first.new_range().start, last.new_range().end);
        add_line("\x1b[36m", &[format!("@@ -{old_range} +{new_range} @@\n").as_bytes()]);
        for op in group {
            if let DiffOp::Equal { .. } = op {
                op.old_range().for_each(|at| add_line("", &[b" ", old[at]]));
                continue;
            }
            op.old_range().for_each(|at| add_line("\x1b[31m", &[b"-", old[at]]));
            op.new_range().for_each(|at| add_line("\x1b[32m", &[b"+", new[at]]));
        }
    }
    out
}

/// Writes a name as `git apply` and `patch` read it: after `a/` or `b/`; in quotes if it is not
/// UTF-8, or has a character that would end the line or the name; and with a tab after it if it has
/// a space.
///
/// git accepts neither an empty component nor `.`: `/srv/./a.html` becomes `a/srv/a.html`.
fn quote_name(prefix: &str, path: &OsStr) -> Vec<u8> {
    let names = Path::new(path).components().filter_map(|component| match component {
        Component::RootDir | Component::CurDir => None,
        other => Some(other.as_os_str().as_encoded_bytes()),
    });
    let name = iter::once(prefix.as_bytes()).chain(names).collect::<Vec<_>>().join(&b'/');
    let is_utf_8 = std::str::from_utf8(&name).is_ok();
    let is_plain = |byte: u8| !byte.is_ascii_control() && (is_utf_8 || byte.is_ascii());
    if name.iter().all(|&byte| is_plain(byte) && !matches!(byte, b'"' | b'\\')) {
        let end: &[u8] = if name.contains(&b' ') { b"\t" } else { b"" };
        return [&name, end].concat();
    }
    let mut quoted = vec![b'"'];
    for &byte in &name {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', byte]),
            byte if is_plain(byte) => quoted.push(byte),
            byte => quoted.extend(format!("\\{byte:03o}").bytes()),
        }
    }
    quoted.push(b'"');
    quoted
}

/// Writes the range of a hunk: its first line, counted from 1, and its length unless that is 1. An
/// empty range has the line before it.
fn format_range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

/// Splits a document into lines, each with its end.
fn split_lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// Finds the lines that changed.
///
/// Links change within lines, so nearly always both texts have equally many lines, and each line is
/// compared with the line at its position, in linear time. If a changed value loses a line end,
/// everything between the first and the last change is shown as changed.
fn find_changes(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    let prefix_len = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rest = old[prefix_len..].iter().rev().zip(new[prefix_len..].iter().rev());
    let suffix_len = rest.take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - suffix_len, new.len() - suffix_len);
    let mut ops = Vec::new();
    push_equal(&mut ops, 0, 0, prefix_len);
    if old_end == new_end {
        let mut at = prefix_len;
        while at < old_end {
            let is_same = |at: &usize| old[*at] == new[*at];
            let equal = (at..old_end).take_while(is_same).count();
            push_equal(&mut ops, at, at, equal);
            at += equal;
            let changed = (at..old_end).take_while(|at| !is_same(at)).count();
            push_replaced(&mut ops, at, changed, at, changed);
            at += changed;
        }
    } else {
        push_replaced(&mut ops, prefix_len, old_end - prefix_len, prefix_len, new_end - prefix_len);
    }
    push_equal(&mut ops, old_end, new_end, suffix_len);
    ops
}

fn push_equal(ops: &mut Vec<DiffOp>, old_index: usize, new_index: usize, len: usize) {
    if len > 0 {
        ops.push(DiffOp::Equal { old_index, new_index, len });
    }
}

fn push_replaced(
    ops: &mut Vec<DiffOp>,
    old_index: usize,
    old_len: usize,
    new_index: usize,
    new_len: usize,
) {
    if old_len + new_len > 0 {
        ops.push(DiffOp::Replace { old_index, old_len, new_index, new_len });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str, color: Color, reader: StdoutReader) -> String {
        let texts = (old.as_bytes(), new.as_bytes());
        String::from_utf8(unified_diff(OsStr::new("a"), texts, color, reader)).unwrap()
    }

    #[track_caller]
    fn assert_diff(old: &str, new: &str, expected: &str) {
        let out = diff(old, new, Color::No, StdoutReader::Program);
        assert_eq!(out, format!("--- a/a\n+++ b/a\n{expected}"));
    }

    #[test]
    fn it_is_what_diff_prints() {
        assert_diff("a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        assert_diff(
            "a",
            "b",
            "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
        );
        assert_diff(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
            "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n",
        );
    }

    #[test]
    fn a_name_is_written_so_that_patch_reads_it() {
        let header = |name: &str| String::from_utf8(quote_name("b", OsStr::new(name))).unwrap();
        assert_eq!(header("d/a.html"), "b/d/a.html");
        assert_eq!(header("\u{e9} b.html"), "b/\u{e9} b.html\t");
        assert_eq!(header("a\n+++ b"), r#""b/a\012+++ b""#);
        assert_eq!(header(r#"a""#), r#""b/a\"""#);
        assert_eq!(header("./d//./a.html"), "b/d/a.html");
        assert_eq!(header("../a.html"), "b/../a.html");
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            assert_eq!(header("/srv/a\\b"), r#""b/srv/a\\b""#);
            assert_eq!(quote_name("a", OsStr::from_bytes(b"\xff\xe9")), br#""a/\377\351""#);
        }
    }

    #[test]
    fn a_removed_line_is_shown() {
        assert_diff("a\nb\nc\nd\n", "a\nbc\nd\n", "@@ -1,4 +1,3 @@\n a\n-b\n-c\n+bc\n d\n");
        assert_diff("a\nb\n", "a\n", "@@ -1,2 +1 @@\n a\n-b\n");
    }

    #[test]
    fn color_is_around_the_line() {
        let text = diff("b\n", "c\n", Color::Yes, StdoutReader::Program);
        assert!(text.contains("\x1b[31m-b\x1b[0m\n\x1b[32m+c\x1b[0m\n"), "{text:?}");
    }

    #[test]
    fn a_person_is_shown_what_would_move_the_cursor() {
        let old = "\u{1b}[2J\t\u{202e}\r\r\n";
        let text = diff(old, "c\r\n", Color::No, StdoutReader::Person);
        assert!(text.contains("\n-\\u{1b}[2J\t\\u{202e}\\r\r\n+c\r\n"), "{text:?}");
        let text = diff(old, "c\r\n", Color::No, StdoutReader::Program);
        assert!(text.contains(&format!("\n-{old}+c\r\n")), "{text:?}");
    }
}
