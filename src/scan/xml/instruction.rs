//! The declaration and the processing instructions of an XML document.

use std::ops::Range;

use super::candidates::{Prefix, XmlCandidate, XmlContent, XmlPlace, narrow};
use super::doctype::Entities;
use super::fault::{Fault, shown};
use super::scanner::Scanner;
use super::tag::{self, XmlAttribute, is_space};
use crate::attributes::Namespace;
use crate::reference::is_name;

/// A pseudo-attribute of the declaration: its name, which values it may have, and how a message
/// names these.
type Part = (&'static [u8], fn(&[u8]) -> bool, &'static str);

/// The [parts](https://www.w3.org/TR/xml/#NT-XMLDecl) of the declaration, of which the first is
/// required.
const PARTS: [Part; 3] = [
    (b"version", is_version, "the version 1.0"),
    (b"encoding", is_encoding_name, "the name of an encoding"),
    (b"standalone", |value| matches!(value, b"yes" | b"no"), "yes or no"),
];

impl Scanner<'_, '_> {
    /// The processing instruction from `<` to `>`.
    pub(super) fn instruction(&mut self, span: Range<usize>) -> Result<(), Fault> {
        let inner = span.start + 2..span.end - 2;
        let text = &self.bytes[inner.clone()];
        let target = text.split(|byte| is_space(*byte)).next().unwrap_or_default();
        if !is_name(target) || target.contains(&b':') || target.eq_ignore_ascii_case(b"xml") {
            let why = format!("{} is not the target of an instruction", shown(target));
            return Err(Fault::new(inner.start, why));
        }
        if target != b"xml-stylesheet"
            || self.root.is_some()
            || !self.settings.selection.may_count("xml-stylesheet", Namespace::Instruction, "href")
        {
            return Ok(());
        }
        let is_href = |one: &XmlAttribute| &self.bytes[one.name.clone()] == b"href";
        let rest = inner.start + target.len()..inner.end;
        for XmlAttribute { name, value, .. } in tag::attributes(self.bytes, rest).filter(is_href) {
            // No declared entity counts here.
            let content = tag::content(self.bytes, value.clone(), &Entities::default());
            let (name, value) = (narrow(&name), narrow(&value));
            self.found.push(XmlCandidate {
                element: narrow(&inner).start,
                namespace: Namespace::Instruction,
                scope: 0,
                place: XmlPlace::Attribute { name, prefix: Prefix::AsWritten, value },
                content: content.unwrap_or(XmlContent::Entity),
            });
        }
        Ok(())
    }

    /// The [XML declaration](https://www.w3.org/TR/xml/#NT-XMLDecl) from `<` to `>`.
    pub(super) fn declaration(&self, span: Range<usize>) -> Result<(), Fault> {
        let mut list = Vec::new();
        let inner = span.start + b"<?xml".len()..span.end - b"?>".len();
        tag::read(self.bytes, inner, &mut list, &Entities::default())?;
        let mut rest = list.iter().peekable();
        let mut is_right = true;
        for (index, (name, may_be, expected)) in PARTS.into_iter().enumerate() {
            let Some(found) = rest.next_if(|one| &self.bytes[one.name.clone()] == name) else {
                is_right &= index > 0;
                continue;
            };
            let value = &self.bytes[found.value.clone()];
            if !may_be(value) {
                let value = shown(value);
                let why = format!("{value} in the XML declaration, expected {expected}");
                return Err(Fault::new(found.value.start, why));
            }
        }
        if !is_right || rest.next().is_some() {
            let why = "expected an XML declaration such as <?xml version=\"1.0\"?>";
            return Err(Fault::new(span.start, why));
        }
        Ok(())
    }
}

fn is_version(value: &[u8]) -> bool {
    let minor = value.strip_prefix(b"1.");
    minor.is_some_and(|minor| !minor.is_empty() && minor.iter().all(u8::is_ascii_digit))
}

/// Whether a value may be the [name of an encoding](https://www.w3.org/TR/xml/#NT-EncName).
fn is_encoding_name(name: &[u8]) -> bool {
    let may_be = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(may_be)
}
