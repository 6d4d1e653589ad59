//! The settings of a run, and the limits that follow from them.

use std::fmt;
use std::sync::Arc;

use encoding_rs::Encoding;

use super::Link;
use super::pattern::LinkPattern;
use super::policy::Direction;
use super::policy::Policy;

use crate::attributes::Selection;
use crate::base::{BaseLayer, Learn, Learned};
use crate::encoding::Repertoire;
use crate::error::{Error, Limit, Limits};
use crate::url::Base;
use crate::url::Standard;

impl Limits {
    /// Whether a value exceeds a limit; 0 is no limit.
    #[must_use]
    #[doc(hidden)]
    pub fn exceeds(max: usize, value: usize) -> bool {
        max != 0 && value > max
    }

    /// The largest document that is read, whether a limit is set or not.
    #[must_use]
    #[doc(hidden)]
    pub fn max_input(&self) -> usize {
        if self.input == 0 { Limit::MAX_INPUT } else { self.input.min(Limit::MAX_INPUT) }
    }

    /// Refuses a document that is too large, by its length.
    ///
    /// # Errors
    ///
    /// If the document is larger than [`Limits::input`], or than any document can be.
    #[doc(hidden)]
    pub fn check_input(&self, bytes: u64) -> Result<(), Error> {
        // A higher limit would not help above the largest document.
        let largest = Limit::MAX_INPUT;
        let max = if bytes > largest as u64 { largest } else { self.max_input() };
        if bytes > max as u64 { Err(Error::limit(Limit::Input, max, None)) } else { Ok(()) }
    }

    /// Returns the largest output for an input of this size; 0 is no limit.
    #[must_use]
    #[doc(hidden)]
    pub fn max_output(&self, input: usize) -> usize {
        const MIB: usize = 1024 * 1024;
        match self.output {
            Self::OUTPUT_BY_INPUT => input.saturating_mul(16).saturating_add(MIB).min(256 * MIB),
            max => max,
        }
    }

    pub(crate) fn max_srcdoc(&self) -> usize {
        if self.srcdoc == 0 { Self::MAX_SRCDOC } else { self.srcdoc.min(Self::MAX_SRCDOC) }
    }
}

/// The engine that reads and writes documents.
///
/// ```
/// use absolve::{Engine, Rewriter};
///
/// let rewriter = Rewriter::new().base_url("http://h/")?.engine(Engine::Splice);
/// assert_eq!(rewriter.rewrite(b"<IMG SRC=a>")?.bytes(), b"<IMG SRC=http://h/a>");
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Engine {
    /// Edits applied to the source's bytes; every other byte stays. The default.
    #[default]
    Splice,
    /// An HTML parser's tree, written out again (feature `dom`).
    Dom,
}

/// The part of a document in which the `href` of a `base` element takes effect.
///
/// ```
/// use absolve::{BaseScope, Rewriter};
///
/// let page = b"<body><base href=http://h/><a href=x>";
/// let rewriter = Rewriter::new();
/// assert_eq!(rewriter.rewrite(page)?.counts().unresolved, 1);
/// let rewriter = rewriter.base_scope(BaseScope::Document);
/// assert_eq!(rewriter.rewrite(page)?.counts().unresolved, 0);
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum BaseScope {
    /// The head, as in RFC 1808: a parser puts the element there, or it is written before `</head>`
    /// or `<body>`, where a custom element or text makes parsers end the head. The default.
    #[default]
    Head,
    /// The whole document, as in browsers.
    Document,
}

/// Treatment of `base` elements.
///
/// ```
/// use absolve::{BaseElement, Rewriter};
///
/// let rewriter = Rewriter::new().base_element(BaseElement::Remove);
/// let page = rewriter.rewrite(b"<base href=http://h/><a href=x>")?;
/// assert_eq!(page.bytes(), b"<a href=http://h/x>");
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum BaseElement {
    /// Makes their `href` absolute, like every other. The default.
    #[default]
    Absolute,
    /// Leaves them as written.
    Keep,
    /// Removes them; an element with a `target` loses only its `href`. They stay in a
    /// document whose `base` element leaves relative references unresolved, such as
    /// `about:srcdoc`: without it, these references would resolve. They also stay if there are
    /// [links to ignore](crate::Rewriter::ignore_links), which need them.
    Remove,
}

/// The base of the HTML in the items of a feed.
///
/// ```
/// use absolve::{FeedBase, Rewriter, Syntax};
///
/// let feed = b"<rss><channel><item><link>http://h/a/</link>\
///     <description>&lt;a href=b></description></item></channel></rss>";
/// let rewriter = Rewriter::new().syntax(Syntax::Xml).feed_base(FeedBase::Item);
/// assert!(rewriter.rewrite(feed)?.bytes().windows(12).any(|text| text == b"http://h/a/b"));
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum FeedBase {
    /// The feed: its `xml:base`, else its URL. The default.
    #[default]
    Feed,
    /// The link of the item, which is relative to the feed. An `xml:base` inside the item takes
    /// precedence, and without a usable link the feed is the base.
    Item,
}

/// Treatment of references to the document itself, which are empty or only a fragment.
///
/// ```
/// use absolve::{Rewriter, SameDocument};
///
/// let rewriter = Rewriter::new().base_url("http://h/a")?.same_document(SameDocument::Keep);
/// let page = rewriter.rewrite(b"<a href=#top><a href=b>")?;
/// assert_eq!(page.bytes(), b"<a href=#top><a href=http://h/b>");
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum SameDocument {
    /// Makes them absolute like every other. The default.
    #[default]
    Rewrite,
    /// Leaves them if the base is the document's own URL.
    Keep,
}

/// Treatment of the user and password of a base URL.
///
/// ```
/// use absolve::{Credentials, Rewriter};
///
/// let rewriter = Rewriter::new().base_url("http://user:password@h/")?;
/// assert_eq!(rewriter.rewrite(b"<a href=x>")?.bytes(), b"<a href=http://h/x>");
/// let rewriter = rewriter.credentials(Credentials::Keep);
/// assert_eq!(rewriter.rewrite(b"<a href=x>")?.bytes(), b"<a href=http://user:password@h/x>");
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Credentials {
    /// Leaves them out of links. The default.
    #[default]
    Drop,
    /// Copies them into links.
    Keep,
}

/// The syntax of a document, which chooses its scanner.
///
/// ```
/// use absolve::{Rewriter, Syntax};
///
/// let rewriter = Rewriter::new().base_url("http://h/css/a.css")?.syntax(Syntax::Css);
/// let sheet = rewriter.rewrite(b"@import 'b.css'; a { background: url(../c.png) }")?;
/// let expected = b"@import 'http://h/css/b.css'; a { background: url(http://h/c.png) }";
/// assert_eq!(sheet.bytes(), expected);
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Syntax {
    /// [HTML](https://html.spec.whatwg.org/multipage/parsing.html). The default.
    #[default]
    Html,
    /// A [style sheet](https://www.w3.org/TR/css-syntax-3/), with the references that the text of
    /// a `style` element has. Its base is its own URL, nothing is learned from its text, and both
    /// engines edit its source. Its encoding comes from its byte order mark, else from the setting,
    /// else from its `@charset`, else it is UTF-8.
    Css,
    /// [XML](https://www.w3.org/TR/xml/): XHTML, SVG and MathML, Atom and RSS, sitemaps, the
    /// package documents of books, XSLT, and `<?xml-stylesheet?>`. Namespaces are known by their
    /// URIs, entities are not expanded, and a value with an entity stays as written. Nothing is
    /// learned from its text, and both engines edit its source. A document that is not well-formed
    /// is an error.
    Xml,
    /// [CommonMark](https://spec.commonmark.org/) with the tables and footnotes of
    /// [GFM](https://github.github.com/gfm/): links, images, their definitions, autolinks and the
    /// links of the HTML in it (feature `markdown`). Its base is its own URL, nothing is learned
    /// from its text, and both engines edit its source. Its encoding comes from its byte order
    /// mark, else from the setting, else it is UTF-8.
    Markdown,
    /// A [JSON Feed](https://www.jsonfeed.org/version/1.1/) in UTF-8. Its base is its own URL,
    /// nothing is learned from its text, and both engines edit its source. A document that is not
    /// JSON, or has no version of JSON Feed, is an error.
    JsonFeed,
}

/// The storage of a document, which decides the advice in its errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Storage {
    /// In a file of its own.
    #[default]
    File,
    /// In a message or a web archive.
    Container,
}

/// The digests of files that are edited in the same run as a document.
pub trait EditedDigests: fmt::Debug + Send + Sync {
    /// Updates an `integrity` value for the edited file at `url`.
    fn update_integrity(&self, url: &str, integrity: &str) -> IntegrityUpdate;
}

/// The result of updating an `integrity` value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntegrityUpdate {
    /// The digest is right, or was wrong before.
    Stays,
    /// The attribute with the digest of the edited file.
    Renewed(String),
    /// No style sheet of the run has the URL.
    Unknown,
}

/// The files beside a document that a program saved. A link that names such a file, as `wget -k`
/// and `HTTrack` write it, leads to the URL of the file.
pub trait SavedFiles: fmt::Debug + Send + Sync {
    /// Whether a reference may name a file with another URL. A false positive costs only time.
    fn may_name(&self, reference: &[u8]) -> bool;

    /// The URL of the file that a relative reference names, with the fragment of the reference;
    /// `None` if it names no such file.
    fn url(&self, reference: &str) -> Option<String>;
}

/// The settings for reading, resolving and writing documents.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    #[doc(hidden)]
    pub standard: Standard,
    pub(crate) engine: Engine,
    #[doc(hidden)]
    pub encoding: Option<&'static Encoding>,
    /// The characters that the label of `encoding` represents.
    pub(crate) repertoire: Repertoire,
    /// The base that the caller gives for documents without their own base, usually the retrieval
    /// URL.
    pub retrieval_layer: BaseLayer,
    /// The base of images in Markdown.
    pub raw_base: Option<Base>,
    /// The sources that a retrieval URL is learned from if no layer is given.
    pub(crate) learn: Learn,
    /// A retrieval URL from outside the document, such as the metadata of its file; a URL in its
    /// text takes precedence.
    pub external_base: Learned,
    /// The files that links of the document may name.
    pub saved_files: Option<Arc<dyn SavedFiles>>,
    pub(crate) selection: Selection,
    pub(crate) base_scope: BaseScope,
    pub(crate) feed_base: FeedBase,
    /// `None` unless an option sets it.
    pub(crate) base_element: Option<BaseElement>,
    pub(crate) same_document: SameDocument,
    #[doc(hidden)]
    pub credentials: Credentials,
    #[doc(hidden)]
    pub policy: Policy,
    /// The patterns of links that stay.
    pub ignored: Arc<[LinkPattern]>,
    /// The digests of files that are edited in the same run.
    pub edited_digests: Option<Arc<dyn EditedDigests>>,
    #[doc(hidden)]
    pub syntax: Syntax,
    pub(crate) storage: Storage,
    #[doc(hidden)]
    pub limits: Limits,
    /// Whether links that stay relative are an error.
    pub(crate) is_strict: bool,
}

impl Settings {
    /// Whether a link stays because a pattern matches it.
    #[inline]
    pub(super) fn ignores(&self, link: &Link<'_>) -> bool {
        self.ignored.iter().any(|pattern| pattern.matches(link.reference(), link.url()))
    }

    /// Whether the HTML in the items of feeds is relative to the link of its item.
    pub(crate) fn resolves_against_items(&self) -> bool {
        self.feed_base == FeedBase::Item
    }

    /// Changes the direction of the policy, by default a direction that leaves links as written.
    pub(crate) fn change_direction(&mut self, change: impl FnOnce(Direction) -> Direction) {
        let direction = match &self.policy {
            Policy::Directed(direction) => Direction::clone(direction),
            _ => Direction::default(),
        };
        self.policy = change(direction).into();
    }

    /// Returns the treatment of `base` elements: the option decides, else the needs of the policy.
    pub(crate) fn base_element(&self) -> BaseElement {
        let excludes_bases = self.policy.direction().is_some_and(Direction::excludes_bases);
        let default = match (excludes_bases, self.selection.is_narrowed()) {
            (false, _) => BaseElement::Absolute,
            (true, false) => BaseElement::Remove,
            // References in other attributes stay, and need the base.
            (true, true) => BaseElement::Keep,
        };
        match self.base_element.unwrap_or(default) {
            // The links to ignore stay too, and need the base.
            BaseElement::Remove if !self.ignored.is_empty() => BaseElement::Keep,
            element => element,
        }
    }
}
