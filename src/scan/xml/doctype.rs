//! Reads a document type declaration: where it ends, and which entities and namespaces it declares.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::declarations::{Declarations, Unread};
use super::fault::{Fault, shown};
use super::tag::{self, Entities, is_space};
use crate::reference::{is_name, xml_reference};

/// How a document type declaration begins.
pub(super) const START: &[u8] = b"<!DOCTYPE";

/// Reads the [declaration](https://www.w3.org/TR/xml/#NT-doctypedecl) that begins at `start`;
/// returns where it ends, and what it declares.
pub(super) fn read(bytes: &[u8], start: usize) -> Result<(usize, Declarations<'_>), Fault> {
    let mut reader =
        Reader { bytes, start, at: start + START.len(), declared: Declarations::of_document() };
    reader.needs_space()?;
    reader.name()?;
    reader.external_id()?;
    if reader.skip_if(b"[") {
        reader.internal_subset()?;
    }
    reader.skip_space();
    if !reader.skip_if(b">") {
        return Err(reader.unclosed());
    }
    Ok((reader.at, reader.declared))
}

struct Reader<'s> {
    bytes: &'s [u8],
    start: usize,
    at: usize,
    declared: Declarations<'s>,
}

impl<'s> Reader<'s> {
    /// What is between `[` and `]`, and the `]`.
    fn internal_subset(&mut self) -> Result<(), Fault> {
        loop {
            self.skip_space();
            let start = self.at;
            match self.rest() {
                [b']', ..] => {
                    self.at += 1;
                    return Ok(());
                }
                [b'%', ..] => self.parameter_entity()?,
                [b'<', b'!', b'-', b'-', ..] => self.comment()?,
                [b'<', b'?', ..] => self.skip_past(b"<?", b"?>")?,
                [b'<', b'!', ..] => self.declaration()?,
                [] => return Err(self.unclosed()),
                _ => return Err(Fault::new(start, "text in the document type declaration")),
            }
        }
    }

    fn declaration(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += b"<!".len();
        let keyword = self.token();
        match keyword {
            b"ENTITY" => self.entity()?,
            b"ATTLIST" => self.attributes()?,
            b"ELEMENT" | b"NOTATION" => self.other()?,
            _ => {
                let why = format!("{} is not a declaration", shown(&self.bytes[start..self.at]));
                return Err(Fault::new(start, why));
            }
        }
        self.skip_space();
        if self.skip_if(b">") { Ok(()) } else { Err(self.unexpected()) }
    }

    /// An [entity](https://www.w3.org/TR/xml/#NT-EntityDecl), after its keyword.
    fn entity(&mut self) -> Result<(), Fault> {
        self.needs_space()?;
        let is_parameter = self.skip_if(b"%");
        if is_parameter {
            self.needs_space()?;
        }
        let name = self.name()?;
        let text = if let [b'"' | b'\'', ..] = self.rest() {
            let value = self.literal()?;
            self.check_entity_value(value.clone())?;
            Some(value)
        } else {
            self.external_id()?;
            self.other()?;
            None
        };
        if !is_parameter {
            self.declared.add_entity(name, text.map(|value| &self.bytes[value]));
        }
        Ok(())
    }

    /// In a [value](https://www.w3.org/TR/xml/#NT-EntityValue) of the internal subset, `%` may not
    /// be, and `&` begins a reference.
    fn check_entity_value(&self, value: Range<usize>) -> Result<(), Fault> {
        if let Some(at) = memchr(b'%', &self.bytes[value.clone()]) {
            return Err(Fault::new(value.start + at, "'%' in the value of an entity"));
        }
        let mut at = value.start;
        while let Some(found) = memchr(b'&', &self.bytes[at..value.end]) {
            at += found;
            at += match xml_reference(&self.bytes[at..value.end]) {
                Some((length, _)) => length,
                None => return Err(tag::not_a_reference(self.bytes, at..value.end)),
            };
        }
        Ok(())
    }

    /// [Attributes](https://www.w3.org/TR/xml/#NT-AttlistDecl) of an element, after the keyword.
    fn attributes(&mut self) -> Result<(), Fault> {
        self.needs_space()?;
        let element = self.name()?;
        while !self.rest().starts_with(b">") {
            let name = self.name()?;
            if self.skip_if(b"NOTATION") {
                self.skip_space();
            }
            if self.rest().starts_with(b"(") {
                self.skip_past(b"(", b")")?;
            } else if !is_name(self.token()) {
                return Err(self.unexpected());
            }
            self.skip_space();
            if self.skip_if(b"#REQUIRED") || self.skip_if(b"#IMPLIED") {
                self.skip_space();
                continue;
            }
            if self.skip_if(b"#FIXED") {
                self.needs_space()?;
            }
            let value = self.literal()?;
            if let Some(at) = memchr(b'<', &self.bytes[value.clone()]) {
                return Err(Fault::new(value.start + at, "'<' in an attribute value"));
            }
            tag::content(self.bytes, value.clone(), Entities::Any)?;
            self.declared.add_default(element, name, value)?;
            self.skip_space();
        }
        Ok(())
    }

    /// The rest of a declaration that nothing is known of, up to its `>`.
    fn other(&mut self) -> Result<(), Fault> {
        loop {
            match self.rest() {
                [b'>', ..] => return Ok(()),
                [b'"' | b'\'', ..] => _ = self.literal()?,
                [] => return Err(self.unclosed()),
                [b'<', ..] => return Err(self.unexpected()),
                _ => self.at += 1,
            }
        }
    }

    fn parameter_entity(&mut self) -> Result<(), Fault> {
        let length = memchr(b';', self.rest()).unwrap_or_default();
        if !is_name(self.rest().get(1..length).unwrap_or_default()) {
            return Err(self.unexpected());
        }
        self.at += length + 1;
        self.declared.leave_unread(Unread::ParameterEntity);
        Ok(())
    }

    fn comment(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.skip_past(b"<!--", b"--")?;
        if self.skip_if(b">") { Ok(()) } else { Err(Fault::new(start, "'--' in a comment")) }
    }

    /// A name, and the white space after it.
    fn name(&mut self) -> Result<&'s [u8], Fault> {
        let start = self.at;
        let name = self.token();
        if !is_name(name) {
            self.at = start;
            return Err(self.unexpected());
        }
        self.skip_space();
        Ok(name)
    }

    /// An [external identifier](https://www.w3.org/TR/xml/#NT-ExternalID), if there is one.
    fn external_id(&mut self) -> Result<(), Fault> {
        let literals = match () {
            () if self.skip_if(b"SYSTEM") => 1,
            () if self.skip_if(b"PUBLIC") => 2,
            () => return Ok(()),
        };
        for _ in 0..literals {
            self.skip_space();
            self.literal()?;
        }
        self.skip_space();
        self.declared.leave_unread(Unread::External);
        Ok(())
    }

    /// A text in quotes; without them.
    fn literal(&mut self) -> Result<Range<usize>, Fault> {
        let [quote @ (b'"' | b'\''), rest @ ..] = self.rest() else {
            return Err(self.unexpected());
        };
        let length = memchr(*quote, rest).ok_or_else(|| self.unclosed())?;
        let start = self.at + 1;
        self.at = start + length + 1;
        Ok(start..start + length)
    }

    /// What is up to white space, a delimiter or a quote.
    fn token(&mut self) -> &'s [u8] {
        let ends = |byte: &u8| is_space(*byte) || b"<>[]()\"'%#|,&".contains(byte);
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn rest(&self) -> &'s [u8] {
        &self.bytes[self.at..]
    }

    fn skip_if(&mut self, text: &[u8]) -> bool {
        let is_there = self.rest().starts_with(text);
        self.at += if is_there { text.len() } else { 0 };
        is_there
    }

    fn skip_past(&mut self, open: &[u8], close: &[u8]) -> Result<(), Fault> {
        let from = self.at + open.len();
        let length = memmem::find(&self.bytes[from..], close).ok_or_else(|| self.unclosed())?;
        self.at = from + length + close.len();
        Ok(())
    }

    fn skip_space(&mut self) {
        self.at += self.rest().iter().take_while(|byte| is_space(**byte)).count();
    }

    fn needs_space(&mut self) -> Result<(), Fault> {
        let before = self.at;
        self.skip_space();
        if self.at > before { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unclosed(&self) -> Fault {
        Fault::new(self.start, "the document type declaration is not closed")
    }

    /// What is here is not of a document type declaration.
    fn unexpected(&self) -> Fault {
        let rest = self.rest();
        let Some(first) = rest.first() else { return self.unclosed() };
        let length = rest.iter().take_while(|byte| !is_space(**byte)).count().clamp(1, 20);
        let text = if is_space(*first) { b" " } else { &rest[..length] };
        Fault::new(self.at, format!("{} in the document type declaration", shown(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn ends(source: &str, expected: Result<usize, &str>) {
        let found = read(source.as_bytes(), 0).map(|(end, _)| end).map_err(|fault| fault.why);
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
            "<!DOCTYPE a [<!ATTLIST a b (c | d) 'c' e NOTATION (f) #IMPLIED g CDATA #FIXED '&h;>'>]>",
            "<!DOCTYPE a [<!ATTLIST a><!ELEMENT a (#PCDATA|b)*><!NOTATION n PUBLIC 'x'>]>",
        ] {
            ends(&format!("{source}<a/>"), Ok(source.len()));
        }
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
        inside("<!ATTLIST a %b;>", "'%b;>]>' in the document type declaration");
        let many: Vec<_> = (0..17).map(|count| format!("xmlns:a{count} CDATA ''\n")).collect();
        let many = many.concat();
        inside(&format!("<!ATTLIST a {many}>"), "more than 16 namespaces of an element by default");
        inside("<!-- -- -->", "'--' in a comment");
        ends("<!DOCTYPE>", Err("'>' in the document type declaration"));
        ends("<!DOCTYPE a", Err("the document type declaration is not closed"));
        ends("<!DOCTYPE a [<!ENTITY e '>]>", Err("the document type declaration is not closed"));
    }
}
