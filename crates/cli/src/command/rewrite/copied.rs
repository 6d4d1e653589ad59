//! Pages among the files that are copied as they are.

use std::collections::BTreeSet;
use std::path::Path;

use absolve_files::read_beginning;
use absolve_site::report::display::thousands;

use crate::args::RewriteArgs;
use crate::terminal::{Messages, printable};

/// The most bytes of a file that are looked at, and the most patterns that a message names.
const MAX_BYTES: usize = 512;
const MAX_PATTERNS: usize = 3;

/// Pages among the files that are copied as they are, since their names are not those of documents.
#[derive(Default)]
pub(super) struct CopiedPages {
    count: u64,
    /// The patterns of their names.
    patterns: BTreeSet<String>,
}

impl CopiedPages {
    /// Counts a copied file, if it is a page.
    pub(super) fn add(&mut self, path: &Path) {
        if !read_beginning(path, MAX_BYTES).is_ok_and(|beginning| is_page(&beginning)) {
            return;
        }
        self.count += 1;
        if self.patterns.len() <= MAX_PATTERNS {
            self.patterns.insert(pattern(&path.file_name().unwrap_or_default().to_string_lossy()));
        }
    }

    /// Warns of them, in one line.
    pub(super) fn warn(&self, args: &RewriteArgs, messages: Messages) {
        if self.count == 0 {
            return;
        }
        let globs = args.inputs.files.globs.globs();
        // An included pattern replaces the default ones.
        let defaults: &[&str] = match (globs.has_defaults(), args.direction.is_default()) {
            (false, _) => &[],
            (true, true) => &["*.html"],
            (true, false) => &["*.html", "*.css"],
        };
        let own = self.patterns.iter().map(String::as_str).take(MAX_PATTERNS);
        let options = defaults.iter().copied().chain(own);
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

/// The pattern of the names that are like this one.
fn pattern(name: &str) -> String {
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
/// instructions ([MIME Sniffing](https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type)).
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
            assert_eq!(pattern(name), expected);
        }
    }
}
