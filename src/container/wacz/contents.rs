//! The members of a ZIP file.

use std::collections::HashMap;
use std::io::{Read, Seek, Write};
use std::path::Path;

use super::index::IndexForm;
use super::package::{DIGEST, PACKAGE};
use crate::container::stored::ByteRange;
use crate::container::zip::{Directory, Header, STORED, ZipWriter};
use crate::container::{ContainerError, Format, StoredArchive};

/// Maximum MiB of the table of contents, so that it fits in memory: 8 MiB have 100,000 members.
const MAX_CONTENTS: u64 = 8;

/// Maximum bytes of a member that is in memory as a whole: JSON of empty objects takes 20 times as
/// many.
const MAX_TEXT: u64 = 4 << 20;

/// Members of this size may become larger than 4 GiB, and are written with Zip64: a rewriting makes
/// no archive 64 times as large, even if a dictionary is lost.
const LARGE: u64 = 64 << 20;

/// What a member is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberKind {
    Archive,
    Index(IndexForm),
    /// `datapackage.json` or `datapackage-digest.json`.
    Package,
    Other,
}

impl MemberKind {
    fn of(name: &str) -> Self {
        let is_archive = |name: &str| Format::of_name(Path::new(name)) == Format::Warc;
        match name {
            PACKAGE | DIGEST => Self::Package,
            name if name.starts_with("archive/") && is_archive(name) => Self::Archive,
            name => IndexForm::of(name).map_or(Self::Other, Self::Index),
        }
    }
}

/// A ZIP file with distinct members, without a byte that belongs to none of its records.
#[derive(Debug)]
pub(super) struct Contents<R> {
    source: R,
    pub(super) directory: Directory,
    numbers: HashMap<Vec<u8>, usize>,
}

impl<R: Read + Seek + Send> Contents<R> {
    pub(super) fn read(mut source: R) -> Result<Self, ContainerError> {
        let directory = Directory::read(&mut source, MAX_CONTENTS)?;
        let numbers = directory.members.iter().enumerate();
        let numbers = numbers.map(|(number, member)| (directory.name(member).to_owned(), number));
        let numbers: HashMap<_, _> = numbers.collect();
        if numbers.len() < directory.members.len() {
            return Err(ContainerError::Invalid("two members have the same name".to_owned()));
        }
        let contents = Self { source, directory, numbers };
        if !contents.has(PACKAGE) {
            let what = format!("has no {PACKAGE}; unpack it and give the WARC files in it");
            return Err(ContainerError::Invalid(what));
        }
        contents.check_members()?;
        Ok(contents)
    }

    /// Checks that the members can be read that are not copied.
    fn check_members(&self) -> Result<(), ContainerError> {
        for member in &self.directory.members {
            let kind = MemberKind::of(&member.name);
            if kind == MemberKind::Other {
                continue;
            }
            self.directory.check_name(member)?;
            if member.is_encrypted() {
                return Err(ContainerError::of(&member.name, "encrypted; decrypt it first"));
            }
            if kind == MemberKind::Archive && member.method != STORED {
                let what = "compressed by ZIP, which WACZ does not allow; store it (zip -0)";
                return Err(ContainerError::of(&member.name, what));
            }
        }
        Ok(())
    }

    /// The members of a kind, with their names.
    pub(super) fn members(&self, is_of: impl Fn(MemberKind) -> bool) -> Vec<(usize, String)> {
        let members = self.directory.members.iter().enumerate();
        let members = members.filter(|(_, member)| is_of(MemberKind::of(&member.name)));
        members.map(|(number, member)| (number, member.name.clone())).collect()
    }

    /// The archives, with their names.
    pub(super) fn archives(&self) -> Vec<(usize, String)> {
        self.members(|kind| kind == MemberKind::Archive)
    }

    /// The archives, in the order of their bytes.
    pub(super) fn stored_archives(&self) -> Vec<StoredArchive> {
        let archives = self.archives().into_iter();
        let archives = archives.map(|(member, name)| StoredArchive {
            name,
            bytes: self.directory.members[member].data.clone(),
        });
        let mut archives: Vec<_> = archives.collect();
        archives.sort_by_key(|archive| archive.bytes.start);
        archives
    }

    pub(super) fn has_index(&self) -> bool {
        !self.members(|kind| matches!(kind, MemberKind::Index(_))).is_empty()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.numbers.contains_key(name.as_bytes())
    }

    pub(super) fn position(&self, name: &str) -> Result<usize, ContainerError> {
        let number = self.numbers.get(name.as_bytes());
        number.copied().ok_or_else(|| ContainerError::of(name, "missing"))
    }

    /// The header of a member that is written anew.
    pub(super) fn header(&mut self, member: usize) -> Result<Header, ContainerError> {
        let is_large = self.directory.members[member].size >= LARGE;
        Header::read(&mut self.source, &self.directory, member, is_large)
    }

    /// A member that is not compressed.
    pub(super) fn stored(&mut self, member: usize) -> Result<ByteRange<&mut R>, ContainerError> {
        self.directory.members[member].packed(&mut self.source)
    }

    /// The bytes of a member.
    pub(super) fn decompressed(&mut self, member: usize) -> Result<impl Read, ContainerError> {
        self.directory.members[member].open(&mut self.source)
    }

    /// A member that fits in memory.
    pub(super) fn text(&mut self, name: &str) -> Result<Vec<u8>, ContainerError> {
        let member = &self.directory.members[self.position(name)?];
        if member.size > MAX_TEXT {
            return Err(ContainerError::of(name, "larger than 4 MiB"));
        }
        member.read(&mut self.source)
    }

    /// Copies a member in its compressed form.
    pub(super) fn copy<W: Write>(
        &mut self,
        member: usize,
        output: &mut ZipWriter<W>,
    ) -> Result<(), ContainerError> {
        output.copy(&mut self.source, &self.directory, member)
    }
}
