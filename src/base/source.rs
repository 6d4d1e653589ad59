//! Where a base URL came from, by its name, and what one may be learned from.

use std::fmt;

/// Where a base URL came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BaseSource {
    /// The document's own `base` element.
    BaseElement,
    /// What encloses the document: another one, or a message.
    Enclosing,
    /// The header `Content-Base` of the part of a message, or of the response in a web
    /// archive, that is the document.
    ContentBase,
    /// The header `Content-Location` of the part of a message.
    ContentLocation,
    /// The header `Base`, as RFC 1808 section 3.1 has it, of either.
    BaseHeader,
    /// The URL that a web archive's record says it was retrieved from.
    TargetUri,
    /// A list of files and their URLs.
    BaseMap,
    /// The URL that the document was retrieved from, as it was given.
    RetrievalUrl,
    /// The URL that a saved page was retrieved from, as its message remembers it.
    SnapshotLocation,
    /// The mark that browsers leave: `<!-- saved from url=(0014)http://host/ -->`.
    SavedFrom,
    /// The comment that `SingleFile` leaves.
    SingleFile,
    /// The comment that `HTTrack` leaves.
    Httrack,
    /// The comment that monolith leaves.
    Monolith,
    /// The attribute of the `html` element that `WebScrapBook` leaves.
    WebScrapBook,
    /// A `link` element with `rel=original`.
    Original,
    /// The extended attribute `user.xdg.origin.url` of the file, or of the `.orig` beside it.
    Xattr,
    /// The `HostUrl` in the file's `Zone.Identifier`.
    ZoneIdentifier,
    /// The folders that a mirror has one for each host.
    Layout,
    /// There is no base URL.
    None,
}

impl BaseSource {
    /// Its name in reports, such as `base-element`, `retrieval-url`, `saved-from` or
    /// `none`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BaseElement => "base-element",
            Self::Enclosing => "enclosing",
            Self::ContentBase => "content-base",
            Self::ContentLocation => "content-location",
            Self::BaseHeader => "base-header",
            Self::TargetUri => "target-uri",
            Self::BaseMap => "base-map",
            Self::RetrievalUrl => "retrieval-url",
            Self::SnapshotLocation => "snapshot-location",
            Self::SavedFrom => "saved-from",
            Self::SingleFile => "singlefile",
            Self::Httrack => "httrack",
            Self::Monolith => "monolith",
            Self::WebScrapBook => "webscrapbook",
            Self::Original => "original",
            Self::Xattr => "xattr",
            Self::ZoneIdentifier => "zone-identifier",
            Self::Layout => "layout",
            Self::None => "none",
        }
    }
}

impl fmt::Display for BaseSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the retrieval URL of a document is learned from, where none is given.
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
    /// All that there is to learn from, in the order in which it counts.
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

    /// Those that are in the page itself: all but the last two, which are of files.
    pub(crate) const IN_PAGES: &[BaseSource] = Self::SOURCES.split_at(Self::SOURCES.len() - 2).0;

    /// Nothing.
    pub const NONE: Self = Self(0);

    /// All of [`Learn::SOURCES`]. The last two are of files, and mean nothing for bytes.
    pub const ALL: Self = Self(u32::MAX);

    /// This source too.
    #[must_use]
    pub fn with(self, source: BaseSource) -> Self {
        Self(self.0 | 1 << source as u16)
    }

    /// Whether it is learned from this source.
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
