# The docstrings are those of python/src: `STUBS=overwrite pytest python/tests/test_stubs.py`
# writes them again.

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, Protocol, Self, SupportsIndex, Unpack, final, overload

from typing_extensions import Buffer

from ._columns import Columns
from ._options import (
    ArchiveOptions,
    AuditOptions,
    ExtractOptions,
    FileOptions,
    Options,
    TreeOptions,
)
from ._options import Path as _Path

__version__: str

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None, /) -> Any: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...

class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...

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
class Link(Columns, Sequence[Any]):
    """One occurrence of a reference in a document.

    >>> link, = links("<a href=x>", "http://h/")
    >>> link.reference, link.url, link.span
    ('x', 'http://h/x', (8, 9))

    It is a sequence like a named tuple: `link._asdict()` is a dictionary, and
    `pandas.DataFrame(links)` a table. Strings are made when they are read; the links of a document
    share memory, which is freed with the last of them.
    """

    def _asdict(self) -> dict[str, Any]:
        """The attributes and their values."""
    def _replace(self, **values: Any) -> Link:
        """The same link with other values."""
    @classmethod
    def _make(cls, values: Iterable[Any]) -> Link:
        """A link with these values."""
    @overload
    def __getitem__(self, key: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Any, ...]: ...
    def __len__(self) -> int: ...
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
    def urls(
        self,
        document: str | Buffer,
        base_url: str | None = None,
        *,
        external: bool = False,
        unique: bool = False,
    ) -> list[str]:
        """List the URLs of the links of a document, as the function `urls` does; `base_url`
        replaces the one of the `Rewriter`.

        >>> Rewriter("http://h/").urls("<a href=x><a href=y><a href=x>", unique=True)
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
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class _ScrapyLinks:
    """List the links of pages for `absolve.scrapy.LinkExtractor`.

    `elements` are the names of those with links, and `extensions` the ends of paths that are left
    out, such as `.pdf`. With `unique`, each reference is listed once; without `joins`, no URL is
    final.
    """
    def __new__(
        cls,
        rewriter: Rewriter,
        elements: set[str],
        extensions: list[str],
        unique: bool,
        joins: bool,
    ) -> _ScrapyLinks: ...
    def read(self, page: str, base_url: str | None) -> list[tuple[str, str | None, str, bool]]:
        """List the links of a page: the URL, or the reference and its base where Scrapy has to join
        them; the text of the element; and whether it has `nofollow`.
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

    `to` and `maps` have no effect: `Link.url` is what a reference resolves to.

    Raises what `rewrite` raises.
    """

def urls(
    document: str | Buffer,
    base_url: str | None = None,
    *,
    external: bool = False,
    unique: bool = False,
    **options: Unpack[Options],
) -> list[str]:
    """List the URLs of the links of a document, in their order: about twice as fast as `links`.

    A link that has no URL, as `Link.url` has none, is left out. With `unique`, each URL is listed
    once. With `external`, those alone are listed that lead to another host than that of `base_url`
    and that a link checker requests, without their fragments. `to` and `maps` have no effect.

    >>> urls("<a href=x><img src=y><a href=x>", "http://h/")
    ['http://h/x', 'http://h/y', 'http://h/x']
    >>> urls("<a href=x><a href=//g/#a><a href=//g/>", "http://h/", external=True, unique=True)
    ['http://g/']

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
    columns: str | Iterable[str] | None = None,
    threads: int = 0,
    **options: Unpack[Options],
) -> Array: ...
@overload
def links_array(
    documents: _ArrowStream,
    base_urls: str | _ArrowArray | _ArrowStream | None = None,
    *,
    columns: str | Iterable[str] | None = None,
    threads: int = 0,
    **options: Unpack[Options],
) -> ChunkedArray:
    """List the links of an array of documents, a row a link.

    It takes what `rewrite_array` takes. The result has a struct a link, in the order of the
    documents: `document`, the row of its document, `error`, and then

    - `element`: The name of the element, in lower case.
    - `attribute`: The name of the attribute, in lower case; `(text)` for the text of the
      element.
    - `grammar`: How the attribute holds references, such as `url` or `srcset`.
    - `reference`: The reference as an HTML parser reads it: character references are decoded.
    - `url`: The absolute URL; `None` if the reference stays unresolved.
    - `base`: The base URL that the reference was resolved against.
    - `base_source`: Where the base URL came from, such as `retrieval-url` or `base-element`.
    - `start`: The start of the reference.
    - `end`: The end of the reference.
    - `line`: The line of the reference, from 1.
    - `column`: The column of the reference in characters, from 1.

    Offsets count bytes of a binary, code points of a string. A document that fails has a row with
    its `error` alone.

    `columns` names the columns after `document` and `error`, in their order. What is not named is
    not computed, and these are there only if they are, with at most 1,024 bytes of a text:

    - `text`: The text of an `a` element with its white space collapsed and the `alt` of images.
    - `rel`: The attribute `rel`.
    - `hreflang`: The attribute `hreflang`.
    - `title`: The attribute `title`.
    - `nofollow`: Whether `rel` has `nofollow`.

    >>> import pyarrow
    >>> pages = pyarrow.array([b"<a href=x>", b"<a href=y><a href=z rel=nofollow>Z</a>"])
    >>> table = pyarrow.table(links_array(pages, "http://h/"))
    >>> table["document"].to_pylist(), table["reference"].to_pylist()
    ([0, 1, 1], ['x', 'y', 'z'])
    >>> table = pyarrow.table(links_array(pages, "http://h/", columns=["url", "text", "nofollow"]))
    >>> table.to_pylist()[-1]
    {'document': 1, 'error': None, 'url': 'http://h/z', 'text': 'Z', 'nofollow': True}

    Raises what `rewrite_array` raises.
    """

@overload
def urls_array(
    documents: _ArrowArray,
    base_urls: str | _ArrowArray | _ArrowStream | None = None,
    *,
    external: bool = False,
    unique: bool = False,
    threads: int = 0,
    **options: Unpack[Options],
) -> Array: ...
@overload
def urls_array(
    documents: _ArrowStream,
    base_urls: str | _ArrowArray | _ArrowStream | None = None,
    *,
    external: bool = False,
    unique: bool = False,
    threads: int = 0,
    **options: Unpack[Options],
) -> ChunkedArray:
    """List the URLs of an array of documents, a row a document; faster than `links_array`.

    It takes what `rewrite_array` takes. The result has a struct a row, in the order of the
    documents: `urls`, a list of strings, as the function `urls` lists them; null where `documents`
    has a null or the document fails; and `error`, a string.

    >>> import pyarrow
    >>> pages = pyarrow.array(["<a href=x><img src=y>", None])
    >>> pyarrow.table(urls_array(pages, "http://h/"))["urls"].to_pylist()
    [['http://h/x', 'http://h/y'], None]

    Raises what `rewrite_array` raises.
    """

@final
class LinkBatches:
    """The batches of `links_batches`, an `Array` each."""
    def __iter__(self) -> LinkBatches: ...
    def __next__(self) -> Array: ...

def links_batches(
    documents: _ArrowArray | _ArrowStream,
    base_urls: str | _ArrowArray | _ArrowStream | None = None,
    *,
    columns: str | Iterable[str] | None = None,
    max_bytes: int = 16777216,
    **options: Unpack[Options],
) -> LinkBatches:
    """List the links of an array of documents in batches, in memory that does not depend on their
    number.

    It takes what `links_array` takes, but `threads`. The result is an iterator of `Array`, with the
    fields that `links_array` has: the links of the documents in their order, divided where a batch
    has `max_bytes`, 16 MiB unless given. Another thread lists a batch while the last one is used.

    >>> import pyarrow
    >>> pages = pyarrow.array(["<a href=x><a href=y>", "<a href=z>"])
    >>> batches = links_batches(pages, "http://h/", max_bytes=1)
    >>> [pyarrow.table(batch)["document"].to_pylist() for batch in batches]
    [[0], [0], [1]]

    Raises what `links_array` raises.
    """

class _Writes(Protocol):
    def write(self, data: Any, /) -> object: ...

@final
class Counts:
    """The numbers of files, by outcome."""
    @property
    def seen(self) -> int:
        """All of them: the sum of the others."""
    @property
    def rewritten(self) -> int:
        """With other links."""
    @property
    def unchanged(self) -> int:
        """Without a link to change."""
    @property
    def copied(self) -> int:
        """No document."""
    @property
    def skipped(self) -> int:
        """Not read, such as symbolic links."""
    @property
    def failed(self) -> int:
        """Not readable or not writable, and as they were."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class LinkCounts:
    """The numbers of links by outcome."""
    @property
    def seen(self) -> int:
        """All of them: the sum of the others."""
    @property
    def rewritten(self) -> int:
        """Replaced by another text."""
    @property
    def absolute(self) -> int:
        """Absolute before."""
    @property
    def kept(self) -> int:
        """Left as they are by an option or a rule."""
    @property
    def unresolved(self) -> int:
        """Relative, in a document without a base URL."""
    @property
    def invalid(self) -> int:
        """Refused by the standard."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class FileFailure:
    """Why a file, or a document in it, stays as it was."""
    @property
    def file(self) -> str:
        """The path of the file, below the path that was given."""
    @property
    def inside(self) -> str | None:
        """The part of a message; `None` for the whole file."""
    @property
    def message(self) -> str:
        """The problem, and what to do."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RewriteResult:
    """The result of `rewrite_tree` or `rewrite_file`."""
    @property
    def counts(self) -> Counts:
        """The numbers of files, by outcome."""
    @property
    def links(self) -> LinkCounts:
        """The numbers of links by outcome."""
    @property
    def failed_parts(self) -> int:
        """The number of parts of messages that failed; their messages do not count as failed."""
    @property
    def failures(self) -> list[FileFailure]:
        """The failures, by file."""
    @property
    def changed(self) -> list[str]:
        """The paths of files with other links."""
    @property
    def seconds(self) -> float:
        """How long it took."""

def rewrite_tree(
    source: _Path,
    destination: _Path | None = None,
    base_url: str | None = None,
    *,
    in_place: bool = False,
    progress: Callable[[int, int], object] | None = None,
    **options: Unpack[TreeOptions],
) -> RewriteResult:
    """Make every link of the documents in a folder absolute, as `absolve rewrite` does.

    They are written to the folder `destination`, or replace the old ones with `in_place=True`;
    `dry_run=True` writes nothing. `base_url` is the URL of the folder. A file holds its complete
    old or its complete new contents at every moment, also if the process is killed, and a new
    folder gets its files when all are done.

    >>> import pathlib, tempfile
    >>> site, new = pathlib.Path(tempfile.mkdtemp()), pathlib.Path(tempfile.mkdtemp())
    >>> _ = (site / "a.html").write_text("<a href=b.html>")
    >>> result = rewrite_tree(site, new, "http://h/docs/", exclude=["draft-*"])
    >>> result.counts.rewritten, result.links.rewritten
    (1, 1)
    >>> (new / "a.html").read_text()
    '<a href=http://h/docs/b.html>'

    A file that fails stays as it was, and is one of the `failures` of the result.

    `progress` is called with the number of files that were read and the number of all, at most 20
    times a second. An exception in it, and Ctrl-C, end the run: every file is whole, and a new
    folder is not written.

    Raises `OSError` for a folder that cannot be read or written, and `Error` for the value of an
    option.
    """

def rewrite_file(
    source: _Path,
    destination: _Path | None = None,
    base_url: str | None = None,
    *,
    in_place: bool = False,
    **options: Unpack[FileOptions],
) -> RewriteResult:
    """Make every link of a file absolute: a document, a message or MHTML.

    It is written to the file `destination`, or replaces the old one with `in_place=True`;
    `dry_run=True` writes nothing. `base_url` is the URL of the file.

    >>> import pathlib, tempfile
    >>> page = pathlib.Path(tempfile.mkdtemp(), "a.html")
    >>> _ = page.write_text("<a href=b.html>")
    >>> rewrite_file(page, base_url="http://h/docs/", in_place=True).links.rewritten
    1
    >>> page.read_text()
    '<a href=http://h/docs/b.html>'

    Raises `OSError` for a file that cannot be read or written, and `Error` for a document or an
    option that cannot be used: `LimitError` for a document that reaches a limit, `BaseUrlError` and
    `EncodingError`. The files are then as they were. A part of a message that fails is one of the
    `failures` of the result.
    """

@final
class ExtractResult:
    """What `extract` did."""
    @property
    def files(self) -> int:
        """Files that were written."""
    @property
    def missing(self) -> int:
        """Links to what the crawl does not have."""
    @property
    def revisits(self) -> int:
        """Revisits of records that are in no archive."""
    @property
    def too_large(self) -> int:
        """Records larger than `max_record`."""
    @property
    def failures(self) -> list[tuple[str, str]]:
        """URLs that could not be extracted, or whose links stay, and why."""

def extract(
    crawl: _Path | Iterable[_Path],
    destination: _Path,
    *,
    progress: Callable[[int, int], object] | None = None,
    **options: Unpack[ExtractOptions],
) -> ExtractResult:
    r"""Write the last response of each URL of web archives into a new folder.

    `crawl` is a path of a `.warc`, `.warc.gz`, `.warc.zst`, `.wacz` or `.mhtml`, or of a
    folder of them, or several paths, which are one crawl. With `to="relative"`, links lead from
    file to file, so that a browser opens the folder `destination` from the disk; `missing` says
    what becomes of others.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> record = [
    ...     "WARC/1.1", "WARC-Type: resource", "Content-Type: text/html",
    ...     "WARC-Target-URI: http://h/a", "Content-Length: 11", "", "<a href=/a>", "", "",
    ... ]
    >>> _ = (folder / "a.warc").write_text("\r\n".join(record), newline="")
    >>> extract(folder / "a.warc", folder / "site", to="relative").files
    1
    >>> (folder / "site/h/a.html").read_text()
    '<a href=a.html>'

    `progress` is called with the bytes that were read and the bytes of the archive, at most 20
    times a second. An exception in it, and Ctrl-C, end the run, and nothing is written.

    Raises `OSError` for an archive that cannot be read and a folder that is there already, and
    `Error` for the value of an option.
    """

@final
class WarcReader:
    r"""Reads the documents of a web archive in batches, in memory that does not depend on its size.

    `source` is a path or a file object of bytes, and `base_url` the base URL of records that have
    none. Of a `.wacz`, which has to be a path, each archive is read.
    The options are those of `absolve links` for documents and for the records of archives,
    such as `standard` and `max_record`.

    >>> import io, pyarrow
    >>> record = (b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Type: text/html\r\n"
    ...           b"WARC-Target-URI: http://h/a/\r\nContent-Length: 10\r\n\r\n<a href=b>\r\n\r\n")
    >>> with WarcReader(io.BytesIO(record)) as archive:
    ...     for batch in archive.links():
    ...         print(pyarrow.table(batch)["url"].to_pylist())
    ['http://h/a/b']

    Raises `OSError` for an archive that cannot be read, and the exceptions of the file object;
    after one, the archive has to be opened again. A record whose document cannot be read is a row
    with an `error`; one that exceeds `max_record` has no URL.
    """
    def __new__(
        cls,
        source: _Path | _Readable,
        base_url: str | None = None,
        **options: Unpack[ArchiveOptions],
    ) -> WarcReader: ...
    def read_pages(self, max_bytes: int = 16777216) -> Array | None:
        """Read the next documents; `None` at the end.

        A batch has a row a document: `url`, `date` as in `WARC-Date`, the `status` of the HTTP
        response, `mime` as its `Content-Type` says, `html` without transfer and content encodings,
        `headers` with names in lower case and repeated ones joined by commas, the `offset` of the
        record in the archive (or in the `.wacz`) and, for a gzip member of several, `within` that,
        and `error`. It ends
        with the document that makes its documents `max_bytes`, 16 MiB unless given. Style sheets
        have no rows.
        """
    def read_links(
        self, max_bytes: int = 16777216, *, columns: str | Iterable[str] | None = None
    ) -> Array | None:
        """Read the links of the next documents; `None` at the end.

        A batch has a row a link: `page`, the URL of its document, `offset` and `within` as in
        `read_pages`, and the columns of `links_array`, which `columns` chooses. A link of a style
        sheet has no `element` and no `attribute`. A document that fails has a row with its `error`
        alone.

        All methods share one position: the next documents are those that none of them has read.
        Links of more than 16 MiB are read together, and returned in several batches by `read_links`
        alone: other `columns` than those of the call before hold from the next document that is not
        listed yet.
        """

    def pages(self, max_bytes: int = 16777216) -> Iterator[Array]:
        """Iterate over the batches that `read_pages` returns."""
    def links(
        self, max_bytes: int = 16777216, *, columns: str | Iterable[str] | None = None
    ) -> Iterator[Array]:
        """Iterate over the batches that `read_links` returns."""
    def close(self) -> None:
        """Close the archive, which `with` does too. Reading raises `ValueError` then.

        A file object of the caller stays open. While a call reads, its file object and the handlers
        of signals in its thread get `RuntimeError` from this and from every other method.
        """
    def __enter__(self) -> Self: ...
    def __exit__(self, *_error: object) -> None: ...

@final
class Fix:
    """The replacement of a reference."""
    @property
    def span(self) -> tuple[int, int]:
        """Start and end of the bytes of the file to replace."""
    @property
    def replacement(self) -> str:
        """The text to write there, escaped for its attribute."""
    @property
    def safety(self) -> str:
        """`safe` if only this can be meant, else `unsafe`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class SourceLine:
    """The line of Markdown that made a link."""
    @property
    def file(self) -> str:
        """The path of the file."""
    @property
    def line(self) -> int:
        """The line, from 1."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Finding:
    """A result of an audit, with the fields of the JSON report."""
    @property
    def rule(self) -> str:
        """The name of the rule, such as `broken-link`."""
    @property
    def level(self) -> str:
        """The level of the rule in this audit: `error`, `warn` or `note`."""
    @property
    def file(self) -> str:
        """The path of the file."""
    @property
    def line(self) -> int | None:
        """The line, from 1."""
    @property
    def column(self) -> int | None:
        """The column in characters, from 1."""
    @property
    def span(self) -> tuple[int, int] | None:
        """Start and end of the reference as it is written, in bytes."""
    @property
    def element(self) -> str | None:
        """The name of the element, in lower case."""
    @property
    def attribute(self) -> str | None:
        """The name of the attribute, in lower case."""
    @property
    def reference(self) -> str | None:
        """The reference as an HTML parser reads it."""
    @property
    def url(self) -> str | None:
        """The URL that it resolves to."""
    @property
    def base(self) -> str | None:
        """The base URL that it was resolved against."""
    @property
    def base_source(self) -> str | None:
        """The source of the base URL."""
    @property
    def message(self) -> str:
        """The problem, in one line."""
    @property
    def hint(self) -> str | None:
        """The probable meaning of the reference, or its correction."""
    @property
    def fix(self) -> Fix | None:
        """The replacement, if it is certain or the only similar name."""
    @property
    def source(self) -> SourceLine | None:
        """The line of Markdown that made the link, with `sources`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class AuditSummary:
    """The numbers of findings, pages and links, as in the JSON report."""
    @property
    def errors(self) -> int:
        """Findings of level `error`."""
    @property
    def warnings(self) -> int:
        """Findings of level `warn`."""
    @property
    def notes(self) -> int:
        """Findings of level `note`."""
    @property
    def known(self) -> int | None:
        """Findings that the `baseline` lists; `None` without one."""
    @property
    def pages(self) -> int:
        """Pages that were checked."""
    @property
    def links(self) -> int:
        """Their links."""
    @property
    def internal(self) -> int:
        """Links into the site."""
    @property
    def external(self) -> int:
        """Links elsewhere, which are not looked up."""
    @property
    def outside(self) -> int:
        """Links to the host of the site, outside the path of its base URL."""
    @property
    def ignored(self) -> int:
        """Links that `ignore_link` leaves out."""
    @property
    def unlisted(self) -> dict[str, int]:
        """Findings that are counted and not listed, by rule."""
    @property
    def unsearched(self) -> int:
        """Targets without a search for similar names."""
    @property
    def base_url_hint(self) -> str | None:
        """The base URL that may be missing, as a question."""
    @property
    def fixable(self) -> int:
        """Listed findings that `absolve audit --fix` fixes."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class AuditReport:
    """The findings of an audit, and what it covered.

    >>> import io, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "index.html").write_text("<a href=b.html>")
    >>> report = audit(folder)
    >>> print(report)
    1 error on 1 page; checked 1 page with 1 link (1 internal)
    >>> report.write("sarif", folder / "report.sarif")
    >>> out = io.StringIO()
    >>> report.write("jsonl", out)
    >>> out.getvalue()[:21]
    '{"rule":"broken-link"'
    """
    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, in the order of files and places."""
    @property
    def summary(self) -> AuditSummary:
        """The numbers of findings, pages and links."""
    @property
    def fails(self) -> bool:
        """Whether a finding has at least the level of `fail_on`; the command has exit code 1 then.

        The findings that `baseline` lists do not count.
        """
    def write(
        self,
        format: Literal[
            "text",
            "concise",
            "jsonl",
            "json",
            "sarif",
            "junit",
            "github",
            "gitlab",
            "markdown",
            "html",
        ],
        file: _Path | _Writes,
    ) -> None:
        """Write a report in a format of the command, such as `json` or `html`.

        `file` is a path, which is written whole or not at all, or an open file, of text or bytes.
        """
    def write_baseline(self, file: _Path) -> None:
        """Write the findings to a file, as the `baseline` of later audits."""

def audit(
    path: _Path,
    base_url: str | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
    **options: Unpack[AuditOptions],
) -> AuditReport:
    """Check the links of a built site, as `absolve audit` does.

    `path` is the folder of the site, and `base_url` the URL that it is served at. Nothing is
    fetched.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "index.html").write_text("<a href=b.html>")
    >>> report = audit(folder, "http://h/docs/", server="netlify")
    >>> for finding in report.findings:
    ...     print(finding.rule, finding.reference, finding.line)
    broken-link b.html 1
    >>> report.summary.errors, report.fails
    (1, True)
    >>> audit(folder, rule={"all": "off", "broken-link": "warn"}).summary.warnings
    1

    `progress` is called with the number of files that were read and the number of all, at most 20
    times a second. An exception in it, and Ctrl-C, end the audit.

    Raises `OSError` for a path that does not exist, and `Error` for a site or an option that
    cannot be used. `extract` makes a folder of a web archive, which this function checks.
    """

def _command(arguments: list[str]) -> int:
    """Runs the command with the arguments after its name, and returns its exit code."""

def _options_of(function: str) -> list[str] | None:
    """Lists the options of a function that works on files."""
