//! Whether a URL leads into the site.

use std::borrow::Cow;

use crate::url::{Base, Parts, has_dots, have_one_origin};

/// Knows what is in a site, for [`Form::Relative`](super::Form::Relative).
pub trait Targets: Send + Sync {
    /// Whether an absolute URL leads into the site.
    fn find<'u>(&self, url: &'u str) -> Placement<'u>;

    /// The URL in the site of the document with this URL, if that is another one.
    fn document(&self, _url: &Base) -> Option<Base> {
        None
    }
}

/// Whether a URL leads into a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement<'u> {
    /// It does; a reference leads to this URL, which may name the file that a server answers with.
    InSite(Cow<'u, str>),
    /// It leads elsewhere, or to nothing in the site.
    Outside,
    /// It leads elsewhere, and stays as it is written.
    Kept,
}

/// A site of all that is on the host of a document.
pub(super) fn place_on_host<'u>(base: &Base, url: &'u str) -> Placement<'u> {
    match (Parts::of(base.as_str()), Parts::of(url)) {
        (Some(own), Some(parts)) if have_one_origin(own, parts) => {
            // Dots that are left lead above the root.
            if has_dots(parts) { Placement::Outside } else { Placement::InSite(url.into()) }
        }
        _ => Placement::Outside,
    }
}
