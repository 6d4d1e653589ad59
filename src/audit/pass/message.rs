//! Audits the pages of a message.

use crate::audit::container::document::{AuditedDocument, Scope};
use crate::audit::container::parts::{Parts, is_document};
use crate::audit::context::{AuditContext, DocumentFacts, PageReading, PageResult, Pass};
use crate::audit::finding::Finding;
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::examine::examine;
use crate::audit::position;
use crate::batch::Failure;
use crate::container::{Decoded, Message, Part};
use crate::encoding::Lines;
use crate::error::Error;
use crate::rewrite::Buffers;

/// A message that is audited.
struct OpenMessage<'m, 's> {
    message: &'m Message<'s>,
    /// Counts lines, in the order of the pages.
    lines: Lines<'s>,
}

impl AuditContext<'_> {
    /// Audits the pages of a message, unless it could not be read.
    ///
    /// The limit on findings of a page applies to all of them together, as a message may have
    /// any number of pages.
    pub(super) fn audit_message(
        &self,
        (file, source): (usize, &[u8]),
        read: Result<(), Failure>,
        buffers: &mut Buffers,
        reading: PageReading<'_>,
    ) -> PageResult {
        let message = read.and_then(|()| self.open(file, source));
        let parts = message
            .as_ref()
            .map_or_else(|_| Parts::default(), |message| self.containers.parts(file, message));
        let whole = AuditedDocument {
            scope: Scope::Message { file, parts: &parts },
            ..AuditedDocument::file(file)
        };
        let mut auditor = PageAuditor::new(self, whole, reading);
        let is_first = matches!(reading.pass, Pass::Read);
        match &message {
            Ok(message) => {
                let lines = Lines::new(source, position::of_message(source));
                let mut opened = OpenMessage { message, lines };
                self.audit_parts(&mut opened, &parts, buffers, &mut auditor);
                auditor.turn_to(whole);
                if is_first {
                    auditor.unknown_parts(message.failures());
                }
            }
            Err(failure) if is_first => auditor.unreadable(failure),
            Err(_) => {}
        }
        auditor.into_result(source, position::of_message(source))
    }

    /// Finds the parts of a message and their base URLs. A part without a base has the URL of the
    /// file.
    fn open<'s>(&self, file: usize, source: &'s [u8]) -> Result<Message<'s>, Failure> {
        let is_served = !self.site.is_container() && !self.lookup.deployment.is_nameless();
        if !is_served {
            let message = Message::read(source, &self.audit.rewriter)?;
            if message.parts().all(|part| !is_document(part.kind()) || part.base().is_some()) {
                return Ok(message);
            }
        }
        Ok(Message::read(source, &self.audit.rewriter_for(file, self.site)?)?)
    }

    fn audit_parts<'l>(
        &'l self,
        opened: &mut OpenMessage<'_, '_>,
        parts: &'l Parts,
        buffers: &mut Buffers,
        auditor: &mut PageAuditor<'l>,
    ) {
        let file = auditor.sink.document.file;
        let documents = opened.message.parts().filter(|part| is_document(part.kind()));
        for (number, part) in self.containers.in_message(file).zip(documents) {
            if self.monitor.is_stopped() {
                return;
            }
            let Some(document) = part.decoded_body() else { continue };
            auditor.turn_to(self.containers.subject(number, Some(parts)));
            let before = auditor.sink.findings.drafts.len();
            let known = audit_part(part, &document, buffers, auditor);
            // A deferred page has no findings.
            for draft in auditor.sink.findings.drafts.get_mut(before..).unwrap_or_default() {
                move_to_file(&mut draft.finding, &document);
            }
            if let Some(mut facts) = known {
                if let Some(refresh) = &mut facts.refresh {
                    move_to_file(&mut refresh.finding, &document);
                    position::put(&mut refresh.finding, &mut opened.lines);
                }
                self.state.record(number, facts);
            }
        }
    }
}

/// Audits one part; returns what other pages need of it.
fn audit_part(
    part: Part<'_, '_>,
    document: &Decoded<'_>,
    buffers: &mut Buffers,
    auditor: &mut PageAuditor<'_>,
) -> Option<DocumentFacts> {
    let len = document.bytes().len();
    let start = |byte: usize| document.in_file(byte.min(len)..byte.min(len)).start;
    let in_file = |error: Error| error.in_file(start);
    examine(auditor, document.bytes(), &part.rewriter(), buffers, in_file).1
}

/// Moves the span of a finding from a decoded part to its file.
fn move_to_file(finding: &mut Finding, document: &Decoded<'_>) {
    if let Some(span) = &mut finding.span {
        *span = document.in_file(span.clone());
    }
}
