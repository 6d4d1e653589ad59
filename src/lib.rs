//! Finds every URL in an HTML document, resolves it against the document's base
//! URL by [RFC 1808], and writes the document back with absolute links. Every
//! other byte stays as it was.
//!
//! ```
//! let page = b"<base href=http://example.org/a/b/c><a href=../x>up</a>";
//! let page = absolve::rewrite(page, "http://elsewhere.example/")?;
//! assert_eq!(page, b"<base href=http://example.org/a/b/c><a href=http://example.org/a/x>up</a>");
//! # Ok::<(), absolve::Error>(())
//! ```
//!
//! This package is the library for one document. Four others build on it:
//!
//! | package | what it does |
//! |---|---|
//! | [absolve-archive](https://docs.rs/absolve-archive) | reads messages, MHTML and web archives, and rewrites messages; has threads for many documents |
//! | [absolve-files](https://docs.rs/absolve-files) | reads and writes files and folders atomically; makes a folder of a crawl |
//! | [absolve-site](https://docs.rs/absolve-site) | audits the links of a built site, offline; reports findings as text, JSON, SARIF and other formats |
//! | [absolve-cli](https://docs.rs/absolve-cli) | is the command `absolve`, with all of them |
//!
//! # One document
//!
//! [`rewrite()`] does the main job in one call. A [`Rewriter`] has the options. It
//! rewrites a document, lists its links, or rewrites by a decision of the caller:
//!
//! ```
//! use absolve::Rewriter;
//!
//! let rewriter = Rewriter::new().base_url("http://example.org/")?;
//! let page = b"<img src=a.png><a href=mailto:x@y>";
//!
//! let summary = rewriter.links(page, |link| {
//!     println!("{}[{}] {:?}", link.element(), link.attribute(), link.url());
//! })?;
//! assert_eq!(summary.counts().links, 2);
//!
//! // `None` leaves a link unchanged.
//! let result = rewriter.rewrite_with(page, |link| {
//!     (link.element() == "img").then(|| format!("/cache/{}", link.reference()))
//! })?;
//! assert_eq!(result.bytes(), b"<img src=/cache/a.png><a href=mailto:x@y>");
//! # Ok::<(), absolve::Error>(())
//! ```
//!
//! The result has a [`Summary`]: the base URL and its source, the encoding, and the
//! [counts](LinkCounts) of links. [`Limits`] bound the cost of hostile documents; a document that
//! exceeds a limit is an [`Error`], and nothing is truncated.
//!
//! [`Syntax`] selects style sheets, XML, JSON Feed or Markdown instead of HTML, and [`Form`]
//! relative instead of absolute links; a [`Direction`] moves them. [`url`] resolves single
//! references, [`grammar`] and [`attributes`] describe how attributes contain references.
//!
//! # Words
//!
//! - A *reference* is a URL as written in the document, character references
//!   decoded.
//! - The *base URL* is what references are resolved against: the document's own
//!   `base` element, else the entity that encloses it, else its *retrieval URL*.
//! - A *link* is an occurrence of a reference, with its element, attribute and grammar.
//! - A *grammar* is the way in which an attribute contains references.
//! - A *standard* is a set of rules for resolving references.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `legacy-encodings` (default) | other encodings than UTF-8, which are an error without it |
//! | `dom` | the engine that writes a parser's tree ([`Engine`]), which is an error without it, and an HTML parser; includes `legacy-encodings` |
//! | `markdown` | the links of Markdown, which is an error without it |
//! | `rfc3986` | that standard, beside RFC 1808 and the URL Standard ([`url::Standard`]) |
//! | `help`, `serde` | texts of the help, and values as JSON, for the command |
//!
//! The library opens no file and starts no thread. It never prints, exits or reads the environment,
//! and never fetches anything.
//!
//! # Stability
//!
//! The interface is what this reference shows. Public items without a page here serve the other
//! packages, the tests and the fuzz targets, and may change in any version.
//!
//! [RFC 1808]: https://www.rfc-editor.org/rfc/rfc1808

// A build without one of these features leaves code unused that only the feature needs.
#![cfg_attr(
    not(all(feature = "dom", feature = "markdown")),
    allow(dead_code, unused_imports, reason = "lints run with all features too")
)]

pub mod attributes;
mod base;
mod block;
#[cfg_attr(not(feature = "dom"), path = "dom/absent.rs")]
mod dom;
mod edit;
#[doc(hidden)]
pub mod encoding;
mod error;
pub mod grammar;
mod learn;
mod link;
mod named;
#[doc(hidden)]
pub mod option;
#[doc(hidden)]
pub mod reference;
mod rewrite;
#[doc(hidden)]
pub mod scan;
mod splice;
pub mod url;
#[doc(hidden)]
pub mod value;

pub use base::{BaseSource, Learn, NotLearned, RejectedBase};
#[doc(hidden)]
pub use error::{Advice, Diagnosis, HasAdvice, LimitAccess, LimitRow};
pub use error::{Error, Limit, Limits, Location};
#[doc(hidden)]
pub use link::column;
#[doc(hidden)]
pub use link::{Anchor, AnchorKind, BasePlace, BaseTag, Decision, MARKERS, Visit};
pub use link::{
    BaseElement, BaseScope, Credentials, Detail, Direction, Engine, FeedBase, Form, InvalidGlob,
    Link, LinkCounts, LinkOutcome, LinkPattern, Placement, Policy, SameDocument, Syntax, Targets,
};
#[doc(hidden)]
pub use rewrite::detect;
pub use rewrite::{Buffers, Rewriter, Rewritten, Summary, rewrite};

/// Items for the other packages of this workspace, which may change in any version.
#[doc(hidden)]
pub mod internal {
    pub use crate::base::{BaseLayer, Learned, WrittenBase, resolve_own_base};
    pub use crate::block::all;
    pub use crate::edit::Patches;
    pub use crate::error::{format_amount, typed};
    pub use crate::learn::{HintSource, parse_recorded_url};
    pub use crate::link::{EditedDigests, IntegrityUpdate, SavedFiles, Settings, is_template};
    pub use crate::splice::Charset;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
