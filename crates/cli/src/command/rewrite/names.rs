//! Mirrors whose links are names of files.

use std::path::{Path, PathBuf};

use absolve_files::read_beginning;
use memchr::memmem;
use walkdir::{DirEntry, WalkDir};

use crate::args::BaseUrlArgs;
use crate::terminal::{Messages, printable_path};

/// The most names of a folder that are looked at.
const MAX_NAMES: usize = 2000;
/// The most pages that are looked at beside one, and the most bytes of each.
const MAX_PAGES: usize = 8;
const MAX_BYTES: usize = 256 * 1024;

/// Warns of mirrors whose links lead to names of files, which are not the URLs that they had, unless an
/// option gives the URLs of files.
pub(super) fn warn(folders: &[PathBuf], base: &BaseUrlArgs, messages: Messages) {
    if base.has_records() {
        return;
    }
    for folder in folders {
        let program = match () {
            () if folder.join("hts-cache").is_dir() => "HTTrack",
            () if !base.has_layout() && has_converted_links(folder) => "wget -E -k",
            () => continue,
        };
        let folder = printable_path(folder);
        let instead = match program {
            "HTTrack" => format!("--base-map {folder}/hts-cache/new.txt gives their URLs"),
            _ => "--layout host-path takes queries from the names".to_owned(),
        };
        messages.warning(format_args!(
            "{folder}: {program} gave these files their names, and links to them are now URLs with \
             these names, which the site may not have; --to relative keeps links between files, and \
             {instead}"
        ));
    }
}

/// Whether a page leads to one whose name has a query and the `.html` that `wget -E` adds: `wget -k`
/// writes the name of the file, `list.html%3Fpage=1.html`, and a site the URL, `list.html?page=1`.
fn has_converted_links(folder: &Path) -> bool {
    let names = WalkDir::new(folder).into_iter().filter_map(Result::ok).take(MAX_NAMES);
    let converted = names.filter_map(|entry| Some((converted_link(&entry)?, entry)));
    let is_in = |link: &str, page: &DirEntry| {
        let page = read_beginning(page.path(), MAX_BYTES).unwrap_or_default();
        memmem::find(&page, link.as_bytes()).is_some()
    };
    let mut converted = converted.take(MAX_PAGES);
    converted.any(|(link, entry)| {
        let beside = entry.path().parent().unwrap_or(folder);
        let beside = WalkDir::new(beside).max_depth(1).into_iter().filter_map(Result::ok);
        let mut pages = beside.filter(|entry| entry.file_type().is_file()).take(MAX_PAGES);
        pages.any(|page| is_in(&link, &page))
    })
}

/// The link that `wget -k` writes for a file with a query in its name.
fn converted_link(entry: &DirEntry) -> Option<String> {
    let name = entry.file_name().to_str().filter(|_| entry.file_type().is_file())?;
    // With names for Windows, wget writes `@`, which is no query by itself, and wget2 `%3F`.
    let after_at = name.split_once('@').map(|(_, query)| query);
    let has_query = name.contains('?') || name.contains("%3F");
    let has_query = has_query || after_at.is_some_and(|query| query.contains('='));
    let page = name.strip_suffix(".html").filter(|_| has_query)?;
    let page = page.replace('%', "%25").replace('#', "%23").replace('&', "&amp;");
    Some(page.replace('?', "%3F") + ".html")
}
