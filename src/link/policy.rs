//! The policy that replaces links.

use std::fmt;
use std::sync::Arc;

use super::Link;
use super::direction::{Direction, Form};

/// Decides what replaces a link; `None` leaves it as it is.
pub type Decision = dyn Fn(&Link<'_>) -> Option<String> + Send + Sync;

/// The replacement of links in documents, trees, messages and archives.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Policy {
    /// The absolute URL of each link that has one. The default.
    #[default]
    Absolute,
    /// Links in another form, in another place, or both.
    Directed(Arc<Direction>),
    /// The result of a function for each link; `None` leaves it as it is.
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
    #[doc(hidden)]
    pub fn is_absolute(&self) -> bool {
        matches!(self, Self::Absolute) || self.direction().is_some_and(Direction::is_absolute)
    }

    /// The direction of links, unless every link becomes absolute or a function decides.
    #[must_use]
    #[doc(hidden)]
    pub fn direction(&self) -> Option<&Direction> {
        match self {
            Self::Directed(direction) => Some(direction),
            Self::Absolute | Self::Custom(_) => None,
        }
    }

    /// Whether links become URLs or paths of them.
    pub(super) fn makes_urls(&self) -> bool {
        matches!(self, Self::Absolute) || self.direction().is_some_and(Direction::makes_urls)
    }

    /// Replaces each link with the result of a function; `None` leaves it as it is.
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
