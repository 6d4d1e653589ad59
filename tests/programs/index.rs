//! Indexes equal those that `cdxj-indexer --sort` makes of the same archives.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use absolve::Rewriter;
use absolve::batch::Workers;
use absolve::container::warc::{Cdxj, Reader, RecordType, Rewriting, WarcInfo};
use libtest_mimic::Trial;

use super::trial::{no_module, python, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let indexer = [no_module("cdxj_indexer")];
    let samples = [no_module("cdxj_indexer"), no_module("pywb")];
    vec![
        trial("an index of records of every type", &indexer, of_own_archive),
        trial("an index of the samples of pywb", &samples, of_samples),
    ]
}

/// Writes an archive with records of every type, and odd URLs.
const WRITE: &str = include_str!("index/write.py");

/// Indexes an archive.
const INDEX: &str = "import sys; from cdxj_indexer.main import main; main(['-s', sys.argv[1]])";

/// What is in the lines of `cdxj-indexer` that are others here, and why. One that is the same by
/// now fails the test.
const DEVIATIONS: &[(&str, &str)] = &[
    (r#""url": "http://\u00e9|.example/""#, "a label with characters that no host has"),
    (r#""filename": "response-missing-status-text.warc""#, "a record that is cut off"),
    (r#""filename": "conversion-missing-status-text.warc""#, "a record that is cut off"),
];

/// The samples that `cdxj-indexer` reads to their end.
const SAMPLES: &[&str] = &[
    "dupes.warc.gz",
    "example-extra.warc",
    "example-url-agnostic-orig.warc.gz",
    "example-url-agnostic-revisit.warc.gz",
    "example-wget-1-14.warc.gz",
    "example-wpull.warc.gz",
    "example.warc",
    "example.warc.gz",
    "example2.warc.gz",
    "httpbin-resource.warc.gz",
    "iana.warc.gz",
    "missing-status-text.warc",
    "post-test.warc.gz",
];

/// Rewrites an archive, and returns the index of the new one.
fn rewrite(from: &Path, to: &Path, record_type: RecordType) -> String {
    let rewriter = Rewriter::new();
    let info = WarcInfo::new("2026-01-01T00:00:00Z");
    let rewriting = Rewriting::new(&rewriter).record_type(record_type).warcinfo(info);
    let reader = Reader::seekable(File::open(from).unwrap());
    let (output, workers) = (File::create(to).unwrap(), Workers::new(2));
    let mut index = Cdxj::new(to.file_name().unwrap().to_str().unwrap());
    let report = |_: &_| ControlFlow::Continue(());
    rewriting.run_with_index(reader, output, &workers, &mut index, report).unwrap();
    assert_eq!(index.left_out(), 0, "{}", to.display());
    let mut lines = Vec::new();
    index.write(&mut lines).unwrap();
    String::from_utf8(lines).unwrap()
}

/// Compares the indexes of what an archive becomes; returns their lines.
fn compare(from: &Path, folder: &Path) -> usize {
    let name = from.file_name().unwrap().to_str().unwrap();
    let mut count = 0;
    for record_type in [RecordType::Conversion, RecordType::Response] {
        let to = folder.join(format!("{}-{name}", record_type.name()));
        let written = rewrite(from, &to, record_type);
        let expected = python(INDEX, &[&to]);
        assert!(written.lines().is_sorted(), "{name}");
        let [written, expected]: [BTreeSet<&str>; 2] =
            [&written, &expected].map(|lines| lines.lines().collect());
        let mut missing: Vec<&str> = expected.difference(&written).copied().collect();
        let added = written.difference(&expected).count();
        for (deviation, why) in DEVIATIONS {
            let is_of_this = expected.iter().any(|line| line.contains(deviation));
            let before = missing.len();
            missing.retain(|line| !line.contains(deviation));
            assert!(!is_of_this || missing.len() < before, "no deviation any more: {why}");
        }
        assert_eq!(missing, [""; 0], "{name}");
        assert!(added <= 1, "{name}: {added} lines are not in the other index");
        count += written.len();
    }
    count
}

fn of_own_archive(folder: &Path) {
    for name in ["own.warc", "own.warc.gz"] {
        let from = folder.join(name);
        python(WRITE, &[&from]);
        assert!(compare(&from, folder) > 4000, "{name}");
    }
}

fn of_samples(folder: &Path) {
    let prefix = python("import sys; print(sys.prefix)", &[]);
    let samples = PathBuf::from(prefix.trim()).join("sample_archive/warcs");
    let mut compared = 0;
    for name in SAMPLES {
        let from = folder.join(name);
        if fs::copy(samples.join(name), &from).is_ok() {
            compare(&from, folder);
            compared += 1;
        }
    }
    assert!(compared > 0, "no samples in {}", samples.display());
}
