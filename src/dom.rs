//! The DOM engine: html5ever's tree, the decisions applied to it, and the tree
//! written out again.
//!
//! It is the slow and thorough twin of the splice engine: it keeps the document's
//! meaning and not its bytes. Spans of links are unknown. html5ever does not
//! bound what a document may cost and panics on a few; here the depth of the tree
//! and the attributes of a tag are limited, and a panic is an error of that
//! document. What was written is parsed again, and a document whose tree would be
//! another one is an error as well.

mod elements;
mod encoding;
mod guarded;
mod parse;
mod readings;
mod refusal;
mod serialize;
mod sink;
#[cfg(feature = "audit")]
mod text;
mod verify;
mod walk;

use crate::base::{BaseLayer, ResolvedBase};
use crate::encoding::Detected;
use crate::error::{Error, Limit};
use crate::learn;
use crate::link::{Limits, LinkPass};
use crate::splice;
use parse::Scripting;
pub(crate) use refusal::encoding_changed;
use refusal::missing_character;

/// Decides on every link of a document, and returns its base.
pub(crate) fn links(
    text: &str,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<ResolvedBase, Error> {
    Ok(process(text, below, pass)?.1)
}

/// Decides on every link of a document, and returns the document written anew,
/// and its base.
pub(crate) fn rewrite(
    source: &[u8],
    text: &str,
    detected: Detected,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<(Vec<u8>, ResolvedBase), Error> {
    let (tree, established) = process(text, below, pass)?;
    let serialized = serialize::serialize(&tree, text);
    let written = detected.encode(&serialized, source);
    let max = pass.settings.limits.max_output(source.len());
    if Limits::exceeds(max, written.len()) {
        return Err(Error::limit(Limit::Output, max, None));
    }
    // An encoding may give other characters back than were put into it.
    let decoded = detected.decode(&written);
    if let Err(error) = verify::check(&tree, text, &decoded, pass.settings) {
        let is_encoding = error.is_tree_change()
            && decoded != serialized
            && verify::check(&tree, text, &serialized, pass.settings).is_ok();
        let missing = if is_encoding { detected.first_missing(text) } else { None };
        return Err(missing.map_or(error, |missing| missing_character(detected.encoding, missing)));
    }
    Ok((written, established))
}

fn process(
    text: &str,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<(parse::Tree, ResolvedBase), Error> {
    let tree = guarded::parse(text, pass.settings, Scripting::Off)?;
    let document = learn::document(splice::base_href_in(text, pass.settings), below, pass, None)?;
    walk::decide(&tree, &document, pass)?;
    Ok((tree, document.established))
}

/// The text that a reader of a document sees, scripts and styles not included.
#[cfg(feature = "audit")]
pub(crate) fn text(text: &str, limits: &Limits) -> Result<String, Error> {
    let tree = guarded::parse_within(text, limits, Scripting::Off)?;
    Ok(text::text(&tree))
}
