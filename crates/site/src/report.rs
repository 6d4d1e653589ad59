//! Reports on the findings of an audit, in the formats that people and programs read.
//!
//! [`write()`] writes findings in a [`Format`]; [`Context`] has the rest of a report. A
//! [`Baseline`] has the findings of an earlier audit, so that only new ones are reported. This
//! module opens no file and prints nothing: it writes to what it is given.
//!
//! ```
//! use absolve_site::{AuditReport, Finding, Level, Rule};
//! use absolve_site::report::{self, Context, Format};
//!
//! let message = "docs/x.html does not exist".to_owned();
//! let finding = Finding::new(Rule::BrokenLink, Level::Error, "docs/a.html".into(), message);
//! let audited = AuditReport { findings: vec![finding], pages: 1, links: 1, ..AuditReport::default() };
//! let context = Context::new(&audited).fail_on(Some(Level::Error));
//! let mut out = Vec::new();
//! report::write(Format::Github, &audited.findings, &context, &mut out)?;
//! assert_eq!(
//!     String::from_utf8_lossy(&out),
//!     "::error file=docs/a.html,title=broken-link::docs/x.html does not exist\n"
//! );
//! assert!(context.fails(&audited.findings));
//! # Ok::<(), std::io::Error>(())
//! ```

mod about;
mod baseline;
mod context;
mod coverage;
#[doc(hidden)]
pub mod display;
mod excerpt;
mod fingerprint;
mod format;
mod groups;
mod history;
mod sources;
#[cfg(test)]
mod tests;
mod value;
mod view;

pub use about::{About, InvalidSourceUrl, SourceUrl};
pub use baseline::{Baseline, BaselineDiff, Comparison, InvalidBaseline};
#[doc(hidden)]
pub use context::Detail;
pub use context::{Color, Context};
#[doc(hidden)]
pub use fingerprint::Fingerprint;
pub use format::{Format, write};
#[doc(hidden)]
pub use format::{UnknownFormat, write_entries};
#[doc(hidden)]
pub use history::InvalidHistory;
pub use history::{History, Run};

use coverage::{Coverage, Totals};
use display::{WithoutCommands, counted, is_harmless, printable, thousands, wrapped};
use excerpt::Excerpt;
use fingerprint::numbered;
use format::FormatRow;
use groups::{Group, group_hash, groups, worst_first};
use sources::Sources;
use value::{Record, escaped, write_list};
use view::are_of_one_page;
