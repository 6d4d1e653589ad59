//! Finds the line of Markdown that a link of a built page comes from.
//!
//! A page does not name its source, but a paragraph has the same text in both. If exactly one
//! paragraph of the Markdown files has the text of a page's paragraph, it is the source;
//! [hyperlink] finds sources in this way. Only paragraphs with links are compared, because menus
//! repeat headings and would match them.
//!
//! The text of a paragraph is its letters and digits, since generators change quotes, dashes and
//! white space. If several paragraphs have the same text, the destination of the link decides.
//!
//! Links have no source if a generator adds text to their paragraph, by a template or as the number
//! of a footnote, or if the scanner cannot read the encoding of the document directly.
//!
//! [hyperlink]: https://github.com/untitaker/hyperlink

mod paragraphs;

use std::collections::hash_map::{self, HashMap};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use absolve::{Limits, detect};
use absolve_archive::jobs::Workers;
use absolve_files::{
    Effect, Failure, FileBuffers, Glob, Globs, Item, ItemKind, RootPlace, Tree, Walk, WriteMode,
};
use encoding_rs::Encoding;
use paragraphs::{SourceEntry, TextHasher, each_paragraph, read_entries};

use crate::{Finding, Site, SourceLine};

/// The patterns for Markdown files, and for the folder of npm packages, which is skipped.
const NAMES: &[(Effect, &str)] = &[
    (Effect::Include, "*.md"),
    (Effect::Include, "*.markdown"),
    (Effect::Include, "*.mdown"),
    (Effect::Include, "*.mkd"),
    (Effect::Include, "*.mdx"),
    (Effect::Exclude, "node_modules"),
];

/// Maximum bytes of a Markdown file; the memory of the parser is a multiple of it.
const MAX_FILE_SIZE: usize = 1 << 20;
/// Maximum files that are read at a time; their paragraphs are in memory until they are collected.
const FILES_AT_A_TIME: usize = 16;

/// The paragraphs of the Markdown files in a folder, by hashes of their texts.
///
/// Each paragraph with a link, and each link, takes 16 bytes, up to a million entries.
#[derive(Debug)]
pub struct Sources {
    folder: PathBuf,
    files: Vec<Arc<Path>>,
    hashes: TextHasher,
    index: SourceIndex,
    unread: Vec<(PathBuf, Failure)>,
}

impl Sources {
    /// Reads the Markdown files (`*.md`, `*.markdown`, `*.mdown`, `*.mkd`, `*.mdx`) of a folder
    /// tree.
    ///
    /// Symbolic links and `node_modules` are skipped.
    ///
    /// # Errors
    ///
    /// If the path is not a folder. Files that cannot be read are in [`unread`](Self::unread).
    pub fn read(folder: &Path, jobs: &Workers) -> Result<Self, Failure> {
        if !folder.is_dir() {
            return Err(Failure::new("it is not a folder; give that of the Markdown files"));
        }
        let globs = NAMES.iter().filter_map(|(effect, name)| Glob::new(*effect, name).ok());
        let globs = Globs::new(globs);
        let mut walk = Walk::new(WriteMode::Read).globs(globs);
        walk.add(folder, RootPlace::default());
        let tree = walk.finish();
        let (items, hashes) = (tree.items(), TextHasher::default());
        let (mut files, mut unread, mut index) = (Vec::new(), Vec::new(), SourceIndex::default());
        jobs.map_ordered(
            items.len(),
            FILES_AT_A_TIME,
            |buffers, number| read_source(&tree, &items[number], &hashes, buffers),
            |numbers, results| {
                for (number, result) in numbers.zip(results) {
                    let path = tree.path(&items[number]);
                    match result {
                        Ok(entries) => {
                            index.add(files.len(), entries);
                            files.push(Arc::from(path));
                        }
                        Err(failure) => unread.push((path, failure)),
                    }
                }
                ControlFlow::Continue(())
            },
        );
        Ok(Self { folder: folder.to_owned(), files, hashes, index, unread })
    }

    /// Returns the folder that was read.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the paths of the Markdown files that were read; each begins with the folder.
    pub fn files(&self) -> impl Iterator<Item = &Arc<Path>> {
        self.files.iter()
    }

    /// Returns the Markdown files that could not be read.
    #[must_use]
    pub fn unread(&self) -> &[(PathBuf, Failure)] {
        &self.unread
    }

    /// Whether the limit on entries was reached, so some findings have no source.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.index.is_full()
    }

    /// Sets [`Finding::source`] of each finding about a link whose source is unambiguous.
    ///
    /// The findings come from an audit of the site, in its order. Each page with findings is read
    /// once more. `encoding` applies to pages that declare none.
    pub fn locate(
        &self,
        findings: &mut [Finding],
        site: &Site,
        encoding: Option<&'static Encoding>,
        jobs: &Workers,
    ) {
        let mut pages: Vec<Range<usize>> = Vec::new();
        for page in findings.chunk_by(|a, b| a.file == b.file) {
            let start = pages.last().map_or(0, |last| last.end);
            pages.push(start..start + page.len());
        }
        let mut located = Vec::new();
        jobs.map_ordered(
            pages.len(),
            FILES_AT_A_TIME,
            |_: &mut FileBuffers, number| {
                let page = pages[number].clone();
                self.find_lines(&findings[page], site, encoding)
            },
            |numbers, lines| {
                for (number, lines) in numbers.zip(lines) {
                    let start = pages[number].start;
                    located.extend(lines.into_iter().map(|(at, line)| (start + at, line)));
                }
                ControlFlow::Continue(())
            },
        );
        for (at, line) in located {
            findings[at].source = Some(line);
        }
    }

    /// Finds the sources of the findings of a file. Returns each with the index of its finding.
    fn find_lines(
        &self,
        findings: &[Finding],
        site: &Site,
        encoding: Option<&'static Encoding>,
    ) -> Vec<(usize, SourceLine)> {
        let links = findings.iter().enumerate().filter_map(|(number, finding)| {
            let reference = finding.reference.as_deref()?;
            let start = finding.span.as_ref()?.start;
            finding.element.is_some().then_some((start, number, reference))
        });
        let mut links = links.peekable();
        let mut sources = Vec::new();
        let Some(first) = links.peek().and_then(|_| findings.first()) else { return sources };
        let Some(page) = site.read(&first.file) else { return sources };
        let detected = detect(&page, encoding);
        if !detected.is_scannable() {
            return sources;
        }
        each_paragraph(&page, detected.encoding, &self.hashes, |paragraph| {
            while let Some((_, number, reference)) =
                links.next_if(|(start, ..)| *start < paragraph.span.end)
            {
                let by_link = self.index.find(paragraph.text.finish_with(reference));
                let position = by_link.or_else(|| self.index.find(paragraph.text.finish()?));
                if let Some((file, line)) = position {
                    let file = Arc::clone(&self.files[file]);
                    sources.push((number, SourceLine { file, line }));
                }
            }
        });
        sources
    }
}

/// Reads the entries of a Markdown file for the index.
fn read_source(
    tree: &Tree,
    item: &Item,
    hashes: &TextHasher,
    buffers: &mut FileBuffers,
) -> Result<Vec<SourceEntry>, Failure> {
    match item.kind() {
        ItemKind::Document => buffers.read(tree, item, &Limits::default())?,
        ItemKind::Failed(failure) => return Err(failure.clone()),
        _ => return Ok(Vec::new()),
    }
    let source = buffers.source();
    if source.len() > MAX_FILE_SIZE {
        return Err(Failure::new("it is larger than 1 MiB; its paragraphs are not searched"));
    }
    read_entries(&String::from_utf8_lossy(source), hashes)
}

/// Maximum entries of the index: about 36 MB.
const MAX_ENTRIES: usize = 1_000_000;

/// The positions of paragraphs and links, by their hashes.
#[derive(Debug, Default)]
struct SourceIndex {
    positions: HashMap<u64, SourcePosition>,
    is_full: bool,
}

#[derive(Debug, Clone, Copy)]
struct SourcePosition {
    file: u32,
    /// The line, counted from 1; 0 if several paragraphs or links have the hash.
    line: u32,
}

impl SourceIndex {
    fn add(&mut self, file: usize, entries: Vec<SourceEntry>) {
        let Ok(file) = u32::try_from(file) else { return };
        for SourceEntry { hash, line } in entries {
            let is_full = self.positions.len() >= MAX_ENTRIES;
            match self.positions.entry(hash) {
                hash_map::Entry::Occupied(mut position) => position.get_mut().line = 0,
                hash_map::Entry::Vacant(_) if is_full => self.is_full = true,
                hash_map::Entry::Vacant(slot) => _ = slot.insert(SourcePosition { file, line }),
            }
        }
    }

    /// Returns the index of the file and the line, if the hash is unambiguous.
    fn find(&self, hash: u64) -> Option<(usize, u64)> {
        let position = self.positions.get(&hash).filter(|position| position.line > 0)?;
        Some((position.file as usize, position.line.into()))
    }

    fn is_full(&self) -> bool {
        self.is_full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repeated construct makes no more entries than bytes, and the parser does not recurse.
    /// `cargo bench --bench hostile` measures the time.
    #[test]
    fn hostile_markdown_is_read_whole() {
        let repeated: &[&str] = &[
            "[",
            "](",
            "![",
            "[a](",
            "[a][",
            "[](a)",
            "`",
            "*a_ ",
            "**a *",
            "<",
            "<a ",
            "<!--",
            "<p>",
            "&",
            "> ",
            "- ",
            "1) ",
            "\t",
            "|",
            "a|b\n-|-\n",
            "[^a]: ",
            "[a]: b\n",
            "[a]: b\n\n[a] ",
            ": a\n",
            "~",
            "{#",
            "\\",
            "---\n",
            "+++\n",
            "\r",
            "\0",
            "<a href=x>\n",
            "\u{2028}",
            "- a\n\n  ",
            "* ",
            "a\n=\n",
            "[x](<",
            "[x](y \"",
            "`a``",
            "``` \n",
            "<![CDATA[",
            "<?",
        ];
        let hashes = TextHasher::default();
        for text in repeated {
            let source = text.repeat(MAX_FILE_SIZE / text.len());
            let entries = read_entries(&source, &hashes).unwrap();
            assert!(entries.len() <= source.len(), "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_paragraphs_on_its_lines(text in "([\\[\\]()<>!a\\n `*_#|~:\\\\-]|\\PC|\\[a\\]\\(b\\)|<p>|</a>){0,200}") {
            let lines = 1 + text.matches('\n').count();
            for entry in read_entries(&text, &TextHasher::default()).unwrap() {
                proptest::prop_assert!(entry.line > 0 && entry.line as usize <= lines);
            }
        }
    }
}
