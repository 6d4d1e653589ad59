//! Classifies the URLs of elements: whether a specification defines the attribute, which kind of
//! file it loads, and whether an https page may load it over http.
//!
//! A resource that an https page loads over http is [mixed content][spec]. Browsers use https
//! instead for images, audio and video ([upgradeable][optional]), and block everything else
//! ([blocked][blocking]), including `srcset`.
//!
//! [spec]: https://www.w3.org/TR/mixed-content/
//! [optional]: https://www.w3.org/TR/mixed-content/#upgradeable-content
//! [blocking]: https://www.w3.org/TR/mixed-content/#blockable-content

use absolve::Syntax;
use absolve::attributes::{Elements, Row, TABLE, TEXT};
use absolve::grammar::Grammar;
use absolve::url::rfc1808::Components;

use crate::checks::urls::{LocalHost, find_local_host};

/// The classes of mixed content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MixedContent {
    /// Browsers do not load it.
    Blocking,
    /// Browsers load it over https.
    Optional,
}

impl MixedContent {
    /// The message of a finding.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Blocking => {
                "an https page loads this over http: browsers block it (blocking class)"
            }
            Self::Optional => {
                "an https page loads this over http: browsers use https instead (optional class)"
            }
        }
    }
}

use MixedContent::{Blocking, Optional};

/// The attributes that load their URL: elements (an empty list means all), attributes, class.
const LOADED: &[(&[&str], &[&str], MixedContent)] = &[
    (&["img", "image", "input", "audio", "video", "source", "bgsound"], &["src"], Optional),
    (&["video"], &["poster"], Optional),
    (&["img", "input"], &["lowsrc", "dynsrc"], Optional),
    (&["image"], &["href", "xlink:href"], Optional),
    (&[], &["background", "style"], Optional),
    (&["img", "source"], &["srcset"], Blocking),
    (&["link"], &["imagesrcset"], Blocking),
    (&["script", "iframe", "frame", "embed", "track", "layer", "ilayer"], &["src"], Blocking),
    (&["script", "use", "feimage", "tref"], &["href", "xlink:href"], Blocking),
    (&["object"], &["data", "classid", "codebase", "archive"], Blocking),
    (&["applet"], &["code", "codebase", "archive"], Blocking),
    (&["html"], &["manifest"], Blocking),
];

/// The link types that load their URL.
const LOADED_LINKS: &[(&str, MixedContent)] = &[
    ("stylesheet", Blocking),
    ("preload", Blocking),
    ("modulepreload", Blocking),
    ("prefetch", Blocking),
    ("prerender", Blocking),
    ("manifest", Blocking),
    ("icon", Optional),
    ("apple-touch-icon", Optional),
    ("apple-touch-icon-precomposed", Optional),
    ("mask-icon", Optional),
];

/// Returns the class of a URL that an https page loads over http; `None` if the URL is not
/// [insecure](is_insecure), or the element does not load it.
///
/// `rel` is the attribute of a `link` element. In the text of a `style` element, URLs with the
/// extension of a style sheet or a font are blocking; all others are images.
pub(crate) fn classify_mixed_content(
    element: &str,
    attribute: &str,
    rel: Option<&str>,
    url: &str,
) -> Option<MixedContent> {
    if !is_insecure(url) {
        return None;
    }
    if element == "link" && attribute == "href" {
        let kind = LOADED_LINKS.iter().find(|(kind, _)| has_type(rel, kind));
        return kind.map(|(_, class)| *class);
    }
    if attribute == TEXT {
        let path = Components::parse(url).path.to_ascii_lowercase();
        let ends = [".css", ".woff", ".woff2", ".ttf", ".otf", ".eot"];
        let is_blocking = ends.iter().any(|end| path.ends_with(end));
        return Some(if is_blocking { Blocking } else { Optional });
    }
    let row = LOADED.iter().find(|(elements, attributes, _)| {
        (elements.is_empty() || elements.contains(&element)) && attributes.contains(&attribute)
    });
    row.map(|(.., class)| *class)
}

/// Whether a link leads to an `http:` URL. A URL that is only a name, such as a `profile`, is not a
/// link.
pub(crate) fn leads_to_http(element: &str, attribute: &str, rel: Option<&str>, url: &str) -> bool {
    is_insecure(url) && !is_name(element, attribute, rel)
}

/// Whether a URL is only a name, which nothing loads.
fn is_name(element: &str, attribute: &str, rel: Option<&str>) -> bool {
    attribute == "profile"
        || element == "base"
        || (element == "link" && (has_type(rel, "profile") || has_type(rel, "schema.dc")))
}

/// Whether readers send data to the URL of an attribute: the action of a form, or the comment URL
/// of a feed entry.
pub(crate) fn takes_posts(element: &str, attribute: &str) -> bool {
    matches!(attribute, "action" | "formaction") || (element, attribute) == ("comment", TEXT)
}

/// Whether browsers request a URL by GET, as a link checker does. Forms and pings take other
/// requests; names, bases of other URLs and hosts to connect to are not requested at all.
pub(crate) fn is_requested(element: &str, attribute: &str, rel: Option<&str>) -> bool {
    let is_host = element == "link" && rel.is_some_and(names_a_host);
    let is_base = matches!(attribute, "codebase" | "xml:base");
    let is_other =
        takes_posts(element, attribute) || matches!(attribute, "ping" | "attributionsrc");
    !is_host && !is_base && !is_other && !is_name(element, attribute, rel)
}

/// Whether a URL has the scheme `http:` and leads to another machine; URLs of the visitor's own
/// machine are [potentially trustworthy][spec].
///
/// [spec]: https://www.w3.org/TR/secure-contexts/#is-origin-trustworthy
pub(crate) fn is_insecure(url: &str) -> bool {
    let parts = Components::parse(url);
    let is_http = parts.scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"));
    is_http && find_local_host(url) != Some(LocalHost::Loopback)
}

/// Whether a URL of the site itself must be absolute in this element, so that `own-host-absolute`
/// does not apply: `rel=canonical` and `alternate`, a host to connect to, the base, the properties
/// of a page (<https://ogp.me/>), a sitemap, and `robots.txt`.
pub(crate) fn must_be_absolute(element: &str, rel: Option<&str>) -> bool {
    let is_kind = ["canonical", "alternate"].iter().any(|kind| has_type(rel, kind));
    let is_host = element == "link" && rel.is_some_and(names_a_host);
    is_host
        || matches!(element, "base" | "meta" | "loc" | "sitemap")
        || (matches!(element, "link" | "a" | "area") && is_kind)
}

/// Whether a `link` element with this `rel` names only a host, to which browsers connect
/// ([`preconnect`][preconnect], [`dns-prefetch`][dns]): they request no path of its URL.
///
/// [preconnect]: https://html.spec.whatwg.org/multipage/links.html#link-type-preconnect
/// [dns]: https://html.spec.whatwg.org/multipage/links.html#link-type-dns-prefetch
pub(crate) fn names_a_host(rel: &str) -> bool {
    let is_host_kind = |kind: &str| {
        ["preconnect", "dns-prefetch"].iter().any(|name| kind.eq_ignore_ascii_case(name))
    };
    let mut kinds = rel.split_ascii_whitespace().peekable();
    kinds.peek().is_some() && kinds.all(is_host_kind)
}

/// Whether an attribute `rel` has this link type.
fn has_type(rel: Option<&str>, kind: &str) -> bool {
    rel.is_some_and(|rel| rel.split_ascii_whitespace().any(|name| name.eq_ignore_ascii_case(kind)))
}

/// The statement of a `link` element about its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// [The URL that search engines are to show](https://www.rfc-editor.org/rfc/rfc6596).
    Canonical,
    /// [A page in another language](https://html.spec.whatwg.org/multipage/links.html#rel-alternate).
    Translation,
}

/// Reads the statement of a `link` element with this `rel`; `has_hreflang` looks up the attribute.
pub(crate) fn read_relation(rel: &str, has_hreflang: impl FnOnce() -> bool) -> Option<Relation> {
    let has = |kind: &str| has_type(Some(rel), kind);
    if has("canonical") {
        return Some(Relation::Canonical);
    }
    (has("alternate") && !has("stylesheet") && has_hreflang()).then_some(Relation::Translation)
}

/// Elements with `href`, the most frequent first: [HTML][html], [SVG][svg], [MathML][mathml].
///
/// [html]: https://html.spec.whatwg.org/multipage/indices.html#attributes-3
/// [svg]: https://www.w3.org/TR/SVG2/attindex.html
/// [mathml]: https://www.w3.org/TR/MathML3/chapter6.html#interf.link
const WITH_HREF: &str = "\
    a link area use image animate animatemotion animatetransform base discard feimage filter img \
    lineargradient mpath pattern radialgradient script set textpath";

/// Elements with `xlink:href`: those of
/// [SVG 2](https://www.w3.org/TR/SVG2/linking.html#XLinkRefAttrs).
const WITH_XLINK: &str = "\
    a use image script textpath mpath pattern filter feimage lineargradient radialgradient animate \
    animatemotion animatetransform set discard";

/// The elements of MathML, each of which may have an `href`.
const MATHML: &str = "\
    annotation annotation-xml maction maligngroup malignmark math menclose merror mfenced mfrac \
    mglyph mi mlabeledtr mlongdiv mmultiscripts mn mo mover mpadded mphantom mprescripts mroot \
    mrow ms mspace msqrt mstack mstyle msub msubsup msup mtable mtd mtext mtr munder munderover \
    none semantics";

/// Elements with `src`, the most frequent first, including [obsolete ones][obsolete] and
/// `fencedframe` and `portal`.
///
/// [obsolete]: https://html.spec.whatwg.org/multipage/obsolete.html#non-conforming-features
const WITH_SRC: &str = "\
    img script iframe annotation annotation-xml audio bgsound embed fencedframe frame ilayer \
    image input layer mglyph portal source track video xml";

/// Whether an element takes both `href` and `xlink:href`; browsers [ignore][spec] the latter if the
/// former is present.
///
/// [spec]: https://www.w3.org/TR/SVG2/linking.html#XLinkRefAttrs
pub(crate) fn takes_both_hrefs(element: &str) -> bool {
    WITH_XLINK.split(' ').any(|name| name == element)
}

/// Whether a specification defines an attribute of an element as a link in a document of this
/// syntax; the names are in lower case.
///
/// absolve reads `href`, `src` and `xlink:href` of every element, so these are looked up here. For
/// all other attributes, the table of attributes names the elements.
pub(crate) fn is_defined(element: &str, attribute: &str, syntax: Syntax) -> bool {
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

/// Returns the kind of file that an element loads with an attribute, if a browser cannot use a page
/// in its place; `sibling` returns the value of another attribute.
///
/// Browsers check the MIME type of style sheets and scripts ([nosniff]), and a page is not an image
/// or a media file.
///
/// [nosniff]: https://fetch.spec.whatwg.org/#should-response-to-request-be-blocked-due-to-mime-type?
pub(crate) fn loaded_kind(
    element: &str,
    attribute: &str,
    grammar: Grammar,
    sibling: &dyn Fn(&str) -> Option<String>,
) -> Option<&'static str> {
    match (element, attribute) {
        ("link", "href") => find_link_kind(sibling),
        ("script", "src" | "href" | "xlink:href") => {
            sibling("type").is_none_or(|kind| is_script(&kind)).then_some("a script")
        }
        ("input", "src") => {
            let is_image = |kind: String| kind.trim().eq_ignore_ascii_case("image");
            sibling("type").is_some_and(is_image).then_some("an image")
        }
        ("img" | "source", "src" | "srcset")
        | ("video", "poster")
        | ("link", "imagesrcset")
        | ("image" | "feimage", "href" | "xlink:href")
        | (_, "background") => Some("an image"),
        ("audio" | "video", "src") => Some("a media file"),
        ("track", "src") => Some("a text track"),
        _ if matches!(grammar, Grammar::Css | Grammar::Stylesheet) => Some("a file for its styles"),
        _ => None,
    }
}

fn find_link_kind(sibling: &dyn Fn(&str) -> Option<String>) -> Option<&'static str> {
    let rel = sibling("rel")?;
    let kinds: &[(&str, &str)] = &[
        ("stylesheet", "a style sheet"),
        ("modulepreload", "a script"),
        ("icon", "an image"),
        ("apple-touch-icon", "an image"),
        ("apple-touch-icon-precomposed", "an image"),
        ("mask-icon", "an image"),
        ("manifest", "a manifest"),
    ];
    let has = |kind: &str| has_type(Some(&rel), kind);
    if let Some((_, kind)) = kinds.iter().find(|(rel, _)| has(rel)) {
        return Some(kind);
    }
    let destination = has("preload").then(|| sibling("as")).flatten()?.to_ascii_lowercase();
    match &*destination {
        "style" => Some("a style sheet"),
        "script" => Some("a script"),
        "image" => Some("an image"),
        "font" => Some("a font"),
        "audio" | "video" => Some("a media file"),
        "track" => Some("a text track"),
        _ => None,
    }
}

/// Whether browsers load a script of this `type`; they ignore other types, such as templates.
fn is_script(kind: &str) -> bool {
    let kind = kind.trim().to_ascii_lowercase();
    kind.is_empty() || kind == "module" || kind.contains("script")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_class(element: &str, attribute: &str, rel: &str, expected: Option<MixedContent>) {
        let class = |url| classify_mixed_content(element, attribute, Some(rel), url);
        assert_eq!(class("http://h/x"), expected, "{element} {attribute} {rel}");
        assert_eq!(class("https://h/x"), None);
    }

    #[test]
    fn what_is_loaded_by_http_has_a_class() {
        assert_class("img", "src", "", Some(Optional));
        assert_class("img", "srcset", "", Some(Blocking));
        assert_class("video", "poster", "", Some(Optional));
        assert_class("source", "src", "", Some(Optional));
        assert_class("body", "background", "", Some(Optional));
        assert_class("p", "style", "", Some(Optional));
        assert_class("script", "src", "", Some(Blocking));
        assert_class("iframe", "src", "", Some(Blocking));
        assert_class("object", "data", "", Some(Blocking));
        assert_class("use", "xlink:href", "", Some(Blocking));
        assert_class("link", "href", "stylesheet", Some(Blocking));
        assert_class("link", "href", "alternate StyleSheet", Some(Blocking));
        assert_class("link", "href", "shortcut icon", Some(Optional));
        assert_class("link", "href", "canonical", None);
        assert_class("a", "href", "", None);
        assert_class("form", "action", "", None);
        assert_class("q", "cite", "", None);
        let text = |url| classify_mixed_content("style", TEXT, None, url);
        assert_eq!(text("http://h/x.css?v"), Some(Blocking));
        assert_eq!(text("http://h/x.WOFF2"), Some(Blocking));
        assert_eq!(text("http://h/x.png"), Some(Optional));
    }

    #[test]
    fn a_link_to_http_is_insecure() {
        let has = |element, attribute, rel, url| leads_to_http(element, attribute, rel, url);
        assert!(has("a", "href", None, "http://h/"));
        assert!(has("a", "href", None, "HTTP://h/"));
        assert!(!has("a", "href", None, "https://h/"));
        assert!(!has("a", "href", None, "ftp://h/"));
        assert!(!has("head", "profile", None, "http://gmpg.org/xfn/11"));
        assert!(!has("link", "href", Some("profile"), "http://gmpg.org/xfn/11"));
        assert!(!has("base", "href", None, "http://h/"));
    }

    #[test]
    fn what_stays_on_the_machine_is_not_insecure() {
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "a.localhost",
            "127.0.0.1",
            "127.1.2.3:80",
            "127.1",
            "[::1]:8",
        ] {
            assert!(!is_insecure(&format!("http://{host}/")), "{host}");
        }
        for host in ["localhost.org", "128.0.0.1", "h", "u:p@h", "[::2]", "0.0.0.0"] {
            assert!(is_insecure(&format!("http://{host}/")), "{host}");
        }
    }

    #[test]
    fn a_link_to_connect_names_a_host() {
        assert!(names_a_host("preconnect"));
        assert!(names_a_host(" DNS-Prefetch\tpreconnect"));
        assert!(!names_a_host("preconnect stylesheet"));
        assert!(!names_a_host("prefetch"));
        assert!(!names_a_host(" "));
    }

    #[test]
    fn some_own_urls_must_be_absolute() {
        assert!(must_be_absolute("link", Some("canonical")));
        assert!(must_be_absolute("link", Some("x ALTERNATE")));
        assert!(must_be_absolute("link", Some("preconnect")));
        assert!(must_be_absolute("meta", None));
        assert!(must_be_absolute("base", None));
        assert!(!must_be_absolute("link", Some("next")));
        assert!(!must_be_absolute("a", None));
        assert!(!must_be_absolute("img", Some("canonical")));
    }

    #[test]
    fn a_link_states_a_relation() {
        let read = |rel: &str, has_hreflang: bool| read_relation(rel, || has_hreflang);
        assert_eq!(read("x CANONICAL", false), Some(Relation::Canonical));
        assert_eq!(read("alternate", true), Some(Relation::Translation));
        assert_eq!(read("alternate", false), None);
        assert_eq!(read("alternate stylesheet", true), None);
        assert_eq!(read("next", true), None);
    }

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

    #[track_caller]
    fn assert_kind(tag: &str, expected: Option<&str>) {
        let words: Vec<&str> = tag.split_ascii_whitespace().collect();
        let sibling = |name: &str| {
            words[2..].iter().find_map(|word| {
                word.strip_prefix(name)?.strip_prefix('=').map(|value| value.replace('+', " "))
            })
        };
        assert_eq!(loaded_kind(words[0], words[1], Grammar::Url, &sibling), expected, "{tag}");
    }

    #[test]
    fn a_page_is_no_resource() {
        assert_kind("img src", Some("an image"));
        assert_kind("source srcset", Some("an image"));
        assert_kind("td background", Some("an image"));
        assert_kind("video src", Some("a media file"));
        assert_kind("script src", Some("a script"));
        assert_kind("script src type=text/JavaScript", Some("a script"));
        assert_kind("script src type=text/x-template", None);
        assert_kind("input src type=Image", Some("an image"));
        assert_kind("input src", None);
        assert_kind("link href rel=alternate+StyleSheet", Some("a style sheet"));
        assert_kind("link href rel=shortcut+icon", Some("an image"));
        assert_kind("link href rel=preload as=font", Some("a font"));
        for tag in [
            "link href rel=preload as=fetch",
            "link href rel=prefetch",
            "link href rel=import",
            "link href",
            "iframe src",
            "embed src",
            "object data",
            "a href",
            "use href",
        ] {
            assert_kind(tag, None);
        }
        let css = |grammar| loaded_kind("", "", grammar, &|_| None);
        assert_eq!(css(Grammar::Stylesheet), Some("a file for its styles"));
        assert_eq!(css(Grammar::Url), None);
    }
}
