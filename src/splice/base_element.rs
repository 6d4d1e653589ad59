//! Removes `base` elements.

use super::page::Page;
use super::write::Output;
use crate::error::Error;
use crate::scan::{Attribute, attributes_of, every_attribute_of};

/// Takes the `base` element out whose tag begins at `start`; one that has a
/// `target` loses its `href` alone.
pub(super) fn remove_base(
    page: &Page<'_>,
    start: usize,
    output: &mut dyn Output,
) -> Result<(), Error> {
    let bytes = page.bytes();
    let attributes: Vec<_> = every_attribute_of(bytes, start + 1).collect();
    let is = |one: &Attribute, name: &[u8]| bytes[one.name.clone()].eq_ignore_ascii_case(name);
    if !attributes.iter().any(|one| is(one, b"target")) {
        return output.plain(start..attributes_of(bytes, start + 1).1, "");
    }
    // After the first there may be one that would count without it.
    for href in attributes.iter().filter(|one| is(one, b"href")) {
        let end = href.value.end + usize::from(href.quote.is_mark());
        // A `=` after it is the start of a name, and must not come after another.
        let next = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
        let text = if next == Some(&b'=') { "/" } else { "" };
        output.plain(href.name.start..end, text)?;
    }
    Ok(())
}
