//! Decides which files of a tree are documents.

use std::path::Path;

use absolve::{InvalidGlob, Syntax};
use absolve_archive::{Format, has_end};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// File extensions of HTML documents, in any case, unless a pattern includes files.
const PAGES: &[&str] = &[".html", ".htm", ".shtml"];

/// Whether files that match a pattern are documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Matching files are documents.
    Include,
    /// Matching files are not documents.
    Exclude,
}

/// Patterns that say which files of a tree are documents.
///
/// The last matching pattern wins. An excluding pattern also matches the contents of a folder; a
/// file without a matching pattern is not a document. Without an including pattern, documents are
/// `*.html`, `*.htm`, `*.shtml`, the messages `*.mhtml`, `*.mht` and `*.eml`, and the XML documents
/// `*.xhtml`, `*.xht`, `*.svg`, `*.xml`, `*.rss`, `*.rdf`, `*.atom`, `*.opf` and `*.ncx`, in any
/// case.
///
/// A pattern without `/` matches a name, one with `/` the path below the root. `*`
/// and `?` match no `/`, and `**` matches any number of folders.
///
/// ```
/// use std::path::Path;
/// use absolve_files::Globs;
///
/// let globs = Globs::default().exclude("drafts/**")?;
/// assert!(globs.is_document(Path::new("docs/index.html")));
/// assert!(!globs.is_document(Path::new("drafts/index.html")));
/// let globs = Globs::default().include("*.php")?;
/// assert!(!globs.is_document(Path::new("docs/index.html")));
/// # Ok::<(), absolve::InvalidGlob>(())
/// ```
#[derive(Debug, Clone)]
pub struct Globs {
    rules: Vec<Glob>,
    /// The documents if no rule matches; `None` if a pattern includes files. As patterns, these
    /// names took 4 of the 18 ms before the first page of python3.11-doc is read.
    defaults: Option<Defaults>,
}

impl Default for Globs {
    fn default() -> Self {
        Self { rules: Vec::new(), defaults: Some(Defaults::default()) }
    }
}

/// The files that are documents by their extensions, unless a pattern includes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Defaults {
    /// Whether [`PAGES`] and files with parts are documents.
    has_pages: bool,
    /// Whether style sheets are documents.
    has_style_sheets: bool,
    /// The syntax whose files are documents, by their names.
    syntax: Option<Syntax>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { has_pages: true, has_style_sheets: false, syntax: Some(Syntax::Xml) }
    }
}

impl Defaults {
    /// Whether a file is a document by its extension.
    fn includes(self, path: &Path) -> bool {
        if has_end(path, PAGES) {
            return self.has_pages;
        }
        let format = Format::from_name(path);
        match format.syntax() {
            Some(Syntax::Html) => false,
            Some(Syntax::Css) if self.has_style_sheets => true,
            syntax @ Some(_) => syntax == self.syntax,
            None => self.has_pages && format.has_parts(),
        }
    }
}

/// A pattern, and its effect on matching files.
#[derive(Debug, Clone)]
pub struct Glob {
    effect: Effect,
    scope: GlobScope,
    pattern: GlobSet,
}

/// The text that a pattern is matched against: the name of a file or folder, or its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GlobScope {
    Name,
    Path,
}

impl Glob {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// If it is malformed, too long or too deeply nested.
    pub fn new(effect: Effect, pattern: &str) -> Result<Self, InvalidGlob> {
        // On Windows, `\` separates names as in paths, and escapes nothing.
        let pattern = pattern.replace(if cfg!(windows) { '\\' } else { '/' }, "/");
        // A slash at the end changes nothing, since a matching folder excludes its files anyway.
        let text = pattern.trim_end_matches('/');
        let scope = if text.contains('/') { GlobScope::Path } else { GlobScope::Name };
        let text = text.trim_start_matches("./").trim_start_matches('/');
        InvalidGlob::check(text)?;
        let malformed = |error: globset::Error| InvalidGlob::new(error.kind().to_string());
        let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build();
        // `Glob::compile_matcher` panics if the regular expression does not compile; a set with a
        // single pattern returns the error.
        let pattern = GlobSetBuilder::new().add(glob.map_err(malformed)?).build();
        Ok(Self { effect, scope, pattern: pattern.map_err(malformed)? })
    }

    /// Whether it matches a file, or for an exclusion, a folder that contains the file.
    fn matches(&self, path: &Path) -> bool {
        let depth = match self.effect {
            Effect::Include => 1,
            Effect::Exclude => usize::MAX,
        };
        let mut paths = path.ancestors().take(depth);
        match self.scope {
            GlobScope::Name => {
                paths.filter_map(Path::file_name).any(|name| self.pattern.is_match(name))
            }
            GlobScope::Path => paths.any(|path| self.pattern.is_match(path)),
        }
    }
}

impl Globs {
    /// Creates the rules from patterns, in their order.
    #[doc(hidden)]
    #[must_use]
    pub fn new(globs: impl IntoIterator<Item = Glob>) -> Self {
        globs.into_iter().fold(Self::default(), Self::push)
    }

    /// Adds a pattern whose files are documents; the first one replaces the default patterns.
    ///
    /// # Errors
    ///
    /// If the pattern is malformed or too complex.
    pub fn include(self, pattern: &str) -> Result<Self, InvalidGlob> {
        Ok(self.push(Glob::new(Effect::Include, pattern)?))
    }

    /// Adds a pattern whose files are not documents.
    ///
    /// # Errors
    ///
    /// If the pattern is malformed or too complex.
    pub fn exclude(self, pattern: &str) -> Result<Self, InvalidGlob> {
        Ok(self.push(Glob::new(Effect::Exclude, pattern)?))
    }

    fn push(mut self, rule: Glob) -> Self {
        if rule.effect == Effect::Include {
            self.defaults = None;
        }
        self.rules.push(rule);
        self
    }

    /// Adds style sheets, `*.css`, to the documents without an including pattern.
    #[must_use]
    pub fn with_style_sheets(mut self) -> Self {
        if let Some(defaults) = &mut self.defaults {
            defaults.has_style_sheets = true;
        }
        self
    }

    /// Restricts the documents without an including pattern to one format: to the files of its
    /// syntax, or for HTML, to pages and files with parts.
    #[must_use]
    pub fn only(mut self, format: Format) -> Self {
        if let Some(defaults) = &mut self.defaults {
            let syntax = format.syntax().filter(|syntax| *syntax != Syntax::Html);
            *defaults = Defaults { has_pages: syntax.is_none(), has_style_sheets: false, syntax };
        }
        self
    }

    /// Whether no pattern includes files.
    #[doc(hidden)]
    #[must_use]
    pub fn has_defaults(&self) -> bool {
        self.defaults.is_some()
    }

    /// Whether XML documents are documents without a pattern that includes them.
    pub(super) fn has_xml(&self) -> bool {
        self.defaults.is_some_and(|defaults| defaults.syntax == Some(Syntax::Xml))
    }

    /// Whether a file with this path below the root is a document.
    #[must_use]
    pub fn is_document(&self, path: &Path) -> bool {
        self.effect(path) == Some(Effect::Include)
    }

    /// Whether the last pattern that matches this path below the root excludes it.
    #[must_use]
    pub fn is_excluded(&self, path: &Path) -> bool {
        self.effect(path) == Some(Effect::Exclude)
    }

    /// Returns the effect of the last matching pattern, else of the defaults.
    fn effect(&self, path: &Path) -> Option<Effect> {
        let rule = self.rules.iter().rev().find(|rule| rule.matches(path));
        let is_default = || self.defaults.is_some_and(|defaults| defaults.includes(path));
        rule.map(|rule| rule.effect).or_else(|| is_default().then_some(Effect::Include))
    }

    /// Whether no file in a folder can be a document, because an exclusion that matches the folder
    /// follows all inclusions.
    #[must_use]
    pub fn is_closed(&self, folder: &Path) -> bool {
        let mut last = self.rules.iter().rev().take_while(|rule| rule.effect == Effect::Exclude);
        last.any(|rule| rule.matches(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Patterns as in `--include a --exclude b`: `+a -b`.
    fn globs(patterns: &str) -> Globs {
        Globs::new(patterns.split_whitespace().map(|pattern| {
            let effect = if pattern.starts_with('+') { Effect::Include } else { Effect::Exclude };
            Glob::new(effect, &pattern[1..]).unwrap()
        }))
    }

    #[track_caller]
    fn takes(patterns: &str, yes: &[&str], no: &[&str]) {
        let globs = globs(patterns);
        for path in yes {
            assert!(globs.is_document(Path::new(path)), "{patterns}: {path}");
        }
        for path in no {
            assert!(!globs.is_document(Path::new(path)), "{patterns}: {path}");
        }
    }

    #[test]
    fn style_sheets_are_documents_too_or_alone() {
        let is = |globs: &Globs, path: &str| globs.is_document(Path::new(path));
        let both = globs("-x.css").with_style_sheets();
        assert!(is(&both, "a.html") && is(&both, "d/a.CSS") && !is(&both, "x.css"));
        let alone = globs("-x.css").only(Format::from_name("a.css".as_ref()));
        assert!(!is(&alone, "a.html") && is(&alone, "d/a.CSS") && !is(&alone, "x.css"));
        assert!(is(&alone.clone().with_style_sheets(), "a.css"));
        assert!(!is(&alone.with_style_sheets(), "a.html"));
        let given = globs("+*.scss").only(Format::from_name("a.css".as_ref()));
        assert!(is(&given, "a.scss") && !is(&given, "a.css"));
    }

    #[test]
    fn the_last_pattern_that_matches_decides() {
        takes(
            "",
            &[
                "a.html",
                "d/b.htm",
                "c.shtml",
                "D.HTM",
                ".hidden/a.html",
                "a.xhtml",
                "i.SVG",
                "f.atom",
            ],
            &["a.css", "html", "a.html/b.png"],
        );
        takes("-draft*", &["a.html"], &["draft.html", "drafts/a.html", "x/drafts/y/a.html"]);
        takes("+*.php", &["a.php", "d/a.php"], &["a.html", "A.PHP"]);
        takes("-* +*.html", &["a.html", "d/a.html"], &["a.htm"]);
        takes("+*.html -node_modules", &["a.html"], &["node_modules/a.html"]);
        takes("-node_modules +*.html", &["node_modules/a.html"], &[]);
        takes("-d/*.html", &["a.html", "d/e/a.html", "x/d/a.html"], &["d/a.html"]);
        takes("-d/**/a.html", &["a.html", "d/b.html"], &["d/a.html", "d/e/f/a.html"]);
        takes("-/d", &["a.html", "x/d/a.html"], &["d/a.html"]);
        takes("-d/", &["a.html"], &["d/a.html", "x/d/a.html"]);
        takes("-./x/y", &["x/a.html"], &["x/y/a.html"]);
    }

    #[test]
    fn a_backslash_separates_names_on_windows_alone() {
        let pattern = r"-d\b.html";
        if cfg!(windows) {
            takes(pattern, &["db.html"], &["d/b.html"]);
        } else {
            takes(pattern, &["d/b.html"], &["db.html"]);
        }
    }

    #[test]
    fn a_folder_is_closed_where_nothing_in_it_can_be_a_document() {
        assert!(globs("-node_modules").is_closed(Path::new("x/node_modules")));
        assert!(!globs("-node_modules +*.html").is_closed(Path::new("node_modules")));
        assert!(!globs("").is_closed(Path::new("x")));
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_a_reason() {
        let nested = |depth: usize| "{".repeat(depth) + "a" + &"}".repeat(depth);
        let error = |pattern: &str| Glob::new(Effect::Include, pattern).unwrap_err().to_string();
        let too_deep = "braces are nested more than 32 deep; split the pattern into several";
        let too_long = "the pattern is longer than 4096 bytes; split it into several";
        assert_eq!(error("a["), "unclosed character class; missing ']'");
        assert_eq!(error(&nested(33)), too_deep);
        assert_eq!(error(&nested(240)), too_deep);
        assert_eq!(error(&"{".repeat(4096)), too_deep);
        assert_eq!(error(&"a".repeat(4097)), too_long);
        assert_eq!(error(&nested(100_000)), too_long);
        let escaped = if cfg!(windows) { String::new() } else { "\\{".repeat(40) };
        for pattern in [nested(32), escaped, "{a,b}".repeat(40), "[a-z]".repeat(800)] {
            assert!(Glob::new(Effect::Exclude, &pattern).is_ok(), "{pattern}");
        }
    }
}
