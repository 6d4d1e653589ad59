//! Options of earlier versions, and what replaces them.

use super::limits::of_old_option;

/// An option that was removed, and what to do instead.
const REMOVED: &[(&str, &str)] = &[
    ("all-or-nothing", "preview the run with --check, or write into a new folder"),
    ("all-statuses", "give --status all"),
    ("anchor-ranges", "give --accept anchor-ranges"),
    ("conditional-comments", "links in comments do not count"),
    ("extensionless", "give --accept extensionless"),
    ("for", "give --to offline, or --to relative of extract, for a browser that opens files"),
    ("ignore-case", "give --accept case"),
    ("ignore-rule", "give --rule ID=off"),
    ("keep-time", "copy the timestamps afterwards, as touch -r does"),
    ("leave-external", "links out of the site become absolute"),
    ("level", "new records are compressed at level 4"),
    ("list-rules", "give --explain all"),
    ("no-css", "select documents with --mime, such as --mime text/html"),
    ("null", "--files-from reads such lists without an option"),
    ("type", "select records with --mime, --status and --url"),
    ("version", "give it before the command: absolve --version"),
];

/// What replaces an option that the command has no more, given without its dashes.
pub fn replacement(option: &str) -> Option<String> {
    if let Some(limit) = of_old_option(option) {
        return Some(format!("give --limit {limit}=VALUE"));
    }
    let (_, instead) = REMOVED.iter().find(|(name, _)| *name == option)?;
    Some((*instead).to_owned())
}
