//! The processing instructions of an XML document.

use std::ops::Range;

use super::candidates::{Prefix, XmlCandidate, XmlContent, XmlPlace, narrow};
use super::doctype::Entities;
use super::fault::{Fault, shown};
use super::scanner::Scanner;
use super::tag::{self, XmlAttribute, is_space};
use crate::attributes::Namespace;
use crate::reference::is_name;

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
}
