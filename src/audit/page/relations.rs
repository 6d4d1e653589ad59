//! What the `link` elements of a page state about it.

use crate::audit::context::state::StatedRelations;

/// The most translations of a page that are kept; a page with more is compared with no other.
pub(super) const MAX_TRANSLATIONS: usize = 512;

/// What the `link` elements of one page state so far.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    /// The first canonical URL.
    pub(super) canonical: Option<String>,
    /// Whether the canonical URL is another one of the site.
    pub(super) is_copy: bool,
    /// The numbers of the translations in the site.
    pub(super) translations: Vec<usize>,
}

impl Relations {
    /// Returns what other pages need of them.
    pub(super) fn finish(self) -> StatedRelations {
        let Self { is_copy, mut translations, .. } = self;
        translations.sort_unstable();
        translations.dedup();
        let is_complete = translations.len() <= MAX_TRANSLATIONS;
        translations.truncate(MAX_TRANSLATIONS);
        StatedRelations { is_copy, is_complete, translations: translations.into() }
    }
}
