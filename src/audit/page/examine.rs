//! Audits one document: a file, a part of a message, or a record of an archive.

use crate::audit::context::{DocumentFacts, Pass};
use crate::audit::finding::Finding;
use crate::audit::page::auditor::PageAuditor;
use crate::audit::position;
use crate::encoding::{Detected, Lines};
use crate::error::Error;
use crate::link::Syntax;
use crate::rewrite::{Buffers, Rewriter, detect};

/// Audits a document; `in_file` turns an error of the document into one of its file. Returns the
/// encoding that it was read in, and what other pages need of it, except in a recheck.
pub(crate) fn examine(
    auditor: &mut PageAuditor<'_>,
    document: &[u8],
    rewriter: &Rewriter,
    buffers: &mut Buffers,
    in_file: impl FnOnce(Error) -> Error,
) -> (Detected, Option<DocumentFacts>) {
    let is_first = matches!(auditor.pass, Pass::Read);
    let syntax = rewriter.settings().syntax;
    auditor.sink.syntax = syntax;
    let read = rewriter.inspect(document, buffers, auditor);
    let encoding =
        read.as_ref().map_or(rewriter.settings().encoding, |summary| Some(summary.encoding()));
    let detected = match syntax {
        Syntax::Html => detect(document, encoding),
        Syntax::Css | Syntax::Xml | Syntax::JsonFeed => rewriter.detect(document),
    };
    let is_read = match read {
        Ok(summary) => {
            auditor.summary(&summary, syntax);
            if is_first {
                auditor.hidden_xml(&summary);
            }
            !auditor.facts.is_unreadable
        }
        Err(error) => {
            if is_first {
                auditor.failed(in_file(error));
            }
            false
        }
    };
    let known = is_first.then(|| {
        // Browsers with scripts ignore a refresh in `noscript`, and all browsers one in `template`.
        let refresh = auditor.facts.refresh.take();
        let mut refresh = refresh.filter(|refresh| !is_hidden(&refresh.finding, document));
        if let Some(refresh) = &mut refresh {
            position::put(&mut refresh.finding, &mut Lines::new(document, detected));
        }
        let known = auditor.finish(refresh);
        if is_read && syntax != Syntax::Css {
            return known;
        }
        DocumentFacts { anchors: None, refresh: None, ..known }
    });
    (detected, known)
}

/// Whether a finding is inside `noscript` or `template`, judging by the tags before it.
fn is_hidden(finding: &Finding, source: &[u8]) -> bool {
    let before = finding.span.as_ref().and_then(|span| source.get(..span.start));
    let before = before.unwrap_or_default().to_ascii_lowercase();
    ["noscript", "template"].iter().any(|name| {
        let last = |tag: String| memchr::memmem::rfind(&before, tag.as_bytes());
        last(format!("<{name}")) > last(format!("</{name}"))
    })
}
