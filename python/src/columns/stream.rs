//! Links of documents of an array, a batch at a time.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use absolve::Rewriter;
use pyo3::prelude::*;

use super::array::Array;
use super::documents::{Document, Documents, LastBase, Rows};
use super::links::LinkColumns;
use super::stop::Stop;
use crate::document::Places;
use crate::errors::{catch, unwound};
use crate::progress::{INTERVAL, Signals};

/// Batches of links, made while the last one is used: a thread lists them, and waits until one is
/// taken. It ends with this.
#[derive(Debug)]
pub(crate) struct LinkStream {
    /// A thread waits for it without the interpreter.
    batches: Mutex<Receiver<Result<LinkColumns, Stop>>>,
}

impl LinkStream {
    /// Begins to list the links of documents, a batch for each `max_bytes` of its columns.
    pub(super) fn of_documents(
        documents: Documents,
        columns: LinkColumns,
        max_bytes: usize,
    ) -> Result<Self, Stop> {
        Self::begin(columns, max_bytes, move |listing| {
            let mut last_base = LastBase::default();
            for row in 0..documents.column.len() {
                let Some(document) = documents.get(row)? else { continue };
                let flow = match documents.options(&mut last_base, &document) {
                    Ok(options) => listing.list(&document, options),
                    Err(error) => {
                        listing.columns.failure(&document, &error.into());
                        listing.send_if_full()
                    }
                };
                if flow.is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Begins to list the links of a document of bytes, as row 0.
    pub(crate) fn of_bytes(
        source: Vec<u8>,
        name: String,
        options: Rewriter,
        columns: LinkColumns,
        max_bytes: usize,
    ) -> Result<Self, Stop> {
        Self::begin(columns, max_bytes, move |listing| {
            let document = Document::of_bytes(0, &name, &source);
            let _ended = listing.list(&document, &options);
            Ok(())
        })
    }

    fn begin(
        columns: LinkColumns,
        max_bytes: usize,
        work: impl FnOnce(&mut Listing) -> Result<(), Stop> + Send + 'static,
    ) -> Result<Self, Stop> {
        let (sender, batches) = mpsc::sync_channel(0);
        let list = move || {
            let mut listing = Listing { columns, max_bytes, sender };
            let result = unwound(|| work(&mut listing));
            let result = result.unwrap_or_else(|message| Err(Stop::Panic(message)));
            let _ended = match result {
                Ok(()) if listing.columns.len() == 0 => return,
                Ok(()) => listing.sender.send(Ok(listing.columns)),
                Err(stop) => listing.sender.send(Err(stop)),
            };
        };
        thread::Builder::new().spawn(list).map_err(Stop::Thread)?;
        Ok(Self { batches: Mutex::new(batches) })
    }

    /// Waits for the next batch; `None` at the end.
    pub(crate) fn next(&self) -> Option<Result<LinkColumns, Stop>> {
        let mut signals = Signals::new();
        loop {
            // The handler of a signal may ask for the next batch too.
            let batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
            let received = batches.recv_timeout(INTERVAL);
            drop(batches);
            match received {
                Ok(batch) => return Some(batch),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(error) = signals.check() {
                return Some(Err(Stop::Signal(error)));
            }
        }
    }
}

/// What the thread lists.
struct Listing {
    columns: LinkColumns,
    max_bytes: usize,
    sender: SyncSender<Result<LinkColumns, Stop>>,
}

impl Listing {
    /// Lists the links of a document; breaks where nobody takes them any more.
    fn list(&mut self, document: &Document<'_>, options: &Rewriter) -> ControlFlow<()> {
        // A document that fails has its error alone, and none of its links was sent before.
        let known = match self.columns.list(document, options, self.max_bytes) {
            Ok(()) => return self.send_if_full(),
            Err(_) => catch(|| options.links(document.source, |_| {})),
        };
        if let Err(failure) = known {
            self.columns.failure(document, &failure);
            return self.send_if_full();
        }
        let mut places = Places::new(document.source, document.unit);
        let mut flow = ControlFlow::Continue(());
        let listed = catch(|| {
            options.links(document.source, |link| {
                if flow.is_continue() {
                    self.columns.link(document, link, &mut places);
                    flow = self.send_if_full();
                }
            })
        });
        // It did not fail a moment ago.
        debug_assert!(listed.is_ok(), "{listed:?}");
        flow
    }

    fn send_if_full(&mut self) -> ControlFlow<()> {
        if self.columns.size() < self.max_bytes {
            return ControlFlow::Continue(());
        }
        match self.sender.send(Ok(self.columns.take())) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// The batches of `links_batches`, an `Array` each.
#[pyclass(frozen, module = "absolve")]
pub(super) struct LinkBatches {
    pub(super) stream: LinkStream,
}

#[pymethods]
impl LinkBatches {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Array>> {
        let batch = py.detach(|| self.stream.next().map(|batch| batch?.array()));
        let array = batch.transpose().map_err(|stop| stop.exception(py))?;
        Ok(array.map(Array::from))
    }
}
