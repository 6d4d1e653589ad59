//! One document in, one document out: the choice of everything, and the counts.

use std::borrow::Cow;

use crate::base::{BaseSource, Established, Layer, RejectedBase};
use crate::dom;
use crate::encoding::{self, Detected};
use crate::error::{Error, Limit};
use crate::link::{Limits, Link, Outcome, Run, Settings};
use crate::url::{Base, Standard};

/// Makes every link of an HTML document absolute, with everything at its default.
///
/// `base_url` is the URL that the document was retrieved from; the document's own
/// `base` element goes before it. The encoding is found in the document.
///
/// ```
/// let page = b"<a href=../x>up</a>";
/// let page = absolve::rewrite(page, "http://example.org/a/b/c.html")?;
/// assert!(String::from_utf8_lossy(&page).contains("http://example.org/a/x"));
/// # Ok::<(), absolve::Error>(())
/// ```
///
/// # Errors
///
/// If the base URL is not usable, or the document reaches a limit or makes the
/// engine fail.
pub fn rewrite(source: &[u8], base_url: &str) -> Result<Vec<u8>, Error> {
    let rewriter = Rewriter::new().base_url(base_url)?;
    Ok(rewriter.rewrite(source)?.into_bytes().into_owned())
}

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
    settings: Settings,
}

impl Rewriter {
    /// Everything at its default, and no base URL.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The URL that the document was retrieved from ([RFC 1808 section 3.3][rfc]);
    /// none unless set.
    ///
    /// # Errors
    ///
    /// If the URL is not usable as a base.
    ///
    /// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3.3
    pub fn base_url(mut self, url: &str) -> Result<Self, Error> {
        self.settings.retrieval = Some(Base::new(url)?);
        Ok(self)
    }

    /// The rules that references are resolved by; RFC 1808 unless set.
    #[must_use]
    pub fn standard(mut self, standard: Standard) -> Self {
        self.settings.standard = standard;
        self
    }

    /// The label of the encoding that documents are in, where they have no byte
    /// order mark; found in the document unless set.
    ///
    /// # Errors
    ///
    /// If the [Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels)
    /// has no such label.
    pub fn encoding(mut self, label: &str) -> Result<Self, Error> {
        self.settings.encoding = Some(encoding::for_label(label)?);
        Ok(self)
    }

    /// The bounds that keep hostile documents from costing too much;
    /// [`Limits::default`] unless set.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Makes every link of a document absolute.
    ///
    /// # Errors
    ///
    /// If the document reaches a limit or makes the engine fail.
    pub fn rewrite<'s>(&self, source: &'s [u8]) -> Result<Rewritten<'s>, Error> {
        self.rewrite_with(source, |link| link.absolute().map(str::to_owned))
    }

    /// Puts what `decide` returns in the place of each link; `None` leaves it as
    /// it is.
    ///
    /// ```
    /// use absolve::Rewriter;
    ///
    /// let page = b"<img src=a.png>";
    /// let result = Rewriter::new().rewrite_with(page, |link| {
    ///     (link.element() == "img").then(|| format!("cdn/{}", link.reference()))
    /// })?;
    /// assert!(String::from_utf8_lossy(result.bytes()).contains("cdn/a.png"));
    /// # Ok::<(), absolve::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the document reaches a limit or makes the engine fail.
    pub fn rewrite_with<'s>(
        &self,
        source: &'s [u8],
        mut decide: impl FnMut(&Link<'_>) -> Option<String>,
    ) -> Result<Rewritten<'s>, Error> {
        let mut counts = Counts::default();
        let mut counted = |link: &Link<'_>| {
            let text = decide(link).filter(|text| text != link.reference());
            counts.add(link, text.is_some());
            text
        };
        let detected = self.detect(source)?;
        if detected.is_replacement() {
            return Ok(Rewritten::unchanged(source, self.retrieval_layer(detected)));
        }
        let text = detected.decode(source);
        let mut run = Run::new(&self.settings, &mut counted);
        let (text, established) = dom::rewrite(&text, &self.retrieval_layer(detected), &mut run)?;
        let bytes = detected.encode(&text, source);
        let max = self.settings.limits.max_output(source.len());
        if Limits::exceeds(max, bytes.len()) {
            return Err(Error::limit(Limit::Output, max, None));
        }
        Ok(Rewritten::new(Cow::Owned(bytes), counts, established))
    }

    /// Shows every link of a document to `visit`, and changes nothing.
    ///
    /// ```
    /// use absolve::Rewriter;
    ///
    /// let mut urls = Vec::new();
    /// let rewriter = Rewriter::new().base_url("http://h/a/")?;
    /// rewriter.links(b"<a href=b>", |link| urls.push(link.url().map(str::to_owned)))?;
    /// assert_eq!(urls, [Some("http://h/a/b".to_owned())]);
    /// # Ok::<(), absolve::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the document reaches a limit or makes the engine fail.
    pub fn links(&self, source: &[u8], mut visit: impl FnMut(&Link<'_>)) -> Result<Summary, Error> {
        let mut counts = Counts::default();
        let mut shown = |link: &Link<'_>| {
            counts.add(link, false);
            visit(link);
            None
        };
        let detected = self.detect(source)?;
        let below = self.retrieval_layer(detected);
        if detected.is_replacement() {
            return Ok(Summary { counts, layer: below, rejected: None });
        }
        let mut run = Run::new(&self.settings, &mut shown);
        let established = dom::links(&detected.decode(source), &below, &mut run)?;
        Ok(Summary::new(counts, established))
    }

    fn detect(&self, source: &[u8]) -> Result<Detected, Error> {
        let max = self.settings.limits.input;
        if Limits::exceeds(max, source.len()) {
            return Err(Error::limit(Limit::Input, max, None));
        }
        Ok(encoding::detect(source, self.settings.encoding))
    }

    fn retrieval_layer(&self, detected: Detected) -> Layer {
        let base = self.settings.retrieval.clone();
        let base = base.map(|base| base.with_query_encoding(detected.encoding));
        Layer::new(base, BaseSource::RetrievalUrl)
    }
}

/// How many links a document has, and what became of them.
///
/// `links` is the sum of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Links seen.
    pub links: usize,
    /// Links whose reference was replaced.
    pub rewritten: usize,
    /// Links whose reference is absolute and was left.
    pub absolute: usize,
    /// Links that were resolved, and left by a rule or by the decision.
    pub kept: usize,
    /// Links left relative because there is no base URL.
    pub unresolved: usize,
    /// Links left because the standard refuses them.
    pub invalid: usize,
}

impl Counts {
    fn add(&mut self, link: &Link<'_>, is_rewritten: bool) {
        self.links += 1;
        let count = match link.outcome() {
            _ if is_rewritten => &mut self.rewritten,
            Outcome::Absolute(_) => &mut self.absolute,
            Outcome::Resolved(_) | Outcome::Kept(_) => &mut self.kept,
            Outcome::Unresolved => &mut self.unresolved,
            Outcome::Invalid(_) => &mut self.invalid,
        };
        *count += 1;
    }
}

/// What was learned about a document: its base URL and its counts.
#[derive(Debug, Clone)]
pub struct Summary {
    counts: Counts,
    layer: Layer,
    rejected: Option<RejectedBase>,
}

impl Summary {
    fn new(counts: Counts, established: Established) -> Self {
        Self { counts, layer: established.layer, rejected: established.rejected }
    }

    /// How many links there are, and what became of them.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The base URL that references were resolved against.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.layer.base()
    }

    /// Where that base URL came from.
    #[must_use]
    pub fn base_source(&self) -> BaseSource {
        self.layer.source()
    }

    /// The document's own `base` element, if it was not usable.
    #[must_use]
    pub fn rejected_base(&self) -> Option<&RejectedBase> {
        self.rejected.as_ref()
    }
}

/// A document after rewriting: its bytes, its base URL and its counts.
#[derive(Debug, Clone)]
pub struct Rewritten<'s> {
    bytes: Cow<'s, [u8]>,
    summary: Summary,
}

impl<'s> Rewritten<'s> {
    fn new(bytes: Cow<'s, [u8]>, counts: Counts, established: Established) -> Self {
        Self { bytes, summary: Summary::new(counts, established) }
    }

    fn unchanged(source: &'s [u8], layer: Layer) -> Self {
        let summary = Summary { counts: Counts::default(), layer, rejected: None };
        Self { bytes: Cow::Borrowed(source), summary }
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

    /// How many links there are, and what became of them.
    #[must_use]
    pub fn counts(&self) -> Counts {
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

    /// The document's own `base` element, if it was not usable.
    #[must_use]
    pub fn rejected_base(&self) -> Option<&RejectedBase> {
        self.summary.rejected_base()
    }
}
