//! Documents inside other files: messages, MHTML and web archives.
//!
//! [`warc`] reads archives of the web, and [`wacz`] those with an index in a ZIP file. [`Message`] finds
//! the parts of a message and the base URL of each by [RFC 1808 section 3][rfc], and rewrites its HTML
//! parts where they are.
//!
//! ```
//! use absolve::Rewriter;
//! use absolve_archive::Message;
//!
//! let file = b"Content-Base: http://example.org/a/\r\n\
//!     Content-Type: text/html\r\n\
//!     Content-Transfer-Encoding: quoted-printable\r\n\
//!     \r\n\
//!     <a href=3Db>b</a>\r\n";
//! let rewriter = Rewriter::new();
//! let message = Message::read(file, &rewriter)?;
//! let rewritten = message.rewrite()?;
//! assert!(rewritten.bytes().ends_with(b"\r\n<a href=3Dhttp://example.org/a/b>b</a>\r\n"));
//! # Ok::<(), absolve::Error>(())
//! ```
//!
//! # Places
//!
//! A place inside a container is written `file!part` ([`EntryId`]): `page.mhtml!3`,
//! `crawl.warc.gz!@1234`. The parts of a message are numbered from 0 in the order in which
//! they begin in the file. 0 is the message itself; every part counts, also those that only
//! hold others. So the page in an MHTML file that a browser saved is part 1. A message
//! inside a part has a number of its own, one above that of the part.
//!
//! [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3

mod documents;
mod entry_id;
mod error;
mod format;
mod given;
mod gzip;
mod http;
mod interface;
pub mod jobs;
mod message;
mod open;
mod resources;
mod signature;
mod source;
mod spans;
mod stored;
pub mod wacz;
pub mod warc;
mod zstd;

#[doc(hidden)]
pub use documents::in_syntax;
pub use documents::{Documents, links, part_body, rewrite};
pub use entry_id::{EntryId, InvalidEntryId};
pub use error::ContainerError;
#[doc(hidden)]
pub use format::Contents;
pub use format::Format;
#[doc(hidden)]
pub use format::has_end;
#[doc(hidden)]
pub use gzip::gunzip;
pub use interface::{
    Again, Container, ContainerDocument, Content, OnContent, OnWork, ReadOptions, Reading, Work,
    path_of_member,
};
#[doc(hidden)]
pub use message::Decoded;
pub use message::{Message, Part, PartKind, PartReports, PartSummary};
#[doc(hidden)]
pub use resources::NOT_IN_IDS;
#[doc(hidden)]
pub use resources::PART_BASE;
#[doc(hidden)]
pub use resources::of_message;
pub use source::{Seekable, Source};
pub use spans::Spans;
pub use stored::{ByteRange, StoredArchive};
