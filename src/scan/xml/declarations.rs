//! What the document type declaration declares that the places of links depend on.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use memchr::memchr3;

use super::candidates::XmlContent;
use super::entities::{EntityTable, EntityValue, Missing};
use super::fault::Fault;
use super::replacement::Place;
use crate::reference::{Context, XmlReference, decode, xml_reference};

/// The entities that the internal subset declares, and its default namespaces.
///
/// No entity is expanded, but in the URI of a namespace: the library would miss every link of the
/// SVG files of Adobe Illustrator, which declare `xmlns="&ns_svg;"`.
#[derive(Debug, Default)]
pub(super) struct Declarations<'s> {
    entities: EntityTable<'s>,
    /// By element, its namespace declarations by default: the attribute and the value.
    defaults: HashMap<&'s [u8], Vec<NamespaceDefault<'s>>>,
    unread_default: Option<Range<usize>>,
    state: State,
    standalone: Standalone,
}

/// Whether the document declares that it needs
/// [no other declarations](https://www.w3.org/TR/xml/#sec-rmd) than those of its internal subset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Standalone {
    Yes,
    #[default]
    No,
}

/// The name of an attribute, and where its value is.
type NamespaceDefault<'s> = (&'s [u8], Range<usize>);

/// How much of the declarations is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum State {
    /// There is no document type declaration.
    #[default]
    Absent,
    /// All of them.
    Complete,
    /// Those of the internal subset; there are external ones too.
    WithoutExternal,
    /// Those before a parameter entity. A processor that does not read it does
    /// [not process](https://www.w3.org/TR/xml/#proc-types) the declarations after it.
    UntilParameterEntity,
}

/// What is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    External,
    ParameterEntity,
}

/// Namespaces that an element may have by default: its attributes are compared with each.
const MAX_DEFAULTS: usize = 16;

/// Bytes that the URI of a namespace may have after its entities are replaced; each reference can
/// stand for as many as its entity has.
const MAX_URI: usize = 512;

impl<'s> Declarations<'s> {
    /// Those of a document type declaration, without any so far.
    pub(super) fn of_document(standalone: Standalone) -> Self {
        Self { state: State::Complete, standalone, ..Self::default() }
    }

    /// Whether there is a document type declaration.
    pub(super) fn is_present(&self) -> bool {
        self.state != State::Absent
    }

    /// Notes that other declarations are not read, which concerns no document that stands alone.
    pub(super) fn leave_unread(&mut self, unread: Unread) {
        if self.standalone == Standalone::Yes {
            return;
        }
        self.state = self.state.max(match unread {
            Unread::External => State::WithoutExternal,
            Unread::ParameterEntity => State::UntilParameterEntity,
        });
    }

    pub(super) fn add_entity(&mut self, name: &'s [u8], value: EntityValue<'s>) {
        if self.state != State::UntilParameterEntity {
            self.entities.add(name, value);
        }
    }

    /// Ends the document type declaration.
    pub(super) fn complete(self) -> Self {
        self.entities.complete();
        self
    }

    /// Adds the default value of an attribute of an element. It fails if the element has too many
    /// namespaces by default.
    pub(super) fn add_default(
        &mut self,
        element: &'s [u8],
        name: &'s [u8],
        value: Range<usize>,
    ) -> Result<(), Fault> {
        if name != b"xmlns" && !name.starts_with(b"xmlns:") {
            return Ok(());
        }
        if self.state == State::UntilParameterEntity {
            self.unread_default.get_or_insert(value);
            return Ok(());
        }
        let list = self.defaults.entry(element).or_default();
        if list.len() == MAX_DEFAULTS {
            let why = format!("more than {MAX_DEFAULTS} namespaces of an element by default");
            return Err(Fault::new(value.start, why));
        }
        if list.iter().all(|(other, _)| *other != name) {
            list.push((name, value));
        }
        Ok(())
    }

    /// The first namespace by default that does not count, since a parameter entity before it is
    /// not read.
    pub(super) fn unread_default(&self) -> Option<Range<usize>> {
        self.unread_default.clone()
    }

    /// The namespace declarations that an element has by default.
    pub(super) fn defaults(&self, element: &[u8]) -> &[NamespaceDefault<'s>] {
        if self.defaults.is_empty() {
            return &[];
        }
        self.defaults.get(element).map_or(&[], Vec::as_slice)
    }

    /// Checks a reference to an entity, which is to be
    /// [declared](https://www.w3.org/TR/xml/#wf-entdeclared) unless declarations are not read;
    /// returns what it makes of a text.
    pub(super) fn check_reference(&self, name: &[u8], place: Place) -> Result<XmlContent, String> {
        let is_complete = self.state <= State::Complete;
        let missing = if is_complete { Missing::Fault } else { Missing::Unread };
        self.entities.check(name, place, missing)?;
        Ok(self.entities.content(name))
    }

    /// The URI of a namespace, by the value that is written; `None` where it is not known.
    pub(super) fn uri<'v>(&self, value: &'v [u8]) -> Option<Cow<'v, [u8]>> {
        if memchr3(b'&', b'\r', b'\n', value).is_none() && !value.contains(&b'\t') {
            return Some(Cow::Borrowed(value));
        }
        let mut written = Vec::new();
        let mut rest = value;
        while let Some((&first, after)) = rest.split_first() {
            let (length, text) = match xml_reference(rest).filter(|_| first == b'&') {
                Some((length, XmlReference::Entity)) => {
                    let text = self.entities.text(&rest[1..length - 1])?;
                    if text.len() > MAX_URI {
                        return None;
                    }
                    // One that has markup or entities of its own is not read.
                    let decoded = decode(str::from_utf8(text).ok()?, Context::XmlAttribute);
                    if decoded.contains(['&', '<']) {
                        return None;
                    }
                    (length, text)
                }
                Some((length, XmlReference::Character(_))) => (length, &rest[..length]),
                None => (rest.len() - after.len(), &rest[..1]),
            };
            written.extend_from_slice(text);
            if written.len() > MAX_URI {
                return None;
            }
            rest = &rest[length..];
        }
        Some(match str::from_utf8(&written) {
            Ok(text) => decode(text, Context::XmlAttribute).into_owned().into_bytes().into(),
            Err(_) => written.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::doctype;
    use super::*;

    #[track_caller]
    fn uri(subset: &str, value: &str, expected: Option<&str>) {
        let source = format!("<!DOCTYPE a [{subset}]>");
        let (_, declared) = doctype::read(source.as_bytes(), 0, Standalone::No).unwrap();
        let found = declared.uri(value.as_bytes());
        assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{subset} {value}");
    }

    #[test]
    fn an_entity_of_plain_text_is_known_in_a_namespace() {
        uri("", "a&amp;b&#99;", Some("a&bc"));
        uri("<!ENTITY e 'x'>", "a&e;b&e;", Some("axbx"));
        uri("<!ENTITY e 'x&#38;y'>", "&e;", None);
        uri("<!ENTITY e 'x&#121;'>", "&e;", Some("xy"));
        uri("<!ENTITY e 'x'><!ENTITY e 'y'>", "&e;", Some("x"));
        uri("<!ENTITY e SYSTEM 'x'><!ENTITY e 'y'>", "&e;", None);
        uri("<!ENTITY d 'x'><!ENTITY e '&d;'>", "&e;", None);
        uri("<!ENTITY % p 'x'>%p;<!ENTITY e 'y'>", "&e;", None);
        uri("<!ENTITY e '<b/>'>", "&e;", None);
    }

    #[test]
    fn the_uri_of_entities_is_bounded() {
        let entity = format!("<!ENTITY e '{}'>", "x".repeat(MAX_URI / 2));
        uri(&entity, "&e;&e;", Some(&"x".repeat(MAX_URI)));
        uri(&entity, &"&e;".repeat(1_000_000), None);
    }

    #[test]
    fn the_first_default_of_an_attribute_counts() {
        let source = "<!DOCTYPE a [<!ATTLIST a xmlns CDATA 'x' b CDATA 'y' xmlns CDATA 'z'>]>";
        let (_, declared) = doctype::read(source.as_bytes(), 0, Standalone::No).unwrap();
        let [(b"xmlns", value)] = declared.defaults(b"a") else { panic!("{declared:?}") };
        assert_eq!(&source[value.clone()], "x");
        assert!(declared.defaults(b"b").is_empty());
    }
}
