//! A book that is open for an audit, whose threads read its members in turn.

use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::batch::failure::Failure;
use crate::batch::read::open;
use crate::container::ContainerError;
use crate::container::epub::{Book, BookDocument, Package};
use crate::link::Limits;

/// A book that is open.
#[derive(Debug)]
pub(crate) struct OpenBook {
    book: Mutex<Book<File>>,
}

impl OpenBook {
    /// Opens a book; its documents may have as many bytes as `limits` say.
    pub(crate) fn open(path: &Path, limits: Limits) -> Result<Self, Failure> {
        let file = open(path).map_err(|error| Failure::read(&error))?;
        Ok(Self { book: Mutex::new(Book::open(file, limits).map_err(failure)?) })
    }

    /// The names of all files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.locked(|book| book.names().map(str::to_owned).collect())
    }

    pub(crate) fn documents(&self) -> Vec<BookDocument> {
        self.locked(|book| book.documents().to_vec())
    }

    pub(crate) fn packages(&self) -> Vec<Package> {
        self.locked(|book| book.packages().to_vec())
    }

    /// The bytes of a member.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, Failure> {
        self.locked(|book| book.read(name)).map_err(failure)
    }

    fn locked<T>(&self, get: impl FnOnce(&mut Book<File>) -> T) -> T {
        get(&mut self.book.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn failure(error: ContainerError) -> Failure {
    match error {
        ContainerError::Read(error) => Failure::read(&error),
        error => Failure::new(error.to_string()),
    }
}
