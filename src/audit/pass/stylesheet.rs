//! Audits the URLs in style sheets of the site.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::audit::context::AuditContext;
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::occurrence::{Occurrence, OccurrenceUrl};
use crate::base::BaseSource;
use crate::encoding::{Decoding, Detected};
use crate::grammar::Grammar;
use crate::url::Base;
use crate::value::references;

/// Audits the URLs of a style sheet, whose own URL is their base
/// ([CSS Values](https://www.w3.org/TR/css-values-4/#relative-urls)).
pub(crate) fn audit(context: &AuditContext<'_>, auditor: &mut PageAuditor<'_>, source: &[u8]) {
    let url = context.audit.url_of(auditor.page, context.site);
    let Ok(base) = Base::new(&url) else { return };
    let Detected { encoding, bom } = detect(source);
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

/// The encoding of a style sheet: by its byte order mark, else by `@charset`, else
/// UTF-8 ([CSS Syntax](https://www.w3.org/TR/css-syntax-3/#input-byte-stream)).
pub(crate) fn detect(source: &[u8]) -> Detected {
    if let Some((encoding, bom)) = Encoding::for_bom(source) {
        return Detected { encoding, bom };
    }
    let label = source.strip_prefix(b"@charset \"").and_then(|rest| {
        let end = rest.iter().take(1024).position(|byte| *byte == b'"')?;
        rest[end..].starts_with(b"\";").then_some(&rest[..end])
    });
    let encoding = label.and_then(Encoding::for_label).unwrap_or(UTF_8);
    let encoding = if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding };
    Detected { encoding, bom: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(source: &[u8], encoding: &str, bom: usize) {
        let detected = detect(source);
        assert_eq!((detected.encoding.name(), detected.bom), (encoding, bom), "{source:?}");
    }

    #[test]
    fn a_style_sheet_says_its_encoding() {
        is(b"a{}", "UTF-8", 0);
        is(b"@charset \"windows-1252\";a{}", "windows-1252", 0);
        is(b"@charset \"windows-1252\"", "UTF-8", 0);
        is(b"@charset 'windows-1252';", "UTF-8", 0);
        is(b"@charset \"utf-16\";", "UTF-8", 0);
        is(b"@charset \"x\";", "UTF-8", 0);
        is(b"\xef\xbb\xbf@charset \"windows-1252\";", "UTF-8", 3);
        is(b"\xff\xfea\0", "UTF-16LE", 2);
    }
}
