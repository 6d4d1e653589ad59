//! What stands for a reference to an internal entity: its
//! [replacement text](https://www.w3.org/TR/xml/#intern-replacement).
//!
//! Entities in it are not expanded, but named: each is checked by itself.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2, memmem};
use quick_xml::Reader;
use quick_xml::events::Event;

use super::candidates::XmlContent;
use super::fault::{Fault, shown};
use super::tag::{self, XmlAttribute};
use super::target;
use crate::reference::{XmlReference, xml_reference};

/// Where a reference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the content of an element.
    Content,
    /// In the value of an attribute.
    Attribute,
}

/// Takes the name of each entity that is referred to, and where that is.
pub(super) type Found<'f> = dyn FnMut(&[u8], Place) -> Result<(), String> + 'f;

/// Checks the value of an entity that is referred to in a place, but for its namespaces.
pub(super) fn check(value: &[u8], place: Place, found: &mut Found<'_>) -> Result<(), Fault> {
    let text = of_value(value);
    match place {
        Place::Content if memchr2(b'<', b'&', &text).is_some() => content(&text, found),
        Place::Content => check_end(&text, 0),
        Place::Attribute => {
            if let Some(at) = memchr(b'<', &text) {
                return Err(Fault::new(at, "'<' in an attribute value"));
            }
            let check = &mut |name: &[u8]| found(name, place).map(|()| XmlContent::Entity);
            tag::content(&text, 0..text.len(), check).map(drop)
        }
    }
}

/// What a reference to an entity of this value makes of a text.
pub(super) fn content_of(value: &[u8]) -> XmlContent {
    match memchr2(b'<', b'&', &of_value(value)) {
        None => XmlContent::TextEntity,
        Some(_) => XmlContent::Entity,
    }
}

/// The replacement text of a value, whose character references are replaced.
fn of_value(value: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(value, b"&#").is_none() {
        return Cow::Borrowed(value);
    }
    let mut text = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = memmem::find(rest, b"&#") {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let length = match xml_reference(rest) {
            Some((length, XmlReference::Character(character))) => {
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                length
            }
            // The value of a declaration has none.
            _ => rest.len(),
        };
        rest = &rest[length..];
    }
    text.extend_from_slice(rest);
    Cow::Owned(text)
}

/// Checks text that is the [content](https://www.w3.org/TR/xml/#NT-content) of an element.
fn content(text: &[u8], found: &mut Found<'_>) -> Result<(), Fault> {
    let mut reader = Reader::from_reader(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.check_comments = true;
    let mut open: Vec<Range<usize>> = Vec::new();
    let mut attributes: Vec<XmlAttribute> = Vec::new();
    let position =
        |reader: &Reader<_>| usize::try_from(reader.buffer_position()).unwrap_or(text.len());
    loop {
        let start = position(&reader);
        let event = reader.read_event().map_err(|error| Fault::new(start, error.to_string()))?;
        let end = position(&reader);
        match event {
            Event::Start(_) => open.push(tag(text, start + 1..end - 1, &mut attributes, found)?),
            Event::Empty(_) => _ = tag(text, start + 1..end - 2, &mut attributes, found)?,
            Event::End(_) => {
                let name = text[start + 2..end - 1].trim_ascii_end();
                if open.pop().is_none_or(|open| &text[open] != name) {
                    let why = format!("the end tag {} has no start tag in it", shown(name));
                    return Err(Fault::new(start, why));
                }
            }
            Event::Text(_) | Event::GeneralRef(_) => {
                check_end(&text[start..end], start)?;
                let check =
                    &mut |name: &[u8]| found(name, Place::Content).map(|()| XmlContent::Entity);
                tag::content(text, start..end, check)?;
            }
            Event::PI(_) => _ = target::read(&text[start + 2..end - 2], start)?,
            Event::CData(_) | Event::Comment(_) => {}
            Event::Decl(_) | Event::DocType(_) => {
                return Err(Fault::new(start, "a declaration in the content of an element"));
            }
            Event::Eof => break,
        }
    }
    match open.pop() {
        Some(name) => {
            let why = format!("the element {} is not closed in it", shown(&text[name.clone()]));
            Err(Fault::new(name.start, why))
        }
        None => Ok(()),
    }
}

/// Checks the tag between `<` and `>` or `/>`; returns where its name is.
fn tag(
    text: &[u8],
    span: Range<usize>,
    attributes: &mut Vec<XmlAttribute>,
    found: &mut Found<'_>,
) -> Result<Range<usize>, Fault> {
    let name = tag::element_name(text, span.clone())?.0;
    let check = &mut |name: &[u8]| found(name, Place::Attribute).map(|()| XmlContent::Entity);
    tag::read(text, name.end..span.end, attributes, check)?;
    Ok(name)
}

/// Finds the mark that text must not have.
fn check_end(text: &[u8], start: usize) -> Result<(), Fault> {
    match memmem::find(text, b"]]>") {
        Some(at) => Err(Fault::new(start + at, "']]>' in text; write its '>' as &gt;")),
        None => Ok(()),
    }
}
