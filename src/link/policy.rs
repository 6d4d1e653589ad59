//! What replaces links.

use std::fmt;
use std::sync::Arc;

use super::Link;
use super::direction::{Direction, Form};

/// Decides what replaces a link; `None` leaves it as it is.
pub type Decision = dyn Fn(&Link<'_>) -> Option<String> + Send + Sync;

/// What replaces the links of a document; the same for documents, trees, messages and archives.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Policy {
    /// The absolute URL of each link that has one. The default.
    #[default]
    Absolute,
    /// Links in another form, in another place, or both.
    Directed(Arc<Direction>),
    /// What a function returns for each link; `None` leaves it as it is.
    #[doc(hidden)]
    Custom(Arc<Decision>),
}

impl Policy {
    /// Links in this form, where that leads to the same URL; [`Direction`] has more.
    #[must_use]
    pub fn form(form: Form) -> Self {
        match form {
            Form::Absolute => Self::Absolute,
            form => Direction::new(form).into(),
        }
    }

    /// Whether every link becomes absolute and none moves.
    pub(crate) fn is_absolute(&self) -> bool {
        match self {
            Self::Absolute => true,
            Self::Directed(direction) => direction.is_absolute(),
            Self::Custom(_) => false,
        }
    }

    /// Whether there are rules that move URLs.
    pub(crate) fn moves_urls(&self) -> bool {
        matches!(self, Self::Directed(direction) if direction.moves_urls())
    }

    /// Whether links become URLs or paths of them.
    pub(super) fn makes_urls(&self) -> bool {
        match self {
            Self::Absolute => true,
            Self::Directed(direction) => direction.makes_urls(),
            Self::Custom(_) => false,
        }
    }

    /// The URL that a URL moves to, if a rule moves it.
    pub(crate) fn moved(&self, url: &str) -> Option<String> {
        match self {
            Self::Directed(direction) => direction.moved(url),
            _ => None,
        }
    }

    /// Whether pages are opened from the disk.
    pub(crate) fn is_on_disk(&self) -> bool {
        matches!(self, Self::Directed(direction) if direction.is_on_disk())
    }

    /// Whether a URL leads to a file of pages that are opened from the disk.
    pub(crate) fn leads_to_disk(&self, url: &str) -> bool {
        matches!(self, Self::Directed(direction) if direction.leads_to_disk(url))
    }

    /// Whether `base` elements would change what its references mean.
    pub(super) fn excludes_bases(&self) -> bool {
        matches!(self, Self::Directed(direction) if direction.excludes_bases())
    }

    /// What a function returns for each link; `None` leaves it as it is.
    ///
    /// ```
    /// use absolve::{Policy, Rewriter};
    ///
    /// let secure = |url: &str| Some(format!("https:{}", url.strip_prefix("http:")?));
    /// let policy = Policy::custom(move |link| secure(link.url()?));
    /// let rewriter = Rewriter::new().base_url("http://h/")?.policy(policy);
    /// assert_eq!(rewriter.rewrite(b"<a href=x>")?.bytes(), b"<a href=https://h/x>");
    /// # Ok::<(), absolve::Error>(())
    /// ```
    #[must_use]
    pub fn custom(decide: impl Fn(&Link<'_>) -> Option<String> + Send + Sync + 'static) -> Self {
        Self::Custom(Arc::new(decide))
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absolute => f.write_str("Absolute"),
            Self::Directed(direction) => direction.fmt(f),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}

impl From<Direction> for Policy {
    fn from(direction: Direction) -> Self {
        Self::Directed(Arc::new(direction))
    }
}
