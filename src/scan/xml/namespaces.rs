//! The namespaces that are declared where the scanner is.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::attributes::Namespace;

/// What a prefix stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Elements(Namespace),
    /// The namespace of attributes that rows name with this prefix.
    Attributes(Prefix),
    /// The prefix `xml`.
    Xml,
}

/// The prefix that rows have for attributes of a namespace, whatever a document has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// [XLink](https://www.w3.org/TR/xlink11/).
    XLink,
    /// [RDF](https://www.w3.org/TR/rdf-syntax-grammar/), which also has elements.
    Rdf,
    /// [EPUB](https://www.w3.org/TR/epub-33/#sec-overlays-elements-attrs).
    Epub,
    /// The attribute is in no namespace that rows have.
    AsWritten,
}

const XLINK: &[u8] = b"http://www.w3.org/1999/xlink";
const EPUB: &[u8] = b"http://www.idpf.org/2007/ops";
/// The URIs that belong to [two prefixes](https://www.w3.org/TR/xml-names/#ns-decl) alone.
pub(super) const XML: &[u8] = b"http://www.w3.org/XML/1998/namespace";
const XMLNS: &[u8] = b"http://www.w3.org/2000/xmlns/";

/// Whether a prefix, which is empty for the default namespace, may be bound to a URI
/// ([constraints](https://www.w3.org/TR/xml-names/#nsc-NoPrefixUndecl)).
pub(super) fn may_bind(prefix: &[u8], uri: &[u8]) -> bool {
    match prefix {
        b"xmlns" => false,
        b"xml" => uri == XML,
        b"" => uri != XML && uri != XMLNS,
        _ => !uri.is_empty() && uri != XML && uri != XMLNS,
    }
}

/// What a prefix is bound to.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    pub(super) bound: Bound,
    /// Where the URI is written.
    pub(super) uri: Range<u32>,
}

impl Bound {
    /// What a URI names.
    pub(super) fn of_uri(uri: &[u8]) -> Self {
        match Namespace::of_uri(uri) {
            Namespace::Other if uri == XLINK => Self::Attributes(Prefix::XLink),
            Namespace::Other if uri == EPUB => Self::Attributes(Prefix::Epub),
            Namespace::Rdf => Self::Attributes(Prefix::Rdf),
            namespace => Self::Elements(namespace),
        }
    }

    /// The namespace of an element.
    pub(super) fn of_element(self) -> Namespace {
        match self {
            Self::Elements(namespace) => namespace,
            Self::Attributes(Prefix::Rdf) => Namespace::Rdf,
            Self::Attributes(_) | Self::Xml => Namespace::Other,
        }
    }

    /// The prefix that rows have for an attribute.
    pub(super) fn of_attribute(bound: Option<Self>) -> Prefix {
        match bound {
            Some(Self::Attributes(prefix)) => prefix,
            Some(Self::Elements(_) | Self::Xml) | None => Prefix::AsWritten,
        }
    }
}

/// The prefixes that are declared, of which the empty one is that of elements without prefix.
///
/// A declaration is undone at the end of its element, so that a look-up takes the same time
/// however many are in force.
#[derive(Debug)]
pub(super) struct Namespaces<'s> {
    pub(super) bound: HashMap<&'s [u8], Binding>,
    /// What the empty prefix stands for, which most elements have.
    default: Option<Binding>,
    /// What declarations replaced.
    undo: Vec<(&'s [u8], Option<Binding>)>,
    /// The numbers of URIs that were compared, and by where they are written.
    pub(super) numbers: HashMap<Cow<'s, [u8]>, usize>,
    pub(super) number_at: HashMap<u32, usize>,
}

impl<'s> Namespaces<'s> {
    pub(super) fn new() -> Self {
        Self {
            bound: HashMap::new(),
            default: None,
            undo: Vec::new(),
            numbers: HashMap::new(),
            number_at: HashMap::new(),
        }
    }

    /// Declares a prefix; `None` ends what the empty one stands for.
    pub(super) fn declare(&mut self, prefix: &'s [u8], bound: Option<Binding>) {
        let before = self.set(prefix, bound);
        self.undo.push((prefix, before));
    }

    /// How many declarations are in force, for [`Namespaces::leave`].
    pub(super) fn count(&self) -> usize {
        self.undo.len()
    }

    /// Undoes all declarations after so many.
    pub(super) fn leave(&mut self, count: usize) {
        while self.undo.len() > count
            && let Some((prefix, before)) = self.undo.pop()
        {
            self.set(prefix, before);
        }
    }

    /// Sets what a prefix stands for; returns what it stood for.
    fn set(&mut self, prefix: &'s [u8], bound: Option<Binding>) -> Option<Binding> {
        match bound {
            _ if prefix.is_empty() => std::mem::replace(&mut self.default, bound),
            Some(bound) => self.bound.insert(prefix, bound),
            None => self.bound.remove(prefix),
        }
    }

    /// What a prefix stands for.
    pub(super) fn find(&self, prefix: &[u8]) -> Option<Bound> {
        let binding = match prefix {
            b"" => self.default.as_ref(),
            b"xml" => return Some(Bound::Xml),
            _ => self.bound.get(prefix),
        };
        binding.map(|binding| binding.bound)
    }
}

/// The prefix of a name, and the rest.
pub(crate) fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b':', name) {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (b"", name),
    }
}

/// The name of an attribute as rows have it.
pub(crate) fn attribute_name<'n>(written: &'n [u8], local: &[u8], prefix: Prefix) -> Cow<'n, str> {
    let prefix = match prefix {
        Prefix::XLink => "xlink",
        Prefix::Rdf => "rdf",
        Prefix::Epub => "epub",
        Prefix::AsWritten => return String::from_utf8_lossy(written),
    };
    Cow::Owned(format!("{prefix}:{}", String::from_utf8_lossy(local)))
}

/// The [names of SVG](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign)
/// that are not in lower case.
#[rustfmt::skip]
const MIXED: [&str; 37] = [
    "altGlyph", "altGlyphDef", "altGlyphItem", "animateColor", "animateMotion", "animateTransform",
    "clipPath", "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite",
    "feConvolveMatrix", "feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow",
    "feFlood", "feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feImage", "feMerge",
    "feMergeNode", "feMorphology", "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight",
    "feTile", "feTurbulence", "foreignObject", "glyphRef", "linearGradient", "radialGradient",
    "textPath",
];

/// The local name of an element as rows have it: those of SVG in lower case, as in HTML, and all
/// others as they are written, since names of XML are case-sensitive.
///
/// NOTE: `lineargradient` is found too.
pub(crate) fn local_name(local: &[u8], namespace: Namespace) -> Cow<'_, str> {
    let name = String::from_utf8_lossy(local);
    if namespace == Namespace::Svg && MIXED.binary_search(&&*name).is_ok() {
        return Cow::Owned(name.to_ascii_lowercase());
    }
    name
}
