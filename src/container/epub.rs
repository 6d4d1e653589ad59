//! Books: `.epub` ([EPUB 3.3](https://www.w3.org/TR/epub-33/), EPUB 2).
//!
//! A book is a ZIP file whose `META-INF/container.xml` names package documents; their manifests name
//! the resources of the book. [`Book`] reads and rewrites the documents among them: pages, SVG, style
//! sheets, the table of contents of EPUB 2 (NCX), media overlays (SMIL), and the package documents
//! themselves.
//!
//! A rewriting writes the documents that change; all other members are copied with their headers, in
//! the form in which they are compressed.

mod markup;
mod name;
#[cfg(feature = "audit")]
mod navigation;
mod package;
mod writer;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{Read, Seek, Write};
use std::ops::ControlFlow;

use super::ContainerError;
use super::format::Format;
use super::zip::{DEFLATED, Directory, NewMember, STORED};
use crate::error::Error;
use crate::link::{Limits, LinkCounts, Syntax};
use crate::rewrite::{Rewriter, Rewritten, Summary};

#[cfg(feature = "audit")]
pub(crate) use navigation::navigation_links;
pub use package::{IdReference, ManifestItem, Package, SpineItem};

/// The member that says what the file is, and its content
/// ([OCF](https://www.w3.org/TR/epub-33/#sec-zip-container-mime)).
const MIMETYPE: &str = "mimetype";
const MEDIA_TYPE: &[u8] = b"application/epub+zip";

/// Maximum MiB of the central directory.
const MAX_DIRECTORY: u64 = 16;

/// The bytes that a book begins with, after its signature and sizes.
const MAGIC: (&[u8], &[u8]) = (b"PK\x03\x04", b"mimetypeapplication/epub+zip");

/// A book, in a seekable file.
///
/// ```no_run
/// use std::fs::File;
/// use std::ops::ControlFlow;
///
/// use absolve::container::epub::Book;
/// use absolve::url::Maps;
/// use absolve::{Direction, Form, Limits, Rewriter};
///
/// let mut maps = Maps::new();
/// maps.add("http://old.example/", "https://new.example/")?;
/// let policy = Direction::new(Form::AsWritten).maps(maps);
/// let rewriter = Rewriter::new().policy(policy.into());
/// let mut book = Book::open(File::open("old.epub")?, Limits::default())?;
/// let new = File::create("new.epub")?;
/// book.rewrite(new, &rewriter, |_| ControlFlow::Continue(()))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Book<R> {
    source: R,
    limits: Limits,
    directory: Directory,
    numbers: HashMap<String, usize>,
    packages: Vec<Package>,
    documents: Vec<BookDocument>,
}

/// A document of a book whose links are read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BookDocument {
    /// The name of its member.
    pub name: String,
    /// Its format: HTML, XML or a style sheet.
    pub format: Format,
    /// Whether it is a page: XHTML or HTML.
    pub is_page: bool,
}

/// The outcome of one document of a rewriting.
#[derive(Debug)]
#[non_exhaustive]
pub struct BookEntry<'e> {
    /// The document.
    pub document: &'e BookDocument,
    /// Its bytes before.
    pub source: &'e [u8],
    /// What it became, or why it stays as it is.
    pub result: Result<Rewritten<'e, Summary>, Error>,
}

/// The outcome of a rewriting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BookTotals {
    /// Documents that changed.
    pub rewritten: u64,
    /// Documents that have nothing to change.
    pub unchanged: u64,
    /// Documents that could not be read, and stay as they are.
    pub failed: u64,
    /// Their links, by outcome.
    pub links: LinkCounts,
    /// Bytes of the new book; 0 if no document changed, and nothing was written.
    pub bytes: u64,
}

impl Format {
    /// Whether a file with these first bytes is a book, whatever its name is.
    #[must_use]
    pub fn begins_epub(source: &[u8]) -> bool {
        source.starts_with(MAGIC.0)
            && source.get(30..).is_some_and(|rest| rest.starts_with(MAGIC.1))
    }
}

impl<R: Read + Seek> Book<R> {
    /// Reads the table of contents and the package documents.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is not a book; if its ZIP file is damaged, has members with the same
    /// name or that overlap, has names that lead out of it, or says different things at different
    /// places; if a document is encrypted, or larger than the limit on input.
    pub fn open(mut source: R, limits: Limits) -> Result<Self, ContainerError> {
        let directory = Directory::read(&mut source, MAX_DIRECTORY)?;
        name::check(&directory)?;
        let numbers = directory.members.iter().enumerate();
        let numbers = numbers.map(|(number, member)| (member.name.clone(), number)).collect();
        let (packages, documents) = (Vec::new(), Vec::new());
        let mut book = Self { source, limits, directory, numbers, packages, documents };
        book.check_type()?;
        let mut left = package::MAX_ITEMS;
        for name in package::packages(&book.read(package::CONTAINER)?)? {
            let package = Package::parse(&name, &book.read(&name)?, left)?;
            left -= package.count();
            book.packages.push(package);
        }
        book.find_documents();
        book.check_encryption()?;
        Ok(book)
    }

    fn check_type(&mut self) -> Result<(), ContainerError> {
        if !self.numbers.contains_key(MIMETYPE) || !self.numbers.contains_key(package::CONTAINER) {
            let what = format!("not a book: it has no {MIMETYPE} or no {}", package::CONTAINER);
            return Err(ContainerError::Invalid(what));
        }
        if self.read(MIMETYPE)?.trim_ascii() != MEDIA_TYPE {
            return Err(ContainerError::of(MIMETYPE, "it does not say application/epub+zip"));
        }
        Ok(())
    }

    /// Finds the documents that are in the ZIP file, in the order of its table of contents.
    fn find_documents(&mut self) {
        let mut found = BTreeMap::new();
        for package in &self.packages {
            for item in &package.items {
                let number = item.member.as_ref().and_then(|name| self.numbers.get(name));
                if let (Some(&number), Some(document)) = (number, item.document()) {
                    found.entry(number).or_insert(document);
                }
            }
        }
        let packages = self.packages.iter().filter_map(|package| self.numbers.get(&package.name));
        found.extend(packages.map(|&number| (number, (Format::Xml, false))));
        let name = |number: usize| self.directory.members[number].name.clone();
        let documents = found.into_iter();
        self.documents = documents
            .map(|(number, (format, is_page))| BookDocument { name: name(number), format, is_page })
            .collect();
    }

    fn check_encryption(&mut self) -> Result<(), ContainerError> {
        let mut encrypted = HashSet::new();
        if self.numbers.contains_key(package::ENCRYPTION) {
            encrypted.extend(package::encrypted(&self.read(package::ENCRYPTION)?)?);
        }
        for document in &self.documents {
            let member = &self.directory.members[self.numbers[&document.name]];
            if member.is_encrypted() || encrypted.contains(&document.name) {
                let what = "encrypted or obfuscated, so that its links cannot be read; decrypt the \
                            book first";
                return Err(ContainerError::of(&document.name, what));
            }
        }
        Ok(())
    }

    /// The documents whose links are read, in the order of the ZIP file's table of contents.
    #[must_use]
    pub fn documents(&self) -> &[BookDocument] {
        &self.documents
    }

    /// Leaves only the document of this name.
    #[must_use]
    pub(super) fn only(mut self, name: &str) -> Self {
        self.documents.retain(|document| document.name == name);
        self
    }

    /// The package documents, in the order of `container.xml`.
    #[must_use]
    pub fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// The names of all files, in the order of the ZIP file's table of contents.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let files = self.directory.members.iter().filter(|member| !member.is_folder());
        files.map(|member| &*member.name)
    }

    /// The bytes of a member.
    ///
    /// # Errors
    ///
    /// If there is no such member, or it cannot be read, is damaged, encrypted, or larger than the
    /// limit on input.
    pub fn read(&mut self, name: &str) -> Result<Vec<u8>, ContainerError> {
        let number =
            self.numbers.get(name).ok_or_else(|| ContainerError::of(name, "not in the book"))?;
        writer::read(&mut self.source, &self.directory.members[*number], &self.limits)
    }

    /// Rewrites the documents, and reports each of them; writes nothing.
    ///
    /// # Errors
    ///
    /// If a member cannot be read. Problems inside a document go to `report`.
    pub fn check(
        &mut self,
        rewriter: &Rewriter,
        report: impl FnMut(&BookEntry<'_>) -> ControlFlow<()>,
    ) -> Result<BookTotals, ContainerError> {
        self.rewrite_documents(rewriter, report).map(|(totals, _)| totals)
    }

    /// Writes the new book, unless no document changes. `report` gets each document, in order; a
    /// break stops the run.
    ///
    /// A base URL of `rewriter` is that of the root of the book.
    ///
    /// # Errors
    ///
    /// If reading or writing fails. Problems inside a document go to `report`, and it stays as it is.
    pub fn rewrite(
        &mut self,
        output: impl Write,
        rewriter: &Rewriter,
        report: impl FnMut(&BookEntry<'_>) -> ControlFlow<()>,
    ) -> Result<BookTotals, ContainerError> {
        let (mut totals, mut new) = self.rewrite_documents(rewriter, report)?;
        if new.is_empty() {
            return Ok(totals);
        }
        let first = self.numbers[MIMETYPE];
        let mimetype = &self.directory.members[first];
        if mimetype.header > 0 || mimetype.method != STORED || mimetype.extra > 0 {
            let bytes = writer::read(&mut self.source, mimetype, &self.limits)?;
            new.insert(first, NewMember::new(&bytes, STORED)?);
        }
        let Self { source, directory, .. } = self;
        totals.bytes = writer::write(source, directory, first, &new, output)?;
        Ok(totals)
    }

    fn rewrite_documents(
        &mut self,
        rewriter: &Rewriter,
        mut report: impl FnMut(&BookEntry<'_>) -> ControlFlow<()>,
    ) -> Result<(BookTotals, BTreeMap<usize, NewMember>), ContainerError> {
        let (mut totals, mut new) = (BookTotals::default(), BTreeMap::new());
        for document in &self.documents {
            let number = self.numbers[&document.name];
            let member = &self.directory.members[number];
            let source = writer::read(&mut self.source, member, &self.limits)?;
            let of_document = document.rewriter(rewriter);
            let result = of_document.and_then(|rewriter| rewriter.rewrite(&source));
            match &result {
                Ok(rewritten) => {
                    totals.links += rewritten.summary().counts();
                    if rewritten.is_changed() {
                        totals.rewritten += 1;
                        new.insert(number, NewMember::new(rewritten.bytes(), DEFLATED)?);
                    } else {
                        totals.unchanged += 1;
                    }
                }
                Err(_) => totals.failed += 1,
            }
            if report(&BookEntry { document, source: &source, result }).is_break() {
                return Err(ContainerError::Stopped);
            }
        }
        Ok((totals, new))
    }
}

impl BookDocument {
    /// The rewriter for the document: in its syntax, and at its place below the base URL, which is
    /// that of the root of the book.
    ///
    /// # Errors
    ///
    /// If the base URL is not usable for it.
    pub fn rewriter(&self, rewriter: &Rewriter) -> Result<Rewriter, Error> {
        let syntax = self.format.syntax().unwrap_or(Syntax::Html);
        let rewriter = rewriter.clone().contained().syntax(syntax);
        let root = rewriter.settings().below.base().cloned();
        let Some(root) = root else { return Ok(rewriter) };
        rewriter.base_url(&name::url(root.as_str(), &self.name))
    }
}
