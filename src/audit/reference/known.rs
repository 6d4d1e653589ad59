//! The elements that HTML, SVG or MathML give an `href` or a `src`.
//!
//! absolve takes these attributes for links on every element, as scripts and saved pages use them so;
//! browsers follow only those of the elements here.

use crate::attributes::{Elements, Row, TABLE};
use crate::link::Syntax;

/// Elements with `href`, the most frequent first: [HTML][html], [SVG][svg], [MathML][mathml].
///
/// [html]: https://html.spec.whatwg.org/multipage/indices.html#attributes-3
/// [svg]: https://www.w3.org/TR/SVG2/attindex.html
/// [mathml]: https://www.w3.org/TR/MathML3/chapter6.html#interf.link
const WITH_HREF: &str = "\
    a link area use image animate animatemotion animatetransform base discard feimage filter img \
    lineargradient mpath pattern radialgradient script set textpath";

/// Elements with `xlink:href`: those of [SVG 2](https://www.w3.org/TR/SVG2/linking.html#XLinkRefAttrs).
const WITH_XLINK: &str = "\
    a use image script textpath mpath pattern filter feimage lineargradient radialgradient animate \
    animatemotion animatetransform set discard";

/// The elements of MathML, each of which may have an `href`.
const MATHML: &str = "\
    annotation annotation-xml maction maligngroup malignmark math menclose merror mfenced mfrac \
    mglyph mi mlabeledtr mlongdiv mmultiscripts mn mo mover mpadded mphantom mprescripts mroot \
    mrow ms mspace msqrt mstack mstyle msub msubsup msup mtable mtd mtext mtr munder munderover \
    none semantics";

/// Elements with `src`, the most frequent first, including [obsolete ones][obsolete] and `fencedframe` and `portal`.
///
/// [obsolete]: https://html.spec.whatwg.org/multipage/obsolete.html#non-conforming-features
const WITH_SRC: &str = "\
    img script iframe annotation annotation-xml audio bgsound embed fencedframe frame ilayer \
    image input layer mglyph portal source track video xml";

/// Whether an element takes `href` and `xlink:href`, of which the latter is [ignored][spec] beside the
/// former.
///
/// [spec]: https://www.w3.org/TR/SVG2/linking.html#XLinkRefAttrs
#[must_use]
pub fn takes_both(element: &str) -> bool {
    WITH_XLINK.split(' ').any(|name| name == element)
}

/// Whether an attribute of an element is a link by a specification, names in lower case, in a
/// document of this syntax.
///
/// Only `href`, `src` and `xlink:href` count on every element; the table of attributes names the elements of all
/// others.
#[must_use]
pub fn is_defined(element: &str, attribute: &str, syntax: Syntax) -> bool {
    let is_in_xml = |row: &Row| {
        let Elements::Named(_, names) = row.elements else { return false };
        names.contains(&element) && row.attributes.contains(&attribute)
    };
    if syntax == Syntax::Xml && TABLE.iter().any(is_in_xml) {
        return true;
    }
    let is_in = |names: &&str| names.split(' ').any(|name| name == element);
    match attribute {
        "href" => [WITH_HREF, MATHML].iter().any(is_in),
        "src" => is_in(&WITH_SRC),
        "xlink:href" => [WITH_XLINK, MATHML].iter().any(is_in),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_with_a_link_is_defined() {
        for (element, attribute) in
            [("a", "href"), ("link", "href"), ("img", "src"), ("use", "href"), ("mi", "href")]
        {
            assert!(is_defined(element, attribute, Syntax::Html), "{element} {attribute}");
        }
        assert!(is_defined("textpath", "xlink:href", Syntax::Html));
        for element in ["g", "tref", "cursor", "font-face-uri"] {
            assert!(!is_defined(element, "xlink:href", Syntax::Html), "{element}");
        }
        assert!(is_defined("x-y", "style", Syntax::Html));
        assert!(is_defined("item", "href", Syntax::Xml));
        assert!(!is_defined("item", "href", Syntax::Html));
        for (element, attribute) in [("gtkdoclink", "href"), ("div", "src"), ("a", "src")] {
            assert!(!is_defined(element, attribute, Syntax::Html), "{element} {attribute}");
        }
    }
}
