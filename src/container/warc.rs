//! Web archives: `.warc`, `.warc.gz` and `.warc.zst`
//! ([WARC 1.1](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/)).
//!
//! [`Reader`] reads an archive record by record, in memory that does not depend on its
//! size; [`Rewriting`] writes a new one with a rewritten document for each HTML `response`,
//! `resource` or `conversion` that has a link to change. [`RecordType`] says whether that is in a
//! `conversion` record beside the original, or in its place. Other bytes are copied.
//!
//! Records may be uncompressed, or in gzip members or Zstandard frames, one or several in each, but
//! no record crosses the end of a member. New records of a `.warc.zst` are compressed without its
//! dictionary. A member is copied unless a record in it changes or it has several
//! records and exceeds [`ArchiveLimits::record`]: then each record becomes a member of its own
//! ([`Totals::split`]).
//!
//! Damage is reported with its position ([`RecordPosition`]), and copied. After it, the reader
//! searches for the next record: at the start of a line, or at a gzip member that begins with
//! one. The length of a record is trusted if a record or the end follows.
//!
//! [`RecordType::Response`] keeps other records true: names stay, and a `revisit` after a
//! rewritten page gets the new digest of its payload.
//!
//! Existing crates do not fit. `warc` 0.4 keeps every record in memory, reads heads
//! without limit, panics on a `Content-Length` of 2^64−1 and gives up at the first
//! damage; `fastwarc` 2.0 has limits, but shows neither the compressed bytes of a record
//! nor the way to one after damage, and brings zstd in C.

mod batches;
mod capture;
mod cdxj;
mod codec;
mod conversion;
mod digest;
mod frame;
mod index;
mod limits;
mod lookahead;
mod member;
mod members;
mod name;
mod new_record;
mod outcome;
mod page;
mod payloads;
mod reader;
mod record;
mod record_info;
mod record_rewriter;
mod record_type;
mod replacement;
mod revisit;
mod rewriting;
mod rewritten_record;
mod segments;
mod selection;
mod surt;
mod tee;
mod warcinfo;
#[cfg(feature = "libdeflate")]
mod whole;
mod writer;
mod zstd;

pub use super::http::Headers;
#[doc(hidden)]
pub use capture::Capture;
pub use cdxj::Cdxj;
#[cfg(feature = "wacz")]
pub(super) use index::IndexEntry;
pub use limits::ArchiveLimits;
pub use outcome::{Entry, Problem, RecordOutcome, Skip, Totals};
pub use page::Page;
#[doc(hidden)]
pub use reader::PageHandle;
pub use reader::Reader;
#[doc(hidden)]
pub use record::Record;
pub use record::RecordPosition;
pub use record_type::{RecordType, Statuses};
pub use rewriting::{ArchivesBefore, Rewriting};
pub use selection::RecordSelection;
pub use warcinfo::WarcInfo;
