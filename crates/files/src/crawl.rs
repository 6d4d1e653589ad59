//! A crawl as a folder that a browser opens without a network.
//!
//! A crawl is one or more web archives. [`Crawl::read`] indexes their captures, and
//! [`Crawl::extract`] writes the last one of each URL into a new folder, under names that every
//! system takes (`docs/archives.md` has the rule). Links can lead to these files.
//!
//! In memory are the index, with about 100 bytes for each capture, and a few documents.

mod address;
mod captures;
mod date;
mod extraction;
mod index;
mod media;
mod table;
mod targets;

pub use captures::UnreadCaptures;
pub use date::{Date, InvalidDate};
pub use extraction::{
    Crawl, CrawlError, CrawlOptions, ExtractedFile, Extraction, ExtractionResult, FailedCapture,
};
pub use targets::Missing;
