//! The properties of the splice engine, each over one document.
//!
//! A failure is the text that says what is wrong; [`smallest`] makes the document smaller.

mod base;
mod declared;
mod encoded;
mod links;
mod locality;
mod markup;
mod rewriting;
mod tree;

use std::ops::Range;

use absolve::encoding::{Detected, for_label};
use absolve::{BaseScope, Engine, Limits, Link, Rewriter, Summary, detect};
use encoding_rs::Encoding;

/// How a document is read.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) base: Option<String>,
    pub(crate) scope: BaseScope,
    pub(crate) encoding: Option<&'static str>,
}

impl Default for Settings {
    fn default() -> Self {
        let base = Some("http://h.example/d/e/f.html".to_owned());
        Self { base, scope: BaseScope::Head, encoding: None }
    }
}

impl Settings {
    pub(crate) fn rewriter(&self, engine: Engine) -> Rewriter {
        let mut limits = Limits::default();
        // Limits of the tree are no part of the comparison.
        (limits.depth, limits.attributes) = (0, 0);
        let rewriter = Rewriter::new().engine(engine).base_scope(self.scope).limits(limits);
        let rewriter = match &self.base {
            Some(base) => rewriter.base_url(base).expect("a usable base"),
            None => rewriter,
        };
        match self.encoding {
            Some(label) => rewriter.encoding(label).expect("a label"),
            None => rewriter,
        }
    }

    fn detect(&self, source: &[u8]) -> Detected {
        detect(source, self.label())
    }

    fn label(&self) -> Option<&'static Encoding> {
        self.encoding.map(|label| for_label(label).expect("a label"))
    }
}

/// Members of a link on which two engines have to agree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    pub(crate) element: String,
    pub(crate) attribute: String,
    pub(crate) grammar: &'static str,
    pub(crate) reference: String,
    pub(crate) url: Option<String>,
}

/// A link, and what else is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) seen: Seen,
    /// The absolute form of the reference.
    pub(crate) absolute: Option<String>,
    pub(crate) span: Option<Range<usize>>,
    pub(crate) enclosing: Option<Range<usize>>,
}

impl From<&Link<'_>> for Found {
    fn from(link: &Link<'_>) -> Self {
        let seen = Seen {
            element: link.element().to_owned(),
            attribute: link.attribute().to_owned(),
            grammar: link.grammar().name(),
            reference: link.reference().to_owned(),
            url: link.url().map(str::to_owned),
        };
        let absolute = link.replacement_url().map(str::to_owned);
        Self { seen, absolute, span: link.span(), enclosing: link.enclosing() }
    }
}

/// The links of a document in the order they are reported, and its base.
pub(crate) fn found(rewriter: &Rewriter, source: &[u8]) -> Result<(Vec<Found>, Summary), String> {
    let mut found = Vec::new();
    let summary = rewriter.links(source, |link| found.push(Found::from(link)));
    summary.map(|summary| (found, summary)).map_err(|error| error.to_string())
}

/// Results of the checks, added up over documents.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) documents: usize,
    pub(crate) links: usize,
    pub(crate) rewritten: usize,
    /// Links of start tags that have no element in the tree, and of attributes that were not
    /// taken over.
    pub(crate) excused: usize,
    /// Documents that html5ever panics on or reads in another way than browsers, or that reach a
    /// limit.
    pub(crate) refused: usize,
    /// Documents that both scanners read.
    pub(crate) scanned_twice: usize,
}

impl Figures {
    pub(crate) fn add(&mut self, other: Self) {
        self.documents += other.documents;
        self.links += other.links;
        self.rewritten += other.rewritten;
        self.excused += other.excused;
        self.refused += other.refused;
        self.scanned_twice += other.scanned_twice;
    }
}

/// Every property of one document.
pub(crate) fn all(settings: &Settings, source: &[u8]) -> Result<Figures, String> {
    declared::encodings_agree(settings, source)?;
    identity(settings, source)?;
    locality(settings, source)?;
    let mut figures = Figures { documents: 1, ..agreement(settings, source)? };
    figures.rewritten = rewriting(settings, source)?;
    Ok(figures)
}

/// Both engines, and both scanners, see the same links.
pub(crate) fn agreement(settings: &Settings, source: &[u8]) -> Result<Figures, String> {
    let mut figures = Figures::default();
    links::engines_agree(settings, source, &mut figures)?;
    links::scanners_agree(settings, source, &mut figures)?;
    Ok(figures)
}

/// Without a decision, the document is the one that was given.
pub(crate) fn identity(settings: &Settings, source: &[u8]) -> Result<(), String> {
    locality::identity(settings, source)
}

/// Checks that replacing the spans of links changes nothing else.
pub(crate) fn locality(settings: &Settings, source: &[u8]) -> Result<(), String> {
    locality::words_for_links(settings, source)
}

/// Every link made absolute reads back as decided, and a second time changes nothing; the number of
/// links that changed.
///
/// The second run has the same settings, and there are none for which it would change something:
/// what has become absolute is left, and what was left as it is by a rule, or for want of a base,
/// is left again. The base can come to be another element's, or the same URL from another layer,
/// but then only for references that are absolute.
pub(crate) fn rewriting(settings: &Settings, source: &[u8]) -> Result<usize, String> {
    rewriting::absolute(settings, source)
}

/// Checks that a document in another encoding has equal links, and is rewritten to equal text.
pub(crate) fn encoded(
    settings: &Settings,
    text: &str,
    label: &'static str,
) -> Result<bool, String> {
    encoded::encoded(settings, text, label)
}

/// A smaller document that fails as well: parts are left out as long as it does.
pub(crate) fn smallest(source: &[u8], fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut source = source.to_vec();
    let mut part = source.len() / 2;
    while part > 0 {
        let mut at = 0;
        let before = source.len();
        while at < source.len() {
            let mut shorter = source.clone();
            shorter.drain(at..(at + part).min(source.len()));
            if fails(&shorter) {
                source = shorter;
            } else {
                at += part;
            }
        }
        if source.len() == before {
            part /= 2;
        }
    }
    source
}

/// An error that shows both sides.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, left: &T, right: &T) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what}: {left:?} is not {right:?}")) }
}

/// Bytes as a failure shows them.
fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}
