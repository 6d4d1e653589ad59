//! A position in a container as an argument: `crawl.warc.gz!@1234`, `page.mhtml!3`.

use std::path::{Path, PathBuf};

use absolve::container::{EntryId, Format};

/// The file and the entry that an argument names; `None` for the name of a file.
///
/// A file of that whole name has precedence.
pub(crate) fn entry_path(argument: &Path) -> Option<(PathBuf, EntryId)> {
    let (file, entry) = argument.to_str()?.rsplit_once('!')?;
    let entry = entry.parse().ok()?;
    let is_its_format = match Format::of_name(Path::new(file)) {
        Format::Warc => matches!(entry, EntryId::Record(_)),
        Format::Message => matches!(entry, EntryId::Part(_)),
        _ => false,
    };
    (is_its_format && !argument.exists()).then(|| (file.into(), entry))
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
