//! The DOM engine: html5ever's tree, the decisions applied to it, and the tree
//! written out again.
//!
//! It is the slow and thorough twin of the splice engine: it keeps the document's
//! meaning and not its bytes. Spans of links are unknown. html5ever does not
//! bound what a document may cost and panics on a few; here the depth of the tree
//! and the attributes of a tag are limited, and a panic is an error of that
//! document.

mod parse;
mod serialize;
mod walk;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::base::{Established, Layer};
use crate::error::Error;
use crate::link::{Document, Run};

/// Decides on every link of a document, and returns its base.
pub(crate) fn links(text: &str, below: &Layer, run: &mut Run<'_>) -> Result<Established, Error> {
    Ok(process(text, below, run)?.1)
}

/// Decides on every link of a document, and returns the document written anew,
/// and its base.
pub(crate) fn rewrite(
    text: &str,
    below: &Layer,
    run: &mut Run<'_>,
) -> Result<(String, Established), Error> {
    let (tree, established) = process(text, below, run)?;
    Ok((serialize::serialize(&tree.document), established))
}

fn process(
    text: &str,
    below: &Layer,
    run: &mut Run<'_>,
) -> Result<(parse::Tree, Established), Error> {
    let limits = &run.settings.limits;
    // The tree is dropped with the panic; nothing of it is seen again.
    let tree = catch_unwind(AssertUnwindSafe(|| parse::parse(text, limits)))
        .map_err(|panic| Error::parser(message(&*panic)))??;
    let href = walk::base_href(&tree);
    let document = Document::new(href.as_deref(), below, run.settings)?;
    walk::decide(&tree, &document, run)?;
    Ok((tree, document.established))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it panicked").to_owned()
}
