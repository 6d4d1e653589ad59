//! The files that the links of a page lead to.

use std::sync::{Arc, Mutex, PoisonError};

use super::address::{Address, reference_path};
use super::index::Index;
use crate::link::{Placement, Targets};
use crate::url::Base;

/// What a link becomes whose URL the crawl does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Its absolute URL. The default.
    #[default]
    Absolute,
    /// It stays as it is written.
    Keep,
    /// Its absolute URL, and the extraction is to fail.
    Error,
}

/// Where the folder is for relative links; no URL of a page is there
/// ([RFC 2606](https://www.rfc-editor.org/rfc/rfc2606#section-2)).
const ROOT: &str = "http://crawl.invalid/";

/// The files of a crawl, from one of them.
pub(super) struct PageTargets {
    index: Arc<Index>,
    /// The URL of the page's own file.
    document: Option<Base>,
    missing: Missing,
    /// URLs that the crawl does not have.
    not_found: Mutex<Vec<String>>,
}

impl PageTargets {
    pub(super) fn new(index: Arc<Index>, name: &str, missing: Missing) -> Self {
        let document = Base::new(&format!("{ROOT}{}", reference_path(name))).ok();
        Self { index, document, missing, not_found: Mutex::default() }
    }

    /// The URLs of links that the crawl does not have.
    pub(super) fn not_found(&self) -> Vec<String> {
        std::mem::take(&mut *self.not_found.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Targets for PageTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        let (resource, own) =
            url.split_once('#').map_or((url, None), |(url, own)| (url, Some(own)));
        let Some(address) = Address::parse(resource) else { return Placement::Outside };
        let Some(found) = self.index.find(&address) else {
            let mut not_found = self.not_found.lock().unwrap_or_else(PoisonError::into_inner);
            not_found.push(url.to_owned());
            return match self.missing {
                Missing::Keep => Placement::Kept,
                Missing::Absolute | Missing::Error => Placement::Outside,
            };
        };
        let mut url = format!("{ROOT}{}", reference_path(&found.name));
        if let Some(fragment) = own.or(found.fragment) {
            url.push('#');
            url.push_str(fragment);
        }
        Placement::InSite(url.into())
    }

    fn document(&self, _url: &Base) -> Option<Base> {
        self.document.clone()
    }
}
