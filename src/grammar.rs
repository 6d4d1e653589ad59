//! The grammars of references in attributes and texts.

use crate::named::named_enum;

named_enum! {
    /// The way in which an attribute, or the text of an element, contains references.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Grammar {
        /// The whole value is a [URL potentially surrounded by spaces][spec].
        ///
        /// [spec]: https://html.spec.whatwg.org/multipage/urls-and-fetching.html#valid-url-potentially-surrounded-by-spaces
        Url = "url",
        /// URLs separated by white space.
        UrlList = "url-list",
        /// URLs separated by commas.
        CommaList = "comma-list",
        /// [Image
        /// candidates](https://html.spec.whatwg.org/multipage/images.html#srcset-attributes).
        Srcset = "srcset",
        /// The [delay and URL](https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh)
        /// of a declarative refresh.
        Refresh = "refresh",
        /// [CSS declarations](https://drafts.csswg.org/css-style-attr/).
        Css = "css",
        /// A [CSS style sheet](https://drafts.csswg.org/css-syntax/).
        Stylesheet = "stylesheet",
        /// [An HTML document](https://html.spec.whatwg.org/multipage/iframe-embed-object.html#attr-iframe-srcdoc)
        /// inside an attribute.
        Html = "html",
        /// An SVG presentation attribute that may contain
        /// [`url(...)`](https://www.w3.org/TR/SVG11/types.html#DataTypeFuncIRI).
        FuncIri = "func-iri",
    }

    /// A name that is not a grammar.
    #[doc(hidden)]
    pub struct UnknownGrammar = "no such grammar, expected {names}";
}
