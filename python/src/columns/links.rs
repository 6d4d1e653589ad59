//! Lists links and URLs of the documents in an array: in the chunks of the array, or in batches.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::{mem, thread};

use absolve::column::{Column, Read};
use absolve::{Buffers, Link, Rewriter};
use arrow_array::{Array as _, ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::Field;
use pyo3::prelude::*;

use super::array::Array;
use super::documents::{Chunk, Document, Documents, LastBase, Rows};
use super::values::{Numbers, Texts, Values, make_table};

use crate::document::{LinkPositions, MAX_KEPT_BYTES, UrlSelection};
use crate::errors::{ArrayError, DocumentFailure, catch, catch_panic};
use crate::options::{find_choice, read_texts};
use crate::progress::{INTERVAL, Signals};

/// The links to list, and the columns of each.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    columns: Arc<[&'static Column]>,
    /// The selection of lists of URLs, with a row per document; `None` for a row per link.
    urls: Option<UrlSelection>,
}

impl Selection {
    /// Reads the argument `columns`: names in the order of the result; `None` for the default.
    pub(crate) fn new(columns: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(names) = columns else {
            return Ok(Self { columns: Column::of_tables().collect(), urls: None });
        };
        let mut chosen: Vec<&Column> = Vec::new();
        for name in read_texts("columns", names)? {
            let columns = Column::on_request().map(|column| (column.name, column));
            let column = find_choice("columns", &name, columns)?;
            if !chosen.iter().any(|column| column.name == name) {
                chosen.push(column);
            }
        }
        Ok(Self { columns: chosen.into(), urls: None })
    }

    /// Selects the column of URLs, as lists.
    pub(super) fn from_urls(urls: UrlSelection) -> Self {
        let columns = Column::of_tables().filter(|column| matches!(column.read, Read::Url(_)));
        Self { columns: columns.collect(), urls: Some(urls) }
    }
}

/// The links of documents as columns, and the errors of documents that fail.
#[derive(Debug)]
pub(crate) struct LinkColumns {
    selection: Selection,
    documents: Vec<DocumentRows>,
    columns: Vec<Values>,
    rows: usize,
    /// The bytes of the errors.
    error_bytes: usize,
}

/// A document, and the number of its rows.
#[derive(Debug, Default)]
struct DocumentRows {
    document: usize,
    rows: usize,
    error: Option<String>,
}

/// The error of a document whose links exceed the maximum size.
#[derive(Debug)]
pub(crate) struct TooLarge;

impl LinkColumns {
    /// Makes columns without rows.
    pub(crate) fn new(selection: &Selection) -> Self {
        let columns = selection.columns.iter().map(|column| Values::new(column.read)).collect();
        let selection = selection.clone();
        Self { selection, documents: Vec::new(), columns, rows: 0, error_bytes: 0 }
    }

    /// Takes the rows, and leaves empty columns.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Self::new(&self.selection);
        mem::replace(self, empty)
    }

    /// Adds the links of a document, or only its error. `buffers` are reused for the next document.
    ///
    /// # Errors
    ///
    /// Returns an error, and adds nothing, if the columns would exceed `max_bytes`.
    pub(crate) fn list(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        buffers: &mut Buffers,
        max_bytes: usize,
    ) -> Result<(), TooLarge> {
        let (start, source) = (self.rows, document.source);
        let mut positions = LinkPositions::new(source, document.unit);
        let mut is_full = false;
        let result = catch(|| {
            if let Some(urls) = self.selection.urls {
                let options = (options, document.base_url);
                return urls.list(source, options, buffers, |url| self.add_url(url));
            }
            let listed = options.links_in(source, buffers, |link| {
                is_full |= self.overflows() || self.size() > max_bytes;
                if !is_full {
                    self.add_link(link, &mut positions);
                }
            });
            listed.map(drop)
        });
        if source.len() > MAX_KEPT_BYTES || result.is_err() {
            *buffers = Buffers::new();
        }
        let is_too_large = is_full && max_bytes < usize::MAX;
        if result.is_err() || is_too_large {
            self.columns.iter_mut().for_each(|values| values.truncate(start));
            self.rows = start;
        }
        match result {
            Err(failure) => self.add_failure(document, &failure),
            Ok(()) if is_too_large => return Err(TooLarge),
            Ok(()) => self.count_rows(document.row, self.rows - start),
        }
        Ok(())
    }

    fn add_link(&mut self, link: &Link<'_>, positions: &mut LinkPositions<'_>) {
        for (values, column) in self.columns.iter_mut().zip(&*self.selection.columns) {
            values.push(column.read, link, positions);
        }
        self.rows += 1;
    }

    fn add_url(&mut self, url: (&str, &str)) {
        if let [Values::Texts(urls)] = &mut self.columns[..] {
            urls.push_parts(Some(url));
        }
        self.rows += 1;
    }

    /// Assigns the last rows to a document.
    fn count_rows(&mut self, document: usize, rows: usize) {
        match self.documents.last_mut() {
            Some(last) if last.document == document && last.error.is_none() => last.rows += rows,
            _ => self.documents.push(DocumentRows { document, rows, error: None }),
        }
    }

    /// Adds the error of a document: a row, or no list.
    pub(crate) fn add_error(&mut self, document: usize, message: String) {
        let rows = usize::from(self.selection.urls.is_none());
        (0..rows).for_each(|_| self.columns.iter_mut().for_each(Values::push_null));
        self.rows += rows;
        self.error_bytes += message.len();
        self.documents.push(DocumentRows { document, rows, error: Some(message) });
    }

    /// Lists the documents with the number of their rows.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (usize, usize)> {
        self.documents.iter().map(|listed| (listed.document, listed.rows))
    }

    /// Returns the bytes of the columns.
    pub(crate) fn size(&self) -> usize {
        /// The number of the document, and the offset of its error.
        const ROW_BYTES: usize = 8 + 4;
        let columns = self.columns.iter().map(|values| values.size(self.rows));
        self.error_bytes + ROW_BYTES * self.rows + columns.sum::<usize>()
    }

    fn overflows(&self) -> bool {
        self.columns.iter().any(Values::overflows)
    }

    /// Makes the columns of a table with a row per link.
    pub(crate) fn into_columns(self) -> Result<Vec<(&'static str, ArrayRef)>, ArrayError> {
        let (mut documents, mut errors) = (Numbers::default(), Texts::default());
        for listed in &self.documents {
            for _ in 0..listed.rows {
                documents.push(Some(listed.document as u64));
                errors.push(listed.error.as_deref());
            }
        }
        let (documents, errors) = (documents.into_array(), errors.into_array()?);
        let mut arrays = vec![("document", documents), ("error", errors)];
        for (values, column) in self.columns.into_iter().zip(&*self.selection.columns) {
            arrays.push((column.name, values.into_array(column.read)?));
        }
        Ok(arrays)
    }

    /// Makes lists of a column, with a row per document of a chunk.
    fn into_lists(self, chunk: &Chunk) -> Result<StructArray, ArrayError> {
        let lengths = OffsetBuffer::from_lengths(self.documents.iter().map(|listed| listed.rows));
        let is_listed: NullBuffer =
            self.documents.iter().map(|listed| listed.error.is_none()).collect();
        let nulls = NullBuffer::union(chunk.nulls(), Some(&is_listed));
        let mut errors = Texts::default();
        self.documents.iter().for_each(|listed| errors.push(listed.error.as_deref()));
        let mut columns = Vec::new();
        for (values, column) in self.columns.into_iter().zip(&*self.selection.columns) {
            let values = values.into_array(column.read)?;
            let item = Arc::new(Field::new("item", values.data_type().clone(), true));
            let lists = ListArray::try_new(item, lengths.clone(), values, nulls.clone())?;
            columns.push(("urls", Arc::new(lists) as ArrayRef));
        }
        columns.push(("error", errors.into_array()?));
        make_table(columns, 0)
    }
}

impl Rows for LinkColumns {
    fn append(&mut self, mut next: Self) -> Result<(), ArrayError> {
        self.documents.append(&mut next.documents);
        self.rows += next.rows;
        self.error_bytes += next.error_bytes;
        self.columns.iter_mut().zip(next.columns).try_for_each(|(values, next)| values.append(next))
    }

    fn add_null(&mut self) {
        self.documents.push(DocumentRows::default());
    }

    fn add_document(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        buffers: &mut Buffers,
    ) -> Result<(), DocumentFailure> {
        // Without a limit, this cannot fail.
        self.list(document, options, buffers, usize::MAX).unwrap_or_default();
        Ok(())
    }

    fn add_failure(&mut self, document: &Document<'_>, failure: &DocumentFailure) {
        self.add_error(document.row, document.message(failure));
    }

    fn check(&self) -> Result<(), ArrayError> {
        if self.overflows() { Err(ArrayError::TEXT_OVERFLOW) } else { Ok(()) }
    }

    fn into_array(self, chunk: &Chunk) -> Result<StructArray, ArrayError> {
        match self.selection.urls {
            Some(_) => self.into_lists(chunk),
            None => make_table(self.into_columns()?, 1),
        }
    }
}

/// A stream of batches of links. A thread lists the next batch while the caller uses the last one,
/// and waits until the caller takes it. The thread ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct LinkStream {
    /// The lock is taken without the interpreter.
    batches: Mutex<Receiver<Result<LinkColumns, ArrayError>>>,
}

impl LinkStream {
    /// Begins to list the links of documents, with a batch for each `max_bytes` of its columns.
    pub(super) fn from_documents(
        documents: Documents,
        columns: LinkColumns,
        max_bytes: usize,
    ) -> Result<Self, ArrayError> {
        Self::begin(columns, max_bytes, move |listing| {
            let mut last_base = LastBase::default();
            for row in 0..documents.column.len {
                let Some(document) = documents.get(row)? else { continue };
                let flow = match documents.options(&mut last_base, &document) {
                    Ok(options) => listing.list(&document, options),
                    Err(error) => {
                        listing.columns.add_failure(&document, &error.into());
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
    pub(crate) fn from_bytes(
        source: Vec<u8>,
        name: String,
        options: Rewriter,
        columns: LinkColumns,
        max_bytes: usize,
    ) -> Result<Self, ArrayError> {
        Self::begin(columns, max_bytes, move |listing| {
            let document = Document::from_bytes(0, &name, &source);
            let _ended = listing.list(&document, &options);
            Ok(())
        })
    }

    fn begin(
        columns: LinkColumns,
        max_bytes: usize,
        work: impl FnOnce(&mut Listing) -> Result<(), ArrayError> + Send + 'static,
    ) -> Result<Self, ArrayError> {
        let (sender, batches) = mpsc::sync_channel(0);
        let list = move || {
            let mut listing = Listing { columns, max_bytes, sender, buffers: Buffers::new() };
            let result = catch_panic(|| work(&mut listing)).map_err(ArrayError::Panic);
            let _ended = match result.flatten() {
                Ok(()) if listing.columns.rows == 0 => return,
                Ok(()) => listing.sender.send(Ok(listing.columns)),
                Err(error) => listing.sender.send(Err(error)),
            };
        };
        thread::Builder::new().spawn(list).map_err(ArrayError::Thread)?;
        Ok(Self { batches: Mutex::new(batches) })
    }

    /// Waits for the next batch; `None` at the end.
    pub(crate) fn next(&self) -> Option<Result<LinkColumns, ArrayError>> {
        let mut signals = Signals::new();
        loop {
            // A signal handler may ask for the next batch too.
            let batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
            let received = batches.recv_timeout(INTERVAL);
            drop(batches);
            match received {
                Ok(batch) => return Some(batch),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(error) = signals.check() {
                return Some(Err(ArrayError::Signal(error)));
            }
        }
    }
}

/// The state of the thread that lists links for a [`LinkStream`].
struct Listing {
    columns: LinkColumns,
    max_bytes: usize,
    sender: SyncSender<Result<LinkColumns, ArrayError>>,
    buffers: Buffers,
}

impl Listing {
    /// Lists the links of a document; breaks if nobody takes them any more.
    fn list(&mut self, document: &Document<'_>, options: &Rewriter) -> ControlFlow<()> {
        // A failed document has only a row with its error, so none of its links may be sent before
        // all are read. A document that exceeds a batch is read once to find a failure, then again.
        let check = match self.columns.list(document, options, &mut self.buffers, self.max_bytes) {
            Ok(()) => return self.send_if_full(),
            Err(_) => catch(|| options.links(document.source, |_| {})),
        };
        if let Err(failure) = check {
            self.columns.add_failure(document, &failure);
            return self.send_if_full();
        }
        let mut positions = LinkPositions::new(document.source, document.unit);
        let mut flow = ControlFlow::Continue(());
        let listed = catch(|| {
            options.links(document.source, |link| {
                if flow.is_continue() {
                    self.columns.add_link(link, &mut positions);
                    self.columns.count_rows(document.row, 1);
                    flow = self.send_if_full();
                }
            })
        });
        // An equal call succeeded before.
        debug_assert!(listed.is_ok(), "{listed:?}");
        flow
    }

    /// Sends the columns if they are a whole batch; breaks if nobody takes them any more.
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
        let batch =
            py.detach(|| self.stream.next().map(|batch| make_table(batch?.into_columns()?, 1)));
        let array = batch.transpose().map_err(|stop| stop.exception(py))?;
        Ok(array.map(Array))
    }
}
