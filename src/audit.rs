//! Checking the links of a site, offline: what there is to find, and where.

mod anchors;
mod deployment;
mod files;
mod finding;
pub mod hints;
mod redirects;
mod rules;
mod server;

pub use anchors::{Added, Anchors, AnchorsOfPage, Fragment, Ranges, TextDirective};
pub use deployment::{Deployment, InvalidAlias, Located, climbs_above_root};
pub use files::{FileKind, Files, bytes_of, path_of};
pub use finding::Finding;
pub use redirects::{Matched, Problem, Redirects};
pub use rules::{Explanation, Level, Rule, UnknownLevel, UnknownRule};
pub use server::{Answer, Case, Extensionless, Profile, Server, UnknownProfile};
