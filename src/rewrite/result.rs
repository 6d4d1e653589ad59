//! The result of reading or rewriting a document.

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT};

use crate::base::{BaseLayer, BaseSource, NotLearned, RejectedBase};
use crate::error::Location;
use crate::link::{LinkCounts, Notes};
use crate::splice::Changed;
use crate::url::Base;

/// Facts about a document: its base URL, its counts and notes.
#[derive(Debug, Clone)]
pub struct Summary {
    pub(super) counts: LinkCounts,
    pub(super) base: Option<Base>,
    pub(super) base_source: BaseSource,
    pub(super) rejected: Option<RejectedBase>,
    pub(super) encoding: &'static Encoding,
    pub(super) not_learned: Vec<NotLearned>,
    pub(super) notes: Notes,
}

impl Summary {
    /// Creates the summary of a document that no decoder reads.
    pub(super) fn unreadable(layer: BaseLayer) -> Self {
        Self {
            counts: LinkCounts::default(),
            base_source: layer.source(),
            base: layer.into_base(),
            rejected: None,
            encoding: REPLACEMENT,
            not_learned: Vec::new(),
            notes: Notes::default(),
        }
    }

    /// Replaces the base URL by an equal base URL of another summary, to share the memory.
    #[must_use]
    #[doc(hidden)]
    pub fn sharing_base(mut self, other: Option<&Self>) -> Self {
        if let (Some(base), Some(shared)) = (&mut self.base, other.and_then(Self::base))
            && base.as_str() == shared.as_str()
        {
            *base = shared.clone();
        }
        self
    }

    /// Returns the encoding in which the document was read.
    #[must_use]
    pub fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Whether no decoder reads the document, because its encoding is in the [`replacement`][spec]
    /// group: it has no links and stays unchanged.
    ///
    /// [spec]: https://encoding.spec.whatwg.org/#replacement
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.encoding == REPLACEMENT
    }

    /// Whether rewriting changes content for which the document has a digest (`integrity`), or a
    /// hash in its `Content-Security-Policy`: browsers refuse such content.
    #[must_use]
    pub fn has_stale_digests(&self) -> bool {
        self.notes.has_stale_digests
    }

    /// Returns the number of links by outcome.
    #[must_use]
    pub fn counts(&self) -> LinkCounts {
        self.counts
    }

    /// Returns the base URL against which references were resolved.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// Returns the source of the base URL.
    #[must_use]
    pub fn base_source(&self) -> BaseSource {
        self.base_source
    }

    /// Returns the document's own `base` element or `xml:base`, if it is not in effect because it
    /// is not usable, or not in the head.
    #[must_use]
    pub fn rejected_base(&self) -> Option<&RejectedBase> {
        self.rejected.as_ref()
    }

    /// Returns the first value or name in XML with an unknown namespace, whose links may be missed:
    /// the value of an `xmlns` with an entity that the internal subset does not declare as plain
    /// text; a name whose prefix only an attribute default may declare; or the name of a root
    /// element such as `svg`, whose language has links only in its namespace.
    #[must_use]
    pub fn unknown_namespace(&self) -> Option<&str> {
        self.notes.unknown_namespace.as_deref()
    }

    /// Returns the reason and the location of a tolerated fault in XML: many feeds have white space
    /// before the XML declaration, which most readers skip.
    #[must_use]
    pub fn tolerated_fault(&self) -> Option<(&'static str, Location)> {
        let why = "white space before the XML declaration, which not all readers take; remove it";
        self.notes.late_declaration.map(|location| (why, location))
    }

    /// Returns the number of import maps and speculation rules that stay unchanged, because with
    /// the new URLs their script would end at another offset.
    #[must_use]
    pub fn kept_scripts(&self) -> usize {
        self.notes.kept_scripts
    }

    /// Whether the document is read as HTML, but begins as XML and has a `script` element that XML
    /// closes and HTML does not: for HTML, everything after its tag is the text of the script.
    #[must_use]
    pub fn hides_markup(&self) -> bool {
        self.notes.hides_markup
    }

    /// Returns the number of style sheets, scripts, frames and refreshes before the `base` element
    /// of a rewritten document, which browsers resolve against the URL of the page instead.
    #[must_use]
    pub fn links_before_base(&self) -> usize {
        self.notes.links_before_base
    }

    /// Whether no byte order mark, caller, `meta` element or XML declaration names the encoding of
    /// a page that [`Rewriter::inspect`] read.
    ///
    /// [`Rewriter::inspect`]: crate::Rewriter::inspect
    #[must_use]
    pub fn is_encoding_guessed(&self) -> bool {
        self.notes.is_encoding_guessed
    }

    /// Returns the sources that name an unusable retrieval URL; the first of each kind.
    #[must_use]
    pub fn not_learned(&self) -> &[NotLearned] {
        &self.not_learned
    }
}

/// A rewritten document or file, with its summary.
///
/// ```
/// let rewriter = absolve::Rewriter::new();
/// let result = rewriter.rewrite(b"<base href=http://h/><a href=x>")?;
/// assert!(result.is_changed());
/// assert_eq!(result.summary().base().map(|base| base.as_str()), Some("http://h/"));
/// assert_eq!(result.into_bytes().as_ref(), b"<base href=http://h/><a href=http://h/x>");
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rewritten<'s, S = Summary> {
    bytes: Cow<'s, [u8]>,
    changed: Changed,
    summary: S,
}

impl<'s, S> Rewritten<'s, S> {
    /// Creates a result; borrowed bytes mean that nothing changed.
    #[doc(hidden)]
    pub fn from_bytes(bytes: Cow<'s, [u8]>, summary: S) -> Self {
        let changed = if matches!(bytes, Cow::Owned(_)) { Changed::Yes } else { Changed::No };
        Self { bytes, changed, summary }
    }

    /// Replaces the summary.
    #[doc(hidden)]
    pub fn map<T>(self, map: impl FnOnce(S) -> T) -> Rewritten<'s, T> {
        Rewritten { bytes: self.bytes, changed: self.changed, summary: map(self.summary) }
    }

    /// Returns the bytes of the document.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes of the document; borrows them from the source if nothing changed.
    #[must_use]
    pub fn into_bytes(self) -> Cow<'s, [u8]> {
        self.bytes
    }

    /// Whether the document differs from the source.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.changed == Changed::Yes
    }

    /// Returns the facts about the document.
    #[must_use]
    pub fn summary(&self) -> &S {
        &self.summary
    }

    /// Returns the facts about the document, without its bytes.
    #[must_use]
    pub fn into_summary(self) -> S {
        self.summary
    }
}

impl<'s> Rewritten<'s> {
    pub(super) fn new(bytes: Cow<'s, [u8]>, changed: Changed, summary: Summary) -> Self {
        Self { bytes, changed, summary }
    }

    /// Returns the number of links by outcome.
    #[must_use]
    pub fn counts(&self) -> LinkCounts {
        self.summary.counts()
    }

    /// Returns the base URL against which references were resolved.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.summary.base()
    }

    /// Returns the source of the base URL.
    #[must_use]
    pub fn base_source(&self) -> BaseSource {
        self.summary.base_source()
    }

    /// Returns the document's own `base` element or `xml:base`, if it is not in effect because it
    /// is not usable, or not in the head.
    #[must_use]
    pub fn rejected_base(&self) -> Option<&RejectedBase> {
        self.summary.rejected_base()
    }
}
