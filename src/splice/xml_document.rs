//! An XML document that is scanned, in its encoding.

use encoding_rs::UTF_8;

use super::page::Page;
use super::scanned::{Scanned, SpliceBuffers};
use crate::encoding::{Detected, of_xml};
use crate::error::{Error, Location};
use crate::link::{Settings, Syntax};
use crate::scan::Interest;
use crate::scan::xml::Facts;

/// Scans an XML document, which is an error where it is not well-formed.
pub(crate) fn xml<'s, 'w>(
    source: &'s [u8],
    settings: &Settings,
    interest: &'w Interest,
    buffers: &'w mut SpliceBuffers,
) -> Result<(Detected, Option<Scanned<'s, 'w>>), Error> {
    let start = Location::Character { line: 1, column: 1 };
    let detected =
        of_xml(source, settings.encoding).map_err(|why| Error::not_well_formed(why, start))?;
    if detected.is_replacement() {
        return Ok((detected, None));
    }
    let page = Page::new(source, detected)?;
    check_encoding(source, detected, &page)?;
    let SpliceBuffers { candidates, xml } = buffers;
    let facts = if interest.has_facts() { Facts::Collected } else { Facts::LeftOut };
    xml.scan(page.bytes(), &settings.selection, settings.base_scope, facts)
        .map_err(|fault| fault.into_error(page.bytes()))?;
    let syntax = Syntax::Xml;
    Ok((detected, Some(Scanned { page, candidates, xml, interest, syntax })))
}

/// Finds bytes that are not of the encoding, which are
/// [fatal](https://www.w3.org/TR/xml/#charencoding) in XML.
fn check_encoding(source: &[u8], detected: Detected, page: &Page<'_>) -> Result<(), Error> {
    let body = &source[detected.bom..];
    let at = if detected.encoding == UTF_8 {
        match std::str::from_utf8(body) {
            Ok(_) => return Ok(()),
            Err(error) => error.valid_up_to(),
        }
    } else {
        let decoded = detected.encoding.decode_without_bom_handling_and_without_replacement(body);
        if decoded.is_some() {
            return Ok(());
        }
        // The replacement character shows the first of them, unless the source has one before.
        let replacement = "\u{fffd}".as_bytes();
        memchr::memmem::find(page.bytes(), replacement).unwrap_or_default()
    };
    let why = format!("bytes that are not {}", detected.encoding.name());
    Err(crate::scan::xml::Fault { at, why }.into_error(page.bytes()))
}
