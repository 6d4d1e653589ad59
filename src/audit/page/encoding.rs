//! The first place of a page that browsers read otherwise if they guess another encoding.

use std::ops::Range;

use crate::audit::finding::Finding;
use crate::audit::options::Audit;
use crate::audit::page::auditor::PageAuditor;
use crate::audit::rules::Rule;
use crate::link::{Anchor, AnchorKind, Link, Visit};
use crate::rewrite::{Buffers, Rewriter, Summary};

impl PageAuditor<'_> {
    /// Reports a page without a declared encoding that has a reference or an anchor with bytes
    /// outside ASCII. Such pages are few, so that they are read once more for the place.
    pub(super) fn undeclared_encoding(
        &mut self,
        document: &[u8],
        summary: &Summary,
        rewriter: &Rewriter,
        buffers: &mut Buffers,
    ) {
        let rule = Rule::UndeclaredEncoding;
        if !summary.is_encoding_guessed() || document.is_ascii() {
            return;
        }
        let Some(level) = self.sink.level(rule) else { return };
        let mut finder = Finder { document, audit: self.context.audit, first: None, ascii: 0..0 };
        // The first read had no error.
        let _ = rewriter.inspect(document, buffers, &mut finder);
        let Some(place) = finder.first else { return };
        let message = format!(
            "the page declares no encoding, and browsers guess one; absolve reads it as {}",
            summary.encoding().name()
        );
        let standard = self.sink.lookup.standard;
        let finding = Finding {
            span: Some(place.span),
            element: Some(place.element).filter(|element| !element.is_empty()),
            attribute: Some(place.attribute).filter(|attribute| !attribute.is_empty()),
            reference: Some(standard.masked(None, &place.value).into_owned()),
            ..self.sink.whole(rule, level, message)
        };
        self.sink.add(finding);
    }
}

/// Finds the first reference or anchor with bytes outside ASCII.
struct Finder<'a> {
    document: &'a [u8],
    audit: &'a Audit,
    first: Option<Place>,
    /// The last span without such bytes: the links of a document in an attribute share one.
    ascii: Range<usize>,
}

struct Place {
    span: Range<usize>,
    element: String,
    attribute: String,
    value: String,
}

impl Finder<'_> {
    fn see(&mut self, span: Range<usize>, place: impl FnOnce(Range<usize>) -> Place) {
        let is_before = self.first.as_ref().is_none_or(|first| span.start < first.span.start);
        if !is_before || span == self.ascii {
            return;
        }
        if self.document.get(span.clone()).is_some_and(|bytes| !bytes.is_ascii()) {
            self.first = Some(place(span));
        } else {
            self.ascii = span;
        }
    }
}

impl Visit for Finder<'_> {
    fn can_skip(&mut self, reference: &str, _: Option<&crate::url::Base>) -> bool {
        reference.is_ascii()
    }

    fn link(&mut self, link: &Link<'_>) {
        let Some(span) = link.span() else { return };
        if self.audit.ignores(link.reference(), || link.url()) {
            return;
        }
        self.see(span, |span| Place {
            span,
            element: link.element().to_owned(),
            attribute: link.attribute().to_owned(),
            value: link.reference().to_owned(),
        });
    }

    fn anchor(&mut self, anchor: &Anchor<'_>) {
        if anchor.is_ignored() {
            return;
        }
        self.see(anchor.span(), |span| Place {
            span,
            element: anchor.element().to_owned(),
            attribute: if anchor.kind() == AnchorKind::Id { "id" } else { "name" }.to_owned(),
            value: anchor.value().to_owned(),
        });
    }
}
