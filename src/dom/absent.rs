//! Replaces the DOM engine in a build without the feature `dom`: no document is read.

use std::convert::Infallible;
use std::marker::PhantomData;

use crate::base::{BaseLayer, ResolvedBase};
use crate::encoding::Detected;
use crate::error::Error;
use crate::link::LinkPass;
use crate::scan::Interest;
use crate::splice::SpliceBuffers;

/// A document that no build without the engine has.
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
        Err(Error::not_built("DOM engine", "dom"))
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
