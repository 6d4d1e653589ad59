//! The documents that findings are in, read to show the lines that they are on.

use std::path::Path;

use encoding_rs::Encoding;

use super::context::{Context, ReadSource};
use super::excerpt::{Excerpt, excerpt};
use super::{passwords, view};
use crate::audit::Finding;
use crate::encoding::Detected;
use crate::rewrite::detect;

/// A document and its encoding.
type Source = (Vec<u8>, Detected);

/// The sources of findings; those of one page come side by side.
pub(super) struct Sources<'a> {
    read: Option<ReadSource<'a>>,
    encoding: Option<&'static Encoding>,
    last: Option<(&'a Path, Option<Source>)>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(context: &Context<'a>) -> Self {
        Self { read: context.source, encoding: context.encoding, last: None }
    }

    /// The line that a finding is on; `None` if nobody would find the reference there.
    pub(super) fn excerpt(&mut self, finding: &'a Finding) -> Option<Excerpt> {
        let span = finding.span.as_ref().filter(|_| view::is_in_file(finding))?;
        if self.last.as_ref().is_none_or(|(path, _)| *path != finding.file) {
            let source = self.read.and_then(|read| read(&finding.file)).map(|source| {
                let detected = detect(&source, self.encoding);
                (source, detected)
            });
            self.last = Some((&finding.file, source));
        }
        let (source, detected) = self.last.as_ref()?.1.as_ref()?;
        // The source line of an encoded part does not show the reference.
        let written =
            || source.get(span.clone()) == finding.reference.as_deref().map(str::as_bytes);
        if finding.inside.is_some() && !written() {
            return None;
        }
        excerpt(source, *detected, span, passwords::masked_reference(finding))
    }
}
