//! Indexes in the form [CDXJ](https://specs.webrecorder.net/cdxj/0.1.0/), a sorted line for each
//! record.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::index::IndexEntry;
use super::surt::surt;

/// Bytes of lines that are sorted at a time.
const RUN: usize = 16 << 20;

/// An index of an archive, in the form CDXJ: its lines equal those of `cdxj-indexer --sort`.
///
/// Lines wait in memory, sorted in runs of 16 MiB and compressed, with about 100 bytes for each.
///
/// ```
/// use absolve::container::warc::{Cdxj, Reader};
///
/// let archive = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Type: text/html\r\n\
///     WARC-Target-URI: http://example.org/a/\r\nWARC-Date: 2026-01-31T12:00:00Z\r\n\
///     Content-Length: 10\r\n\r\n<a href=b>\r\n\r\n";
/// let mut index = Cdxj::new("crawl.warc");
/// Reader::new(&archive[..]).index(&mut index)?;
/// let mut lines = Vec::new();
/// index.write(&mut lines)?;
/// assert!(lines.starts_with(br#"org,example)/a 20260131120000 {"url": "http://example.org/a/", "#));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Cdxj {
    file_name: String,
    lines: Vec<String>,
    size: usize,
    /// Compressed lines, each run sorted.
    runs: Vec<Vec<u8>>,
    run_size: usize,
    left_out: u64,
}

impl Cdxj {
    /// The index of an archive with this file name, without the folders before it.
    #[must_use]
    pub fn new(file_name: impl Into<String>) -> Self {
        Self {
            file_name: file_name.into(),
            lines: Vec::new(),
            size: 0,
            runs: Vec::new(),
            run_size: RUN,
            left_out: 0,
        }
    }

    /// Adds a record; see [`Cdxj::left_out`].
    pub(super) fn add(&mut self, entry: &IndexEntry) -> io::Result<()> {
        let date = entry.date.as_deref().and_then(timestamp);
        let Some(date) = date.filter(|_| entry.position.within == 0) else {
            self.left_out += 1;
            return Ok(());
        };
        let line = line(entry, &date, &self.file_name);
        self.size += line.len();
        self.lines.push(line);
        if self.size > self.run_size { self.end_run() } else { Ok(()) }
    }

    /// The number of records that are left out, as replay cannot find them: they have no
    /// `WARC-Date`, or follow another record in their gzip member.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Adds the records of another index, which have the file name of that.
    ///
    /// # Errors
    ///
    /// If they cannot be compressed.
    pub fn append(&mut self, other: Self) -> io::Result<()> {
        self.runs.extend(other.runs);
        self.lines.extend(other.lines);
        self.size += other.size;
        self.left_out += other.left_out;
        if self.size > self.run_size { self.end_run() } else { Ok(()) }
    }

    fn end_run(&mut self) -> io::Result<()> {
        self.lines.sort_unstable();
        let mut run = ZlibEncoder::new(Vec::new(), Compression::fast());
        for line in self.lines.drain(..) {
            run.write_all(line.as_bytes())?;
        }
        self.runs.push(run.finish()?);
        self.size = 0;
        Ok(())
    }

    /// Writes the lines in the order of their bytes; equal lines are written once.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn write(mut self, out: impl Write) -> io::Result<()> {
        let mut out = io::BufWriter::new(out);
        if self.runs.is_empty() {
            self.lines.sort_unstable();
            self.lines.dedup();
            for line in &self.lines {
                out.write_all(line.as_bytes())?;
            }
            return out.flush();
        }
        self.end_run()?;
        self.lines = Vec::new();
        merge(&self.runs, &mut out)?;
        out.flush()
    }
}

/// Writes the lines of sorted runs.
fn merge(runs: &[Vec<u8>], out: &mut impl Write) -> io::Result<()> {
    let runs = runs.iter().map(|run| BufReader::new(ZlibDecoder::new(&run[..])));
    let mut runs: Vec<_> = runs.collect();
    let mut next = BinaryHeap::new();
    for (number, run) in runs.iter_mut().enumerate() {
        next.extend(next_line(run)?.map(|line| Reverse((line, number))));
    }
    let mut last = Vec::new();
    while let Some(Reverse((line, number))) = next.pop() {
        next.extend(next_line(&mut runs[number])?.map(|line| Reverse((line, number))));
        if line != last {
            out.write_all(&line)?;
            last = line;
        }
    }
    Ok(())
}

fn next_line(run: &mut BufReader<impl Read>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    run.read_until(b'\n', &mut line)?;
    Ok((!line.is_empty()).then_some(line))
}

/// The line of a record: key, date, and JSON with the keys and spaces of Python's `json`.
fn line(entry: &IndexEntry, date: &str, file_name: &str) -> String {
    let mut line = surt(entry.url.as_deref().unwrap_or_default());
    line.push(' ');
    line.push_str(date);
    line.push(' ');
    let (length, offset) = (entry.length.to_string(), entry.position.offset.to_string());
    let fields = [
        ("url", entry.url.as_deref()),
        ("mime", entry.mime.as_deref()),
        ("status", entry.status.as_deref()),
        ("digest", entry.digest.as_deref()),
        ("length", Some(&*length)),
        ("offset", Some(&*offset)),
        ("filename", Some(file_name)),
    ];
    let mut before = "{";
    for (name, value) in fields {
        if let Some(value) = value {
            line.push_str(before);
            string(&mut line, name);
            line.push_str(": ");
            string(&mut line, value);
            before = ", ";
        }
    }
    line.push_str("}\n");
    line
}

/// Writes a string of JSON in ASCII.
///
/// NOTE: `serde_json`, which is a dependency of reports and of `wacz` alone, writes other characters as they are.
fn string(out: &mut String, value: &str) {
    out.push('"');
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    let plain = value.bytes().take_while(|byte| is_plain(byte)).count();
    let (plain, rest) = value.split_at(plain);
    out.push_str(plain);
    for c in rest.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // A String takes all that is written to it.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

/// The 14 digits of a `WARC-Date`: the year, and what is there of the rest.
fn timestamp(date: &str) -> Option<String> {
    let mut numbers = date.split(|c: char| !c.is_ascii_digit());
    let year: u16 = numbers.next()?.parse().ok()?;
    let mut text = format!("{year:04}");
    for least in [1, 1, 0, 0, 0] {
        let number: u8 = match numbers.next() {
            Some(digits) if !digits.is_empty() => digits.parse().ok()?,
            _ => least,
        };
        write!(text, "{number:02}").ok()?;
    }
    (text.len() == 14).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::record::RecordPosition;
    use super::*;

    fn entry(number: u64) -> IndexEntry {
        IndexEntry {
            position: RecordPosition { offset: number, within: 0 },
            length: 9,
            url: Some(format!("http://h/{}", number * 7919 % 1000)),
            date: Some("2020-01-02T03:04:05Z".to_owned()),
            mime: None,
            status: None,
            digest: None,
        }
    }

    #[test]
    fn runs_are_merged() {
        let mut indexes = [RUN, 500, 0].map(|run_size| Cdxj { run_size, ..Cdxj::new("a.warc") });
        for index in &mut indexes {
            (0..300).for_each(|number| index.add(&entry(number)).unwrap());
            index.add(&entry(7)).unwrap();
        }
        let [whole, some, many] = indexes.map(|index| {
            let mut out = Vec::new();
            index.write(&mut out).unwrap();
            String::from_utf8(out).unwrap()
        });
        assert!(whole.lines().is_sorted());
        assert_eq!(whole.lines().count(), 300);
        assert!(some == whole && many == whole);
    }

    #[test]
    fn strings_are_ascii() {
        let mut out = String::new();
        string(&mut out, "a\"\\\n\u{1}\u{7f}\u{e9}\u{1f600}/");
        assert_eq!(out, r#""a\"\\\n\u0001\u007f\u00e9\ud83d\ude00/""#);
    }

    #[track_caller]
    fn dated(date: &str, expected: Option<&str>) {
        assert_eq!(timestamp(date).as_deref(), expected, "{date}");
    }

    #[test]
    fn a_date_has_14_digits() {
        dated("2020-01-02T03:04:05Z", Some("20200102030405"));
        dated("2020-01-02T03:04:05.678901Z", Some("20200102030405"));
        dated("2020-01-02", Some("20200102000000"));
        dated("", None);
        dated("x", None);
        dated("99999-01-01", None);
    }
}
