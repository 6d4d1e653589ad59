//! A position in a container as an argument: `crawl.warc.gz!@1234`, `page.mhtml!3`.

use std::path::{Path, PathBuf};

use crate::container::{EntryId, Format};

/// The file and the entry that an argument names; `None` for the name of a file.
///
/// A file of that whole name has precedence.
pub fn entry_path(argument: &Path) -> Option<(PathBuf, EntryId)> {
    let (file, entry) = argument.to_str()?.rsplit_once('!')?;
    let entry = entry.parse().ok()?;
    let has_entry = Format::of_name(Path::new(file)).has_entry(entry);
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
}
