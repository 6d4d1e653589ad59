//! What is the same for all documents that are read and written together.

use encoding_rs::Encoding;

use super::policy::Policy;
use crate::attributes::Selection;
use crate::base::{BaseLayer, Learn, Learned};
use crate::encoding::Repertoire;
use crate::error::{Error, Limit};
#[cfg(feature = "markdown")]
use crate::url::Base;
use crate::url::Standard;

/// Limits on the cost of hostile documents.
///
/// A document that reaches one is an error and stays as it was; nothing is cut short. 0 means
/// no limit.
///
/// ```
/// use absolve::{Limit, Limits, Rewriter};
///
/// let mut limits = Limits::default();
/// limits.links = 1;
/// let rewriter = Rewriter::new().base_url("http://h/")?.limits(limits);
/// let error = rewriter.rewrite(b"<a href=a><a href=b>").unwrap_err();
/// assert_eq!(error.limit_reached(), Some(Limit::Links));
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a document; 64 MiB, and never more than 4 GiB: positions have 32 bits.
    pub input: usize,
    /// Bytes of a document as it is written; [`Limits::OUTPUT_BY_INPUT`], unless
    /// set: 16 times the input and 1 MiB more, at most 256 MiB.
    pub output: usize,
    /// Bytes of a base URL; 8 KiB.
    pub base_url: usize,
    /// Bytes of a relative reference; 64 KiB. Absolute ones, such as `data:`, do
    /// not count.
    pub reference: usize,
    /// Links in a document; 1,000,000.
    pub links: usize,
    /// Documents inside documents (`iframe srcdoc`); 3, and never more than
    /// [`Limits::MAX_SRCDOC`].
    pub srcdoc: usize,
    /// Depth of the tree that the DOM engine builds, and of the blocks of Markdown; 512.
    pub depth: usize,
    /// Attributes of one tag, for the DOM engine; 4,096.
    pub attributes: usize,
    /// Parts of a message; 10,000.
    pub parts: usize,
    /// Parts inside parts of a message; 100.
    pub part_depth: usize,
    /// Bytes of the header of a message, or of a part of it; 1 MiB.
    pub header: usize,
}

impl Limits {
    /// The value of [`Limits::output`] that represents a bound by the size of the
    /// input.
    pub const OUTPUT_BY_INPUT: usize = usize::MAX;

    /// The deepest `srcdoc` nesting, also where no limit is set: each level is
    /// a call inside the one above it.
    pub const MAX_SRCDOC: usize = 16;

    pub(crate) fn exceeds(max: usize, value: usize) -> bool {
        max != 0 && value > max
    }

    /// The largest document that is read, whether a limit is set or not.
    pub(crate) fn max_input(&self) -> usize {
        if self.input == 0 { Limit::MAX_INPUT } else { self.input.min(Limit::MAX_INPUT) }
    }

    /// Refuses a document of so many bytes, if it is too large.
    ///
    /// # Errors
    ///
    /// If it is larger than [`Limits::input`], or than any document can be.
    pub(crate) fn check_input(&self, bytes: u64) -> Result<(), Error> {
        // A higher limit would not help above the largest document.
        let largest = Limit::MAX_INPUT;
        let max = if bytes > largest as u64 { largest } else { self.max_input() };
        if bytes > max as u64 { Err(Error::limit(Limit::Input, max, None)) } else { Ok(()) }
    }

    pub(crate) fn max_output(&self, input: usize) -> usize {
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

impl Default for Limits {
    fn default() -> Self {
        Self {
            input: 64 * 1024 * 1024,
            output: Self::OUTPUT_BY_INPUT,
            base_url: 8 * 1024,
            reference: 64 * 1024,
            links: 1_000_000,
            srcdoc: 3,
            depth: 512,
            attributes: 4_096,
            parts: 10_000,
            part_depth: 100,
            header: 1024 * 1024,
        }
    }
}

/// How a document is read and written.
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
    #[cfg(feature = "dom")]
    Dom,
}

/// Where a `base` element has to be for its `href` to count.
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
    /// In the head, as RFC 1808 has it. The default.
    #[default]
    Head,
    /// Anywhere in the document, as browsers have it.
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
    /// Their `href` becomes absolute like every other. The default.
    #[default]
    Absolute,
    /// They stay as they are written.
    Keep,
    /// They are taken out; one that has a `target` loses its `href` alone. They stay in a
    /// document whose `base` element leaves relative references unresolved, such as
    /// `about:srcdoc`: without it, these references would resolve.
    Remove,
}

/// What the HTML in the items of a feed is relative to.
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
    /// The link of the item, which is relative to the feed. An `xml:base` inside of the item counts
    /// more, and without a usable link the feed is the base.
    Item,
}

/// Treatment of references to the document itself: empty ones, and those that
/// are only a fragment.
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
    /// They become absolute like every other. The default.
    #[default]
    Rewrite,
    /// They stay where the base is the document's own URL.
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
    /// They are not copied into links. The default.
    #[default]
    Drop,
    /// They are copied into links.
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
    /// engines edit its source. Its encoding is that of its byte order mark, else the one that is
    /// set, else that of its `@charset`, else UTF-8.
    Css,
    /// [XML](https://www.w3.org/TR/xml/): XHTML, SVG and MathML, Atom and RSS, sitemaps, the package
    /// documents of books, XSLT, and `<?xml-stylesheet?>`. Namespaces are those of URIs, entities
    /// are not expanded, and a value with one stays as it is. Nothing is learned from its text, and
    /// both engines edit its source. A document that is not well-formed is an error.
    Xml,
    /// [CommonMark](https://spec.commonmark.org/) with the tables and footnotes of
    /// [GFM](https://github.github.com/gfm/): links, images, their definitions, autolinks and the
    /// links of the HTML in it (feature `markdown`). Its base is its own URL, nothing is learned
    /// from its text, and both engines edit its source. Its encoding is that of its byte order mark,
    /// else the one that is set, else UTF-8.
    #[cfg(feature = "markdown")]
    Markdown,
    /// A [JSON Feed](https://www.jsonfeed.org/version/1.1/) in UTF-8. Its base is its own URL, nothing
    /// is learned from its text, and both engines edit its source. A document that is not JSON, or has
    /// no version of JSON Feed, is an error.
    JsonFeed,
}

/// Where a document is, which decides what a user can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Storage {
    /// In a file of its own.
    #[default]
    File,
    /// In a message, a web archive or a book.
    #[cfg(feature = "containers")]
    Container,
}

/// How documents are read, resolved and written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    pub(crate) standard: Standard,
    pub(crate) engine: Engine,
    pub(crate) encoding: Option<&'static Encoding>,
    /// The characters of the label that names it.
    pub(crate) repertoire: Repertoire,
    /// The layer below the document that is given: its retrieval URL, mostly.
    pub(crate) below: BaseLayer,
    /// What images in Markdown are resolved against.
    #[cfg(feature = "markdown")]
    pub(crate) raw_base: Option<Base>,
    /// What its retrieval URL is learned from where no layer is given.
    pub(crate) learn: Learn,
    /// What is learned elsewhere of a document that says nothing itself.
    pub(crate) elsewhere: Learned,
    pub(crate) selection: Selection,
    pub(crate) base_scope: BaseScope,
    pub(crate) feed_base: FeedBase,
    /// Where an option says it.
    pub(crate) base_element: Option<BaseElement>,
    pub(crate) same_document: SameDocument,
    pub(crate) credentials: Credentials,
    pub(crate) policy: Policy,
    pub(crate) syntax: Syntax,
    pub(crate) storage: Storage,
    pub(crate) limits: Limits,
}

impl Settings {
    /// What happens to `base` elements: what the option says, else what the policy needs.
    pub(crate) fn base_element(&self) -> BaseElement {
        let default = match (self.policy.excludes_bases(), self.selection.is_narrowed()) {
            (false, _) => BaseElement::Absolute,
            (true, false) => BaseElement::Remove,
            // References in other attributes stay, and need the base.
            (true, true) => BaseElement::Keep,
        };
        self.base_element.unwrap_or(default)
    }
}
