//! Web archives: `.warc`, `.warc.gz` and `.warc.zst`
//! ([WARC 1.1](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/)).
//!
//! [`Reader`] reads an archive record by record, in memory that does not depend on its size.
//!
//! Records may be uncompressed, or in gzip members or Zstandard frames. A member may contain
//! several records, but no record crosses the end of a member.
//!
//! Damage is reported with its position ([`RecordPosition`]). After it, the reader searches for the
//! next record at the start of a line, for a gzip member that begins with a record, and for a
//! Zstandard frame. The reader trusts the length of a record if two line ends, another record or the
//! end of the file follow.
//!
//! Existing crates do not fit. `warc` 0.4 keeps every record in memory, reads heads without limit,
//! panics on a `Content-Length` of 2^64−1 and gives up at the first damage. `fastwarc` 2.0 has
//! limits, but does not find the next record after damage, and brings zstd in C.

mod capture;
mod frame;
mod lookahead;
mod member;
mod options;
mod page;
mod reader;
mod record;
mod segments;
mod unread;
#[cfg_attr(not(feature = "libdeflate"), path = "warc/stepwise.rs")]
mod whole;
mod zstd;

pub use super::http::Headers;
#[doc(hidden)]
pub use capture::Capture;
pub use options::{ArchiveLimits, RecordSelection};
pub use page::Page;
#[doc(hidden)]
pub use reader::PageHandle;
pub use reader::Reader;
#[doc(hidden)]
pub use record::Record;
pub use record::RecordPosition;
pub use unread::{RecordProblem, UnreadRecord};
