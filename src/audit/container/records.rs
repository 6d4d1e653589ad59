//! The documents of a web archive.

use crate::container::warc::RecordPosition;

/// The documents of a web archive, in the order of their positions.
///
/// There may be millions of them: a document takes 24 bytes, and its URL in one text with all others.
#[derive(Debug, Default)]
pub(crate) struct Records {
    list: Vec<Record>,
    urls: String,
}

/// What the audit does with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentRole {
    /// A page, whose links are checked.
    Page,
    /// A page that is not selected, which has anchors.
    Target,
    /// A style sheet, which has no anchors.
    StyleSheet,
}

#[derive(Debug)]
struct Record {
    position: RecordPosition,
    /// Where its URL ends in [`Records::urls`]; it begins where that of the record before it ends.
    url_end: u32,
    role: DocumentRole,
}

impl Records {
    /// Adds the document of a record, with its URL, which is left out if it is empty.
    pub(crate) fn add(&mut self, position: RecordPosition, url: &str, role: DocumentRole) {
        let end = u32::try_from(self.urls.len() + url.len());
        if end.is_ok() {
            self.urls.push_str(url);
        }
        let last = self.list.last().map_or(0, |record| record.url_end);
        self.list.push(Record { position, url_end: end.unwrap_or(last), role });
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn roles(&self) -> impl Iterator<Item = DocumentRole> {
        self.list.iter().map(|record| record.role)
    }

    /// The number of the record at a position.
    pub(crate) fn at(&self, position: RecordPosition) -> Option<usize> {
        self.list.binary_search_by_key(&position, |record| record.position).ok()
    }

    /// The record of a number: its position, its URL and its role.
    pub(crate) fn get(
        &self,
        number: usize,
    ) -> Option<(RecordPosition, Option<&str>, DocumentRole)> {
        let Record { position, url_end, role } = *self.list.get(number)?;
        let start = number.checked_sub(1).map_or(0, |before| self.list[before].url_end);
        let url = &self.urls[start as usize..url_end as usize];
        Some((position, Some(url).filter(|url| !url.is_empty()), role))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_by_position_and_number() {
        let mut records = Records::default();
        let urls = ["http://h/", "", "http://h/b"];
        let position = |offset| RecordPosition { offset, within: 0 };
        for (offset, url) in (7..).zip(urls) {
            records.add(position(offset), url, DocumentRole::Page);
        }
        assert_eq!(size_of::<Record>(), 24);
        assert_eq!((records.at(position(9)), records.at(position(10))), (Some(2), None));
        for (number, url) in urls.into_iter().enumerate() {
            let (at, found, _) = records.get(number).unwrap();
            assert_eq!(records.at(at), Some(number));
            assert_eq!(found, Some(url).filter(|url| !url.is_empty()));
        }
        assert!(records.get(3).is_none());
    }
}
