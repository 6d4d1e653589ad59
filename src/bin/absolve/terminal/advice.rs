//! The options of the command, for messages of the library, which name no options.

/// The names of limits, and the options that set them.
pub(crate) const LIMITS: &[(&str, &str)] = &[
    ("the limit for documents", "max-input"),
    ("the limit for rewritten documents", "max-output"),
    ("the limit for base URLs", "max-base-url"),
    ("the limit for references", "max-reference"),
    ("the limit for links", "max-links"),
    ("the limit for nested documents", "max-srcdoc"),
    ("the limit for trees", "max-depth"),
    ("the limit for attributes", "max-attributes"),
    ("the limit for parts", "max-parts"),
    ("the limit for nested parts", "max-part-depth"),
    ("the limit for headers of parts", "max-header"),
    ("the limit for headers of records", "max-record-header"),
    ("the limit for records", "max-record"),
    ("the limit for compressed data", "max-ratio"),
];

/// Phrases of the library, and the options that do what they advise.
const PHRASES: &[(&str, &str)] = &[
    ("read it as HTML", "--as html"),
    ("read it as a web archive", "--as warc"),
    ("alone and without a format", "--as"),
    ("use the splice engine", "--engine splice"),
    ("give a base URL, or learn none", "--base-url, --base-map or --learn none"),
    ("allow other files in it", "--force"),
    ("follow symbolic links", "--follow-symlinks"),
    ("break hard links", "--break-hardlinks"),
    ("write an index of them", "--cdxj"),
    ("the root folder", "--root-dir"),
    ("the limit for findings", "--max-findings"),
    ("or exclude it", "--exclude"),
];

/// A message of the library, followed by the options that do what it advises.
pub(crate) fn with_options(message: &str) -> String {
    let mut text = message.to_owned();
    if let Some((_, option)) = LIMITS.iter().find(|(name, _)| message.contains(name)) {
        let none = if *option == "max-srcdoc" { "16 at most" } else { "0 = no limit" };
        text.extend(["; raise --", option, " (", none, ") if it is trusted"]);
    }
    if let Some((_, options)) = PHRASES.iter().find(|(phrase, _)| message.contains(phrase)) {
        text.extend([" (", options, ")"]);
    }
    text
}
