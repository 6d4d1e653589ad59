//! The record that says what absolve did to an archive
//! ([WARC 1.1, section 6.2](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#warcinfo)).

use super::super::http::field;
use super::digest;
use super::name::record_name;

/// What an archive says of its rewriting: the program, its options and the date.
///
/// ```
/// use absolve::container::warc::WarcInfo;
///
/// let info = WarcInfo::new("2026-01-31T12:00:00Z").options("record-type = response");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarcInfo {
    date: String,
    options: String,
}

impl WarcInfo {
    /// A record of this date, in the form of `WARC-Date`: `2026-01-31T12:00:00Z`. The program is
    /// this version of absolve, and there are no options.
    #[must_use]
    pub fn new(date: impl Into<String>) -> Self {
        Self { date: date.into(), options: String::new() }
    }

    /// The options of the rewriting, in any notation.
    #[must_use]
    pub fn options(mut self, options: impl Into<String>) -> Self {
        self.options = options.into();
        self
    }

    /// The date, on one line.
    pub(super) fn date(&self) -> &str {
        self.date.lines().next().unwrap_or_default()
    }

    /// Writes the record, in front of `next`, the first record that absolve changed.
    pub(super) fn write(&self, out: &mut Vec<u8>, version: &str, next: &[u8]) {
        let mut block = Vec::new();
        let format = format!("WARC File Format {}", version.trim_start_matches("WARC/"));
        let description = "Links of HTML documents and style sheets were rewritten in the records after this one; codings of these \
                           documents were undone, and lengths and digests are new.";
        for (name, value) in [
            ("software", concat!("absolve/", env!("CARGO_PKG_VERSION"))),
            ("format", &format),
            ("description", description),
            ("options", &self.options),
        ] {
            if !value.is_empty() {
                field(&mut block, name.as_bytes(), one_line(value).as_bytes(), b"\r\n");
            }
        }
        let digest = digest::text(&digest::of(&block));
        let next = digest::text(&digest::of(next));
        let date = self.date();
        let name = record_name(next.as_bytes(), &format!("{date} {digest}"));
        out.extend_from_slice(version.as_bytes());
        out.extend_from_slice(b"\r\n");
        for (name, value) in [
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", &name),
            ("WARC-Date", date),
            ("WARC-Block-Digest", &digest),
            ("Content-Type", "application/warc-fields"),
            ("Content-Length", &block.len().to_string()),
        ] {
            field(out, name.as_bytes(), value.as_bytes(), b"\r\n");
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&block);
        out.extend_from_slice(b"\r\n\r\n");
    }
}

/// A value without line ends and other control characters.
fn one_line(value: &str) -> String {
    value.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::super::record::Record;
    use super::*;

    #[test]
    fn the_record_names_program_options_and_date() {
        let info = WarcInfo::new("2026-01-31T12:00:00Z").options("a\r\nb");
        let mut out = Vec::new();
        info.write(&mut out, "WARC/1.0", b"next");
        let record = Record::parse(&out).unwrap();
        assert_eq!((&*record.version(), &*record.kind()), ("WARC/1.0", "warcinfo"));
        assert_eq!(record.headers().get("WARC-Date"), Some(&b"2026-01-31T12:00:00Z"[..]));
        let block = String::from_utf8(record.block().to_owned()).unwrap();
        let software = concat!("software: absolve/", env!("CARGO_PKG_VERSION"), "\r\n");
        assert!(
            block.starts_with(&format!("{software}format: WARC File Format 1.0\r\n")),
            "{block}"
        );
        assert!(block.ends_with("\r\noptions: a  b\r\n"), "{block}");
        let mut other = Vec::new();
        info.write(&mut other, "WARC/1.0", b"other");
        assert_ne!(record.id(), Record::parse(&other).unwrap().id());
    }
}
