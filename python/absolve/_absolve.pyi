# The docstrings are those of python/src: `STUBS=overwrite pytest python/tests/test_stubs.py`
# writes them again.

from collections.abc import Callable
from typing import Any, Literal, Protocol, Unpack, final, overload

from typing_extensions import Buffer

from ._options import Options

__version__: str

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None, /) -> Any: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...

class Error(ValueError):
    """Why a document, a base URL or the value of an option could not be used.

    The base of the other exceptions of this package.
    """

class BaseUrlError(Error):
    """The base URL is not usable: it is relative, or has a scheme without paths."""

class LimitError(Error):
    """A document reaches a limit, such as `max_links`.

    `limit` is the option that raises it, and `offset` the place in the document, each if known.
    """

    limit: str | None
    offset: int | None

class EncodingError(Error):
    """The label of an encoding is unknown, or text is not Unicode: a lone surrogate in a `str`,
    or invalid UTF-8 in an array of strings.
    """

class InternalError(Error):
    """A bug in absolve, with the document that shows it. Please report it."""

@final
class Link:
    """One occurrence of a reference in a document.

    >>> link, = links("<a href=x>", "http://h/")
    >>> link.reference, link.url, link.span
    ('x', 'http://h/x', (8, 9))
    """
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
    ) -> Link: ...
    __match_args__: tuple[
        Literal["element"],
        Literal["attribute"],
        Literal["grammar"],
        Literal["reference"],
        Literal["url"],
        Literal["base"],
        Literal["base_source"],
        Literal["span"],
        Literal["line"],
        Literal["column"],
        Literal["enclosing"],
    ]
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
        """The line of the reference, from 1."""
    @property
    def column(self) -> int | None:
        """The column of the reference in characters, from 1."""
    @property
    def enclosing(self) -> tuple[int, int] | None:
        """For a link of a document inside a `srcdoc`: the span of that attribute's value."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Rewriter:
    """Options that are read once, for many documents, in any number of threads.

    >>> rewriter = Rewriter("http://example.org/", only=["href"])
    >>> rewriter.rewrite("<a href=x><img src=y>")
    '<a href=http://example.org/x><img src=y>'
    >>> rewriter.rewrite("<a href=x>", "http://elsewhere.example/")
    '<a href=http://elsewhere.example/x>'
    """
    def __new__(cls, base_url: str | None = None, **options: Unpack[Options]) -> Rewriter: ...
    @overload
    def rewrite(self, document: str, base_url: str | None = None) -> str: ...
    @overload
    def rewrite(self, document: Buffer, base_url: str | None = None) -> bytes:
        """Make every link of a document absolute; `base_url` replaces the one of the `Rewriter`.

        >>> Rewriter("http://h/").rewrite(b"<a href=x>")
        b'<a href=http://h/x>'
        """
    def links(self, document: str | Buffer, base_url: str | None = None) -> list[Link]:
        """List the links of a document; `base_url` replaces the one of the `Rewriter`.

        >>> [link.url for link in Rewriter("http://h/").links("<a href=x><a href=y>")]
        ['http://h/x', 'http://h/y']
        """
    @overload
    def rewrite_with(
        self,
        document: str,
        function: Callable[[Link], str | None],
        base_url: str | None = None,
    ) -> str: ...
    @overload
    def rewrite_with(
        self,
        document: Buffer,
        function: Callable[[Link], str | None],
        base_url: str | None = None,
    ) -> bytes:
        """Replace each link by what `function` returns for it; `None` leaves it as it is.

        >>> page = "<img src=a.png><a href=b>"
        >>> Rewriter().rewrite_with(
        ...     page, lambda link: f"cdn/{link.reference}" if link.element == "img" else None
        ... )
        '<img src=cdn/a.png><a href=b>'

        An exception of `function` ends the call. The links are those of `links`, listed before
        the first call.
        """

@overload
def rewrite(document: str, base_url: str | None = None, **options: Unpack[Options]) -> str: ...
@overload
def rewrite(document: Buffer, base_url: str | None = None, **options: Unpack[Options]) -> bytes:
    """Make every link of a document absolute.

    `document` is `bytes`, whose encoding is found as browsers find it, or `str`, which is never
    decoded by its own `meta` element. The result has the same type, and is the same object where
    nothing changes; for another object with the buffer protocol, such as a `bytearray`, it is
    `bytes`. `base_url` is the URL that the document was retrieved from; the document's own `base`
    element goes before it.

    >>> rewrite("<a href=../x>up</a>", "http://example.org/a/b/c.html")
    '<a href=http://example.org/a/x>up</a>'
    >>> rewrite(b"<img src=a.png><a href=b>", "http://h/", only="src")
    b'<img src=http://h/a.png><a href=b>'

    Raises `BaseUrlError` for a base URL that is not usable, `LimitError` for a document that
    reaches a limit, and `EncodingError` for a `str` with a lone surrogate.
    """

def links(
    document: str | Buffer, base_url: str | None = None, **options: Unpack[Options]
) -> list[Link]:
    """List the links of a document, in their order, as `Link` objects.

    >>> for link in links("<a href=x><img src=y>", "http://h/"):
    ...     print(link.element, link.attribute, link.url)
    a href http://h/x
    img src http://h/y

    Raises what `rewrite` raises.
    """

def resolve(
    base: str, reference: str, standard: Literal["rfc1808", "rfc3986", "whatwg"] = "rfc1808"
) -> str:
    """Resolve a reference against a base URL.

    `standard` is `rfc1808`, `rfc3986` or `whatwg`. An absolute reference stays as it is written.

    >>> resolve("http://a/b/c/d;p?q", "../g")
    'http://a/b/g'

    Raises `BaseUrlError` for a base URL that is not usable, and `Error` for a reference that the
    standard refuses; `rfc1808` refuses none.
    """

@final
class Array:
    """An array of structs, for every library with the Arrow PyCapsule interface.

    >>> import pyarrow
    >>> result = rewrite_array(pyarrow.array(["<a href=x>"]), "http://h/")
    >>> len(result)
    1
    >>> pyarrow.table(result).column_names
    ['document', 'error', 'links', 'rewritten']
    """
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> Any:
        """Export the type, as the Arrow PyCapsule interface has it."""
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        """Export the array, as the Arrow PyCapsule interface has it."""
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Export the array as a stream, as the Arrow PyCapsule interface has it."""

@final
class ChunkedArray:
    """Arrays of structs, in the chunks of the documents that they were made of.

    >>> import pyarrow
    >>> pages = pyarrow.chunked_array([["<a href=x>"], ["<a href=y>", "<p>"]])
    >>> result = rewrite_array(pages, "http://h/")
    >>> len(result), result.num_chunks
    (3, 2)
    >>> pyarrow.table(result)["links"].to_pylist()
    [1, 1, 0]
    """
    def __len__(self) -> int: ...
    @property
    def num_chunks(self) -> int:
        """The number of chunks."""
    def __arrow_c_schema__(self) -> Any:
        """Export the type, as the Arrow PyCapsule interface has it."""
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Export the chunks as a stream, as the Arrow PyCapsule interface has it."""

@overload
def rewrite_array(
    documents: _ArrowArray,
    base_urls: str | _ArrowArray | _ArrowStream | None = None,
    *,
    threads: int = 0,
    **options: Unpack[Options],
) -> Array: ...
@overload
def rewrite_array(
    documents: _ArrowStream,
    base_urls: str | _ArrowArray | _ArrowStream | None = None,
    *,
    threads: int = 0,
    **options: Unpack[Options],
) -> ChunkedArray:
    """Make every link of an array of documents absolute.

    `documents` is any object with the Arrow PyCapsule interface, such as an array of pyarrow, a
    series of Polars or an array of nanoarrow, of strings or binaries of any layout. `base_urls` is
    an array of as many strings, a `str` for all documents, or `None`. The work is done by
    `threads` threads, 0 for one a core, without the interpreter.

    The result has a struct a row, in the order of the documents:

    - `document`, of the type of `documents`; a null stays null;
    - `error`, a string; null where the document was rewritten. A document that fails stays as it
      was;
    - `links` and `rewritten`, the numbers of its links and of those that changed.

    It is an `Array`, or a `ChunkedArray` of the same chunks where `documents` is a stream.

    >>> import pyarrow
    >>> pages = pyarrow.array(["<a href=x>", None])
    >>> result = pyarrow.array(rewrite_array(pages, "http://h/"))
    >>> result.field("document").to_pylist()
    ['<a href=http://h/x>', None]

    Raises `TypeError` for an object or a type of array that it does not take, `ValueError` for
    arrays of different lengths, `EncodingError` for strings that are not valid UTF-8, and
    `LimitError` where a chunk of type `string` or `binary` would exceed 2 GiB.
    """

@overload
def links_array(
    documents: _ArrowArray,
    base_urls: str | _ArrowArray | _ArrowStream | None = None,
    *,
    threads: int = 0,
    **options: Unpack[Options],
) -> Array: ...
@overload
def links_array(
    documents: _ArrowStream,
    base_urls: str | _ArrowArray | _ArrowStream | None = None,
    *,
    threads: int = 0,
    **options: Unpack[Options],
) -> ChunkedArray:
    """List the links of an array of documents, a row a link.

    It takes what `rewrite_array` takes. The result has a struct a link, in the order of the
    documents: `document`, the row of its document, `error`, the attributes of `Link` (`element`,
    `attribute`, `grammar`, `reference`, `url`, `base`, `base_source`, `line`, `column`), and its
    span as `start` and `end`: bytes of a binary, code points of a string. A document that fails
    has a row with its `error` alone.

    >>> import pyarrow
    >>> pages = pyarrow.array([b"<a href=x>", b"<a href=y><a href=z>"])
    >>> table = pyarrow.table(links_array(pages, "http://h/"))
    >>> table["document"].to_pylist(), table["reference"].to_pylist()
    ([0, 1, 1], ['x', 'y', 'z'])

    Raises what `rewrite_array` raises.
    """
