//! Creates the site of a book, whose members are the files.

use std::collections::HashMap;
use std::path::Path;

use crate::audit::site::book::BookSite;
use crate::audit::site::files::{FileKind, Files, path_of};
use crate::audit::site::{Role, Site, SiteKind};
use crate::batch::{Failure, OpenBook, Walk, WriteMode};
use crate::container::Format;
use crate::link::Limits;

impl Site {
    /// Creates a site from a book (`.epub`); its members are the files, and its documents the pages.
    ///
    /// # Errors
    ///
    /// If the book cannot be read, is damaged or hostile, or has an encrypted document.
    pub fn of_book(path: &Path, limits: Limits) -> Result<Self, Failure> {
        let book = OpenBook::open(path, limits)?;
        let files = Files::new(book.names().iter().map(|name| (name, FileKind::File)));
        let documents = book.documents();
        let number = |name: &str| files.find_file(name.as_bytes());
        let mut roles = vec![Role::Asset; files.len()];
        let mut formats = HashMap::new();
        let (mut pages, mut styles, mut xml) = (Vec::new(), Vec::new(), Vec::new());
        for document in documents {
            let Some(number) = number(&document.name) else { continue };
            formats.insert(number, document.format);
            let (role, numbers) = match document.format {
                _ if document.is_page => (Role::Page, &mut pages),
                Format::Css => (Role::Style, &mut styles),
                _ => (Role::Xml, &mut xml),
            };
            roles[number] = role;
            numbers.push(number);
        }
        for numbers in [&mut pages, &mut styles, &mut xml] {
            numbers.sort_unstable();
        }
        let book = BookSite::new(book, &files, formats);
        let tree = Walk::new(WriteMode::Read).finish();
        let site = Self::new(files, tree, path.to_owned(), path.to_owned());
        Ok(Self { kind: SiteKind::Book(Box::new(book)), roles, pages, styles, xml, ..site })
    }

    /// The format of a document, by its name, or as the manifest of a book has it.
    pub(crate) fn format(&self, number: usize) -> Format {
        let listed = self.book().and_then(|book| book.format(number));
        listed.unwrap_or_else(|| {
            let path = self.path(number);
            Format::of_name(&path_of(path))
        })
    }
}
