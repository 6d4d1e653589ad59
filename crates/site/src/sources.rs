//! The Markdown files that a site was built from, and which of them made a link.
//!
//! A page does not name its source. But a paragraph has the same text in both, so that a paragraph
//! of a page comes from one of Markdown if no other paragraph in the Markdown files has its text;
//! [hyperlink] finds sources that way. Only paragraphs with links count: menus repeat headings, and
//! would be taken for them.
//!
//! The text of a paragraph is its letters and digits, since generators change quotes, dashes and
//! white space. If several paragraphs have that text, the destination of the link decides.
//!
//! Left out are paragraphs to which a generator adds text, by a template or as the number of a
//! footnote, and documents in encodings that the scanner cannot read as they are.
//!
//! [hyperlink]: https://github.com/untitaker/hyperlink

mod html;
mod index;
mod markdown;

use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use absolve::Limits;
use absolve::detect;
use absolve_archive::jobs::Workers;
use absolve_files::{
    Effect, Failure, FileBuffers, Glob, Globs, Item, ItemKind, RootPlace, Tree, Walk, WriteMode,
};
use encoding_rs::Encoding;
use index::{Entry, Hashes, Index};

use crate::{Finding, Site, SourceLine};

/// The names of Markdown files, and the folders of packages that none of them is in.
const NAMES: &[(Effect, &str)] = &[
    (Effect::Include, "*.md"),
    (Effect::Include, "*.markdown"),
    (Effect::Include, "*.mdown"),
    (Effect::Include, "*.mkd"),
    (Effect::Include, "*.mdx"),
    (Effect::Exclude, "node_modules"),
];

/// Bytes of the largest Markdown file that is read; the tree of the parser is a multiple of it.
const MAX_FILE: usize = 1 << 20;
/// Files that are read at a time; their paragraphs wait to be collected.
const WINDOW: usize = 16;

/// The paragraphs of the Markdown files in a folder.
///
/// Each paragraph with a link, and each link, takes 16 bytes, up to a million of them.
#[derive(Debug)]
pub struct Sources {
    folder: PathBuf,
    files: Vec<Arc<Path>>,
    hashes: Hashes,
    index: Index,
    unread: Vec<(PathBuf, Failure)>,
}

impl Sources {
    /// Reads the Markdown files (`*.md`, `*.markdown`, `*.mdown`, `*.mkd`, `*.mdx`) below a folder.
    ///
    /// Symbolic links are not followed, and `node_modules` is left out.
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
        let (items, hashes) = (tree.items(), Hashes::default());
        let (mut files, mut unread, mut index) = (Vec::new(), Vec::new(), Index::default());
        jobs.map_ordered(
            items.len(),
            WINDOW,
            |buffers, number| entries_of(&tree, &items[number], &hashes, buffers),
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

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The Markdown files that were read, which begin with the folder.
    pub fn files(&self) -> impl Iterator<Item = &Arc<Path>> {
        self.files.iter()
    }

    /// The Markdown files that could not be read.
    #[must_use]
    pub fn unread(&self) -> &[(PathBuf, Failure)] {
        &self.unread
    }

    /// Whether there were more paragraphs than are kept, so that some findings have no source.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.index.is_full()
    }

    /// Sets [`Finding::source`] of each finding about a link whose paragraph has one source.
    ///
    /// The findings are those of an audit of the site, in their order. Each of their pages is read
    /// once more. `encoding` is that of pages that do not declare theirs.
    pub fn locate(
        &self,
        findings: &mut [Finding],
        site: &Site,
        encoding: Option<&'static Encoding>,
        jobs: &Workers,
    ) {
        let mut pages: Vec<Range<usize>> = Vec::new();
        for page in findings.chunk_by(|one, other| one.file == other.file) {
            let start = pages.last().map_or(0, |last| last.end);
            pages.push(start..start + page.len());
        }
        let mut found = Vec::new();
        jobs.map_ordered(
            pages.len(),
            WINDOW,
            |_: &mut FileBuffers, number| {
                let page = pages[number].clone();
                self.lines(&findings[page], site, encoding)
            },
            |numbers, lines| {
                for (number, lines) in numbers.zip(lines) {
                    let start = pages[number].start;
                    found.extend(lines.into_iter().map(|(at, line)| (start + at, line)));
                }
                ControlFlow::Continue(())
            },
        );
        for (at, line) in found {
            findings[at].source = Some(line);
        }
    }

    /// The sources of the findings of a file, by their positions among them.
    fn lines(
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
        let mut found = Vec::new();
        let Some(file) = links.peek().and_then(|_| findings.first()) else { return found };
        let Some(page) = site.read(&file.file) else { return found };
        let detected = detect(&page, encoding);
        if !detected.is_scannable() {
            return found;
        }
        html::paragraphs(&page, detected.encoding, &self.hashes, |paragraph| {
            while let Some((_, number, reference)) =
                links.next_if(|(start, ..)| *start < paragraph.span.end)
            {
                let by_link = self.index.find(paragraph.text.with(reference));
                let place = by_link.or_else(|| self.index.find(paragraph.text.alone()?));
                if let Some((file, line)) = place {
                    let file = Arc::clone(&self.files[file]);
                    found.push((number, SourceLine { file, line }));
                }
            }
        });
        found
    }
}

/// The entries of a file for the index.
fn entries_of(
    tree: &Tree,
    item: &Item,
    hashes: &Hashes,
    buffers: &mut FileBuffers,
) -> Result<Vec<Entry>, Failure> {
    match item.kind() {
        ItemKind::Document => buffers.read(tree, item, &Limits::default())?,
        ItemKind::Failed(failure) => return Err(failure.clone()),
        _ => return Ok(Vec::new()),
    }
    let source = buffers.source();
    if source.len() > MAX_FILE {
        return Err(Failure::new("it is larger than 1 MiB; its paragraphs are not searched"));
    }
    markdown::entries(&String::from_utf8_lossy(source), hashes)
}

#[cfg(test)]
mod tests;
