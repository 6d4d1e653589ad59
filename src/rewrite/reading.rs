//! Reads a document: finds its encoding, scans or decodes it, and finds its retrieval URL.

use encoding_rs::Encoding;

use super::options::Rewriter;
use super::result::Summary;

use crate::base::{BaseLayer, Learned, NotLearned, ResolvedBase};
use crate::dom::{self, Decoded};
use crate::encoding::{self, Confidence, Detected, Head};
use crate::error::Error;
use crate::learn;
use crate::link::Engine;
use crate::link::{BaseElement, BaseUse, LinkPass, Settings, Storage, Syntax, may_have_marker};
use crate::scan::{Interest, declared_encoding};
use crate::splice::{self, Changed, Scanned, SpliceBuffers};

/// Finds the encoding in which a page is read; `named` is the one that a header or an option names.
///
/// A byte order mark takes precedence, then `named`, a `meta` element, and an XML declaration.
/// Without any of these, the encoding is UTF-8 if the document is valid UTF-8, or windows-1252. As
/// in browsers, a `meta` element applies anywhere in the document
/// ([changing the encoding while parsing][spec]). In a document without such an element, text that
/// looks like a `meta` element, as in a script, applies in the first 1,024 bytes.
///
/// ```
/// let page = format!("<title>{}</title><meta charset=shift_jis>", "x".repeat(2000));
/// assert_eq!(absolve::detect(page.as_bytes(), None).encoding.name(), "Shift_JIS");
/// ```
///
/// [spec]: https://html.spec.whatwg.org/multipage/parsing.html#changing-the-encoding-while-parsing
#[must_use]
pub fn detect(source: &[u8], named: Option<&'static Encoding>) -> Detected {
    let (detected, confidence) = encoding::sniff(source, named);
    if detected.is_replacement() || confidence == Confidence::Certain {
        return detected;
    }
    declared_encoding(&detected.scannable(source))
        .and_then(|declared| detected.change(declared))
        .unwrap_or(detected)
}

/// A document in the form that its engine reads.
pub(super) enum Document<'s, 'w> {
    /// For the splice engine.
    Scanned(Scanned<'s, 'w>),
    /// For the DOM engine.
    Decoded(Decoded<'s>),
}

impl Document<'_, '_> {
    fn hides_markup(&self) -> bool {
        match self {
            Self::Scanned(scanned) => scanned.hides_markup(),
            Self::Decoded(decoded) => decoded.hides_markup,
        }
    }
}

/// The facts about a document that are known before its links are read.
pub(super) struct Reading {
    /// The layer of the retrieval URL.
    pub(super) layer: BaseLayer,
    pub(super) detected: Detected,
    /// Rejected sources of the retrieval URL.
    refused: Vec<NotLearned>,
}

impl Reading {
    /// Creates the summary, once the pass has seen all links.
    pub(super) fn summarize(self, pass: LinkPass<'_>, established: ResolvedBase) -> Summary {
        let ResolvedBase { layer, rejected, .. } = established;
        Summary {
            counts: pass.counts,
            rejected,
            encoding: self.detected.encoding,
            not_learned: self.refused,
            notes: pass.notes,
            ..Summary::unreadable(layer)
        }
    }
}

impl Rewriter {
    /// Reads a document in its encoding, in the form that its engine needs, and finds its retrieval
    /// URL. Returns no document if no decoder reads the encoding.
    pub(super) fn read<'s: 'r, 'w, 'r>(
        &self,
        source: &'s [u8],
        interest: &'w Interest,
        buffers: &'w mut SpliceBuffers,
        pass: &mut LinkPass<'r>,
    ) -> Result<(Reading, Option<Document<'s, 'w>>), Error> {
        self.settings.limits.check_input(source.len() as u64)?;
        let Settings { engine, syntax, encoding, .. } = self.settings;
        let (detected, document) = if engine == Engine::Dom && syntax == Syntax::Html {
            let detected = detect(source, encoding);
            let decoded = Decoded::new(source, detected, interest, buffers)?;
            (detected, decoded.map(Document::Decoded))
        } else {
            // Other syntaxes have no tree that an HTML parser builds, so both engines scan them.
            let (detected, scanned) = self.scan(source, interest, buffers)?;
            (detected, scanned.map(Document::Scanned))
        };
        pass.notes.hides_markup = document.as_ref().is_some_and(Document::hides_markup);
        Ok((self.find_url(source, detected, pass), document))
    }

    pub(super) fn scan<'s, 'w>(
        &self,
        source: &'s [u8],
        interest: &'w Interest,
        buffers: &'w mut SpliceBuffers,
    ) -> Result<(Detected, Option<Scanned<'s, 'w>>), Error> {
        let scanned = splice::scan(source, &self.settings, interest, buffers);
        scanned.map_err(|error| match self.settings.storage {
            Storage::File => error,
            Storage::Container => error.adapt_to_container(),
        })
    }

    /// Finds the retrieval URL of a document, and initializes the pass with facts about it.
    pub(super) fn find_url<'s: 'r, 'r>(
        &self,
        source: &'s [u8],
        detected: Detected,
        pass: &mut LinkPass<'r>,
    ) -> Reading {
        let Settings { limits, retrieval_layer, learn, external_base, .. } = &self.settings;
        let head = Head::new(source, detected);
        (pass.encoding, pass.head) = (detected.encoding, Some(head));
        let removes_bases = pass.settings.base_element() == BaseElement::Remove;
        if removes_bases && may_have_marker(&detected.scannable(source)) {
            pass.base_use = BaseUse::Kept;
        }
        let Learned { layer, refused } = if retrieval_layer.base().is_some() {
            Learned { layer: retrieval_layer.clone(), refused: Vec::new() }
        } else if detected.is_replacement() || self.settings.syntax != Syntax::Html {
            external_base.clone()
        } else {
            learn::learn(head, *learn, limits.base_url).or(external_base)
        };
        let layer = match self.settings.syntax {
            Syntax::Html | Syntax::Xml => layer.with_query_encoding(detected.encoding),
            // CSS resolves URLs in UTF-8: https://www.w3.org/TR/css-values-4/#url-processing
            _ => layer,
        };
        Reading { layer, detected, refused }
    }
}

/// Writes the document to `out`, unless it stays unchanged.
pub(super) fn write_document(
    source: &[u8],
    reading: &Reading,
    document: &Document<'_, '_>,
    pass: &mut LinkPass<'_>,
    out: &mut Vec<u8>,
) -> Result<(ResolvedBase, Changed), Error> {
    let layer = &reading.layer;
    match document {
        Document::Scanned(scanned) => splice::rewrite(scanned, layer, pass, out),
        Document::Decoded(decoded) => {
            write_tree(source, decoded, layer, reading.detected, pass, out)
        }
    }
}

/// Writes a document with the DOM engine; fails if its encoding would be detected differently.
fn write_tree(
    source: &[u8],
    decoded: &Decoded<'_>,
    layer: &BaseLayer,
    detected: Detected,
    pass: &mut LinkPass<'_>,
    out: &mut Vec<u8>,
) -> Result<(ResolvedBase, Changed), Error> {
    let (written, established) = dom::rewrite(source, decoded, detected, layer, pass)?;
    // The tree builder drops or moves a `meta` element in a `frameset`, for example.
    let new = detect(&written, pass.settings.encoding).encoding;
    if new != detected.encoding {
        return Err(Error::tree(format!(
            "it is read as {} and would be read as {}, because the markup that declares its encoding moves or goes",
            detected.encoding.name(),
            new.name()
        )));
    }
    *out = written;
    Ok((established, if out == source { Changed::No } else { Changed::Yes }))
}
