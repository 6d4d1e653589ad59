//! Audits the URLs in style sheets of the site.

use crate::audit::context::AuditContext;
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::occurrence::{Occurrence, OccurrenceUrl};
use crate::base::BaseSource;
use crate::encoding::{Decoding, Detected, of_stylesheet};
use crate::grammar::Grammar;
use crate::url::Base;
use crate::value::references;

/// Audits the URLs of a style sheet, whose own URL is their base
/// ([CSS Values](https://www.w3.org/TR/css-values-4/#relative-urls)).
pub(crate) fn audit(context: &AuditContext<'_>, auditor: &mut PageAuditor<'_>, source: &[u8]) {
    let url = context.audit.url_of(auditor.number(), context.site);
    let Ok(base) = Base::new(&url) else { return };
    let Detected { encoding, bom } = of_stylesheet(source, None);
    let decoding = Decoding::new(encoding, &source[bom..]);
    let standard = context.audit.standard();
    references(Grammar::Stylesheet, decoding.text(), &mut |found| {
        let reference = &*found.reference;
        let resolved = standard.resolve(Some(&base), reference).ok();
        let span = decoding.source_range(found.span.clone());
        auditor.occurrence(&Occurrence {
            element: None,
            attribute: None,
            grammar: Grammar::Stylesheet,
            reference,
            span: bom + span.start..bom + span.end,
            base: Some(&base),
            base_source: BaseSource::RetrievalUrl,
            resolved: OccurrenceUrl::To(resolved.as_ref().and_then(|resolved| resolved.url())),
            is_nested: false,
            sibling: &|_| None,
        });
    });
}
