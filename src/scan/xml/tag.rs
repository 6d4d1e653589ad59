//! Reads the attributes of a start tag, and checks the references in values and text.

use std::collections::HashSet;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2};

use super::candidates::XmlContent;
use super::doctype::Entities;
use super::fault::{Fault, shown};
use crate::reference::{XmlReference, may_be_name, xml_reference};

/// An attribute, as byte spans into the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct XmlAttribute {
    pub(crate) name: Range<usize>,
    /// The length of the prefix of its name; 0 without a prefix.
    pub(super) prefix: usize,
    /// The value without its quotes.
    pub(crate) value: Range<usize>,
    pub(super) content: XmlContent,
}

impl XmlAttribute {
    /// Splits its name into the prefix and the rest.
    pub(super) fn split<'b>(&self, bytes: &'b [u8]) -> (&'b [u8], &'b [u8]) {
        split_after(&bytes[self.name.clone()], self.prefix)
    }
}

/// Splits a name after a prefix of this length.
pub(super) fn split_after(name: &[u8], prefix: usize) -> (&[u8], &[u8]) {
    if prefix == 0 { (b"", name) } else { (&name[..prefix], &name[prefix + 1..]) }
}

/// The attributes in this part of a tag, after the name of the element, up to the first malformed
/// one. Also reads the pseudo-attributes of instructions.
pub(crate) fn attributes(bytes: &[u8], span: Range<usize>) -> impl Iterator<Item = XmlAttribute> {
    let mut at = span.start;
    std::iter::from_fn(move || next(bytes, &mut at, span.end).ok().flatten())
}

/// From this many attributes on, names are looked up by hash.
const FEW: usize = 16;

/// Reads the attributes in this part of a tag.
pub(super) fn read(
    bytes: &[u8],
    span: Range<usize>,
    list: &mut Vec<XmlAttribute>,
    entities: &Entities<'_>,
) -> Result<(), Fault> {
    list.clear();
    let mut names: Option<HashSet<&[u8]>> = None;
    let mut at = span.start;
    while let Some(mut attribute) = next(bytes, &mut at, span.end)? {
        let name = &bytes[attribute.name.clone()];
        let is_new = if list.len() < FEW {
            !list.iter().any(|other| &bytes[other.name.clone()] == name)
        } else {
            let known = || list.iter().map(|other| &bytes[other.name.clone()]).collect();
            names.get_or_insert_with(known).insert(name)
        };
        if !is_new {
            let why = format!("the attribute {} is there twice", shown(name));
            return Err(Fault::new(attribute.name.start, why));
        }
        let value = attribute.value.clone();
        if memchr2(b'<', b'&', &bytes[value.clone()]).is_some() {
            if let Some(at) = memchr(b'<', &bytes[value.clone()]) {
                return Err(Fault::new(value.start + at, "'<' in an attribute value"));
            }
            attribute.content = content(bytes, value, entities)?;
        }
        list.push(attribute);
    }
    Ok(())
}

/// Checks the references in a part of the source; returns whether its meaning is known.
pub(super) fn content(
    bytes: &[u8],
    span: Range<usize>,
    entities: &Entities<'_>,
) -> Result<XmlContent, Fault> {
    let mut content = XmlContent::Known;
    let mut at = span.start;
    while let Some(found) = memchr(b'&', &bytes[at..span.end]) {
        at += found;
        let (length, meaning) = xml_reference(&bytes[at..span.end])
            .ok_or_else(|| not_a_reference(bytes, at..span.end))?;
        if meaning == XmlReference::Entity {
            let found = entities.content(&bytes[at + 1..at + length - 1]).ok_or_else(|| {
                let name = shown(&bytes[at..at + length]);
                Fault::new(at, format!("the entity {name} is not declared"))
            })?;
            content = content.max(found);
        }
        at += length;
    }
    Ok(content)
}

/// Whether a well-formed value has an entity other than the predefined ones.
pub(crate) fn has_entity(value: &[u8]) -> bool {
    let meaning = |at: usize| Some(xml_reference(&value[at..])?.1);
    memchr_iter(b'&', value).any(|at| meaning(at) == Some(XmlReference::Entity))
}

/// The fault of an `&` at the start of a span that begins no reference.
fn not_a_reference(bytes: &[u8], span: Range<usize>) -> Fault {
    let text = &bytes[span.clone()];
    let is_digit = |byte: &&u8| byte.is_ascii_hexdigit() || matches!(byte, b'#' | b'x');
    let length = 1 + text[1..].iter().take_while(is_digit).count();
    let why = match text.get(length) {
        Some(b';') if text.starts_with(b"&#") && length > 2 => {
            format!("{} is not a character of XML", shown(&text[..=length]))
        }
        _ => "'&' begins no reference; write it as &amp;".to_owned(),
    };
    Fault::new(span.start, why)
}

fn next(bytes: &[u8], at: &mut usize, end: usize) -> Result<Option<XmlAttribute>, Fault> {
    let start = skip_space(bytes, *at, end);
    if start == end {
        return Ok(None);
    }
    if start == *at {
        return Err(Fault::new(start, "white space is missing before an attribute"));
    }
    let Some((name_end, prefix)) = qualified_name(bytes, start..end) else {
        let ends = |byte: &u8| *byte == b'=' || is_space(*byte);
        let name = bytes[start..end].split(ends).next().unwrap_or_default();
        return Err(Fault::new(start, format!("{} is not a name", shown(name))));
    };
    let name = start..name_end;
    let Some(value) = value(&bytes[..end], name_end) else {
        let why = format!("the attribute {} has no value in quotes", shown(&bytes[name]));
        return Err(Fault::new(start, why));
    };
    *at = value.end + 1;
    Ok(Some(XmlAttribute { name, prefix, value, content: XmlContent::Known }))
}

/// The quoted value of the attribute whose name ends at `name_end`.
fn value(bytes: &[u8], name_end: usize) -> Option<Range<usize>> {
    let equals = skip_space(bytes, name_end, bytes.len());
    bytes.get(equals).filter(|byte| **byte == b'=')?;
    let start = skip_space(bytes, equals + 1, bytes.len()) + 1;
    let quote = *bytes.get(start - 1).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let length = memchr(quote, &bytes[start..])?;
    Some(start..start + length)
}

/// Classes of bytes in names.
const START: u8 = 1;
const REST: u8 = 2;

/// By byte, whether a name may begin with it, and whether a name may contain it. A colon is in
/// neither class.
///
/// A call for each byte of a name, and another for its colon, took a fifth of the instructions for
/// 3,000 icons (`valgrind --tool=callgrind`).
static NAME_BYTES: [u8; 256] = name_bytes();

const fn name_bytes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => START | REST,
            b'0'..=b'9' | b'-' | b'.' => REST,
            _ => 0,
        };
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

/// Reads the [qualified name](https://www.w3.org/TR/xml-names/#NT-QName) at the start of a span, up
/// to white space, `=` or the end: returns its end, and the length of its prefix.
pub(super) fn qualified_name(bytes: &[u8], span: Range<usize>) -> Option<(usize, usize)> {
    let name = &bytes[span.clone()];
    let (mut prefix, mut is_first, mut length) = (0, true, name.len());
    for (at, &byte) in name.iter().enumerate() {
        let class = NAME_BYTES[usize::from(byte)];
        if class & REST == 0 {
            if byte == b':' && !is_first && prefix == 0 {
                (prefix, is_first) = (at, true);
                continue;
            }
            length = at;
            break;
        }
        if is_first && class & START == 0 {
            return None;
        }
        is_first = false;
    }
    let ends = name.get(length).is_none_or(|byte| *byte == b'=' || is_space(*byte));
    let name = &name[..length];
    let is_allowed = name.is_ascii() || name.split(|byte| *byte == b':').all(may_be_name);
    (ends && !is_first && is_allowed).then_some((span.start + length, prefix))
}

/// Reads the name of an element at the start of a tag: returns its span, and the length of its
/// prefix.
pub(super) fn element_name(
    bytes: &[u8],
    span: Range<usize>,
) -> Result<(Range<usize>, usize), Fault> {
    match qualified_name(bytes, span.clone()) {
        Some((end, prefix)) if bytes.get(end) != Some(&b'=') => Ok((span.start..end, prefix)),
        _ => {
            let name = bytes[span.clone()].split(|byte| is_space(*byte)).next().unwrap_or_default();
            let why = format!("{} is not the name of an element", shown(name));
            Err(Fault::new(span.start, why))
        }
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn skip_space(bytes: &[u8], at: usize, end: usize) -> usize {
    at + bytes[at..end].iter().take_while(|byte| is_space(**byte)).count()
}
