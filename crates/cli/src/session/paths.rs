//! Resolves paths of the command line: the folders that they are relative to, and entries of
//! containers: `crawl.warc.gz!@1234`, `page.mhtml!3`, `crawl.wacz!archive/data.warc.gz`.

use std::path::{Path, PathBuf};
use std::{env, io};

use absolve::Diagnosis;
use absolve::url::Base;
use absolve_archive::{EntryId, Format, Source};
use absolve_files::{Archive, Monitor};

use super::failure::{Failure, reason};

use crate::args::{FileArgs, InputArgs};
use crate::terminal::printable_path;

/// Splits the folder of a file into a base folder and a path inside it. The base folder is the
/// root, or the folder of the file if that is outside the root.
pub(super) fn split_folder(path: &Path, root: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = canonicalize_or(parent.unwrap_or(Path::new(".")), root)?;
    Ok(match folder.strip_prefix(root) {
        Ok(inside) => (root.to_owned(), inside.to_owned()),
        Err(_) => (folder, PathBuf::new()),
    })
}

/// Whether a path leads to a folder. An unreadable path is an error, since a base URL has another
/// meaning for a folder than for a file.
pub(super) fn is_folder(path: &Path) -> io::Result<bool> {
    match path.metadata() {
        Err(error) if is_missing(&error) => Ok(false),
        metadata => metadata.map(|metadata| metadata.is_dir()),
    }
}

/// Whether a PATH leads to a folder. An error fails the whole command.
pub fn is_folder_given(path: &Path) -> Result<bool, Failure> {
    is_folder(path).map_err(|error| Failure::unreadable(&printable_path(path), &error))
}

/// The number of bytes at the beginning that identify an EPUB.
const BOOK_BEGINNING_LEN: usize = 64;

/// Refuses an EPUB, by its name or its first bytes.
pub fn refuse_book(path: &Path) -> Result<(), Failure> {
    // Opening a pipe would wait for its writer.
    if !path.is_file() {
        return Ok(());
    }
    let beginning = absolve_files::read_beginning(path, BOOK_BEGINNING_LEN).unwrap_or_default();
    let why = Format::find_book_problem(path, &beginning);
    why.map_or(Ok(()), |why| Err(Failure::new(&printable_path(path), why)))
}

/// Resolves symbolic links. Returns `missing` for a path that does not exist; reading it reports
/// the error.
pub(super) fn canonicalize_or(path: &Path, missing: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if is_missing(&error) => Ok(missing.to_owned()),
        resolved => resolved,
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Splits the path of a file into a base folder and a path inside it. The base folder is
/// `--root-dir` or the current folder, or the folder of the file if that is outside.
///
/// A base URL is the URL of `--root-dir`, so a file outside is refused if both are given.
pub fn split_at_root(
    path: &Path,
    args: &InputArgs,
    base: Option<&Base>,
) -> Result<(PathBuf, PathBuf), Failure> {
    let files = &args.files;
    let root = match &files.root_dir {
        Some(root) => root.canonicalize().map_err(|error| root_failure(files, &error))?,
        None => match env::current_dir().and_then(|current| current.canonicalize()) {
            // The current folder was deleted, and nothing is in it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => PathBuf::new(),
            current => {
                current.map_err(|error| Failure::unreadable(&printable_path(path), &error))?
            }
        },
    };
    let (folder, inside) = split_folder(path, &root)
        .map_err(|error| Failure::unreadable(&printable_path(path), &error))?;
    if files.root_dir.is_some() && base.is_some() && folder != root {
        return Err(outside_failure(path, files));
    }
    let inside = path.file_name().map_or_else(PathBuf::new, |name| inside.join(name));
    Ok((folder, inside))
}

/// Creates the failure of a root folder that cannot be read.
pub(super) fn root_failure(files: &FileArgs, error: &io::Error) -> Failure {
    let root = files.root_dir.as_deref().unwrap_or(Path::new("."));
    let problem = Diagnosis::from_words("cannot be the {root-dir}: {}", &[&reason(error)]);
    Failure::new(&printable_path(root), problem)
}

/// Creates the failure of a path outside the folder of the base URL.
pub(super) fn outside_failure(path: &Path, files: &FileArgs) -> Failure {
    let problem = match &files.root_dir {
        Some(root) => explain_outside(root),
        None => Diagnosis::from_words(
            "it is not in the current folder; give {root-dir} DIR, a folder that all paths are in",
            &[],
        ),
    };
    Failure::new(&printable_path(path), problem)
}

/// Explains that a path is not in the root folder.
pub fn explain_outside(root: &Path) -> Diagnosis {
    let words = "it is not in {root-dir _}; give a folder above it";
    Diagnosis::from_words(words, &[&printable_path(root)])
}

/// Splits an argument into a file and an entry; returns `None` for the name of a file.
///
/// A file with the whole name has precedence.
pub fn split_at_entry(argument: &Path) -> Option<(PathBuf, EntryId)> {
    let (file, entry) = argument.to_str()?.rsplit_once('!')?;
    let entry = entry.parse().ok()?;
    let has_entry = Format::from_name(Path::new(file)).has_entry(entry);
    (has_entry && !argument.exists()).then(|| (file.into(), entry))
}

/// Splits a path that does not exist into a container and the name of a file in it.
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

/// Names an entry of a file: `page.mhtml!3`.
pub fn name_entry(file: &str, entry: Option<EntryId>) -> String {
    entry.map_or_else(|| file.to_owned(), |entry| format!("{file}!{entry}"))
}

/// Splits a path that does not exist into a WACZ archive and the name of an archive in it.
pub fn split_at_archive(path: &Path) -> Option<(PathBuf, &str)> {
    split_at_member(path, |file| Format::from_name(file).needs_file())
}

/// Opens the web archive of this name in a WACZ archive.
pub fn open_stored<'m>(
    wacz: &Path,
    name: &str,
    monitor: &'m dyn Monitor,
) -> Result<Source<'m>, Failure> {
    let archives = Archive::from_file(wacz, Format::from_name(wacz));
    let archives =
        archives.map_err(|error| Failure::from_container(&printable_path(wacz), error))?;
    let Some(archive) = archives.iter().find(|archive| archive.name() == Some(name)) else {
        let names: Vec<_> = archives.iter().filter_map(Archive::name).collect();
        let problem = format_args!("no web archive is named so in it; it has {}", names.join(", "));
        return Err(Failure::new(&format!("{}!{name}", printable_path(wacz)), problem));
    };
    let opened = archive.source(monitor);
    opened.map_err(|error| Failure::unreadable(&printable_path(wacz), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_fits_the_format_of_its_file() {
        let entry =
            |text: &str| split_at_entry(Path::new(text)).map(|(_, entry)| entry.to_string());
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
            let split = split_at_archive(Path::new(text));
            split.map(|(file, name)| format!("{} {name}", file.display()))
        };
        let expected = Some("a!b.WACZ archive/c.warc!d".to_owned());
        assert_eq!(stored("a!b.WACZ!archive/c.warc!d"), expected);
        assert_eq!(stored("a.wacz"), None);
        assert_eq!(stored("a.warc!@1"), None);
    }
}
