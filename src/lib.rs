//! Finds every URL in an HTML document, resolves it against the document's base
//! URL by [RFC 1808], and writes the document back with absolute links.
//!
//! ```
//! let page = b"<base href=http://example.org/a/b/c><a href=../x>up</a>";
//! let page = absolve::rewrite(page, "http://elsewhere.example/")?;
//! assert!(String::from_utf8_lossy(&page).contains("http://example.org/a/x"));
//! # Ok::<(), absolve::Error>(())
//! ```
//!
//! From the top: [`rewrite()`] does the main job in one call; [`Rewriter`] has
//! the options, shows the [`Link`]s of a document, and rewrites by a decision of
//! your own; [`url::Standard`] resolves one reference.
//!
//! # Words
//!
//! - A *reference* is a URL as written in the document, character references
//!   decoded.
//! - The *base URL* is what references are resolved against: the document's own
//!   `base` element, else the entity that encloses it, else its *retrieval URL*.
//! - A *link* is one occurrence of a reference: element, attribute, grammar.
//! - A *grammar* is how an attribute holds references.
//! - A *standard* is the rules that references are resolved by.
//!
//! # Example: list the links of a page
//!
//! ```
//! use absolve::Rewriter;
//!
//! let rewriter = Rewriter::new().base_url("http://example.org/")?;
//! let summary = rewriter.links(b"<img src=a.png><a href=mailto:x@y>", |link| {
//!     assert!(link.url().is_some());
//! })?;
//! assert_eq!(summary.counts().links, 2);
//! # Ok::<(), absolve::Error>(())
//! ```
//!
//! # Features
//!
//! - `cli`, on by default, is the command, with every other feature.
//! - `dom`, on by default, is the engine that writes a parser's tree.
//! - `containers` reads messages, MHTML and web archives; `files` rewrites files and directory
//!   trees; `audit` checks the links of sites; `report` writes
//!   what it finds; `parallel` works on many documents at once.
//! - `rfc3986` and `whatwg` add those standards.
//!
//! Without default features the library is the splice engine: it opens no file, starts no thread
//! and compiles no HTML parser.
//!
//! # What it does not do
//!
//! It never fetches anything. It reads the HTML syntax; XML (XHTML, EPUB) is out
//! of scope.
//!
//! [RFC 1808]: https://www.rfc-editor.org/rfc/rfc1808

pub mod attributes;
#[cfg(feature = "audit")]
pub mod audit;
mod base;
#[cfg(feature = "files")]
pub mod batch;
#[cfg(feature = "containers")]
pub mod container;
#[cfg(feature = "dom")]
mod dom;
mod edit;
pub mod encoding;
mod error;
pub mod grammar;
#[cfg(feature = "containers")]
pub mod jobs;
mod learn;
mod link;
#[doc(hidden)]
pub mod reference;
#[cfg(feature = "report")]
pub mod report;
mod rewrite;
#[doc(hidden)]
pub mod scan;
mod splice;
pub mod url;
#[doc(hidden)]
pub mod value;

pub use base::{BaseSource, Learn, NotLearned, RejectedBase};
pub use error::{Error, Limit, Location};
pub use link::{
    Anchor, AnchorKind, BaseElement, BasePlace, BaseScope, BaseTag, ConditionalComments,
    Credentials, Decision, Engine, Limits, Link, LinkCounts, LinkOutcome, MARKERS, Policy,
    SameDocument, Syntax, Visit,
};
pub use rewrite::{Buffers, Rewriter, Rewritten, Summary, detect, rewrite};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct Library;
