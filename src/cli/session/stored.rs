//! The web archives in a WACZ archive: `crawl.wacz!archive/data.warc.gz`.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::batch;
use crate::container::wacz::Wacz;
use crate::container::{ByteRange, Format, StoredArchive};

use crate::cli::session::book::failure;
use crate::cli::session::entry_path::split_at_member;
use crate::cli::session::failure::Failure;
use crate::cli::terminal::printable_path;

/// The archives in a WACZ archive, in the order of their bytes.
pub fn stored_archives(path: &Path) -> Result<Vec<StoredArchive>, Failure> {
    let name = printable_path(path);
    let file = batch::open(path).map_err(|error| Failure::unreadable(&name, &error))?;
    let archives = Wacz::open(file).and_then(|mut wacz| wacz.archives());
    archives.map_err(|error| failure(&name, error))
}

/// The WACZ archive, and the name of the archive in it, of a path that no file has.
pub fn stored_path(path: &Path) -> Option<(PathBuf, &str)> {
    split_at_member(path, |file| Format::of_name(file) == Format::Wacz)
}

/// Opens the archive of a name; also returns its size.
pub fn open_stored(wacz: &Path, name: &str) -> Result<(ByteRange<File>, u64), Failure> {
    let archives = stored_archives(wacz)?;
    let Some(archive) = archives.iter().find(|archive| archive.name == name) else {
        let names: Vec<_> = archives.iter().map(|archive| &*archive.name).collect();
        let what = format_args!("no web archive is named so in it; it has {}", names.join(", "));
        return Err(Failure::of(&format!("{}!{name}", printable_path(wacz)), what));
    };
    let size = archive.bytes.end - archive.bytes.start;
    let file = batch::open(wacz).and_then(|file| ByteRange::new(file, archive.bytes.clone()));
    let file = file.map_err(|error| Failure::unreadable(&printable_path(wacz), &error))?;
    Ok((file, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_in_a_wacz_archive_has_a_path() {
        let stored = |text: &str| {
            let found = stored_path(Path::new(text));
            found.map(|(file, name)| format!("{} {name}", file.display()))
        };
        let expected = Some("a!b.WACZ archive/c.warc!d".to_owned());
        assert_eq!(stored("a!b.WACZ!archive/c.warc!d"), expected);
        assert_eq!(stored("a.wacz"), None);
        assert_eq!(stored("a.warc!@1"), None);
    }
}
