//! Audits a file that lists URLs for crawlers: a sitemap, or `robots.txt`.

use std::ops::Range;

use encoding_rs::UTF_8;

use crate::audit::container::document::AuditedDocument;
use crate::audit::context::collector::Collector;
use crate::audit::context::draft::Turn;
use crate::audit::context::requests::Requesters;
use crate::audit::context::state::Pass;
use crate::audit::context::{AuditBuffers, AuditContext};
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::occurrence::{Occurrence, OccurrenceUrl};
use crate::audit::position;
use crate::base::BaseSource;
use crate::batch::{Failure, FileBuffers};
use crate::encoding;
use crate::grammar::Grammar;
use crate::url::Base;

/// Whether the places of URLs are places in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Positions {
    Known,
    /// The file is packed.
    Unknown,
}

/// Calls `visit` with the bytes of a file, the auditor of its URLs and its own URL; returns whether
/// all of it could be read.
pub(super) fn audit(
    context: &AuditContext<'_>,
    file: usize,
    collector: &mut Collector<'_, '_>,
    visit: impl FnOnce(&[u8], &mut PageAuditor<'_>, Option<&Base>) -> (Positions, Result<(), Failure>),
) -> bool {
    let mut file_buffers = FileBuffers::default();
    let mut audit_buffers = AuditBuffers::default();
    let mut auditor = PageAuditor::new(
        context,
        &mut audit_buffers,
        Pass::Read,
        AuditedDocument::file(file),
        Requesters::NONE,
        Turn::Alone,
    );
    // It may be outside the audited folder.
    auditor.is_reported = context.audit.reports(file);
    let read = context.site.read_number(file, &mut file_buffers, &context.audit.limits());
    let source = file_buffers.source();
    let base = Base::new(&context.audit.url_of(file, context.site)).ok();
    let (positions, read) = match read {
        Ok(()) => visit(source, &mut auditor, base.as_ref()),
        Err(failure) => (Positions::Known, Err(failure)),
    };
    if let Err(failure) = &read {
        auditor.unreadable(failure);
    }
    let mut findings = auditor.take_findings();
    match positions {
        Positions::Known => {
            position::fill(&mut findings.drafts, source, encoding::detect(source, Some(UTF_8)));
        }
        Positions::Unknown => findings.drafts.iter_mut().for_each(|one| one.finding.span = None),
    }
    collector.add_page(findings);
    read.is_ok()
}

/// An absolute URL in such a file.
pub(super) fn occurrence<'a>(
    element: &'static str,
    url: &'a str,
    span: Range<usize>,
    base: Option<&'a Base>,
) -> Occurrence<'a> {
    Occurrence {
        element: Some(element),
        attribute: None,
        grammar: Grammar::Url,
        reference: url,
        span,
        base,
        base_source: BaseSource::RetrievalUrl,
        resolved: OccurrenceUrl::To(Some(url)),
        is_nested: false,
        sibling: &|_| None,
    }
}
