//! Tracks the namespaces that are in scope.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::candidates::Prefix;
use super::fault::shown;
use super::tag::XmlAttribute;
use crate::attributes::Namespace;

/// The namespace that a prefix is bound to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Binding {
    /// The namespace of elements with the prefix.
    pub(super) namespace: Namespace,
    /// The prefix of attributes of the namespace in the table.
    pub(super) attributes: Prefix,
    /// A digest of the URI.
    uri: u64,
}

const XLINK: &[u8] = b"http://www.w3.org/1999/xlink";
const EPUB: &[u8] = b"http://www.idpf.org/2007/ops";
/// The URIs that belong to [two prefixes](https://www.w3.org/TR/xml-names/#ns-decl) alone.
const XML: &[u8] = b"http://www.w3.org/XML/1998/namespace";
const XMLNS: &[u8] = b"http://www.w3.org/2000/xmlns/";

impl Binding {
    /// The binding for a namespace without rows in the table, such as that of `xml`.
    pub(super) const OTHER: Self =
        Self { namespace: Namespace::Other, attributes: Prefix::AsWritten, uri: 0 };

    fn new(uri: &[u8]) -> Self {
        let namespace = Namespace::from_uri(uri);
        let attributes = match namespace {
            Namespace::Rdf => Prefix::Rdf,
            Namespace::Other if uri == XLINK => Prefix::XLink,
            Namespace::Other if uri == EPUB => Prefix::Epub,
            _ => Prefix::AsWritten,
        };
        let mut hasher = DefaultHasher::new();
        uri.hash(&mut hasher);
        Self { namespace, attributes, uri: hasher.finish() }
    }
}

/// The prefixes in scope; the empty prefix applies to elements without prefix.
///
/// Leaving an element undoes its declarations, so that a lookup takes the same time however many
/// are in force.
#[derive(Debug, Default)]
pub(super) struct Namespaces<'s> {
    bound: HashMap<&'s [u8], Binding>,
    /// The binding of the empty prefix, which most elements have.
    default: Option<Binding>,
    /// The bindings that declarations replaced.
    undo: Vec<(&'s [u8], Option<Binding>)>,
}

impl<'s> Namespaces<'s> {
    /// Binds a prefix to a URI; an empty URI unbinds the empty prefix.
    ///
    /// # Errors
    ///
    /// If the specification [forbids it](https://www.w3.org/TR/xml-names/#nsc-NoPrefixUndecl).
    pub(super) fn declare(&mut self, prefix: &'s [u8], uri: &[u8]) -> Result<(), String> {
        let is_reserved = uri == XML || uri == XMLNS;
        match prefix {
            b"" if is_reserved => {
                return Err(format!("{} cannot be the default namespace", shown(uri)));
            }
            b"" => {
                let new = (!uri.is_empty()).then(|| Binding::new(uri));
                self.undo.push((prefix, std::mem::replace(&mut self.default, new)));
            }
            b"xml" if uri == XML => {}
            _ if is_reserved || uri.is_empty() || matches!(prefix, b"xml" | b"xmlns") => {
                let prefix = shown(prefix);
                return Err(format!("the prefix {prefix} cannot be bound to {}", shown(uri)));
            }
            _ => self.undo.push((prefix, self.bound.insert(prefix, Binding::new(uri)))),
        }
        Ok(())
    }

    /// The number of declarations in force, for [`Namespaces::leave`].
    pub(super) fn count(&self) -> usize {
        self.undo.len()
    }

    /// Undoes all declarations after the first `count`.
    pub(super) fn leave(&mut self, count: usize) {
        while self.undo.len() > count
            && let Some((prefix, before)) = self.undo.pop()
        {
            match before {
                _ if prefix.is_empty() => self.default = before,
                Some(before) => _ = self.bound.insert(prefix, before),
                None => _ = self.bound.remove(prefix),
            }
        }
    }

    /// The binding of a prefix.
    pub(super) fn find(&self, prefix: &[u8]) -> Option<Binding> {
        match prefix {
            b"" => self.default,
            b"xml" => Some(Binding::OTHER),
            _ => self.bound.get(prefix).copied(),
        }
    }

    /// Finds an attribute with the same [expanded name][spec] as an earlier one: a different
    /// prefix, but the same namespace.
    ///
    /// [spec]: https://www.w3.org/TR/xml-names/#uniqAttrs
    pub(super) fn duplicate<'l>(
        &self,
        bytes: &[u8],
        list: &'l [XmlAttribute],
    ) -> Option<&'l XmlAttribute> {
        let mut prefixed = list.iter().filter(|one| one.prefix > 0);
        prefixed.clone().nth(1)?;
        let mut names = HashSet::new();
        prefixed.find(|one| {
            let (prefix, local) = one.split(bytes);
            self.find(prefix).is_some_and(|binding| !names.insert((binding.uri, local)))
        })
    }
}

/// Splits a name into its prefix and its local name.
pub(crate) fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b':', name) {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (b"", name),
    }
}

/// Whether the table has this prefix: another namespace with the same prefix must not match its
/// rows.
pub(super) fn is_prefix_of_rows(prefix: &[u8]) -> bool {
    matches!(prefix, b"xlink" | b"rdf" | b"epub")
}

/// The name of an attribute as in the table.
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

/// The local name of an element as in the table: names of SVG in lower case, as in HTML, and all
/// others as written, since names of XML are case-sensitive.
///
/// NOTE: `lineargradient` matches the rows of `linearGradient` too.
pub(crate) fn local_name(local: &[u8], namespace: Namespace) -> Cow<'_, str> {
    let name = String::from_utf8_lossy(local);
    if namespace == Namespace::Svg && MIXED.binary_search(&&*name).is_ok() {
        return Cow::Owned(name.to_ascii_lowercase());
    }
    name
}
