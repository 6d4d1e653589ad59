"""A link of a document."""

from typing import NamedTuple


class Link(NamedTuple):
    """One occurrence of a reference in a document.

    >>> link, = links("<a href=x>", "http://h/")
    >>> link.reference, link.url, link.span
    ('x', 'http://h/x', (8, 9))

    It is a named tuple: `link._asdict()` is a dictionary, and `pandas.DataFrame(links)` a table.
    """

    element: str
    """The name of the element, in lower case."""

    attribute: str
    """The name of the attribute, in lower case; `(text)` for the text of the element."""

    grammar: str
    """How the attribute holds references, such as `url` or `srcset`."""

    reference: str
    """The reference as an HTML parser reads it: character references are decoded."""

    url: str | None
    """The absolute URL; `None` if the reference stays unresolved."""

    base: str | None
    """The base URL that the reference was resolved against."""

    base_source: str
    """Where the base URL came from, such as `retrieval-url` or `base-element`."""

    span: tuple[int, int] | None
    """Start and end of the reference as it is written: bytes of `bytes`, code points of `str`.

    `None` with `engine="dom"`.
    """

    line: int | None
    """The line of the reference, from 1."""

    column: int | None
    """The column of the reference in characters, from 1."""

    enclosing: tuple[int, int] | None
    """For a link of a document inside a `srcdoc`: the span of that attribute's value."""

    def __repr__(self) -> str:
        shown = ("element", "attribute", "reference", "url")
        return f"Link({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


# The name by which other processes import it.
Link.__module__ = "absolve"
