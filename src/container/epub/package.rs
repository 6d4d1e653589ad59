//! The package of a book: what `container.xml`, the manifest and `encryption.xml` say.

use std::collections::HashSet;
use std::ops::Range;

use super::markup::{Element, Value, each_element};
use super::name::resolve;
use crate::container::ContainerError;
use crate::container::Format;
use crate::link::Syntax;
use crate::rewrite::Rewriter;

/// The files of OCF with names of their own
/// ([META-INF](https://www.w3.org/TR/epub-33/#sec-container-metainf)).
pub(super) const CONTAINER: &str = "META-INF/container.xml";
pub(super) const ENCRYPTION: &str = "META-INF/encryption.xml";

const PACKAGE_TYPE: &str = "application/oebps-package+xml";

/// The media types of documents whose links are read, the format of each, and whether it is a page.
const DOCUMENTS: &[(&str, Format, bool)] = &[
    ("application/xhtml+xml", Format::Xml, true),
    ("text/x-oeb1-document", Format::Xml, true),
    ("text/html", Format::Html, true),
    ("image/svg+xml", Format::Xml, false),
    ("application/x-dtbncx+xml", Format::Xml, false),
    ("application/smil+xml", Format::Xml, false),
    ("text/css", Format::Css, false),
    ("text/x-oeb1-css", Format::Css, false),
];

/// Maximum items of all manifests and spines, and attributes that name items, of a book: each takes
/// about a kilobyte in an audit.
pub(super) const MAX_ITEMS: usize = 100_000;

/// The elements and attributes that name an item of the manifest, besides those of the spine: the item
/// to show in place of another, the media overlay of a page, and the NCX.
const ID_REFERENCES: &[(&str, &str)] =
    &[("item", "fallback"), ("item", "media-overlay"), ("spine", "toc")];

/// A package document, with the manifest of a rendition of the book
/// ([package documents](https://www.w3.org/TR/epub-33/#sec-package-doc)).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Package {
    /// The name of its member.
    pub name: String,
    /// The items of the manifest, in their order.
    pub items: Vec<ManifestItem>,
    /// The items of the manifest that the spine names, in their order.
    pub spine: Vec<SpineItem>,
    /// The other attributes that name items of the manifest, in the order of the document.
    pub references: Vec<IdReference>,
}

/// A resource of the book.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ManifestItem {
    /// Its `id`.
    pub id: String,
    /// Its `href`, as written.
    pub href: String,
    /// The bytes of the package document that hold it, or the place of the element without it, if
    /// that is UTF-8.
    pub span: Option<Range<usize>>,
    /// Whether an entity of the package document was expanded in it, so that it is not among the
    /// links of that.
    pub has_entity: bool,
    /// Its media type, in lower case and without parameters.
    pub media_type: String,
    /// The name of the member; `None` for a resource on the web.
    pub member: Option<String>,
    /// Its [properties](https://www.w3.org/TR/epub-33/#sec-item-resource-properties), such as
    /// `scripted`, separated by white space.
    pub properties: String,
}

/// An item of the spine.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SpineItem {
    /// The `id` of an item of the manifest.
    pub idref: String,
    /// The bytes of the package document that hold it, or the place of the element without it, if
    /// that is UTF-8.
    pub span: Option<Range<usize>>,
}

/// An attribute that names an item of the manifest.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IdReference {
    /// The local name of its element.
    pub element: &'static str,
    /// Its name.
    pub attribute: &'static str,
    /// The `id` of an item of the manifest.
    pub id: String,
    /// The bytes of the package document that hold it, if that is UTF-8.
    pub span: Option<Range<usize>>,
}

impl ManifestItem {
    /// Whether it has a property.
    #[must_use]
    pub fn has_property(&self, name: &str) -> bool {
        self.properties.split_ascii_whitespace().any(|property| property == name)
    }

    /// The format of the item, and whether it is a page; `None` if its links are not read.
    pub(super) fn document(&self) -> Option<(Format, bool)> {
        let found = DOCUMENTS.iter().find(|(media_type, ..)| *media_type == self.media_type);
        found.map(|&(_, format, is_page)| (format, is_page))
    }
}

impl Package {
    /// Reads a package document, if it has no more than `max` items.
    pub(super) fn parse(name: &str, source: &[u8], max: usize) -> Result<Self, ContainerError> {
        let (items, spine, references) = (Vec::new(), Vec::new(), Vec::new());
        let mut package = Self { name: name.to_owned(), items, spine, references };
        let mut is_package = false;
        each_element(name, source, |element| {
            is_package |= element.is("package");
            if element.is("item") {
                package.items.push(item(name, element)?);
            } else if element.is("itemref") {
                let idref = element.value("idref")?;
                let (idref, span) = idref.map_or_else(
                    || (String::new(), element.start()),
                    |idref| (idref.text, idref.span),
                );
                package.spine.push(SpineItem { idref, span });
            }
            for &(name, attribute) in ID_REFERENCES.iter().filter(|(name, _)| element.is(name)) {
                if let Some(Value { text: id, span, .. }) = element.value(attribute)? {
                    package.references.push(IdReference { element: name, attribute, id, span });
                }
            }
            if package.count() > max {
                let what = format!(
                    "the manifests and spines of the book have more than {MAX_ITEMS} items"
                );
                return Err(ContainerError::of(name, what));
            }
            Ok(())
        })?;
        if !is_package {
            return Err(ContainerError::of(name, "not a package document"));
        }
        // Everything depends on the document, and its reader above finds few faults.
        match Rewriter::new().syntax(Syntax::Xml).links(source, |_| {}) {
            Err(error) if error.is_not_well_formed() => {
                Err(ContainerError::of(name, error.of_container()))
            }
            _ => Ok(package),
        }
    }

    /// How many items and references it has.
    pub(super) fn count(&self) -> usize {
        self.items.len() + self.spine.len() + self.references.len()
    }
}

fn item(package: &str, element: &Element<'_>) -> Result<ManifestItem, ContainerError> {
    let media_type = element.text("media-type")?.to_ascii_lowercase();
    let media_type = media_type.split(';').next().unwrap_or_default().trim_end().to_owned();
    let href = element.value("href")?;
    let has_entity = href.as_ref().is_some_and(|href| href.has_entity);
    let (href, span) =
        href.map_or_else(|| (String::new(), element.start()), |href| (href.text, href.span));
    let member = resolve(&href, package).filter(|_| !href.is_empty());
    let properties = element.text("properties")?;
    let id = element.text("id")?;
    Ok(ManifestItem { id, href, span, has_entity, media_type, member, properties })
}

/// The names of the package documents that `container.xml` lists.
pub(super) fn packages(source: &[u8]) -> Result<Vec<String>, ContainerError> {
    let (mut names, mut known) = (Vec::new(), HashSet::new());
    each_element(CONTAINER, source, |element| {
        let media_type = element.text("media-type")?;
        let is_package = media_type.is_empty() || media_type == PACKAGE_TYPE;
        if element.is("rootfile") && is_package {
            // A path from the root, not a URL.
            let path = element.value("full-path")?.map(|path| path.text);
            names.extend(path.filter(|path| known.insert(path.clone())));
        }
        Ok(())
    })?;
    if names.is_empty() {
        return Err(ContainerError::of(CONTAINER, "it names no package document"));
    }
    Ok(names)
}

/// The names of the members that are encrypted, or obfuscated: the bytes of both are not those of the
/// resource, although [obfuscation](https://www.w3.org/TR/epub-33/#sec-font-obfuscation) is for fonts
/// alone.
pub(super) fn encrypted(source: &[u8]) -> Result<Vec<String>, ContainerError> {
    let mut names = Vec::new();
    each_element(ENCRYPTION, source, |element| {
        if element.is("CipherReference") {
            // The base is the root of the book.
            names.extend(element.value("URI")?.and_then(|uri| resolve(&uri.text, "")));
        }
        Ok(())
    })?;
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_a_manifest_and_a_spine() {
        let source = "\u{feff}<?xml version='1.0'?><o:package xmlns:o='x'><manifest>\
            <item id='a' href='t/a%20b.xhtml' media-type='Application/XHTML+XML; x=y'/>\
            <item id='b' href='https://h/v.mp4' media-type='video/mp4'></item>\
            </manifest><spine><itemref idref='a&amp;'/></spine></o:package>";
        let package = Package::parse("OEBPS/c.opf", source.as_bytes(), MAX_ITEMS).unwrap();
        let [page, video] = &package.items[..] else { panic!("{package:?}") };
        assert_eq!(page.member.as_deref(), Some("OEBPS/t/a b.xhtml"));
        assert_eq!(page.document(), Some((Format::Xml, true)));
        assert_eq!(&source[page.span.clone().unwrap()], "t/a%20b.xhtml");
        assert_eq!((video.member.as_deref(), video.document()), (None, None));
        assert_eq!(package.spine[0].idref, "a&");
        assert_eq!(&source[package.spine[0].span.clone().unwrap()], "a&amp;");
        let source = "<package><item fallback='b'/><spine toc='n'><itemref/></spine></package>";
        let package = Package::parse("c.opf", source.as_bytes(), MAX_ITEMS).unwrap();
        let at = |name| source.find(name).map(|at| at..at);
        assert_eq!(package.items[0].span, at("item "));
        assert_eq!(package.spine[0].span, at("itemref"));
        let names = package.references.iter();
        let names: Vec<_> = names.map(|one| (one.element, one.attribute, &*one.id)).collect();
        assert_eq!(names, [("item", "fallback", "b"), ("spine", "toc", "n")]);
        assert!(Package::parse("c.opf", b"<html/>", MAX_ITEMS).is_err());
        let error = Package::parse("c.opf", b"<package></x>", MAX_ITEMS).unwrap_err().to_string();
        assert!(error.starts_with("c.opf: line 1, column 10: not well-formed XML: "), "{error}");
        for source in
            ["<package/><x/>", "<package><a>", "<package><item href='a' href='b'/></package>"]
        {
            let error =
                Package::parse("c.opf", source.as_bytes(), MAX_ITEMS).unwrap_err().to_string();
            assert!(error.starts_with("c.opf: line 1, column "), "{error}");
        }
        let parsed = |href| {
            let package = format!(
                "<!DOCTYPE package [<!ENTITY f 'a'>]>\n<package><item href='{href}'/></package>"
            );
            Package::parse("c.opf", package.as_bytes(), MAX_ITEMS)
        };
        assert_eq!(parsed("&f;.xhtml").unwrap().items[0].member.as_deref(), Some("a.xhtml"));
        let error = parsed("&g;").unwrap_err().to_string();
        let expected = "c.opf: href has the entity '&g;', which is not expanded; write its text";
        assert_eq!(error, expected);
    }

    #[test]
    fn a_package_is_named_once() {
        let rootfile = |name| format!("<rootfile full-path='{name}'/>");
        let source = ["b", "a", "b", "a"].map(rootfile).concat();
        assert_eq!(
            packages(format!("<container>{source}</container>").as_bytes()).unwrap(),
            ["b", "a"]
        );
    }

    #[test]
    fn encrypted_members_have_other_bytes() {
        let data = |algorithm, uri| {
            format!(
                "<enc:EncryptedData><enc:EncryptionMethod Algorithm='{algorithm}'/>\
                 <enc:CipherReference URI='{uri}'/></enc:EncryptedData>"
            )
        };
        let source = [
            "<encryption>".to_owned(),
            data("http://www.idpf.org/2008/embedding", "OEBPS/a.otf"),
            data("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/a%20b.xhtml"),
            "</encryption>".to_owned(),
        ];
        let names = encrypted(source.concat().as_bytes()).unwrap();
        assert_eq!(names, ["OEBPS/a.otf", "OEBPS/a b.xhtml"]);
    }
}
