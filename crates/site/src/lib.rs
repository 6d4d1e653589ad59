//! Audits the links of a site, offline: looks up every link and anchor of a built site in its
//! folder, as its server would.
//!
//! ```
//! use absolve_archive::jobs::Workers;
//! use absolve_files::{Globs, Symlinks};
//! use absolve_site::{Audit, Deployment, Level, Profile, Rule, Server, Site};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let site = folder.path();
//! # std::fs::write(site.join("index.html"), "<a href=missing.html>x</a>")?;
//!
//! let site = Site::walk(site, site, &Globs::default(), Symlinks::default())?;
//! let deployment = Deployment::parse("https://example.org/manual/")?;
//! let server = Server::new(Profile::Plain);
//! let audit = Audit::new(deployment, server).level(Rule::OrphanPage, Level::Off);
//!
//! let report = audit.run(&site, &Workers::new(0), &());
//! assert_eq!((report.pages, report.links), (1, 1));
//! assert_eq!(report.findings[0].rule, Rule::BrokenLink);
//! assert_eq!(report.findings[0].reference.as_deref(), Some("missing.html"));
//! # Ok(())
//! # }
//! ```
//!
//! The package reads pages with [absolve](https://docs.rs/absolve) and folders with
//! [absolve-files](https://docs.rs/absolve-files); its threads come from
//! [absolve-archive](https://docs.rs/absolve-archive). The command `absolve audit` is in
//! [absolve-cli](https://docs.rs/absolve-cli).
//!
//! # The parts
//!
//! A [`Site`] lists the files of a folder, a [`Deployment`] maps URLs to their paths, and a
//! [`Server`] answers for them. An [`Audit`] has the options; each problem that it finds is a
//! [`Finding`] of a [`Rule`], and some have a [`Fix`]. [`report`] writes findings in many formats.
//! The package never fetches, prints or reads the environment.
//!
//! # How it works
//!
//! 1. [`Site::walk`] lists every file: each is a target, and the documents are pages.
//! 2. A `PageAuditor` visits each page. A `ResolutionCache` keeps the URL of each reference, the
//!    file that the [`Server`] answers with, and the problems of the link. A link whose cached
//!    target is good is skipped.
//! 3. `FragmentRequests` records fragments of other files, and which of 63 blocks of pages request
//!    them, so that memory grows with files and fragments, not with links.
//! 4. After all pages have been read, the checks of `checks::RECHECKS` resolve the requests. The
//!    pages with failed requests are read again, to report them.
//! 5. Findings are sorted by file and offset, so that the number of threads makes no difference.
//!    Their bytes are limited; findings beyond the limit are only counted, by rule. Hints are
//!    searched only for listed findings.

mod anchors;
mod checks;
mod context;
mod elements;
mod external;
mod finding;
mod fixes;
#[doc(hidden)]
pub mod hints;
mod lookup;
mod options;
mod page;
pub mod report;
mod rules;
mod run;
mod site;
mod site_targets;
mod sources;
mod summary;
mod target;

pub use anchors::Ranges;
#[doc(hidden)]
pub use anchors::{Anchors, AnchorsOfPage, Fragment};
#[doc(hidden)]
pub use checks::references::{Check, check as check_reference};
#[doc(hidden)]
pub use checks::schemes::{MissingScheme, missing_scheme};
pub use checks::urls::{ForbiddenHost, InvalidForbiddenHost};
#[doc(hidden)]
pub use external::external_url;
pub use external::{ExternalStatuses, InvalidStatuses};
pub use finding::{Finding, SourceLine};
pub use finding::{Fix, Safety};
pub use fixes::Fixes;
pub use options::{Audit, FindingLimits};
pub use rules::{Explanation, Level, Rule, RuleGroup};
#[doc(hidden)]
pub use rules::{Grouping, UnknownLevel, UnknownRule, UnknownRuleGroup};
pub use site::Site;
pub use site::deployment::{Deployment, InvalidAlias};
#[doc(hidden)]
pub use site::deployment::{Location, climbs_above_root};
#[doc(hidden)]
pub use site::files::{FileKind, Files, bytes_of, path_of};
#[doc(hidden)]
pub use site::redirect_rules::{MalformedLine, RedirectMatch, Redirects};
#[doc(hidden)]
pub use site::server::{Answer, Case, Extensionless, Permanence, UnknownProfile};
pub use site::server::{Profile, Server};
#[doc(hidden)]
pub use site_targets::UnknownOpener;
pub use site_targets::{HostTargets, OpenedBy, RecordedTargets, SiteTargets};
pub use sources::Sources;
pub use summary::{AuditReport, LikelyBase, LinkTotals, Unlisted};

pub(crate) use anchors::IdHash;
pub(crate) use checks::references::{after_scheme, unknown_scheme};
pub(crate) use checks::schemes::missing_scheme_problem;
pub(crate) use checks::targets::{LinksFromRoot, above_root_problem, path_search};
pub(crate) use context::{
    AuditBuffers, AuditContext, Collector, Compact, DocumentFacts, Draft, IsKnown, PageFindings,
    PageReading, PageResult, Pass, RareFacts, Recheck, Refresh, Requesters, Selection, SiteCheck,
    StatedRelations, TargetCheck, Turn, Verdict,
};
pub(crate) use elements::{Relation, is_requested, loaded_kind, takes_both_hrefs};
pub(crate) use external::ExternalStatus;
pub(crate) use hints::{AuthoredReference, Finder, Hint, Meant, Proposal, Search, Wording};
pub(crate) use lookup::cache::{PlainPaths, ResolutionCache};
pub(crate) use lookup::resolved::{ResolvedReference, split_fragment};
pub(crate) use lookup::{Lookup, RedirectOutcome};
pub(crate) use page::occurrence::{Occurrence, OccurrenceUrl, ResolvedLink};
pub(crate) use page::{DocumentCheck, LinkCheck, PageAuditor, ReadDocument};
use rules::{Row, rows};
pub(crate) use site::files::{HashMap, HashSet, join, segments, split_name};
pub(crate) use summary::{LinkScope, RuleCounts, begins_at_root};
pub(crate) use target::{FragmentSource, Problem, Target};
