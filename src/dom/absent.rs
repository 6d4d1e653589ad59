//! Replaces the DOM engine in a build without the feature `dom`, and reads no document.

use std::convert::Infallible;
use std::marker::PhantomData;

use crate::base::{BaseLayer, ResolvedBase};
use crate::encoding::Detected;
use crate::error::Error;
use crate::link::LinkPass;
use crate::scan::Interest;
use crate::splice::SpliceBuffers;

/// A decoded document, which a build without the engine never creates.
pub(crate) struct Decoded<'s> {
    never: Infallible,
    pub(crate) hides_markup: bool,
    source: PhantomData<&'s [u8]>,
}

impl<'s> Decoded<'s> {
    pub(crate) fn new(
        _source: &'s [u8],
        _detected: Detected,
        _interest: &Interest,
        _buffers: &mut SpliceBuffers,
    ) -> Result<Option<Self>, Error> {
        Err(Error::other("this build has no DOM engine; the feature dom has one"))
    }
}

pub(crate) fn links(
    document: &Decoded<'_>,
    _below: &BaseLayer,
    _pass: &mut LinkPass<'_>,
) -> Result<ResolvedBase, Error> {
    match document.never {}
}

pub(crate) fn rewrite(
    _source: &[u8],
    document: &Decoded<'_>,
    _detected: Detected,
    _below: &BaseLayer,
    _pass: &mut LinkPass<'_>,
) -> Result<(Vec<u8>, ResolvedBase), Error> {
    match document.never {}
}
