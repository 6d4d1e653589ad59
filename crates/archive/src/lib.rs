//! Documents inside other files: messages, MHTML and web archives. Links in the HTML, XML and CSS
//! parts of a message are rewritten in place ([`Message::rewrite`]).
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
//! [absolve](https://docs.rs/absolve) rewrites one document, and this package finds the documents.
//! Three packages build on it: [absolve-files](https://docs.rs/absolve-files) for files and
//! folders, [absolve-site](https://docs.rs/absolve-site) for the audit of a site, and
//! [absolve-cli](https://docs.rs/absolve-cli), the command.
//!
//! # The modules
//!
//! - The root has [`Message`], which finds the parts of a message and the base URL of each by [RFC
//!   1808 section 3][rfc], and [`Format`], the formats of files that hold documents. [`links`] and
//!   [`rewrite`] take documents and messages alike.
//! - [`warc`] reads web archives as streams ([`warc::Reader`] has an example). [`wacz`] reads web
//!   archives that are stored in a ZIP file. Both implement [`Container`].
//! - [`jobs`] has the threads that process many documents.
//!
//! The package opens no file, and never prints. Its feature `libdeflate` decompresses gzip members
//! of web archives that are in memory faster, by code in C.
//!
//! # Entries
//!
//! An entry of a container is written `file!entry` ([`EntryId`]): `page.mhtml!3`,
//! `crawl.warc.gz!@1234`. The parts of a message are numbered from 0 in the order in which
//! they begin in the file. Part 0 is the message itself, and every part has a number, even a
//! multipart that only contains other parts. Therefore the page in an MHTML file that a browser
//! saved is part 1. The message inside a `message/rfc822` part has the number after the part.
//!
//! # How it works
//!
//! - `message::structure` finds the parts: delimiters are whole lines, and an outer one ends the
//!   parts inside. mail-parser reads only the fields of headers. `message::bases` computes the base
//!   URL of each part. `message::transfer` decodes a body with an offset map. Edits of the decoded
//!   bytes become edits of the file, and all other bytes are copied.
//! - `warc::segments` splits an archive into documents and damage. The lookahead keeps a record
//!   until its end is known, so a search for the next record after damage needs no seek. Threads
//!   process one batch while one of them reads the next.
//!
//! [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3

mod codec;
mod container;
mod documents;
mod entry_id;
mod error;
mod explicit;
mod format;
mod http;
pub mod jobs;
mod message;
mod resources;
mod signature;
pub mod wacz;
pub mod warc;

#[doc(hidden)]
pub use codec::gunzip;
pub use container::{
    Container, ContainerDocument, Content, DocumentHandler, ReadAgain, ReadOptions, Reading,
    Seekable, Source, Work, WorkHandler, path_of_member,
};
#[doc(hidden)]
pub use documents::apply_syntax;
pub use documents::{Documents, decode_part, links, rewrite};
pub use entry_id::{EntryId, InvalidEntryId};
pub use error::ContainerError;
pub use format::Format;
#[doc(hidden)]
pub use format::{Contents, has_end};
#[doc(hidden)]
pub use message::DecodedBody;
pub use message::{Message, MessagePart, PartKind, PartReports, PartSummary, Spans};
#[doc(hidden)]
pub use resources::{BASE_FIELD, ENCODED_IN_CID, message_archives};
pub use wacz::{ByteRange, StoredArchive};
