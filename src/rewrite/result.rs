//! The result of a document.

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT};

use crate::base::{BaseLayer, BaseSource, NotLearned, RejectedBase};
use crate::error::Location;
use crate::link::{LinkCounts, Notes};
use crate::splice::Changed;
use crate::url::Base;

/// What was learned about a document: its base URL and its counts.
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
    /// The summary of a document that is not read.
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

    /// Shares the memory of an equal base URL with another summary.
    #[cfg(feature = "containers")]
    pub(crate) fn sharing_base(mut self, other: Option<&Self>) -> Self {
        if let (Some(own), Some(other)) = (&mut self.base, other.and_then(|one| one.base.as_ref()))
            && own.as_str() == other.as_str()
        {
            *own = other.clone();
        }
        self
    }

    /// The encoding that the document is in.
    #[must_use]
    pub fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Whether the document is in one of the encodings of the [`replacement`][spec]
    /// group, which is not read at all: it has no links and stays as it is.
    ///
    /// [spec]: https://encoding.spec.whatwg.org/#replacement
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.encoding == REPLACEMENT
    }

    /// Whether the document has a digest (`integrity`), or a hash of its `Content-Security-Policy`, of
    /// what changes: browsers refuse that.
    #[must_use]
    pub fn has_stale_digests(&self) -> bool {
        self.notes.has_stale_digests
    }

    /// The number of links by outcome.
    #[must_use]
    pub fn counts(&self) -> LinkCounts {
        self.counts
    }

    /// The base URL that references were resolved against.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// Where that base URL came from.
    #[must_use]
    pub fn base_source(&self) -> BaseSource {
        self.base_source
    }

    /// The document's own `base` element, if it does not count: it is not usable, or not in the
    /// head.
    #[must_use]
    pub fn rejected_base(&self) -> Option<&RejectedBase> {
        self.rejected.as_ref()
    }

    /// In XML, the first namespace declaration or root element that links may be missed for: the
    /// value of an `xmlns` with an entity that is not declared in the internal subset, or not plain
    /// text, or the name of a root element without namespace that has links in its own, such as
    /// `svg`.
    #[must_use]
    pub fn unknown_namespace(&self) -> Option<&str> {
        self.notes.unknown_namespace.as_deref()
    }

    /// Why a document of XML is not well-formed that is read all the same, and where: many feeds have
    /// white space before the XML declaration, and their readers skip it.
    #[must_use]
    pub fn tolerated_fault(&self) -> Option<(&'static str, Location)> {
        let why = "white space before the XML declaration, which not all readers take; remove it";
        self.notes.late_declaration.map(|location| (why, location))
    }

    /// How many import maps and speculation rules stay as they are, because with the new URLs their script
    /// would end in another place.
    #[must_use]
    pub fn kept_scripts(&self) -> usize {
        self.notes.kept_scripts
    }

    /// Whether the document begins as XML and has a `script` element that XML closes and HTML, as
    /// which it is read, does not: what follows is the text of a script.
    #[must_use]
    pub fn hides_markup(&self) -> bool {
        self.notes.hides_markup
    }

    /// The number of style sheets, scripts, frames and refreshes before the `base` element of a document
    /// that was rewritten: browsers load them by the URL of the page, which leads elsewhere.
    #[must_use]
    pub fn links_before_base(&self) -> usize {
        self.notes.links_before_base
    }

    /// Whether nothing names the encoding of a page that [`Rewriter::inspect`] read: no byte order
    /// mark, no caller, no `meta` element and no XML declaration.
    ///
    /// [`Rewriter::inspect`]: crate::Rewriter::inspect
    #[must_use]
    pub fn is_encoding_guessed(&self) -> bool {
        self.notes.is_encoding_guessed
    }

    /// What names a retrieval URL that is not usable, where one was to be learned; of
    /// each kind the first.
    #[must_use]
    pub fn not_learned(&self) -> &[NotLearned] {
        &self.not_learned
    }
}

/// A document or a file after rewriting: its bytes and what was learned about it.
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
    /// Of what is borrowed where nothing changed.
    #[cfg(feature = "containers")]
    pub(crate) fn of(bytes: Cow<'s, [u8]>, summary: S) -> Self {
        let changed = if matches!(bytes, Cow::Owned(_)) { Changed::Yes } else { Changed::No };
        Self { bytes, changed, summary }
    }

    /// The same with another summary.
    #[cfg(feature = "containers")]
    pub(crate) fn map<T>(self, map: impl FnOnce(S) -> T) -> Rewritten<'s, T> {
        Rewritten { bytes: self.bytes, changed: self.changed, summary: map(self.summary) }
    }

    /// The document.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The document; borrowed from the source where nothing changed.
    #[must_use]
    pub fn into_bytes(self) -> Cow<'s, [u8]> {
        self.bytes
    }

    /// Whether it differs from the source.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.changed == Changed::Yes
    }

    /// What was learned about it.
    #[must_use]
    pub fn summary(&self) -> &S {
        &self.summary
    }

    /// What was learned about it, without the bytes.
    #[must_use]
    pub fn into_summary(self) -> S {
        self.summary
    }
}

impl<'s> Rewritten<'s> {
    pub(super) fn new(bytes: Cow<'s, [u8]>, changed: Changed, summary: Summary) -> Self {
        Self { bytes, changed, summary }
    }

    /// The number of links by outcome.
    #[must_use]
    pub fn counts(&self) -> LinkCounts {
        self.summary.counts()
    }

    /// The base URL that references were resolved against.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.summary.base()
    }

    /// Where that base URL came from.
    #[must_use]
    pub fn base_source(&self) -> BaseSource {
        self.summary.base_source()
    }

    /// The document's own `base` element, if it does not count: it is not usable, or not in the
    /// head.
    #[must_use]
    pub fn rejected_base(&self) -> Option<&RejectedBase> {
        self.summary.rejected_base()
    }
}
