//! pywb replays rewritten archives as it replays the originals.

use std::fs;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use absolve::batch::Workers;
use absolve::container::warc::{Reader, RecordType, Rewriting, Totals, WarcInfo};
use absolve::{Rewriter, Syntax};
use libtest_mimic::Trial;
use serde_json::Value;

use super::trial::{no_module, python, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let pywb = [no_module("warcio"), no_module("pywb")];
    vec![
        trial("a replay by pywb", &pywb, of_own_archive),
        trial("a replay of the samples of pywb", &pywb, of_samples),
    ]
}

/// Writes an archive with a redirect, an error, a style sheet, codings and revisits.
const WRITE: &str = include_str!("replay/write.py");

/// Replays every capture without rewriting, and prints a line of JSON for each.
const REPLAY: &str = include_str!("replay/replay.py");

/// A capture as it is replayed.
#[derive(Debug, Clone, PartialEq)]
struct Capture {
    url: String,
    time: String,
    mime: String,
    status: u64,
    headers: Vec<(String, String)>,
    body: String,
}

impl Capture {
    fn of(line: &str) -> Self {
        let json: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| json[name].as_str().unwrap().to_owned();
        let pair = |pair: &Value| {
            let [name, value] = [0, 1].map(|at| pair[at].as_str().unwrap().to_owned());
            (name, value)
        };
        let headers = json["headers"].as_array().unwrap().iter().map(pair).collect();
        let status = json["status"].as_u64().unwrap();
        let [url, time, mime, body] = ["url", "time", "mime", "body"].map(text);
        Self { url, time, mime, status, headers, body }
    }

    /// The headers that are not about codings and lengths.
    fn own_headers(&self) -> Vec<&(String, String)> {
        let is_of_body = |name: &str| {
            ["content-encoding", "transfer-encoding", "content-length"]
                .iter()
                .any(|end| name.ends_with(end))
        };
        self.headers.iter().filter(|(name, _)| !is_of_body(name)).collect()
    }

    /// The syntax of a document whose links become absolute.
    fn syntax(&self) -> Option<Syntax> {
        let content_type = self.headers.iter().find(|(name, _)| name == "content-type");
        let media_type = content_type.filter(|_| (200..300).contains(&self.status))?.1.as_str();
        match media_type.split(';').next()? {
            "text/html" => Some(Syntax::Html),
            "text/css" => Some(Syntax::Css),
            _ => None,
        }
    }

    /// The URL that was replayed: pywb leaves out a redirect to the same page over HTTPS.
    fn replayed_url(&self) -> &str {
        let location = self.headers.iter().find(|(name, _)| name == "content-location");
        let url = location.and_then(|(_, url)| Some(url.split_once("id_/")?.1));
        url.unwrap_or(&self.url)
    }

    /// The body with absolute links; bodies are shown as ISO 8859-1.
    fn absolute(&self) -> String {
        let Some(syntax) = self.syntax() else { return self.body.clone() };
        let bytes: Vec<u8> = self.body.chars().map(|c| u8::try_from(c).unwrap()).collect();
        let rewriter = Rewriter::new().syntax(syntax).base_url(self.replayed_url()).unwrap();
        let result = rewriter.rewrite(&bytes).unwrap();
        result.bytes().iter().map(|&byte| char::from(byte)).collect()
    }
}

fn replayed(archive: &Path) -> Vec<Capture> {
    let collection = archive.with_extension("replayed");
    python(REPLAY, &[archive, &collection]).lines().map(Capture::of).collect()
}

fn rewrite(from: &Path, to: &Path, record_type: RecordType) -> Totals {
    let rewriter = Rewriter::new();
    let rewriting = Rewriting::new(&rewriter)
        .record_type(record_type)
        .warcinfo(WarcInfo::new("2026-01-01T00:00:00Z"));
    let reader = Reader::seekable(File::open(from).unwrap());
    let (output, jobs) = (File::create(to).unwrap(), Workers::new(2));
    rewriting.run(reader, output, &jobs, |_| ControlFlow::Continue(())).unwrap()
}

/// Archives, and the URLs of revisits in them that refer to a URL which was not captured. pywb replays
/// the page of the URL with `http` in their place, whose links have another scheme; with the new
/// digest of that page, it replays another capture.
const STALE: &[(&str, &str)] = &[
    ("iana.warc.gz", "https://www.iana.org/_css/2013.1/print.css"),
    ("iana.warc.gz", "https://www.iana.org/_css/2013.1/screen.css"),
];

/// Replays an archive, and what becomes of it in both modes; returns the totals in place.
fn compare(from: &Path, folder: &Path) -> Totals {
    let name = from.file_name().unwrap().to_str().unwrap();
    let before = replayed(from);
    assert!(!before.is_empty(), "{name}");
    let to = folder.join(format!("response-{name}"));
    let totals = rewrite(from, &to, RecordType::Response);
    let after = replayed(&to);
    assert_eq!(before.len(), after.len(), "{name}");
    let is_stale = |old: &&Capture| STALE.contains(&(name, old.replayed_url()));
    let listed = STALE.iter().filter(|(archive, _)| *archive == name).count();
    assert_eq!(before.iter().filter(is_stale).count(), listed, "{name}");
    assert!(listed as u64 <= totals.stale, "{name}: {totals:?}");
    for (old, new) in before.iter().zip(&after).filter(|(old, _)| !is_stale(old)) {
        let key = |capture: &Capture| {
            (capture.url.clone(), capture.time.clone(), capture.mime.clone(), capture.status)
        };
        assert_eq!(key(old), key(new), "{name}");
        assert_eq!(old.own_headers(), new.own_headers(), "{name}");
        let body = old.absolute();
        assert!(body == new.body, "{name}: {}\n{body}\n{}", old.url, new.body);
    }
    let to = folder.join(format!("conversion-{name}"));
    rewrite(from, &to, RecordType::Conversion);
    let after = replayed(&to);
    for old in &before {
        assert!(after.contains(old), "{name}: {} {}", old.time, old.url);
    }
    totals
}

fn of_own_archive(folder: &Path) {
    let from = folder.join("own.warc.gz");
    python(WRITE, &[&from]);
    let totals = compare(&from, folder);
    assert_eq!((totals.rewritten, totals.updated, totals.stale), (3, 2, 0), "{totals:?}");
}

fn of_samples(folder: &Path) {
    let prefix = python("import sys; print(sys.prefix)", &[]);
    let samples = PathBuf::from(prefix.trim()).join("sample_archive/warcs");
    let mut compared = 0;
    for name in [
        "example.warc.gz",
        "example-wget-1-14.warc.gz",
        "example-wpull.warc.gz",
        "dupes.warc.gz",
        "iana.warc.gz",
    ] {
        let (sample, from) = (samples.join(name), folder.join(name));
        if fs::copy(&sample, &from).is_ok() {
            let totals = compare(&from, folder);
            assert_eq!(totals.failed, 0, "{name}: {totals:?}");
            compared += 1;
        }
    }
    assert!(compared > 0, "no samples in {}", samples.display());
}
