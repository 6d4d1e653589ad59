//! Pages and megabytes a second of the engines, and of other rewriters that a
//! Rust program could use in their place, on the same pages in one thread.
//!
//! Pages are every `*.html` below the folder that `ABSOLVE_BENCH_PAGES` names, or
//! the fixtures. They are read beforehand; what is timed is one page in, one page
//! out, its base URL parsed, its links resolved by RFC 1808. With
//! `ABSOLVE_BENCH_WRITE` naming a folder, what each row made is written below it,
//! in a folder of the row's name.
//!
//! The peers know UTF-8 alone, so pages in other encodings are left out. They
//! change `href` and `src` alone, and take the URL that the page was retrieved from
//! as its base whatever the page says.

#![expect(clippy::print_stdout, reason = "it prints its figures")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark fails by panicking")]

mod measure;
mod peers;

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use absolve::{Buffers, Engine, LinkOutcome, Rewriter};
use measure::{Round, medians, rounds};
use peers::Output;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");

struct Page {
    /// Its path below the folder.
    path: PathBuf,
    /// URL from which it was retrieved.
    url: String,
    source: Vec<u8>,
}

/// A row of the table.
struct Row {
    name: &'static str,
    /// The attributes whose references it makes absolute; all of them if empty.
    attributes: &'static [&'static str],
    /// Rewrites one page, and says how many links it changed.
    rewrite: for<'p> fn(&'p [u8], &str, &'p mut Memory) -> Output<'p>,
    /// Markup that follows every page.
    after: &'static str,
}

impl Row {
    fn source<'p>(&self, page: &'p Page) -> Cow<'p, [u8]> {
        match self.after {
            "" => Cow::Borrowed(&page.source),
            after => Cow::Owned([&page.source, after.as_bytes()].concat()),
        }
    }
}

/// Buffers that every row uses again from page to page.
#[derive(Default)]
pub(crate) struct Memory {
    buffers: Buffers,
    pub(crate) out: Vec<u8>,
}

/// The last row is what the others are compared to.
const ROWS: &[Row] = &[
    Row { name: "absolve-splice", attributes: &[], rewrite: splice, after: "" },
    // The fast scanner bails out on a template, and the exact one reads the page.
    Row { name: "absolve-exact", attributes: &[], rewrite: splice, after: TEMPLATE },
    Row { name: "absolve-dom", attributes: &[], rewrite: dom, after: "" },
    Row { name: "lol_html", attributes: LINKS, rewrite: peers::lol_html, after: "" },
    Row { name: "html5ever-rcdom", attributes: LINKS, rewrite: peers::rcdom, after: "" },
];

const LINKS: &[&str] = &["href", "src"];
const TEMPLATE: &str = "<template></template>";

fn splice<'p>(source: &'p [u8], url: &str, memory: &'p mut Memory) -> Output<'p> {
    let rewriter = Rewriter::new().base_url(url).unwrap();
    let rewritten = rewriter.rewrite_in(source, &mut memory.buffers).unwrap();
    let links = rewritten.counts().rewritten;
    (rewritten.into_bytes(), links)
}

fn dom<'p>(source: &'p [u8], url: &str, memory: &'p mut Memory) -> Output<'p> {
    let rewriter = Rewriter::new().engine(Engine::Dom).base_url(url).unwrap();
    let rewritten = rewriter.rewrite_in(source, &mut memory.buffers).unwrap();
    let links = rewritten.counts().rewritten;
    (rewritten.into_bytes(), links)
}

fn main() {
    let folder = std::env::var_os("ABSOLVE_BENCH_PAGES").map(PathBuf::from);
    let (pages, left_out) = read_pages(folder.as_deref());
    let bytes: usize = pages.iter().map(|page| page.source.len()).sum();
    println!("{} pages, {:.1} MB; {left_out} left out", pages.len(), millions(bytes));
    let links: Vec<usize> = ROWS.iter().map(|row| check(row, &pages)).collect();
    let mut contenders: Vec<_> = ROWS
        .iter()
        .map(|row| Box::new(|| round(row, &pages)) as Box<dyn FnMut() -> Round>)
        .collect();
    // Enough rounds for a median, and no more of them than patience lasts.
    let many = (400_000_000 / bytes.max(1)).clamp(5, 101);
    let times = medians(rounds(many), &mut contenders);
    let last = times[ROWS.len() - 1].as_secs_f64();
    println!("{:<18}{:>10}{:>12}{:>10}{:>9}", "", "links", "pages/s", "MB/s", "x last");
    for ((row, links), time) in ROWS.iter().zip(links).zip(times) {
        let seconds = time.as_secs_f64();
        let rate = millions(pages.len()) * 1e6 / seconds;
        let speed = millions(bytes) / seconds;
        println!("{:<18}{links:>10}{rate:>12.0}{speed:>10.1}{:>9.2}", row.name, last / seconds);
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of some hundred millions")]
fn millions(count: usize) -> f64 {
    count as f64 / 1e6
}

/// Rewrites every page once; the clock is stopped while the result is inspected.
fn round(row: &Row, pages: &[Page]) -> Round {
    let mut time = Duration::ZERO;
    let mut memory = Memory::default();
    let mut digest = DefaultHasher::new();
    for page in pages {
        let source = row.source(page);
        let start = Instant::now();
        let (output, links) = (row.rewrite)(&source, &page.url, &mut memory);
        time += start.elapsed();
        (&*output, links).hash(&mut digest);
    }
    (time, digest.finish())
}

/// Asserts that no link of the output is relative, where the engine should have
/// made it absolute, and returns how many it changed.
fn check(row: &Row, pages: &[Page]) -> usize {
    let folder = std::env::var_os("ABSOLVE_BENCH_WRITE").map(|out| Path::new(&out).join(row.name));
    let mut links = 0;
    for page in pages {
        let (source, mut memory) = (row.source(page), Memory::default());
        let (output, changed) = (row.rewrite)(&source, &page.url, &mut memory);
        links += changed;
        let counts =
            |attribute: &str| row.attributes.is_empty() || row.attributes.contains(&attribute);
        Rewriter::new()
            .links(&output, |link| {
                let is_absolute = !matches!(link.outcome(), LinkOutcome::Unresolved);
                let (page, place) = (page.path.display(), link.reference());
                assert!(
                    is_absolute || !counts(link.attribute()),
                    "{}: {page}: {place:?}",
                    row.name
                );
            })
            .unwrap();
        if let Some(folder) = &folder {
            let path = folder.join(&page.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, output).unwrap();
        }
    }
    links
}

/// The pages in the order of their paths, and how many are not in UTF-8.
fn read_pages(folder: Option<&Path>) -> (Vec<Page>, usize) {
    let root = folder.unwrap_or(Path::new(FIXTURES));
    let mut paths = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).expect("ABSOLVE_BENCH_PAGES is a readable folder");
        for entry in entries.map(Result::unwrap) {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            // The fixtures in folders are odd bases and encodings, which peers do not know.
            if kind.is_dir() && root != Path::new(FIXTURES) {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|end| end == "html") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let found = paths.len();
    let pages: Vec<Page> = paths.iter().filter_map(|path| read_page(root, path)).collect();
    let left_out = found - pages.len();
    (pages, left_out)
}

fn read_page(root: &Path, path: &Path) -> Option<Page> {
    let source = fs::read(path).unwrap();
    str::from_utf8(&source).ok()?;
    let path = path.strip_prefix(root).unwrap().to_owned();
    let url = format!("http://host.example/{}", path.to_str()?);
    Some(Page { path, url, source })
}
