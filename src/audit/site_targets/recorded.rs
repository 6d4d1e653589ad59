//! Files whose URLs are recorded.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use crate::link::{Placement, Targets};
use crate::url::Base;

/// Files with recorded URLs, and the other files of a site.
///
/// A program that saves pages may give a file any name, and record the URL in a list or with the file.
pub struct RecordedTargets {
    /// By URL without fragment: the URL of the file in the site.
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
            let (url, _) = split(url.as_str());
            files.entry(url.to_owned()).or_insert(file);
        }
        Self { files, others }
    }
}

impl Targets for RecordedTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        let (whole, fragment) = split(url);
        match self.files.get(whole) {
            Some(file) => Placement::InSite(Cow::Owned(format!("{file}{fragment}"))),
            None => self.others.find(url),
        }
    }

    fn document(&self, url: &Base) -> Option<Base> {
        match self.files.get(split(url.as_str()).0) {
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

/// A URL, and its fragment with the `#`.
fn split(url: &str) -> (&str, &str) {
    url.split_at(url.find('#').unwrap_or(url.len()))
}
