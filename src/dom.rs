//! The DOM engine: html5ever's tree, the decisions applied to it, and the tree
//! written out again.
//!
//! It is the slow and thorough twin of the splice engine: it keeps the document's
//! meaning and not its bytes. Spans of links are unknown. html5ever does not
//! bound what a document may cost and panics on a few; here the depth of the tree
//! and the attributes of a tag are limited, and a panic is an error of that
//! document. What was written is parsed again, and a document whose tree would be
//! another one is an error as well.

mod encoding;
mod parse;
mod readings;
mod refusal;
mod serialize;
#[cfg(feature = "audit")]
mod text;
mod verify;
mod walk;

use std::any::Any;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::base::{Established, Layer};
use crate::encoding::Detected;
use crate::error::{Error, Limit, Place};
use crate::learn;
use crate::link::{BaseElement, ConditionalComments, Document, Limits, LinkPass, Settings};
use crate::scan::{Sink, StartTag, count_attributes, exact};
use parse::Scripting;
pub(crate) use refusal::encoding_changed;
use refusal::missing_character;

/// Decides on every link of a document, and returns its base.
pub(crate) fn links(
    text: &str,
    below: &Layer,
    pass: &mut LinkPass<'_>,
) -> Result<Established, Error> {
    Ok(process(text, below, pass)?.1)
}

/// Decides on every link of a document, and returns the document written anew,
/// and its base.
pub(crate) fn rewrite(
    source: &[u8],
    text: &str,
    detected: Detected,
    below: &Layer,
    pass: &mut LinkPass<'_>,
) -> Result<(Vec<u8>, Established), Error> {
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
    below: &Layer,
    pass: &mut LinkPass<'_>,
) -> Result<(parse::Tree, Established), Error> {
    let tree = parse(text, pass.settings, Scripting::Off)?;
    let href = walk::base_href(&tree, pass.settings.base_scope);
    let document = learn::document(href.as_deref(), below, pass, None)?;
    decide(&tree, &document, pass)?;
    Ok((tree, document.established))
}

/// Decides on the links of a document inside a value; its new text, if it
/// changes.
///
/// It calls itself for the documents inside that one, as deep as the limit on
/// `srcdoc` nesting allows.
fn nested(text: &str, outer: &Document, pass: &mut LinkPass<'_>) -> Result<Option<String>, Error> {
    let tree = parse(text, pass.settings, Scripting::Off)?;
    let href = walk::base_href(&tree, pass.settings.base_scope);
    let document = outer.nested(href.as_deref(), None, pass.settings)?;
    if !decide(&tree, &document, pass)? {
        return Ok(None);
    }
    let written = serialize::serialize(&tree, text);
    verify::check(&tree, text, &written, pass.settings)?;
    Ok(Some(written))
}

/// The text that a reader of a document sees, scripts and styles not included.
#[cfg(feature = "audit")]
pub(crate) fn text(text: &str, limits: &Limits) -> Result<String, Error> {
    check_attributes(text, limits.attributes)?;
    let tree = guarded(|| parse::parse(text, limits, Scripting::Off))?;
    Ok(text::text(&tree))
}

fn parse(text: &str, settings: &Settings, scripting: Scripting) -> Result<parse::Tree, Error> {
    check_attributes(text, settings.limits.attributes)?;
    guarded(|| parse::parse(text, &settings.limits, scripting))
}

/// Turns a panic of the parser into an error.
fn guarded(parse: impl FnOnce() -> Result<parse::Tree, Error>) -> Result<parse::Tree, Error> {
    // The tree is dropped with the panic; nothing of it is seen again.
    catch_unwind(AssertUnwindSafe(parse)).map_err(|panic| Error::parser(message(&*panic)))?
}

/// Decides on every link, and says whether anything changed.
fn decide(tree: &parse::Tree, document: &Document, pass: &mut LinkPass<'_>) -> Result<bool, Error> {
    let mut is_changed = walk::decide(tree, document, pass)?;
    if pass.settings.comments == ConditionalComments::Open {
        is_changed |= walk::decide_comments(tree, document, pass)?;
    }
    if pass.settings.base_element == BaseElement::Remove {
        is_changed |= walk::remove_bases(tree);
    }
    Ok(is_changed)
}

/// Fails if a tag has more attributes than the limit: html5ever compares each
/// attribute with all before it.
fn check_attributes(text: &str, max: usize) -> Result<(), Error> {
    struct Check<'t> {
        text: &'t [u8],
        max: usize,
        at: Option<usize>,
    }
    impl Sink for Check<'_> {
        fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
            if tag.attribute_count <= self.max {
                return ControlFlow::Continue(());
            }
            self.at = self.at.or(Some(tag.span.start));
            ControlFlow::Break(())
        }

        // html5ever reads the attributes of end tags as well.
        fn other_tag(&mut self, span: Range<usize>) {
            // An attribute has two bytes at least, and most end tags have none.
            if span.len() / 2 > self.max
                && self.at.is_none()
                && count_attributes(self.text, span.clone()) > self.max
            {
                self.at = Some(span.start);
            }
        }
    }
    if max == 0 {
        return Ok(());
    }
    let mut check = Check { text: text.as_bytes(), max, at: None };
    let _ = exact::scan_by(exact::Rules::Html5ever, text.as_bytes(), &mut check);
    match check.at {
        Some(at) => {
            let line = 1 + text[..at].bytes().filter(|&byte| byte == b'\n').count() as u64;
            Err(Error::limit(Limit::Attributes, max, Some(Place::Line(line))))
        }
        None => Ok(()),
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it panicked").to_owned()
}
