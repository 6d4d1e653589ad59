//! Web archives with an index in a ZIP file: `.wacz`
//! ([WACZ 1.1.1](https://specs.webrecorder.net/wacz/1.1.1/)).
//!
//! [`Wacz`] rewrites the archives in `archive/` as [`Rewriting`] does, as streams, and makes what
//! depends on them anew: the offsets, lengths and digests of the indexes in `indexes/`, the sizes and
//! hashes of `datapackage.json`, and `datapackage-digest.json`, without a signature, which is void.
//! Every other byte of these stays, and other members are copied in their compressed form.
//!
//! It indexes each archive as it is written, and once more as it was: both have the same records in the
//! same order, as indexes have none that [`Rewriting`] adds. Then it edits the old index, line by line.
//!
//! An archive whose bytes do not have the checksum of the ZIP file, or the size and the hash of
//! `datapackage.json`, is copied with these: new ones would hide the damage.
//!
//! In memory are the table of contents of the ZIP file, and about 140 bytes for each record that an
//! index may have.

mod contents;
mod damage;
mod hashing;
mod index;
mod json;
mod moved;
mod package;
mod recent;

use std::collections::HashMap;
use std::io::{BufWriter, Read, Seek, Write};
use std::ops::ControlFlow;

use super::ContainerError;
use super::stored::StoredArchive;
use super::warc::{ArchiveLimits, Entry, Reader, RecordSelection, Rewriting, Totals};
use super::zip::{NewMember, ZipWriter};
use crate::jobs::Workers;
use contents::{Contents, MemberKind};
use damage::{copied, damage};
use hashing::{HashingWriter, MemberDigest};
use index::{IndexForm, Indexes, in_member};
use moved::MovedRecords;
use package::{DIGEST, PACKAGE, Package, PackageDigest};

/// A WACZ archive, in a seekable file.
///
/// ```
/// use std::io::{Cursor, Write};
/// use std::ops::ControlFlow;
///
/// use absolve::Rewriter;
/// use absolve::container::wacz::Wacz;
/// use absolve::container::warc::Rewriting;
/// use absolve::jobs::Workers;
/// use zip::write::{SimpleFileOptions, ZipWriter};
///
/// let archive = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Type: text/html\r\n\
///     WARC-Target-URI: http://h/a/\r\nContent-Length: 10\r\n\r\n<a href=b>\r\n\r\n";
/// let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
/// let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
/// zip.start_file("archive/data.warc", stored)?;
/// zip.write_all(archive)?;
/// zip.start_file("datapackage.json", stored)?;
/// zip.write_all(br#"{"resources": [{"path": "archive/data.warc"}]}"#)?;
/// let wacz = zip.finish()?.into_inner();
///
/// let rewriter = Rewriter::new();
/// let mut new = Cursor::new(Vec::new());
/// let totals = Wacz::open(Cursor::new(wacz))?.rewrite(
///     &mut new,
///     &Rewriting::new(&rewriter),
///     &Workers::new(1),
///     |_, _| ControlFlow::Continue(()),
/// )?;
/// assert_eq!(totals.records.rewritten, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Wacz<R> {
    contents: Contents<R>,
    limits: ArchiveLimits,
    selection: RecordSelection,
}

/// The outcome of a rewriting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct WaczTotals {
    /// The records of all archives.
    pub records: Totals,
    /// Bytes of the new archive; the output may have more, which are to be removed. 0 if no record
    /// changed, and the output is incomplete.
    pub bytes: u64,
    /// The old archive had a signature, which is void and was left out.
    pub was_signed: bool,
    /// Lines of an index that pointed to no record, and were left out.
    pub index_lines_left_out: u64,
}

impl<R: Read + Seek + Send> Wacz<R> {
    /// Reads the table of contents.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is larger than 8 MiB, or is not that of a WACZ archive; if the records of
    /// the ZIP file do not agree, bytes belong to none of them, or members have the same name or
    /// overlap; and if one that is to be rewritten is encrypted, or an archive among them is
    /// compressed by ZIP.
    pub fn open(source: R) -> Result<Self, ContainerError> {
        Ok(Self {
            contents: Contents::read(source)?,
            limits: ArchiveLimits::default(),
            selection: RecordSelection::default(),
        })
    }

    /// Limits on records; [`ArchiveLimits::default`] unless set.
    #[must_use]
    pub fn limits(mut self, limits: ArchiveLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Which documents are read; all of them unless set.
    #[must_use]
    pub fn select(mut self, selection: RecordSelection) -> Self {
        self.selection = selection;
        self
    }

    /// The archives in it, in the order of their bytes, which are those of the archives as files
    /// ([`ByteRange`](super::ByteRange)).
    ///
    /// # Errors
    ///
    /// None, as opening the file has read its table of contents.
    pub fn archives(&mut self) -> Result<Vec<StoredArchive>, ContainerError> {
        Ok(self.contents.stored_archives())
    }

    /// Reports what [`Wacz::rewrite`] would do, and writes nothing.
    ///
    /// # Errors
    ///
    /// If reading fails, and if `datapackage.json` is not valid. Problems of single records, and
    /// damaged archives, go to `report`, with the name of the member.
    pub fn check(
        &mut self,
        rewriting: &Rewriting<'_>,
        workers: &Workers,
        mut report: impl FnMut(&str, &Entry) -> ControlFlow<()>,
    ) -> Result<Totals, ContainerError> {
        let package = Package::parse(self.contents.text(PACKAGE)?)?;
        let rewriting = rewriting.of_one_file();
        let mut totals = Totals::default();
        for (member, name) in self.contents.archives() {
            if let Some(why) = damage(&mut self.contents, &package, member, &name)? {
                totals += copied(&why, |entry| report(&name, entry))?;
                continue;
            }
            let selection = self.selection.clone();
            let archive = self.archive(member)?.select(selection);
            totals += rewriting.check(archive, workers, |entry| report(&name, entry))?;
        }
        Ok(totals)
    }

    /// Writes the new archive to `output`. `report` gets each record of an archive, in order, with
    /// the name of the member; a break stops the run, with an incomplete archive in `output`.
    ///
    /// # Errors
    ///
    /// If reading or writing fails, and if an index or `datapackage.json` is not valid. Problems of
    /// single records, and damaged archives, which are copied, go to `report`.
    pub fn rewrite<W: Write + Seek>(
        &mut self,
        output: W,
        rewriting: &Rewriting<'_>,
        workers: &Workers,
        mut report: impl FnMut(&str, &Entry) -> ControlFlow<()>,
    ) -> Result<WaczTotals, ContainerError> {
        let package = Package::parse(self.contents.text(PACKAGE)?)?;
        let mut new = NewWacz {
            zip: ZipWriter::new(output),
            package,
            digests: HashMap::new(),
            indexes: Indexes::default(),
        };
        let archives = self.contents.archives();
        if let [(_, name)] = &archives[..] {
            new.indexes.only = Some(file_name(name).to_owned());
        }
        let rewriting = &rewriting.of_one_file();
        let mut totals = WaczTotals::default();
        for (member, name) in archives {
            let report = |entry: &Entry| report(&name, entry);
            totals.records +=
                self.archive_member(&mut new, member, &name, rewriting, workers, report)?;
        }
        if !totals.records.is_changed() {
            return Ok(totals);
        }
        self.other_members(&mut new)?;
        self.indexes(&mut new)?;
        totals.was_signed = self.package(&mut new)?;
        totals.index_lines_left_out = new.indexes.left_out;
        totals.bytes = new.zip.finish(&self.contents.directory)?;
        Ok(totals)
    }

    /// Reads the archive of this name.
    pub(super) fn reader(
        &mut self,
        name: &str,
    ) -> Result<Reader<impl Read + Send>, ContainerError> {
        let selection = self.selection.clone();
        let member = self.contents.position(name)?;
        Ok(self.archive(member)?.select(selection))
    }

    fn archive(&mut self, member: usize) -> Result<Reader<impl Read + Send>, ContainerError> {
        let limits = self.limits;
        Ok(Reader::seekable(self.contents.stored(member)?).limits(limits))
    }

    /// Writes an archive anew, or copies it if no record changes.
    fn archive_member<W: Write + Seek>(
        &mut self,
        new: &mut NewWacz<W>,
        member: usize,
        name: &str,
        rewriting: &Rewriting<'_>,
        workers: &Workers,
        report: impl FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<Totals, ContainerError> {
        if let Some(why) = damage(&mut self.contents, &new.package, member, name)? {
            self.contents.copy(member, &mut new.zip)?;
            return copied(&why, report);
        }
        let header = self.contents.header(member)?;
        let mut file = new.zip.start(&header)?;
        let mut output = HashingWriter::new(&mut file, new.package.hash_type(name));
        let mut moved = MovedRecords::default();
        let has_index = self.contents.has_index();
        let selection = self.selection.clone();
        let archive = self.archive(member)?.select(selection);
        let totals = if has_index {
            let read = |written, limits| moved.add_new(written, limits);
            rewriting.run_with_reader(archive, &mut output, workers, read, report)
        } else {
            rewriting.run(archive, &mut output, workers, report)
        }?;
        let digest = output.finish();
        let (_, record) = file.finish().map_err(ContainerError::Write)?;
        if !totals.is_changed() {
            new.zip.rewind()?;
            self.contents.copy(member, &mut new.zip)?;
            return Ok(totals);
        }
        new.zip.end(&header, record)?;
        new.digests.insert(name.to_owned(), digest);
        if has_index {
            let is_same = moved.add_old(self.archive(member)?).map_err(ContainerError::Read)?;
            if !is_same {
                let what = "its records cannot be found in the index; unpack it, give the WARC files in it, and write an index of them";
                return Err(ContainerError::of(name, what));
            }
            new.indexes.archives.insert(file_name(name).to_owned(), moved);
        }
        Ok(totals)
    }

    fn other_members<W: Write + Seek>(
        &mut self,
        new: &mut NewWacz<W>,
    ) -> Result<(), ContainerError> {
        let others = self.contents.members(|kind| kind == MemberKind::Other);
        others.into_iter().try_for_each(|(member, _)| self.contents.copy(member, &mut new.zip))
    }

    /// Writes the indexes anew; those that point to compressed ones after these.
    fn indexes<W: Write + Seek>(&mut self, new: &mut NewWacz<W>) -> Result<(), ContainerError> {
        for form in [IndexForm::Lines, IndexForm::Compressed, IndexForm::Blocks] {
            for (member, name) in self.contents.members(|kind| kind == MemberKind::Index(form)) {
                if let Some(why) = damage(&mut self.contents, &new.package, member, &name)? {
                    return Err(ContainerError::of(&name, why));
                }
                let header = self.contents.header(member)?;
                let mut file = new.zip.start(&header)?;
                let hash_type = new.package.hash_type(&name);
                let mut output = BufWriter::new(HashingWriter::new(&mut file, hash_type));
                let source = self.contents.decompressed(member)?;
                let written = new.indexes.write(&name, form, source, &mut output);
                written.map_err(|error| in_member(error, &name))?;
                let output = output.into_inner();
                let output = output.map_err(|error| ContainerError::Write(error.into_error()))?;
                new.digests.insert(name, output.finish());
                let (_, record) = file.finish().map_err(ContainerError::Write)?;
                new.zip.end(&header, record)?;
            }
        }
        Ok(())
    }

    /// Writes `datapackage.json` and its hash anew; returns whether there was a signature.
    fn package<W: Write + Seek>(&mut self, new: &mut NewWacz<W>) -> Result<bool, ContainerError> {
        let text = new.package.update(&new.digests)?;
        self.text_member(new, PACKAGE, &text)?;
        if !self.contents.has(DIGEST) {
            return Ok(false);
        }
        let package = MemberDigest::of(text.as_bytes());
        let digest = PackageDigest::update(&self.contents.text(DIGEST)?, &package)?;
        self.text_member(new, DIGEST, &digest.text)?;
        Ok(digest.was_signed)
    }

    fn text_member<W: Write + Seek>(
        &mut self,
        new: &mut NewWacz<W>,
        name: &str,
        text: &str,
    ) -> Result<(), ContainerError> {
        let header = self.contents.header(self.contents.position(name)?)?;
        new.zip.write(&header, &NewMember::new(text.as_bytes(), header.method())?)
    }
}

/// A WACZ archive that is being written.
struct NewWacz<W: Write + Seek> {
    zip: ZipWriter<W>,
    package: Package,
    /// The members that changed.
    digests: HashMap<String, MemberDigest>,
    indexes: Indexes,
}

/// The name of an archive in an index.
fn file_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}
