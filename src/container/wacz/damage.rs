//! Members whose bytes are not those that the file lists.

use std::io::{self, Read, Seek};
use std::ops::ControlFlow;

use super::contents::Contents;
use super::hashing::HashingWriter;
use super::package::{PACKAGE, Package};
use crate::container::ContainerError;
use crate::container::warc::{Entry, Totals};

/// Why a member is damaged: it has another checksum than the ZIP file lists, or another size or hash
/// than `datapackage.json` lists.
pub(super) fn damage(
    contents: &mut Contents<impl Read + Seek + Send>,
    package: &Package,
    member: usize,
    name: &str,
) -> Result<Option<String>, ContainerError> {
    let mut digest = HashingWriter::new(io::sink(), package.hash_type(name));
    let read = io::copy(&mut contents.decompressed(member)?, &mut digest);
    let (what, file) = match read {
        Ok(_) => (package.mismatch(name, &digest.finish()), PACKAGE),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            (Some("CRC-32"), "the ZIP file")
        }
        Err(error) => return Err(ContainerError::Read(error)),
    };
    Ok(what.map(|what| format!("damaged: its bytes do not have the {what} that {file} lists")))
}

/// Reports an archive that is copied, for this reason.
pub(super) fn copied(
    why: &str,
    mut report: impl FnMut(&Entry) -> ControlFlow<()>,
) -> Result<Totals, ContainerError> {
    let entry = Entry::damaged_archive(format!("{why}; the archive stays as it is"));
    match report(&entry) {
        ControlFlow::Continue(()) => Ok(Totals { records: 1, failed: 1, ..Totals::default() }),
        ControlFlow::Break(()) => Err(ContainerError::Stopped),
    }
}
