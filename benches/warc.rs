//! A generated web archive is rewritten: how fast, beside `zcat | gzip` of the same file,
//! and in how much memory.
//!
//! `ABSOLVE_WARC_MB=2048 cargo bench --bench warc` takes an archive of at least so many MB
//! in the file; 8 unless set. It fails where a record is missing, where a digest of a sample
//! is wrong, or where the process takes more than 200 MiB. Peaks are read from `/proc`, so
//! that elsewhere than on Linux times alone are measured.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking")]

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use absolve::Rewriter;
use absolve::batch::Workers;
use absolve::container::warc::{Reader, RecordType, Rewriting};
use data_encoding::BASE32;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use sha1::{Digest, Sha1};

const MOST_MEMORY: u64 = 200 << 20;

/// One in so many conversions is verified.
const SAMPLE: u64 = 50;

fn main() {
    let megabytes: u64 = env::var("ABSOLVE_WARC_MB").map_or(8, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a.warc.gz"), folder.path().join("b.warc.gz"));
    let (records, pages) = generate(&from, megabytes * 1_000_000);
    let size = from.metadata().unwrap().len();
    println!("{records} records, {pages} of them pages, {:.0} MB", mega(size));
    for threads in [1, 0] {
        let jobs = Workers::new(threads);
        let begin = Instant::now();
        let reader = Reader::seekable(File::open(&from).unwrap());
        let output = File::create(&to).unwrap();
        let rewriter = Rewriter::new();
        let totals = Rewriting::new(&rewriter)
            .run(reader, output, &jobs, |_| ControlFlow::Continue(()))
            .unwrap();
        let seconds = begin.elapsed().as_secs_f64();
        assert_eq!((totals.records, totals.rewritten), (records, pages), "{totals:?}");
        assert_eq!(verify(&to), (records + pages, pages));
        let threads = jobs.threads();
        println!("absolve, {threads} threads: {:7.1} MB/s", mega(size) / seconds);
    }
    if let Some(seconds) = zcat_gzip(&from) {
        println!("zcat | gzip:        {:7.1} MB/s", mega(size) / seconds);
    }
    grow();
    let peak = peak();
    println!("peak memory:        {:7.1} MB", mega(peak));
    assert!(peak <= MOST_MEMORY, "too much memory");
}

fn gzip(text: &str) -> Vec<u8> {
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    member.write_all(text.as_bytes()).unwrap();
    member.finish().unwrap()
}

/// Rewrites pages that become too large, and many that become as large as a record may be.
fn grow() {
    let links = |before: &str, count: usize| {
        let page = format!("<base href=http://h/{}/>", "b".repeat(8000));
        let page = page + &format!("{before}<a href=x>").repeat(count);
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}");
        let length = block.len();
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    };
    let (large, many) = (links("", 1_500_000), links(&"x".repeat(500), 1900));
    for record_type in [RecordType::Conversion, RecordType::Response] {
        let members: Vec<u8> = [&large, &many.repeat(15), &large].map(|text| gzip(text)).concat();
        for archive in [&members[..], large.as_bytes(), many.repeat(8).as_bytes()] {
            let rewriter = Rewriter::new();
            Rewriting::new(&rewriter)
                .record_type(record_type)
                .run(Reader::new(archive), std::io::sink(), &Workers::new(2), |_| {
                    ControlFlow::Continue(())
                })
                .unwrap();
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes of files")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Writes an archive of pages, requests and images; says how many records there are, and
/// how many pages.
fn generate(path: &Path, size: u64) -> (u64, u64) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    let (mut written, mut records, mut pages) = (0, 0, 0);
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 33
    };
    while written < size {
        let (kind, block) = match records % 4 {
            0 => ("request", b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n".to_vec()),
            1 | 2 => {
                pages += 1;
                ("response", page(&mut random))
            }
            _ => {
                let bytes: Vec<u8> = (0..20_000).map(|_| random().to_le_bytes()[0]).collect();
                (
                    "response",
                    [b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", &*bytes].concat(),
                )
            }
        };
        let head = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:test:{records}>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: http://example.org/a/{records}\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        let mut member = GzEncoder::new(Vec::new(), Compression::fast());
        member.write_all(&[head.as_bytes(), &block, b"\r\n\r\n"].concat()).unwrap();
        let member = member.finish().unwrap();
        out.write_all(&member).unwrap();
        written += member.len() as u64;
        records += 1;
    }
    out.flush().unwrap();
    (records, pages)
}

/// A response of HTML, some 40 kB, that compresses about as pages do.
fn page(random: &mut impl FnMut() -> u64) -> Vec<u8> {
    let mut text = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!DOCTYPE html>".to_vec();
    for _ in 0..200 {
        write!(text, "<p class=c{}><a href=../d/{}.html>", random() % 7, random()).unwrap();
        for _ in 0..20 {
            let word = random() % 4096;
            write!(text, "w{word:x} ").unwrap();
        }
        text.extend_from_slice(b"</a></p>\n");
    }
    text
}

/// How many records an archive has, one a gzip member, and how many conversions; of a
/// sample the digests are right.
fn verify(path: &Path) -> (u64, u64) {
    let mut file = BufReader::new(File::open(path).unwrap());
    let (mut records, mut conversions) = (0, 0);
    let mut text = Vec::new();
    while !file.fill_buf().unwrap().is_empty() {
        text.clear();
        GzDecoder::new(&mut file).read_to_end(&mut text).unwrap();
        records += 1;
        if !text.starts_with(b"WARC/1.1\r\nWARC-Type: conversion\r\n") {
            continue;
        }
        conversions += 1;
        if conversions % SAMPLE == 1 {
            let end = memchr::memmem::find(&text, b"\r\n\r\n").unwrap();
            let block = &text[end + 4..text.len() - 4];
            let digest =
                format!("WARC-Block-Digest: sha1:{}\r\n", BASE32.encode(&Sha1::digest(block)));
            assert!(
                memchr::memmem::find(&text[..end], digest.as_bytes()).is_some(),
                "a wrong digest"
            );
            assert!(memchr::memmem::find(block, b"href=../").is_none(), "a relative link");
        }
    }
    (records, conversions)
}

/// Seconds that it takes to decompress and compress a file, with what the system has for
/// that.
fn zcat_gzip(path: &Path) -> Option<f64> {
    let begin = Instant::now();
    let mut shell = Command::new("sh");
    shell.args(["-c", "zcat \"$0\" | gzip"]).arg(path).stdout(Stdio::null());
    let is_done = shell.status().is_ok_and(|status| status.success());
    is_done.then(|| begin.elapsed().as_secs_f64())
}

/// The most memory that this process had, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kilobytes.and_then(|number| number.parse().ok()).unwrap_or(0) * 1024
}
