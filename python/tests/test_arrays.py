"""Arrays of documents, of the libraries that have the Arrow PyCapsule interface."""

import pathlib
from collections.abc import Callable
from typing import Any

import pytest

import absolve

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

PAGES = ["é<a href=x>", None, "<p>", "", "<a href=y>" * 3, "<img src=http://g/>"]
REWRITTEN = ["é<a href=http://h/x>", None, "<p>", "", "<a href=http://h/y>" * 3, PAGES[5]]
TYPES = [
    pa.string(), pa.large_string(), pa.string_view(),
    pa.binary(), pa.large_binary(), pa.binary_view(),
]  # fmt: skip


def array(pages: list[str | None], of: Any) -> Any:
    is_text = "string" in str(of)
    return pa.array([page if is_text or page is None else page.encode() for page in pages], of)


def taken(result: Any) -> Any:
    """A result in pyarrow, which is what it says it is."""
    kind = pa.array if isinstance(result, absolve.Array) else pa.chunked_array
    taken = kind(result)
    taken.validate(full=True)
    assert len(taken) == len(result)
    return taken


def column(result: Any, name: str) -> Any:
    return pa.table(result)[name].combine_chunks()


@pytest.mark.parametrize("threads", [0, 1, 2, 100])
@pytest.mark.parametrize("of", TYPES, ids=str)
def test_documents_keep_type_order_and_nulls(of: Any, threads: int) -> None:
    pages, expected = array(PAGES, of), array(REWRITTEN, of)
    for part in (slice(None), slice(1, 3), slice(4, None), slice(0, 0)):
        result = absolve.rewrite_array(pages[part], "http://h/", threads=threads)
        result = taken(result)
        assert result.type.field("document").type == of
        assert result.field("document") == expected[part]
        counts = [(1, 1), (None, None), (0, 0), (0, 0), (3, 3), (1, 0)][part]
        assert result.field("links").to_pylist() == [links for links, _ in counts]
        assert result.field("rewritten").to_pylist() == [rewritten for _, rewritten in counts]
        assert result.field("error").null_count == len(result)


@pytest.mark.parametrize("first", ["", "<a href=x>"])
@pytest.mark.parametrize("of", [pa.string(), pa.binary_view()], ids=str)
def test_large_documents_among_small_ones(of: Any, first: str) -> None:
    large = "y" * (5 << 20)
    pages = [first, f"<a href=x>{large}", "<a href=y>", large, f"<a href=z>{large}", None]
    result = taken(absolve.rewrite_array(array(pages, of), "http://h/", threads=1))
    expected = [page and page.replace("href=", "href=http://h/") for page in pages]
    assert result.field("document") == array(expected, of)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("of", TYPES, ids=str)
def test_a_stream_keeps_its_chunks(of: Any, threads: int) -> None:
    pages, expected = array(PAGES, of), array(REWRITTEN, of)
    parts = [pages[2:], pages[:0], pages, pages[1:2]]
    chunked = pa.chunked_array(parts)
    bases = pa.array(["http://h/"] * len(chunked))
    for base_urls in ("http://h/", bases, pa.chunked_array([bases[:3], bases[3:]])):
        result = absolve.rewrite_array(chunked, base_urls, threads=threads)
        assert isinstance(result, absolve.ChunkedArray)
        assert result.num_chunks == 4
        chunks = taken(result).chunks
        expected_parts = [expected[2:], expected[:0], expected, expected[1:2]]
        assert [chunk.field("document") for chunk in chunks] == expected_parts
    assert taken(absolve.rewrite_array(pa.chunked_array([], of))).num_chunks == 0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("of", TYPES, ids=str)
def test_many_rows_equal_single_documents(of: Any, threads: int) -> None:
    pages = [
        None if n % 7 == 0 else f"<p>é{n}" if n % 5 == 0 else f"<a href={n}>{'é' * (n % 3000)}"
        for n in range(10_000)
    ]
    bases = [None if n % 11 == 0 else f"http://h{n // 3}/" for n in range(len(pages))]
    result = absolve.rewrite_array(array(pages, of), pa.array(bases), threads=threads)
    expected = [
        page and absolve.rewrite(page, base) for page, base in zip(pages, bases, strict=True)
    ]
    assert column(taken(result) and result, "document") == array(expected, of)


@pytest.mark.parametrize("of", TYPES, ids=str)
def test_documents_that_grow_equal_single_documents(of: Any) -> None:
    # They fit at first, and need ten times the memory later; one is larger than a batch.
    pages: list[str | None] = [
        "<p>" * n if n < 300 else None if n % 7 == 0 else "<a href=x>" * (n * n % 1000)
        for n in range(600)
    ]
    pages[500] = "<a href=x>" * 20_000
    base = f"http://h/{'a' * 80}/"
    result = absolve.rewrite_array(array(pages, of), base, threads=2)
    expected = [page and absolve.rewrite(page, base) for page in pages]
    assert column(taken(result) and result, "document") == array(expected, of)
    assert taken(result) == taken(absolve.rewrite_array(array(pages, of), base, threads=1))


def test_base_urls_are_those_of_the_rows() -> None:
    pages = pa.array(["<a href=x>"] * 4 + [None])
    bases = pa.array(["http://a/", None, "mailto:x", "http://b/", "mailto:x"])
    rows = taken(absolve.rewrite_array(pages, bases)).to_pylist()
    documents = ["<a href=http://a/x>", "<a href=x>", "<a href=x>", "<a href=http://b/x>", None]
    assert [row["document"] for row in rows] == documents
    what = "the base URL 'mailto:x' is not usable: no reference resolves against mailto: URLs"
    assert [row["error"] for row in rows] == [None, None, what, None, None]
    assert [row["rewritten"] for row in rows] == [1, 0, None, 1, None]
    for of in (pa.large_string(), pa.string_view()):
        assert taken(absolve.rewrite_array(pages, bases.cast(of))).to_pylist() == rows
    for none in (None, pa.nulls(5), pa.nulls(5, pa.string())):
        assert column(absolve.rewrite_array(pages, none), "document") == pages


@pytest.mark.parametrize("threads", [1, 2])
def test_a_document_that_fails_stays_as_it_was(threads: int) -> None:
    pages = pa.array(["é<a href=x>", "é<a href=x><a href=y>", "<a href=x>"] * 2000)
    result = absolve.rewrite_array(pages, "http://h/", threads=threads, max_links=1)
    rows = taken(result).to_pylist()
    what = (
        "character 19: the document exceeds 1 link, the limit for links; "
        "raise max_links (0 = no limit) if it is trusted"
    )
    assert [row["error"] for row in rows] == [None, what, None] * 2000
    assert rows[-2]["document"] == "é<a href=x><a href=y>"
    assert rows[-1]["document"] == "<a href=http://h/x>"
    links = pa.table(absolve.links_array(pages, threads=threads, max_links=1))
    assert links["error"].to_pylist() == [None, what, None] * 2000
    assert links["document"].to_pylist() == list(range(6000))
    assert links["reference"].to_pylist() == ["x", None, "x"] * 2000


@pytest.mark.parametrize("threads", [1, 2])
def test_a_bug_is_the_error_of_its_row(threads: int) -> None:
    pages = pa.array(["<p>", "<a href=x>", "<p>"])
    bug: Any = {"_panic": True}
    rows = taken(absolve.rewrite_array(pages, threads=threads, **bug)).to_pylist()
    assert [row["document"] for row in rows] == pages.to_pylist()
    assert rows[1]["error"].startswith("row 1: a bug stopped it, please report it: ")
    assert rows[0]["error"] is rows[2]["error"] is None


@pytest.mark.parametrize("of", TYPES, ids=str)
def test_unchanged_documents_are_not_copied(of: Any) -> None:
    pages = array(["<p>" * 10, None, "<a href=http://h/>"], of)
    result = taken(absolve.rewrite_array(pages, "http://h/")).field("document")
    assert [buffer and buffer.address for buffer in result.buffers()] == [
        buffer and buffer.address for buffer in pages.buffers()
    ]


@pytest.mark.parametrize("of", TYPES, ids=str)
def test_links_have_a_row_each(of: Any) -> None:
    pages = array(PAGES, of)
    table = pa.table(absolve.links_array(pages, "http://h/"))
    assert table["document"].to_pylist() == [0, 4, 4, 4, 5]
    for row in table.to_pylist():
        page = pages[row["document"]].as_py()
        links = {link.span: link for link in absolve.links(page, "http://h/")}
        link = links[row["start"], row["end"]]
        names = ["element", "attribute", "grammar", "reference", "url", "base", "base_source"]
        for name in [*names, "line", "column"]:
            assert row[name] == getattr(link, name)
    chunked = pa.chunked_array([pages[:1], pages, pages[4:]])
    result = absolve.links_array(chunked, "http://h/", threads=2)
    assert pa.table(result)["document"].to_pylist() == [0, 1, 5, 5, 5, 6, 7, 7, 7, 8]
    assert isinstance(result, absolve.ChunkedArray)
    assert result.num_chunks == 3


def refused(kind: type[Exception], message: str, call: Callable[[], object]) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert (type(caught.value), str(caught.value)) == (kind, message)


def test_only_arrays_of_strings_and_binaries_are_taken() -> None:
    pages: Any = pa.array(PAGES)
    what = "'documents' must be an array of strings or binaries, not "
    for documents, found in [
        (pa.array([1]), "Int64"),
        (pa.nulls(2), "Null, cast it to a string"),
        (pa.table({"x": PAGES}), 'Struct("x": Utf8), pass one of its columns'),
        (
            pages.dictionary_encode(),
            "Dictionary(Int32, Utf8), cast it to the type of its values",
        ),
    ]:
        refused(TypeError, what + found, lambda: absolve.rewrite_array(documents))
        refused(TypeError, what + found, lambda: absolve.links_array(documents))
    arrow = "must be an Arrow array (with __arrow_c_array__ or __arrow_c_stream__), not"
    other: Any = PAGES
    refused(TypeError, f"'documents' {arrow} list", lambda: absolve.rewrite_array(other))
    refused(TypeError, f"'base_urls' {arrow} list", lambda: absolve.rewrite_array(pages, other))
    what = "'base_urls' must be an array of strings, not Binary"
    refused(TypeError, what, lambda: absolve.rewrite_array(pages, pa.array([b""] * 6)))


def test_arrays_have_one_length() -> None:
    pages = pa.array(PAGES)
    for count in (0, 5, 7):
        what = f"'base_urls' has {count} rows and 'documents' 6, expected as many"
        bases = pa.array(["http://h/"] * count, pa.string())
        refused(ValueError, what, lambda: absolve.rewrite_array(pages, bases))


def test_arguments_are_checked() -> None:
    pages = pa.array(PAGES)
    call: Any = absolve.rewrite_array
    what = "the base URL 'x' is not usable: it has no scheme, expected an absolute URL such as http://host/"
    refused(absolve.BaseUrlError, what, lambda: call(pages, "x"))
    what = "rewrite_array() got an unexpected keyword argument 'thread'. Did you mean 'threads'?"
    refused(TypeError, what, lambda: call(pages, thread=1))
    refused(TypeError, "'threads' must be an int, not str", lambda: call(pages, threads="2"))
    what = "invalid value for 'threads', expected a number from 0"
    refused(absolve.Error, what, lambda: call(pages, threads=-1))


@pytest.mark.parametrize("threads", [1, 2])
def test_strings_are_valid_utf8(threads: int) -> None:
    offsets = pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0")
    bad: Any = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"a\xff"))
    pages = pa.array(["<a href=x>"] * 2)
    for call in (absolve.rewrite_array, absolve.links_array):
        what = "row 1 of 'documents' is not valid UTF-8"
        refused(absolve.EncodingError, what, lambda: call(bad, threads=threads))
        what = "row 1 of 'base_urls' is not valid UTF-8"
        base_urls = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"\xe9\xff"))
        with pytest.raises(
            absolve.EncodingError, match="^row 0 of 'base_urls' is not valid UTF-8$"
        ):
            call(pages, base_urls, threads=threads)


@pytest.mark.parametrize("offset", [b"\7\0\0\0", b"\xff\xff\xff\xff"])
def test_offsets_are_checked(offset: bytes) -> None:
    offsets = pa.py_buffer(b"\0\0\0\0" + offset + b"\2\0\0\0")
    bad = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"ab"))
    with pytest.raises(ValueError, match="^'documents' is malformed: "):
        absolve.rewrite_array(bad)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_chunk_of_small_offsets_has_at_most_2_gib(threads: int) -> None:
    # 21 documents of 8 MB become 106 MB each.
    pages = pa.array([b"<a href=x>" * 800_000] * 21)
    base = f"http://example.org/{'a' * 104}/"
    what = "a chunk of type binary exceeds 2 GiB, use large_binary or smaller chunks"
    refused(absolve.LimitError, what, lambda: absolve.rewrite_array(pages, base, threads=threads))


def test_a_released_array_is_refused() -> None:
    class Twice:
        capsules = pa.array(["<a href=x>"]).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return self.capsules

    absolve.rewrite_array(Twice())
    refused(TypeError, "the array was taken before", lambda: absolve.rewrite_array(Twice()))


def test_what_a_producer_raises_is_raised() -> None:
    class Fails:
        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            raise ZeroDivisionError

    class Other:
        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            return 5

    def chunks() -> Any:
        yield pa.record_batch({"x": ["<a href=x>"]})
        raise OSError("gone")

    with pytest.raises(ZeroDivisionError):
        absolve.rewrite_array(Fails())
    with pytest.raises(TypeError):
        absolve.rewrite_array(Other())
    schema = pa.schema({"x": pa.string()})
    reader = pa.RecordBatchReader.from_batches(schema, chunks())
    with pytest.raises(ValueError, match="gone"):
        absolve.rewrite_array(reader)


def test_polars_takes_and_gives_arrays() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed")
    for series in (pl.Series("html", PAGES), pl.Series("html", PAGES).cast(pl.Binary)):
        result = pl.Series(absolve.rewrite_array(series, "http://h/"))
        document = result.struct.field("document")
        assert (document.dtype, result.dtype) == (series.dtype, pl.Struct(result.struct.schema))
        assert document.cast(pl.Binary).to_list() == pl.Series(REWRITTEN).cast(pl.Binary).to_list()
    chunked = pl.concat([series, series], rechunk=False)
    assert len(pl.Series(absolve.rewrite_array(chunked, "http://h/"))) == 2 * len(series)
    frame = pl.DataFrame(absolve.links_array(series, "http://h/"))
    assert frame["url"].to_list()[0] == "http://h/x"


def test_nulls_of_polars_are_cast() -> None:
    polars = pytest.importorskip("polars", reason="Polars is not installed")
    nulls = polars.Series([None, None])
    pages = polars.Series(["<a href=x>"] * 2)
    what = "has the type Null, cast it to a string"
    refused(TypeError, f"'base_urls' {what}", lambda: absolve.rewrite_array(pages, nulls))
    refused(TypeError, f"'documents' {what}", lambda: absolve.urls_array(nulls))


def test_duckdb_takes_and_gives_arrays() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    database = duckdb.connect()
    database.register("crawl", pa.table({"html": PAGES, "url": ["http://h/"] * len(PAGES)}))
    crawl = database.sql("select html, url from crawl").to_arrow_table()
    result = absolve.rewrite_array(crawl["html"], crawl["url"])
    database.register("rewritten", pa.table(result))
    found = database.sql("select document from rewritten").fetchall()
    assert found == [(page,) for page in REWRITTEN]


def test_nanoarrow_takes_and_gives_arrays() -> None:
    na = pytest.importorskip("nanoarrow", reason="nanoarrow is not installed")
    result = na.Array(absolve.rewrite_array(na.Array(PAGES, na.string()), "http://h/"))
    assert [row["document"] for row in result.to_pylist()] == REWRITTEN
    chunked = na.Array.from_chunks([na.Array(PAGES, na.string())] * 2)
    result = na.Array(absolve.rewrite_array(chunked, "http://h/"))
    assert [row["document"] for row in result.to_pylist()] == REWRITTEN * 2


def test_the_interface_is_complete() -> None:
    result = absolve.rewrite_array(pa.array(PAGES), "http://h/")
    assert repr(result) == "Array(6 rows of document, error, links, rewritten)"
    assert pa.array(result) == pa.array(result)
    assert pa.table(result).num_rows == pa.RecordBatchReader.from_stream(result).read_all().num_rows
    assert pa.schema(result).names == ["document", "error", "links", "rewritten"]
    chunked = absolve.rewrite_array(pa.chunked_array([PAGES, PAGES]), "http://h/")
    assert repr(chunked) == "ChunkedArray(12 rows of document, error, links, rewritten, 2 chunks)"
    assert pa.schema(chunked) == pa.schema(result)
    # What Python lets go of stays as long as pyarrow has it.
    kept = pa.array(result).field("document")
    del result
    assert kept.to_pylist() == REWRITTEN


def test_pages_equal_single_documents(pages: list[pathlib.Path]) -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed")
    sources = [path.read_bytes() for path in pages]
    bases = [f"http://example.org/{path.name}" for path in pages]
    expected = [absolve.rewrite(page, base) for page, base in zip(sources, bases, strict=True)]
    for threads in (1, 2):
        result = absolve.rewrite_array(pa.array(sources), pa.array(bases), threads=threads)
        assert column(result, "document").to_pylist() == expected
    series = pl.Series(absolve.rewrite_array(pl.Series(sources), pl.Series(bases)))
    assert series.struct.field("document").to_list() == expected


MIXED = ["<a href=x><img src=y>", None, "<base href=http://b/><a href=é>", "<a href=x>" * 9, ""]


@pytest.mark.parametrize("max_bytes", [0, 1, 250, 1000, 1 << 20])
@pytest.mark.parametrize("pages", [MIXED, [page and page.encode() for page in MIXED]])
def test_batches_of_links_are_the_links(pages: list[Any], max_bytes: int) -> None:
    documents = pa.array(pages)
    bases = pa.array(["http://h/", "http://h/", None, "mailto:a@b", "http://h/"])
    found = list(absolve.links_batches(documents, bases, max_bytes=max_bytes))
    table = pa.table(absolve.links_array(documents, bases))
    assert pa.Table.from_batches(map(pa.record_batch, found)) == table
    assert len(found) == {250: 2, 1000: 1, 1 << 20: 1}.get(max_bytes, 5)


def test_a_page_that_fails_has_no_links_in_any_batch() -> None:
    documents = pa.array(["<a href=x>" * 9, "<a href=x>" * 3])
    found = list(absolve.links_batches(documents, "http://h/", max_bytes=1, max_links=8))
    rows = pa.Table.from_batches(map(pa.record_batch, found)).to_pylist()
    assert [row["document"] for row in rows] == [0, 1, 1, 1]
    assert "max_links" in rows[0]["error"]


def test_the_first_batches_of_links_come_alone() -> None:
    page = pa.array(["<a href=x>" * 100_000])
    batches = iter(absolve.links_batches(page, "http://h/", max_bytes=1 << 16))
    sizes = [len(next(batches)) for _ in range(3)]
    assert all(100 < size < 2000 for size in sizes)
    del batches
    assert sum(map(len, absolve.links_batches(page, "http://h/", max_bytes=1 << 16))) == 100_000
