//! Builds columns of links: rows are added, and removed again if a document fails.

use std::sync::Arc;

use absolve::Link;
use absolve::column::Read;
use arrow_array::{Array as _, ArrayRef, BooleanArray, Int64Array, StringArray, StructArray};
use arrow_buffer::{BooleanBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{Field, Fields};

use super::pool;
use crate::document::LinkPositions;
use crate::errors::ArrayError;

/// Makes a struct of columns; all but the first `required` may have nulls.
pub(crate) fn make_table(
    columns: Vec<(&str, ArrayRef)>,
    required: usize,
) -> Result<StructArray, ArrayError> {
    let make_field = |(index, (name, column)): (usize, &(&str, ArrayRef))| {
        Field::new(*name, column.data_type().clone(), index >= required)
    };
    let fields: Fields = columns.iter().enumerate().map(make_field).collect();
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    Ok(StructArray::try_new(fields, columns, None)?)
}

/// The values of a column of links.
#[derive(Debug)]
pub(super) enum Values {
    Texts(Texts),
    Numbers(Numbers),
}

impl Values {
    pub(super) fn new(read: Read) -> Self {
        if read.is_text() {
            Self::Texts(Texts::default())
        } else {
            Self::Numbers(Numbers::default())
        }
    }

    pub(super) fn push(&mut self, read: Read, link: &Link<'_>, positions: &mut LinkPositions<'_>) {
        match self {
            Self::Texts(texts) => texts.push_parts(read.text(link)),
            Self::Numbers(numbers) => numbers.push(read.number(link, positions)),
        }
    }

    pub(super) fn push_null(&mut self) {
        match self {
            Self::Texts(texts) => texts.push(None),
            Self::Numbers(numbers) => numbers.push(None),
        }
    }

    /// Returns the size of `rows` rows, in bytes.
    pub(super) fn size(&self, rows: usize) -> usize {
        match self {
            Self::Texts(texts) => texts.bytes.len() + 4 * rows,
            Self::Numbers(_) => 8 * rows,
        }
    }

    pub(super) fn overflows(&self) -> bool {
        matches!(self, Self::Texts(texts) if texts.overflows)
    }

    /// Removes the rows after the first `rows`.
    pub(super) fn truncate(&mut self, rows: usize) {
        match self {
            Self::Texts(texts) => texts.truncate(rows),
            Self::Numbers(numbers) => numbers.truncate(rows),
        }
    }

    /// Adds the rows of another part of the same column.
    pub(super) fn append(&mut self, next: Self) -> Result<(), ArrayError> {
        match (self, next) {
            (Self::Texts(texts), Self::Texts(next)) => texts.append(next)?,
            (Self::Numbers(numbers), Self::Numbers(next)) => numbers.append(next),
            // Both have the type of the column.
            _ => {}
        }
        Ok(())
    }

    pub(super) fn into_array(self, read: Read) -> Result<ArrayRef, ArrayError> {
        match (self, read) {
            (Self::Texts(texts), _) => texts.into_array(),
            (Self::Numbers(numbers), Read::Flag(_)) => Ok(numbers.into_flags()),
            (Self::Numbers(numbers), _) => Ok(numbers.into_array()),
        }
    }
}

/// A column of strings.
#[derive(Debug)]
pub(crate) struct Texts {
    bytes: Vec<u8>,
    /// The start of each row, and the end of the last.
    offsets: Vec<i32>,
    present: NullBufferBuilder,
    /// Whether a row was refused because offsets of 32 bits cannot represent it.
    overflows: bool,
}

impl Default for Texts {
    fn default() -> Self {
        let present = NullBufferBuilder::new(0);
        Self { bytes: Vec::new(), offsets: vec![0], present, overflows: false }
    }
}

impl Texts {
    pub(crate) fn push(&mut self, text: Option<&str>) {
        self.push_parts(text.map(|text| ("", text)));
    }

    /// Adds a string of two parts.
    pub(super) fn push_parts(&mut self, parts: Option<(&str, &str)>) {
        let (first, rest) = parts.unwrap_or_default();
        let Ok(end) = i32::try_from(self.bytes.len() + first.len() + rest.len()) else {
            self.overflows = true;
            return;
        };
        self.extend(first.as_bytes());
        self.extend(rest.as_bytes());
        self.offsets.push(end);
        self.present.append(parts.is_some());
    }

    fn extend(&mut self, bytes: &[u8]) {
        if bytes.len() > self.bytes.capacity() - self.bytes.len() {
            self.bytes = pool::grow(std::mem::take(&mut self.bytes), bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
    }

    fn truncate(&mut self, rows: usize) {
        self.offsets.truncate(rows + 1);
        self.bytes.truncate(self.offsets.last().map_or(0, |&end| end.unsigned_abs() as usize));
        self.present.truncate(rows);
        self.overflows = false;
    }

    /// Adds the rows of another column.
    pub(super) fn append(&mut self, next: Self) -> Result<(), ArrayError> {
        let shift = i32::try_from(self.bytes.len());
        let total = i32::try_from(self.bytes.len() + next.bytes.len());
        let (Ok(shift), Ok(_)) = (shift, total) else { return Err(ArrayError::TEXT_OVERFLOW) };
        self.extend(&next.bytes);
        pool::put(next.bytes);
        self.offsets.extend(next.offsets[1..].iter().map(|end| shift + end));
        let rows = next.offsets.len() - 1;
        append_nulls(&mut self.present, next.present, rows);
        Ok(())
    }

    pub(crate) fn into_array(self) -> Result<ArrayRef, ArrayError> {
        if self.overflows {
            return Err(ArrayError::TEXT_OVERFLOW);
        }
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        let bytes = pool::into_buffer(self.bytes);
        Ok(Arc::new(StringArray::try_new(offsets, bytes, self.present.build())?))
    }
}

/// Adds the nulls of `rows` rows of another column.
fn append_nulls(present: &mut NullBufferBuilder, next: NullBufferBuilder, rows: usize) {
    match next.build() {
        Some(next) => present.append_buffer(&next),
        None => present.append_n_non_nulls(rows),
    }
}

/// A column of numbers.
#[derive(Debug)]
pub(super) struct Numbers {
    numbers: Vec<i64>,
    present: NullBufferBuilder,
}

impl Default for Numbers {
    fn default() -> Self {
        Self { numbers: Vec::new(), present: NullBufferBuilder::new(0) }
    }
}

impl Numbers {
    pub(super) fn push(&mut self, number: Option<u64>) {
        self.numbers.push(number.map_or(0, |number| i64::try_from(number).unwrap_or(i64::MAX)));
        self.present.append(number.is_some());
    }

    fn truncate(&mut self, rows: usize) {
        self.numbers.truncate(rows);
        self.present.truncate(rows);
    }

    /// Adds the rows of another column.
    pub(super) fn append(&mut self, next: Self) {
        self.numbers.extend_from_slice(&next.numbers);
        append_nulls(&mut self.present, next.present, next.numbers.len());
    }

    /// Makes a column of booleans, false for 0.
    fn into_flags(self) -> ArrayRef {
        let values = BooleanBuffer::collect_bool(self.numbers.len(), |row| self.numbers[row] != 0);
        Arc::new(BooleanArray::new(values, self.present.build()))
    }

    pub(super) fn into_array(self) -> ArrayRef {
        Arc::new(Int64Array::new(ScalarBuffer::from(self.numbers), self.present.build()))
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array as _;
    use arrow_array::cast::AsArray as _;

    use super::*;

    fn texts(values: &[Option<&str>]) -> Texts {
        let mut texts = Texts::default();
        values.iter().for_each(|value| texts.push(*value));
        texts
    }

    #[test]
    fn rows_are_added_and_taken_back() {
        let mut first = texts(&[Some("a"), None, Some("bc"), None]);
        first.truncate(3);
        first.append(texts(&[Some(""), Some("d"), None])).unwrap();
        let array = first.into_array().unwrap();
        let values: Vec<_> = array.as_string::<i32>().iter().collect();
        assert_eq!(values, [Some("a"), None, Some("bc"), Some(""), Some("d"), None]);

        let mut numbers = Numbers::default();
        [Some(1), None, Some(3)].into_iter().for_each(|number| numbers.push(number));
        numbers.truncate(2);
        let mut all = Numbers::default();
        all.push(Some(u64::MAX));
        all.append(numbers);
        let array = all.into_array();
        assert_eq!((array.len(), array.null_count()), (3, 1));
    }
}
