//! A position or a file in a container as an argument: `crawl.warc.gz!@1234`, `page.mhtml!3`,
//! `crawl.wacz!archive/data.warc.gz`.

use std::path::{Path, PathBuf};

use absolve_archive::{EntryId, Format, Source};
use absolve_files::{Archive, Monitor};

use super::failure::Failure;

use crate::terminal::printable_path;

/// The file and the entry that an argument names; `None` for the name of a file.
///
/// A file of that whole name has precedence.
pub fn entry_path(argument: &Path) -> Option<(PathBuf, EntryId)> {
    let (file, entry) = argument.to_str()?.rsplit_once('!')?;
    let entry = entry.parse().ok()?;
    let has_entry = Format::from_name(Path::new(file)).has_entry(entry);
    (has_entry && !argument.exists()).then(|| (file.into(), entry))
}

/// The container, and the name of the file in it, of a path that no file has.
pub fn split_at_member(
    path: &Path,
    is_container: impl Fn(&Path) -> bool,
) -> Option<(PathBuf, &str)> {
    let text = path.to_str().filter(|_| !path.exists())?;
    let mut parts =
        text.match_indices('!').map(|(at, _)| (Path::new(&text[..at]), &text[at + 1..]));
    let (file, name) = parts.find(|(file, _)| is_container(file))?;
    Some((file.to_owned(), name))
}

/// The name of an entry of a file: `page.mhtml!3`.
pub fn inside(file: &str, entry: Option<EntryId>) -> String {
    entry.map_or_else(|| file.to_owned(), |entry| format!("{file}!{entry}"))
}

/// The WACZ archive, and the name of the archive in it, of a path that no file has.
pub fn stored_path(path: &Path) -> Option<(PathBuf, &str)> {
    split_at_member(path, |file| Format::from_name(file).needs_file())
}

/// Opens the archive of a name.
pub fn open_stored<'m>(
    wacz: &Path,
    name: &str,
    monitor: &'m dyn Monitor,
) -> Result<Source<'m>, Failure> {
    let archives = Archive::from_file(wacz, Format::from_name(wacz));
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
    fn an_entry_fits_the_format_of_its_file() {
        let entry = |text: &str| entry_path(Path::new(text)).map(|(_, entry)| entry.to_string());
        assert_eq!(entry("a!b.warc.gz!@12").as_deref(), Some("@12"));
        assert_eq!(entry("a.warc!@12+3").as_deref(), Some("@12+3"));
        assert_eq!(entry("a.mhtml!3").as_deref(), Some("3"));
        for file in ["a.warc!3", "a.mhtml!@3", "a.html!3", "a.mhtml!", "a.mhtml", "a.mhtml!+3"] {
            assert_eq!(entry(file), None, "{file}");
        }
    }

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
