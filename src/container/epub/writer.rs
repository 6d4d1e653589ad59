//! Reads members of a book, and writes a book with members that changed.

use std::collections::BTreeMap;
use std::io::{Read, Seek, Write};

use crate::container::ContainerError;
use crate::container::zip::{Directory, Header, Member, NewMember, ZipWriter};
use crate::link::Limits;

/// The bytes of a member.
pub(super) fn read(
    source: &mut (impl Read + Seek),
    member: &Member,
    limits: &Limits,
) -> Result<Vec<u8>, ContainerError> {
    if member.is_encrypted() {
        return Err(ContainerError::of(&member.name, "encrypted; decrypt the book first"));
    }
    limits.check_input(member.size).map_err(|error| ContainerError::of(&member.name, error))?;
    member.read(source)
}

/// Writes the members in the order of the old file, after the one with the number `first`; `new` has
/// those that change. The central directory keeps its order, with `first` at its beginning.
///
/// Returns the bytes that were written.
pub(super) fn write(
    source: &mut (impl Read + Seek),
    directory: &Directory,
    first: usize,
    new: &BTreeMap<usize, NewMember>,
    output: impl Write,
) -> Result<u64, ContainerError> {
    let mut zip = ZipWriter::new(output);
    let mut order: Vec<usize> = (0..directory.members.len()).collect();
    order.sort_by_key(|&number| (number != first, directory.members[number].header));
    for number in order {
        match new.get(&number) {
            Some(new) => zip.write(&Header::read(source, directory, number, false)?, new)?,
            None => zip.copy(source, directory, number)?,
        }
    }
    zip.keep_order(first);
    zip.finish(directory)
}
