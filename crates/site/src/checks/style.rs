//! Rules about images without `alt` and links without text, for which a page is scanned once more.
//! The scan also finds images without their map, and pages with `noindex`.

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

use absolve::encoding::{Decoding, Detected};
use absolve::reference::{Context, decode};
use absolve::scan::{
    Attribute, Namespace, Placement, Sink, StartTag, TreeAction, exact, extents_of,
};
use absolve::{MARKERS, Syntax};

use crate::{DocumentCheck, Finding, PageAuditor, ReadDocument, Rule, rows};

rows! {
    MissingAlt: Off, Reference;
        summary: "an image without an alt attribute",
        reason: "Who cannot see the image hears its URL, or nothing (WCAG 1.1.1). An image that is only \
                 decoration has alt=\"\", aria-hidden=true or role=presentation.",
        example: "<img src=\"map.png\">, <area href=\"north.html\">, <input type=image src=\"go.png\">",
        fix: "Describe the image in alt, or write alt=\"\" if it is only decoration.";

    EmptyLink: Off, Reference;
        summary: "a link without text",
        reason: "Readers see nothing to follow, and screen readers read the URL (WCAG 2.4.4). Text, the alt \
                 of an image, aria-label, aria-labelledby and title count.",
        example: "<a href=\"https://example.org/\"><i class=\"icon\"></i></a>",
        fix: "Write the text of the link, or an aria-label on it.";
}

pub(super) const DOCUMENTS: &[DocumentCheck] = &[check_elements];

const RULES: [Rule; 2] = [Rule::MissingAlt, Rule::EmptyLink];

/// Reports images without `alt` or without their map and links without text, and records whether
/// the page has `noindex`. Only pages of HTML are scanned, and only for rules that are on.
fn check_elements(auditor: &mut PageAuditor<'_>, read: &mut ReadDocument<'_>) {
    let ReadDocument { source: document, syntax, detected, .. } = *read;
    if syntax != Syntax::Html || auditor.facts.is_unreadable {
        return;
    }
    let is_on = |rule| auditor.sink.level(rule).is_some();
    // An image names its map by a fragment (`usemap`), so a missing map is a missing anchor.
    let may_lack_map = is_on(Rule::MissingAnchor) && auditor.facts.names_map;
    let may_be_hidden = auditor.context.audit.has_sitemap() && names_robots(document);
    if !RULES.into_iter().any(is_on) && !may_lack_map && !may_be_hidden {
        return;
    }
    let Some(source) = document.get(detected.bom..) else { return };
    let decoded = (!detected.is_scannable()).then(|| Decoding::new(detected.encoding, source));
    let text = decoded.as_ref().map_or(source, |decoded| decoded.text().as_bytes());
    let encoding = if decoded.is_some() { encoding_rs::UTF_8 } else { detected.encoding };
    let mut finder = ElementFinder::new(text, Detected { encoding, bom: 0 });
    // The finder never asks to stop.
    let _ = exact::scan(text, &mut finder);
    finder.finish();
    auditor.facts.is_noindex = finder.is_noindex;
    let mut elements = std::mem::take(&mut finder.elements);
    let maps = std::mem::take(&mut finder.maps);
    elements.retain(|image| image.rule != Rule::MissingAnchor || !finder.has_map(image, &maps));
    let ignored = if elements.is_empty() { Vec::new() } else { extents_of(text, &MARKERS) };
    for Element { rule, name, attribute } in elements {
        let span =
            attribute.as_ref().map_or(name.start..name.start, |written| written.value.clone());
        let reference = attribute.as_ref().map(|written| finder.decode_value(written));
        let is_ignored = contains_offset(&ignored, name.start)
            || reference.as_ref().is_some_and(|text| auditor.context.audit.ignores(text, || None));
        if is_ignored {
            continue;
        }
        let Some(level) = auditor.sink.level_with_room(rule) else { continue };
        let span = decoded.as_ref().map_or(span.clone(), |text| text.source_range(span));
        let message = match (rule, &reference) {
            (Rule::MissingAnchor, Some(name)) => format!("page has no map '{name}'"),
            _ => rule.summary().to_owned(),
        };
        let standard = auditor.sink.lookup.standard;
        let finding = Finding {
            span: Some(detected.bom + span.start..detected.bom + span.end),
            element: Some(finder.lowercase(name)),
            attribute: attribute.map(|written| finder.lowercase(written.name)),
            reference: reference.map(|text| standard.masked(None, &text).into_owned()),
            ..auditor.sink.document_finding(rule, level, message)
        };
        auditor.sink.add(finding);
    }
}

/// Whether a page may have a `meta` element for search engines. The search looks for `b`, which is
/// rarer than `r`.
fn names_robots(document: &[u8]) -> bool {
    memchr::memchr2_iter(b'b', b'B', document)
        .filter_map(|at| document.get(at.checked_sub(2)?..at + 4))
        .any(|name| name.eq_ignore_ascii_case(b"robots"))
}

/// Whether an offset is in a range of a sorted list.
fn contains_offset(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.contains(&at))
}

/// An element that violates a rule, or an image whose map may be missing.
struct Element {
    rule: Rule,
    name: Range<usize>,
    /// The attribute with its reference.
    attribute: Option<Attribute>,
}

/// Finds the elements in the tags of a page, and in the text between them.
struct ElementFinder<'s> {
    source: &'s [u8],
    detected: Detected,
    elements: Vec<Element>,
    /// The names and ids of the maps of the page.
    maps: HashSet<String>,
    /// Whether the page asks search engines not to list it.
    is_noindex: bool,
    /// The open link, if no text has been found in it.
    open_link: Option<Element>,
    /// The end of the last tag or comment, at which text begins.
    text_start: usize,
    /// Whether the text up to the next tag is a script or a style sheet.
    is_raw: bool,
}

impl<'s> ElementFinder<'s> {
    fn new(source: &'s [u8], detected: Detected) -> Self {
        Self {
            source,
            detected,
            elements: Vec::new(),
            maps: HashSet::new(),
            is_noindex: false,
            open_link: None,
            text_start: 0,
            is_raw: false,
        }
    }

    fn lowercase(&self, name: Range<usize>) -> String {
        String::from_utf8_lossy(&self.source[name]).to_ascii_lowercase()
    }

    fn decode_value(&self, attribute: &Attribute) -> String {
        let value = self.detected.decode(&self.source[attribute.value.clone()]);
        decode(&value, Context::Attribute).into_owned()
    }

    fn find_attribute(&self, tag: &StartTag<'_>, name: &str) -> Option<Attribute> {
        let name = name.as_bytes();
        let has_name =
            |other: &&Attribute| self.source[other.name.clone()].eq_ignore_ascii_case(name);
        tag.attributes.iter().find(has_name).cloned()
    }

    /// Whether an attribute has one of these values, in any case.
    fn has_value(&self, tag: &StartTag<'_>, name: &str, values: &[&str]) -> bool {
        let value = self.find_attribute(tag, name).map(|attribute| self.decode_value(&attribute));
        value.is_some_and(|value| values.iter().any(|any| value.trim().eq_ignore_ascii_case(any)))
    }

    /// Whether one of these attributes has text.
    fn has_text_in(&self, tag: &StartTag<'_>, names: &[&str]) -> bool {
        let mut attributes = names.iter().filter_map(|name| self.find_attribute(tag, name));
        attributes.any(|attribute| !self.decode_value(&attribute).trim().is_empty())
    }

    /// Whether the page has the map that an image names
    /// ([hash-name references](https://html.spec.whatwg.org/#rules-for-parsing-a-hash-name-reference)).
    fn has_map(&self, image: &Element, maps: &HashSet<String>) -> bool {
        let usemap =
            image.attribute.as_ref().map(|usemap| self.decode_value(usemap)).unwrap_or_default();
        let name = usemap.split_once('#').map(|(_, name)| name);
        name.is_some_and(|name| name.is_empty() || maps.contains(name))
    }

    /// Reads an image that names a map, a map, or a `meta` element for search engines.
    fn read_map_or_meta(&mut self, tag: &StartTag<'_>, name: &str) {
        match name {
            "img" | "input" | "object" => {
                let usemap = self.find_attribute(tag, "usemap");
                self.elements.extend(usemap.map(|usemap| Element {
                    rule: Rule::MissingAnchor,
                    name: tag.name.clone(),
                    attribute: Some(usemap),
                }));
            }
            "map" => {
                let names = ["name", "id"].map(|name| self.find_attribute(tag, name));
                let names: Vec<_> =
                    names.iter().flatten().map(|name| self.decode_value(name)).collect();
                self.maps.extend(names);
            }
            "meta" if self.has_value(tag, "name", &["robots"]) => {
                let content =
                    self.find_attribute(tag, "content").map(|content| self.decode_value(&content));
                let mut words = content.iter().flat_map(|content| content.split(','));
                self.is_noindex |= words.any(|word| {
                    ["noindex", "none"].iter().any(|no| word.trim().eq_ignore_ascii_case(no))
                });
            }
            _ => {}
        }
    }

    /// Reads the text before a tag or a comment.
    fn read_text_until(&mut self, start: usize) {
        let text = self.source.get(self.text_start..start).unwrap_or_default();
        if self.open_link.is_none() || self.is_raw || text.trim_ascii().is_empty() {
            return;
        }
        let text = self.detected.decode(text);
        if !decode(&text, Context::Text).trim().is_empty() {
            self.open_link = None;
        }
    }

    /// Reads the text after the last tag.
    fn finish(&mut self) {
        self.read_text_until(self.source.len());
        self.close_link();
    }

    fn close_link(&mut self) {
        self.elements.extend(self.open_link.take());
    }

    /// Whether a tag is an image without its required `alt`.
    fn lacks_alt(&self, tag: &StartTag<'_>, name: &str) -> bool {
        let is_image = match name {
            "img" | "image" => true,
            "input" => self.has_value(tag, "type", &["image"]),
            "area" => self.find_attribute(tag, "href").is_some(),
            _ => false,
        };
        is_image
            && self.find_attribute(tag, "alt").is_none()
            && !self.has_value(tag, "aria-hidden", &["true"])
            && !self.has_value(tag, "role", &["presentation", "none"])
    }
}

/// The attributes that give a link a text, on the link or on an element inside.
const LABELS: [&str; 3] = ["aria-label", "aria-labelledby", "title"];

impl Sink for ElementFinder<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        self.read_text_until(tag.span.start);
        self.text_start = tag.span.end;
        let is_rendered = tag.action == TreeAction::Inserted && tag.place != Placement::Template;
        let name = self.lowercase(tag.name.clone());
        let is_html = tag.namespace == Namespace::Html;
        self.is_raw = is_html && matches!(&*name, "script" | "style");
        if !is_rendered {
            return ControlFlow::Continue(());
        }
        if is_html {
            self.read_map_or_meta(tag, &name);
        }
        let element = |rule, attribute| Element { rule, name: tag.name.clone(), attribute };
        if is_html && name == "a" {
            self.close_link();
            let href = self.find_attribute(tag, "href");
            let is_hidden = self.has_value(tag, "aria-hidden", &["true"]);
            self.open_link =
                href.filter(|_| !is_hidden).map(|href| element(Rule::EmptyLink, Some(href)));
        } else if is_html && self.lacks_alt(tag, &name) {
            let attribute = self.find_attribute(tag, if name == "area" { "href" } else { "src" });
            self.elements.push(element(Rule::MissingAlt, attribute));
        }
        let is_image = is_html && matches!(&*name, "img" | "image" | "input" | "area");
        if self.open_link.is_some()
            && (self.has_text_in(tag, &LABELS) || is_image && self.has_text_in(tag, &["alt"]))
        {
            self.open_link = None;
        }
        ControlFlow::Continue(())
    }

    fn other_tag(&mut self, span: Range<usize>) {
        self.read_text_until(span.start);
        (self.text_start, self.is_raw) = (span.end, false);
        let tag = &self.source[span];
        let is_link = tag.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"</a"))
            && tag.get(3).is_some_and(|byte| b"\t\n\x0c\r />".contains(byte));
        if is_link {
            self.close_link();
        }
    }

    fn comment(&mut self, span: Range<usize>) {
        self.read_text_until(span.start.saturating_sub("<!--".len()));
        let rest = self.source.get(span.end..).unwrap_or_default();
        self.text_start =
            memchr::memchr(b'>', rest).map_or(self.source.len(), |end| span.end + end + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_finds(page: &str, expected: &[(Rule, &str)]) {
        let detected = Detected { encoding: encoding_rs::UTF_8, bom: 0 };
        let mut finder = ElementFinder::new(page.as_bytes(), detected);
        let _ = exact::scan(page.as_bytes(), &mut finder);
        finder.finish();
        let show = |element: &Element| {
            let value = element.attribute.as_ref().map(|attribute| finder.decode_value(attribute));
            (element.rule, value.unwrap_or_default())
        };
        let found: Vec<_> = finder.elements.iter().map(show).collect();
        let expected: Vec<_> =
            expected.iter().map(|(rule, to)| (*rule, (*to).to_owned())).collect();
        assert_eq!(found, expected, "{page}");
    }

    #[test]
    fn an_image_needs_an_alt() {
        let assert_missing = |page: &str, to: &str| assert_finds(page, &[(Rule::MissingAlt, to)]);
        assert_missing("<img src=a>", "a");
        assert_missing("<IMG>", "");
        assert_missing("<image src=a>", "a");
        assert_missing("<input type=Image src=a>", "a");
        assert_missing("<map><area href=a></map>", "a");
        assert_missing("<img src='a&amp;b' aria-hidden=false>", "a&b");
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
            assert_finds(page, &[]);
        }
    }

    #[test]
    fn a_page_may_have_noindex() {
        let is_noindex = |page: &str| {
            let mut finder = ElementFinder::new(
                page.as_bytes(),
                Detected { encoding: encoding_rs::UTF_8, bom: 0 },
            );
            let _ = exact::scan(page.as_bytes(), &mut finder);
            finder.is_noindex
        };
        assert!(is_noindex("<meta name=Robots content='follow, NoIndex'>"));
        assert!(is_noindex("<META NAME=robots CONTENT=none>"));
        for (page, may_be) in
            [("<meta name=rObOtS>", true), ("obots", false), ("<b>rob</b>", false)]
        {
            assert_eq!(names_robots(page.as_bytes()), may_be, "{page}");
        }
        assert!(!is_noindex("<meta name=robots content='index, follow'>"));
        assert!(!is_noindex("<meta name=description content=noindex>"));
        assert!(!is_noindex("<!-- <meta name=robots content=noindex> -->"));
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
            assert_finds(page, &[(Rule::EmptyLink, "a")]);
        }
        assert_finds("<a href=a><a href=b>c</a>", &[(Rule::EmptyLink, "a")]);
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
            assert_finds(page, &[]);
        }
    }
}
