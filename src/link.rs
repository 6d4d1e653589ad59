//! Links, and the decisions about them that both engines share.
//!
//! An engine finds the attributes; this module decides which of them contain references, resolves
//! each reference, asks the decision function, and computes the new value of the attribute. Only
//! writing the value differs between the engines.

#[doc(hidden)]
pub mod column;
mod document;
mod json;
mod pass;
mod pattern;
mod policy;
mod settings;
mod visit;

use std::cell::OnceCell;
use std::ops::{AddAssign, Range};

use encoding_rs::Encoding;

use crate::attributes::Rule;
use crate::base::BaseSource;
use crate::grammar::Grammar;
use crate::url::{Base, Refusal, Resolution, Standard};

pub(crate) use document::{BaseOwner, BaseUse, Document, Site};
pub(crate) use json::{JsonScript, decide_on_script};
pub(crate) use pass::{BaseNeed, Decide, LinkPass, Notes, is_identifier};
#[doc(hidden)]
pub use pattern::is_template;
pub use pattern::{InvalidGlob, LinkPattern};
pub use policy::{Decision, Direction, Form, Placement, Policy, Targets};
pub(crate) use settings::Storage;
pub use settings::{BaseElement, BaseScope, Credentials, Engine, FeedBase, SameDocument, Syntax};
#[doc(hidden)]
pub use settings::{EditedDigests, IntegrityUpdate, SavedFiles, Settings};
pub use visit::{Anchor, AnchorKind, BasePlace, BaseTag, Detail, MARKERS, Visit};
pub(crate) use visit::{
    AnchorText, CONTENT, Details, HIDDEN, Siblings, is_marker, may_have_marker,
};

/// A reference in a document, with its attribute and the base that it resolves against.
///
/// ```
/// use absolve::{Rewriter, grammar::Grammar};
///
/// let rewriter = Rewriter::new().base_url("http://h/")?;
/// rewriter.links(b"<img srcset='a.png 2x'>", |link| {
///     assert_eq!((link.element(), link.attribute()), ("img", "srcset"));
///     assert_eq!(link.grammar(), Grammar::Srcset);
///     assert_eq!((link.reference(), link.url()), ("a.png", Some("http://h/a.png")));
///     assert_eq!(link.span(), Some(13..18));
/// })?;
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug)]
pub struct Link<'a> {
    pub(crate) element: &'a str,
    pub(crate) attribute: &'a str,
    pub(crate) grammar: Grammar,
    pub(crate) reference: &'a str,
    pub(crate) span: Option<Range<usize>>,
    pub(crate) enclosing: Option<Range<usize>>,
    pub(crate) base: Option<&'a Base>,
    pub(crate) base_source: BaseSource,
    pub(crate) encoding: &'static Encoding,
    /// Whether the reference is the source of a font, whose fragment names no element.
    #[doc(hidden)]
    pub is_font: bool,
    /// Whether an `@import` has the reference.
    pub(crate) is_import: bool,
    resolve_options: ResolveOptions,
    /// The URL in two parts, if it is known before the reference is resolved.
    joined: Option<(&'a str, &'a str)>,
    /// Computed when it is first needed.
    outcome: OnceCell<LinkOutcome>,
    pub(crate) siblings: Siblings<'a>,
}

impl<'a> Link<'a> {
    /// Creates a link at a site, without a base.
    #[inline]
    pub(crate) fn new(
        site: &Site<'a>,
        reference: &'a str,
        span: Option<Range<usize>>,
        encoding: &'static Encoding,
        resolve_options: ResolveOptions,
    ) -> Self {
        Self {
            element: site.element,
            attribute: site.attribute,
            grammar: site.spot.grammar,
            reference,
            span,
            enclosing: None,
            base: None,
            base_source: BaseSource::None,
            encoding,
            is_font: false,
            is_import: false,
            resolve_options,
            joined: None,
            outcome: OnceCell::new(),
            siblings: site.siblings,
        }
    }
}

impl Link<'_> {
    /// The element's name: in lower case in HTML, without its prefix and in its own case in XML.
    /// Empty for a link of a style sheet that is a document.
    #[must_use]
    pub fn element(&self) -> &str {
        self.element
    }

    /// The attribute's name, in lower case, with its prefix: `xlink:href`;
    /// `(text)` for the text of the element, or of a style sheet that is a document.
    #[must_use]
    pub fn attribute(&self) -> &str {
        self.attribute
    }

    /// The way in which the attribute contains references.
    #[must_use]
    pub fn grammar(&self) -> Grammar {
        self.grammar
    }

    /// The reference as an HTML parser yields it: character references decoded
    /// and line ends normalised, white space around it kept.
    #[must_use]
    pub fn reference(&self) -> &str {
        self.reference
    }

    /// The bytes of the document that contain the reference as written, without quotes. For a link
    /// of a document inside an attribute, the bytes of [`Self::enclosing`]. `None` with the engine
    /// `dom`, which does not know them.
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        self.span.clone()
    }

    /// For a link of a document inside an attribute: the bytes of that attribute's
    /// value in the outermost document.
    #[must_use]
    pub fn enclosing(&self) -> Option<Range<usize>> {
        self.enclosing.clone()
    }

    /// The base URL that the reference was resolved against.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.base
    }

    /// The source of [`Self::base`].
    #[must_use]
    pub fn base_source(&self) -> BaseSource {
        self.base_source
    }

    /// The encoding of the document, and of [`span`](Self::span).
    #[must_use]
    pub fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Whether browsers resolve the link while they read its element, against the base URL of that
    /// moment: a style sheet, a script, a preload, an import map, a frame, or a page that refreshes
    /// this one.
    #[doc(hidden)]
    pub fn is_loaded_at_once(&self) -> bool {
        let kinds = ["stylesheet", "preload", "modulepreload", "prefetch"];
        let is_loaded = |token: &str| kinds.iter().any(|kind| token.eq_ignore_ascii_case(kind));
        match (self.element, self.attribute) {
            ("link", "href") => {
                self.sibling("rel").is_some_and(|rel| rel.split_ascii_whitespace().any(is_loaded))
            }
            ("script", "src" | "href" | "xlink:href" | "imports" | "scopes" | "integrity")
            | ("iframe" | "frame", "src") => true,
            _ => self.is_import || self.grammar == Grammar::Refresh,
        }
    }

    /// The value of an attribute of the same element, by its name in lower case.
    #[must_use]
    pub fn sibling(&self, attribute: &str) -> Option<String> {
        self.siblings.value(attribute)
    }

    /// A property of the element that describes the link, cut at [`Detail::MAX_LENGTH`] bytes
    /// except for [`Detail::Content`]; `None` if the element has no such attribute or text.
    ///
    /// ```
    /// use absolve::{Detail, Rewriter};
    ///
    /// Rewriter::new().links(b"<a href=x rel=next>The <i>next</i> page</a>", |link| {
    ///     assert_eq!(link.detail(Detail::Text), Some("The next page"));
    ///     assert_eq!(link.detail(Detail::Rel), Some("next"));
    ///     assert_eq!(link.detail(Detail::Title), None);
    /// })?;
    /// # Ok::<(), absolve::Error>(())
    /// ```
    #[must_use]
    pub fn detail(&self, detail: Detail) -> Option<&str> {
        self.siblings.detail(detail)
    }

    /// Whether the value has an entity; unlike [`Self::outcome`], this resolves nothing.
    #[doc(hidden)]
    pub fn has_entity(&self) -> bool {
        self.resolve_options.replacement == Replacement::Entity
    }

    /// The result of resolving the reference.
    #[must_use]
    pub fn outcome(&self) -> &LinkOutcome {
        self.outcome.get_or_init(|| self.resolve_options.resolve(self.base, self.reference))
    }

    /// The absolute URL; `None` if the reference is unresolved or invalid, or stays because it is
    /// empty or has an entity.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match self.outcome() {
            LinkOutcome::Absolute(url) | LinkOutcome::Resolved(url) | LinkOutcome::Kept(url) => {
                Some(url)
            }
            LinkOutcome::Empty
            | LinkOutcome::Entity
            | LinkOutcome::Unresolved
            | LinkOutcome::Invalid(_) => None,
        }
    }

    /// [`Self::url`] in two consecutive parts, which most links return without a copy.
    #[must_use]
    #[doc(hidden)]
    pub fn url_parts(&self) -> Option<(&str, &str)> {
        self.joined.or_else(|| Some(("", self.url()?)))
    }

    /// Replaces the resolved URL by another URL.
    fn with_url(self, url: String) -> Self {
        Self { outcome: OnceCell::from(LinkOutcome::Resolved(url)), ..self }
    }

    /// The URL that replaces the reference if links become absolute; `None` if it stays.
    #[must_use]
    pub fn replacement_url(&self) -> Option<&str> {
        match self.outcome() {
            LinkOutcome::Resolved(url) => Some(url),
            _ => None,
        }
    }

    /// Takes the URL of [`Self::replacement_url`] without a copy.
    pub(crate) fn into_replacement_url(mut self) -> Option<String> {
        let _ = self.outcome();
        match self.outcome.take() {
            Some(LinkOutcome::Resolved(url)) => Some(url),
            _ => None,
        }
    }
}

/// The result of resolving a link's reference.
///
/// ```
/// use absolve::{LinkOutcome, Rewriter};
///
/// let rewriter = Rewriter::new().base_url("http://h/")?;
/// let mut outcomes = Vec::new();
/// rewriter.links(b"<a href=x><a href=mailto:x@y>", |link| outcomes.push(link.outcome().clone()))?;
/// assert_eq!(outcomes[0], LinkOutcome::Resolved("http://h/x".to_owned()));
/// assert_eq!(outcomes[1], LinkOutcome::Absolute("mailto:x@y".to_owned()));
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkOutcome {
    /// The reference has a scheme and stays as written.
    Absolute(String),
    /// The reference was resolved to this URL.
    Resolved(String),
    /// The reference has this URL but stays as written, by a rule of its attribute or an option.
    Kept(String),
    /// The value is empty and stays, because its attribute then names no resource, or the document.
    Empty,
    /// The value is XML with an entity, which is not expanded; it stays.
    Entity,
    /// The reference is relative and the document has no base URL.
    Unresolved,
    /// The standard refuses the reference.
    Invalid(Refusal),
}

/// The standard for resolving a reference, and the use of the result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResolveOptions {
    pub(super) standard: Standard,
    pub(super) replacement: Replacement,
}

/// Whether a resolved reference is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    /// The URL replaces the reference, if the policy agrees.
    Replaced,
    /// The reference is resolved, but stays as written.
    Kept,
    /// An empty value that stays, whatever its base is.
    Empty,
    /// A value with an entity.
    Entity,
}

impl ResolveOptions {
    /// Whether the reference stays even if rules move its URL: a `base` element or a permalink has
    /// it, and keeps it.
    pub(super) fn is_kept(self, rule: Rule) -> bool {
        self.replacement == Replacement::Kept && matches!(rule, Rule::Base | Rule::Permalink)
    }

    pub(super) fn resolve(self, base: Option<&Base>, reference: &str) -> LinkOutcome {
        match self.replacement {
            Replacement::Empty => return LinkOutcome::Empty,
            Replacement::Entity => return LinkOutcome::Entity,
            Replacement::Replaced | Replacement::Kept => {}
        }
        match self.standard.resolve(base, reference) {
            Ok(Resolution::Absolute(url)) => LinkOutcome::Absolute(url.into_owned()),
            Ok(Resolution::Resolved(url)) if self.replacement == Replacement::Kept => {
                LinkOutcome::Kept(url)
            }
            Ok(Resolution::Resolved(url)) => LinkOutcome::Resolved(url),
            Ok(Resolution::Unresolved) => LinkOutcome::Unresolved,
            Err(refusal) => LinkOutcome::Invalid(refusal),
        }
    }
}

/// The links of a document, counted by outcome.
///
/// `links` is the sum of the others.
///
/// ```
/// let rewriter = absolve::Rewriter::new().base_url("http://h/")?;
/// let counts = rewriter.rewrite(b"<a href=x><a href=mailto:x@y>")?.counts();
/// assert_eq!((counts.links, counts.rewritten, counts.absolute), (2, 1, 1));
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LinkCounts {
    /// Links seen.
    pub links: usize,
    /// Links whose reference was replaced.
    pub rewritten: usize,
    /// Links whose reference is absolute and was left.
    pub absolute: usize,
    /// Links that a rule, a decision or an option keeps; empty values, and values with an entity.
    pub kept: usize,
    /// Links left relative because there is no base URL.
    pub unresolved: usize,
    /// Links left because the standard refuses them.
    pub invalid: usize,
}

impl AddAssign for LinkCounts {
    fn add_assign(&mut self, other: Self) {
        self.links += other.links;
        self.rewritten += other.rewritten;
        self.absolute += other.absolute;
        self.kept += other.kept;
        self.unresolved += other.unresolved;
        self.invalid += other.invalid;
    }
}

impl LinkCounts {
    pub(crate) fn add(&mut self, link: &Link<'_>, is_rewritten: bool) {
        self.links += 1;
        let count = match link.outcome() {
            _ if is_rewritten => &mut self.rewritten,
            LinkOutcome::Absolute(_) => &mut self.absolute,
            LinkOutcome::Resolved(_)
            | LinkOutcome::Kept(_)
            | LinkOutcome::Empty
            | LinkOutcome::Entity => &mut self.kept,
            LinkOutcome::Unresolved => &mut self.unresolved,
            LinkOutcome::Invalid(_) => &mut self.invalid,
        };
        *count += 1;
    }
}
