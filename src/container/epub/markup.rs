//! The elements of the XML files that describe a book.
//!
//! NOTE: elements and attributes count by their local names, whatever their namespaces are.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::container::ContainerError;
use crate::link::Syntax;
use crate::rewrite::Rewriter;
use crate::scan::xml::{Entities, Fault, has_entity};

/// A start tag.
pub(super) struct Element<'t> {
    file: &'t str,
    text: &'t str,
    entities: &'t Entities<'t>,
    /// Bytes of the byte order mark before the text; `None` if the file is not UTF-8, so that places
    /// in the text are none in the file.
    bom: Option<usize>,
    tag: BytesStart<'t>,
}

/// The value of an attribute.
pub(super) struct Value {
    pub(super) text: String,
    /// Whether an entity of the document was expanded in it.
    pub(super) has_entity: bool,
    /// The bytes of the file that hold it, if that is known.
    pub(super) span: Option<Range<usize>>,
}

/// A tag of a file.
pub(super) enum Tag<'e> {
    /// The start of an element.
    Start(&'e Element<'e>),
    /// An element without content.
    Empty(&'e Element<'e>),
    /// The end of an element.
    End,
}

/// Calls `visit` with each element of a file.
pub(super) fn each_element(
    file: &str,
    source: &[u8],
    mut visit: impl FnMut(&Element<'_>) -> Result<(), ContainerError>,
) -> Result<(), ContainerError> {
    each_tag(file, source, |tag| match tag {
        Tag::Start(element) | Tag::Empty(element) => visit(element),
        Tag::End => Ok(()),
    })
}

/// Calls `visit` with each tag of a file.
pub(super) fn each_tag(
    file: &str,
    source: &[u8],
    mut visit: impl FnMut(&Tag<'_>) -> Result<(), ContainerError>,
) -> Result<(), ContainerError> {
    let detected = Rewriter::new().syntax(Syntax::Xml).detect(source);
    let text = detected.decode(source);
    let bom = matches!(&text, Cow::Borrowed(_)).then(|| source.len() - text.len());
    let mut reader = Reader::from_str(&text);
    let mut entities = Entities::default();
    loop {
        let start = position(reader.buffer_position());
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                let element = Element { file, text: &text, entities: &entities, bom, tag };
                visit(&Tag::Start(&element))?;
            }
            Ok(Event::Empty(tag)) => {
                let element = Element { file, text: &text, entities: &entities, bom, tag };
                visit(&Tag::Empty(&element))?;
            }
            Ok(Event::End(_)) => visit(&Tag::End)?,
            Ok(Event::DocType(_)) => {
                let doctype = start..position(reader.buffer_position());
                // The audit of the document reports the fault.
                entities = Entities::of_doctype(text.as_bytes(), doctype).unwrap_or_default();
            }
            Ok(Event::Eof) => return Ok(()),
            Ok(_) => {}
            Err(error) => {
                let fault = Fault { at: position(reader.error_position()), why: error.to_string() };
                return Err(ContainerError::of(
                    file,
                    fault.into_error(text.as_bytes()).of_container(),
                ));
            }
        }
    }
}

impl Element<'_> {
    /// Whether this is its local name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.tag.local_name().as_ref() == name.as_bytes()
    }

    /// An attribute without a prefix, with the text of its entities.
    ///
    /// # Errors
    ///
    /// If it has one that is not expanded.
    pub(super) fn value(&self, name: &str) -> Result<Option<Value>, ContainerError> {
        // The checks for attributes of the same name take quadratic time.
        let mut attributes = self.tag.attributes();
        let attributes = attributes.with_checks(false);
        let found = attributes.flatten().find(|one| one.key.as_ref() == name.as_bytes());
        let Some(found) = found else { return Ok(None) };
        let raw = String::from_utf8_lossy(&found.value);
        let text = self
            .entities
            .expand(&raw)
            .map_err(|why| ContainerError::of(self.file, format_args!("{name} has {why}")))?;
        let span = match found.value {
            Cow::Borrowed(value) => self.span_of(value),
            Cow::Owned(_) => None,
        };
        let has_entity = has_entity(raw.as_bytes());
        Ok(Some(Value { text: text.trim().to_owned(), has_entity, span }))
    }

    /// The place of a value that the element does not have: the start of its name.
    pub(super) fn start(&self) -> Option<Range<usize>> {
        self.span_of(&self.tag).map(|span| span.start..span.start)
    }

    /// The bytes of the file that hold a part of the text, if it is one.
    fn span_of(&self, part: &[u8]) -> Option<Range<usize>> {
        // The addresses say which one.
        let start = part.as_ptr().addr().checked_sub(self.text.as_ptr().addr())?;
        let start =
            self.text.as_bytes().get(start..)?.starts_with(part).then_some(start + self.bom?)?;
        Some(start..start + part.len())
    }

    pub(super) fn text(&self, name: &str) -> Result<String, ContainerError> {
        Ok(self.value(name)?.map(|value| value.text).unwrap_or_default())
    }
}

fn position(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}
