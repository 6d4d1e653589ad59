//! Reads the names and attributes of XML tags, checks the references in values and text, and tracks
//! the namespaces to which prefixes are bound.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2};

use super::doctype::Entities;
use super::{Fault, Prefix, XmlContent, quote_name};
use crate::attributes::Namespace;
use crate::reference::{XmlReference, may_be_name, xml_reference};

/// An attribute, as byte spans into the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct XmlAttribute {
    pub(crate) name: Range<usize>,
    /// The length of the prefix of the name; 0 without a prefix.
    pub(super) prefix_len: usize,
    /// The value without its quotes.
    pub(crate) value: Range<usize>,
    pub(super) content: XmlContent,
}

impl XmlAttribute {
    /// Splits the name into its prefix and its local name.
    pub(super) fn split<'b>(&self, bytes: &'b [u8]) -> (&'b [u8], &'b [u8]) {
        split_at_prefix(&bytes[self.name.clone()], self.prefix_len)
    }
}

/// Splits a name into a prefix of this length and the local name after the colon.
pub(super) fn split_at_prefix(name: &[u8], prefix_len: usize) -> (&[u8], &[u8]) {
    if prefix_len == 0 { (b"", name) } else { (&name[..prefix_len], &name[prefix_len + 1..]) }
}

/// Iterates over the attributes in the part of a tag after the element's name, up to the first
/// malformed attribute. Also reads the pseudo-attributes of instructions.
pub(crate) fn iterate_attributes(
    bytes: &[u8],
    span: Range<usize>,
) -> impl Iterator<Item = XmlAttribute> {
    let mut at = span.start;
    std::iter::from_fn(move || read_attribute(bytes, &mut at, span.end).ok().flatten())
}

/// Maximum attributes whose names are compared one by one; more are compared by hash.
const MAX_COMPARED: usize = 16;

/// Reads the attributes in the part of a tag after the element's name into `list`.
///
/// # Errors
///
/// If an attribute or a reference in a value is malformed, or two attributes have the same name.
pub(super) fn read_attributes(
    bytes: &[u8],
    span: Range<usize>,
    list: &mut Vec<XmlAttribute>,
    entities: &Entities<'_>,
) -> Result<(), Fault> {
    list.clear();
    let mut names: Option<HashSet<&[u8]>> = None;
    let mut at = span.start;
    while let Some(mut attribute) = read_attribute(bytes, &mut at, span.end)? {
        let name = &bytes[attribute.name.clone()];
        let is_new = if list.len() < MAX_COMPARED {
            !list.iter().any(|other| &bytes[other.name.clone()] == name)
        } else {
            let known = || list.iter().map(|other| &bytes[other.name.clone()]).collect();
            names.get_or_insert_with(known).insert(name)
        };
        if !is_new {
            let why = format!("the attribute {} is there twice", quote_name(name));
            return Err(Fault::new(attribute.name.start, why));
        }
        let value = attribute.value.clone();
        if memchr2(b'<', b'&', &bytes[value.clone()]).is_some() {
            if let Some(at) = memchr(b'<', &bytes[value.clone()]) {
                return Err(Fault::new(value.start + at, "'<' in an attribute value"));
            }
            attribute.content = check_references(bytes, value, entities)?;
        }
        list.push(attribute);
    }
    Ok(())
}

/// Checks the references in a value or text; returns the least known content of its entities.
/// Predefined entities and character references are known.
pub(super) fn check_references(
    bytes: &[u8],
    span: Range<usize>,
    entities: &Entities<'_>,
) -> Result<XmlContent, Fault> {
    let mut content = XmlContent::Known;
    let mut at = span.start;
    while let Some(offset) = memchr(b'&', &bytes[at..span.end]) {
        at += offset;
        let (length, meaning) = xml_reference(&bytes[at..span.end])
            .ok_or_else(|| reference_fault(bytes, at..span.end))?;
        if meaning == XmlReference::Entity {
            let kind = entities.find_content(&bytes[at + 1..at + length - 1]).ok_or_else(|| {
                let name = quote_name(&bytes[at..at + length]);
                Fault::new(at, format!("the entity {name} is not declared"))
            })?;
            content = content.max(kind);
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

/// Creates the fault for the `&` at the start of a span, which begins no reference.
fn reference_fault(bytes: &[u8], span: Range<usize>) -> Fault {
    let text = &bytes[span.clone()];
    let is_digit = |byte: &&u8| byte.is_ascii_hexdigit() || matches!(byte, b'#' | b'x');
    let length = 1 + text[1..].iter().take_while(is_digit).count();
    let why = match text.get(length) {
        Some(b';') if text.starts_with(b"&#") && length > 2 => {
            format!("{} is not a character of XML", quote_name(&text[..=length]))
        }
        _ => "'&' begins no reference; write it as &amp;".to_owned(),
    };
    Fault::new(span.start, why)
}

/// Reads the attribute after the white space at `at`, and advances `at`; `None` at the end.
fn read_attribute(bytes: &[u8], at: &mut usize, end: usize) -> Result<Option<XmlAttribute>, Fault> {
    let start = skip_space(bytes, *at, end);
    if start == end {
        return Ok(None);
    }
    if start == *at {
        return Err(Fault::new(start, "white space is missing before an attribute"));
    }
    let Some((name_end, prefix_len)) = read_qualified_name(bytes, start..end) else {
        let ends_name = |byte: &u8| *byte == b'=' || is_space(*byte);
        let name = bytes[start..end].split(ends_name).next().unwrap_or_default();
        return Err(Fault::new(start, format!("{} is not a name", quote_name(name))));
    };
    let name = start..name_end;
    let Some(value) = find_value(&bytes[..end], name_end) else {
        let why = format!("the attribute {} has no value in quotes", quote_name(&bytes[name]));
        return Err(Fault::new(start, why));
    };
    *at = value.end + 1;
    Ok(Some(XmlAttribute { name, prefix_len, value, content: XmlContent::Known }))
}

/// Finds the quoted value of the attribute whose name ends at `name_end`.
fn find_value(bytes: &[u8], name_end: usize) -> Option<Range<usize>> {
    let equals = skip_space(bytes, name_end, bytes.len());
    bytes.get(equals).filter(|byte| **byte == b'=')?;
    let start = skip_space(bytes, equals + 1, bytes.len()) + 1;
    let quote = *bytes.get(start - 1).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let length = memchr(quote, &bytes[start..])?;
    Some(start..start + length)
}

/// The class of the bytes with which a name may begin.
const NAME_START: u8 = 1;
/// The class of the bytes that a name may contain.
const NAME_REST: u8 = 2;

/// The classes of each byte. A colon is in neither class.
///
/// Without the table, a call for each byte of a name and another for its colon took a fifth of the
/// instructions for 3,000 icons (`valgrind --tool=callgrind`).
static NAME_BYTES: [u8; 256] = classify_name_bytes();

const fn classify_name_bytes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => NAME_START | NAME_REST,
            b'0'..=b'9' | b'-' | b'.' => NAME_REST,
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
pub(super) fn read_qualified_name(bytes: &[u8], span: Range<usize>) -> Option<(usize, usize)> {
    let name = &bytes[span.clone()];
    let (mut prefix_len, mut is_first, mut length) = (0, true, name.len());
    for (at, &byte) in name.iter().enumerate() {
        let class = NAME_BYTES[usize::from(byte)];
        if class & NAME_REST == 0 {
            if byte == b':' && !is_first && prefix_len == 0 {
                (prefix_len, is_first) = (at, true);
                continue;
            }
            length = at;
            break;
        }
        if is_first && class & NAME_START == 0 {
            return None;
        }
        is_first = false;
    }
    let is_ended = name.get(length).is_none_or(|byte| *byte == b'=' || is_space(*byte));
    let name = &name[..length];
    let is_allowed = name.is_ascii() || name.split(|byte| *byte == b':').all(may_be_name);
    (is_ended && !is_first && is_allowed).then_some((span.start + length, prefix_len))
}

/// Reads the name of an element at the start of a tag: returns its span, and the length of its
/// prefix.
pub(super) fn read_element_name(
    bytes: &[u8],
    span: Range<usize>,
) -> Result<(Range<usize>, usize), Fault> {
    match read_qualified_name(bytes, span.clone()) {
        Some((end, prefix_len)) if bytes.get(end) != Some(&b'=') => {
            Ok((span.start..end, prefix_len))
        }
        _ => {
            let name = bytes[span.clone()].split(|byte| is_space(*byte)).next().unwrap_or_default();
            let why = format!("{} is not the name of an element", quote_name(name));
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

/// The namespace to which a prefix is bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct Binding {
    /// The namespace of elements with the prefix.
    pub(super) namespace: Namespace,
    /// The prefix of the namespace's attributes in the attribute table (`attributes.rs`).
    pub(super) attributes: Prefix,
    /// A 64-bit hash of the URI, compared instead of the URI.
    uri: u64,
}

/// The URIs of namespaces whose attributes have rows in the attribute table, but whose elements
/// have none.
const XLINK: &[u8] = b"http://www.w3.org/1999/xlink";
const EPUB: &[u8] = b"http://www.idpf.org/2007/ops";
/// The [reserved](https://www.w3.org/TR/xml-names/#ns-decl) URIs of the prefixes `xml` and `xmlns`.
const XML: &[u8] = b"http://www.w3.org/XML/1998/namespace";
const XMLNS: &[u8] = b"http://www.w3.org/2000/xmlns/";

impl Binding {
    /// The binding for a namespace without rows in the attribute table, such as that of `xml`.
    pub(super) const OTHER: Self =
        Self { namespace: Namespace::Other, attributes: Prefix::AsWritten, uri: 0 };

    fn new(uri: &[u8]) -> Self {
        let namespace = Namespace::from_uri(uri);
        let attributes = match namespace {
            Namespace::Rdf => Prefix::Rdf,
            Namespace::Other if uri == XLINK => Prefix::XLink,
            Namespace::Other if uri == EPUB => Prefix::Epub,
            _ => Prefix::AsWritten,
        };
        let mut hasher = DefaultHasher::new();
        uri.hash(&mut hasher);
        Self { namespace, attributes, uri: hasher.finish() }
    }
}

/// The prefixes in scope; the empty prefix applies to elements without prefix.
///
/// The map only has the bindings in effect, as [`Namespaces::undo_to`] undoes the declarations of
/// an element. Therefore a lookup takes constant time.
#[derive(Debug, Default)]
pub(super) struct Namespaces<'s> {
    bound: HashMap<&'s [u8], Binding>,
    /// The binding of the empty prefix, which most elements have.
    default: Option<Binding>,
    /// The bindings that the declarations in scope replaced, in the order of the declarations.
    undo: Vec<(&'s [u8], Option<Binding>)>,
}

impl<'s> Namespaces<'s> {
    /// Binds a prefix to a URI; an empty URI unbinds the empty prefix.
    ///
    /// # Errors
    ///
    /// If the specification [forbids it](https://www.w3.org/TR/xml-names/#nsc-NoPrefixUndecl).
    pub(super) fn declare(&mut self, prefix: &'s [u8], uri: &[u8]) -> Result<(), String> {
        let is_reserved = uri == XML || uri == XMLNS;
        match prefix {
            b"" if is_reserved => {
                return Err(format!("{} cannot be the default namespace", quote_name(uri)));
            }
            b"" => {
                let new = (!uri.is_empty()).then(|| Binding::new(uri));
                self.undo.push((prefix, std::mem::replace(&mut self.default, new)));
            }
            b"xml" if uri == XML => {}
            _ if is_reserved || uri.is_empty() || matches!(prefix, b"xml" | b"xmlns") => {
                let prefix = quote_name(prefix);
                return Err(format!("the prefix {prefix} cannot be bound to {}", quote_name(uri)));
            }
            _ => self.undo.push((prefix, self.bound.insert(prefix, Binding::new(uri)))),
        }
        Ok(())
    }

    /// Returns the number of declarations in scope, for [`Namespaces::undo_to`].
    pub(super) fn declaration_count(&self) -> usize {
        self.undo.len()
    }

    /// Undoes all declarations after the first `declaration_count`.
    pub(super) fn undo_to(&mut self, declaration_count: usize) {
        while self.undo.len() > declaration_count
            && let Some((prefix, before)) = self.undo.pop()
        {
            match before {
                _ if prefix.is_empty() => self.default = before,
                Some(before) => _ = self.bound.insert(prefix, before),
                None => _ = self.bound.remove(prefix),
            }
        }
    }

    /// Finds the binding of a prefix.
    pub(super) fn find(&self, prefix: &[u8]) -> Option<Binding> {
        match prefix {
            b"" => self.default,
            b"xml" => Some(Binding::OTHER),
            _ => self.bound.get(prefix).copied(),
        }
    }

    /// Finds an attribute with the same [expanded name][spec] as an earlier one: a different
    /// prefix, but the same namespace.
    ///
    /// [spec]: https://www.w3.org/TR/xml-names/#uniqAttrs
    pub(super) fn find_duplicate<'l>(
        &self,
        bytes: &[u8],
        list: &'l [XmlAttribute],
    ) -> Option<&'l XmlAttribute> {
        let mut prefixed = list.iter().filter(|attribute| attribute.prefix_len > 0);
        prefixed.clone().nth(1)?;
        let mut names = HashSet::new();
        prefixed.find(|attribute| {
            let (prefix, local) = attribute.split(bytes);
            self.find(prefix).is_some_and(|binding| !names.insert((binding.uri, local)))
        })
    }
}

/// Splits a name into its prefix and its local name.
pub(crate) fn split_name(name: &[u8]) -> (&[u8], &[u8]) {
    match memchr(b':', name) {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (b"", name),
    }
}

/// Whether rows of the attribute table have this prefix, which a document may bind to another
/// namespace.
pub(super) fn is_row_prefix(prefix: &[u8]) -> bool {
    matches!(prefix, b"xlink" | b"rdf" | b"epub")
}

/// Spells the name of an attribute as in the attribute table.
pub(crate) fn spell_attribute<'n>(name: &'n [u8], local: &[u8], prefix: Prefix) -> Cow<'n, str> {
    let prefix = match prefix {
        Prefix::XLink => "xlink",
        Prefix::Rdf => "rdf",
        Prefix::Epub => "epub",
        Prefix::AsWritten => return String::from_utf8_lossy(name),
    };
    Cow::Owned(format!("{prefix}:{}", String::from_utf8_lossy(local)))
}

/// The [names of SVG](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign)
/// that are not in lower case.
#[rustfmt::skip]
const MIXED_CASE: [&str; 37] = [
    "altGlyph", "altGlyphDef", "altGlyphItem", "animateColor", "animateMotion", "animateTransform",
    "clipPath", "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite",
    "feConvolveMatrix", "feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow",
    "feFlood", "feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feImage", "feMerge",
    "feMergeNode", "feMorphology", "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight",
    "feTile", "feTurbulence", "foreignObject", "glyphRef", "linearGradient", "radialGradient",
    "textPath",
];

/// Spells the local name of an element as in the attribute table: names of SVG in lower case, as in
/// HTML, and all others as written, since names of XML are case-sensitive.
///
/// NOTE: `lineargradient` matches the rows of `linearGradient` too.
pub(crate) fn spell_element(local: &[u8], namespace: Namespace) -> Cow<'_, str> {
    let name = String::from_utf8_lossy(local);
    if namespace == Namespace::Svg && MIXED_CASE.binary_search(&&*name).is_ok() {
        return Cow::Owned(name.to_ascii_lowercase());
    }
    name
}
