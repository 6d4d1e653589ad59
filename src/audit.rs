//! Checking the links of a site, offline: what there is to find, and where.
//!
//! [`Files`] is what the site has, [`Deployment`] says which URLs are its files, and
//! [`Server`] how they are answered. [`Anchors`] are the places in a page.
//! [`mod@reference`] looks at references alone. What is found is a [`Finding`] of a
//! [`Rule`].
//!
//! ```
//! use absolve::audit::{Answer, Deployment, FileKind, Files, Located, Profile, Server};
//!
//! let files = Files::new([("docs/index.html", FileKind::File)]);
//! let deployment = Deployment::at("https://example.org/manual/")?;
//! let Located::Inside { path, has_trailing_slash, query, .. } =
//!     deployment.locate("https://example.org/manual/docs/#top")
//! else {
//!     panic!("not inside")
//! };
//! let answer = Server::new(Profile::Plain).answer(&files, &path, has_trailing_slash, query);
//! assert_eq!(answer, Answer::File("docs/index.html".into()));
//! # Ok::<(), absolve::Error>(())
//! ```

mod anchors;
mod container;
mod context;
mod finding;
#[doc(hidden)]
pub mod hints;
mod ignore;
mod lookup;
mod options;
mod page;
mod pass;
mod position;
#[doc(hidden)]
pub mod reference;
mod rules;
mod run;
mod site;
mod summary;
mod target;

pub use anchors::Ranges;
#[doc(hidden)]
pub use anchors::{Added, Anchors, AnchorsOfPage, Fragment, TextDirective};
pub use finding::Finding;
pub use ignore::LinkPattern;
pub use options::{Audit, MAX_FINDINGS, MAX_FINDINGS_SIZE};
pub use rules::{Explanation, Level, Rule};
#[doc(hidden)]
pub use rules::{Grouping, UnknownLevel, UnknownRule};
pub use site::Site;
pub use site::deployment::{Deployment, InvalidAlias};
#[doc(hidden)]
pub use site::deployment::{Located, climbs_above_root};
#[doc(hidden)]
pub use site::files::{FileKind, Files, bytes_of, path_of};
#[doc(hidden)]
pub use site::redirect_rules::{Matched, Problem, Redirects};
#[doc(hidden)]
pub use site::server::{Answer, Case, Extensionless, UnknownProfile};
pub use site::server::{Profile, Server};
pub use summary::{AuditReport, Unlisted};
