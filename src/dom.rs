//! The DOM engine: applies the decisions to html5ever's tree, and writes the tree out again.
//!
//! This is the slow and thorough twin of the splice engine: it keeps the meaning of a document, but
//! not its bytes. The spans of links are unknown. html5ever does not bound the cost of a document
//! and panics on a few; here the depth of the tree and the attributes of a tag are limited, and a
//! panic is an error of that document. The output is parsed again, and a document whose tree would
//! change is an error as well.

mod check;
mod elements;
mod parse;
mod reading;
mod serialize;
mod sink;
mod walk;

use std::borrow::Cow;

use crate::base::{BaseLayer, ResolvedBase};
use crate::encoding::Detected;
use crate::error::{Error, Limit, Limits};
use crate::learn;
use crate::link::LinkPass;
use crate::scan::Interest;
use crate::splice::{self, SpliceBuffers};
use check::check;
use parse::{Tree, parse};

/// A document in the form that this engine reads.
pub(crate) struct Decoded<'s> {
    text: Cow<'s, str>,
    /// Whether HTML reads markup as the text of a script that XML closes.
    pub(crate) hides_markup: bool,
}

impl<'s> Decoded<'s> {
    /// Decodes a document; returns `None` if no decoder reads its encoding.
    #[expect(clippy::unnecessary_wraps, reason = "a build without the engine has an error")]
    pub(crate) fn new(
        source: &'s [u8],
        detected: Detected,
        interest: &Interest,
        buffers: &mut SpliceBuffers,
    ) -> Result<Option<Self>, Error> {
        let decoded = (!detected.is_replacement()).then(|| {
            let text = detected.decode(source);
            let hides_markup = splice::hides_markup_in(&text, interest, buffers);
            Self { text, hides_markup }
        });
        Ok(decoded)
    }
}

/// Decides on every link of a document, and returns its base.
pub(crate) fn links(
    Decoded { text, .. }: &Decoded<'_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<ResolvedBase, Error> {
    decide(&parse(text, &pass.settings.limits)?, text, below, pass)
}

/// Decides on every link of a document, and returns the rewritten document and its base.
pub(crate) fn rewrite(
    source: &[u8],
    Decoded { text, .. }: &Decoded<'_>,
    detected: Detected,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<(Vec<u8>, ResolvedBase), Error> {
    let limits = &pass.settings.limits;
    let tree = parse(text, limits)?;
    let established = decide(&tree, text, below, pass)?;
    let serialized = serialize::serialize(&tree, text);
    let written = detected.encode(&serialized, source);
    let max = limits.max_output(source.len());
    if Limits::exceeds(max, written.len()) {
        return Err(Error::limit(Limit::Output, max, None));
    }
    // Decoding may not return the characters that were encoded.
    let decoded = detected.decode(&written);
    let Err(error) = check(&tree, &decoded, pass.settings) else {
        return Ok((written, established));
    };
    let is_encoding = decoded != serialized && check(&tree, &serialized, pass.settings).is_ok();
    Err(match detected.first_missing(text).filter(|_| is_encoding) {
        Some(missing) => Error::tree(format!(
            "the encoding {} cannot hold U+{:04X} in a comment, script, style or name",
            detected.encoding.name(),
            u32::from(missing)
        )),
        None => error,
    })
}

fn decide(
    tree: &Tree,
    text: &str,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<ResolvedBase, Error> {
    pass.has_spans = false;
    let document =
        learn::open_document(splice::base_href_in(text, pass.settings), below, pass, None)?;
    walk::decide(tree, &document, pass)?;
    Ok(document.established)
}
