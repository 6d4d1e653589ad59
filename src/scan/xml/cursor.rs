//! Reads the tokens of a document type declaration.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::fault::{Fault, shown};
use super::tag::{self, is_space};
use crate::reference::{is_name, may_be_name};

/// A place in a document type declaration.
pub(super) struct Cursor<'s> {
    pub(super) bytes: &'s [u8],
    /// Where the declaration begins.
    start: usize,
    pub(super) at: usize,
}

impl<'s> Cursor<'s> {
    /// The place so many bytes after the start of a declaration.
    pub(super) fn new(bytes: &'s [u8], start: usize, length: usize) -> Self {
        Self { bytes, start, at: start + length }
    }

    /// The [qualified name](https://www.w3.org/TR/xml-names/#NT-QName) of an element or attribute.
    pub(super) fn name(&mut self) -> Result<&'s [u8], Fault> {
        self.token_that(|name| tag::qualified_name(name, 0..name.len()).is_some())
    }

    /// A name [without a colon](https://www.w3.org/TR/xml-names/#Conformance), which those of
    /// entities and notations are.
    pub(super) fn plain_name(&mut self) -> Result<&'s [u8], Fault> {
        self.token_that(|name| is_name(name) && !name.contains(&b':'))
    }

    /// A [name token](https://www.w3.org/TR/xml/#NT-Nmtoken).
    pub(super) fn name_token(&mut self) -> Result<&'s [u8], Fault> {
        // A character that may be in a name, and not at its start, may be anywhere here.
        let may_be = |name: &[u8]| may_be_name(&[b"_", name].concat());
        self.token_that(|name| !name.is_empty() && (name.is_ascii() || may_be(name)))
    }

    fn token_that(&mut self, is_right: impl Fn(&[u8]) -> bool) -> Result<&'s [u8], Fault> {
        let start = self.at;
        let token = self.token();
        if is_right(token) {
            return Ok(token);
        }
        self.at = start;
        Err(self.unexpected())
    }

    /// The bytes that may be in a name.
    pub(super) fn token(&mut self) -> &'s [u8] {
        let may_be = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'-' | b'.' | 0x80..)
        };
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| may_be(byte)).count();
        self.at += length;
        &rest[..length]
    }

    /// A text in quotes; without them.
    pub(super) fn literal(&mut self) -> Result<Range<usize>, Fault> {
        let [quote @ (b'"' | b'\''), rest @ ..] = self.rest() else {
            return Err(self.unexpected());
        };
        let length = memchr(*quote, rest).ok_or_else(|| self.unclosed())?;
        let start = self.at + 1;
        self.at = start + length + 1;
        Ok(start..start + length)
    }

    /// A list in parentheses, of items between `|`.
    pub(super) fn alternatives(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<&'s [u8], Fault>,
    ) -> Result<(), Fault> {
        self.needs(b"(")?;
        loop {
            self.skip_space();
            item(self)?;
            self.skip_space();
            if !self.skip_if(b"|") {
                return self.needs(b")");
            }
        }
    }

    pub(super) fn rest(&self) -> &'s [u8] {
        &self.bytes[self.at..]
    }

    pub(super) fn skip_if(&mut self, text: &[u8]) -> bool {
        let is_there = self.rest().starts_with(text);
        self.at += if is_there { text.len() } else { 0 };
        is_there
    }

    /// Skips a keyword if it is there, and not another word that begins with it.
    pub(super) fn skip_keyword(&mut self, keyword: &[u8]) -> bool {
        let start = self.at;
        let is_there = self.token() == keyword;
        if !is_there {
            self.at = start;
        }
        is_there
    }

    pub(super) fn skip_past(&mut self, open: &[u8], close: &[u8]) -> Result<(), Fault> {
        let from = self.at + open.len();
        let length = memmem::find(&self.bytes[from..], close).ok_or_else(|| self.unclosed())?;
        self.at = from + length + close.len();
        Ok(())
    }

    /// Skips white space; returns whether there was any.
    pub(super) fn skip_space(&mut self) -> bool {
        let length = self.rest().iter().take_while(|byte| is_space(**byte)).count();
        self.at += length;
        length > 0
    }

    pub(super) fn needs_space(&mut self) -> Result<(), Fault> {
        if self.skip_space() { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn needs(&mut self, text: &[u8]) -> Result<(), Fault> {
        if self.skip_if(text) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn unclosed(&self) -> Fault {
        Fault::new(self.start, "the document type declaration is not closed")
    }

    /// What is here is not of a document type declaration.
    pub(super) fn unexpected(&self) -> Fault {
        let rest = self.rest();
        let Some(first) = rest.first() else { return self.unclosed() };
        let ends = |byte: &u8| is_space(*byte) || *byte == b'>';
        let length = rest.iter().position(ends).unwrap_or(rest.len()).clamp(1, 20);
        let text = if is_space(*first) { b" " } else { &rest[..length] };
        Fault::new(self.at, format!("{} in the document type declaration", shown(text)))
    }
}
