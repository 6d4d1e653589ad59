//! Files whose URLs are recorded.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use crate::link::{Placement, Targets};
use crate::url::{Base, Parts};

/// Files with recorded URLs, and the other files of a site.
///
/// A program that saves pages may give a file any name, and record the URL in a list or with the file.
pub struct RecordedTargets {
    /// By URL without fragment, normalised: the URL of the file in the site.
    files: HashMap<String, String>,
    others: Box<dyn Targets>,
}

impl RecordedTargets {
    /// Files by their recorded URLs, each with its URL among the other files; the first one with a
    /// URL counts.
    #[must_use]
    pub fn new(
        others: Box<dyn Targets>,
        recorded: impl IntoIterator<Item = (Base, String)>,
    ) -> Self {
        let mut files = HashMap::new();
        for (url, file) in recorded {
            files.entry(key(url.as_str())).or_insert(file);
        }
        Self { files, others }
    }
}

impl Targets for RecordedTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        if self.files.is_empty() {
            return self.others.find(url);
        }
        match self.files.get(&key(url)) {
            Some(file) => {
                let fragment = url.find('#').map_or("", |at| &url[at..]);
                Placement::InSite(Cow::Owned(format!("{file}{fragment}")))
            }
            None => self.others.find(url),
        }
    }

    fn document(&self, url: &Base) -> Option<Base> {
        match self.files.get(&key(url.as_str())) {
            Some(file) => Base::new(file).ok(),
            None => self.others.document(url),
        }
    }
}

impl fmt::Debug for RecordedTargets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedTargets").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

/// A URL without its fragment, with one spelling of scheme, host, port and empty path.
fn key(url: &str) -> String {
    let whole = &url[..url.find('#').unwrap_or(url.len())];
    let Some(parts) = Parts::of(whole).filter(|parts| !parts.net_loc.is_empty()) else {
        return whole.to_owned();
    };
    let scheme = parts.scheme.to_ascii_lowercase();
    let host = parts.net_loc.to_ascii_lowercase();
    let port = if scheme == "https" { ":443" } else { ":80" };
    let host = host.strip_suffix(port).unwrap_or(&host);
    let rest = &whole[parts.scheme.len() + "://".len() + parts.net_loc.len()..];
    let slash = if rest.starts_with('/') { "" } else { "/" };
    format!("{scheme}://{host}{slash}{rest}")
}
