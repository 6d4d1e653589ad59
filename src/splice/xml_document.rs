//! An XML document that is scanned, in its encoding.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::page::{Charset, Page};
use super::scanned::{Scanned, SpliceBuffers};
use crate::encoding::{Detected, HAS_TABLES, Repertoire, of_xml, xml_label};
use crate::error::{Error, Location};
use crate::link::{Settings, Syntax};
use crate::scan::Interest;
use crate::scan::xml::Fault;

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
    let charset = charset(source, detected, settings.encoding);
    let page = Page::new(source, detected)?.with_charset(charset);
    let repertoire = match settings.encoding {
        Some(_) => settings.repertoire,
        None => Repertoire::of(xml_label(source).unwrap_or_default()),
    };
    if let Some((at, encoding)) = wrong_bytes(source, detected, repertoire, &page) {
        let why = format!("bytes that are not {encoding}");
        return Err(Fault { at, why }.into_error(page.bytes()));
    }
    let scanned = buffers.xml.scan(page.bytes(), settings, interest);
    scanned.map_err(|fault| fault.into_error(page.bytes()).of_xml(buffers.xml.is_page))?;
    Ok((detected, Some(buffers.scanned(page, interest, Syntax::Xml))))
}

/// The characters that the encoding of a document has by its own name. [Labels][spec] give it a
/// larger one: `us-ascii` and `iso-8859-1` are read as windows-1252. A character reference is right
/// in each.
///
/// [spec]: https://encoding.spec.whatwg.org/#names-and-labels
fn charset(source: &[u8], detected: Detected, named: Option<&'static Encoding>) -> Charset {
    let Detected { encoding, bom } = detected;
    if bom > 0 || encoding == UTF_8 || encoding == UTF_16LE || encoding == UTF_16BE {
        return Charset::Own;
    }
    let label = xml_label(source).filter(|_| named.is_none()).unwrap_or_default();
    if label.eq_ignore_ascii_case(encoding.name().as_bytes()) {
        return Charset::Own;
    }
    let is_latin_1 = encoding == WINDOWS_1252
        && Repertoire::of(label) == Repertoire::Whole
        && !label.is_empty()
        && !label.ends_with(b"1252");
    if is_latin_1 { Charset::Latin1 } else { Charset::Ascii }
}

/// Finds bytes that are not of the encoding of a document, which are
/// [fatal](https://www.w3.org/TR/xml/#charencoding) in XML: where they are, and its name.
fn wrong_bytes(
    source: &[u8],
    Detected { encoding, bom }: Detected,
    repertoire: Repertoire,
    page: &Page<'_>,
) -> Option<(usize, &'static str)> {
    let body = &source[bom..];
    let at = if encoding == UTF_8 || !HAS_TABLES {
        std::str::from_utf8(body).err()?.valid_up_to()
    } else if bom == 0 && repertoire == Repertoire::Ascii {
        return Some((body.iter().position(|byte| !byte.is_ascii())?, "US-ASCII"));
    } else if encoding.decode_without_bom_handling_and_without_replacement(body).is_some() {
        return None;
    } else {
        // The replacement character shows the first of them, unless the source has one before.
        memchr::memmem::find(page.bytes(), "\u{fffd}".as_bytes()).unwrap_or_default()
    };
    Some((at, encoding.name()))
}
