//! The pages of a generated web archive are rewritten: how fast, beside `zcat` of the same file,
//! and in how much memory.
//!
//! `ABSOLVE_WARC_MB=2048 cargo bench --bench warc` takes an archive of at least this number of MB in the
//! file; 8 unless set. It fails where a page is missing, where a relative link stays, or where the
//! process takes more than 200 MiB. Peaks are read from `/proc`, so that elsewhere than on Linux
//! times alone are measured.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking")]

use std::env;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use absolve::Rewriter;
use absolve_archive::jobs::Workers;
use absolve_archive::warc::Reader;
use flate2::Compression;
use flate2::write::GzEncoder;

const MOST_MEMORY: u64 = 200 << 20;

fn main() {
    let megabytes: u64 = env::var("ABSOLVE_WARC_MB").map_or(8, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.warc.gz");
    let (records, pages) = generate(&file, megabytes * 1_000_000);
    let size = file.metadata().unwrap().len();
    println!("{records} records, {pages} of them pages, {:.0} MB", mega(size));
    for threads in [1, 0] {
        let workers = Workers::new(threads);
        let begin = Instant::now();
        assert_eq!(rewrite(&file, &workers), pages);
        let seconds = begin.elapsed().as_secs_f64();
        println!("absolve, {} threads: {:7.1} MB/s", workers.threads(), mega(size) / seconds);
    }
    if let Some(seconds) = zcat(&file) {
        println!("zcat:               {:7.1} MB/s", mega(size) / seconds);
    }
    let peak = peak();
    println!("peak memory:        {:7.1} MB", mega(peak));
    assert!(peak <= MOST_MEMORY, "too much memory");
}

/// Rewrites every page in memory, and returns how many have no relative link any more.
fn rewrite(file: &Path, workers: &Workers) -> u64 {
    let (rewriter, mut pages) = (Rewriter::new(), 0);
    let read = Reader::seekable(File::open(file).unwrap()).pages_in_order(
        workers,
        |buffers, page| {
            let page = page.unwrap();
            let rewriter = page.rewriter(&rewriter);
            let new = rewriter.rewrite_in(page.document(), buffers).unwrap();
            memchr::memmem::find(new.bytes(), b"href=../").is_none()
        },
        |_, is_absolute| {
            pages += u64::from(is_absolute);
            ControlFlow::Continue(())
        },
    );
    read.unwrap();
    pages
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

/// Seconds that it takes to decompress a file, with what the system has for that.
fn zcat(path: &Path) -> Option<f64> {
    let begin = Instant::now();
    let mut shell = Command::new("zcat");
    let is_done =
        shell.arg(path).stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    is_done.then(|| begin.elapsed().as_secs_f64())
}

/// The most memory that this process had, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kilobytes.and_then(|number| number.parse().ok()).unwrap_or(0) * 1024
}
