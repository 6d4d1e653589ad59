//! The web archives in a WACZ archive: `crawl.wacz!archive/data.warc.gz`.

use std::path::{Path, PathBuf};

use crate::batch::{Archive, Monitor};
use crate::container::{Format, Source};

use crate::cli::session::entry_path::split_at_member;
use crate::cli::session::failure::Failure;
use crate::cli::terminal::printable_path;

/// The WACZ archive, and the name of the archive in it, of a path that no file has.
pub fn stored_path(path: &Path) -> Option<(PathBuf, &str)> {
    split_at_member(path, |file| Format::of_name(file).needs_file())
}

/// Opens the archive of a name.
pub fn open_stored<'m>(
    wacz: &Path,
    name: &str,
    monitor: &'m dyn Monitor,
) -> Result<Source<'m>, Failure> {
    let archives = Archive::of_file(wacz, Format::of_name(wacz));
    let archives = archives.map_err(|error| Failure::of_container(&printable_path(wacz), error))?;
    let Some(archive) = archives.iter().find(|archive| archive.name() == Some(name)) else {
        let names: Vec<_> = archives.iter().filter_map(Archive::name).collect();
        let what = format_args!("no web archive is named so in it; it has {}", names.join(", "));
        return Err(Failure::of(&format!("{}!{name}", printable_path(wacz)), what));
    };
    let opened = archive.source(monitor);
    opened.map_err(|error| Failure::unreadable(&printable_path(wacz), &error))
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
