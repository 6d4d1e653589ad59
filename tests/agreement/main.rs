//! The splice engine against html5ever, and what happens to the bytes: the five properties over
//! fixtures, html5lib-tests, tag soup, and arbitrary bytes.
//!
//! `ABSOLVE_TEST_DATA` names the folder that holds html5lib-tests. `ABSOLVE_SOUP` is the number of
//! documents of tag soup (500 by default, 2,000 in CI), and `ABSOLVE_SEED` seeds the generator.
//! `ABSOLVE_PAGES` names a folder of more pages to check. `ABSOLVE_FIGURES`, set to anything, shows
//! the counts of each trial.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod check;
#[path = "../random/heads.rs"]
mod heads;
#[path = "../random/mod.rs"]
mod random;
mod soup;

use std::path::{Path, PathBuf};

use absolve::BaseScope;
use check::{Figures, Settings, all, encoded, smallest};
use libtest_mimic::{Arguments, Failed, Trial};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use random::Random;

/// Documents of tag soup in one trial.
const BATCH: usize = 1000;

fn main() {
    let arguments = Arguments::from_args();
    // html5ever's panics are not news.
    std::panic::set_hook(Box::new(|_| {}));
    let mut trials = vec![
        Trial::test("fixtures", fixtures),
        Trial::test("arbitrary_bytes", arbitrary_bytes),
        Trial::test("arbitrary_markup", arbitrary_markup),
        Trial::test("heads_with_noscript", heads_with_noscript),
    ];
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let count = number("ABSOLVE_SOUP").unwrap_or(500);
    let seed = number("ABSOLVE_SEED").unwrap_or(1) as u64;
    for start in (0..count).step_by(BATCH) {
        let size = BATCH.min(count - start);
        let seed = seed + (start as u64) * 1_000_003;
        trials.push(Trial::test(format!("tag_soup/{start:06}"), move || tag_soup(seed, size)));
    }
    match std::env::var_os("ABSOLVE_TEST_DATA") {
        Some(folder) => trials.extend(html5lib(Path::new(&folder))),
        None => {
            trials.push(ignored("set ABSOLVE_TEST_DATA to the folder that holds html5lib-tests"));
        }
    }
    match std::env::var_os("ABSOLVE_PAGES") {
        Some(folder) => trials.push(Trial::test("pages", move || pages(Path::new(&folder)))),
        None => trials.push(ignored("set ABSOLVE_PAGES to a folder of pages")),
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn ignored(name: &str) -> Trial {
    Trial::test(name, || Ok(())).with_ignored_flag(true)
}

/// Adds up what the checks come to, and keeps what fails.
#[derive(Default)]
struct Tally {
    figures: Figures,
    encoded: usize,
    failures: Vec<String>,
}

impl Tally {
    /// More failures are not looked at: to make a document smaller takes a while.
    const MOST: usize = 3;

    fn is_full(&self) -> bool {
        self.failures.len() >= Self::MOST
    }

    fn check(&mut self, settings: &Settings, source: &[u8]) {
        if self.is_full() {
            return;
        }
        if let Ok(figures) = all(settings, source) {
            self.figures.add(figures);
            return;
        }
        let source = smallest(source, |source| all(settings, source).is_err());
        let error = all(settings, &source).err().unwrap_or_default();
        self.fail(settings, &source, &error);
    }

    fn check_encoded(&mut self, settings: &Settings, text: &str, label: &'static str) {
        if self.is_full() {
            return;
        }
        let run = |bytes: &[u8]| match std::str::from_utf8(bytes) {
            Ok(text) => encoded(settings, text, label),
            Err(_) => Ok(false),
        };
        if let Ok(is_held) = run(text.as_bytes()) {
            self.encoded += usize::from(is_held);
            return;
        }
        let text = smallest(text.as_bytes(), |text| run(text).is_err());
        let error = run(&text).err().unwrap_or_default();
        self.fail(settings, &text, &format!("{label}: {error}"));
    }

    fn fail(&mut self, settings: &Settings, source: &[u8], error: &str) {
        self.failures.push(format!("b\"{}\" {settings:?}\n  {error}", source.escape_ascii()));
    }

    #[expect(clippy::print_stderr, reason = "figures are shown on request")]
    fn finish(self) -> Result<(), Failed> {
        if std::env::var_os("ABSOLVE_FIGURES").is_some() {
            eprintln!("{:?} {} in another encoding", self.figures, self.encoded);
        }
        if self.failures.is_empty() { Ok(()) } else { Err(self.failures.join("\n").into()) }
    }
}

/// Chooses the base URL and the options of a document.
fn settings(random: &mut Random) -> Settings {
    const BASES: &[&str] = &[
        "http://h.example/d/e/f.html",
        "http://h.example/d/e/f.html;p?q&copy=1#f",
        "http://h.example",
        "file:///d/e",
        "http://u:p@h.example/d%20e/?a='\"<>&lt",
    ];
    let base = (!random.once_in(6)).then(|| random.pick(BASES).to_owned());
    let scope = if random.once_in(3) { BaseScope::Document } else { BaseScope::Head };
    Settings { base, scope, encoding: None }
}

fn tag_soup(seed: u64, size: usize) -> Result<(), Failed> {
    const ENCODINGS: &[&str] = &[
        "utf-16le",
        "utf-16be",
        "shift_jis",
        "euc-kr",
        "gb18030",
        "big5",
        "iso-2022-jp",
        "windows-1252",
        "euc-jp",
        "gbk",
        "koi8-r",
    ];
    let mut random = Random(seed);
    let mut tally = Tally::default();
    for number in 0..size {
        let text = soup::document(&mut random);
        let settings = settings(&mut random);
        if number % 4 == 0 {
            let bytes = soup::spoil(&mut random, &text);
            let encoding = random.once_in(2).then(|| random.pick(ENCODINGS));
            tally.check(&Settings { encoding, ..settings.clone() }, &bytes);
        } else {
            tally.check(&settings, text.as_bytes());
        }
        if number % 4 == 2 {
            let text = soup::declare(&mut random, &text);
            let bytes = soup::spoil(&mut random, &text);
            tally.check(&settings, &bytes);
        }
        tally.check_encoded(&settings, &text, random.pick(ENCODINGS));
    }
    tally.finish()
}

fn heads_with_noscript() -> Result<(), Failed> {
    let mut random = Random(1);
    let mut tally = Tally::default();
    for _ in 0..500 {
        let text = heads::document(&mut random);
        tally.check(&settings(&mut random), text.as_bytes());
    }
    tally.finish()
}

/// Documents that a fuzz target found.
const FOUND: &[&str] = &[
    // A link inside a reference of a style sheet.
    "<svg><style>@import url(xle><select><a href=3></select>>frame);</style></svg>",
];

fn fixtures() -> Result<(), Failed> {
    let mut tally = Tally::default();
    for source in FOUND {
        tally.check(&Settings::default(), source.as_bytes());
    }
    for file in files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures")), &["html"]) {
        let source = std::fs::read(&file)?;
        for scope in [BaseScope::Head, BaseScope::Document] {
            tally.check(&Settings { scope, ..Settings::default() }, &source);
            tally.check(&Settings { scope, base: None, ..Settings::default() }, &source);
        }
    }
    tally.finish()
}

fn pages(folder: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for file in files(folder, &["html", "htm", "en", "de", "fr", "ja", "ko", "es", "tr"]) {
        tally.check(&Settings::default(), &std::fs::read(&file)?);
    }
    tally.finish()
}

/// The files below a folder whose names end so, in order.
fn files(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for path in entries.map(|entry| entry.expect("a readable folder").path()) {
            let is_wanted = |end: &&str| path.extension().is_some_and(|own| own == *end);
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.is_file() && !path.is_symlink() && ends.iter().any(is_wanted) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// A trial for each file of the tree construction tests.
fn html5lib(folder: &Path) -> Vec<Trial> {
    let folder = folder.join("html5lib-tests/tree-construction");
    let trial = |file: PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(format!("html5lib/{name}"), move || html5lib_file(&file))
    };
    files(&folder, &["dat"]).into_iter().map(trial).collect()
}

/// Each document as it is, and with links at many places.
fn html5lib_file(file: &Path) -> Result<(), Failed> {
    let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
    let mut random = Random(text.len() as u64);
    let mut tally = Tally::default();
    for test in format!("\n{text}").split("\n#data\n").skip(1) {
        let document = test.split("\n#errors").next().unwrap_or(test);
        tally.check(&settings(&mut random), document.as_bytes());
        for _ in 0..8 {
            let document = soup::insert(&mut random, document);
            tally.check(&settings(&mut random), document.as_bytes());
        }
    }
    tally.finish()
}

fn arbitrary_bytes() -> Result<(), Failed> {
    run(prop::collection::vec(any::<u8>(), 0..200))
}

fn arbitrary_markup() -> Result<(), Failed> {
    #[rustfmt::skip]
    const PIECES: &[&[u8]] = &[
        b"<", b"<", b">", b"/", b"!", b"--", b"-", b"=", b"'", b"\"", b"&", b"#", b";", b" ", b"\n",
        b"\r", b"\x0c", b"\0", b"a", b"u7", b"\xe9", b"\xc3\xa9", b"script", b"<script", b"</script",
        b"<!--", b"-->", b"--!>", b"<!", b"<?", b"]]>", b"<![CDATA[", b"<svg>", b"<style>",
        b"</style", b"<title>", b"</title", b"href=u1", b"src='u2'", b"<a href=u3>", b"<p src=u4",
        b"<textarea", b"</textarea>", b"doctype", b"<math>", b"<mi>", b"</mi>", b"<x", b"</x",
        b"<desc>", b"<plaintext", b"url(", b")", b"@import ", b"<img srcset=", b"style=", b",",
        b"<meta http-equiv=refresh content=", b"5;url=", b"<base href=", b"<iframe srcdoc=", b"\xff\xfe",
        b"<meta charset=", b"utf-16", b"shift_jis", b"iso-2022-jp", b"\x1b$B", b"&amp;", b"&#10", b"\xef\xbb\xbf",
    ];
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..40);
    run(pieces.prop_map(|pieces| pieces.concat()))
}

fn run(strategy: impl Strategy<Value = Vec<u8>>) -> Result<(), Failed> {
    let config = Config { failure_persistence: None, ..Config::default() };
    let check = |source: Vec<u8>| {
        let fail = |error| TestCaseError::fail(format!("b\"{}\": {error}", source.escape_ascii()));
        all(&Settings::default(), &source).map(|_| ()).map_err(fail)
    };
    TestRunner::new(config).run(&strategy, check).map_err(|error| error.to_string().into())
}
