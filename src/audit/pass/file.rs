//! Audits one file: a page, a style sheet or a message.

use std::borrow::Cow;

use crate::audit::container::document::AuditedDocument;
use crate::audit::context::{AuditContext, PageReading, PageResult, Pass, Turn};
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::examine::examine;
use crate::batch::{Failure, FileBuffers};
use crate::container::Format;
use crate::encoding::Detected;
use crate::rewrite::{Buffers, detect};

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
        let _turn = crate::batch::lock_if_large(source.len() as u64);
        let is_message = self.site.is_message(file);
        // The links of a report are states of its table.
        let is_own_file = !is_message
            && read.is_ok()
            && self.audit.is_own_file(&self.site.shown(file), &|| Some(Cow::Borrowed(source)));
        let result = match read {
            _ if is_own_file => PageResult { is_own_file, ..PageResult::default() },
            read if is_message => self.audit_message((file, source), read, buffers, reading),
            read => self.audit_page((file, source), read, buffers, reading),
        };
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
        let mut auditor = PageAuditor::new(self, AuditedDocument::file(file), reading);
        let detected = read.and_then(|()| self.audit_document(&mut auditor, source, buffers));
        if let (Err(failure), Pass::Read) = (&detected, reading.pass) {
            auditor.unreadable(failure);
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
        let is_markdown = !Format::begins_page(source)
            && Format::of_name(&self.site.shown(file)) == Format::Markdown;
        let by_name = is_markdown.then(|| Format::Markdown.noun());
        let foreign = Format::foreign(source).or(by_name);
        if let (Some(what), false) = (foreign, self.site.is_style(file)) {
            let what = format!("it is {what}, and no HTML; give it another name, or exclude it");
            return Err(Failure::new(what));
        }
        let rewriter = self.audit.rewriter_for(file, self.site)?;
        let (detected, known) = examine(auditor, source, &rewriter, buffers, |error| error);
        if let Some(facts) = known {
            self.state.record(file, facts);
        }
        Ok(detected)
    }
}
