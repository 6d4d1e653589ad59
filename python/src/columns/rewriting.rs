//! Rewrites the documents of an array.

use std::borrow::Cow;
use std::mem;
use std::sync::Arc;

use absolve::{Buffers, Rewriter};
use arrow_array::builder::make_view;
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{ArrayRef, BinaryViewArray, GenericByteArray, StringViewArray, StructArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;

use super::documents::{Chunk, Document, Rows};
use super::pool;
use super::values::{Numbers, Texts, make_table};

use crate::errors::{ArrayError, DocumentFailure, catch};

/// Minimum size of a document, in bytes, that is rewritten in a separate buffer. The buffer becomes
/// a block of the array if it is the first there, which saves a copy: without it, a page of 66 MB
/// took 66 MB more.
const MIN_OWN_BUFFER_LEN: usize = 4 << 20;

/// The rows of a chunk: its documents after rewriting, their errors and the counts of their links.
pub(super) struct RewrittenRows<'t> {
    data_type: &'t DataType,
    /// The bytes of all documents, in a single block if the type needs it. No document is in two
    /// blocks.
    blocks: Vec<Vec<u8>>,
    /// The bytes in all blocks.
    size: usize,
    lengths: Vec<usize>,
    errors: Texts,
    /// The numbers of links and of changed links; null for a null or a failure.
    links: Numbers,
    changed_links: Numbers,
    /// Whether a document changed; if not, the array of the caller is returned.
    is_changed: bool,
}

impl<'t> RewrittenRows<'t> {
    pub(super) fn new(data_type: &'t DataType) -> Self {
        Self {
            data_type,
            blocks: vec![Vec::new()],
            size: 0,
            lengths: Vec::new(),
            errors: Texts::default(),
            links: Numbers::default(),
            changed_links: Numbers::default(),
            is_changed: false,
        }
    }

    /// Adds the other columns of a row.
    fn end_row(&mut self, error: Option<&str>, counts: Option<(usize, usize)>) {
        self.errors.push(error);
        self.links.push(counts.map(|(links, _)| links as u64));
        self.changed_links.push(counts.map(|(_, rewritten)| rewritten as u64));
    }

    fn add_bytes(&mut self, bytes: Cow<'_, [u8]>) {
        self.lengths.push(bytes.len());
        self.size += bytes.len();
        match (bytes, self.blocks.last_mut()) {
            (Cow::Owned(bytes), Some(block)) if block.is_empty() => *block = bytes,
            (bytes, _) => self.store(&bytes),
        }
    }

    /// Whether the type allows several blocks.
    fn has_blocks(&self) -> bool {
        matches!(self.data_type, DataType::Utf8View | DataType::BinaryView)
    }

    /// Makes an array of the documents, of their type.
    fn take_documents(&mut self, chunk: &Chunk) -> Result<ArrayRef, ArrayError> {
        let nulls = chunk.nulls().cloned();
        let (lengths, blocks) = (mem::take(&mut self.lengths), mem::take(&mut self.blocks));
        if self.has_blocks() {
            let views = ScalarBuffer::from(make_views(&lengths, &blocks));
            let blocks: Vec<_> = blocks.into_iter().map(pool::into_buffer).collect();
            return Ok(match self.data_type {
                DataType::Utf8View => Arc::new(StringViewArray::try_new(views, blocks, nulls)?),
                _ => Arc::new(BinaryViewArray::try_new(views, blocks, nulls)?),
            });
        }
        let bytes = blocks.into_iter().next().unwrap_or_default();
        let parts = (lengths, pool::into_buffer(bytes), nulls);
        match self.data_type {
            DataType::Utf8 => join_values::<Utf8Type>(parts),
            DataType::LargeUtf8 => join_values::<LargeUtf8Type>(parts),
            DataType::LargeBinary => join_values::<LargeBinaryType>(parts),
            _ => join_values::<BinaryType>(parts),
        }
    }
}

/// Makes views of documents with these lengths, which the blocks contain in order.
fn make_views(lengths: &[usize], blocks: &[Vec<u8>]) -> Vec<u128> {
    let (mut block, mut start) = (0, 0);
    let next_view = |&length: &usize| {
        while start + length > blocks[block].len() {
            (block, start) = (block + 1, 0);
        }
        let bytes = &blocks[block][start..start + length];
        let offset = start;
        start += length;
        make_view(bytes, narrow(block), narrow(offset))
    };
    lengths.iter().map(next_view).collect()
}

/// Makes an array of values of these lengths, which follow each other.
fn join_values<T: ByteArrayType>(
    (lengths, values, nulls): (Vec<usize>, Buffer, Option<NullBuffer>),
) -> Result<ArrayRef, ArrayError> {
    let offsets = OffsetBuffer::from_lengths(lengths);
    Ok(Arc::new(GenericByteArray::<T>::try_new(offsets, values, nulls)?))
}

/// Converts the number of a block, or an offset in it, which have 31 bits.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Rows for RewrittenRows<'_> {
    fn append(&mut self, mut next: Self) -> Result<(), ArrayError> {
        self.is_changed |= next.is_changed;
        self.lengths.append(&mut next.lengths);
        self.errors.append(next.errors)?;
        self.links.append(next.links);
        self.changed_links.append(next.changed_links);
        self.size += next.size;
        self.check()
    }

    fn blocks(&mut self) -> Option<&mut Vec<Vec<u8>>> {
        Some(&mut self.blocks)
    }

    fn max_block(&self) -> usize {
        match self.data_type {
            DataType::LargeUtf8 | DataType::LargeBinary => usize::MAX,
            // Offsets in a block have 31 bits.
            _ => i32::MAX as usize,
        }
    }

    fn store(&mut self, bytes: &[u8]) {
        let max = self.max_block();
        let is_full =
            self.blocks.last().is_none_or(|block| block.len() > max - bytes.len().min(max));
        if is_full && self.has_blocks() {
            self.blocks.push(Vec::new());
        }
        if let Some(block) = self.blocks.last_mut() {
            block.extend_from_slice(bytes);
        }
    }

    fn add_null(&mut self) {
        self.lengths.push(0);
        self.end_row(None, None);
    }

    fn add_document(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        buffers: &mut Buffers,
    ) -> Result<(), DocumentFailure> {
        let source = document.source;
        catch(|| {
            let result = if source.len() > MIN_OWN_BUFFER_LEN {
                options.rewrite(source)?
            } else {
                options.rewrite_in(source, buffers)?
            };
            let counts = result.counts();
            self.end_row(None, Some((counts.links, counts.rewritten)));
            self.is_changed |= result.is_changed();
            self.add_bytes(result.into_bytes());
            Ok(())
        })
    }

    fn add_failure(&mut self, document: &Document<'_>, failure: &DocumentFailure) {
        self.add_bytes(Cow::Borrowed(document.source));
        self.end_row(Some(&document.message(failure)), None);
    }

    /// Refuses more bytes than offsets of 32 bits represent: in all documents of a chunk, or in the
    /// document of a view.
    fn check(&self) -> Result<(), ArrayError> {
        let last = self.lengths.last().copied().unwrap_or_default();
        let size = if self.has_blocks() { last } else { self.size };
        if size <= self.max_block() {
            return Ok(());
        }
        let is_text = matches!(self.data_type, DataType::Utf8 | DataType::Utf8View);
        Err(ArrayError::Overflow { data_type: if is_text { "string" } else { "binary" } })
    }

    fn into_array(mut self, chunk: &Chunk) -> Result<StructArray, ArrayError> {
        let documents =
            if self.is_changed { self.take_documents(chunk)? } else { chunk.array.clone() };
        let columns = vec![
            ("document", documents),
            ("error", self.errors.into_array()?),
            ("links", self.links.into_array()),
            ("rewritten", self.changed_links.into_array()),
        ];
        make_table(columns, 0)
    }
}
