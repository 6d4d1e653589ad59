//! Replaces the reader of Markdown in a build without the feature `markdown`; always fails.

use super::page::{Output, Page, Scanned, SpliceBuffers};
use crate::base::{BaseLayer, ResolvedBase};
use crate::error::Error;
use crate::link::{LinkPass, Settings};
use crate::scan::Interest;

const ABSENT: &str = "this build has no Markdown parser; the feature markdown has one";

pub(super) fn scan<'s>(
    _page: Page<'s>,
    _settings: (&Settings, &Interest),
    _buffers: &mut SpliceBuffers,
) -> Result<Page<'s>, Error> {
    Err(Error::other(ABSENT))
}

pub(super) fn decide(
    _scanned: &Scanned<'_, '_>,
    _below: &BaseLayer,
    _pass: &mut LinkPass<'_>,
    _output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    Err(Error::other(ABSENT))
}
