# Generated from the columns of links; GENERATED=overwrite cargo test --test it generated writes
# this file.

from typing import Final, Self

class Columns:
    _fields: Final = (
        "element",
        "attribute",
        "grammar",
        "reference",
        "url",
        "base",
        "base_source",
        "span",
        "line",
        "column",
        "enclosing",
    )
    __match_args__ = _fields
    def __new__(
        cls,
        element: str,
        attribute: str,
        grammar: str,
        reference: str,
        url: str | None,
        base: str | None,
        base_source: str,
        span: tuple[int, int] | None,
        line: int | None,
        column: int | None,
        enclosing: tuple[int, int] | None,
    ) -> Self: ...
    @property
    def element(self) -> str:
        """The name of the element, in lower case."""
    @property
    def attribute(self) -> str:
        """The name of the attribute, in lower case; `(text)` for the text of the element."""
    @property
    def grammar(self) -> str:
        """How the attribute holds references, such as `url` or `srcset`."""
    @property
    def reference(self) -> str:
        """The reference as an HTML parser reads it: character references are decoded."""
    @property
    def url(self) -> str | None:
        """The absolute URL; `None` if the reference stays unresolved."""
    @property
    def base(self) -> str | None:
        """The base URL that the reference was resolved against."""
    @property
    def base_source(self) -> str:
        """Where the base URL came from, such as `retrieval-url` or `base-element`."""
    @property
    def span(self) -> tuple[int, int] | None:
        """Start and end of the reference as it is written: bytes of `bytes`, code points of `str`.

        `None` with `engine="dom"`.
        """
    @property
    def line(self) -> int | None:
        """The line of the reference, from 1; `None` with `engine="dom"`."""
    @property
    def column(self) -> int | None:
        """The column of the reference in characters, from 1; `None` with `engine="dom"`."""
    @property
    def enclosing(self) -> tuple[int, int] | None:
        """For a link of a document inside a `srcdoc`: the span of that attribute's value."""
