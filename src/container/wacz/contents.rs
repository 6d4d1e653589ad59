//! The members of a ZIP file.

use std::io::{self, Read, Seek, Write};
use std::path::Path;

use zip::read::ZipFileSeek;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::index::IndexForm;
use super::package::{DIGEST, PACKAGE};
use crate::container::ContainerError;
use crate::container::directory::Directory;
use crate::container::{Format, StoredArchive};

/// Maximum MiB of the table of contents, so that it fits in memory: 8 MiB have 100,000 members.
const MAX_CONTENTS: u64 = 8;

/// Maximum bytes of a member that is in memory as a whole: JSON of empty objects takes 20 times as
/// many.
const MAX_TEXT: u64 = 4 << 20;

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
    zip: ZipArchive<R>,
}

impl<R: Read + Seek + Send> Contents<R> {
    pub(super) fn read(mut source: R) -> Result<Self, ContainerError> {
        let directory = Directory::read(&mut source, MAX_CONTENTS)?;
        let zip = ZipArchive::new(source).map_err(zip_error)?;
        if zip.has_duplicate_names() {
            return Err(ContainerError::Invalid("two members have the same name".to_owned()));
        }
        // The crate looks for the directory by itself, and allows more.
        if (zip.central_directory_start(), zip.len()) != (directory.start, directory.members.len())
        {
            return Err(ContainerError::Invalid("it has two tables of contents".to_owned()));
        }
        let contents = Self { zip };
        if !contents.has(PACKAGE) {
            let what = format!("has no {PACKAGE}; unpack it and give the WARC files in it");
            return Err(ContainerError::Invalid(what));
        }
        contents.check_members()?;
        Ok(contents)
    }

    /// Checks that the members can be read that are not copied.
    fn check_members(&self) -> Result<(), ContainerError> {
        for (member, name) in self.members(|kind| kind != MemberKind::Other) {
            let file = self.zip.by_index_data(member).map_err(zip_error)?;
            if file.encrypted() {
                return Err(ContainerError::of(&name, "encrypted; decrypt it first"));
            }
            let is_stored = file.compression() == CompressionMethod::Stored;
            if MemberKind::of(&name) == MemberKind::Archive && !is_stored {
                let what = "compressed by ZIP, which WACZ does not allow; store it (zip -0)";
                return Err(ContainerError::of(&name, what));
            }
        }
        Ok(())
    }

    /// The members of a kind, with their names.
    pub(super) fn members(&self, is_of: impl Fn(MemberKind) -> bool) -> Vec<(usize, String)> {
        // A name that cannot be decoded is none that the standard has.
        let names = self.zip.file_names().map(Result::unwrap_or_default);
        let members = names.enumerate().filter(|(_, name)| is_of(MemberKind::of(name)));
        members.map(|(member, name)| (member, name.into_owned())).collect()
    }

    /// The archives, with their names.
    pub(super) fn archives(&self) -> Vec<(usize, String)> {
        self.members(|kind| kind == MemberKind::Archive)
    }

    /// The archives, in the order of their bytes.
    pub(super) fn stored_archives(&mut self) -> Result<Vec<StoredArchive>, ContainerError> {
        let mut archives = Vec::new();
        for (member, name) in self.archives() {
            let file = self.zip.by_index_raw(member).map_err(zip_error)?;
            let start = file.data_start();
            let end = start.and_then(|start| start.checked_add(file.compressed_size()));
            let Some((start, end)) = start.zip(end) else {
                return Err(ContainerError::of(&name, "missing"));
            };
            archives.push(StoredArchive { name, bytes: start..end });
        }
        archives.sort_by_key(|archive| archive.bytes.start);
        Ok(archives)
    }

    pub(super) fn has_index(&self) -> bool {
        !self.members(|kind| matches!(kind, MemberKind::Index(_))).is_empty()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    pub(super) fn position(&self, name: &str) -> Result<usize, ContainerError> {
        self.zip.index_for_name(name).ok_or_else(|| ContainerError::of(name, "missing"))
    }

    pub(super) fn comment(&self) -> &[u8] {
        self.zip.comment()
    }

    /// The options by which a member is written anew, and its size.
    pub(super) fn options(
        &mut self,
        member: usize,
    ) -> Result<(SimpleFileOptions, u64), ContainerError> {
        let file = self.zip.by_index_raw(member).map_err(zip_error)?;
        Ok((file.options(), file.size()))
    }

    /// A member that is not compressed.
    pub(super) fn stored(&mut self, member: usize) -> Result<ZipFileSeek<'_, R>, ContainerError> {
        self.zip.by_index_seek(member).map_err(zip_error)
    }

    /// The bytes of a member.
    pub(super) fn decompressed(&mut self, member: usize) -> Result<impl Read, ContainerError> {
        self.zip.by_index(member).map_err(zip_error)
    }

    /// A member that fits in memory.
    pub(super) fn text(&mut self, name: &str) -> Result<Vec<u8>, ContainerError> {
        let source = self.decompressed(self.position(name)?)?;
        let mut text = Vec::new();
        let read = source.take(MAX_TEXT + 1).read_to_end(&mut text);
        read.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                ContainerError::of(name, error)
            }
            _ => ContainerError::Read(error),
        })?;
        if text.len() as u64 > MAX_TEXT {
            return Err(ContainerError::of(name, "larger than 4 MiB"));
        }
        Ok(text)
    }

    /// Copies a member in its compressed form.
    pub(super) fn copy<W: Write + Seek>(
        &mut self,
        member: usize,
        output: &mut ZipWriter<W>,
    ) -> Result<(), ContainerError> {
        let file = self.zip.by_index_raw(member).map_err(zip_error)?;
        output.raw_copy_file(file).map_err(write_error)
    }
}

/// The error of a reader of ZIP files.
fn zip_error(error: ZipError) -> ContainerError {
    match error {
        ZipError::Io(error) => ContainerError::Read(error),
        error => ContainerError::Invalid(format!("damaged ZIP file: {error}")),
    }
}

/// The error of a writer of ZIP files.
pub(super) fn write_error(error: ZipError) -> ContainerError {
    match error {
        ZipError::Io(error) => ContainerError::Write(error),
        error => ContainerError::Write(io::Error::other(error)),
    }
}
