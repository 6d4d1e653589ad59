//! The work on one document, without the interpreter.

use std::cell::RefCell;
use std::collections::HashSet;
use std::mem;

use absolve::audit::{Deployment, Location, external_url};
use absolve::url::Base;
use absolve::{Buffers, Error, Rewriter};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::input::Document;
use super::link::LinkList;
use crate::errors::{Failure, catch};

/// Bytes of documents whose memory is kept; more than most documents are.
pub(crate) const KEPT: usize = 4 << 20;

/// Which URLs are listed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UrlSelection {
    /// Only URLs that lead to another host, and that a link checker requests.
    pub(crate) external: bool,
    /// Each one once.
    pub(crate) unique: bool,
}

impl UrlSelection {
    /// Gives the URLs of a document to `give`, in the order of its links; `base_url` is that of the
    /// document, if it is known. Those before an error are given too.
    pub(crate) fn list(
        self,
        source: &[u8],
        (rewriter, base_url): (&Rewriter, Option<&str>),
        buffers: &mut Buffers,
        mut give: impl FnMut(&str),
    ) -> Result<(), Error> {
        let mut seen = HashSet::new();
        let mut give = |url: &str| {
            if !self.unique {
                give(url);
            } else if !seen.contains(url) {
                seen.insert(Box::<str>::from(url));
                give(url);
            }
        };
        if !self.external {
            return rewriter.urls(source, buffers, give).map(drop);
        }
        let base = base_url.map(Base::new).transpose()?;
        let site = base.as_ref().map_or_else(Deployment::default, Deployment::new);
        let leads_out = |url: &str| matches!(site.locate(url), Location::External);
        let listed = rewriter.links(source, |link| {
            if let Some(url) = external_url(link, leads_out) {
                give(&url);
            }
        });
        listed.map(drop)
    }
}

/// Does work in memory that is kept for the next document, unless a failure may have left it half
/// written.
fn with_buffers<T, E>(
    document: &Document<'_, '_>,
    work: impl FnOnce(&mut Buffers) -> Result<T, E>,
) -> Result<T, E> {
    thread_local! {
        static BUFFERS: RefCell<Buffers> = RefCell::default();
    }
    let mut buffers = BUFFERS.take();
    let result = work(&mut buffers);
    if result.is_ok() && document.content.bytes().len() <= KEPT {
        BUFFERS.set(buffers);
    }
    result
}

/// The document with its links made absolute; `base_url` names it in the message about a bug.
pub(super) fn rewritten<'py>(
    document: &Document<'_, 'py>,
    options: &Rewriter,
    base_url: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let source = document.content.bytes();
    with_buffers(document, |buffers| {
        let result = document.py().detach(|| {
            catch(|| {
                let result = options.rewrite_in(source, buffers)?;
                Ok((result.is_changed(), result.into_bytes()))
            })
        });
        let (is_changed, bytes) = result.map_err(|failure| failed(document, &failure, base_url))?;
        document.rewritten(is_changed.then_some(&*bytes))
    })
}

/// The URLs of the document's links.
pub(super) fn listed_urls<'py>(
    document: &Document<'_, 'py>,
    options: &Rewriter,
    base_url: Option<&str>,
    selection: UrlSelection,
) -> PyResult<Bound<'py, PyList>> {
    let source = document.content.bytes();
    let (mut text, mut ends) = (String::new(), Vec::new());
    let listed = with_buffers(document, |buffers| {
        document.py().detach(|| {
            catch(|| {
                selection.list(source, (options, base_url), buffers, |url| {
                    text.push_str(url);
                    ends.push(text.len());
                })
            })
        })
    });
    listed.map_err(|failure| failed(document, &failure, base_url))?;
    let mut start = 0;
    PyList::new(document.py(), ends.iter().map(|&end| &text[mem::replace(&mut start, end)..end]))
}

/// The links of the document.
pub(super) fn listed<'py>(
    document: &Document<'_, 'py>,
    options: &Rewriter,
    base_url: Option<&str>,
) -> PyResult<Bound<'py, PyList>> {
    let (source, unit) = (document.content.bytes(), document.content.unit());
    let listed = document.py().detach(|| catch(|| LinkList::read(source, unit, options)));
    listed.map_err(|failure| failed(document, &failure, base_url))?.objects(document.py())
}

pub(super) fn failed(
    document: &Document<'_, '_>,
    failure: &Failure,
    base_url: Option<&str>,
) -> PyErr {
    let name = match base_url {
        Some(url) => format!("document of {url}"),
        None => format!("document of {} bytes", document.content.bytes().len()),
    };
    failure.exception(document.py(), &name, document.content.unit())
}
