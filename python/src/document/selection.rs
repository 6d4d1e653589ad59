//! The URLs of a document.

use std::collections::HashSet;

use absolve::audit::{Deployment, Location, external_url};
use absolve::url::Base;
use absolve::{Buffers, Error, Rewriter};

/// Which URLs are listed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UrlSelection {
    /// Those that lead to another host, and that a link checker requests.
    pub(crate) external: bool,
    /// Each one once.
    pub(crate) unique: bool,
}

impl UrlSelection {
    /// Gives the URLs of a document to `give`, in the order of its links; `base_url` is that of the
    /// document, if it is known. Those before an error are given too.
    pub(crate) fn list(
        self,
        source: &[u8],
        (rewriter, base_url): (&Rewriter, Option<&str>),
        buffers: &mut Buffers,
        mut give: impl FnMut(&str),
    ) -> Result<(), Error> {
        let mut seen = HashSet::new();
        let mut give = |url: &str| {
            if !self.unique {
                give(url);
            } else if !seen.contains(url) {
                seen.insert(Box::<str>::from(url));
                give(url);
            }
        };
        if !self.external {
            return rewriter.urls(source, buffers, give).map(drop);
        }
        let base = base_url.map(Base::new).transpose()?;
        let site = base.as_ref().map_or_else(Deployment::default, Deployment::new);
        let leads_out = |url: &str| matches!(site.locate(url), Location::External);
        let listed = rewriter.links(source, |link| {
            if let Some(url) = external_url(link, leads_out) {
                give(&url);
            }
        });
        listed.map(drop)
    }
}
