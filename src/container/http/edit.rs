//! Edits the fields of a head, and leaves its other bytes.

use memchr::memchr;

/// New values and names of fields in the head of a record or of a response.
#[derive(Debug, Default)]
pub(in super::super) struct HeadEdits {
    fields: Vec<(&'static str, FieldEdit)>,
    added: Vec<(Vec<u8>, Vec<u8>)>,
}

#[derive(Debug)]
enum FieldEdit {
    /// The value of the first field of this name; others of the name are removed.
    Set(String),
    /// The same, if the head has it.
    Replace(String),
    /// The value of the first field of this name; others of the name stay.
    ReplaceFirst(String),
    /// A prefix of the name.
    Prefix(&'static str),
}

impl HeadEdits {
    /// Sets a field; a missing one is added as the last.
    pub(in super::super) fn set(&mut self, name: &'static str, new: impl Into<String>) {
        self.fields.push((name, FieldEdit::Set(new.into())));
    }

    /// Sets a field if the head has it.
    pub(in super::super) fn replace(&mut self, name: &'static str, new: impl Into<String>) {
        self.fields.push((name, FieldEdit::Replace(new.into())));
    }

    /// Sets the first field of this name, if the head has it.
    pub(in super::super) fn replace_first(&mut self, name: &'static str, new: impl Into<String>) {
        self.fields.push((name, FieldEdit::ReplaceFirst(new.into())));
    }

    /// Writes `prefix` before the name of each field of this name.
    pub(in super::super) fn rename(&mut self, name: &'static str, prefix: &'static str) {
        self.fields.push((name, FieldEdit::Prefix(prefix)));
    }

    /// Adds a field as the last, whether or not the head has others of its name.
    pub(in super::super) fn add(&mut self, name: Vec<u8>, value: Vec<u8>) {
        self.added.push((name, value));
    }

    /// Writes `head`, up to its empty line or the end, with the edits. Its first line is not a
    /// field.
    pub(in super::super) fn write(&self, out: &mut Vec<u8>, head: &[u8]) {
        let mut is_set = vec![false; self.fields.len()];
        let mut is_removed = false;
        let mut lines = head.split_inclusive(|&byte| byte == b'\n');
        let first = lines.next().unwrap_or_default();
        out.extend_from_slice(first);
        let line_end: &[u8] =
            if first.ends_with(b"\n") && !first.ends_with(b"\r\n") { b"\n" } else { b"\r\n" };
        let mut last = None;
        for line in lines {
            if matches!(line, b"\n" | b"\r\n") {
                last = Some(line);
                break;
            }
            if line.starts_with(b" ") || line.starts_with(b"\t") {
                if !is_removed {
                    out.extend_from_slice(line);
                }
                continue;
            }
            let name = &line[..memchr(b':', line).unwrap_or(0)];
            is_removed = match self.edit(name) {
                Some((number, FieldEdit::ReplaceFirst(_))) if is_set[number] => {
                    out.extend_from_slice(line);
                    false
                }
                Some((
                    number,
                    FieldEdit::Set(new) | FieldEdit::Replace(new) | FieldEdit::ReplaceFirst(new),
                )) => {
                    if !std::mem::replace(&mut is_set[number], true) {
                        field(out, name, new.as_bytes(), line_end);
                    }
                    true
                }
                Some((_, FieldEdit::Prefix(prefix))) => {
                    out.extend_from_slice(prefix.as_bytes());
                    out.extend_from_slice(line);
                    false
                }
                None => {
                    out.extend_from_slice(line);
                    false
                }
            };
        }
        if !out.ends_with(b"\n") {
            out.extend_from_slice(line_end);
        }
        for ((name, edit), is_set) in self.fields.iter().zip(is_set) {
            if let (FieldEdit::Set(new), false) = (edit, is_set) {
                field(out, name.as_bytes(), new.as_bytes(), line_end);
            }
        }
        for (name, value) in &self.added {
            field(out, name, value, line_end);
        }
        out.extend_from_slice(last.unwrap_or_default());
    }

    fn edit(&self, name: &[u8]) -> Option<(usize, &FieldEdit)> {
        let name = name.trim_ascii();
        let is_named = |field: &&(&str, FieldEdit)| field.0.as_bytes().eq_ignore_ascii_case(name);
        let number = self.fields.iter().position(|field| is_named(&field))?;
        Some((number, &self.fields[number].1))
    }
}

/// Writes a field.
pub(in super::super) fn field(out: &mut Vec<u8>, name: &[u8], value: &[u8], line_end: &[u8]) {
    for part in [name, b": ", value, line_end] {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn edited(head: &str, expected: &str) {
        let mut edits = HeadEdits::default();
        edits.set("Content-Length", "7");
        edits.replace("Digest", "new");
        edits.rename("Content-Encoding", "X-Orig-");
        edits.add(b"T".to_vec(), b"u".to_vec());
        let mut out = Vec::new();
        edits.write(&mut out, head.as_bytes());
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn only_fields_with_edits_change() {
        edited(
            "HTTP/1.1 200 OK\r\nA : b\r\ncontent-length: 9\r\nContent-Encoding: br\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA : b\r\ncontent-length: 7\r\nX-Orig-Content-Encoding: br\r\nT: u\r\n\r\n",
        );
        edited("WARC/1.0\nA:b\n\n", "WARC/1.0\nA:b\nContent-Length: 7\nT: u\n\n");
        edited("WARC/1.0\r\nA:b", "WARC/1.0\r\nA:b\r\nContent-Length: 7\r\nT: u\r\n");
        edited("", "\r\nContent-Length: 7\r\nT: u\r\n");
    }

    #[test]
    fn the_other_fields_of_a_name_stay_if_the_first_is_replaced() {
        let mut edits = HeadEdits::default();
        edits.replace_first("Location", "http://h/");
        for (head, expected) in [
            (
                "H\r\nlocation: a\r\n b\r\nX: y\r\nLocation: c\r\n d\r\n\r\n",
                "H\r\nlocation: http://h/\r\nX: y\r\nLocation: c\r\n d\r\n\r\n",
            ),
            ("H\r\nX: y\r\n\r\n", "H\r\nX: y\r\n\r\n"),
        ] {
            let mut out = Vec::new();
            edits.write(&mut out, head.as_bytes());
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn an_edited_field_is_there_once_and_folded_lines_are_a_part_of_it() {
        edited(
            "W\r\nDigest: a\r\n b\r\nA: c\r\n d\r\nDIGEST: e\r\nno field\r\nContent-Length: 1\r\n\r\n",
            "W\r\nDigest: new\r\nA: c\r\n d\r\nno field\r\nContent-Length: 7\r\nT: u\r\n\r\n",
        );
        edited(
            "W\r\nContent-Encoding: gzip,\r\n br\r\nContent-Length: 1\r\n\r\n",
            "W\r\nX-Orig-Content-Encoding: gzip,\r\n br\r\nContent-Length: 7\r\nT: u\r\n\r\n",
        );
    }
}
