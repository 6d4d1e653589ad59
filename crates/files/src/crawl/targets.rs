//! The files that the links of a page lead to.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use absolve::url::Base;
use absolve::{Placement, Targets};

use super::address::{Address, reference_path};
use super::index::Index;

/// The treatment of links whose URL the crawl does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Makes them absolute. The default.
    #[default]
    Absolute,
    /// Leaves them as written.
    Keep,
    /// Makes them absolute, and fails the extraction.
    Error,
}

/// A URL for the folder of the files, which no page has
/// ([RFC 2606](https://www.rfc-editor.org/rfc/rfc2606#section-2)).
const ROOT: &str = "http://crawl.invalid/";

/// The files of a crawl, from one of them.
pub(super) struct PageTargets {
    index: Arc<Index>,
    /// The URL of the page's own file.
    document: Option<Base>,
    /// The message that the page is in.
    message: Option<String>,
    missing: Missing,
    not_found: Mutex<NotFound>,
}

/// The links of a page whose URLs the crawl does not have.
#[derive(Debug, Default)]
pub(super) struct NotFound {
    links: u64,
    /// The URLs, each once and with a line break after it: a page can have millions.
    urls: String,
    hasher: RandomState,
    seen: HashSet<u64>,
    is_cut: bool,
}

/// Maximum bytes of URLs that are kept for a page.
const MAX_NOT_FOUND: usize = 64 << 20;

impl NotFound {
    fn add(&mut self, url: &str) {
        self.links += 1;
        if self.urls.len() + url.len() > MAX_NOT_FOUND {
            self.is_cut = true;
        } else if self.seen.insert(self.hasher.hash_one(url)) {
            self.urls.extend(url.chars().map(|c| if c == '\n' { ' ' } else { c }));
            self.urls.push('\n');
        }
    }

    /// The number of links.
    pub(super) fn links(&self) -> u64 {
        self.links
    }

    /// Whether there are more URLs than are kept.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The URLs, in order.
    pub(super) fn sorted(&self) -> Vec<&str> {
        let mut urls: Vec<_> = self.urls.split_terminator('\n').collect();
        urls.sort_unstable();
        urls
    }
}

impl PageTargets {
    pub(super) fn new(
        index: Arc<Index>,
        name: &str,
        message: Option<String>,
        missing: Missing,
    ) -> Self {
        let document = Base::new(&format!("{ROOT}{}", reference_path(name))).ok();
        Self { index, document, message, missing, not_found: Mutex::default() }
    }

    /// The URLs of links that the crawl does not have.
    pub(super) fn not_found(&self) -> NotFound {
        std::mem::take(&mut *self.not_found.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Targets for PageTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        let (resource, own) =
            url.split_once('#').map_or((url, None), |(url, own)| (url, Some(own)));
        let Some(address) = Address::parse(resource, self.message.as_deref()) else {
            return Placement::Outside;
        };
        let Some(found) = self.index.find(&address) else {
            let is_kept = match address.scheme_of_part() {
                // Such URLs have no meaning outside the message.
                Some("cid" | "thismessage") => true,
                Some("file") | None => self.missing == Missing::Keep,
                // A link such as `mailto:` leads to no file.
                Some(_) => return Placement::Outside,
            };
            let mut not_found = self.not_found.lock().unwrap_or_else(PoisonError::into_inner);
            not_found.add(url);
            return if is_kept { Placement::Kept } else { Placement::Outside };
        };
        let mut url = format!("{ROOT}{}", reference_path(&found.name));
        if let Some(fragment) = own.or(found.fragment) {
            url.push('#');
            url.push_str(fragment);
        }
        Placement::InSite(url.into())
    }

    fn is_on_disk(&self) -> bool {
        true
    }

    fn document(&self, _url: &Base) -> Option<Base> {
        self.document.clone()
    }
}
