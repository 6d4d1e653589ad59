//! Whether a URL leads into the site.

use std::borrow::Cow;
#[cfg(feature = "markdown")]
use std::sync::Arc;

use crate::url::{Base, Parts, has_dots, have_one_origin};

/// Knows what is in a site, for [`Form::Relative`](super::Form::Relative).
pub trait Targets: Send + Sync {
    /// Whether an absolute URL leads into the site.
    fn find<'u>(&self, url: &'u str) -> Placement<'u>;

    /// Whether pages are opened from the disk, where browsers load no file of an element with
    /// `integrity` or `crossorigin`: these attributes go.
    fn is_on_disk(&self) -> bool {
        false
    }

    /// Whether a server answers URLs in any folder with the document at this URL, so that its links have
    /// to lead from the root.
    fn is_sent_anywhere(&self, _url: &Base) -> bool {
        false
    }

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

/// A site whose files have two URLs: that of the page that shows one, and that of its bytes, which links
/// lead to.
#[cfg(feature = "markdown")]
pub(super) struct RawTargets {
    pages: Arc<dyn Targets>,
    /// What the URLs of pages begin with, and those of files.
    roots: Option<[String; 2]>,
}

#[cfg(feature = "markdown")]
impl RawTargets {
    /// From both URLs of one file.
    pub(super) fn new(pages: Arc<dyn Targets>, page: Option<&Base>, file: &Base) -> Self {
        Self { pages, roots: page.and_then(|page| roots([page.as_str(), file.as_str()])) }
    }
}

#[cfg(feature = "markdown")]
impl Targets for RawTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        let Some([page, file]) = &self.roots else { return Placement::Outside };
        let Some(below) = url.strip_prefix(&**file) else { return Placement::Outside };
        match self.pages.find(&format!("{page}{below}")) {
            Placement::InSite(found) => match found.strip_prefix(&**page) {
                Some(below) => Placement::InSite(format!("{file}{below}").into()),
                None => Placement::Outside,
            },
            _ => Placement::Outside,
        }
    }
}

/// What two URLs begin with whose last segments are the same, up to a slash.
#[cfg(feature = "markdown")]
fn roots(urls: [&str; 2]) -> Option<[String; 2]> {
    let [page, file] = urls.map(|url| Some(Parts::of(url)?.path));
    let (page, file) = (page?, file?);
    let segments = page.rsplit('/').zip(file.rsplit('/')).take_while(|(page, file)| page == file);
    let same: usize = segments.map(|(segment, _)| segment.len() + 1).sum();
    let same = same.min(page.len()).min(file.len());
    let ends_with_path = urls.iter().all(|url| url.ends_with(&page[page.len() - same..]));
    (same > 0 && ends_with_path).then(|| urls.map(|url| url[..=url.len() - same].to_owned()))
}
