//! Web archives: `.warc`, and `.warc.gz`
//! ([WARC 1.1](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/)).
//!
//! [`Reader`] reads an archive record by record, in memory that does not depend on its
//! size; [`Rewriting`] writes a new one, in which each HTML `response` or `resource` that
//! has a link to change is a `conversion` record, and all else is copied byte for byte.
//!
//! Records are uncompressed, one in a gzip member, all in one, or any mixture, but none
//! goes over the end of a member. A member of one record is copied as it is. One of
//! several is copied as it is where nothing in it changes; else, and where it is larger than
//! [`ArchiveLimits::record`], each record becomes a member of its own ([`Totals::split`]).
//!
//! Damage is reported with its position ([`RecordPosition`]), and copied. After it the next
//! record is looked for: in text at the start of a line, and where a gzip member begins
//! that holds one. The length of a record is believed where a record, or nothing, follows.
//!
//! `revisit` records keep the digest of the payload that they represent, also where that
//! was rewritten.
//!
//! The crates for this were no help. `warc` 0.4 holds every record in memory, reads heads
//! without bound, panics on a `Content-Length` of 2^64−1 and gives up at the first
//! damage; `fastwarc` 2.0 has limits, but shows neither the compressed bytes of a record
//! nor the way to one after damage, and brings zstd in C.

mod batches;
mod capture;
mod conversion;
mod frame;
mod limits;
mod lookahead;
mod member;
mod outcome;
mod page;
mod reader;
mod record;
mod record_rewriter;
mod rewriting;
mod segments;

pub use super::http::Headers;
pub use capture::Capture;
pub use limits::ArchiveLimits;
pub use outcome::{Entry, Problem, RecordOutcome, Skip, Totals};
pub use page::Page;
pub use reader::{PageHandle, Reader};
pub use record::{Record, RecordPosition};
pub use record_rewriter::Originals;
pub use rewriting::{ArchiveError, Rewriting};
