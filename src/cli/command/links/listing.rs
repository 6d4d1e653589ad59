//! Which links are listed, and how the list of URLs is printed.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::batch::Globs;
use crate::report::display::counted;
use crate::{Credentials, Link};

use super::external::ExternalLinks;
use crate::cli::args::{InputArgs, LinksArgs, ListFormat};
use crate::cli::session::failure::Failure;
use crate::cli::session::output::to_stdout;
use crate::cli::terminal::Messages;

/// The lines that are printed already.
type Lines = HashSet<Box<[u8]>>;

/// The arguments, and which links are listed.
pub(super) type Given<'a> = (&'a LinksArgs, &'a Listing);

/// Which links are listed, and what is known of the list so far.
pub(super) struct Listing {
    /// Selects links, with `--external`.
    pub(super) external: Option<ExternalLinks>,
    /// The URLs that are printed already, with `--unique`.
    printed: Option<Mutex<Lines>>,
    /// The number of links that are left out of a list of URLs because they have none.
    unresolved: AtomicU64,
}

impl Listing {
    /// The list for these arguments, which `--external` makes those of an audit.
    pub(super) fn new(args: &mut LinksArgs, messages: Messages) -> Result<Self, Failure> {
        let listing = &args.listing;
        if listing.unique && listing.format != ListFormat::Url {
            return Err(Failure::message("--unique is for a list of URLs; give --format url too"));
        }
        let printed = listing.unique.then(Mutex::default);
        let is_external = listing.external;
        let external = is_external.then(|| ExternalLinks::new(args, messages)).transpose()?;
        Ok(Self { external, printed, unresolved: AtomicU64::new(0) })
    }

    /// Which files of a folder are documents; with `--external`, style sheets are, as in an audit.
    pub(super) fn globs(&self, inputs: &InputArgs) -> Globs {
        let has_styles = self.external.is_some() && inputs.file_format.is_none();
        let globs = inputs.globs();
        if has_styles { globs.with_style_sheets() } else { globs }
    }

    /// Whether a link is listed.
    pub(super) fn lists(&self, link: &Link<'_>) -> bool {
        self.external.as_ref().is_none_or(|external| external.url(link).is_some())
    }

    /// The URL of a link in a list of URLs, where control characters would end a line or move the
    /// cursor.
    pub(super) fn url<'u>(&self, link: &'u Link<'_>, args: &LinksArgs) -> Option<Cow<'u, str>> {
        if let Some(external) = &self.external {
            return external.url(link).map(Cow::Owned);
        }
        let url = match (link.url()?, args.document.options.credentials()) {
            (url, Credentials::Keep) => url.into(),
            (url, _) => args.document.options.standard().masked(None, url),
        };
        let has_controls = url.chars().any(char::is_control);
        Some(if has_controls { encoded(&url).into() } else { url })
    }

    /// Counts links without a URL.
    pub(super) fn add_unresolved(&self, count: u64) {
        self.unresolved.fetch_add(count, Ordering::Relaxed);
    }

    /// Writes results to stdout through `write`: with `--unique`, lines that it has not printed yet.
    pub(super) fn to_stdout(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        to_stdout(|out| {
            let Some(printed) = &self.printed else { return write(out) };
            let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
            write(&mut NewLines { out, printed: &mut printed, line: Vec::new() })
        })
    }

    /// Reports how many links a list of URLs leaves out.
    pub(super) fn report(&self, messages: Messages) {
        let unresolved = self.unresolved.load(Ordering::Relaxed);
        if unresolved > 0 {
            let links = counted(unresolved, "link");
            messages.warning(format_args!("{links} without an absolute URL left out"));
        }
    }
}

/// Percent-encodes control characters.
fn encoded(url: &str) -> String {
    let mut encoded = String::new();
    for c in url.chars() {
        if c.is_control() {
            let mut buffer = [0; 4];
            encoded.extend(c.encode_utf8(&mut buffer).bytes().map(|byte| format!("%{byte:02X}")));
        } else {
            encoded.push(c);
        }
    }
    encoded
}

/// Writes each line once.
struct NewLines<'a> {
    out: &'a mut dyn Write,
    printed: &'a mut Lines,
    /// The beginning of the line that is not complete.
    line: Vec<u8>,
}

impl Write for NewLines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                if !self.printed.contains(&*self.line) {
                    self.out.write_all(&self.line)?;
                    self.printed.insert((&*self.line).into());
                }
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
