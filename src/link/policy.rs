//! What replaces links.

use std::fmt;
use std::sync::Arc;

use super::Link;

/// Decides what replaces a link; `None` leaves it as it is.
pub type Decision = dyn Fn(&Link<'_>) -> Option<String> + Send + Sync;

/// What replaces the links of a document; the same for documents, trees, messages and archives.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Policy {
    /// The absolute URL of each link that has one. The default.
    #[default]
    Absolute,
    /// What a function returns for each link; `None` leaves it as it is.
    #[doc(hidden)]
    Custom(Arc<Decision>),
}

impl Policy {
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
        f.write_str(match self {
            Self::Absolute => "Absolute",
            Self::Custom(_) => "Custom",
        })
    }
}
