//! The links that the command lists, with the base URLs that it learns from files.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// A link as `absolve links` has it.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) file: String,
    pub(crate) element: String,
    pub(crate) url: String,
    pub(crate) base: String,
    pub(crate) base_source: String,
}

/// The links of the documents in a folder, in the order of their names and places.
pub(crate) fn links(folder: &Path, args: &[&str]) -> Vec<Link> {
    let printed = absolve(folder, &[&["links", "--format", "jsonl", "."], args].concat());
    let link = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        Link {
            file: text("file").trim_start_matches("./").to_owned(),
            element: text("element"),
            url: text("url"),
            base: text("base"),
            base_source: text("base_source"),
        }
    };
    printed.lines().map(link).collect()
}

/// Runs the command in a folder.
#[track_caller]
pub(crate) fn absolve(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
    let output = command.args(args).current_dir(folder).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// The base of a file's first link, which is the learned URL, and its source.
#[track_caller]
pub(crate) fn base<'l>(links: &'l [Link], file: &str) -> (&'l str, &'l str) {
    let link = links.iter().find(|link| link.file == file);
    let link = link.unwrap_or_else(|| panic!("{file} has no links: {links:#?}"));
    (&link.base, &link.base_source)
}

/// The URLs of a file's links but those of `base` elements, as a browser asks for them: some
/// programs unescape.
pub(crate) fn urls(links: &[Link], file: &str) -> Vec<String> {
    let counts = |link: &&Link| link.file == file && link.element != "base";
    let urls = links.iter().filter(counts).map(|link| url::Url::parse(&link.url));
    urls.map(|url| url.unwrap().into()).collect()
}
