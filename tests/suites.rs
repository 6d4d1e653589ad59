//! Suites made by others: the cases of the URL Standard, and html5lib's documents
//! and encodings.
//!
//! The folder that `ABSOLVE_TEST_DATA` names has them: `html5lib-tests` with `tree-construction`
//! and `encoding`, and `url/urltestdata.json`. Without that variable, they are counted as ignored.
//! Each list of known differences under `tests/data` is exact: an unlisted difference fails, and an
//! entry that no longer differs fails too.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod oracle;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use absolve::grammar::Grammar;
use absolve::url::{Base, Resolution, Standard};
use absolve::{Engine, Rewriter, detect};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use url::Url;

const DATA: &str = "ABSOLVE_TEST_DATA";

/// A suite runs on the folder of the data.
type Suite = fn(&Path) -> Result<(), Failed>;

const SUITES: &[(&str, Suite)] = &[
    ("url_standard_resolves_as_its_cases_say", url_cases),
    ("html5lib_links_are_those_of_the_parsers_tree", links_of_documents),
    ("html5lib_documents_are_fixed_points", fixed_points),
    ("html5lib_encodings_are_detected", encodings),
];

fn main() -> ExitCode {
    let data = env::var_os(DATA).map(PathBuf::from);
    let trial = |&(name, suite): &(&str, Suite)| match data.clone() {
        Some(data) => Trial::test(name, move || suite(&data)),
        None => Trial::test(format!("{name} ({DATA} is unset)"), || Ok(())).with_ignored_flag(true),
    };
    let trials = SUITES.iter().map(trial).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Compares the differences from a suite, by the name of the case, with an exact list: each line is
/// a name, a tab and a reason.
fn hold_against(list: &str, mut differences: BTreeMap<String, String>) -> Result<(), Failed> {
    let mut report = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with("# ") && !line.is_empty()) {
        match line.rsplit_once('\t') {
            Some((name, reason)) if !reason.is_empty() => {
                if differences.remove(name).is_none() {
                    report.push(format!("{name}: listed, and does not differ"));
                }
            }
            _ => report.push(format!("{line}: listed without a reason")),
        }
    }
    report.extend(differences.iter().map(|(name, difference)| format!("{name}: {difference}")));
    if report.is_empty() { Ok(()) } else { Err(report.join("\n").into()) }
}

/// <https://github.com/web-platform-tests/wpt/tree/master/url#urltestdatajson>
fn url_cases(data: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(data.join("url/urltestdata.json"))?;
    let cases: Vec<Value> = serde_json::from_str(&text)?;
    let mut differences = BTreeMap::new();
    let mut count = 0;
    // Strings between the cases are comments.
    for case in cases.iter().filter(|case| case.is_object()) {
        count += 1;
        let (input, base) = (case["input"].as_str().unwrap(), case["base"].as_str());
        let expected = if case["failure"] == true { None } else { case["href"].as_str() };
        let base_url = base.map(Base::unchecked);
        let found = match Standard::Whatwg.resolve(base_url.as_ref(), input) {
            // A reference with a scheme stays as written, and a parser normalizes it.
            Ok(Resolution::Absolute(url)) => Url::parse(&url).ok().map(String::from),
            Ok(Resolution::Resolved(url)) => Some(url),
            _ => None,
        };
        if found.as_deref() != expected {
            let name = match base {
                Some(base) => format!("{input:?} against {base:?}"),
                None => format!("{input:?}"),
            };
            differences.insert(name, format!("gives {found:?}, expected {expected:?}"));
        }
    }
    assert_eq!(count, 819);
    hold_against(include_str!("data/url_expected_failures.txt"), differences)
}

/// Every document of the suite under `file:index`, index counted from 1.
///
/// <https://github.com/html5lib/html5lib-tests/tree/master/tree-construction>
fn documents(data: &Path) -> BTreeMap<String, String> {
    let root = data.join("html5lib-tests/tree-construction");
    let mut documents = BTreeMap::new();
    for path in files(&root) {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let text = fs::read_to_string(&path).unwrap();
        for (index, case) in cases(&text, "#errors").enumerate() {
            documents.insert(format!("{name}:{}", index + 1), case.0.to_owned());
        }
    }
    assert_eq!(documents.len(), 1796);
    documents
}

/// All `.dat` files of a folder and those in it.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut work = vec![root.to_owned()];
    while let Some(folder) = work.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|extension| extension == "dat") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The data of each case, and what is after the heading that ends it; the
/// line feed before a heading belongs to the format.
fn cases<'t>(text: &'t str, heading: &str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let end = format!("\n{heading}\n");
    let text = text.strip_prefix("#data\n").unwrap();
    text.split("\n#data\n").map(move |case| {
        // An empty document has no line feed of its own.
        let empty = case.strip_prefix(&end[1..]).map(|rest| ("", rest));
        empty.or_else(|| case.split_once(&end)).unwrap_or_else(|| panic!("no {heading} in {case}"))
    })
}

fn rewriter() -> Rewriter {
    let rewriter =
        Rewriter::new().base_url("http://base.example/dir/").unwrap().engine(Engine::Dom);
    rewriter.encoding("utf-8").unwrap()
}

/// The suite's documents hold few links, so each is tried a second time with one in
/// every start tag.
fn links_of_documents(data: &Path) -> Result<(), Failed> {
    let mut differences = BTreeMap::new();
    let mut count = 0;
    for (name, text) in documents(data) {
        for text in [with_links(&text), text] {
            let expected = oracle::links(&text);
            count += expected.len();
            match links(&text) {
                Ok(found) if found == expected => {}
                found => {
                    let what = format!("{text:?} has {found:?}, expected {expected:?}");
                    differences.insert(name.clone(), what);
                }
            }
        }
    }
    assert!(count >= 4_000, "only {count} links in all documents");
    hold_against(LINK_DIFFERENCES, differences)
}

/// In a `noscript`, links of tags count that no tree builder makes an element of.
const LINK_DIFFERENCES: &str = "noscript01.dat:13\ta `head` in a `noscript`";

/// The links of grammar `url` that the engine finds when it rewrites a document, be it written
/// then or not.
fn links(text: &str) -> Result<Vec<oracle::Place>, absolve::Error> {
    let mut links: Vec<oracle::Place> = Vec::new();
    let result = rewriter().rewrite_with(text.as_bytes(), |link| {
        if link.grammar() == Grammar::Url {
            let place = [link.element(), link.attribute(), link.reference()];
            links.push(place.map(str::to_owned).into());
        }
        link.replacement_url().map(str::to_owned)
    });
    if let Err(error) = result
        && !error.is_tree_change()
    {
        return Err(error);
    }
    let mut seen = 0;
    let count = |link: &absolve::Link<'_>| seen += usize::from(link.grammar() == Grammar::Url);
    rewriter().links(text.as_bytes(), count)?;
    assert_eq!(seen, links.len(), "{text:?}");
    Ok(links)
}

/// The document with an `href` of its own after every name that looks like that
/// of a start tag.
fn with_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<').map(|at| at + 1) {
        let name = &rest[start..];
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic());
        let length = name.find(['\t', '\n', '\x0c', ' ', '/', '>', '<']).unwrap_or(name.len());
        let end = if is_name { start + length } else { start };
        out.push_str(&rest[..end]);
        if is_name {
            let unique = out.len().to_string();
            out.extend([" href=", &unique]);
        }
        rest = &rest[end..];
    }
    out + rest
}

fn fixed_points(data: &Path) -> Result<(), Failed> {
    let again = |source: &[u8]| {
        let result = rewriter().rewrite_with(source, |_| None)?;
        Ok::<_, absolve::Error>(String::from_utf8_lossy(result.bytes()).into_owned())
    };
    let mut differences = BTreeMap::new();
    for (name, text) in documents(data) {
        match again(text.as_bytes()) {
            Ok(once) => {
                let twice = again(once.as_bytes()).map_err(|error| format!("{name}: {error}"))?;
                assert_eq!(once, twice, "{name}: {text:?} is written as another document twice");
            }
            Err(error) if error.is_tree_change() => {
                differences.insert(name, format!("{text:?}: {error}"));
            }
            Err(error) => return Err(format!("{name}: {error}").into()),
        }
    }
    hold_against(include_str!("data/not_fixed_points.txt"), differences)
}

/// <https://github.com/html5lib/html5lib-tests/tree/master/encoding>
fn encodings(data: &Path) -> Result<(), Failed> {
    let root = data.join("html5lib-tests/encoding");
    let mut differences = BTreeMap::new();
    let mut count = 0;
    for path in files(&root) {
        let name = path.strip_prefix(&root)?.display().to_string();
        let bytes = fs::read(&path)?;
        // In windows-1252 each byte is one character, and comes back as that byte.
        let text = WINDOWS_1252.decode_without_bom_handling(&bytes).0;
        for (index, (document, label)) in cases(&text, "#encoding").enumerate() {
            count += 1;
            let source = WINDOWS_1252.encode(document).0;
            let found = detect(&source, None).encoding;
            let expected = Encoding::for_label(label.trim().as_bytes()).unwrap();
            // Nothing declared: the suite takes windows-1252, and absolve what is valid.
            let by_validity =
                expected == WINDOWS_1252 && found == UTF_8 && str::from_utf8(&source).is_ok();
            if found != expected && !by_validity {
                let what = format!("{}, expected {}", found.name(), expected.name());
                differences.insert(format!("{name}:{}", index + 1), what);
            }
        }
    }
    assert!(count >= 80, "only {count} cases");
    hold_against(include_str!("data/encoding_differences.txt"), differences)
}
