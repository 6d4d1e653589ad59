//! Links and URLs of documents of an array: in its chunks, or a batch at a time.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use absolve::column::{Column, Read};
use absolve::{Buffers, Link, Rewriter};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;

use super::array::Array;
use super::documents::{Document, Documents, LastBase, Rows};
use super::values::{Numbers, Texts, append_nulls};
use crate::document::{KEPT, Places, UrlSelection};
use crate::errors::{Failure, Stop, catch, unwound};
use crate::options::{named, texts};
use crate::progress::{INTERVAL, Signals};

/// The columns that are listed.
#[derive(Debug, Clone)]
pub(crate) struct Selection(Arc<[&'static Column]>);

impl Selection {
    /// Reads the argument: names, in the order of the result; `None` for the default.
    pub(crate) fn new(columns: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(names) = columns else { return Ok(Self(Column::of_tables().collect())) };
        let mut chosen: Vec<&Column> = Vec::new();
        for name in texts("columns", names)? {
            let known = Column::on_request().map(|column| (column.name, column));
            let column = named("columns", &name, known)?;
            if !chosen.iter().any(|known| known.name == name) {
                chosen.push(column);
            }
        }
        Ok(Self(chosen.into()))
    }
}

/// Links as columns, each with the row of its document; an error for a document that fails.
#[derive(Debug)]
pub(crate) struct LinkColumns {
    documents: Numbers,
    errors: Texts,
    columns: Vec<Values>,
    selection: Selection,
    /// Memory of one document that is used for the next.
    buffers: Buffers,
}

/// The values of a column.
#[derive(Debug)]
enum Values {
    Texts(Texts),
    Numbers(Numbers),
}

/// The links of a document exceed the bytes that they may have.
#[derive(Debug)]
pub(crate) struct TooLarge;

impl LinkColumns {
    /// Columns without a row.
    pub(crate) fn new(selection: &Selection) -> Self {
        let values = |column: &&Column| {
            if column.read.is_text() {
                Values::Texts(Texts::default())
            } else {
                Values::Numbers(Numbers::default())
            }
        };
        Self {
            documents: Numbers::default(),
            errors: Texts::default(),
            columns: selection.0.iter().map(values).collect(),
            selection: selection.clone(),
            buffers: Buffers::new(),
        }
    }

    /// The fields of the result.
    pub(super) fn fields(selection: &Selection) -> Fields {
        let data_type = |read: &Read| match read {
            Read::Flag(_) => DataType::Boolean,
            read if read.is_text() => DataType::Utf8,
            // No table has spans.
            _ => DataType::Int64,
        };
        let document = Field::new("document", DataType::Int64, false);
        let error = Field::new("error", DataType::Utf8, true);
        let columns = selection.0.iter();
        let columns = columns.map(|one| Field::new(one.name, data_type(&one.read), true));
        [document, error].into_iter().chain(columns).collect()
    }

    /// Takes the rows out.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Self::new(&self.selection);
        std::mem::replace(self, empty)
    }

    /// Adds the links of a document, or its error alone.
    ///
    /// # Errors
    ///
    /// If the columns would have more than `max_bytes`; then nothing is added.
    pub(crate) fn list(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        max_bytes: usize,
    ) -> Result<(), TooLarge> {
        let first = self.len();
        let mut places = Places::new(document.source, document.unit);
        let mut is_full = false;
        let mut buffers = std::mem::take(&mut self.buffers);
        let result = catch(|| {
            options.links_in(document.source, &mut buffers, |link| {
                is_full |= self.overflows() || self.size() > max_bytes;
                if !is_full {
                    self.link(document, link, &mut places);
                }
            })
        });
        if document.source.len() <= KEPT && result.is_ok() {
            self.buffers = buffers;
        }
        if let Err(failure) = &result {
            self.truncate(first);
            self.failure(document, failure);
        } else if is_full && max_bytes < usize::MAX {
            self.truncate(first);
            return Err(TooLarge);
        }
        Ok(())
    }

    /// Adds a link of a document, whose places are found from one link to the next.
    pub(super) fn link(
        &mut self,
        document: &Document<'_>,
        link: &Link<'_>,
        places: &mut Places<'_>,
    ) {
        self.documents.push(Some(document.row as u64));
        self.errors.push(None);
        for (values, column) in self.columns.iter_mut().zip(&*self.selection.0) {
            match values {
                Values::Texts(texts) => texts.push_parts(column.read.text(link)),
                Values::Numbers(numbers) => numbers.push(column.read.number(link, places)),
            }
        }
    }

    /// Adds the error of a row.
    pub(crate) fn error(&mut self, row: usize, message: &str) {
        self.documents.push(Some(row as u64));
        self.errors.push(Some(message));
        for values in &mut self.columns {
            match values {
                Values::Texts(texts) => texts.push(None),
                Values::Numbers(numbers) => numbers.push(None),
            }
        }
    }

    /// The rows of documents, and how many links of each are in a row.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (usize, usize)> {
        let documents = self.documents.values().chunk_by(|one, next| one == next);
        documents.map(|rows| (usize::try_from(rows[0]).unwrap_or(usize::MAX), rows.len()))
    }

    pub(crate) fn len(&self) -> usize {
        self.documents.values().len()
    }

    /// Bytes of the columns.
    pub(crate) fn size(&self) -> usize {
        /// Of the row of its document, and of the offset of its error.
        const ROW: usize = 8 + 4;
        let size = |values: &Values| match values {
            Values::Texts(texts) => texts.size() + 4 * self.len(),
            Values::Numbers(_) => 8 * self.len(),
        };
        self.errors.size() + ROW * self.len() + self.columns.iter().map(size).sum::<usize>()
    }

    fn overflows(&self) -> bool {
        let overflows = |values: &Values| match values {
            Values::Texts(texts) => texts.overflows(),
            Values::Numbers(_) => false,
        };
        self.errors.overflows() || self.columns.iter().any(overflows)
    }

    fn truncate(&mut self, rows: usize) {
        self.documents.truncate(rows);
        self.errors.truncate(rows);
        for values in &mut self.columns {
            match values {
                Values::Texts(texts) => texts.truncate(rows),
                Values::Numbers(numbers) => numbers.truncate(rows),
            }
        }
    }

    /// A row a link, with the [fields](Self::fields) of its columns.
    pub(crate) fn array(self) -> Result<StructArray, Stop> {
        let mut arrays: Vec<ArrayRef> = vec![self.documents.array(), self.errors.array()?];
        for (values, column) in self.columns.into_iter().zip(&*self.selection.0) {
            arrays.push(match (values, column.read) {
                (Values::Texts(texts), _) => texts.array()?,
                (Values::Numbers(numbers), Read::Flag(_)) => numbers.flags(),
                (Values::Numbers(numbers), _) => numbers.array(),
            });
        }
        Ok(StructArray::try_new(Self::fields(&self.selection), arrays, None)?)
    }
}

impl Rows for LinkColumns {
    fn append(&mut self, next: Self) -> Result<(), Stop> {
        self.documents.append(next.documents);
        self.errors.append(next.errors)?;
        for values in self.columns.iter_mut().zip(next.columns) {
            match values {
                (Values::Texts(texts), Values::Texts(next)) => texts.append(next)?,
                (Values::Numbers(numbers), Values::Numbers(next)) => numbers.append(next),
                // Both have the same columns.
                _ => {}
            }
        }
        Ok(())
    }

    fn document(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        _: &mut Buffers,
    ) -> Result<(), Failure> {
        // There is no bound that they could exceed.
        self.list(document, options, usize::MAX).unwrap_or_default();
        Ok(())
    }

    fn failure(&mut self, document: &Document<'_>, failure: &Failure) {
        self.error(document.row, &document.message(failure));
    }

    fn check(&self) -> Result<(), Stop> {
        if self.overflows() { Err(Stop::TEXT_OVERFLOW) } else { Ok(()) }
    }
}

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

/// The lists that the thread makes.
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
        // The same call has just succeeded.
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

/// The URLs of documents, and the errors of those that fail.
#[derive(Debug)]
pub(super) struct UrlLists {
    selection: UrlSelection,
    urls: Texts,
    /// The number of URLs of each document.
    lengths: Vec<usize>,
    present: NullBufferBuilder,
    errors: Texts,
}

impl UrlLists {
    pub(super) fn new(selection: UrlSelection) -> Self {
        let (urls, errors) = (Texts::default(), Texts::default());
        let present = NullBufferBuilder::new(0);
        Self { selection, urls, lengths: Vec::new(), present, errors }
    }

    /// The fields of the result.
    pub(super) fn fields() -> Fields {
        let urls = DataType::List(Arc::new(Self::item()));
        Fields::from(vec![
            Field::new("urls", urls, true),
            Field::new("error", DataType::Utf8, true),
        ])
    }

    fn item() -> Field {
        Field::new("item", DataType::Utf8, true)
    }

    /// Ends a row with the last URLs, unless it is a null.
    fn end_row(&mut self, urls: Option<usize>, error: Option<&str>) {
        self.lengths.push(urls.unwrap_or_default());
        self.present.append(urls.is_some());
        self.errors.push(error);
    }

    /// A row a document.
    pub(super) fn array(mut self) -> Result<StructArray, Stop> {
        let offsets = OffsetBuffer::from_lengths(self.lengths);
        let nulls = self.present.finish();
        let urls = ListArray::try_new(Arc::new(Self::item()), offsets, self.urls.array()?, nulls)?;
        let columns: Vec<ArrayRef> = vec![Arc::new(urls), self.errors.array()?];
        Ok(StructArray::try_new(Self::fields(), columns, None)?)
    }
}

impl Rows for UrlLists {
    fn append(&mut self, mut next: Self) -> Result<(), Stop> {
        self.urls.append(next.urls)?;
        self.errors.append(next.errors)?;
        let rows = next.lengths.len();
        self.lengths.append(&mut next.lengths);
        append_nulls(&mut self.present, next.present, rows);
        Ok(())
    }

    fn null(&mut self) {
        self.end_row(None, None);
    }

    fn document(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        buffers: &mut Buffers,
    ) -> Result<(), Failure> {
        let before = self.urls.len();
        let options = (options, document.base_url);
        let push = |url: &str| self.urls.push(Some(url));
        let listed = catch(|| self.selection.list(document.source, options, buffers, push));
        match listed {
            Ok(()) => self.end_row(Some(self.urls.len() - before), None),
            Err(_) if self.urls.overflows() => {}
            Err(_) => self.urls.truncate(before),
        }
        listed
    }

    fn failure(&mut self, document: &Document<'_>, failure: &Failure) {
        self.end_row(None, Some(&document.message(failure)));
    }

    fn check(&self) -> Result<(), Stop> {
        if self.urls.overflows() { Err(Stop::TEXT_OVERFLOW) } else { Ok(()) }
    }
}
