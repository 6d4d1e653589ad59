//! The table of the attributes and texts that contain URLs in HTML, XML and JSON documents.
//!
//! A row names elements and attributes, the grammar of their references, and a special rule. A row
//! for named elements takes precedence over a row for any element. Names are in lower case, and
//! are compared in lower case. Elements that only XML has are the exception: their names are
//! case-sensitive.

mod rows;
mod selection;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::grammar::Grammar;

#[doc(hidden)]
pub use rows::TABLE;
pub use selection::{Extra, InvalidExtra};
pub(crate) use selection::{PERMALINK, Selection, Spot, is_statement};

/// The namespace of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[doc(hidden)]
pub enum Namespace {
    /// HTML.
    Html,
    /// SVG.
    Svg,
    /// MathML.
    MathMl,
    /// Processing instructions. They are in no namespace, and their targets serve as element names.
    Instruction,
    /// [Atom](https://www.rfc-editor.org/rfc/rfc4287).
    Atom,
    /// [RSS](https://www.rssboard.org/rss-specification): no namespace, inside an `rss` element, or
    /// the namespace of RSS 1.0.
    Rss,
    /// [Media RSS](https://www.rssboard.org/media-rss).
    MediaRss,
    /// The [podcast tags](https://podcasters.apple.com/support/823-podcast-requirements) of iTunes.
    Itunes,
    /// The [podcast namespace](https://podcasting2.org/podcast-namespace) of the Podcast Index.
    Podcast,
    /// The podcast tags of Google Play.
    GooglePlay,
    /// [Podlove Simple Chapters](https://podlove.org/simple-chapters/).
    Chapters,
    /// The [Comment API](https://www.rssboard.org/comment-api).
    CommentApi,
    /// [Atom Threading](https://www.rfc-editor.org/rfc/rfc4685).
    Threading,
    /// [RDF](https://www.w3.org/TR/rdf-syntax-grammar/), the syntax of RSS 1.0.
    Rdf,
    /// The [content module](https://web.resource.org/rss/1.0/modules/content/) of RSS.
    RssContent,
    /// [Sitemaps](https://www.sitemaps.org/protocol.html).
    Sitemap,
    /// The image extension of sitemaps.
    SitemapImage,
    /// The video extension of sitemaps.
    SitemapVideo,
    /// [Package documents](https://www.w3.org/TR/epub-33/#sec-package-doc) of EPUB books.
    Opf,
    /// The [navigation](https://idpf.org/epub/20/spec/OPF_2.0.1_draft.htm#Section2.4.1) of EPUB 2
    /// books.
    Ncx,
    /// [Media overlays](https://www.w3.org/TR/epub-33/#sec-media-overlays) of EPUB 3 books.
    Smil,
    /// [XSLT](https://www.w3.org/TR/xslt-30/).
    Xslt,
    /// [JSON Feed](https://www.jsonfeed.org/version/1.1/), and scripts that are JSON. JSON has no
    /// elements, so this table names its objects.
    Json,
    /// Any other namespace; it has no rows.
    Other,
}

impl Namespace {
    /// Whether HTML documents can have elements of the namespace. The rows for any element apply
    /// only to these namespaces.
    pub(crate) fn is_in_html(self) -> bool {
        matches!(self, Self::Html | Self::Svg | Self::MathMl)
    }

    /// Looks up the URI of a namespace.
    pub(crate) fn from_uri(uri: &[u8]) -> Self {
        let row = URIS.iter().find(|(known, _)| *known == uri);
        row.map_or(Self::Other, |(_, namespace)| *namespace)
    }
}

/// The namespaces of XML documents, by URI. RSS 2.0 has no namespace.
const URIS: &[(&[u8], Namespace)] = &[
    (b"http://www.w3.org/1999/xhtml", Namespace::Html),
    (b"http://www.w3.org/2000/svg", Namespace::Svg),
    (b"http://www.w3.org/1998/Math/MathML", Namespace::MathMl),
    (b"http://www.w3.org/2005/Atom", Namespace::Atom),
    // Version 0.3, in which some elements have other names.
    (b"http://purl.org/atom/ns#", Namespace::Atom),
    (b"http://purl.org/rss/1.0/", Namespace::Rss),
    (b"http://purl.org/rss/1.0/modules/content/", Namespace::RssContent),
    (b"http://search.yahoo.com/mrss/", Namespace::MediaRss),
    (b"http://search.yahoo.com/mrss", Namespace::MediaRss),
    (b"http://www.itunes.com/dtds/podcast-1.0.dtd", Namespace::Itunes),
    (b"https://podcastindex.org/namespace/1.0", Namespace::Podcast),
    // The namespace according to its specification.
    (
        b"https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md",
        Namespace::Podcast,
    ),
    (b"http://www.google.com/schemas/play-podcasts/1.0", Namespace::GooglePlay),
    (b"http://podlove.org/simple-chapters", Namespace::Chapters),
    (b"http://podlove.org/simple-chapters/", Namespace::Chapters),
    (b"http://wellformedweb.org/CommentAPI/", Namespace::CommentApi),
    (b"http://purl.org/syndication/thread/1.0", Namespace::Threading),
    (b"http://www.w3.org/1999/02/22-rdf-syntax-ns#", Namespace::Rdf),
    (b"http://www.sitemaps.org/schemas/sitemap/0.9", Namespace::Sitemap),
    (b"https://www.sitemaps.org/schemas/sitemap/0.9", Namespace::Sitemap),
    (b"http://www.google.com/schemas/sitemap/0.84", Namespace::Sitemap),
    (b"http://www.google.com/schemas/sitemap-image/1.1", Namespace::SitemapImage),
    (b"http://www.google.com/schemas/sitemap-video/1.1", Namespace::SitemapVideo),
    (b"http://www.idpf.org/2007/opf", Namespace::Opf),
    (b"http://www.daisy.org/z3986/2005/ncx/", Namespace::Ncx),
    (b"http://www.w3.org/ns/SMIL", Namespace::Smil),
    (b"http://www.w3.org/1999/XSL/Transform", Namespace::Xslt),
];

/// A row of the table: references in some attributes of some elements.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Row {
    /// The elements.
    pub elements: Elements,
    /// The attributes; [`TEXT`] is the text inside the element.
    pub attributes: &'static [&'static str],
    /// The grammar of the references; `None` for values that are never references.
    pub grammar: Option<Grammar>,
    /// The condition under which the references count as links.
    pub counts: DefaultState,
    /// The special rule for the references.
    pub rule: Rule,
    /// The meaning of an empty value.
    pub empty: EmptyValue,
    /// The form that the references must have.
    pub form: RequiredForm,
    /// The URL of the specification.
    pub spec: &'static str,
}

/// The name that represents the text of an element in place of an attribute.
#[doc(hidden)]
pub const TEXT: &str = "(text)";

/// The elements of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum Elements {
    /// Any element of HTML documents.
    Any,
    /// Any SVG element.
    AnySvg,
    /// Elements with these names in this namespace.
    Named(Namespace, &'static [&'static str]),
}

/// The condition under which the references of a row count as links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum DefaultState {
    /// Always.
    Always,
    /// With the option `--meta`.
    WithMeta,
    /// With the option `--lazy`.
    WithLazy,
    /// If the user adds them with `--attr`.
    WithAttr,
    /// Never: the value looks like a URL, but is not.
    Never,
}

/// The meaning of a value that is empty or only white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[doc(hidden)]
pub enum EmptyValue {
    /// No resource, or the document itself. Browsers fetch nothing, so it stays. The default.
    #[default]
    Stays,
    /// The base URL, as for every empty reference.
    Resolves,
}

/// The form that the specification of a language requires for references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[doc(hidden)]
pub enum RequiredForm {
    /// Relative references are allowed too. The default.
    #[default]
    Any,
    /// Only absolute URLs are allowed, so no reference becomes relative.
    Absolute,
}

/// A special rule for the references of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum Rule {
    /// No special rule.
    None,
    /// The `href` of a `base` element, resolved against the base URL that the document has without
    /// the element.
    Base,
    /// Resolved against the document's own URL; `base` elements have no effect.
    DocumentUrl,
    /// A reference that is only a fragment names a part of this document and stays.
    FragmentStays,
    /// Resolved against the element's `codebase`. If the element has one, the reference stays as
    /// written.
    Codebase,
    /// Applies only to SVG and MathML elements.
    Foreign,
    /// Applies only with `http-equiv=refresh`.
    Refresh,
    /// Applies only with a `property`, `name` or `itemprop` whose content is a URL.
    MetaProperty,
    /// Applies only with a `type` that is HTML.
    HtmlType,
    /// Applies unless `isPermaLink` is `false`, and only to a value that is a URL or has a slash.
    /// The value identifies an item, so a URL stays unchanged.
    Permalink,
}

impl Row {
    /// Whether the row applies to an element, given that it has the attribute.
    fn has_element(&self, element: &str, namespace: Namespace) -> bool {
        match self.elements {
            Elements::Any => {
                namespace.is_in_html()
                    && (self.rule != Rule::Foreign || namespace != Namespace::Html)
            }
            Elements::AnySvg => namespace == Namespace::Svg,
            Elements::Named(own, names) => namespace == own && names.contains(&element),
        }
    }

    fn is_named(&self) -> bool {
        matches!(self.elements, Elements::Named(..))
    }

    /// Whether the row is for elements that only XML documents have.
    fn is_xml(&self) -> bool {
        matches!(self.elements, Elements::Named(namespace, _) if !namespace.is_in_html())
    }
}

/// The rows of each attribute, sorted by name; rows for named elements come first.
///
/// A search through all rows took a fifth of the instructions for a page of 5 kB with 28 links
/// (`valgrind --tool=callgrind`: 25.8 of 119 thousand).
static BY_ATTRIBUTE: LazyLock<Vec<(&str, Vec<&Row>)>> = LazyLock::new(|| {
    let mut rows: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for is_named in [true, false] {
        for row in TABLE.iter().filter(|row| row.is_named() == is_named) {
            row.attributes.iter().for_each(|name| rows.entry(name).or_default().push(row));
        }
    }
    rows.into_iter().collect()
});

/// The names of the elements with a row for their text, by namespace.
static TEXT_ELEMENTS: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    let mut elements = vec![Vec::new(); Namespace::Other as usize + 1];
    for row in TABLE.iter().filter(|row| row.attributes.contains(&TEXT)) {
        if let Elements::Named(namespace, names) = row.elements {
            elements[namespace as usize].extend(names);
        }
    }
    elements
});

/// Whether the table has a row for the text of an element with this local name.
///
/// Runs for every element of an XML document. A search through the rows took a tenth of the
/// instructions for a sitemap (`valgrind --tool=callgrind`).
fn has_text(local: &[u8], namespace: Namespace) -> bool {
    TEXT_ELEMENTS[namespace as usize].iter().any(|name| name.as_bytes() == local)
}

/// Whether an attribute with this name may have rows, judging by its first byte and its length.
fn may_have_rows(attribute: &[u8]) -> bool {
    let bit = 1 << attribute.len().min(31);
    attribute.first().is_some_and(|first| LENGTHS[usize::from(*first)] & bit != 0)
}

/// The lengths of attribute names, as bits, by their first byte; bit 31 represents all longer ones.
///
/// Most attributes of XML documents are not in the table: looking them up took a quarter of the
/// time for an XHTML page of 2 MB (`perf record`).
static LENGTHS: LazyLock<[u32; 256]> = LazyLock::new(|| {
    let mut lengths = [0; 256];
    for (name, _) in BY_ATTRIBUTE.iter() {
        lengths[usize::from(name.as_bytes()[0])] |= length_bit(name);
    }
    lengths
});

fn length_bit(name: &str) -> u32 {
    1 << name.len().min(31)
}

/// Finds the rows of an attribute, for all elements.
fn find_rows(attribute: &str) -> &'static [&'static Row] {
    // A shortcut for the name that every element of an XML document looks up; `(` sorts first.
    if attribute == TEXT
        && let Some((TEXT, rows)) = BY_ATTRIBUTE.first()
    {
        return rows;
    }
    let Some(first) = attribute.bytes().next() else { return &[] };
    if LENGTHS[usize::from(first)] & length_bit(attribute) == 0 {
        return &[];
    }
    let position = BY_ATTRIBUTE.binary_search_by_key(&attribute, |(name, _)| *name);
    position.map_or(&[], |position| &BY_ATTRIBUTE[position].1)
}

/// Finds the rows for an attribute of an element; rows for named elements come first. All names are
/// in lower case.
///
/// More than one row can apply, because a rule may depend on more than names.
///
/// ```
/// use absolve::attributes::{self, Namespace};
/// use absolve::grammar::Grammar;
///
/// let row = attributes::find("img", Namespace::Html, "srcset").next().expect("a row");
/// assert_eq!(row.grammar, Some(Grammar::Srcset));
/// assert!(attributes::find("img", Namespace::Html, "xlink:href").next().is_none());
/// ```
#[doc(hidden)]
pub fn find(
    element: &str,
    namespace: Namespace,
    attribute: &str,
) -> impl Iterator<Item = &'static Row> {
    find_rows(attribute).iter().copied().filter(move |row| row.has_element(element, namespace))
}

/// Whether a `style` element with this `type` contains CSS: the type is absent, empty or `text/css`
/// ([update a style block][spec]), in SVG too.
///
/// [spec]: https://html.spec.whatwg.org/multipage/semantics.html#update-a-style-block
pub(crate) fn is_css(namespace: Namespace, kind: Option<&str>) -> bool {
    namespace != Namespace::MathMl
        && kind.is_none_or(|kind| kind.is_empty() || kind.eq_ignore_ascii_case("text/css"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_complete() {
        for row in TABLE {
            assert!(row.spec.starts_with("https://"), "{row:?}");
            assert!(!row.attributes.is_empty(), "{row:?}");
            assert_eq!(row.grammar.is_none(), row.counts == DefaultState::Never, "{row:?}");
            let names = match row.elements {
                Elements::Named(..) if row.is_xml() => &[][..],
                Elements::Named(_, names) => names,
                Elements::Any | Elements::AnySvg => &[][..],
            };
            for name in names.iter().chain(row.attributes) {
                assert_eq!(*name, name.to_ascii_lowercase(), "{row:?}");
            }
        }
    }

    #[test]
    fn every_row_is_found_by_its_names() {
        for row in TABLE {
            let (names, namespace): (&[&str], _) = match row.elements {
                Elements::Any if row.rule == Rule::Foreign => (&["x"], Namespace::Svg),
                Elements::Any => (&["x"], Namespace::Html),
                Elements::AnySvg => (&["path"], Namespace::Svg),
                Elements::Named(namespace, names) => (names, namespace),
            };
            for element in names {
                for attribute in row.attributes {
                    let mut found = find(element, namespace, attribute);
                    assert!(found.any(|found| std::ptr::eq(found, row)), "{element} {attribute}");
                }
            }
        }
    }

    #[test]
    fn a_style_element_holds_css_by_its_type() {
        let is_html_css = |kind| is_css(Namespace::Html, kind);
        assert!(
            is_html_css(None)
                && is_html_css(Some(""))
                && is_html_css(Some("TEXT/css"))
                && !is_html_css(Some("text/less"))
        );
        assert!(is_css(Namespace::Svg, None) && !is_css(Namespace::MathMl, None));
    }

    #[test]
    fn a_row_for_named_elements_goes_before_one_for_any() {
        let rule = |element, namespace| find(element, namespace, "href").next().unwrap().rule;
        assert_eq!(rule("base", Namespace::Html), Rule::Base);
        assert_eq!(rule("use", Namespace::Svg), Rule::FragmentStays);
        assert_eq!(rule("use", Namespace::Html), Rule::None);
        assert_eq!(rule("a", Namespace::Svg), Rule::None);
    }
}
