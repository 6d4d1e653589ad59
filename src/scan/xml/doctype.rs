//! Reads the general entities that a document type declaration declares.
//!
//! quick-xml finds the end of the declaration. The reader skips everything in the internal subset
//! except entities, and the scanner expands them only in the URI of a namespace.

use std::collections::HashMap;
use std::ops::Range;

use memchr::{memchr, memmem};

use super::XmlContent;
use crate::reference::{Context, XmlReference, decode, xml_reference};

/// Maximum bytes of a value with expanded entities. URIs of namespaces are shorter. Without a
/// limit, n values with an entity of n bytes would take quadratic time.
const MAX_EXPANDED_LEN: usize = 256;

/// The general entities of a document.
#[derive(Debug, Default)]
pub(crate) struct Entities<'s> {
    /// By name, the text that an entity represents; `None` if the entity is external, or contains
    /// markup or other entities.
    texts: HashMap<&'s [u8], Option<String>>,
    /// Whether an external subset or a parameter entity may declare more entities.
    has_others: bool,
    /// Whether attributes may have default values, which the scanner does not read.
    pub(super) has_defaults: bool,
}

impl<'s> Entities<'s> {
    /// Reads the declaration at a span of a document, from its `<!DOCTYPE` to its `>`.
    pub(crate) fn from_doctype(bytes: &'s [u8], doctype: Range<usize>) -> Self {
        let (has_others, subset) = split_subset(&bytes[doctype]);
        let has_defaults = memmem::find(subset, b"<!ATTLIST").is_some();
        let mut entities = Self { has_others, has_defaults, ..Self::default() };
        entities.read_subset(subset);
        entities
    }

    /// Reads an internal subset up to a parameter entity: without reading it, a processor
    /// [must not process](https://www.w3.org/TR/xml/#proc-types) the declarations after it.
    fn read_subset(&mut self, mut rest: &'s [u8]) {
        let skip_past = |text: &'s [u8], end| {
            memmem::find(text, end).map_or(&text[..0], |at| &text[at + end.len()..])
        };
        while let Some(at) = rest.iter().position(|byte| b"<%\"'".contains(byte)) {
            rest = &rest[at..];
            rest = match rest {
                [b'%', ..] => {
                    self.has_others = true;
                    return;
                }
                [b'"' | b'\'', ..] => split_literal(rest).map_or(&[], |(_, rest)| rest),
                _ if rest.starts_with(b"<!--") => skip_past(&rest[b"<!--".len()..], b"-->"),
                _ if rest.starts_with(b"<?") => skip_past(rest, b"?>"),
                _ if rest.starts_with(b"<!ENTITY") => self.read_entity(&rest[b"<!ENTITY".len()..]),
                _ => &rest[1..],
            };
        }
    }

    /// Reads the [declaration](https://www.w3.org/TR/xml/#sec-entity-decl) of an entity, after its
    /// keyword. Returns the text after the name: the caller skips the rest of the declaration.
    fn read_entity(&mut self, text: &'s [u8]) -> &'s [u8] {
        let (name, rest) = split_word(text);
        if name != b"%" {
            let text = split_literal(rest).and_then(|(value, _)| decode_plain(value));
            // The first declaration of a name is binding.
            self.texts.entry(name).or_insert(text);
        }
        rest
    }

    /// Returns the kind of content that an entity represents; `None` if the entity is not declared.
    ///
    /// NOTE: an undeclared entity is a character if HTML has a reference of that name: the document
    /// types of XHTML declare these, and browsers know them without reading the document types.
    pub(super) fn find_content(&self, name: &[u8]) -> Option<XmlContent> {
        match self.texts.get(name) {
            Some(Some(_)) => Some(XmlContent::TextEntity),
            None if !self.has_others => None,
            None if is_character(name) => Some(XmlContent::TextEntity),
            Some(None) | None => Some(XmlContent::Entity),
        }
    }

    /// Expands the entities of an attribute value; `None` if an entity is not declared, or contains
    /// more than text.
    pub(crate) fn expand(&self, value: &str) -> Option<String> {
        let (mut text, mut rest) = (String::new(), value);
        while let Some(at) = rest.find('&') {
            text.push_str(&rest[..at]);
            let (length, meaning) = xml_reference(&rest.as_bytes()[at..])?;
            let (name, after) = rest[at..].split_at(length);
            match meaning {
                XmlReference::Character(character) => text.push(character),
                XmlReference::Entity => {
                    let entity = self.texts.get(&name.as_bytes()[1..length - 1])?.as_ref()?;
                    let has_room = text.len() + entity.len() <= MAX_EXPANDED_LEN;
                    text.push_str(has_room.then_some(entity)?);
                }
            }
            rest = after;
        }
        Some(text + rest)
    }
}

/// Splits off the internal subset of a declaration. Also returns whether the declaration has an
/// [external identifier](https://www.w3.org/TR/xml/#NT-ExternalID), which is in quotes.
fn split_subset(declaration: &[u8]) -> (bool, &[u8]) {
    let (mut has_identifier, mut rest) = (false, declaration);
    while let Some(at) = rest.iter().position(|byte| b"[\"'".contains(byte)) {
        rest = &rest[at..];
        if rest[0] == b'[' {
            return (has_identifier, rest);
        }
        has_identifier = true;
        rest = split_literal(rest).map_or(&[], |(_, rest)| rest);
    }
    (has_identifier, rest)
}

/// Splits the first word off a text, and the white space after it.
fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let ends_word = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'[';
    let (word, rest) = text.split_at(text.iter().position(ends_word).unwrap_or(text.len()));
    (word, rest.trim_ascii_start())
}

/// Splits the quoted text off the start of a text; `None` if there is none, or it has no end.
fn split_literal(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (quote, rest) = text.split_first().filter(|(first, _)| matches!(first, b'"' | b'\''))?;
    let length = memchr(*quote, rest)?;
    Some((&rest[..length], &rest[length + 1..]))
}

/// Decodes the text that the [value](https://www.w3.org/TR/xml/#intern-replacement) of an entity
/// represents; `None` if it has markup or other entities.
fn decode_plain(value: &[u8]) -> Option<String> {
    let text = decode(&String::from_utf8_lossy(value), Context::XmlText).into_owned();
    (!text.contains(['<', '&'])).then_some(text)
}

/// Whether HTML has a reference of this name to characters other than markup.
fn is_character(name: &[u8]) -> bool {
    let Ok(name) = str::from_utf8(name) else { return false };
    let written = format!("&{name};");
    // If HTML only has a shorter name, which needs no semicolon, the semicolon remains.
    !decode(&written, Context::Text).contains(['<', '&', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Entities<'_> {
        Entities::from_doctype(source.as_bytes(), 0..source.len())
    }

    #[track_caller]
    fn expands(subset: &str, value: &str, expected: Option<&str>) {
        let source = format!("<!DOCTYPE a [{subset}]>");
        let found = read(&source).expand(value);
        assert_eq!(found.as_deref(), expected, "{subset} {value}");
    }

    #[test]
    fn an_external_identifier_is_before_the_internal_subset() {
        for (source, expected) in [
            (" a", false),
            (" a [<!ENTITY e 'x'>]", false),
            (" a SYSTEM \">\" ", true),
            (" a:b PUBLIC 'b' '[<!ENTITY e \"x\">' [ ] ", true),
            (" a SYSTEM 'b", true),
        ] {
            assert_eq!(read(&format!("<!DOCTYPE{source}>")).has_others, expected, "{source}");
        }
    }

    #[test]
    fn entities_of_plain_text_are_expanded() {
        expands("", "a&amp;b&#99;", Some("a&bc"));
        expands("<!ENTITY e 'x'>", "a&e;b&e;", Some("axbx"));
        expands("<!ENTITY e 'x&#121;&quot;'>", "&e;", Some("xy\""));
        expands("<!ENTITY\ne\t\"x\"><!ENTITY e 'y'>", "&e;", Some("x"));
        expands("<!ENTITY e SYSTEM 'x'><!ENTITY e 'y'>", "&e;", None);
        for value in ["x&#38;y", "&d;", "<b/>", "&#60;", "&lt;", "&#38;#60;"] {
            expands(&format!("<!ENTITY d 'x'><!ENTITY e '{value}'>"), "&e;", None);
        }
        expands("<!ENTITY e 'x' NDATA n>", "a&b", None);
        expands("", "&e;", None);
        expands("<!ENTITY e 'x", "&e;", None);
    }

    #[test]
    fn the_internal_subset_is_skipped() {
        for before in [
            "<!-- <!ENTITY e 'no'> ' -->",
            "<?x <!ENTITY e 'no'> '?>",
            "<!ENTITY d \"<!ENTITY e 'no'>]>\">",
            "<!ENTITY % p \"<!ENTITY e 'no'>\">",
            "<!ENTITY d SYSTEM '<!ENTITY e \"no\">' NDATA n>",
            "<!ATTLIST a b CDATA \"<!ENTITY e 'no'>\">",
            "<!ELEMENT a (b,c|d)>\n<!NOTATION n SYSTEM '%x'>",
            "text <![INCLUDE[]]> <!FOO>",
        ] {
            expands(&format!("{before}<!ENTITY e 'x'>"), "&e;", Some("x"));
        }
        expands("<!ENTITY d 'x'>%p;<!ENTITY e 'y'>", "&d;", Some("x"));
        expands("<!ENTITY d 'x'>%p;<!ENTITY e 'y'>", "&e;", None);
    }

    #[test]
    fn an_entity_represents_text_or_markup() {
        let check = |doctype: &str, name: &str, expected| {
            let source = format!("<!DOCTYPE a {doctype}>");
            assert_eq!(read(&source).find_content(name.as_bytes()), expected, "{doctype}");
        };
        let (text, markup) = (Some(XmlContent::TextEntity), Some(XmlContent::Entity));
        check("[<!ENTITY e 'x&#160;>'>]", "e", text);
        check("[<!ENTITY nbsp '<b/>'>]", "nbsp", markup);
        check("[<!ENTITY e SYSTEM 'y'>]", "e", markup);
        check("[<!ENTITY e '&e;'>]", "e", markup);
        check("[<!ENTITY e 'x'>]", "nbsp", None);
        for doctype in ["SYSTEM 'x'", "[%p;]", "[<!ENTITY % p 'x'> %p;<!ENTITY LT 'x'>]"] {
            check(doctype, "nbsp", text);
            check(doctype, "eacute", text);
            check(doctype, "LT", markup);
            check(doctype, "notit", markup);
            check(doctype, "chapter1", markup);
        }
    }

    #[test]
    fn an_expanded_value_is_bounded() {
        let subset = format!("<!ENTITY e '{}'>", "x".repeat(256));
        expands(&subset, "&e;", Some(&"x".repeat(256)));
        expands(&subset, "x&e;", None);
        expands(&subset, &"&e;".repeat(1_000_000), None);
    }

    #[test]
    fn a_subset_takes_linear_time() {
        for part in ["<!ENTITY ", "<!ENTITY e '", "<!ENTITY e \"'", "<!-- ", "<? ", "'", "%", "<"] {
            let source = format!("<!DOCTYPE a [{}>", part.repeat(1_000_000));
            assert!(!read(&source).has_defaults);
        }
    }
}
