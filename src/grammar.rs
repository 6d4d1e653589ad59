//! How an attribute holds references.

use std::fmt;
use std::str::FromStr;

/// How an attribute, or the text of an element, holds references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Grammar {
    /// One [URL potentially surrounded by spaces][spec]: the whole value.
    ///
    /// [spec]: https://html.spec.whatwg.org/multipage/urls-and-fetching.html#valid-url-potentially-surrounded-by-spaces
    Url,
    /// URLs with white space between them.
    UrlList,
    /// URLs with commas between them.
    CommaList,
    /// [Image candidates](https://html.spec.whatwg.org/multipage/images.html#srcset-attributes).
    Srcset,
    /// The [delay and URL](https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh)
    /// of a declarative refresh.
    Refresh,
    /// [CSS declarations](https://drafts.csswg.org/css-style-attr/).
    Css,
    /// A [CSS style sheet](https://drafts.csswg.org/css-syntax/).
    Stylesheet,
    /// [An HTML document](https://html.spec.whatwg.org/multipage/iframe-embed-object.html#attr-iframe-srcdoc)
    /// inside an attribute.
    Html,
    /// An SVG presentation attribute that may hold
    /// [`url(...)`](https://www.w3.org/TR/SVG11/types.html#DataTypeFuncIRI).
    FuncIri,
}

impl Grammar {
    /// Every grammar, in the order of the table's legend.
    pub const ALL: &'static [Self] = &[
        Self::Url,
        Self::UrlList,
        Self::CommaList,
        Self::Srcset,
        Self::Refresh,
        Self::Css,
        Self::Stylesheet,
        Self::Html,
        Self::FuncIri,
    ];

    /// The name in options and reports: `url`, `url-list`, `comma-list`,
    /// `srcset`, `refresh`, `css`, `stylesheet`, `html` or `func-iri`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::UrlList => "url-list",
            Self::CommaList => "comma-list",
            Self::Srcset => "srcset",
            Self::Refresh => "refresh",
            Self::Css => "css",
            Self::Stylesheet => "stylesheet",
            Self::Html => "html",
            Self::FuncIri => "func-iri",
        }
    }
}

impl fmt::Display for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Grammar {
    type Err = UnknownGrammar;

    fn from_str(name: &str) -> Result<Self, UnknownGrammar> {
        Self::ALL.iter().copied().find(|grammar| grammar.name() == name).ok_or(UnknownGrammar)
    }
}

/// A name that is not a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownGrammar;

impl fmt::Display for UnknownGrammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Grammar::ALL.iter().map(|grammar| grammar.name()).collect();
        write!(f, "no such grammar, expected {}", names.join(", "))
    }
}

impl std::error::Error for UnknownGrammar {}
