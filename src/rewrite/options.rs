//! The options of a [`Rewriter`].

use std::sync::{Arc, OnceLock};

use crate::attributes::{DefaultState, Extra};
use crate::base::{BaseLayer, BaseSource, Learn};
use crate::encoding::NamedEncoding;
use crate::encoding::{self, Repertoire};
use crate::error::{Error, Limits};
use crate::link::Storage;
use crate::link::{
    BaseElement, BaseScope, Credentials, Engine, FeedBase, LinkPattern, Policy, SameDocument,
    Settings, Syntax,
};
use crate::named::setters;
use crate::option::{DocumentOption, InvalidOption, UnusedAttribute, Value};
use crate::scan::Interest;
use crate::url::{Base, Standard};

/// Options for reading, resolving and rewriting documents, one at a time.
///
/// ```
/// use absolve::{Rewriter, url::Standard};
///
/// let rewriter = Rewriter::new().base_url("http://example.org/a/")?.standard(Standard::Rfc1808);
/// let result = rewriter.rewrite(b"<img src=b.png><a href=http://h/>")?;
/// assert_eq!(result.counts().rewritten, 1);
/// assert_eq!(result.counts().absolute, 1);
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Rewriter {
    pub(super) settings: Settings,
    /// Built from the selection on its first use, and shared by clones: a tree has a clone for each
    /// document.
    interest: Arc<OnceLock<Interest>>,
    /// The index that also includes anchors and markers.
    interest_with_facts: Arc<OnceLock<Interest>>,
}

impl Rewriter {
    setters! {
        /// Sources from which the retrieval URL is learned if it is not set; [`Learn::ALL`] unless
        /// set. Only http: and https: URLs are learned.
        pub fn learn(learn: Learn) => settings.learn = learn;
        /// The standard that resolves references; RFC 1808 unless set.
        pub fn standard(standard: Standard) => settings.standard = standard;
        /// The engine that reads and writes documents; [`Engine::Splice`] unless set.
        pub fn engine(engine: Engine) => settings.engine = engine;
        /// The part of the page whose `base` is in effect; [`BaseScope::Head`] unless set.
        pub fn base_scope(scope: BaseScope) => settings.base_scope = scope;
        /// The base of the HTML in the items of a feed; [`FeedBase::Feed`] unless set.
        pub fn feed_base(base: FeedBase) => settings.feed_base = base;
        /// Treatment of `base` elements; unless set, [`BaseElement::Remove`] if links become
        /// relative ([`Form`](crate::Form)), or else [`BaseElement::Absolute`].
        pub fn base_element(element: BaseElement) => settings.base_element = Some(element);
        /// Treatment of references to the document itself;
        /// [`SameDocument::Rewrite`] unless set.
        pub fn same_document(same: SameDocument) => settings.same_document = same;
        /// Treatment of the user and password of a base URL; [`Credentials::Drop`]
        /// unless set.
        pub fn credentials(credentials: Credentials) => settings.credentials = credentials;
        /// The policy that replaces the links; [`Policy::Absolute`] unless set.
        pub fn policy(policy: Policy) => settings.policy = policy;
        /// Sets the links to ignore: they stay as written, and are neither listed nor passed to a
        /// decision. Links of an element with the attribute `data-absolve-ignore`, and inside it,
        /// are ignored too.
        ///
        /// ```
        /// use absolve::{LinkPattern, Rewriter};
        ///
        /// let rewriter = Rewriter::new().base_url("http://h/")?;
        /// let rewriter = rewriter.ignore_links(vec![LinkPattern::new("{{*}}")?]);
        /// let page = rewriter.rewrite(b"<a href='{{ url }}'></a><img src=a><img src=b data-absolve-ignore>")?;
        /// let expected = b"<a href='{{ url }}'></a><img src=http://h/a><img src=b data-absolve-ignore>";
        /// assert_eq!(page.bytes(), expected);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn ignore_links(patterns: Vec<LinkPattern>) => settings.ignored = patterns.into();
        /// The syntax of the documents; [`Syntax::Html`] unless set.
        pub fn syntax(syntax: Syntax) => settings.syntax = syntax;
        /// Limits on the cost of hostile documents; [`Limits::default`] unless set.
        pub fn limits(limits: Limits) => settings.limits = limits;
    }
}

impl Rewriter {
    /// Creates a rewriter with default options and without a base URL.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the URL that the document was retrieved from ([RFC 1808 section 3.3][rfc]). Unless set,
    /// the URL may be learned ([`Rewriter::learn`]).
    ///
    /// # Errors
    ///
    /// If the URL is not usable as a base.
    ///
    /// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3.3
    pub fn base_url(mut self, url: &str) -> Result<Self, Error> {
        let base = Some(Base::new(url)?);
        self.settings.retrieval_layer = BaseLayer::new(base, BaseSource::RetrievalUrl);
        Ok(self)
    }

    /// Sets the base URL for images in Markdown, and for `src`, `srcset` and `poster` of its HTML,
    /// as forges serve pages and raw files at different URLs. The base URL unless set.
    ///
    /// # Errors
    ///
    /// If the URL is not usable as a base.
    pub fn raw_base(mut self, url: &str) -> Result<Self, Error> {
        self.settings.raw_base = Some(Base::new(url)?);
        Ok(self)
    }

    /// Sets the label of the encoding of documents without a byte order mark; detected unless set.
    ///
    /// # Errors
    ///
    /// If the [Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels)
    /// has no such label.
    pub fn encoding(mut self, label: &str) -> Result<Self, Error> {
        self.settings.encoding = Some(encoding::for_label(label)?);
        self.settings.repertoire = Repertoire::from_label(label.as_bytes());
        Ok(self)
    }

    /// Selects this attribute, instead of all attributes of the table. Further calls select further
    /// attributes. [`crate::attributes::TEXT`] names the text of `style` elements.
    #[must_use]
    pub fn only(mut self, attribute: &str) -> Self {
        self.settings.selection.only(attribute);
        self.with_new_selection()
    }

    /// Sets an option to the values that a host received.
    ///
    /// # Errors
    ///
    /// If the option does not accept the values.
    #[doc(hidden)]
    pub fn set(
        mut self,
        option: &DocumentOption,
        values: &[Value<'_>],
    ) -> Result<Self, InvalidOption> {
        option.set(&mut self.settings, values)?;
        Ok(self.with_new_selection())
    }

    /// Finds the first attribute of [`Rewriter::only`] that no option includes, and that would
    /// silently select nothing.
    #[must_use]
    #[doc(hidden)]
    pub fn unused_only(&self) -> Option<UnusedAttribute> {
        UnusedAttribute::find(&self.settings.selection)
    }

    /// Adds an attribute to the attributes with links.
    #[must_use]
    pub fn attribute(mut self, extra: Extra) -> Self {
        self.settings.selection.add(extra);
        self.with_new_selection()
    }

    /// Includes the URLs of `meta` elements: Open Graph, Twitter cards and similar.
    #[must_use]
    pub fn meta(mut self) -> Self {
        self.settings.selection.opt_in(DefaultState::WithMeta);
        self.with_new_selection()
    }

    /// Includes the `data-` attributes from which scripts load images.
    #[must_use]
    pub fn lazy(mut self) -> Self {
        self.settings.selection.opt_in(DefaultState::WithLazy);
        self.with_new_selection()
    }

    /// Makes [`Rewriter::rewrite`] and similar methods fail if links stay relative because there is
    /// no base URL.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.settings.is_strict = true;
        self
    }

    /// Discards the indexes, which are built from the selection.
    fn with_new_selection(self) -> Self {
        Self { interest: Arc::default(), interest_with_facts: Arc::default(), ..self }
    }

    /// Changes the settings for a single file.
    #[must_use]
    #[doc(hidden)]
    pub fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// Adapts the settings to a document in a container.
    pub(crate) fn contained(mut self) -> Self {
        self.settings.storage = Storage::Container;
        self.settings.saved_files = None;
        self
    }

    /// Returns a rewriter for a document in a container. `below` is the base layer of the document,
    /// and `named` its declared encoding, which applies unless the settings have an encoding.
    #[must_use]
    #[doc(hidden)]
    pub fn for_part(&self, below: BaseLayer, named: Option<NamedEncoding>) -> Self {
        let mut rewriter = self.clone().contained();
        rewriter.settings.retrieval_layer = below;
        if let (None, Some(NamedEncoding { encoding, repertoire })) =
            (self.settings.encoding, named)
        {
            rewriter.settings.encoding = Some(encoding);
            rewriter.settings.repertoire = repertoire;
        }
        rewriter
    }

    /// Returns the settings, which the readers of containers need.
    #[must_use]
    #[doc(hidden)]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn interest_with_facts(&self) -> &Interest {
        self.interest_with_facts.get_or_init(|| Interest::with_facts(&self.settings.selection))
    }

    pub(super) fn interest(&self) -> &Interest {
        // Shared by all rewriters, as its creation takes as long as rewriting some kilobytes.
        static DEFAULT_INTEREST: OnceLock<Interest> = OnceLock::new();
        let selection = &self.settings.selection;
        let interest = if selection.is_default() { &DEFAULT_INTEREST } else { &self.interest };
        interest.get_or_init(|| Interest::new(selection))
    }
}
