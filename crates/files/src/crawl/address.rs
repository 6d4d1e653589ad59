//! Normalizes the URL of a capture, and derives the name of its file, with the extension that tells
//! browsers the media type.

use std::fmt::Write;

use absolve_archive::ENCODED_IN_CID;
use percent_encoding::{AsciiSet, percent_decode_str, percent_encode, utf8_percent_encode};
use sha1::{Digest, Sha1};
use url::Url;

use crate::exchange::TEMPORARY_PREFIX;

/// A URL of a crawl, as browsers request it ([URL Standard](https://url.spec.whatwg.org/)), without
/// its scheme, user and fragment. `http` and `https` are equal, as in replay tools. Spellings that
/// differ only in percent-encoding are equal too, since crawlers change it.
///
/// A URL with another scheme leads only to a part of the message that it is in
/// ([RFC 2557](https://www.rfc-editor.org/rfc/rfc2557#section-8.2)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    /// Host and port, path and query. For a part of a message, the name of the message replaces the
    /// host, and a tab and the beginning of the URL follow.
    text: String,
    kind: AddressKind,
    host_end: usize,
    path_start: usize,
    /// The offset of the query's `?`; the end of the text if there is no query.
    query_start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AddressKind {
    Http,
    Https,
    /// A part of a message.
    Part,
}

/// Maximum bytes of a name with its folders: Windows does not open longer names in a folder such as
/// `C:\Users\name\Documents`.
const MAX_NAME_LEN: usize = 200;

/// The folder for files whose names would be too long.
const LONG_NAMES: &str = "absolve-long";

/// Names of devices on Windows, with any extension
/// ([Naming Files](https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file)).
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "com", "lpt", "conin$", "conout$"];

/// Names of repositories of Git and Mercurial, whose configuration can make these run commands.
const REPOSITORIES: &[&str] = &[".git", ".hg"];

/// The name of a file that makes a folder a bare repository for Git, in lower case
/// ([Git](https://git-scm.com/docs/gitrepository-layout)).
const BARE_REPOSITORY_FILE: &str = "head";

/// Characters that stay in names, besides letters and digits: every system allows them.
const PLAIN: &[u8] = b"-_.~!$&'()+,;=@[]{} ";

/// Characters that browsers leave in a path or a query, though a URL must not contain them
/// ([RFC 3986, A](https://www.rfc-editor.org/rfc/rfc3986#appendix-A)).
const NOT_IN_URLS: &AsciiSet =
    &AsciiSet::EMPTY.add(b'|').add(b'^').add(b'`').add(b'{').add(b'}').add(b'\\');

/// Characters of a name that stay in a relative reference, besides letters and digits.
const UNRESERVED: &[u8] = b"-_.~/@+,=&!";

impl Address {
    /// Parses a URL of the Web, or of a part of the message with this name; `None` for any other.
    pub(super) fn parse(url: &str, message: Option<&str>) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        let (kind, mut text) = match url.scheme() {
            "http" => (AddressKind::Http, url.host_str()?.to_owned()),
            "https" => (AddressKind::Https, url.host_str()?.to_owned()),
            _ => (AddressKind::Part, message?.to_owned()),
        };
        if let Some(port) = url.port().filter(|_| kind != AddressKind::Part) {
            let _ = write!(text, ":{port}");
        }
        let host_end = text.len();
        if kind == AddressKind::Part {
            let _ = write!(text, "\t{}:", url.scheme());
            if url.has_authority() || url.scheme() == "file" {
                let _ = write!(text, "//{}", url.authority());
            }
        }
        let path_start = text.len();
        if url.scheme() == "cid" {
            let id: Vec<u8> = percent_decode_str(&url.as_str()["cid:".len()..]).collect();
            text.extend(percent_encode(&id, ENCODED_IN_CID));
            return Some(Self { query_start: text.len(), text, kind, host_end, path_start });
        }
        normalize(&mut text, url.path());
        let query_start = text.len();
        if let Some(part) = url.query() {
            text.push('?');
            normalize(&mut text, part);
        }
        Some(Self { text, kind, host_end, path_start, query_start })
    }

    /// Resolves a reference in the document at this address, and splits off the fragment.
    pub(super) fn join(&self, reference: &str) -> Option<(Self, Option<String>)> {
        let url = Url::parse(&self.url()).ok()?.join(reference).ok()?;
        let message = (self.kind == AddressKind::Part).then_some(&self.text[..self.host_end]);
        Some((Self::parse(url.as_str(), message)?, url.fragment().map(str::to_owned)))
    }

    /// Returns the whole URL.
    pub(super) fn url(&self) -> String {
        match self.kind {
            AddressKind::Http => format!("http://{}", self.text),
            AddressKind::Https => format!("https://{}", self.text),
            AddressKind::Part => self.text[self.host_end + 1..].to_owned(),
        }
    }

    /// Returns the scheme of a URL that only a part of a message can have, neither HTTP nor HTTPS.
    pub(super) fn scheme_of_part(&self) -> Option<&str> {
        if self.kind != AddressKind::Part {
            return None;
        }
        self.text[self.host_end + 1..].split(':').next()
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the name of its file, with folders: the host, and the path as wget has for Windows.
    ///
    /// The name is ASCII; characters that a system refuses are percent-encoded. With `has_digest`,
    /// a digest distinguishes it from the name of another URL.
    pub(super) fn file_name(&self, media: Media, has_digest: bool) -> String {
        let mut name = String::new();
        push_component(&mut name, &self.text[..self.host_end].replace(':', "+"));
        // Folders of hosts with these names would collide with files that absolve writes beside
        // them.
        let is_reserved = name.starts_with("absolve-") || name.eq_ignore_ascii_case("index.html");
        // Names with a dot are hidden, and may configure programs, as `.git` does; spreadsheets
        // take names with the other characters for formulas.
        if is_reserved || name.starts_with(['.', '=', '+', '-', '@']) {
            encode_first(&mut name, 0);
        }
        let host = name.len();
        let path = &self.text[self.path_start..self.query_start];
        let (folders, last) = path.rsplit_once('/').unwrap_or(("", path));
        for folder in folders.split('/').skip(1) {
            name.push('/');
            push_component(&mut name, if folder.is_empty() { "_" } else { folder });
        }
        name.push('/');
        let query = &self.text[self.query_start..];
        let last = match (last, media) {
            ("", Media::HTML) => "index.html",
            ("", _) => "index",
            (last, _) => last,
        };
        push_component(&mut name, &format!("{last}{}", query.replacen('?', "@", 1)));
        let start = name.rfind('/').map_or(0, |slash| slash + 1);
        let extension = name[start..].rsplit_once('.').map_or("", |(_, extension)| extension);
        let extension = extension.to_owned();
        let missing = media.missing_extension(&extension);
        if missing.is_none() && name[start..].eq_ignore_ascii_case(BARE_REPOSITORY_FILE) {
            encode_first(&mut name, start);
        }
        if name.len() > MAX_NAME_LEN {
            let end = match missing {
                Some(missing) => format!(".{missing}"),
                None if extension.is_empty() || extension.len() > 8 => String::new(),
                None => format!(".{extension}"),
            };
            name.truncate(if host > MAX_NAME_LEN { 0 } else { host + 1 });
            return format!("{name}{LONG_NAMES}/{}{end}", self.compute_digest());
        }
        if let Some(missing) = missing {
            let _ = write!(name, ".{missing}");
        }
        if has_digest {
            let dot = name[start..].rfind('.').map_or(name.len(), |dot| start + dot);
            name.insert_str(dot, &format!("~{}", &self.compute_digest()[..10]));
        }
        name
    }

    fn compute_digest(&self) -> String {
        let digest = Sha1::digest(&self.text);
        digest.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }
}

/// Appends a path or a query with normalized percent-encoding
/// ([RFC 3986, 6.2.2](https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2)).
fn normalize(url: &mut String, part: &str) {
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('%') {
        url.extend(utf8_percent_encode(before, NOT_IN_URLS));
        let digits = after.get(..2).filter(|two| two.bytes().all(|byte| byte.is_ascii_hexdigit()));
        rest = &after[digits.map_or(0, str::len)..];
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                url.push(char::from(byte));
            }
            // A `%` that starts no escape is encoded: decoded text after it could complete one.
            _ => url.extend(["%", &digits.unwrap_or("25").to_ascii_uppercase()]),
        }
    }
    url.extend(utf8_percent_encode(rest, NOT_IN_URLS));
}

/// Appends a part of a URL as the name of a file or a folder.
fn push_component(name: &mut String, text: &str) {
    let start = name.len();
    for byte in percent_decode_str(text) {
        if byte.is_ascii_alphanumeric() || PLAIN.contains(&byte) {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "%{byte:02X}");
        }
    }
    // Windows removes dots and blanks at the end of a name, and `..` is no name.
    if let Some(last @ ('.' | ' ')) = name[start..].chars().last() {
        name.pop();
        let _ = write!(name, "%{:02X}", last as u32);
    }
    let stem = name[start..].split('.').next().unwrap_or_default().trim_end();
    let stem = stem.to_ascii_lowercase();
    let device = stem.trim_end_matches(|last: char| last.is_ascii_digit());
    let digits = stem.len() - device.len();
    let is_device =
        DEVICES.contains(&device) && digits == usize::from(matches!(device, "com" | "lpt"));
    let lower = name[start..].to_ascii_lowercase();
    if is_device || REPOSITORIES.contains(&&*lower) || lower.starts_with(TEMPORARY_PREFIX) {
        encode_first(name, start);
    }
}

/// Percent-encodes the first character of a name, so that the name loses its special meaning.
fn encode_first(name: &mut String, start: usize) {
    let first = name.as_bytes()[start];
    name.replace_range(start..=start, &format!("%{first:02X}"));
}

/// Returns the path of a relative reference to a file with this name.
pub(super) fn reference_path(name: &str) -> String {
    name.bytes().fold(String::new(), |mut path, byte| {
        if byte.is_ascii_alphanumeric() || UNRESERVED.contains(&byte) {
            path.push(char::from(byte));
        } else {
            let _ = write!(path, "%{byte:02X}");
        }
        path
    })
}

/// A media type, as the number of its row in [`TYPES`], from 1; 0 is any other type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Media(u8);

/// Media types, the extensions that their files may have, and the extension that is added to the
/// names of other files.
type Row = (&'static [&'static str], &'static [&'static str], &'static str);

/// The types that browsers and people recognize by the extension of a file.
#[rustfmt::skip]
const TYPES: &[Row] = &[
    (&["text/html"], &["html", "htm"], "html"),
    (&["application/xhtml+xml"], &["xhtml", "xht"], "xhtml"),
    (&["text/css"], &["css"], "css"),
    (&["text/javascript", "application/javascript", "application/x-javascript"], &["js", "mjs"], "js"),
    (&["image/svg+xml"], &["svg"], "svg"),
    (&["text/plain"], &[], "txt"),
    (&["application/json"], &["json", "webmanifest", "map"], "json"),
    (&["application/pdf"], &["pdf"], "pdf"),
    (&["application/rss+xml", "application/atom+xml", "application/xml", "text/xml"],
        &["xml", "rss", "atom", "rdf", "xsl", "xslt", "opf", "ncx"], "xml"),
    (&["image/jpeg"], &["jpg", "jpeg", "jpe"], "jpg"),
    (&["image/png"], &["png"], "png"),
    (&["image/gif"], &["gif"], "gif"),
    (&["image/webp"], &["webp"], "webp"),
    (&["image/avif"], &["avif"], "avif"),
    (&["video/mp4"], &["mp4", "m4v"], "mp4"),
    (&["audio/mpeg"], &["mp3"], "mp3"),
];

/// Extensions that make browsers interpret a file, which plain text and unknown types must not get.
const ACTIVE: &[&str] =
    &["html", "htm", "xhtml", "xht", "shtml", "svg", "xml", "css", "js", "mjs", "mht", "mhtml"];

/// The number of plain text, whose files may have any extension that is not [`ACTIVE`].
const TEXT: u8 = 6;

impl Media {
    pub(super) const HTML: Self = Self(1);
    pub(super) const XML: Self = Self(9);
    pub(super) const CSS: Self = Self(3);

    /// Returns the type with this name.
    pub(super) fn from_name(media_type: &str) -> Self {
        let row = TYPES.iter().position(|(types, ..)| types.contains(&media_type));
        Self(row.and_then(|row| u8::try_from(row + 1).ok()).unwrap_or_default())
    }

    /// Returns the extension to add to a file name with this extension; `None` if it fits the type.
    fn missing_extension(self, extension: &str) -> Option<&'static str> {
        let extension = extension.to_ascii_lowercase();
        let is_active = ACTIVE.contains(&&*extension);
        match usize::from(self.0).checked_sub(1).and_then(|row| TYPES.get(row)) {
            Some((_, _, usual)) if self.0 == TEXT => is_active.then_some(usual),
            Some((_, known, usual)) => (!known.contains(&&*extension)).then_some(usual),
            None => is_active.then_some("bin"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn named(url: &str, media_type: &str, expected: &str) {
        let name =
            Address::parse(url, None).unwrap().file_name(Media::from_name(media_type), false);
        assert_eq!(name, expected, "{url}");
    }

    #[test]
    fn names_are_those_of_wget_for_windows() {
        named("http://h/", "text/html", "h/index.html");
        named("https://u:p@H:443/a/b.html#c", "text/html", "h/a/b.html");
        named("http://h:8080/a/", "text/html", "h+8080/a/index.html");
        named("http://h/a.php?id=1&b=c/d", "text/html", "h/a.php@id=1&b=c%2Fd.html");
        named("http://h/a.css?v=1.2", "text/css", "h/a.css@v=1.2.css");
        named("http://h/a.css?v", "text/css", "h/a.css@v.css");
        named("http://h/%7Ea/%20b.png", "image/png", "h/~a/ b.png");
        named("http://h/feed", "application/rss+xml", "h/feed.xml");
        named("http://h/a.html", "text/plain", "h/a.html.txt");
        named("http://h/", "image/png", "h/index.png");
    }

    #[test]
    fn spellings_of_a_url_are_one() {
        for (url, other) in [
            ("http://h/~a|b{c}^`", "http://h/%7ea%7Cb%7bc%7D%5E%60"),
            ("http://h/%c3%a9?%2f|\\", "https://h/\u{e9}?%2F%7C%5c"),
            ("http://h/%zz%?%", "http://h/%zz%?%"),
        ] {
            let [url, other] = [url, other].map(|url| Address::parse(url, None).unwrap().text);
            assert_eq!(url, other);
        }
        let url = |url| Address::parse(url, None).unwrap().text;
        assert_eq!(url("http://h/%zz%2F/%?[%]%4"), "h/%25zz%2F/%25?[%25]%254");
        assert_eq!(url("http://h/%%341"), "h/%2541");
    }

    #[test]
    fn names_are_such_that_every_system_takes() {
        named("http://h/a:b*c|d\"e<f>g\\h", "", "h/a%3Ab%2Ac%7Cd%22e%3Cf%3Eg/h");
        named("http://h/%2e%2e%2f..%5C..%00%0A", "", "h/..%2F..%5C..%00%0A");
        named("http://h/..%2f..%2fetc/passwd", "", "h/..%2F..%2Fetc/passwd");
        named("http://h/a/..../b./c%20", "", "h/a/...%2E/b%2E/c%20");
        named(
            "http://h/con/AUX.html/com1.txt/com.txt/null",
            "",
            "h/%63on/%41UX.html/%63om1.txt/com.txt/null",
        );
        named("http://h//a//b", "", "h/_/a/_/b");
        named("http://h/\u{e9}e\u{301}", "", "h/%C3%A9e%CC%81");
        named("http://[::1]/a", "", "[++1]/a");
        named("http://absolve-urls.tsv/a", "", "%61bsolve-urls.tsv/a");
        named("http://index.html/a", "", "%69ndex.html/a");
        named("http://con/a", "", "%63on/a");
        named("http://.git/config", "", "%2Egit/config");
        named("http://.x/.well-known/a", "", "%2Ex/.well-known/a");
        named("http://h/.GIT/%2egit/.gitignore", "", "h/%2EGIT/%2Egit/.gitignore");
        named("http://=1+1/a", "", "%3D1+1/a");
        named("http://h/a/.hg/hgrc", "", "h/a/%2Ehg/hgrc");
        named("http://h/HEAD", "", "h/%48EAD");
        named("http://h/a/head", "", "h/a/%68ead");
        named("http://h/head", "text/html", "h/head.html");
        named("http://head/Head/a", "", "head/Head/a");
        named("http://h/.git", "text/html", "h/%2Egit.html");
        named("http://h/.Absolve-tmp-0-1", "", "h/%2EAbsolve-tmp-0-1");
    }

    #[test]
    fn long_names_are_digests() {
        let url = format!("http://h/{}/a.html", "x".repeat(300));
        let name = Address::parse(&url, None).unwrap().file_name(Media::HTML, false);
        assert_eq!(name.len(), "h/absolve-long/".len() + 40 + ".html".len(), "{name}");
        let host = format!("http://{}/a.html", "x.".repeat(300));
        let name = Address::parse(&host, None).unwrap().file_name(Media::HTML, false);
        assert!(name.starts_with("absolve-long/") && name.len() < 70, "{name}");
    }

    #[test]
    fn another_name_differs_in_front_of_its_extension() {
        let name = Address::parse("http://h/A.html", None).unwrap().file_name(Media::HTML, true);
        let (stem, extension) = name.split_once('.').unwrap();
        assert_eq!((&stem[..4], stem.len(), extension), ("h/A~", 14, "html"), "{name}");
    }

    #[test]
    fn what_is_not_of_the_web_has_no_address() {
        for url in ["dns:h", "urn:x", "mailto:a@b", "x", "file:///etc/passwd", "http:///"] {
            assert_eq!(Address::parse(url, None), None, "{url}");
        }
        let address = Address::parse("http://h/a/b", None).unwrap();
        let (joined, fragment) = address.join("../c?d#e").unwrap();
        assert_eq!((joined.as_str(), fragment.as_deref()), ("h/c?d", Some("e")));
    }

    #[test]
    fn an_extension_says_the_type() {
        for (media_type, extension, expected) in [
            ("text/html", "html", None),
            ("text/html", "HTM", None),
            ("text/html", "php", Some("html")),
            ("text/css", "", Some("css")),
            ("image/svg+xml", "php", Some("svg")),
            ("text/plain", "log", None),
            ("text/plain", "html", Some("txt")),
            ("font/woff2", "woff2", None),
            ("application/octet-stream", "html", Some("bin")),
        ] {
            assert_eq!(Media::from_name(media_type).missing_extension(extension), expected);
        }
        assert_eq!(Media::from_name("text/html"), Media::HTML);
        assert_eq!(Media::from_name("text/css"), Media::CSS);
        assert_eq!(Media::from_name("text/xml"), Media::XML);
        assert_eq!(Media::from_name("text/plain"), Media(TEXT));
    }
}
