//! Patterns of links to ignore.

use crate::batch::{InvalidGlob, Pattern, Slashes};

/// A pattern of links to ignore.
///
/// It matches a whole reference as written, or the whole URL that it resolves to. `*` matches
/// anything, including slashes; `?` one character; `[ab]` one of these; `{a,b}` either.
///
/// ```
/// use absolve::audit::LinkPattern;
///
/// let pattern = LinkPattern::new("https://example.org/*")?;
/// assert!(pattern.matches("../a", Some("https://example.org/a")));
/// # Ok::<(), absolve::batch::InvalidGlob>(())
/// ```
#[derive(Debug, Clone)]
pub struct LinkPattern(Pattern);

impl LinkPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// If the pattern is malformed.
    pub fn new(pattern: &str) -> Result<Self, InvalidGlob> {
        Pattern::new(pattern, Slashes::Matched).map(Self)
    }

    /// Whether a link matches.
    #[must_use]
    pub fn matches(&self, reference: &str, url: Option<&str>) -> bool {
        self.0.is_match(reference) || url.is_some_and(|url| self.0.is_match(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn matches(pattern: &str, reference: &str, url: &str, expected: bool) {
        let pattern = LinkPattern::new(pattern).unwrap();
        assert_eq!(pattern.matches(reference, Some(url)), expected, "{reference}");
    }

    #[test]
    fn a_pattern_matches_the_reference_or_the_url() {
        matches("../old/*", "../old/a/b.html", "http://h/old/a/b.html", true);
        matches("http://h/old/*", "../old/a.html", "http://h/old/a.html", true);
        matches("old/*", "../old/a.html", "http://h/old/a.html", false);
        matches("*.pdf", "a/b.pdf", "http://h/a/b.pdf", true);
        matches("*.pdf", "a/b.pdf?x", "http://h/a/b.pdf?x", false);
        matches("{a,b}.html", "b.html", "http://h/b.html", true);
    }

    #[test]
    fn a_bad_pattern_is_refused() {
        assert!(LinkPattern::new("[a").is_err());
        assert!(LinkPattern::new(&"{".repeat(240)).is_err());
    }
}
