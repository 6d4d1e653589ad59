//! The declaration and the processing instructions of an XML document.

use std::ops::Range;

use super::candidates::{XmlCandidate, XmlContent, XmlPlace, narrow};
use super::declarations::Standalone;
use super::fault::{Fault, shown};
use super::namespaces::Prefix;
use super::scanner::Scanner;
use super::tag::{self, XmlAttribute};
use super::target;
use crate::attributes::Namespace;

impl Scanner<'_, '_> {
    /// The processing instruction from `<` to `>`.
    pub(super) fn instruction(&mut self, span: Range<usize>) -> Result<(), Fault> {
        let inner = span.start + 2..span.end - 2;
        let text = &self.bytes[inner.clone()];
        let length = target::read(text, inner.start)?;
        if &text[..length] != b"xml-stylesheet" || self.root.is_some() {
            return Ok(());
        }
        let element = narrow(&inner).start;
        for attribute in tag::attributes(self.bytes, inner.start + length..inner.end) {
            if &self.bytes[attribute.name.clone()] != b"href"
                || !self.selection.may_count("xml-stylesheet", Namespace::Instruction, "href")
            {
                continue;
            }
            let known = tag::content(self.bytes, attribute.value.clone(), &mut tag::predefined);
            let (name, value) = (narrow(&attribute.name), narrow(&attribute.value));
            self.found.push(XmlCandidate {
                element,
                namespace: Namespace::Instruction,
                scope: 0,
                place: XmlPlace::Attribute { name, prefix: Prefix::AsWritten, value },
                content: known.unwrap_or(XmlContent::Entity),
            });
        }
        Ok(())
    }

    /// The [XML declaration](https://www.w3.org/TR/xml/#NT-XMLDecl) from `<` to `>`.
    pub(super) fn declaration(&mut self, span: Range<usize>) -> Result<(), Fault> {
        let mut list = Vec::new();
        let inner = span.start + b"<?xml".len()..span.end - b"?>".len();
        tag::read(self.bytes, inner, &mut list, &mut tag::predefined)?;
        let is = |index: usize, name: &[u8]| {
            list.get(index).is_some_and(|one: &XmlAttribute| &self.bytes[one.name.clone()] == name)
        };
        let has_encoding = is(1, b"encoding");
        let known = usize::from(has_encoding) + 1;
        let has_standalone = is(known, b"standalone");
        let value = |index: usize| &self.bytes[list[index].value.clone()];
        let is_version = is(0, b"version")
            && value(0)
                .strip_prefix(b"1.")
                .is_some_and(|minor| !minor.is_empty() && minor.iter().all(u8::is_ascii_digit));
        let standalone = has_standalone.then(|| value(known));
        let wrong = |index: usize, expected: &str| {
            let why =
                format!("{} in the XML declaration, expected {expected}", shown(value(index)));
            Err(Fault::new(list[index].value.start, why))
        };
        match () {
            () if !is(0, b"version") || known + usize::from(has_standalone) != list.len() => {
                let why = "expected an XML declaration such as <?xml version=\"1.0\"?>";
                return Err(Fault::new(span.start, why));
            }
            () if !is_version => return wrong(0, "the version 1.0"),
            () if has_encoding && !is_encoding_name(value(1)) => {
                return wrong(1, "the name of an encoding");
            }
            () if standalone.is_some_and(|value| !matches!(value, b"yes" | b"no")) => {
                return wrong(known, "yes or no");
            }
            () => {}
        }
        if standalone == Some(b"yes") {
            self.standalone = Standalone::Yes;
        }
        Ok(())
    }
}

/// Whether a value may be the [name of an encoding](https://www.w3.org/TR/xml/#NT-EncName).
fn is_encoding_name(name: &[u8]) -> bool {
    let may_be = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(may_be)
}
