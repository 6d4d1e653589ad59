//! Paths and names that a configuration found on disk may choose.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use absolve::batch::Globs;
use absolve::container::Format;

pub(super) const OUTSIDE: &str = "it leads out of the folder of the configuration";

/// Whether a name is that of a document or of a web archive.
pub(crate) fn is_document_name(name: &OsStr) -> bool {
    let name = Path::new(name);
    let is_archive = Format::of_name(name) == Format::Warc || Format::is_wacz(name);
    // Programs act on many files of this extension, such as `pom.xml`.
    let may_act = name.extension().is_some_and(|end| end.eq_ignore_ascii_case("xml"));
    (Globs::default().is_document(name) && !may_act) || is_archive
}

/// Whether a name in a path begins with a dot.
pub(super) fn has_dot_name(path: &Path) -> bool {
    path.components().any(|part| match part {
        Component::Normal(name) => name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    })
}

/// A path without `.` components.
pub(super) fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

/// Rejects a path that leads out of its folder, or has a name that other programs act on.
pub(super) fn check_name(path: &Path) -> Result<(), String> {
    for part in plain(path).components() {
        let Component::Normal(name) = part else {
            return Err(OUTSIDE.to_owned());
        };
        let name = name.to_string_lossy();
        if name.starts_with('.') {
            return Err("a name in it begins with a dot".to_owned());
        }
        // Git's folder has a short name on Windows, and a file may have streams.
        if name.contains(['~', ':', '\\']) || name.contains(char::is_control) {
            return Err("a name in it has one of ~ : \\ or a control character".to_owned());
        }
    }
    Ok(())
}

pub(super) fn check_extension(path: &Path, extensions: &[&str]) -> Result<(), String> {
    let extension = path.extension().and_then(OsStr::to_str);
    if extension.is_some_and(|extension| extensions.contains(&extension)) {
        return Ok(());
    }
    let names: Vec<String> = extensions.iter().map(|extension| format!(".{extension}")).collect();
    Err(format!("its name does not end in {}", names.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_below_and_is_obeyed_by_nobody() {
        for path in ["a.txt", "out/a.txt", "./a.txt", "a b/c.d.json"] {
            assert_eq!(check_name(Path::new(path)), Ok(()), "{path}");
        }
        let refused = [
            "../a.txt",
            "a/../../b.txt",
            "a/..",
            "/a.txt",
            ".git/hooks/a.txt",
            "a/.github/b.txt",
            ".npmrc",
            "git~1/a.txt",
            "a.txt:b",
            "a\\b.txt",
            "a\0.txt",
            "a\n.txt",
        ];
        for path in refused {
            assert!(check_name(Path::new(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn an_extension_is_that_of_the_format() {
        assert_eq!(check_extension(Path::new("a.sarif"), &["sarif", "json"]), Ok(()));
        for path in ["a", "a.py", "sarif", ".sarif", "a.sarif.sh", "a.SARIF"] {
            let checked = check_extension(Path::new(path), &["sarif", "json"]);
            assert_eq!(
                checked,
                Err("its name does not end in .sarif or .json".to_owned()),
                "{path}"
            );
        }
    }
}
