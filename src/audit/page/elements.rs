//! Findings about images without `alt` and links without text, for which a page is scanned once
//! more.

use std::ops::{ControlFlow, Range};

use crate::audit::finding::Finding;
use crate::audit::page::auditor::PageAuditor;
use crate::audit::rules::Rule;
use crate::encoding::{Decoding, Detected};
use crate::link::MARKERS;
use crate::reference::{Context, decode};
use crate::scan::{Attribute, Namespace, Placement, Sink, StartTag, TreeAction, exact, extents_of};

const RULES: [Rule; 2] = [Rule::MissingAlt, Rule::EmptyLink];

impl PageAuditor<'_> {
    /// Reports images without `alt` and links without text of a page of HTML, if these rules are
    /// on.
    pub(super) fn elements(&mut self, document: &[u8], detected: Detected) {
        if RULES.iter().all(|rule| self.sink.level(*rule).is_none()) {
            return;
        }
        let Some(source) = document.get(detected.bom..) else { return };
        let decoded = (!detected.is_scannable()).then(|| Decoding::new(detected.encoding, source));
        let text = decoded.as_ref().map_or(source, |decoded| decoded.text().as_bytes());
        let encoding = if decoded.is_some() { encoding_rs::UTF_8 } else { detected.encoding };
        let mut finder = Finder::new(text, Detected { encoding, bom: 0 });
        // The finder never asks to stop.
        let _ = exact::scan(text, &mut finder);
        finder.finish();
        let found = std::mem::take(&mut finder.found);
        let ignored = if found.is_empty() { Vec::new() } else { extents_of(text, &MARKERS) };
        for Element { rule, name, attribute } in found {
            let span = attribute.as_ref().map_or(name.start..name.start, |one| one.value.clone());
            let reference = attribute.as_ref().map(|one| finder.value(one));
            let is_ignored = is_in(&ignored, name.start)
                || reference.as_ref().is_some_and(|one| self.context.audit.ignores(one, || None));
            if is_ignored {
                continue;
            }
            let Some(level) = self.sink.level_with_room(rule) else { continue };
            let span = decoded.as_ref().map_or(span.clone(), |text| text.source_range(span));
            let standard = self.sink.lookup.standard;
            let finding = Finding {
                span: Some(detected.bom + span.start..detected.bom + span.end),
                element: Some(finder.lower(name)),
                attribute: attribute.map(|one| finder.lower(one.name)),
                reference: reference.map(|one| standard.masked(None, &one).into_owned()),
                ..self.sink.whole(rule, level, rule.summary())
            };
            self.sink.add(finding);
        }
    }
}

/// Whether an offset is in one of these ranges, which are in order.
fn is_in(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.contains(&at))
}

/// An element that one of the rules finds.
struct Element {
    rule: Rule,
    name: Range<usize>,
    /// The attribute that holds its reference.
    attribute: Option<Attribute>,
}

/// Finds the elements in the tags of a page, and in the text between them.
struct Finder<'s> {
    source: &'s [u8],
    detected: Detected,
    found: Vec<Element>,
    /// The link that is open, unless it has text.
    open: Option<Element>,
    /// The end of the last tag or comment.
    end: usize,
    /// Whether text up to the next tag is that of a script or a style sheet.
    is_raw: bool,
}

impl<'s> Finder<'s> {
    fn new(source: &'s [u8], detected: Detected) -> Self {
        Self { source, detected, found: Vec::new(), open: None, end: 0, is_raw: false }
    }

    fn lower(&self, name: Range<usize>) -> String {
        String::from_utf8_lossy(&self.source[name]).to_ascii_lowercase()
    }

    fn value(&self, attribute: &Attribute) -> String {
        let value = self.detected.decode(&self.source[attribute.value.clone()]);
        decode(&value, Context::Attribute).into_owned()
    }

    fn find(&self, tag: &StartTag<'_>, name: &str) -> Option<Attribute> {
        let is_it =
            |one: &&Attribute| self.source[one.name.clone()].eq_ignore_ascii_case(name.as_bytes());
        tag.attributes.iter().find(is_it).cloned()
    }

    /// Whether an attribute has one of these values, in any case.
    fn is(&self, tag: &StartTag<'_>, name: &str, values: &[&str]) -> bool {
        let value = self.find(tag, name).map(|one| self.value(&one));
        value.is_some_and(|is| values.iter().any(|one| is.trim().eq_ignore_ascii_case(one)))
    }

    /// Whether one of these attributes has text.
    fn has_text_in(&self, tag: &StartTag<'_>, names: &[&str]) -> bool {
        let values = names.iter().filter_map(|name| self.find(tag, name));
        values.into_iter().any(|one| !self.value(&one).trim().is_empty())
    }

    /// Takes in the text before a tag or a comment.
    fn text_until(&mut self, start: usize) {
        let text = self.source.get(self.end..start).unwrap_or_default();
        if self.open.is_none() || self.is_raw || text.trim_ascii().is_empty() {
            return;
        }
        let text = self.detected.decode(text);
        if !decode(&text, Context::Text).trim().is_empty() {
            self.open = None;
        }
    }

    /// Takes in the text after the last tag.
    fn finish(&mut self) {
        self.text_until(self.source.len());
        self.close_link();
    }

    fn close_link(&mut self) {
        self.found.extend(self.open.take());
    }

    /// Whether a tag is that of an image without the `alt` that it has to have.
    fn lacks_alt(&self, tag: &StartTag<'_>, name: &str) -> bool {
        let is_image = match name {
            "img" | "image" => true,
            "input" => self.is(tag, "type", &["image"]),
            "area" => self.find(tag, "href").is_some(),
            _ => false,
        };
        is_image
            && self.find(tag, "alt").is_none()
            && !self.is(tag, "aria-hidden", &["true"])
            && !self.is(tag, "role", &["presentation", "none"])
    }
}

/// What names a link, on itself or on an element in it.
const NAMING: [&str; 3] = ["aria-label", "aria-labelledby", "title"];

impl Sink for Finder<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        self.text_until(tag.span.start);
        self.end = tag.span.end;
        let is_there = tag.action == TreeAction::Inserted && tag.place != Placement::Template;
        let name = self.lower(tag.name.clone());
        let is_html = tag.namespace == Namespace::Html;
        self.is_raw = is_html && matches!(&*name, "script" | "style");
        if !is_there {
            return ControlFlow::Continue(());
        }
        let element = |rule, attribute| Element { rule, name: tag.name.clone(), attribute };
        if is_html && name == "a" {
            self.close_link();
            let href = self.find(tag, "href");
            let is_hidden = self.is(tag, "aria-hidden", &["true"]);
            self.open =
                href.filter(|_| !is_hidden).map(|href| element(Rule::EmptyLink, Some(href)));
        } else if is_html && self.lacks_alt(tag, &name) {
            let attribute = self.find(tag, if name == "area" { "href" } else { "src" });
            self.found.push(element(Rule::MissingAlt, attribute));
        }
        let is_image = is_html && matches!(&*name, "img" | "image" | "input" | "area");
        if self.open.is_some()
            && (self.has_text_in(tag, &NAMING) || is_image && self.has_text_in(tag, &["alt"]))
        {
            self.open = None;
        }
        ControlFlow::Continue(())
    }

    fn other_tag(&mut self, span: Range<usize>) {
        self.text_until(span.start);
        (self.end, self.is_raw) = (span.end, false);
        let tag = &self.source[span];
        let is_link = tag.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"</a"))
            && tag.get(3).is_some_and(|byte| b"\t\n\x0c\r />".contains(byte));
        if is_link {
            self.close_link();
        }
    }

    fn comment(&mut self, span: Range<usize>) {
        self.text_until(span.start.saturating_sub("<!--".len()));
        let rest = self.source.get(span.end..).unwrap_or_default();
        self.end = memchr::memchr(b'>', rest).map_or(self.source.len(), |end| span.end + end + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn finds(page: &str, expected: &[(Rule, &str)]) {
        let detected = Detected { encoding: encoding_rs::UTF_8, bom: 0 };
        let mut finder = Finder::new(page.as_bytes(), detected);
        let _ = exact::scan(page.as_bytes(), &mut finder);
        finder.finish();
        let shown = |one: &Element| {
            let value = one.attribute.as_ref().map(|attribute| finder.value(attribute));
            (one.rule, value.unwrap_or_default())
        };
        let found: Vec<_> = finder.found.iter().map(shown).collect();
        let expected: Vec<_> =
            expected.iter().map(|(rule, to)| (*rule, (*to).to_owned())).collect();
        assert_eq!(found, expected, "{page}");
    }

    #[test]
    fn an_image_needs_an_alt() {
        let missing = |page: &str, to: &str| finds(page, &[(Rule::MissingAlt, to)]);
        missing("<img src=a>", "a");
        missing("<IMG>", "");
        missing("<image src=a>", "a");
        missing("<input type=Image src=a>", "a");
        missing("<map><area href=a></map>", "a");
        missing("<img src='a&amp;b' aria-hidden=false>", "a&b");
        for page in [
            "<img src=a alt>",
            "<img src=a alt=''>",
            "<img src=a aria-hidden=true>",
            "<img src=a role=Presentation>",
            "<input src=a>",
            "<area>",
            "<svg><image href=a /></svg>",
            "<template><img src=a></template>",
            "<!-- <img src=a> --><script>'<img src=a>'</script>",
        ] {
            finds(page, &[]);
        }
    }

    #[test]
    fn a_link_needs_text() {
        for page in [
            "<a href=a></a>",
            "<a href=a> \n&nbsp;</a>b",
            "<a href=a><!-- b --><i class=c></i></a>",
            "<a href=a><img src=b alt=''></a>",
            "<a href=a title=' '><script>b</script></a>",
            "<a href=a><svg><path d=''/></svg></a>",
            "<a href=a>",
        ] {
            finds(page, &[(Rule::EmptyLink, "a")]);
        }
        finds("<a href=a><a href=b>c</a>", &[(Rule::EmptyLink, "a")]);
        for page in [
            "<a href=a>b</a>",
            "<a href=a><b>&#x62;</b></a>",
            "<a href=a><div></div>b",
            "<a name=a></a>",
            "<a href=a><img src=b alt=c></a>",
            "<a href=a aria-label=b></a>",
            "<a href=a aria-labelledby=b></a>",
            "<a href=a><i title=b></i></a>",
            "<a href=a><svg><title>b</title></svg></a>",
            "<a href=a aria-hidden=true></a>",
            "<abbr href=a></abbr>",
            "<a href=a><!-->b</a>",
        ] {
            finds(page, &[]);
        }
    }
}
