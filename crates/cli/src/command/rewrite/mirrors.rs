//! Warnings about mirrors of sites: pages that were only copied because of their names, and links
//! that became URLs with names of files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use absolve_files::read_beginning;
use absolve_site::report::display::thousands;
use memchr::memmem;
use walkdir::{DirEntry, WalkDir};

use crate::args::{BaseUrlArgs, RewriteArgs};
use crate::terminal::{Messages, printable, printable_path};

/// Maximum bytes to read at the beginning of a copied file.
const MAX_START_BYTES: usize = 512;

/// Maximum number of patterns that a message names.
const MAX_PATTERNS: usize = 3;

/// The pages among files that were only copied, since their names do not match the patterns of
/// documents.
#[derive(Default)]
pub(super) struct CopiedPages {
    count: u64,
    /// Patterns that match the names of these pages.
    patterns: BTreeSet<String>,
}

impl CopiedPages {
    /// Counts a copied file, if it is a page. A symbolic link is copied as a link, and no pattern
    /// selects it.
    pub(super) fn add(&mut self, path: &Path) {
        if path.is_symlink()
            || !read_beginning(path, MAX_START_BYTES).is_ok_and(|beginning| is_page(&beginning))
        {
            return;
        }
        self.count += 1;
        if self.patterns.len() <= MAX_PATTERNS {
            self.patterns
                .insert(make_pattern(&path.file_name().unwrap_or_default().to_string_lossy()));
        }
    }

    /// Warns of the pages, and names the options that rewrite them.
    pub(super) fn warn(&self, args: &RewriteArgs, messages: Messages) {
        if self.count == 0 {
            return;
        }
        let globs = args.inputs.files.globs.globs();
        // `--include` replaces the default patterns, so the advice repeats them.
        let defaults: &[&str] = match (globs.has_defaults(), args.direction.is_default()) {
            (false, _) => &[],
            (true, true) => &["*.html"],
            (true, false) => &["*.html", "*.css"],
        };
        let patterns = self.patterns.iter().map(String::as_str).take(MAX_PATTERNS);
        let patterns = patterns.filter(|glob| !defaults.contains(glob));
        let options = defaults.iter().copied().chain(patterns);
        let options: Vec<_> =
            options.map(|glob| format!("--include '{}'", printable(glob))).collect();
        let more = if self.patterns.len() > MAX_PATTERNS { " and so on" } else { "" };
        let options = options.join(" ") + more;
        messages.warning(match self.count {
            1 => format!("1 copied file is an HTML page; {options} rewrites it"),
            count => {
                let count = thousands(count);
                format!("{count} copied files are HTML pages; {options} rewrites them")
            }
        });
    }
}

/// Creates a pattern that matches a name and similar names.
fn make_pattern(name: &str) -> String {
    let is_extension =
        |end: &&str| end.len() <= 8 && end.bytes().all(|b| b.is_ascii_alphanumeric());
    match name.rsplit_once('.').map(|(_, end)| end).filter(is_extension) {
        _ if name.contains('?') => "*[?]*".to_owned(),
        _ if name.contains('@') => "*@*".to_owned(),
        Some(end) => format!("*.{end}"),
        None => name.replace(['[', '*', '{', '\\'], "?"),
    }
}

/// Whether a file begins with an element that only pages have, after white space, comments and
/// instructions ([MIME Sniffing][sniff]).
///
/// [sniff]: https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type
fn is_page(beginning: &[u8]) -> bool {
    const STARTS: &[&str] = &["<!doctype html", "<html", "<head", "<title", "<body"];
    let text =
        String::from_utf8_lossy(beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning));
    let mut text = text.trim_start();
    while let Some((start, end)) =
        [("<!--", "-->"), ("<?xml", "?>")].into_iter().find(|(start, _)| text.starts_with(start))
    {
        let after = text[start.len()..].split_once(end);
        text = after.map_or("", |(_, after)| after.trim_start());
    }
    STARTS.iter().any(|start| {
        let (name, after) = text.split_at_checked(start.len()).unwrap_or_default();
        let ends = after.starts_with(|next: char| next == '>' || next.is_ascii_whitespace());
        name.eq_ignore_ascii_case(start) && ends
    })
}

/// Maximum number of names in a folder to look at.
const MAX_NAMES: usize = 2000;

/// Maximum number of files with queries in their names, and of pages to search beside each.
const MAX_PAGES: usize = 8;

/// Maximum bytes of a page to search.
const MAX_PAGE_BYTES: usize = 256 * 1024;

/// Warns of mirrors whose links name files instead of the URLs of the site, unless an option gives
/// the URLs of files.
pub(super) fn warn_of_file_names(folders: &[PathBuf], base: &BaseUrlArgs, messages: Messages) {
    if base.has_records() {
        return;
    }
    for folder in folders {
        let name = printable_path(folder);
        let (program, instead) = if folder.join("hts-cache").is_dir() {
            ("HTTrack", format!("--base-map {name}/hts-cache/new.txt gives their URLs"))
        } else if !base.has_layout() && has_converted_links(folder) {
            ("wget -E -k", "--layout host-path takes queries from the names".to_owned())
        } else {
            continue;
        };
        messages.warning(format_args!(
            "{name}: {program} gave these files their names, and links to them are now URLs with \
             these names, which the site may not have; --to relative keeps links between files, and \
             {instead}"
        ));
    }
}

/// Whether a page links to a file by a name with a query and the `.html` that `wget -E` adds. `wget
/// -k` writes this name, `list.html%3Fpage=1.html`, instead of the URL, `list.html?page=1`.
fn has_converted_links(folder: &Path) -> bool {
    let names = WalkDir::new(folder).into_iter().filter_map(Result::ok).take(MAX_NAMES);
    let converted = names.filter_map(|entry| Some((format_converted_link(&entry)?, entry)));
    let is_in = |link: &str, page: &DirEntry| {
        let page = read_beginning(page.path(), MAX_PAGE_BYTES).unwrap_or_default();
        memmem::find(&page, link.as_bytes()).is_some()
    };
    let mut converted = converted.take(MAX_PAGES);
    converted.any(|(link, entry)| {
        let beside = entry.path().parent().unwrap_or(folder);
        let beside = WalkDir::new(beside).max_depth(1).into_iter().filter_map(Result::ok);
        let mut pages = beside.filter(|entry| entry.file_type().is_file()).take(MAX_PAGES);
        pages.any(|page| is_in(&link, &page))
    })
}

/// Returns the link that `wget -k` writes to a file with a query in its name.
fn format_converted_link(entry: &DirEntry) -> Option<String> {
    let name = entry.file_name().to_str().filter(|_| entry.file_type().is_file())?;
    // For names on Windows, wget writes `@` for `?`; `@` alone does not mean a query. wget2 writes
    // `%3F`.
    let after_at = name.split_once('@').map(|(_, query)| query);
    let has_query = name.contains('?') || name.contains("%3F");
    let has_query = has_query || after_at.is_some_and(|query| query.contains('='));
    let page = name.strip_suffix(".html").filter(|_| has_query)?;
    let page = page.replace('%', "%25").replace('#', "%23").replace('&', "&amp;");
    Some(page.replace('?', "%3F") + ".html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_with_its_elements() {
        for text in [
            "<!DOCTYPE html>",
            "\u{feff} \n<HTML lang=en>",
            "<!-- Mirrored -->\n<?xml version='1.0'?><!DOCTYPE html PUBLIC \"-\">",
            "<head><title>",
        ] {
            assert!(is_page(text.as_bytes()), "{text}");
        }
        for text in
            ["", "<?php echo '<html>' ?><html>", "<div>", "<htmlx>", "<!-- <html>", "{}", "<svg>"]
        {
            assert!(!is_page(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_pattern_is_for_names_like_it() {
        for (name, expected) in [
            ("p.php", "*.php"),
            ("q?id=1", "*[?]*"),
            ("list.php@id=1", "*@*"),
            ("plain", "plain"),
            ("v1.2-beta", "v1.2-beta"),
            ("a[b]", "a?b]"),
        ] {
            assert_eq!(make_pattern(name), expected);
        }
    }
}
