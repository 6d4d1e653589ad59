//! Reads the strings of a JSON text, each with its path of names and indices
//! ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)).
//!
//! The reader takes linear time, and does not recurse into nested values.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use crate::reference::{Context, decode};

/// The maximum nesting depth of objects and arrays.
const MAX_DEPTH: usize = 512;

/// The reason why a text is not JSON, and the offset of the fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JsonFault {
    pub(crate) at: usize,
    pub(crate) why: &'static str,
}

/// A part of a path: leads from an object or array to a value in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathStep {
    /// A name, as written between its quotes.
    Name(Range<usize>),
    /// An item of an array, by its index.
    Item(usize),
}

impl PathStep {
    /// Returns the decoded name, or `*` for an item. A name that is too long for any table stays
    /// undecoded, as it would be decoded again for each value inside.
    pub(crate) fn name<'t>(&self, text: &'t str) -> Cow<'t, str> {
        /// The length of twenty characters, all escaped.
        const MAX_NAME_LEN: usize = 120;
        match self {
            Self::Name(span) if span.len() > MAX_NAME_LEN => Cow::Borrowed(&text[span.clone()]),
            Self::Name(span) => decode(&text[span.clone()], Context::Json),
            Self::Item(_) => Cow::Borrowed("*"),
        }
    }
}

/// The role of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The name of a value; the path leads to its object.
    Name,
    /// A value of an object or array, or the whole text.
    Value,
}

/// Receives a string: its path, its role, and the span between its quotes.
pub(crate) type OnString<'a> = dyn FnMut(&[PathStep], Role, Range<usize>) + 'a;

/// The token that must come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    /// A value, or the end of an array.
    ItemOrEnd,
    Name,
    /// A name, or the end of an object.
    NameOrEnd,
    /// A comma, or an end.
    CommaOrEnd,
}

/// Passes every string of a text to `on_string`, in the order of the text.
///
/// # Errors
///
/// If the text is not JSON, or nests values too deep. Passes the strings before the fault.
pub(crate) fn strings(text: &str, on_string: &mut OnString<'_>) -> Result<(), JsonFault> {
    let mut reader = JsonReader { bytes: text.as_bytes(), at: 0 };
    let mut path = Vec::new();
    let mut expected = Expected::Value;
    loop {
        let byte = reader.peek_byte();
        if expected == Expected::CommaOrEnd && path.is_empty() {
            return byte.map_or(Ok(()), |_| reader.fail("text after the value"));
        }
        expected = match (expected, byte) {
            (Expected::Value | Expected::ItemOrEnd, Some(open @ (b'{' | b'['))) => {
                if path.len() == MAX_DEPTH {
                    return reader.fail("more than 512 values inside each other");
                }
                path.push(if open == b'{' { PathStep::Name(0..0) } else { PathStep::Item(0) });
                reader.at += 1;
                if open == b'{' { Expected::NameOrEnd } else { Expected::ItemOrEnd }
            }
            (Expected::ItemOrEnd, Some(b']')) | (Expected::NameOrEnd, Some(b'}')) => {
                reader.close(&mut path)
            }
            (Expected::CommaOrEnd, Some(byte @ (b',' | b']' | b'}'))) => {
                match (path.last_mut(), byte) {
                    (Some(PathStep::Item(number)), b',') => {
                        *number += 1;
                        reader.at += 1;
                        Expected::Value
                    }
                    (Some(PathStep::Name(_)), b',') => {
                        reader.at += 1;
                        Expected::Name
                    }
                    (Some(PathStep::Item(_)), b']') | (Some(PathStep::Name(_)), b'}') => {
                        reader.close(&mut path)
                    }
                    _ => return reader.fail("expected a comma or the end"),
                }
            }
            (Expected::CommaOrEnd, _) => return reader.fail("expected a comma or the end"),
            (Expected::Name | Expected::NameOrEnd, Some(b'"')) => {
                let name = reader.read_string()?;
                path.pop();
                on_string(&path, Role::Name, name.clone());
                path.push(PathStep::Name(name));
                if reader.peek_byte() != Some(b':') {
                    return reader.fail("expected a colon");
                }
                reader.at += 1;
                Expected::Value
            }
            (Expected::Name | Expected::NameOrEnd, _) => {
                return reader.fail("expected a name in quotes");
            }
            (_, Some(b'"')) => {
                on_string(&path, Role::Value, reader.read_string()?);
                Expected::CommaOrEnd
            }
            (_, Some(b'-' | b'0'..=b'9')) => reader.read_number()?,
            _ => reader.read_literal()?,
        };
    }
}

struct JsonReader<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl JsonReader<'_> {
    /// Skips white space, and returns the byte after it.
    fn peek_byte(&mut self) -> Option<u8> {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        self.bytes.get(self.at).copied()
    }

    fn skip_while(&mut self, is_skipped: impl Fn(&u8) -> bool) -> usize {
        let count = self.bytes[self.at..].iter().take_while(|byte| is_skipped(byte)).count();
        self.at += count;
        count
    }

    fn fail<T>(&self, why: &'static str) -> Result<T, JsonFault> {
        Err(JsonFault { at: self.at, why })
    }

    fn close(&mut self, path: &mut Vec<PathStep>) -> Expected {
        path.pop();
        self.at += 1;
        Expected::CommaOrEnd
    }

    /// Reads a string, and returns the span between its quotes.
    fn read_string(&mut self) -> Result<Range<usize>, JsonFault> {
        let start = self.at + 1;
        self.at = start;
        loop {
            let Some(length) = memchr2(b'"', b'\\', &self.bytes[self.at..]) else {
                return self.fail("a string without end");
            };
            let plain = &self.bytes[self.at..self.at + length];
            if let Some(control) = plain.iter().position(|byte| *byte < b' ') {
                self.at += control;
                return self.fail("a control character in a string");
            }
            self.at += length;
            if self.bytes[self.at] == b'"' {
                self.at += 1;
                return Ok(start..self.at - 1);
            }
            let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
            self.at += match self.bytes[self.at..] {
                [_, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
                [_, b'u', a, b, c, d, ..] if is_hex(&[a, b, c, d]) => 6,
                _ => return self.fail("an unknown escape in a string"),
            };
        }
    }

    fn read_number(&mut self) -> Result<Expected, JsonFault> {
        self.skip_one(b"-");
        let start = self.at;
        let digits = self.skip_while(u8::is_ascii_digit);
        let has_leading_zero = digits > 1 && self.bytes[start] == b'0';
        let has_fraction = !self.skip_one(b".") || self.skip_while(u8::is_ascii_digit) > 0;
        let has_exponent = !self.skip_one(b"eE") || {
            self.skip_one(b"+-");
            self.skip_while(u8::is_ascii_digit) > 0
        };
        if digits == 0 || has_leading_zero || !has_fraction || !has_exponent {
            return self.fail("a malformed number");
        }
        Ok(Expected::CommaOrEnd)
    }

    /// Skips a byte if it is in `bytes`; returns whether it was.
    fn skip_one(&mut self, bytes: &[u8]) -> bool {
        let is_skipped = self.bytes.get(self.at).is_some_and(|byte| bytes.contains(byte));
        self.at += usize::from(is_skipped);
        is_skipped
    }

    fn read_literal(&mut self) -> Result<Expected, JsonFault> {
        let literals = [&b"true"[..], b"false", b"null"];
        let Some(literal) =
            literals.into_iter().find(|literal| self.bytes[self.at..].starts_with(literal))
        else {
            return self.fail("expected a value");
        };
        self.at += literal.len();
        Ok(Expected::CommaOrEnd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the strings, each with its path before it; names end with `:`.
    #[track_caller]
    fn reads(text: &str, expected: &[&str]) {
        let mut all = Vec::new();
        let read = strings(text, &mut |path, role, span| {
            let step = |step: &PathStep| match step {
                PathStep::Name(name) => format!("{}.", &text[name.clone()]),
                PathStep::Item(number) => format!("{number}."),
            };
            let end = if role == Role::Name { ":" } else { "" };
            all.push(path.iter().map(step).collect::<String>() + &text[span] + end);
        });
        assert_eq!(
            (read, &all[..]),
            (Ok(()), &expected.iter().map(ToString::to_string).collect::<Vec<_>>()[..]),
            "{text}"
        );
    }

    #[track_caller]
    fn fails(text: &str, at: usize, why: &str) {
        let fault = strings(text, &mut |_, _, _| {}).unwrap_err();
        assert_eq!((fault.at, fault.why), (at, why), "{text}");
    }

    #[test]
    fn strings_have_the_names_that_lead_to_them() {
        reads("\"a\"", &["a"]);
        reads(" [ ] ", &[]);
        reads("{}", &[]);
        reads(
            r#"{"a":"b","c":[{"d":"e"},"f",1,[["g"]]],"h":{}}"#,
            &["a:", "a.b", "c:", "c.0.d:", "c.0.d.e", "c.1.f", "c.3.0.0.g", "h:"],
        );
        reads("[0,-1.5e+3,1E5,true,false,null,\"\\u00e9\\\"\\/\"]", &["6.\\u00e9\\\"\\/"]);
    }

    #[test]
    fn what_is_no_json_is_a_fault_with_its_place() {
        fails("", 0, "expected a value");
        fails("nul", 0, "expected a value");
        fails("[1,]", 3, "expected a value");
        fails("[1", 2, "expected a comma or the end");
        fails("[1}", 2, "expected a comma or the end");
        fails("{\"a\":1]", 6, "expected a comma or the end");
        fails("{\"a\":1,}", 7, "expected a name in quotes");
        fails("{a:1}", 1, "expected a name in quotes");
        fails("{\"a\" 1}", 5, "expected a colon");
        fails("1 2", 2, "text after the value");
        fails("\"a", 1, "a string without end");
        fails("\"a\n\"", 2, "a control character in a string");
        fails("\"\\x\"", 1, "an unknown escape in a string");
        fails("\"\\u12g4\"", 1, "an unknown escape in a string");
        for number in ["-", "01", "1.", "1e", "1e+", "-.5"] {
            fails(number, number.len(), "a malformed number");
        }
        assert!(strings(&"[".repeat(512), &mut |_, _, _| {}).unwrap_err().why.contains("expected"));
        fails(&"[".repeat(513), 512, "more than 512 values inside each other");
    }
}
