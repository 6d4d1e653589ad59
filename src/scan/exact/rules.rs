//! The parser whose rules the exact scanner follows.

/// The rules to follow where parsers differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// The HTML Standard.
    #[default]
    Standard,
    /// The HTML Standard where scripts run: the content of `noscript` is text.
    Scripting,
    /// html5ever 0.39, for comparing with it: no foreign element is special, `annotation-xml` bounds
    /// no scope and holds no HTML for a start tag that ends foreign content, `search` is not special,
    /// and row groups in templates are not always seen.
    Html5ever,
}
