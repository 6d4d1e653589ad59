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
mod hash;
pub mod hints;
mod ignore;
mod lookup;
mod options;
mod page;
mod pass;
mod position;
pub mod reference;
mod rules;
mod run;
mod site;
mod summary;
mod target;

pub use anchors::{Added, Anchors, AnchorsOfPage, Fragment, Ranges, TextDirective};
pub use finding::Finding;
pub use ignore::LinkPattern;
pub use options::{Audit, MAX_FINDINGS, MAX_FINDINGS_SIZE};
pub use rules::{Explanation, Grouping, Level, Rule, UnknownLevel, UnknownRule};
pub use site::Site;
pub use site::deployment::{Deployment, InvalidAlias, Located, climbs_above_root};
pub use site::files::{FileKind, Files, bytes_of, path_of};
pub use site::redirect_rules::{Matched, Problem, Redirects};
pub use site::server::{Answer, Case, Extensionless, Profile, Server, UnknownProfile};
pub use summary::{AuditReport, Unlisted};
