//! The sources of a base URL, and the set of sources to learn it from.

use crate::named::named_enum;

named_enum! {
    /// The source of a base URL.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum BaseSource {
        /// The document's own `base` element.
        BaseElement = "base-element",
        /// The link of the feed item that contains the document.
        ItemLink = "item-link",
        /// The enclosing document or message.
        Enclosing = "enclosing",
        /// The header `Content-Base` of the part of a message, or of the response in a web archive,
        /// that contains the document.
        ContentBase = "content-base",
        /// The header `Content-Location` of the part of a message that contains the document.
        ContentLocation = "content-location",
        /// The header `Base` of RFC 1808 section 3.1, of a part or response as for `Content-Base`.
        BaseHeader = "base-header",
        /// The URL in the web archive's record.
        TargetUri = "target-uri",
        /// A list of files and their URLs.
        BaseMap = "base-map",
        /// The URL that the document was retrieved from, as given.
        RetrievalUrl = "retrieval-url",
        /// The original URL of a saved page, as recorded in its message.
        SnapshotLocation = "snapshot-location",
        /// The comment of browsers: `<!-- saved from url=(0014)http://host/ -->`.
        SavedFrom = "saved-from",
        /// The comment of `SingleFile`.
        SingleFile = "singlefile",
        /// The comment of `HTTrack`.
        Httrack = "httrack",
        /// The comment of monolith.
        Monolith = "monolith",
        /// The attribute that `WebScrapBook` adds to the `html` element.
        WebScrapBook = "webscrapbook",
        /// A `link` element with `rel=original`.
        Original = "original",
        /// The extended attribute `user.xdg.origin.url` of the file, or of the `.orig` beside it.
        Xattr = "xattr",
        /// The `HostUrl` in the file's `Zone.Identifier`.
        ZoneIdentifier = "zone-identifier",
        /// The folder names of a mirror with a folder for each host.
        Layout = "layout",
        /// There is no base URL.
        None = "none",
    }
}

/// The sources from which a retrieval URL is learned if none is given.
///
/// ```
/// use absolve::{BaseSource, Learn, Rewriter};
///
/// let page = b"<!-- saved from url=(0016)http://h/a/b.htm --><a href=c>";
/// let learned = Rewriter::new().rewrite(page)?;
/// assert_eq!(learned.base_source(), BaseSource::SavedFrom);
/// let none = Rewriter::new().learn(Learn::NONE).rewrite(page)?;
/// assert_eq!(none.base_source(), BaseSource::None);
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Learn(u32);

impl Learn {
    /// Every source, in order of precedence.
    pub const SOURCES: &[BaseSource] = &[
        BaseSource::SavedFrom,
        BaseSource::SingleFile,
        BaseSource::Httrack,
        BaseSource::Monolith,
        BaseSource::WebScrapBook,
        BaseSource::Original,
        BaseSource::Xattr,
        BaseSource::ZoneIdentifier,
    ];

    /// The sources in the page itself: all except the last two, which belong to files.
    pub(crate) const IN_PAGES: &[BaseSource] = Self::SOURCES.split_at(Self::SOURCES.len() - 2).0;

    /// No source.
    pub const NONE: Self = Self(0);

    /// All of [`Learn::SOURCES`]. The last two belong to files, and have no effect on documents in
    /// memory.
    pub const ALL: Self = Self(u32::MAX);

    /// Adds a source.
    #[must_use]
    pub fn with(self, source: BaseSource) -> Self {
        Self(self.0 | 1 << source as u16)
    }

    /// Whether this set has a source.
    #[must_use]
    pub fn has(self, source: BaseSource) -> bool {
        self.0 & (1 << source as u16) != 0
    }
}

impl Default for Learn {
    fn default() -> Self {
        Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_into_it() {
        for &source in Learn::SOURCES {
            assert!(Learn::ALL.has(source) && !Learn::NONE.has(source), "{source}");
            let one = Learn::NONE.with(source);
            let found: Vec<_> = Learn::SOURCES.iter().filter(|&&other| one.has(other)).collect();
            assert_eq!(found, [&source]);
        }
    }
}
