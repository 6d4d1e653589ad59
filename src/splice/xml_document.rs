//! An XML document that is scanned, in its encoding.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::page::{Charset, Page};
use super::scanned::{Scanned, SpliceBuffers};
use crate::encoding::{Detected, Repertoire, of_xml, xml_label};
use crate::error::{Error, Location};
use crate::link::{Settings, Syntax};
use crate::scan::Interest;
use crate::scan::xml::Fault;

/// The names of [ISO-8859-1](https://www.iana.org/assignments/character-sets/).
const LATIN_1: [&[u8]; 8] = [
    b"iso-8859-1",
    b"iso_8859-1",
    b"iso8859-1",
    b"latin1",
    b"l1",
    b"cp819",
    b"ibm819",
    b"iso_8859-1:1987",
];

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
    check_encoding(source, detected, &page)?;
    let repertoire = match settings.encoding {
        Some(_) => settings.repertoire,
        None => Repertoire::of(xml_label(source).unwrap_or_default()),
    };
    if detected.bom == 0 && repertoire == Repertoire::Ascii {
        check_ascii(&page)?;
    }
    let SpliceBuffers { candidates, xml } = buffers;
    xml.scan(page.bytes(), settings, interest).map_err(|fault| fault.into_error(page.bytes()))?;
    let syntax = Syntax::Xml;
    Ok((detected, Some(Scanned { page, candidates, xml, interest, syntax })))
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
    let is_latin_1 = LATIN_1.iter().any(|known| label.eq_ignore_ascii_case(known));
    if is_latin_1 { Charset::Latin1 } else { Charset::Ascii }
}

/// Finds a byte that is not ASCII in a document that is to have no other.
fn check_ascii(page: &Page<'_>) -> Result<(), Error> {
    match page.bytes().iter().position(|byte| !byte.is_ascii()) {
        Some(at) => {
            let why = "bytes that are not US-ASCII".to_owned();
            Err(Fault { at, why }.into_error(page.bytes()))
        }
        None => Ok(()),
    }
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
    Err(Fault { at, why }.into_error(page.bytes()))
}
