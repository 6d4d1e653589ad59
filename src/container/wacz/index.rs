//! The indexes of a WACZ archive, whose lines get the new places of records.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::hashing::{HashType, HashingWriter, sha256_text};
use super::json::{Edits, number};
use super::moved::MovedRecords;
use crate::container::ContainerError;

/// Maximum bytes of a line. Entries with the body of a request are the longest.
const MAX_LINE: u64 = 4 << 20;

/// Maximum blocks of a compressed index.
const MAX_BLOCKS: usize = 1 << 20;

/// The form of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexForm {
    /// Lines of CDXJ.
    Lines,
    /// Gzip members with lines of CDXJ, which a [`IndexForm::Blocks`] may point to.
    Compressed,
    /// A line for each gzip member.
    Blocks,
}

impl IndexForm {
    /// The form of a member with this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let end = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        match () {
            () if !name.starts_with("indexes/") => None,
            () if end(&[".cdx.gz", ".cdxj.gz"]) => Some(Self::Compressed),
            () if end(&[".cdxj", ".cdx"]) => Some(Self::Lines),
            () if end(&[".idx"]) => Some(Self::Blocks),
            () => None,
        }
    }
}

/// What a line says of a place.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'t> {
    #[serde(borrow)]
    offset: Option<&'t RawValue>,
    #[serde(borrow)]
    length: Option<&'t RawValue>,
    #[serde(borrow)]
    digest: Option<&'t RawValue>,
    #[serde(borrow)]
    record_digest: Option<&'t RawValue>,
    filename: Option<String>,
}

/// The new place of a gzip member of an index.
struct Block {
    old_offset: u64,
    offset: u64,
    length: u64,
    sha256: [u8; 32],
}

/// An error of a member that has an index.
pub(super) fn in_member(error: ContainerError, name: &str) -> ContainerError {
    match error {
        ContainerError::Invalid(what) => ContainerError::of(name, what),
        ContainerError::Read(error) if is_damage(&error) => ContainerError::of(name, error),
        error => error,
    }
}

fn invalid(what: &str) -> ContainerError {
    ContainerError::Invalid(what.to_owned())
}

/// Whether a decoder refused the bytes that were read.
fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

/// Makes indexes anew.
#[derive(Default)]
pub(super) struct Indexes {
    /// The records of each archive that changed, by its name without folders.
    pub(super) archives: HashMap<String, MovedRecords>,
    /// The name of the only archive, for lines without one.
    pub(super) only: Option<String>,
    /// Lines that are left out, as there is no record where they point to.
    pub(super) left_out: u64,
    blocks: HashMap<String, Vec<Block>>,
}

impl Indexes {
    /// Writes a member with an index anew.
    pub(super) fn write(
        &mut self,
        name: &str,
        form: IndexForm,
        source: impl Read,
        output: &mut impl Write,
    ) -> Result<(), ContainerError> {
        match form {
            IndexForm::Lines => self.lines(BufReader::new(source), output),
            IndexForm::Compressed => self.compressed(name, source, output),
            IndexForm::Blocks => self.block_lines(name, source, output),
        }
    }

    fn lines(
        &mut self,
        mut source: impl BufRead,
        output: &mut impl Write,
    ) -> Result<(), ContainerError> {
        let mut line = String::new();
        while next_line(&mut source, &mut line)? {
            match self.line(&line)? {
                Some(line) => output.write_all(line.as_bytes()).map_err(ContainerError::Write)?,
                None => self.left_out += 1,
            }
        }
        Ok(())
    }

    /// The line with the new place of its record; `None` if that is nowhere.
    fn line(&self, line: &str) -> Result<Option<String>, ContainerError> {
        let Some((text, fields)) = parse(line)? else { return Ok(Some(line.to_owned())) };
        let archive = fields.filename.as_ref().or(self.only.as_ref());
        let archive = archive.map(|name| name.rsplit('/').next().unwrap_or_default());
        let Some(records) = archive.and_then(|name| self.archives.get(name)) else {
            return Ok(Some(line.to_owned()));
        };
        let old = fields.offset.and_then(number);
        let Some(new) = old.and_then(|offset| records.from(offset)) else { return Ok(None) };
        let mut edits = Edits::new(text);
        edits.number(fields.offset, new.offset);
        edits.number(fields.length, new.length);
        if let Some(digest) = &new.digest {
            edits.string(fields.digest, digest);
        }
        if let Some(digest) = &new.record_digest {
            edits.string(fields.record_digest, &sha256_text(digest));
        }
        Ok(Some(edited(line, text, edits)))
    }

    /// Writes each gzip member anew, with the same lines.
    fn compressed(
        &mut self,
        name: &str,
        source: impl Read,
        output: &mut impl Write,
    ) -> Result<(), ContainerError> {
        let mut source = Counting { source: BufReader::new(source), count: 0 };
        let (mut blocks, mut offset) = (Vec::new(), 0);
        while !source.fill_buf().map_err(ContainerError::Read)?.is_empty() {
            if blocks.len() == MAX_BLOCKS {
                return Err(invalid("more than 1048576 gzip members"));
            }
            let old_offset = source.count;
            let mut block = HashingWriter::new(&mut *output, HashType::Sha256);
            let mut member = GzEncoder::new(&mut block, Compression::best());
            self.lines(BufReader::new(GzDecoder::new(&mut source)), &mut member)?;
            member.finish().map_err(ContainerError::Write)?;
            let length = block.bytes();
            blocks.push(Block { old_offset, offset, length, sha256: block.finish_sha256() });
            offset += length;
        }
        self.blocks.insert(stem(name).to_owned(), blocks);
        Ok(())
    }

    /// Writes the lines that point to gzip members.
    fn block_lines(
        &self,
        name: &str,
        source: impl Read,
        output: &mut impl Write,
    ) -> Result<(), ContainerError> {
        let blocks = self.blocks.get(stem(name)).or_else(|| self.blocks.values().next());
        let Some(blocks) = blocks else {
            return Err(invalid("points to an index that is not in the archive"));
        };
        let mut source = BufReader::new(source);
        let mut line = String::new();
        while next_line(&mut source, &mut line)? {
            let mut new = None;
            if let Some((text, fields)) = parse(&line)?
                && let Some(offset) = fields.offset
            {
                let block = number(offset).and_then(|offset| {
                    let found = blocks.binary_search_by_key(&offset, |block| block.old_offset);
                    found.ok().map(|found| &blocks[found])
                });
                let Some(block) = block else {
                    return Err(invalid("points between the gzip members of the index"));
                };
                let mut edits = Edits::new(text);
                edits.number(fields.offset, block.offset);
                edits.number(fields.length, block.length);
                edits.string(fields.digest, &sha256_text(&block.sha256));
                new = Some(edited(&line, text, edits));
            }
            let line = new.as_ref().unwrap_or(&line);
            output.write_all(line.as_bytes()).map_err(ContainerError::Write)?;
        }
        Ok(())
    }
}

/// The name of an index, without folders and the end.
fn stem(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or_default();
    name.split('.').next().unwrap_or_default()
}

/// Reads a line with its end.
fn next_line(source: &mut impl BufRead, line: &mut String) -> Result<bool, ContainerError> {
    line.clear();
    source.take(MAX_LINE).read_line(line).map_err(ContainerError::Read)?;
    if line.len() as u64 == MAX_LINE {
        return Err(invalid("a line is longer than 4 MiB"));
    }
    Ok(!line.is_empty())
}

/// The JSON of a line; `None` for an empty line, and one about the index.
fn parse(line: &str) -> Result<Option<(&str, Line<'_>)>, ContainerError> {
    if line.trim().is_empty() || line.starts_with('!') {
        return Ok(None);
    }
    let other = || invalid("not an index in the form CDXJ");
    // A key has no space, and a date only digits.
    let Some(start) = line.find(" {") else { return Err(other()) };
    let text = line[start + 1..].trim_end();
    let fields = serde_json::from_str(text).map_err(|_| other())?;
    Ok(Some((text, fields)))
}

/// The line with edited JSON.
fn edited(line: &str, text: &str, edits: Edits<'_>) -> String {
    let before = line.len() - line.trim_end().len();
    let end = &line[line.len() - before..];
    let start = &line[..line.len() - before - text.len()];
    format!("{start}{}{end}", edits.finish())
}

/// A source that counts what is taken from it.
struct Counting<R> {
    source: R,
    count: u64,
}

impl<R: BufRead> Read for Counting<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(into)?;
        self.count += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counting<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.source.consume(count);
        self.count += count as u64;
    }
}
