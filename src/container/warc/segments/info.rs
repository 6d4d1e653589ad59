//! Reports what is kept of records besides their documents.

use std::io::Read;

use super::super::record::RecordPosition;
use super::super::record_info::RecordInfo;
use super::segment::Segment;
use super::state::Segments;

impl<R: Read> Segments<R> {
    /// Reports a record that is not compressed.
    pub(super) fn report_info(
        &mut self,
        position: RecordPosition,
        length: u64,
        info: Option<RecordInfo>,
        is_document: bool,
    ) {
        match info {
            None => {}
            Some(RecordInfo::Capture(mut capture)) => {
                capture.position = position;
                capture.document = capture.document.filter(|_| is_document);
                self.ready.push_back(Segment::Capture(capture));
            }
            Some(RecordInfo::Index(mut entry)) => {
                (entry.position, entry.length) = (position, length);
                self.ready.push_back(Segment::Indexed(entry));
            }
            Some(RecordInfo::Unchanged(keys)) => self.ready.push_back(Segment::Unchanged(keys)),
        }
    }

    /// Reports a record of the open compressed member.
    pub(super) fn report_info_in_member(
        &mut self,
        position: RecordPosition,
        info: Option<RecordInfo>,
        is_document: bool,
    ) {
        match info {
            Some(RecordInfo::Index(mut entry)) => {
                entry.position = position;
                self.indexed.push(*entry);
            }
            info => self.report_info(position, 0, info, is_document),
        }
    }

    /// Reports the indexed records of a compressed member of this length.
    pub(super) fn report_indexed(&mut self, length: u64) {
        for mut entry in self.indexed.drain(..) {
            entry.length = length;
            self.ready.push_back(Segment::Indexed(Box::new(entry)));
        }
    }
}
