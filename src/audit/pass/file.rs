//! Audits one file: a page or a style sheet.

use std::borrow::Cow;

use crate::audit::container::document::AuditedDocument;
use crate::audit::context::{AuditContext, PageResult, Pass, Requesters, Turn};
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::examine::examine;
use crate::audit::position;
use crate::batch::{Failure, FileBuffers};
use crate::container::Format;
use crate::encoding::{Detected, Lines};
use crate::rewrite::{Buffers, detect};

impl AuditContext<'_> {
    /// Audits one file of the site.
    pub(crate) fn audit_file(
        &self,
        file_buffers: &mut FileBuffers,
        file: usize,
        requester: Requesters,
        pass: Pass<'_>,
        turn: Turn,
    ) -> PageResult {
        let mut audit_buffers = self.take_buffers();
        let subject = AuditedDocument::file(file);
        let mut auditor =
            PageAuditor::new(self, &mut audit_buffers, pass, subject, requester, turn);
        let read = self.site.read_number(file, file_buffers, &self.audit.limits());
        let (source, buffers) = file_buffers.parts();
        let _turn = crate::batch::lock_if_large(source.len() as u64);
        // The links of a report are states of its table.
        let is_own_file = read.is_ok()
            && self.audit.is_own_file(&self.site.shown(file), &|| Some(Cow::Borrowed(source)));
        let is_first = matches!(pass, Pass::Read);
        if is_own_file {
            if is_first && turn == Turn::Parallel {
                self.monitor.read(source.len() as u64);
            }
            self.put_back(audit_buffers);
            return PageResult { is_own_file, ..PageResult::default() };
        }
        let detected = read.and_then(|()| self.audit_document(&mut auditor, source, buffers));
        if let (Err(failure), true) = (&detected, is_first) {
            auditor.unreadable(failure);
        }
        if is_first && turn == Turn::Parallel {
            self.monitor.read(source.len() as u64);
        }
        let (mut findings, links) = (auditor.sink.take(), auditor.links);
        if findings.drafts.iter().any(|draft| draft.finding.span.is_some()) {
            let detected = detected.unwrap_or_else(|_| detect(source, self.audit.encoding()));
            position::fill(&mut findings.drafts, source, detected);
        }
        self.put_back(audit_buffers);
        PageResult { findings, links, is_own_file }
    }

    fn audit_document(
        &self,
        auditor: &mut PageAuditor<'_>,
        source: &[u8],
        buffers: &mut Buffers,
    ) -> Result<Detected, Failure> {
        let file = auditor.number();
        if let (Some(what), false) = (Format::foreign(source), self.site.is_style(file)) {
            let what = format!("it is {what}, and no HTML; give it another name, or exclude it");
            return Err(Failure::new(what));
        }
        let rewriter = self.audit.rewriter_for(file, self.site)?;
        let (detected, known) = examine(auditor, source, &rewriter, buffers, |error| error);
        if let Some(mut facts) = known {
            if let Some(refresh) = &mut facts.refresh {
                position::put(&mut refresh.finding, &mut Lines::new(source, detected));
            }
            self.state.record(file, facts);
        }
        Ok(detected)
    }
}
