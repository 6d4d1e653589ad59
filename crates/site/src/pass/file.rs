//! Audits one file: a page, a style sheet or another XML document.

use absolve::Advice;
use absolve::Syntax;
use absolve::encoding::{Detected, Lines};
use absolve::{Buffers, Rewriter, detect};
use absolve_archive::Format;
use absolve_files::{Failure, FileBuffers};

use crate::checks::documents;
use crate::page::sink;
use crate::{
    AuditContext, DocumentFacts, Finding, PageAuditor, PageReading, PageResult, Pass, ReadDocument,
    Turn,
};

impl AuditContext<'_> {
    /// Audits one file of the site.
    pub(crate) fn audit_file(
        &self,
        file_buffers: &mut FileBuffers,
        file: usize,
        reading: PageReading<'_>,
    ) -> PageResult {
        let read = self.site.read_number(file, file_buffers, &self.audit.limits());
        let (source, buffers) = file_buffers.parts();
        let _turn = absolve_archive::jobs::lock_if_large(source.len() as u64);
        let result = self.audit_page((file, source), read, buffers, reading);
        if matches!(reading.pass, Pass::Read) && reading.turn == Turn::Parallel {
            self.monitor.read(source.len() as u64);
        }
        result
    }

    /// Audits a page or a style sheet, unless it could not be read.
    fn audit_page(
        &self,
        (file, source): (usize, &[u8]),
        read: Result<(), Failure>,
        buffers: &mut Buffers,
        reading: PageReading<'_>,
    ) -> PageResult {
        let mut auditor = PageAuditor::start(self, file, reading);
        let detected = read.and_then(|()| self.audit_document(&mut auditor, source, buffers));
        if let (Err(failure), Pass::Read) = (&detected, reading.pass) {
            documents::unreadable(&mut auditor, failure);
        }
        let detected = detected.unwrap_or_else(|_| detect(source, self.audit.encoding()));
        auditor.into_result(source, detected)
    }

    fn audit_document(
        &self,
        auditor: &mut PageAuditor<'_>,
        source: &[u8],
        buffers: &mut Buffers,
    ) -> Result<Detected, Failure> {
        let file = auditor.number();
        let format = Format::from_name(&self.site.shown(file));
        let is_markdown = !Format::begins_page(source) && format.syntax() == Some(Syntax::Markdown);
        let by_name = is_markdown.then(|| format.noun());
        let foreign = Format::foreign(source).or(by_name);
        if let (Some(what), false) = (foreign, self.site.is_style(file)) {
            let what = format!("it is {what}, and no HTML; give it another name, or exclude it");
            return Err(Failure::new(what).advising(Advice::Set("{exclude}")));
        }
        let rewriter = self.audit.rewriter_for(file, self.site)?;
        let (detected, known) = examine(auditor, source, &rewriter, buffers);
        if let Some(facts) = known {
            self.state.record(file, facts);
        }
        Ok(detected)
    }
}

/// Audits a document. Returns the encoding that it was read in, and what other pages need of it,
/// except in a recheck.
pub(crate) fn examine(
    auditor: &mut PageAuditor<'_>,
    document: &[u8],
    rewriter: &Rewriter,
    buffers: &mut Buffers,
) -> (Detected, Option<DocumentFacts>) {
    let is_first = matches!(auditor.pass, Pass::Read);
    let syntax = rewriter.settings().syntax;
    auditor.sink.syntax = syntax;
    let read = rewriter.inspect(document, buffers, auditor);
    let encoding =
        read.as_ref().map_or(rewriter.settings().encoding, |summary| Some(summary.encoding()));
    let detected = match syntax {
        Syntax::Html => detect(document, encoding),
        _ => rewriter.detect(document),
    };
    let is_read = match read {
        Ok(summary) => {
            auditor.facts.is_unreadable |= summary.is_unreadable() && syntax != Syntax::Css;
            if is_first {
                let summary = &summary;
                let mut read =
                    ReadDocument { source: document, syntax, summary, detected, rewriter, buffers };
                let checks = auditor.checks.documents.iter().copied().flatten();
                checks.for_each(|check| check(auditor, &mut read));
            }
            !auditor.facts.is_unreadable
        }
        Err(error) => {
            if is_first {
                (auditor.checks.failed)(auditor, error);
            }
            false
        }
    };
    let known = is_first.then(|| {
        // Browsers with scripts ignore a refresh in `noscript`, and all browsers one in `template`.
        let has_anchors = is_read && syntax != Syntax::Css;
        let refresh = auditor.facts.refresh.take().filter(|_| has_anchors);
        let mut refresh = refresh.filter(|refresh| !is_hidden(&refresh.finding, document));
        if let Some(refresh) = &mut refresh {
            sink::put(&mut refresh.finding, &mut Lines::new(document, detected));
        }
        let known = auditor.finish(refresh);
        DocumentFacts { anchors: known.anchors.filter(|_| has_anchors), ..known }
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
