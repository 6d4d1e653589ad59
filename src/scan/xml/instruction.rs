//! The declaration and the processing instructions of an XML document.

use std::ops::Range;

use super::candidates::{XmlCandidate, XmlContent, XmlPlace, narrow};
use super::fault::{Fault, shown};
use super::namespaces::Prefix;
use super::scanner::Scanner;
use super::tag::{self, Entities, XmlAttribute, is_space};
use crate::attributes::Namespace;
use crate::reference::is_name;

impl Scanner<'_, '_> {
    /// The processing instruction from `<` to `>`.
    pub(super) fn instruction(&mut self, span: Range<usize>) -> Result<(), Fault> {
        let inner = span.start + 2..span.end - 2;
        let text = &self.bytes[inner.clone()];
        let length = text.iter().take_while(|byte| !is_space(**byte)).count();
        let target = &text[..length];
        if !is_name(target) || target.contains(&b':') || target.eq_ignore_ascii_case(b"xml") {
            let why = format!("{} is not the target of an instruction", shown(target));
            return Err(Fault::new(inner.start, why));
        }
        if target != b"xml-stylesheet" || self.root.is_some() {
            return Ok(());
        }
        let element = narrow(&inner).start;
        for attribute in tag::attributes(self.bytes, inner.start + length..inner.end) {
            if &self.bytes[attribute.name.clone()] != b"href"
                || !self.selection.may_count("xml-stylesheet", Namespace::Instruction, "href")
            {
                continue;
            }
            let known = tag::content(self.bytes, attribute.value.clone(), Entities::Predefined);
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
    pub(super) fn declaration(&self, span: Range<usize>) -> Result<(), Fault> {
        let mut list = Vec::new();
        let inner = span.start + b"<?xml".len()..span.end - b"?>".len();
        tag::read(self.bytes, inner, &mut list, Entities::Predefined)?;
        let is = |index: usize, name: &[u8]| {
            list.get(index).is_some_and(|one: &XmlAttribute| &self.bytes[one.name.clone()] == name)
        };
        let known = usize::from(is(1, b"encoding")) + 1;
        let has_standalone = is(known, b"standalone");
        let value = |index: usize| &self.bytes[list[index].value.clone()];
        let is_version = is(0, b"version")
            && value(0)
                .strip_prefix(b"1.")
                .is_some_and(|minor| !minor.is_empty() && minor.iter().all(u8::is_ascii_digit));
        let is_standalone = !has_standalone || matches!(value(known), b"yes" | b"no");
        if is_version && is_standalone && known + usize::from(has_standalone) == list.len() {
            return Ok(());
        }
        Err(Fault::new(span.start, "expected an XML declaration such as <?xml version=\"1.0\"?>"))
    }
}
