//! How an element uses a URL: whether it loads it, and whether it may be `http:`.
//!
//! [Mixed content][spec] is what an https page loads over http. Browsers use https instead for
//! images, audio and video ([upgradeable][optional]), and block everything else
//! ([blocked][blocking]), including `srcset`.
//!
//! [spec]: https://www.w3.org/TR/mixed-content/
//! [optional]: https://www.w3.org/TR/mixed-content/#upgradeable-content
//! [blocking]: https://www.w3.org/TR/mixed-content/#blockable-content

use super::development::{LocalHost, local_host};
use crate::attributes::TEXT;
use crate::url::rfc1808::Components;

/// The classes of mixed content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MixedContent {
    /// Browsers do not load it.
    Blocking,
    /// Browsers load it over https.
    Optional,
}

impl MixedContent {
    /// The message of a finding.
    #[must_use]
    pub fn message(self) -> &'static str {
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

/// What loads its URL: elements (an empty list is all), attributes, class.
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

/// How the paths of fonts end.
const FONTS: &[&str] = &[".woff", ".woff2", ".ttf", ".otf", ".eot", ".ttc"];

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

/// The class of what an https page loads over http; `None` if the URL is not
/// [insecure](is_insecure), or the element does not load it.
///
/// `rel` is that of a `link` element. In the text of a `style` element, URLs with the extension of a
/// style sheet or a font are blocking, and the others are images.
#[must_use]
pub fn mixed_content(
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

/// Where a resource has to be that a book loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BookResource {
    /// In the book.
    Inside,
    /// Anywhere, if the manifest lists it: audio, video, fonts.
    Listed,
}

/// Where a resource has to be that a book loads; `None` for a link that loads nothing ([resource
/// locations][spec]). `attribute` is `None` in a style sheet.
///
/// [spec]: https://www.w3.org/TR/epub-33/#sec-resource-locations
#[must_use]
pub fn book_resource(
    element: &str,
    attribute: Option<&str>,
    rel: Option<&str>,
    url: &str,
) -> Option<BookResource> {
    let Some(attribute) = attribute.filter(|attribute| *attribute != TEXT) else {
        let path = Components::parse(url).path.to_ascii_lowercase();
        let is_font = FONTS.iter().any(|end| path.ends_with(end));
        return Some(if is_font { BookResource::Listed } else { BookResource::Inside });
    };
    if matches!(element, "audio" | "video" | "source") && attribute == "src" {
        return Some(BookResource::Listed);
    }
    if element == "link" && attribute == "href" {
        return has_type(rel, "stylesheet").then_some(BookResource::Inside);
    }
    // The page of a media overlay, and those that the NCX and the guide name.
    if attribute == "epub:textref"
        || matches!((element, attribute), ("text" | "content", "src") | ("reference", "href"))
    {
        return Some(BookResource::Inside);
    }
    let is_loaded = LOADED.iter().any(|(elements, attributes, _)| {
        (elements.is_empty() || elements.contains(&element)) && attributes.contains(&attribute)
    });
    is_loaded.then_some(BookResource::Inside)
}

/// Where a resource of this media type has to be, which is in lower case ([resource locations][spec]).
///
/// [spec]: https://www.w3.org/TR/epub-33/#sec-resource-locations
#[must_use]
pub fn resource_of_type(media_type: &str) -> BookResource {
    const LISTED: &[&str] = &[
        "audio/",
        "video/",
        "font/",
        "application/font-",
        "application/x-font-",
        "application/vnd.ms-opentype",
    ];
    let is_listed = LISTED.iter().any(|start| media_type.starts_with(start));
    if is_listed { BookResource::Listed } else { BookResource::Inside }
}

/// [`Rule::InsecureLink`](crate::audit::reference::Rule::InsecureLink): the link leads to an `http:`
/// URL and does not load it. URLs that are only names are not links (`profile`).
#[must_use]
pub fn insecure_link(element: &str, attribute: &str, rel: Option<&str>, url: &str) -> bool {
    is_insecure(url) && !is_name(element, attribute, rel)
}

/// Whether a URL is only a name, which nothing loads.
fn is_name(element: &str, attribute: &str, rel: Option<&str>) -> bool {
    attribute == "profile"
        || element == "base"
        || (element == "link" && (has_type(rel, "profile") || has_type(rel, "schema.dc")))
}

/// Whether a browser requests a URL by GET, so that a link checker can: not those of forms and pings,
/// which take other requests, and not names, bases of others and hosts to connect to.
#[must_use]
pub fn is_requested(element: &str, attribute: &str, rel: Option<&str>) -> bool {
    let is_host = element == "link" && rel.is_some_and(names_a_host);
    let is_base = matches!(attribute, "codebase" | "xml:base");
    let is_other = matches!(attribute, "action" | "formaction" | "ping" | "attributionsrc");
    !is_host && !is_base && !is_other && !is_name(element, attribute, rel)
}

/// Whether a URL is fetched over http from another machine
/// ([potentially trustworthy][spec] ones are not).
///
/// [spec]: https://www.w3.org/TR/secure-contexts/#is-origin-trustworthy
#[must_use]
pub fn is_insecure(url: &str) -> bool {
    let parts = Components::parse(url);
    let is_http = parts.scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"));
    is_http && local_host(url) != Some(LocalHost::Loopback)
}

/// Whether a URL of the site itself must be absolute here, so that
/// [`Rule::OwnHostAbsolute`](crate::audit::reference::Rule::OwnHostAbsolute) does not apply: `rel=canonical`
/// and `alternate`, a host to connect to, the base, the properties of a page (<https://ogp.me/>), a sitemap,
/// and `robots.txt`.
#[must_use]
pub fn has_to_be_absolute(element: &str, rel: Option<&str>) -> bool {
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
#[must_use]
pub fn names_a_host(rel: &str) -> bool {
    let is_one = |kind: &str| {
        ["preconnect", "dns-prefetch"].iter().any(|one| kind.eq_ignore_ascii_case(one))
    };
    let mut kinds = rel.split_ascii_whitespace().peekable();
    kinds.peek().is_some() && kinds.all(is_one)
}

/// Whether an attribute `rel` has this link type.
fn has_type(rel: Option<&str>, kind: &str) -> bool {
    rel.is_some_and(|rel| rel.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn loads(element: &str, attribute: &str, rel: &str, expected: Option<MixedContent>) {
        let class = |url| mixed_content(element, attribute, Some(rel), url);
        assert_eq!(class("http://h/x"), expected, "{element} {attribute} {rel}");
        assert_eq!(class("https://h/x"), None);
    }

    #[test]
    fn what_is_loaded_by_http_has_a_class() {
        loads("img", "src", "", Some(Optional));
        loads("img", "srcset", "", Some(Blocking));
        loads("video", "poster", "", Some(Optional));
        loads("source", "src", "", Some(Optional));
        loads("body", "background", "", Some(Optional));
        loads("p", "style", "", Some(Optional));
        loads("script", "src", "", Some(Blocking));
        loads("iframe", "src", "", Some(Blocking));
        loads("object", "data", "", Some(Blocking));
        loads("use", "xlink:href", "", Some(Blocking));
        loads("link", "href", "stylesheet", Some(Blocking));
        loads("link", "href", "alternate StyleSheet", Some(Blocking));
        loads("link", "href", "shortcut icon", Some(Optional));
        loads("link", "href", "canonical", None);
        loads("a", "href", "", None);
        loads("form", "action", "", None);
        loads("q", "cite", "", None);
        let text = |url| mixed_content("style", TEXT, None, url);
        assert_eq!(text("http://h/x.css?v"), Some(Blocking));
        assert_eq!(text("http://h/x.WOFF2"), Some(Blocking));
        assert_eq!(text("http://h/x.png"), Some(Optional));
    }

    #[test]
    fn a_book_has_what_it_loads() {
        use BookResource::{Inside, Listed};
        for (element, attribute, rel, expected) in [
            ("img", Some("src"), None, Some(Inside)),
            ("image", Some("xlink:href"), None, Some(Inside)),
            ("link", Some("href"), Some("stylesheet"), Some(Inside)),
            ("link", Some("href"), Some("next"), None),
            ("", None, None, Some(Inside)),
            ("a", Some("href"), None, None),
            ("video", Some("src"), None, Some(Listed)),
            ("video", Some("poster"), None, Some(Inside)),
        ] {
            let found = book_resource(element, attribute, rel, "http://h/x");
            assert_eq!(found, expected, "{element} {attribute:?}");
        }
        assert_eq!(book_resource("", None, None, "http://h/x.WOFF?v"), Some(Listed));
    }

    #[test]
    fn a_link_to_http_is_insecure() {
        let is = |element, attribute, rel, url| insecure_link(element, attribute, rel, url);
        assert!(is("a", "href", None, "http://h/"));
        assert!(is("a", "href", None, "HTTP://h/"));
        assert!(!is("a", "href", None, "https://h/"));
        assert!(!is("a", "href", None, "ftp://h/"));
        assert!(!is("head", "profile", None, "http://gmpg.org/xfn/11"));
        assert!(!is("link", "href", Some("profile"), "http://gmpg.org/xfn/11"));
        assert!(!is("base", "href", None, "http://h/"));
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
    fn some_own_urls_have_to_be_absolute() {
        assert!(has_to_be_absolute("link", Some("canonical")));
        assert!(has_to_be_absolute("link", Some("x ALTERNATE")));
        assert!(has_to_be_absolute("link", Some("preconnect")));
        assert!(has_to_be_absolute("meta", None));
        assert!(has_to_be_absolute("base", None));
        assert!(!has_to_be_absolute("link", Some("next")));
        assert!(!has_to_be_absolute("a", None));
        assert!(!has_to_be_absolute("img", Some("canonical")));
    }
}
