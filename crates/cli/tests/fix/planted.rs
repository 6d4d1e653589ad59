//! Faults planted in a tree: `--fix` restores every byte.
//!
//! The copy of a tree is first made free of what `--fix` fixes, and some of its links to index
//! pages lose the name of the page, and some begin at the root. Then each fault goes into a link of
//! its own: another case, a missing slash, a backslash, a redirect, a missing prefix.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use absolve::Rewriter;

use crate::random::Random;
use crate::tree::{copy_tree, is_page, message, snapshot};

/// The faults in one tree.
const FAULTS: usize = 1000;

/// The path that the site is served at.
const PREFIX: &str = "/planted/at/";

/// A link that a fault can go into.
struct Plantable {
    page: usize,
    span: Range<usize>,
    reference: String,
    /// The file or folder that it leads to.
    target: PathBuf,
}

impl Plantable {
    /// Whether it begins with the path that the site is served at.
    fn is_rooted(&self) -> bool {
        self.reference.starts_with(PREFIX)
    }
}

/// A tree that is made for the trial.
pub(crate) fn made() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(message)?;
    for part in ["one", "two/three", "two/four"] {
        let folder = folder.path().join(part);
        fs::create_dir_all(&folder).map_err(message)?;
        for page in 0..20 {
            let mut text = format!("<!doctype html><h1 id=top>Page {page}</h1>\n");
            for to in 0..20 {
                let up = "../".repeat(part.split('/').count());
                text.push_str("<a href=\"page-");
                let _ = write!(text, "{to}.html\">{to}</a> <a href='{up}one/index.html'>");
                let _ = writeln!(text, "<img src={up}two/four/page-{to}.html> &eacute;");
            }
            fs::write(folder.join(format!("page-{page}.html")), text).map_err(message)?;
        }
        fs::write(folder.join("index.html"), "<p>").map_err(message)?;
    }
    site(folder.path())
}

/// Plants faults in a copy of a site, and fixes them.
pub(crate) fn site(original: &Path) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(message)?;
    let copy = folder.path().join("site");
    copy_tree(original, &copy)?;
    fix(&copy)?;
    shorten(&copy)?;
    root(&copy)?;
    fs::write(copy.join("_redirects"), "").map_err(message)?;
    let report = fix(&copy)?;
    if !report.contains("0 findings fixed") {
        fix(&copy)?;
    }
    let seed = std::env::var("ABSOLVE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let planted = plant(&copy, &mut Random(seed))?;
    let before = snapshot(&copy)?;
    let report = fix(&copy)?;
    let after = snapshot(&copy)?;
    let expected = &planted.original;
    let differs = |path: &&PathBuf| expected.get(*path) != after.get(*path);
    if let Some(path) = expected.keys().chain(after.keys()).find(differs) {
        let shown = |files: &BTreeMap<PathBuf, Vec<u8>>| {
            let bytes = files.get(path).map_or(&b""[..], Vec::as_slice);
            let other = expected.get(path).map_or(&b""[..], Vec::as_slice);
            let at = bytes.iter().zip(other).take_while(|(one, other)| one == other).count();
            let (from, to) = (at.saturating_sub(60), (at + 60).min(bytes.len()));
            String::from_utf8_lossy(&bytes[from.min(to)..to]).into_owned()
        };
        let (planted, after) = (shown(&before), shown(&after));
        return Err(format!("{}: planted {planted:?}, fixed {after:?}", path.display()));
    }
    let fixed = format!("{} findings fixed", thousands(planted.count));
    if planted.count < FAULTS.min(500) || !report.lines().any(|line| line == fixed) {
        let end: Vec<&str> = report.lines().rev().take(5).collect();
        return Err(format!("{} planted; the report ends {end:?}", planted.count));
    }
    let again = fix(&copy)?;
    let is_clean =
        again.lines().any(|line| line == "0 findings fixed") && snapshot(&copy)? == after;
    if is_clean { Ok(()) } else { Err("a second run fixes something".to_owned()) }
}

fn thousands(count: usize) -> String {
    if count < 1000 { count.to_string() } else { format!("{},{:03}", count / 1000, count % 1000) }
}

/// The faults in a tree.
struct Planted {
    /// The files as `--fix` should leave them.
    original: BTreeMap<PathBuf, Vec<u8>>,
    count: usize,
}

fn fix(site: &Path) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
    command.args(["audit", "--no-config", "--fix", "--color=never"]);
    command.arg(format!("--base-url=https://planted.example{PREFIX}"));
    let redirects = site.join("_redirects");
    if redirects.exists() {
        command.arg("--redirects").arg(redirects);
    }
    let output = command.env_remove("GITHUB_ACTIONS").arg(site).output().map_err(message)?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Removes the name of the page from some links to index pages, so that there are links to folders.
fn shorten(site: &Path) -> Result<(), String> {
    let mut left = 400;
    for path in snapshot(site)?.keys().filter(|path| is_page(path)) {
        let path = site.join(path);
        let mut page = fs::read(&path).map_err(message)?;
        for (span, reference) in links(&page).into_iter().rev() {
            let name = reference.strip_suffix("/index.html");
            if left > 0 && name.is_some_and(|name| !name.ends_with("..") && !name.is_empty()) {
                page.drain(span.end - "index.html".len()..span.end);
                left -= 1;
            }
        }
        fs::write(&path, page).map_err(message)?;
    }
    Ok(())
}

/// Lets some links begin at the root of the host.
fn root(site: &Path) -> Result<(), String> {
    let files = snapshot(site)?;
    let mut left = 400;
    for page in files.keys().filter(|path| is_page(path)) {
        let mut bytes = files[page].clone();
        for (number, (span, reference)) in links(&bytes).into_iter().enumerate().rev() {
            let target = resolved(page, &reference).filter(|target| files.contains_key(target));
            let path = target.as_ref().and_then(|target| target.to_str());
            let path = path.filter(|path| path.contains('/') && path.bytes().all(is_plain));
            if let Some(path) = path.filter(|_| left > 0 && number % 7 == 0) {
                bytes.splice(span, format!("{PREFIX}{path}").into_bytes());
                left -= 1;
            }
        }
        fs::write(site.join(page), bytes).map_err(message)?;
    }
    Ok(())
}

/// Plants faults; each has a link of its own.
fn plant(site: &Path, random: &mut Random) -> Result<Planted, String> {
    let original = snapshot(site)?;
    let mut lower: HashMap<String, usize> = HashMap::new();
    for path in original.keys() {
        *lower.entry(path.to_string_lossy().to_lowercase()).or_default() += 1;
    }
    let pages: Vec<&PathBuf> = original.keys().filter(|path| is_page(path)).collect();
    let mut plantable = Vec::new();
    for (page, path) in pages.iter().enumerate() {
        for (span, reference) in links(&original[*path]) {
            let Some(target) = resolved(path, &reference) else { continue };
            let is_only = lower.get(&target.to_string_lossy().to_lowercase()) == Some(&1);
            let has_index = || {
                let pages = ["index.html", "index.htm"];
                pages.iter().any(|page| original.contains_key(&target.join(page)))
            };
            let is_file = is_only && original.contains_key(&target);
            if if reference.ends_with('/') { has_index() } else { is_file } {
                plantable.push(Plantable { page, span, reference, target });
            }
        }
    }
    let mut redirects = String::new();
    let mut edits: BTreeMap<usize, Vec<(Range<usize>, String)>> = BTreeMap::new();
    let (mut count, mut kind) = (0, 0);
    // Links of the rarer kinds come first.
    let is_rare = |link: &Plantable| link.reference.ends_with('/') || link.is_rooted();
    let (mut rare, mut plantable): (Vec<_>, Vec<_>) = plantable.into_iter().partition(is_rare);
    while count < FAULTS && !plantable.is_empty() {
        let from = if rare.is_empty() || count % 2 == 0 { &mut plantable } else { &mut rare };
        let link = from.swap_remove(random.below(from.len()));
        let fault = fault(&link, &mut kind, count, &mut redirects);
        let Some(fault) = fault.filter(|fault| *fault != link.reference) else { continue };
        edits.entry(link.page).or_default().push((link.span, fault));
        count += 1;
    }
    for (page, mut edits) in edits {
        let mut bytes = original[pages[page]].clone();
        edits.sort_by_key(|(span, _)| span.start);
        for (span, fault) in edits.into_iter().rev() {
            bytes.splice(span, fault.into_bytes());
        }
        fs::write(site.join(pages[page]), bytes).map_err(message)?;
    }
    fs::write(site.join("_redirects"), &redirects).map_err(message)?;
    let mut original = original;
    original.insert("_redirects".into(), redirects.into_bytes());
    Ok(Planted { original, count })
}

/// A link with a fault of the next kind that it can have.
fn fault(
    link: &Plantable,
    kind: &mut usize,
    number: usize,
    redirects: &mut String,
) -> Option<String> {
    let reference = &link.reference;
    if link.is_rooted() {
        return Some(reference[PREFIX.len() - 1..].to_owned());
    }
    if let Some(folder) = reference.strip_suffix('/') {
        return Some(folder.to_owned());
    }
    *kind += 1;
    let name = reference.rfind('/').map_or(0, |slash| slash + 1);
    match *kind % 3 {
        0 if reference.contains('/') => Some(reference.replace('/', "\\")),
        1 => {
            let moved = format!("moved-{number}");
            let from = link.target.with_file_name(&moved);
            let _ = writeln!(redirects, "/{} /{} 301", from.display(), link.target.display());
            Some(format!("{}{moved}", &reference[..name]))
        }
        _ => {
            let letter = reference[name..].find(|c: char| c.is_ascii_alphabetic())? + name;
            let mut other = reference.clone();
            let swapped = match other.as_bytes()[letter] {
                byte if byte.is_ascii_uppercase() => byte.to_ascii_lowercase(),
                byte => byte.to_ascii_uppercase(),
            };
            other.replace_range(letter..=letter, &(swapped as char).to_string());
            Some(other)
        }
    }
}

/// The links of a page that are plain paths, relative or with the prefix, in order.
fn links(page: &[u8]) -> Vec<(Range<usize>, String)> {
    let mut links = Vec::new();
    let read = Rewriter::new().links(page, |link| {
        let reference = link.reference();
        let name = reference.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        if let (Some(span), None) = (link.span(), link.enclosing())
            && link.attribute() == "href"
            && !name.is_empty()
            && !name.contains("..")
            && name != "."
            && (!reference.starts_with('/') || reference.starts_with(PREFIX))
            && reference.bytes().all(is_plain)
            && span.len() == reference.len()
        {
            links.push((span, reference.to_owned()));
        }
    });
    read.map_or_else(|_| Vec::new(), |_| links)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_./".contains(&byte)
}

/// The path that a plain reference leads to.
fn resolved(page: &Path, reference: &str) -> Option<PathBuf> {
    if let Some(path) = reference.strip_prefix(PREFIX) {
        return Some(path.into());
    }
    let mut path = page.parent()?.to_owned();
    for part in Path::new(reference).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir if !path.pop() => return None,
            _ => {}
        }
    }
    Some(path)
}
