//! The options of the command, for messages of the library, which name no options.

/// What the library calls its limits, and their names for `--limit`.
pub const LIMITS: &[(&str, &str)] = &[
    ("the limit for documents", "input"),
    ("the limit for rewritten documents", "output"),
    ("the limit for base URLs", "base-url"),
    ("the limit for references", "reference"),
    ("the limit for links", "links"),
    ("the limit for nested documents", "srcdoc"),
    ("the limit for trees", "depth"),
    ("the limit for nested blocks", "depth"),
    ("the limit for attributes", "attributes"),
    ("the limit for parts", "parts"),
    ("the limit for nested parts", "part-depth"),
    ("the limit for headers of parts", "header"),
    ("the limit for headers of records", "record-header"),
    ("the limit for records", "record"),
    ("the limit for compressed data", "ratio"),
];

/// Phrases of the library, and the options that do what they advise.
const PHRASES: &[(&str, &str)] = &[
    ("read it as Markdown or as HTML", "--as markdown, --as html"),
    ("read it as HTML", "--as html"),
    ("read the file as XML", "--as xml"),
    ("read it as a web archive", "--as warc"),
    ("alone and without a format", "--as"),
    ("use the splice engine", "--engine splice"),
    ("give a base URL, or learn none", "--base-url, --base-map or --learn none"),
    ("allow other files in it", "--force"),
    ("follow symbolic links", "--follow-symlinks"),
    ("break hard links", "--break-hardlinks"),
    ("write an index of them", "--cdxj"),
    ("the root folder", "--root-dir"),
    ("the limit for findings", "--limit findings=N"),
    ("or exclude it", "--exclude"),
];

/// A message of the library, followed by the options that do what it advises.
pub fn with_options(message: &str) -> String {
    let mut text = message.to_owned();
    if let Some((_, name)) = LIMITS.iter().find(|(limit, _)| message.contains(limit)) {
        let none = if *name == "srcdoc" { "16 at most" } else { "0 = no limit" };
        text.extend(["; raise --limit ", name, "=N (", none, ") if it is trusted"]);
    }
    if let Some((_, options)) = PHRASES.iter().find(|(phrase, _)| message.contains(phrase)) {
        text.extend([" (", options, ")"]);
    }
    text
}
