//! The general entities that the internal subset declares, and what references to them stand for.

use std::cell::Cell;
use std::collections::HashMap;

use super::candidates::XmlContent;
use super::fault::shown;
use super::replacement::{self, Place};
use crate::reference::{Context, decode};

/// The entities of a document by name.
#[derive(Debug, Default)]
pub(super) struct EntityTable<'s> {
    numbers: HashMap<&'s [u8], usize>,
    list: Vec<Entity<'s>>,
}

#[derive(Debug)]
struct Entity<'s> {
    name: &'s [u8],
    value: EntityValue<'s>,
    /// What a reference to it makes of a text.
    content: XmlContent,
    in_content: Cell<Check>,
    in_attributes: Cell<Check>,
}

/// What an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntityValue<'s> {
    /// The text between the quotes.
    Internal(&'s [u8]),
    External,
    /// One with a notation, which no reference may name.
    Unparsed,
}

/// Whether the entities that are not in the table are known to be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Fault,
    Unread,
}

/// Whether an entity is right in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    Unknown,
    /// It is being checked, so that a reference to it is recursive.
    Open,
    Right,
}

/// An entity that is being checked.
struct Step {
    number: usize,
    place: Place,
    /// The entities that it refers to, and that are not checked yet.
    left: Vec<(usize, Place)>,
}

impl<'s> EntityTable<'s> {
    /// Adds an entity; its first declaration
    /// [counts](https://www.w3.org/TR/xml/#sec-entity-decl).
    pub(super) fn add(&mut self, name: &'s [u8], value: EntityValue<'s>) {
        let (in_content, in_attributes) = (Cell::new(Check::Unknown), Cell::new(Check::Unknown));
        let next = self.list.len();
        if *self.numbers.entry(name).or_insert(next) == next {
            let content = match value {
                EntityValue::Internal(text) => replacement::content_of(text),
                EntityValue::External | EntityValue::Unparsed => XmlContent::Entity,
            };
            self.list.push(Entity { name, value, content, in_content, in_attributes });
        }
    }

    /// Lets each entity be checked again, since those that it refers to are declared by now.
    pub(super) fn complete(&self) {
        for entity in &self.list {
            entity.in_content.set(Check::Unknown);
            entity.in_attributes.set(Check::Unknown);
        }
    }

    /// The text of an internal entity.
    pub(super) fn text(&self, name: &[u8]) -> Option<&'s [u8]> {
        match self.list[*self.numbers.get(name)?].value {
            EntityValue::Internal(text) => Some(text),
            EntityValue::External | EntityValue::Unparsed => None,
        }
    }

    /// What a reference that is right makes of a text.
    ///
    /// NOTE: an entity that is not declared in what is read is a character if HTML names one so:
    /// the document types of XHTML declare these, and browsers know them without reading those.
    pub(super) fn content(&self, name: &[u8]) -> XmlContent {
        match self.numbers.get(name) {
            Some(&number) => self.list[number].content,
            None if is_character(name) => XmlContent::TextEntity,
            None => XmlContent::Entity,
        }
    }

    /// Checks a reference, and those in what it stands for: each entity once, without recursion.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(super) fn check(&self, name: &[u8], place: Place, missing: Missing) -> Result<(), String> {
        let Some(number) = self.number(name, missing)? else { return Ok(()) };
        let mut path: Vec<_> = self.enter(number, place, missing)?.into_iter().collect();
        while let Some(step) = path.last_mut() {
            if let Some((number, place)) = step.left.pop() {
                path.extend(self.enter(number, place, missing)?);
            } else {
                self.state(step.number, step.place).set(Check::Right);
                path.pop();
            }
        }
        Ok(())
    }

    /// Checks what an entity itself is; returns the entities that it refers to, unless they are
    /// known to be right.
    fn enter(&self, number: usize, place: Place, missing: Missing) -> Result<Option<Step>, String> {
        let Entity { name, value, .. } = self.list[number];
        let fault = |why: &str| Err(format!("the entity {} {why}", reference(name)));
        let state = self.state(number, place);
        match (state.get(), value, place) {
            (Check::Right, ..) | (_, EntityValue::External, Place::Content) => Ok(None),
            (Check::Open, ..) => fault("contains a reference to itself"),
            (_, EntityValue::Unparsed, _) => fault("is not parsed"),
            (_, EntityValue::External, Place::Attribute) => {
                fault("is external, and cannot be in an attribute value")
            }
            (Check::Unknown, EntityValue::Internal(text), _) => {
                let mut left = Vec::new();
                let found = &mut |name: &[u8], place: Place| {
                    left.extend(self.number(name, missing)?.map(|number| (number, place)));
                    Ok(())
                };
                replacement::check(text, place, found)
                    .map_err(|fault| format!("in the entity {}: {}", reference(name), fault.why))?;
                state.set(Check::Open);
                Ok(Some(Step { number, place, left }))
            }
        }
    }

    fn number(&self, name: &[u8], missing: Missing) -> Result<Option<usize>, String> {
        match (self.numbers.get(name), missing) {
            (None, Missing::Fault) => {
                Err(format!("the entity {} is not declared", reference(name)))
            }
            (number, _) => Ok(number.copied()),
        }
    }

    fn state(&self, number: usize, place: Place) -> &Cell<Check> {
        let entity = &self.list[number];
        match place {
            Place::Content => &entity.in_content,
            Place::Attribute => &entity.in_attributes,
        }
    }
}

/// Whether HTML has a reference of this name, to characters that are no markup.
fn is_character(name: &[u8]) -> bool {
    let Ok(name) = str::from_utf8(name) else { return false };
    let written = format!("&{name};");
    // The semicolon stays after a shorter name, which needs none.
    !decode(&written, Context::Text).contains(['<', '&', ';'])
}

/// A reference as messages show it.
fn reference(name: &[u8]) -> String {
    shown(&[b"&", name, b";"].concat())
}

#[cfg(test)]
mod tests {
    use super::super::declarations::Standalone;
    use super::super::doctype;
    use super::*;

    #[track_caller]
    fn check(subset: &str, place: Place, expected: Result<(), &str>) {
        let source = format!("<!DOCTYPE a [{subset}]>");
        let (_, declared) = doctype::read(source.as_bytes(), 0, Standalone::No).unwrap();
        let found = declared.check_reference(b"e", place);
        let start: String = subset.chars().take(100).collect();
        assert_eq!(found.map(drop), expected.map_err(str::to_owned), "{start}");
        if expected.is_ok() {
            assert!(declared.check_reference(b"e", place).is_ok(), "{start}");
        }
    }

    #[test]
    fn a_reference_is_to_what_may_be_in_its_place() {
        let content = |subset: &str, expected| check(subset, Place::Content, expected);
        let attribute = |subset: &str, expected| check(subset, Place::Attribute, expected);
        for subset in [
            "<!ENTITY e 'x'>",
            "<!ENTITY e '&f;&f;'><!ENTITY f 'x'>",
            "<!ENTITY e '&lt;&#38;lt;&#38;#60;'>",
            "<!ENTITY e 'x'><!ENTITY e '&e;'>",
            "%p;<!ENTITY e '<'>",
            "%p;",
        ] {
            content(subset, Ok(()));
            attribute(subset, Ok(()));
        }
        let external = "<!ENTITY e '&f;'><!ENTITY f SYSTEM 'x'>";
        content(external, Ok(()));
        attribute(
            external,
            Err("the entity '&f;' is external, and cannot be in an attribute value"),
        );
        for place in [Place::Content, Place::Attribute] {
            let is = |subset: &str, why| check(subset, place, Err(why));
            is("", "the entity '&e;' is not declared");
            is("<!ENTITY e '&f;'>", "in the entity '&e;': the entity '&f;' is not declared");
            is("<!ENTITY e '&e;'>", "the entity '&e;' contains a reference to itself");
            is(
                "<!ENTITY e '&f;'><!ENTITY f 'x&#38;e;'>",
                "the entity '&e;' contains a reference to itself",
            );
            is("<!ENTITY e SYSTEM 'x' NDATA n>", "the entity '&e;' is not parsed");
        }
        for (value, why) in [
            ("a&#38;b", "'&' begins no reference; write it as &amp;"),
            ("&#38;#0;", "'&#0;' is not a character of XML"),
        ] {
            let (subset, why) =
                (format!("<!ENTITY e '{value}'>"), format!("in the entity '&e;': {why}"));
            check(&subset, Place::Attribute, Err(&why));
        }
        attribute("<!ENTITY e '&#60;'>", Err("in the entity '&e;': '<' in an attribute value"));
    }

    #[test]
    fn an_entity_stands_for_text_or_for_markup() {
        let is = |subset: &str, name: &str, expected| {
            let source = format!("<!DOCTYPE a SYSTEM 'x' [{subset}]>");
            let (_, declared) = doctype::read(source.as_bytes(), 0, Standalone::No).unwrap();
            let found = declared.check_reference(name.as_bytes(), Place::Content);
            assert_eq!(found, Ok(expected), "{subset} {name}");
        };
        is("<!ENTITY e 'x&#160;>'>", "e", XmlContent::TextEntity);
        for value in ["<b/>", "&#60;b/>", "&lt;b>", "&nbsp;", "&#38;#60;"] {
            is(&format!("<!ENTITY e '{value}'>"), "e", XmlContent::Entity);
        }
        is("<!ENTITY e SYSTEM 'y'>", "e", XmlContent::Entity);
        is("<!ENTITY nbsp '<b/>'>", "nbsp", XmlContent::Entity);
        for (name, expected) in [
            ("nbsp", XmlContent::TextEntity),
            ("eacute", XmlContent::TextEntity),
            ("LT", XmlContent::Entity),
            ("notit", XmlContent::Entity),
            ("chapter1", XmlContent::Entity),
        ] {
            is("", name, expected);
        }
    }

    #[test]
    fn replacement_text_is_content() {
        let is = |value: &str, expected: Result<(), &str>| {
            let expected = expected.map_err(|why| format!("in the entity '&e;': {why}"));
            let subset = format!("<!ENTITY e \"{value}\"><!ENTITY x SYSTEM 'x'>");
            check(&subset, Place::Content, expected.as_ref().copied().map_err(|why| &**why));
        };
        is("x<b c='d'>&x;<e/></b ><!-- f --><?g h?><![CDATA[<]]>", Ok(()));
        is("&#60;b>&#60;/b>", Ok(()));
        is("<b>", Err("the element 'b' is not closed in it"));
        is("</b><b>", Err("the end tag 'b' has no start tag in it"));
        is("<b></c>", Err("the end tag 'c' has no start tag in it"));
        is("<b c='d' c='e'/>", Err("the attribute 'c' is there twice"));
        is("<1/>", Err("'1' is not the name of an element"));
        is("&#38;#0;", Err("'&#0;' is not a character of XML"));
        is("]]>", Err("']]>' in text; write its '>' as &gt;"));
        is("<b/>]]>", Err("']]>' in text; write its '>' as &gt;"));
        is("<?xml version='1.0'?>", Err("a declaration in the content of an element"));
        let subset = "<!ENTITY e '<b c=\"&x;\"/>'><!ENTITY x SYSTEM 'x'>";
        let why = "the entity '&x;' is external, and cannot be in an attribute value";
        check(subset, Place::Content, Err(why));
    }

    #[test]
    fn entities_of_entities_take_linear_time() {
        let chain = |count: usize| {
            let one = |at| format!("<!ENTITY e{at} '{}'>", format!("&e{};", at + 1).repeat(10));
            let all: String = (0..count).map(one).collect();
            format!("<!ENTITY e '&e0;'>{all}<!ENTITY e{count} 'x'>")
        };
        for place in [Place::Content, Place::Attribute] {
            check(&chain(100_000), place, Ok(()));
            let name = "the entity '&e0;' contains a reference to itself";
            check(&chain(100_000).replace("'x'", "'&e0;'"), place, Err(name));
        }
    }

    #[test]
    fn an_entity_of_a_default_is_checked_again_with_those_after_it() {
        let subset = "<!ENTITY e '&f;'><!ATTLIST a b CDATA '&e;'>";
        let source = format!("<!DOCTYPE a SYSTEM 'x' [{subset}<!ENTITY f '&e;'>]>");
        let (_, declared) = doctype::read(source.as_bytes(), 0, Standalone::No).unwrap();
        assert!(declared.check_reference(b"e", Place::Content).is_err());
    }

    #[test]
    fn a_document_that_stands_alone_declares_its_entities() {
        let source = b"<!DOCTYPE a SYSTEM 'x' [%p;<!ENTITY e 'x'>]>";
        for (standalone, is_declared) in [(Standalone::Yes, false), (Standalone::No, true)] {
            let (_, declared) = doctype::read(source, 0, standalone).unwrap();
            assert_eq!(declared.check_reference(b"f", Place::Content).is_ok(), is_declared);
            assert_eq!(declared.uri(b"&e;").is_some(), !is_declared);
        }
    }
}
