//! The documents that findings are in, read to show the lines that they are on.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::Path;

use absolve::encoding::Detected;
use absolve::url::masked;
use absolve::{Rewriter, detect};
use absolve_archive::Format;
use encoding_rs::Encoding;

use crate::Finding;
use crate::report::context::ReadSource;
use crate::report::excerpt::{MaskedReference, excerpt};
use crate::report::{Context, Excerpt};

/// A document.
struct Source {
    bytes: Vec<u8>,
    detected: Detected,
    /// Its references with a user and password; `None` if it cannot be read.
    masked: OnceCell<Option<Vec<MaskedReference>>>,
}

/// The sources of findings. Only the last one stays in memory, since the findings of a page come
/// side by side.
pub(super) struct Sources<'a> {
    read: Option<ReadSource<'a>>,
    encoding: Option<&'static Encoding>,
    last: Option<(&'a Path, Option<Source>)>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(context: &Context<'a>) -> Self {
        Self { read: context.source, encoding: context.encoding, last: None }
    }

    /// The line that a finding is on, cut to a width; `None` if the file cannot be read, or has no
    /// such place.
    pub(super) fn excerpt(&mut self, finding: &'a Finding, width: usize) -> Option<Excerpt> {
        let span = finding.span.as_ref()?;
        if self.last.as_ref().is_none_or(|(path, _)| *path != finding.file) {
            let source = self.read.and_then(|read| read(&finding.file)).map(|bytes| {
                let detected = detect(&bytes, self.encoding);
                Source { bytes, detected, masked: OnceCell::new() }
            });
            self.last = Some((&finding.file, source));
        }
        let Source { bytes, detected, masked } = self.last.as_ref()?.1.as_ref()?;
        let masked = || {
            let found = masked.get_or_init(|| masked_references(&finding.file, bytes, *detected));
            found.as_deref()
        };
        excerpt(bytes, *detected, span, finding.reference.as_deref(), masked, width)
    }
}

/// The references of a file with a user and password, in the order of the file. Its other text is
/// no URL.
fn masked_references(
    file: &Path,
    source: &[u8],
    detected: Detected,
) -> Option<Vec<MaskedReference>> {
    let rewriter = Rewriter::new().meta().lazy().encoding(detected.encoding.name()).ok()?;
    let mut found = Vec::new();
    let listed =
        absolve_archive::links(source, Format::from_name(file), &rewriter, |_, link, spans| {
            if let (Cow::Owned(masked), Some(span)) = (masked(link.reference()), spans.reference) {
                found.push((span, masked));
            }
        });
    listed.ok()?;
    found.sort_unstable_by_key(|(span, _)| span.start);
    // All links of a srcdoc have its span.
    found.dedup_by_key(|(span, _)| span.start);
    Some(found)
}
