//! The text of attribute values in XML documents.

use std::ops::Range;

use crate::reference::{Context, Decoded};
use crate::splice::page::Page;

/// The text of an attribute value.
pub(super) fn text(page: &Page<'_>, span: Range<usize>) -> String {
    let text = page.text(span);
    Decoded::new(text.text(), Context::XmlAttribute).into_text().into_owned()
}
