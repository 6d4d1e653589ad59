//! A style sheet that is a document of its own.

use super::page::Page;
use super::style;
use super::write::Output;
use crate::attributes::{Namespace, Spot, TEXT};
use crate::base::{BaseLayer, ResolvedBase};
use crate::error::Error;
use crate::grammar::Grammar;
use crate::link::{Document, LinkPass, Siblings, Site};
use crate::scan::{Piece, TextKind};

/// The text of a style sheet is that of an element without name.
const SPOT: Spot = Spot { grammar: Grammar::Stylesheet, ..Spot::PLAIN };

/// Decides on every link of a style sheet, and returns its base, which is its own URL
/// ([CSS Values](https://www.w3.org/TR/css-values-4/#relative-urls)).
pub(super) fn decide(
    page: &Page<'_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    let document = Document::new(None, below, pass.encoding, pass.settings, None)?;
    if !pass.settings.selection.has_styles() {
        return Ok(document.established);
    }
    let site = Site {
        element: "",
        namespace: Namespace::Other,
        attribute: TEXT,
        spot: SPOT,
        codebase: None,
        siblings: Siblings::NONE,
    };
    // A document has less than 4 GiB (`Page::new`).
    let end = u32::try_from(page.bytes().len()).unwrap_or(u32::MAX);
    let text = [Piece { start: 0, end, kind: TextKind::Raw }];
    style::pieces(page, &text, &document, &site, pass, output)?;
    Ok(document.established)
}
