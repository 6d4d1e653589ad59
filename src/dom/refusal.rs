//! Why the DOM engine does not write a document.

use encoding_rs::Encoding;

use crate::error::{Error, shortened};

/// A `browser` would parse what is written as another tree, first in this element.
pub(super) fn tree_changed(element: &str, browser: &str) -> Error {
    Error::tree(format!(
        "a {browser} would read other elements than in the source, from <{}> on, and inert markup could become active",
        shown(element)
    ))
}

/// Browsers read the source in another way than the parser, first in this element.
pub(super) fn read_in_two_ways(element: &str) -> Error {
    Error::tree(format!(
        "browsers read other elements than the parser of the DOM engine, from <{}> on",
        shown(element)
    ))
}

/// The encoding lacks a character that is where no reference can be written.
pub(super) fn missing_character(encoding: &'static Encoding, character: char) -> Error {
    Error::tree(format!(
        "the encoding {} cannot hold U+{:04X} in a comment, script, style or name",
        encoding.name(),
        u32::from(character)
    ))
}

/// The document would be read in another encoding once it is written.
pub(crate) fn encoding_changed(old: &'static Encoding, new: &'static Encoding) -> Error {
    Error::tree(format!(
        "it is read as {} and would be read as {}, because the markup that declares its encoding moves or goes",
        old.name(),
        new.name()
    ))
}

fn shown(element: &str) -> String {
    shortened(element).escape_debug().to_string()
}
