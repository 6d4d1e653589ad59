//! Hostile documents of 100,000 and of 400,000 pieces: time has to grow with size
//! alone, and memory has to stay near it.
//!
//! `cargo bench --bench hostile` prints a row a shape and fails where four times
//! the size takes more than 4.6 times the time, or where the process takes more
//! than three times the document and 64 MiB. Each document has a process of its
//! own, because a process remembers its peak. Peaks are read from `/proc`, so
//! that elsewhere than on Linux times alone are measured.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking")]

use std::env;
use std::fs;
use std::process::{self, Command};
use std::time::Instant;

use absolve::{Buffers, Limits, Rewriter, Syntax};
use absolve_archive::jobs::Workers;
use absolve_site::Sources;

/// The name of a shape, and a function that makes a document of a number of pieces.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: &[Shape] = &[
    ("nested elements", |n| "<div>".repeat(n) + "<a href=x>"),
    ("nested elements, closed", |n| "<div>".repeat(n) + &"</div>".repeat(n)),
    ("end tags of nothing", |n| "<span>".repeat(n) + &"</i>".repeat(n)),
    ("attributes of a tag", |n| format!("<a{}>", numbered(n, " a", "=b"))),
    ("equal attributes", |n| format!("<a{}>", " href=x".repeat(n))),
    ("attributes of an end tag", |n| format!("</a{}>", numbered(n, " a", "=b"))),
    ("<", |n| "<".repeat(n)),
    ("</", |n| "</".repeat(n)),
    ("<!", |n| "<!".repeat(n)),
    ("<!--", |n| "<!--".repeat(n)),
    ("--!", |n| "<!--".to_owned() + &"--!".repeat(n)),
    ("<a", |n| "<a".repeat(n)),
    ("NUL", |n| "\0".repeat(n)),
    ("NUL in a value", |n| format!("<a href='{}'>", "\0".repeat(n))),
    ("unclosed quotes", |n| "<a href=\"x".repeat(n)),
    ("open quote at the end", |n| "<a href=x>".repeat(n) + "<a href='"),
    ("misnested formatting", |n| "<b><i></b></i>".repeat(n)),
    ("formatting across blocks", |n| "<b>".repeat(n) + &"<p></p>".repeat(n)),
    ("links in links", |n| "<a href=x>".repeat(n)),
    ("noscript", |n| "<noscript><a href=x><!--</noscript>".repeat(n)),
    ("noscript, read exactly", |n| "<noscript><b></noscript>".repeat(n) + "<template>"),
    ("noscript in noscript", |n| "<noscript><a href=x>".repeat(n)),
    ("& in text", |n| "&".repeat(n)),
    ("& in a value", |n| format!("<a href='{}'>", "&".repeat(n))),
    ("&amp; in a value", |n| format!("<a href='{}'>", "&amp;".repeat(n))),
    ("../ in a reference", |n| format!("<a href='{}'>", "../".repeat(n))),
    ("./a/../ in a reference", |n| format!("<a href='{}'>", "./a/../".repeat(n))),
    ("srcset candidates", |n| format!("<img srcset='{}'>", "a 1x,".repeat(n))),
    ("srcset parentheses", |n| format!("<img srcset='a {}'>", "(".repeat(n))),
    ("commas in srcset", |n| format!("<img srcset='{}'>", ",".repeat(n))),
    ("words in ping", |n| format!("<a ping='{}'>", "x ".repeat(n))),
    ("words after a long reference", |n| {
        format!("<a ping='&#{}32;{}'>", "0".repeat(n), "x ".repeat(n))
    }),
    ("urls in css", |n| format!("<style>{}</style>", "url(x)".repeat(n))),
    ("strings in css", |n| format!("<p style='{}'>", "\"a".repeat(n))),
    ("parentheses in css", |n| format!("<p style='{}'>", "(".repeat(n))),
    ("braces in css", |n| format!("<style>{}</style>", "{".repeat(n))),
    ("functions in css", |n| format!("<style>{}</style>", "a(".repeat(n))),
    ("@import", |n| format!("<style>{}</style>", "@import 'x';".repeat(n))),
    ("escapes in css", |n| format!("<p style='{}'>", "\\75 ".repeat(n))),
    ("pieces of a style", |n| "<svg><style>".to_owned() + &"url(x)<!---->".repeat(n)),
    ("templates", |n| "<template>".repeat(n) + "<a href=x>"),
    ("templates, closed", |n| "<template></template>".repeat(n)),
    ("tables", |n| "<table>".repeat(n)),
    ("tables in cells", |n| "<table><tr><td>".repeat(n)),
    ("text in a table", |n| "<table>".to_owned() + &"x<b>".repeat(n)),
    ("base elements", |n| "<base href=http://h/>".repeat(n)),
    ("base elements in the body", |n| "<body>".to_owned() + &"<base href=x>".repeat(n)),
    ("srcdoc", |n| "<iframe srcdoc='<a href=x>'></iframe>".repeat(n)),
    ("srcdoc in srcdoc", |n| {
        let inner = "<a href=&amp;amp;quot;x&amp;amp;quot;>".repeat(n);
        format!(
            "<iframe srcdoc=\"<iframe srcdoc=&quot;<iframe srcdoc=&amp;quot;{inner}&amp;quot;>&quot;>\">"
        )
    }),
    ("svg", |n| "<svg>".repeat(n)),
    ("svg in html in svg", |n| "<svg><desc>".repeat(n)),
    ("styles in svg", |n| "<svg><style>".repeat(n)),
    ("scripts", |n| "<script><!--<script>".repeat(n)),
    ("scripts closed as in XML, in a comment", |n| {
        format!("<?xml version='1.0'?><!-- {} -->", "<script/>x".repeat(n))
    }),
    ("select", |n| "<select><option>".repeat(n)),
    ("plaintext", |n| "<plaintext>".to_owned() + &"<a href=x>".repeat(n)),
    // Markdown is rewritten, and read for `audit --sources`, up to 1 MiB.
    ("Markdown: [", |n| "[".repeat(n)),
    ("Markdown: ![", |n| "![".repeat(n)),
    ("Markdown: ](", |n| "](".repeat(n)),
    ("Markdown: `", |n| "`".repeat(n)),
    ("Markdown: <", |n| "<".repeat(n)),
    ("Markdown: >", |n| "> ".repeat(n)),
    ("Markdown: -", |n| "- ".repeat(n)),
    ("Markdown: |", |n| "|".repeat(n)),
    ("Markdown: &", |n| "&".repeat(n)),
];

fn numbered(n: usize, before: &str, after: &str) -> String {
    (0..n).fold(String::new(), |text, index| text + before + &index.to_string() + after)
}

const SMALL: usize = 100_000;
const MOST_TIME: f64 = 4.6;
const MOST_MEMORY: f64 = 3.0;
const SLACK: usize = 64 << 20;

fn main() {
    let args: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match &args[..] {
        [shape, n] => measure(shape, n.parse().unwrap()),
        [only] => process::exit(i32::from(!all(only))),
        _ => process::exit(i32::from(!all(""))),
    }
}

/// Prints seconds, peak memory and the size of the document, in a process of its own.
fn measure(shape: &str, n: usize) {
    let (_, document) = SHAPES.iter().find(|(name, _)| *name == shape).unwrap();
    let document = document(n);
    let mut limits = Limits::default();
    (limits.reference, limits.links, limits.depth) = (0, 0, 0);
    let rewriter = Rewriter::new().base_url("http://host.example/a/b/c").unwrap().limits(limits);
    let mut buffers = Buffers::new();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("page.md"), &document).unwrap();
    let workers = Workers::new(1);
    let mut work = || {
        if shape.starts_with("Markdown") {
            let sources = Sources::read(folder.path(), &workers).unwrap();
            assert!(sources.unread().is_empty());
            let rewriter = rewriter.clone().syntax(Syntax::Markdown);
            rewriter.rewrite_in(document.as_bytes(), &mut buffers).unwrap();
            return;
        }
        let length = rewriter.rewrite_in(document.as_bytes(), &mut buffers).unwrap().bytes().len();
        assert!(length > 0);
    };
    let mut best = f64::MAX;
    let started = Instant::now();
    for round in 0.. {
        let begin = Instant::now();
        work();
        best = best.min(begin.elapsed().as_secs_f64());
        if round >= 4 && started.elapsed().as_secs_f64() > 0.4 {
            break;
        }
    }
    println!("{best} {} {}", peak(), document.len());
}

/// The most memory that this process had, in bytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kilobytes.and_then(|number| number.parse().ok()).unwrap_or(0) * 1024
}

fn all(only: &str) -> bool {
    let run = |shape: &str, n: usize| -> (f64, usize, usize) {
        let output =
            Command::new(env::current_exe().unwrap()).args([shape, &n.to_string()]).output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        let [seconds, peak, size] = text.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{shape}: {text:?}");
        };
        (seconds.parse().unwrap(), peak.parse().unwrap(), size.parse().unwrap())
    };
    let mut is_fine = true;
    println!(
        "{:28} {:>9} {:>9} {:>6} {:>9} {:>7}",
        "shape", "ms 100k", "ms 400k", "ratio", "MB", "peak MB"
    );
    for (shape, _) in SHAPES.iter().filter(|(name, _)| name.contains(only)) {
        let mut ratio = f64::MAX;
        let (mut small, mut large) = ((0.0, 0, 0), (0.0, 0, 0));
        // A noisy machine can make one try slow, and not three.
        for _ in 0..3 {
            let pair = (run(shape, SMALL), run(shape, SMALL * 4));
            if pair.1.0 / pair.0.0 < ratio {
                (small, large) = pair;
                ratio = large.0 / small.0;
            }
            if ratio <= MOST_TIME {
                break;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "sizes of documents")]
        let megabytes = |bytes: usize| bytes as f64 / 1e6;
        let bound = MOST_MEMORY * megabytes(large.2) + megabytes(SLACK);
        // Below 2 ms, noise decides the measured time.
        let is_linear = ratio <= MOST_TIME || large.0 < 2e-3;
        let is_small = megabytes(large.1) <= bound;
        is_fine &= is_linear && is_small;
        println!(
            "{shape:28} {:9.2} {:9.2} {ratio:6.2} {:9.2} {:7.1}{}{}",
            small.0 * 1e3,
            large.0 * 1e3,
            megabytes(large.2),
            megabytes(large.1),
            if is_linear { "" } else { "  NOT LINEAR" },
            if is_small { "" } else { "  TOO MUCH MEMORY" },
        );
    }
    is_fine
}
