//! Web archives that a crawler is still writing: `crawl.warc.gz.open`.

use std::path::Path;

use crate::cli::session::failure::Failure;
use crate::cli::terminal::printable_path;

/// Refuses to replace an archive that a crawler is still writing; the message names the option.
pub fn check_not_being_written(path: &Path, option: &str) -> Result<(), Failure> {
    // A link may have another name.
    if path.exists()
        && (is_being_written(path) || path.canonicalize().is_ok_and(|path| is_being_written(&path)))
    {
        let what = format_args!(
            "a crawler is still writing it, and would lose its place; give {option} another file"
        );
        return Err(Failure::of(&printable_path(path), what));
    }
    Ok(())
}

/// Whether the name is that of an archive which a crawler is still writing.
pub fn is_being_written(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("open"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_name_says_it() {
        for (name, expected) in [
            ("a.warc.gz.open", true),
            ("a.wacz.OPEN", true),
            ("open", false),
            ("a.open.warc", false),
        ] {
            assert_eq!(is_being_written(Path::new(name)), expected, "{name}");
        }
    }
}
