//! Media types, and the file extensions that browsers derive them from on a disk.

/// A media type of [`TYPES`], by its number; 0 is any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Media(u8);

/// The media types of a row, the extensions that their files may have, and the one that others get.
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

/// Extensions that browsers treat as another type than plain text, or data.
const ACTIVE: &[&str] =
    &["html", "htm", "xhtml", "xht", "shtml", "svg", "xml", "css", "js", "mjs", "mht", "mhtml"];

/// The number of plain text, whose files have any extension that is not [`ACTIVE`].
const TEXT: u8 = 6;

impl Media {
    pub(super) const HTML: Self = Self(1);
    pub(super) const XML: Self = Self(9);
    pub(super) const CSS: Self = Self(3);

    /// The type with this name.
    pub(super) fn named(media_type: &str) -> Self {
        let row = TYPES.iter().position(|(types, ..)| types.contains(&media_type));
        Self(row.and_then(|row| u8::try_from(row + 1).ok()).unwrap_or_default())
    }

    /// The extension that has to be added to a file name with this one.
    pub(super) fn missing_extension(self, extension: &str) -> Option<&'static str> {
        let extension = extension.to_ascii_lowercase();
        let is_active = ACTIVE.contains(&&*extension);
        match usize::from(self.0).checked_sub(1).and_then(|row| TYPES.get(row)) {
            Some((_, _, own)) if self.0 == TEXT => is_active.then_some(own),
            Some((_, known, own)) => (!known.contains(&&*extension)).then_some(own),
            None => is_active.then_some("bin"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(Media::named(media_type).missing_extension(extension), expected);
        }
        assert_eq!(Media::named("text/html"), Media::HTML);
        assert_eq!(Media::named("text/css"), Media::CSS);
        assert_eq!(Media::named("text/xml"), Media::XML);
        assert_eq!(Media::named("text/plain"), Media(TEXT));
    }
}
