//! References with more `..` segments than lead to their target.

use crate::audit::fix::Safety;
use crate::audit::hints::{AuthoredReference, Meant, Proposal, Wording};
use crate::audit::site::deployment::{Location, climbs_above_root};
use crate::audit::site::files::Files;
use crate::audit::site::server::{Answer, Server};
use crate::url::clean;

/// The most `..` segments that are taken out.
const MAX_SURPLUS: usize = 8;

impl AuthoredReference<'_> {
    /// The reference with fewer `..` segments at its beginning; `None` if no number of them, or more
    /// than one, makes it lead to a file.
    pub(crate) fn without_surplus(&self, files: &Files, server: &Server) -> Option<Proposal> {
        let reference = clean(self.reference);
        let mut leading =
            with_fewer(&reference).filter(|fewer| self.leads_to_file(fewer, files, server));
        let meant = Meant::Reference(leading.next()?.to_owned());
        let is_only = leading.next().is_none();
        is_only.then(|| Proposal::new(meant, Wording::DidYouMean, Some(Safety::Unsafe)))
    }

    /// The reference without the `..` segments at its beginning that climb above the root.
    pub(super) fn below_root(&self) -> Option<String> {
        let (base, reference) = (self.base?, clean(self.reference));
        let (root, rest) = reference.split_at(usize::from(reference.starts_with('/')));
        let mut fewer = with_fewer(rest).map(|fewer| format!("{root}{fewer}"));
        fewer.find(|fewer| !climbs_above_root(base, fewer))
    }

    fn leads_to_file(&self, reference: &str, files: &Files, server: &Server) -> bool {
        let Ok(resolution) = self.standard.resolve(self.base, reference) else { return false };
        let location = resolution.url().map(|url| self.deployment.locate(url));
        let Some(Location::Inside { path, has_trailing_slash, above_root: false, query, .. }) =
            location
        else {
            return false;
        };
        matches!(server.answer(files, &path, has_trailing_slash, query), Answer::File(_))
    }
}

/// A relative reference with one `..` segment less at its beginning, two less, and so on.
fn with_fewer(reference: &str) -> impl Iterator<Item = &str> {
    (0..MAX_SURPLUS).scan(reference, |rest, _| {
        *rest = rest.strip_prefix("../")?;
        // Without a path, a reference leads to its own page; with a slash, to the root.
        (!rest.is_empty() && !rest.starts_with(['/', '?', '#'])).then_some(*rest)
    })
}
