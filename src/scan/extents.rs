//! Finds the extents of elements with markers, whose links stay unchanged.

use std::ops::{ControlFlow, Range};

use crate::link::is_marker;

use super::Innermost;
use super::exact;
use super::{Attribute, Namespace, Sink, StartTag, TreeAction};

/// Finds the extents of the outermost elements with one of these markers, in the order of the
/// source. An extent begins with the start tag, and ends before the tag that closes the element.
#[must_use]
pub fn extents_of(source: &[u8], markers: &[&str]) -> Vec<Range<usize>> {
    let mut finder =
        ExtentFinder { source, markers, extents: Vec::new(), open: OpenElement::Nothing };
    let _ = exact::scan(source, &mut finder);
    if let OpenElement::Special { start, .. } | OpenElement::Other { start, .. } = finder.open {
        finder.extents.push(start..source.len());
    }
    finder.extents
}

struct ExtentFinder<'s, 'n> {
    source: &'s [u8],
    markers: &'n [&'n str],
    extents: Vec<Range<usize>>,
    open: OpenElement,
}

/// The open element with a marker.
enum OpenElement {
    Nothing,
    /// The spans of the start tag and its name, until the kind of the element is known.
    Tag(Range<usize>, Range<usize>),
    /// A special or foreign element. `depth` is the number of open elements of these kinds.
    Special {
        start: usize,
        depth: usize,
    },
    /// An element that is not special, inside a special element at `depth`.
    ///
    /// NOTE: the extent ends with the matching end tag, found by counting the open tags of this
    /// name, or with the special element. The finder does not follow moves by the adoption agency.
    Other {
        start: usize,
        depth: usize,
        name: Range<usize>,
        count: usize,
    },
}

impl ExtentFinder<'_, '_> {
    fn is_marked(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| {
            let name = self.source[attribute.name.clone()].to_ascii_lowercase();
            is_marker(self.markers, &name, &self.source[attribute.value.clone()])
        })
    }

    fn have_same_name(&self, name: &Range<usize>, other: &Range<usize>) -> bool {
        self.source[name.clone()].eq_ignore_ascii_case(&self.source[other.clone()])
    }

    fn close(&mut self, start: usize, end: usize) {
        self.extents.push(start..end);
        self.open = OpenElement::Nothing;
    }
}

/// HTML elements whose extent is their start tag: void elements, and elements with raw text.
const CLOSED_AT_ONCE: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img",
    "input", "keygen", "link", "meta", "param", "source", "track", "wbr", "script", "style",
    "title", "textarea", "xmp", "iframe", "noembed", "noframes",
];

impl Sink for ExtentFinder<'_, '_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        // The parser closes an open `a` or `nobr` before another one.
        let closes_same_name = || {
            let name = &self.source[tag.name.clone()];
            [&b"a"[..], b"nobr"].iter().any(|other| other.eq_ignore_ascii_case(name))
        };
        if let &OpenElement::Other { start, ref name, .. } = &self.open
            && self.have_same_name(name, &tag.name)
            && closes_same_name()
        {
            self.close(start, tag.span.start);
        }
        match &self.open {
            OpenElement::Nothing
                if tag.action == TreeAction::Inserted && self.is_marked(tag.attributes) =>
            {
                let name = &self.source[tag.name.clone()];
                let is_closed_at_once = match tag.namespace {
                    Namespace::Html => CLOSED_AT_ONCE
                        .iter()
                        .any(|other| other.as_bytes().eq_ignore_ascii_case(name)),
                    _ => self.source[..tag.span.end].ends_with(b"/>"),
                };
                if is_closed_at_once {
                    self.extents.push(tag.span.clone());
                } else {
                    self.open = OpenElement::Tag(tag.span.clone(), tag.name.clone());
                }
            }
            OpenElement::Other { name, .. } if self.have_same_name(name, &tag.name) => {
                if let OpenElement::Other { count, .. } = &mut self.open {
                    *count += 1;
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn other_tag(&mut self, span: Range<usize>) {
        let start = span.start + 2;
        let OpenElement::Other { name, .. } = &self.open else { return };
        let end = (start + name.len()).min(self.source.len());
        let is_longer = self.source.get(end).is_some_and(u8::is_ascii_alphanumeric);
        if is_longer || !self.have_same_name(name, &(start.min(end)..end)) {
            return;
        }
        if let OpenElement::Other { count, start, .. } = &mut self.open {
            *count -= 1;
            if *count == 0 {
                let start = *start;
                self.close(start, span.start);
            }
        }
    }

    fn stack(&mut self, depth: usize, innermost: Innermost, tag: Range<usize>) {
        match &self.open {
            OpenElement::Nothing => {}
            OpenElement::Tag(span, name) => {
                let (start, name) = (span.start, name.clone());
                self.open = match innermost {
                    Innermost::New => OpenElement::Special { start, depth },
                    Innermost::Other => OpenElement::Other { start, depth, name, count: 1 },
                };
            }
            &(OpenElement::Special { start, depth: open_depth }
            | OpenElement::Other { start, depth: open_depth, .. }) => {
                // A new element at the same depth means that the marked element is closed.
                if depth < open_depth || (depth == open_depth && innermost == Innermost::New) {
                    self.close(start, tag.start);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reaches(source: &str, expected: &[&str]) {
        let extents = extents_of(source.as_bytes(), &["x", "data-proofer-ignore"]);
        let extents: Vec<_> = extents.into_iter().map(|extent| &source[extent]).collect();
        assert_eq!(extents, expected, "{source}");
    }

    #[test]
    fn an_element_reaches_to_where_it_is_closed() {
        reaches("<div x><a href=b></a></div><p>", &["<div x><a href=b></a>"]);
        reaches("<div x><div></div><i></div><p>", &["<div x><div></div><i>"]);
        reaches("<p x>a<div>", &["<p x>a"]);
        reaches("<p x>a<p>b", &["<p x>a"]);
        reaches("<ul><li x>a<li>b</ul>c", &["<li x>a"]);
        reaches("<ul><li x>a</ul>c", &["<li x>a"]);
        reaches("<div><span x>a<span>b</span>c</span>d</div>", &["<span x>a<span>b</span>c"]);
        reaches("<div><span x>a</div><p>", &["<span x>a"]);
        reaches("<a X href=b>a</a><a href=c>", &["<a X href=b>a"]);
        reaches("<a x href=b>a<a href=c>d</a>", &["<a x href=b>a"]);
        reaches("<p><a x>a<a x>b</a>c", &["<a x>a", "<a x>b"]);
        reaches("<div><spans x>a</span>b</spans>", &["<spans x>a</span>b"]);
        reaches("<svg x><path/></svg><p>", &["<svg x><path/>"]);
        reaches("<svg><path x/></svg><p>", &["<path x/>"]);
        reaches("<section x>a", &["<section x>a"]);
        let class = "<i class='a data-proofer-ignore'>b";
        reaches(&format!("{class}</i>c"), &[class]);
        reaches("<i class=data-proofer-ignored>b</i>c", &[]);
    }

    #[test]
    fn an_element_closed_at_once_is_its_tag() {
        reaches("<img x src=a><img src=b>", &["<img x src=a>"]);
        reaches("<img x><br x>", &["<img x>", "<br x>"]);
        reaches("<script x>a</script><p>", &["<script x>"]);
        reaches("<td x>a<p>", &[]);
    }
}
