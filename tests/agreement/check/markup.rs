//! The markup of a document as the exact scanner reports it.

use std::ops::{ControlFlow, Range};

use absolve::scan::exact::scan;
use absolve::scan::{Attribute, Namespace, Sink, StartTag, TextKind};

/// A start tag.
pub(crate) struct Tag {
    pub(crate) span: Range<usize>,
    /// In lower case.
    pub(crate) name: String,
    pub(crate) namespace: Namespace,
    pub(crate) attributes: Vec<Attribute>,
    /// The text inside it, if it is a `style` element, or a `script` of SVG.
    pub(crate) text: Vec<Range<usize>>,
}

/// The start tags of a document, in its order.
#[derive(Default)]
pub(crate) struct Markup<'s> {
    source: &'s [u8],
    pub(crate) tags: Vec<Tag>,
    /// The elements with text that are open: their tags.
    styles: Vec<usize>,
}

/// Place of a link.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Spot {
    /// A tag and one of its attributes, by number.
    Attribute(usize, usize),
    /// The text of a tag's element.
    Text(usize),
}

impl<'s> Markup<'s> {
    pub(crate) fn read(source: &'s [u8]) -> Self {
        let mut markup = Self { source, ..Self::default() };
        let _ = scan(source, &mut markup);
        markup
    }

    /// The attribute, or the text, that a span lies in.
    pub(crate) fn spot(&self, span: &Range<usize>) -> Option<Spot> {
        let inside = |outer: &Range<usize>| outer.start <= span.start && span.end <= outer.end;
        let last = self.tags.partition_point(|tag| tag.span.start <= span.start).checked_sub(1)?;
        let tag = &self.tags[last];
        if let Some(index) = tag.attributes.iter().position(|one| inside(&one.value)) {
            return Some(Spot::Attribute(last, index));
        }
        // The text may be after the tags of other elements inside this one.
        let holds = |tag: &Tag| {
            tag.text.iter().any(|text| text.start <= span.start && span.start <= text.end)
        };
        (0..=last).rev().find(|&index| holds(&self.tags[index])).map(Spot::Text)
    }

    /// The name of an attribute, in lower case.
    pub(crate) fn name(&self, tag: usize, attribute: usize) -> String {
        let name = self.tags[tag].attributes[attribute].name.clone();
        lower_case(&self.source[name])
    }
}

/// Lowers the case of a name like a parser.
fn lower_case(name: &[u8]) -> String {
    String::from_utf8_lossy(name).to_ascii_lowercase().replace('\0', "\u{fffd}")
}

impl Sink for Markup<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        let name = lower_case(&self.source[tag.name.clone()]);
        let has_text = match tag.namespace {
            Namespace::Html => name == "style",
            Namespace::Svg => name == "style" || name == "script",
            _ => false,
        };
        if has_text && tag.action == absolve::scan::TreeAction::Inserted {
            self.styles.push(self.tags.len());
        }
        self.tags.push(Tag {
            span: tag.span.clone(),
            name,
            namespace: tag.namespace,
            attributes: tag.attributes.to_vec(),
            text: Vec::new(),
        });
        ControlFlow::Continue(())
    }

    fn style_text(&mut self, span: Range<usize>, _: TextKind) {
        if let Some(&style) = self.styles.last() {
            self.tags[style].text.push(span);
        }
    }

    fn style_end(&mut self) {
        self.styles.pop();
    }
}
