//! The methods of [`Rewriter`] that rewrite a document, list its links, or collect its edits.

mod options;
mod reading;
mod result;

use std::borrow::Cow;
use std::ops::Range;

use crate::dom;
use crate::edit::Patches;
use crate::encoding::{self, Detected};
use crate::error::Error;
use crate::link::{Decide, Link, LinkPass, Syntax, Visit};
use crate::splice::{self, Changed, Charset, SpliceBuffers};

pub use options::Rewriter;
pub use reading::detect;
use reading::{Document, write_document};
pub use result::{Rewritten, Summary};

/// Makes every link of an HTML document absolute, with default options.
///
/// `base_url` is the URL that the document was retrieved from; the document's own `base` element
/// takes precedence. The document determines its encoding.
///
/// ```
/// let page = b"<A href=../x>up</A>";
/// let page = absolve::rewrite(page, "http://example.org/a/b/c.html")?;
/// assert_eq!(page, b"<A href=http://example.org/a/x>up</A>");
/// # Ok::<(), absolve::Error>(())
/// ```
///
/// # Errors
///
/// If the base URL is not usable, or the document exceeds a limit.
pub fn rewrite(source: &[u8], base_url: &str) -> Result<Vec<u8>, Error> {
    let rewriter = Rewriter::new().base_url(base_url)?;
    Ok(rewriter.rewrite(source)?.into_bytes().into_owned())
}

/// Buffers that serve one document after another.
///
/// With reused buffers, rewriting many documents allocates little ([`Rewriter::rewrite_in`]). The
/// buffers keep the size that the largest document needed.
#[derive(Debug, Default)]
pub struct Buffers {
    scan: SpliceBuffers,
    out: Vec<u8>,
}

impl Buffers {
    /// Creates empty buffers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Rewriter {
    /// Makes every link of a document absolute, or applies another [`Policy`](crate::Policy). A
    /// document is HTML unless [`Rewriter::syntax`] is set.
    ///
    /// # Errors
    ///
    /// If the document exceeds a limit, does not match its syntax, or makes the DOM engine fail.
    /// With [`Rewriter::strict`], also if a link stays relative.
    pub fn rewrite<'s>(&self, source: &'s [u8]) -> Result<Rewritten<'s>, Error> {
        self.run(source, LinkPass::new(&self.settings))
    }

    /// Makes every link of a document absolute, with reused buffers.
    ///
    /// ```
    /// use absolve::{Rewriter, Buffers};
    ///
    /// let rewriter = Rewriter::new().base_url("http://h/a/")?;
    /// let mut buffers = Buffers::new();
    /// for page in [&b"<a href=b>"[..], b"<a href=c>"] {
    ///     let result = rewriter.rewrite_in(page, &mut buffers)?;
    ///     assert_eq!(result.bytes().len(), "<a href=http://h/a/b>".len());
    /// }
    /// # Ok::<(), absolve::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`Rewriter::rewrite`].
    pub fn rewrite_in<'s>(
        &self,
        source: &'s [u8],
        buffers: &'s mut Buffers,
    ) -> Result<Rewritten<'s>, Error> {
        let Buffers { scan, out } = buffers;
        let pass = LinkPass::new(&self.settings);
        let (changed, summary) = self.write_to(source, pass, scan, out)?;
        let bytes = if changed == Changed::Yes { out } else { source };
        Ok(Rewritten::new(Cow::Borrowed(bytes), changed, summary))
    }

    /// Replaces each link by the text that `decide` returns; `None` leaves the link unchanged.
    ///
    /// ```
    /// use absolve::Rewriter;
    ///
    /// let page = b"<img src=a.png>";
    /// let result = Rewriter::new().rewrite_with(page, |link| {
    ///     (link.element() == "img").then(|| format!("cdn/{}", link.reference()))
    /// })?;
    /// assert_eq!(result.bytes(), b"<img src=cdn/a.png>");
    /// # Ok::<(), absolve::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`Rewriter::rewrite`].
    pub fn rewrite_with<'s>(
        &self,
        source: &'s [u8],
        mut decide: impl FnMut(&Link<'_>) -> Option<String>,
    ) -> Result<Rewritten<'s>, Error> {
        self.run(source, LinkPass::deciding(&self.settings, &mut decide))
    }

    /// Shows every link of a document to `visit`, and changes nothing. A value of XML with an
    /// entity is also shown, with the outcome [`LinkOutcome::Entity`](crate::LinkOutcome::Entity).
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
    /// If the document exceeds a limit, does not match its syntax, or makes the DOM engine fail.
    pub fn links(&self, source: &[u8], visit: impl FnMut(&Link<'_>)) -> Result<Summary, Error> {
        self.links_in(source, &mut Buffers::default(), visit)
    }

    /// Shows every link of a document to `visit`, with reused buffers.
    ///
    /// # Errors
    ///
    /// See [`Rewriter::links`].
    #[doc(hidden)]
    pub fn links_in(
        &self,
        source: &[u8],
        buffers: &mut Buffers,
        mut visit: impl FnMut(&Link<'_>),
    ) -> Result<Summary, Error> {
        let mut decide = |link: &Link<'_>| {
            visit(link);
            None
        };
        let mut pass = LinkPass::listing(&self.settings, &mut decide);
        let buffers = &mut buffers.scan;
        let (reading, document) = self.read(source, self.interest(), buffers, &mut pass)?;
        let established = match document {
            None => return Ok(Summary::unreadable(reading.layer)),
            Some(Document::Decoded(decoded)) => dom::links(&decoded, &reading.layer, &mut pass)?,
            Some(Document::Scanned(scanned)) => {
                splice::visit_links(&scanned, &reading.layer, &mut pass)?
            }
        };
        Ok(reading.summarize(pass, established))
    }

    /// Passes the URL of every link of a document to `visit`, in order, and changes nothing. Most
    /// URLs consist of a prefix and the reference, so this is faster than [`Link::url`], which
    /// resolves each link. A link without a URL is only counted.
    ///
    /// ```
    /// use absolve::{Buffers, Rewriter};
    ///
    /// let mut urls = Vec::new();
    /// let rewriter = Rewriter::new().base_url("http://h/a/")?;
    /// rewriter.urls(b"<a href=b><img src=/c>", &mut Buffers::new(), |url| urls.push(url.to_owned()))?;
    /// assert_eq!(urls, ["http://h/a/b", "http://h/c"]);
    /// # Ok::<(), absolve::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`Rewriter::links`]. By then, `visit` may have received URLs.
    pub fn urls(
        &self,
        source: &[u8],
        buffers: &mut Buffers,
        mut visit: impl FnMut(&str),
    ) -> Result<Summary, Error> {
        let mut url = String::new();
        self.links_in(source, buffers, |link| {
            let Some((prefix, rest)) = link.url_parts() else { return };
            url.clear();
            url.push_str(prefix);
            url.push_str(rest);
            visit(&url);
        })
    }

    /// Makes every link of a document absolute, or replaces it by the text that `decide` returns.
    /// Instead of writing the document, shows each edit to `visit` in order: the span of the
    /// replaced bytes, and the new bytes.
    ///
    /// ```
    /// use absolve::{Buffers, Rewriter};
    ///
    /// let mut edits = Vec::new();
    /// let rewriter = Rewriter::new().base_url("http://h/a/")?;
    /// rewriter.edits(b"<a href=b>", &mut Buffers::new(), None, |span, bytes| {
    ///     edits.push((span, bytes.to_owned()));
    /// })?;
    /// assert_eq!(edits, [(8..8, b"http://h/a/".to_vec())]);
    /// # Ok::<(), absolve::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`Rewriter::links`].
    #[doc(hidden)]
    pub fn edits(
        &self,
        source: &[u8],
        buffers: &mut Buffers,
        decide: Option<&mut Decide<'_>>,
        mut visit: impl FnMut(Range<usize>, &[u8]),
    ) -> Result<(), Error> {
        let pass = match decide {
            Some(decide) => LinkPass::deciding(&self.settings, decide),
            None => LinkPass::new(&self.settings),
        };
        let (patches, _) = self.collect_patches(source, Charset::Own, pass, &mut buffers.scan)?;
        patches.iter().for_each(|(span, bytes)| visit(span, bytes));
        Ok(())
    }

    /// Shows every link, anchor and `base` element of a document to `visit`, and changes nothing.
    /// Always scans the source, as the DOM engine has no spans of links. Counts links, but resolves
    /// a link only if `visit` asks for the URL.
    ///
    /// ```
    /// use absolve::{Anchor, Buffers, Link, Rewriter, Visit};
    ///
    /// #[derive(Default)]
    /// struct Broken(Vec<String>, Vec<String>);
    ///
    /// impl Visit for Broken {
    ///     fn link(&mut self, link: &Link<'_>) {
    ///         self.0.extend(link.reference().strip_prefix('#').map(str::to_owned));
    ///     }
    ///     fn anchor(&mut self, anchor: &Anchor<'_>) {
    ///         self.1.push(anchor.value().to_owned());
    ///     }
    /// }
    ///
    /// let mut page = Broken::default();
    /// let source = b"<h1 id=a>A</h1><a href=#a>to A</a><a href=#b>to B</a>";
    /// Rewriter::new().inspect(source, &mut Buffers::new(), &mut page)?;
    /// page.0.retain(|fragment| !page.1.contains(fragment));
    /// assert_eq!(page.0, ["b"]);
    /// # Ok::<(), absolve::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the document exceeds a limit, or does not match its syntax.
    #[doc(hidden)]
    pub fn inspect(
        &self,
        source: &[u8],
        buffers: &mut Buffers,
        visit: &mut dyn Visit,
    ) -> Result<Summary, Error> {
        let mut pass = LinkPass::visiting(&self.settings, visit);
        self.settings.limits.check_input(source.len() as u64)?;
        let interest = self.interest_with_facts();
        let (detected, scanned) = self.scan(source, interest, &mut buffers.scan)?;
        let reading = self.find_url(source, detected, &mut pass);
        let Some(scanned) = scanned else { return Ok(Summary::unreadable(reading.layer)) };
        let established = splice::visit_links(&scanned, &reading.layer, &mut pass)?;
        pass.notes.hides_markup = scanned.hides_markup();
        pass.notes.is_encoding_guessed = scanned.is_encoding_guessed();
        Ok(reading.summarize(pass, established))
    }

    /// Finds the encoding in which a document is read: the configured encoding, or else the
    /// encoding that the document declares by the rules of its syntax.
    #[must_use]
    #[doc(hidden)]
    pub fn detect(&self, source: &[u8]) -> Detected {
        let named = self.settings.encoding;
        match self.settings.syntax {
            Syntax::Html => detect(source, named),
            // A declaration that cannot be followed is an error only when the document is read.
            _ => match splice::sniff(source, &self.settings) {
                Ok((detected, _)) => detected,
                Err(_) => encoding::detect(source, named),
            },
        }
    }

    /// Makes every link of a document absolute, or applies another [`Policy`](crate::Policy), and
    /// returns the edits of the document's bytes.
    #[doc(hidden)]
    pub fn patches(&self, source: &[u8], charset: Charset) -> Result<(Patches, Summary), Error> {
        let pass = LinkPass::new(&self.settings);
        self.collect_patches(source, charset, pass, &mut SpliceBuffers::default())
    }

    /// Replaces each link by the text that `decide` returns, and returns the edits of the
    /// document's bytes.
    #[doc(hidden)]
    pub fn patches_with(
        &self,
        source: &[u8],
        decide: &mut Decide<'_>,
    ) -> Result<(Patches, Summary), Error> {
        let pass = LinkPass::deciding(&self.settings, decide).keeping_both_ends();
        self.collect_patches(source, Charset::Own, pass, &mut SpliceBuffers::default())
    }

    /// Collects the edits of a document: for the DOM engine, the difference from the source.
    fn collect_patches<'r>(
        &'r self,
        source: &'r [u8],
        charset: Charset,
        mut pass: LinkPass<'r>,
        buffers: &mut SpliceBuffers,
    ) -> Result<(Patches, Summary), Error> {
        let (reading, document) = self.read(source, self.interest(), buffers, &mut pass)?;
        let (established, patches) = match document {
            None => return Ok((Patches::default(), Summary::unreadable(reading.layer))),
            Some(Document::Scanned(scanned)) => {
                splice::collect_patches(scanned, charset, &reading.layer, &mut pass)?
            }
            Some(document) => {
                let mut out = Vec::new();
                let (established, changed) =
                    write_document(source, &reading, &document, &mut pass, &mut out)?;
                let new = if changed == Changed::Yes { &out } else { source };
                (established, Patches::from_difference(source, new))
            }
        };
        Ok((patches, reading.summarize(pass, established)))
    }

    fn run<'s: 'r, 'r>(
        &self,
        source: &'s [u8],
        pass: LinkPass<'r>,
    ) -> Result<Rewritten<'s>, Error> {
        let (mut buffers, mut out) = (SpliceBuffers::default(), Vec::new());
        let (changed, summary) = self.write_to(source, pass, &mut buffers, &mut out)?;
        let bytes = match changed {
            Changed::Yes => Cow::Owned(out),
            Changed::No => Cow::Borrowed(source),
        };
        Ok(Rewritten::new(bytes, changed, summary))
    }

    /// Writes a document to `out`, if it changes. Fails if a strict rewriter leaves links relative.
    fn write_to<'s: 'r, 'r>(
        &self,
        source: &'s [u8],
        mut pass: LinkPass<'r>,
        buffers: &mut SpliceBuffers,
        out: &mut Vec<u8>,
    ) -> Result<(Changed, Summary), Error> {
        let (reading, document) = self.read(source, self.interest(), buffers, &mut pass)?;
        let Some(document) = document else {
            return Ok((Changed::No, Summary::unreadable(reading.layer)));
        };
        let (established, changed) = write_document(source, &reading, &document, &mut pass, out)?;
        let summary = reading.summarize(pass, established);
        match summary.counts().unresolved {
            links if links > 0 && self.settings.is_strict => Err(Error::unresolved(links)),
            _ => Ok((changed, summary)),
        }
    }
}
