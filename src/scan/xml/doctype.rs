//! Reads a document type declaration: where it ends, and which entities and namespaces it declares.

use std::ops::Range;

use memchr::memchr;

use super::cursor::Cursor;
use super::declarations::{Declarations, Standalone, Unread};
use super::entities::EntityValue;
use super::fault::{Fault, shown};
use super::{attribute_list, content_model, tag, target};
use crate::reference::{is_name, xml_reference};

/// How a document type declaration begins.
pub(super) const START: &[u8] = b"<!DOCTYPE";

/// Reads the [declaration](https://www.w3.org/TR/xml/#NT-doctypedecl) that begins at `start`;
/// returns where it ends, and what it declares.
pub(super) fn read(
    bytes: &[u8],
    start: usize,
    standalone: Standalone,
) -> Result<(usize, Declarations<'_>), Fault> {
    let cursor = Cursor::new(bytes, start, START.len());
    let mut reader = Reader { cursor, declared: Declarations::of_document(standalone) };
    reader.cursor.needs_space()?;
    reader.cursor.name()?;
    if reader.cursor.skip_space() {
        match reader.external_id()? {
            Identifier::Missing => {}
            Identifier::Whole => reader.declared.leave_unread(Unread::External),
            Identifier::Public => return Err(reader.cursor.unexpected()),
        }
        reader.cursor.skip_space();
    }
    if reader.cursor.skip_if(b"[") {
        reader.internal_subset()?;
        reader.cursor.skip_space();
    }
    reader.cursor.needs(b">")?;
    Ok((reader.cursor.at, reader.declared.complete()))
}

struct Reader<'s> {
    cursor: Cursor<'s>,
    declared: Declarations<'s>,
}

/// What was read of an [external identifier](https://www.w3.org/TR/xml/#NT-ExternalID).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identifier {
    Missing,
    /// A public one alone, which notations may have.
    Public,
    Whole,
}

impl Reader<'_> {
    /// What is between `[` and `]`, and the `]`.
    fn internal_subset(&mut self) -> Result<(), Fault> {
        loop {
            self.cursor.skip_space();
            let start = self.cursor.at;
            match self.cursor.rest() {
                [b']', ..] => return self.cursor.needs(b"]"),
                [b'%', ..] => self.parameter_entity()?,
                [b'<', b'!', b'-', b'-', ..] => self.comment()?,
                [b'<', b'?', ..] => {
                    self.cursor.skip_past(b"<?", b"?>")?;
                    target::read(&self.cursor.bytes[start + 2..self.cursor.at - 2], start)?;
                }
                [b'<', b'!', ..] => self.declaration()?,
                [] => return Err(self.cursor.unclosed()),
                _ => return Err(Fault::new(start, "text in the document type declaration")),
            }
        }
    }

    fn declaration(&mut self) -> Result<(), Fault> {
        let start = self.cursor.at;
        self.cursor.at += b"<!".len();
        match self.cursor.token() {
            b"ENTITY" => self.entity()?,
            b"ATTLIST" => attribute_list::read(&mut self.cursor, &mut self.declared)?,
            b"ELEMENT" => content_model::read(&mut self.cursor)?,
            b"NOTATION" => self.notation()?,
            _ => {
                let what = shown(&self.cursor.bytes[start..self.cursor.at]);
                return Err(Fault::new(start, format!("{what} is not a declaration")));
            }
        }
        self.cursor.skip_space();
        self.cursor.needs(b">")
    }

    /// An [entity](https://www.w3.org/TR/xml/#NT-EntityDecl), after its keyword.
    fn entity(&mut self) -> Result<(), Fault> {
        self.cursor.needs_space()?;
        let is_parameter = self.cursor.skip_if(b"%");
        if is_parameter {
            self.cursor.needs_space()?;
        }
        let name = self.cursor.plain_name()?;
        self.cursor.needs_space()?;
        let value = if let [b'"' | b'\'', ..] = self.cursor.rest() {
            let value = self.cursor.literal()?;
            self.check_entity_value(value.clone())?;
            EntityValue::Internal(&self.cursor.bytes[value])
        } else if self.external_id()? != Identifier::Whole {
            return Err(self.cursor.unexpected());
        } else if !is_parameter && self.notation_name()? {
            EntityValue::Unparsed
        } else {
            EntityValue::External
        };
        if !is_parameter {
            self.declared.add_entity(name, value);
        }
        Ok(())
    }

    /// The [notation](https://www.w3.org/TR/xml/#NT-NDataDecl) of an entity, if it has one.
    fn notation_name(&mut self) -> Result<bool, Fault> {
        let start = self.cursor.at;
        if !self.cursor.skip_space() || !self.cursor.skip_keyword(b"NDATA") {
            self.cursor.at = start;
            return Ok(false);
        }
        self.cursor.needs_space()?;
        self.cursor.plain_name()?;
        Ok(true)
    }

    /// In a [value](https://www.w3.org/TR/xml/#NT-EntityValue) of the internal subset, `%` may not
    /// be, and `&` begins a reference.
    fn check_entity_value(&self, value: Range<usize>) -> Result<(), Fault> {
        let bytes = self.cursor.bytes;
        if let Some(at) = memchr(b'%', &bytes[value.clone()]) {
            return Err(Fault::new(value.start + at, "'%' in the value of an entity"));
        }
        let mut at = value.start;
        while let Some(found) = memchr(b'&', &bytes[at..value.end]) {
            at += found;
            at += match xml_reference(&bytes[at..value.end]) {
                Some((length, _)) => length,
                None => return Err(tag::not_a_reference(bytes, at..value.end)),
            };
        }
        Ok(())
    }

    /// A [notation](https://www.w3.org/TR/xml/#Notations), after its keyword.
    fn notation(&mut self) -> Result<(), Fault> {
        self.cursor.needs_space()?;
        self.cursor.plain_name()?;
        self.cursor.needs_space()?;
        match self.external_id()? {
            Identifier::Missing => Err(self.cursor.unexpected()),
            Identifier::Public | Identifier::Whole => Ok(()),
        }
    }

    fn parameter_entity(&mut self) -> Result<(), Fault> {
        let length = memchr(b';', self.cursor.rest()).unwrap_or_default();
        if !is_name(self.cursor.rest().get(1..length).unwrap_or_default()) {
            return Err(self.cursor.unexpected());
        }
        self.cursor.at += length + 1;
        self.declared.leave_unread(Unread::ParameterEntity);
        Ok(())
    }

    fn comment(&mut self) -> Result<(), Fault> {
        let start = self.cursor.at;
        self.cursor.skip_past(b"<!--", b"--")?;
        if self.cursor.skip_if(b">") { Ok(()) } else { Err(Fault::new(start, "'--' in a comment")) }
    }

    /// An external identifier, if there is one.
    fn external_id(&mut self) -> Result<Identifier, Fault> {
        let cursor = &mut self.cursor;
        if cursor.skip_keyword(b"SYSTEM") {
            cursor.needs_space()?;
            cursor.literal()?;
            return Ok(Identifier::Whole);
        }
        if !cursor.skip_keyword(b"PUBLIC") {
            return Ok(Identifier::Missing);
        }
        cursor.needs_space()?;
        let public = cursor.literal()?;
        if let Some(at) = cursor.bytes[public.clone()].iter().position(|byte| !is_public(*byte)) {
            return Err(Fault::new(public.start + at, "a public identifier has no such character"));
        }
        let end = cursor.at;
        if cursor.skip_space() && matches!(cursor.rest(), [b'"' | b'\'', ..]) {
            cursor.literal()?;
            return Ok(Identifier::Whole);
        }
        cursor.at = end;
        Ok(Identifier::Public)
    }
}

/// Whether a character may be in a [public identifier](https://www.w3.org/TR/xml/#NT-PubidChar).
fn is_public(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" \r\n-'()+,./:=?;!*#@$_%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn ends(source: &str, expected: Result<usize, &str>) {
        let found = read(source.as_bytes(), 0, Standalone::No)
            .map(|(end, _)| end)
            .map_err(|fault| fault.why);
        assert_eq!(found, expected.map_err(str::to_owned), "{source}");
    }

    #[test]
    fn a_declaration_ends_at_its_own_mark() {
        for source in [
            "<!DOCTYPE a>",
            "<!DOCTYPE a SYSTEM \">\" >",
            "<!DOCTYPE a PUBLIC 'b' '>'[]>",
            "<!DOCTYPE a [<!-- ]> --><?p ]> ?>%e; <!ENTITY e \"]>'<\">]>",
            "<!DOCTYPE a [<!ENTITY % e SYSTEM 'x'><!ENTITY f PUBLIC 'a' 'b' NDATA g>] >",
            "<!DOCTYPE a [<!ATTLIST a b (c | d) 'c' e NOTATION (f) #IMPLIED g CDATA #FIXED '&lt;>'>]>",
            "<!DOCTYPE a [<!ATTLIST a><!ELEMENT a (#PCDATA|b)*><!NOTATION n PUBLIC 'x'>]>",
        ] {
            ends(&format!("{source}<a/>"), Ok(source.len()));
        }
    }

    #[test]
    fn an_entity_or_a_notation_is_a_value_or_an_identifier() {
        for declaration in [
            "ENTITY e ''",
            "ENTITY % p 'x'",
            "ENTITY e SYSTEM \"'\"",
            "ENTITY e PUBLIC '-//a%b' '<' NDATA n",
            "NOTATION n SYSTEM 'x'",
            "NOTATION n PUBLIC \"'x'\" ",
            "NOTATION n PUBLIC 'x'\n'y'",
        ] {
            let source = format!("<!DOCTYPE a [<!{declaration}>]>");
            ends(&source, Ok(source.len()));
        }
        let fails = |declaration: &str, what: &str| {
            let why = format!("{what} in the document type declaration");
            ends(&format!("<!DOCTYPE a [<!{declaration}>]>"), Err(&why));
        };
        fails("ENTITY e", "'>'");
        fails("ENTITY e'x'", "'\\'x\\''");
        fails("ENTITY e x", "'x'");
        fails("ENTITY a:b 'x'", "'a:b'");
        fails("ENTITY e 'x' NDATA n", "'NDATA'");
        fails("ENTITY % e SYSTEM 'x' NDATA n", "'NDATA'");
        fails("ENTITY e SYSTEM 'x'NDATA n", "'NDATA'");
        fails("ENTITY e SYSTEM 'x' NDATA", "'>'");
        fails("ENTITY e SYSTEM'x'", "'\\'x\\''");
        fails("ENTITY e SYSTEM 'x' 'y'", "'\\'y\\''");
        fails("ENTITY e PUBLIC 'x'", "'>'");
        fails("ENTITY e PUBLIC 'x''y'", "'\\'y\\''");
        fails("NOTATION n", "'>'");
        fails("NOTATION n 'x'", "'\\'x\\''");
        let why = "a public identifier has no such character";
        ends("<!DOCTYPE a PUBLIC 'a[b' 'c'>", Err(why));
        ends("<!DOCTYPE a PUBLIC 'a\tb' 'c'>", Err(why));
        ends("<!DOCTYPE a PUBLIC 'a'>", Err("'>' in the document type declaration"));
        ends("<!DOCTYPE a SYSTEM'a'>", Err("'\\'a\\'' in the document type declaration"));
    }

    #[test]
    fn what_is_no_declaration_is_an_error() {
        let inside = |text: &str, why| ends(&format!("<!DOCTYPE a [{text}]>"), Err(why));
        inside("<!FOO>", "'<!FOO' is not a declaration");
        inside("<!ENTITYe 'x'>", "'<!ENTITYe' is not a declaration");
        inside("<![INCLUDE[]]>", "'<!' is not a declaration");
        inside("x", "text in the document type declaration");
        inside("% e;", "'%' in the document type declaration");
        inside("<!ENTITY e '%x;'>", "'%' in the value of an entity");
        inside("<!ENTITY e '&'>", "'&' begins no reference; write it as &amp;");
        inside("<!ATTLIST a b CDATA 'x<'>", "'<' in an attribute value");
        inside("<!ATTLIST a %b;>", "'%b;' in the document type declaration");
        let many: Vec<_> = (0..17).map(|count| format!("xmlns:a{count} CDATA ''\n")).collect();
        let many = many.concat();
        inside(&format!("<!ATTLIST a {many}>"), "more than 16 namespaces of an element by default");
        inside("<!-- -- -->", "'--' in a comment");
        inside("<?xml version='1.0'?>", "'xml' is not the target of an instruction");
        inside("<?p?q?>", "'p?q' is not the target of an instruction");
        ends("<!DOCTYPE>", Err("'>' in the document type declaration"));
        ends("<!DOCTYPE a", Err("the document type declaration is not closed"));
        ends("<!DOCTYPE a [<!ENTITY e '>]>", Err("the document type declaration is not closed"));
    }
}
