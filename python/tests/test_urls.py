"""URLs alone, and columns of links that are named."""

import io
import pathlib
import pickle
import threading
from typing import Any

import pytest

import absolve

PAGE = "<a href=x>X</a><img src=y><a href=//g/#z rel='nofollow me' title=T>Z <b>z</b></a><a href=x>"
URLS = ["http://h/x", "http://h/y", "http://g/#z", "http://h/x"]


def test_urls_are_those_of_links(pages: list[pathlib.Path]) -> None:
    rewriter = absolve.Rewriter(lazy=True)
    for path in pages:
        for document in (path.read_bytes(), path.read_bytes().decode("utf-8", "replace")):
            for url in (None, "http://h/a/b", "http://h/é?q#f"):
                for standard in ("rfc1808", "rfc3986", "whatwg"):
                    expected = absolve.links(document, url, standard=standard)
                    expected_urls = [link.url for link in expected if link.url is not None]
                    assert absolve.urls(document, url, standard=standard) == expected_urls
                links = rewriter.links(document, url)
                assert rewriter.urls(document, url) == [link.url for link in links if link.url]


def test_urls_are_selected() -> None:
    for document in (PAGE, PAGE.encode(), bytearray(PAGE.encode())):
        assert absolve.urls(document, "http://h/") == URLS
        assert absolve.urls(document, "http://h/", unique=True) == URLS[:3]
        assert absolve.urls(document, "http://h/", external=True) == ["http://g/"]
        assert absolve.urls(document, "http://h/", only="src") == ["http://h/y"]
    external = "<a href=http://H:80/x><a href=mailto:x><form action=//g/>"
    external += "<a href=//g/x#y><a href=//g/x>"
    assert absolve.urls(external, "http://h/a", external=True) == ["http://g/x", "http://g/x"]
    assert absolve.urls(external, "http://h/a", external=True, unique=True) == ["http://g/x"]
    assert absolve.urls("<a href=//g/>", external=True) == []
    rewriter = absolve.Rewriter("http://h/", only="href")
    assert rewriter.urls(PAGE, unique=True) == ["http://h/x", "http://g/#z"]
    assert rewriter.urls(PAGE, "http://g/", external=True) == []


def test_a_document_that_fails_has_no_urls() -> None:
    with pytest.raises(absolve.LimitError):
        absolve.urls("<a href=x>" * 3, "http://h/", max_links=2)
    with pytest.raises(absolve.BaseUrlError):
        absolve.urls("<a href=x>", "x")
    with pytest.raises(TypeError, match="Did you mean 'unique'"):
        absolve.urls("", "http://h/", uniqe=True)  # type: ignore[call-arg]


def test_links_are_named_tuples() -> None:
    link = absolve.links(PAGE, "http://h/")[2]
    assert type(link) is absolve.Link
    assert link == tuple(link) == pickle.loads(pickle.dumps(link)) == absolve.Link(*link)
    assert link._asdict()["url"] == link.url == URLS[2]
    assert (link.index(link.url), link.index("a", 0, 1), link.count("a")) == (4, 0, 1)
    assert list(reversed(link)) == list(link)[::-1]
    with pytest.raises(ValueError, match="^$"):
        link.index("a", 1)
    assert {link, link._replace(line=1)} == {link}
    assert [found.element for found in absolve.links(PAGE)] == ["a", "img", "a", "a"]
    largest = 2**64 - 1
    changed = link._replace(line=largest, column=None, span=(largest, 0))
    assert (changed.line, changed.column, changed.span) == (largest, None, (largest, 0))
    with pytest.raises(OverflowError):
        link._replace(span=(0, largest))


pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.mark.parametrize("threads", [1, 2])
def test_arrays_of_urls_have_a_list_a_row(threads: int) -> None:
    pages = [PAGE, None, "", "<a href=x>" * 9] * 500
    documents = pa.chunked_array([pages[:3], pages[3:]])
    result = absolve.urls_array(documents, "http://h/", threads=threads, max_links=8)
    table = pa.table(result)
    table.validate(full=True)
    assert table["urls"].to_pylist() == [URLS, None, [], None] * 500
    failed = [error is not None for error in table["error"].to_pylist()]
    assert failed == [False, False, False, True] * 500
    bases = pa.array(["http://h/", "http://g/", None, "mailto:x"])
    found = pa.array(absolve.urls_array(pa.array([PAGE] * 4), bases, external=True, unique=True))
    urls = [["http://g/"], [], [], None]
    assert found.field("urls").to_pylist() == urls
    assert "mailto" in found.field("error").to_pylist()[3]


DEFAULT = pa.array(absolve.links_array(pa.array([], pa.string()))).type.names[2:]
REQUESTED = ["text", "rel", "hreflang", "title", "nofollow"]


@pytest.mark.parametrize("of", [pa.string(), pa.binary()], ids=str)
def test_columns_are_those_that_are_named(of: Any) -> None:
    pages = pa.array([PAGE, None, "<a href=y hreflang=de><img alt='é  é'></a>"] * 2).cast(of)
    whole = pa.table(absolve.links_array(pages, "http://h/", columns=[*REQUESTED, *DEFAULT]))
    default = pa.table(absolve.links_array(pages, "http://h/"))
    assert default.column_names == ["document", "error", *DEFAULT]
    assert {"element", "reference", "url", "start", "end", "line"} < set(DEFAULT)
    assert whole.select(default.column_names) == default
    for name in [*DEFAULT, *REQUESTED]:
        expected = whole.select(["document", "error", name])
        assert pa.table(absolve.links_array(pages, "http://h/", columns=name)) == expected
        batches = absolve.links_batches(pages, "http://h/", columns=iter([name, name]), max_bytes=9)
        assert pa.Table.from_batches(map(pa.record_batch, batches)) == expected
    assert whole.select(REQUESTED).to_pylist()[:5] == [
        {"text": "X", "rel": None, "hreflang": None, "title": None, "nofollow": False},
        {"text": None, "rel": None, "hreflang": None, "title": None, "nofollow": False},
        {"text": "Z z", "rel": "nofollow me", "hreflang": None, "title": "T", "nofollow": True},
        {"text": "", "rel": None, "hreflang": None, "title": None, "nofollow": False},
        {"text": "é é", "rel": None, "hreflang": "de", "title": None, "nofollow": False},
    ]
    empty = pa.table(absolve.links_array(pages, "http://h/", columns=[]))
    assert empty.column_names == ["document", "error"]
    with pytest.raises(absolve.Error, match="'txt' for 'columns', did you mean 'text'"):
        absolve.links_array(pages, columns="txt")


def record(url: str, page: str) -> bytes:
    head = f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\n"
    head += "Content-Type: text/html\r\n"
    return f"{head}Content-Length: {len(page)}\r\n\r\n{page}\r\n\r\n".encode()


def test_links_of_an_archive_have_the_columns_that_are_named() -> None:
    archive = record("http://h/a/", PAGE) * 3
    for columns in (["url", "text"], "nofollow"):
        names = [columns] if isinstance(columns, str) else columns
        with absolve.WarcReader(io.BytesIO(archive)) as reader:
            tables = [pa.table(batch) for batch in reader.links(1, columns=iter(names))]
        assert len(tables) == 3
        for table in tables:
            assert table.column_names == ["page", "offset", "within", "error", *names]
        with absolve.WarcReader(io.BytesIO(archive)) as reader:
            batch = reader.read_links(columns=columns)
            assert batch is not None
            assert pa.table(batch) == pa.concat_tables(tables)


def test_a_page_of_many_links_has_the_columns_that_are_named() -> None:
    archive = record("http://h/a/", "<a href=x>X" * 600_000)
    with absolve.WarcReader(io.BytesIO(archive)) as reader:
        tables = [pa.table(batch) for batch in reader.links(columns=["reference", "text", "base"])]
    assert len(tables) > 1
    table = pa.concat_tables(tables)
    assert table.column_names == ["page", "offset", "within", "error", "reference", "text", "base"]
    assert set(table["text"].to_pylist()) == {"X"}
    assert table.num_rows == 600_000


def test_threads_share_a_rewriter() -> None:
    rewriter = absolve.Rewriter("http://h/")
    found: list[list[str]] = []
    work = [threading.Thread(target=lambda: found.append(rewriter.urls(PAGE))) for _ in range(8)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert found == [URLS] * 8


def text_of(element: Any) -> str:
    """The text of an element without that of scripts and styles, with the `alt` of images."""
    hidden = "ancestor::script or ancestor::style or ancestor::iframe"
    parts = element.xpath(f".//text()[not({hidden})] | .//img/@alt")
    return " ".join("".join(f" {one} " if one.is_attribute else one for one in parts).split())


def test_the_text_is_that_of_a_tree(pages: list[pathlib.Path]) -> None:
    html5lib = pytest.importorskip("html5lib", reason="html5lib is not installed")
    pytest.importorskip("lxml", reason="lxml is not installed")
    if "fixtures" in pages[0].parts:
        pytest.skip("misnested and nested documents have other texts; tests/it/details.rs has rows")
    checked = 0
    for path in pages[:: 1 + len(pages) // 40]:
        source = path.read_bytes()
        tree = html5lib.parse(source, treebuilder="lxml", namespaceHTMLElements=False)
        expected = [text_of(element)[:1000] for element in tree.xpath("//a[@href]")]
        links = pa.table(absolve.links_array(pa.array([source]), columns=["element", "text"]))
        found = [row["text"] for row in links.to_pylist() if row["element"] == "a"]
        assert [text[:1000] for text in found] == expected, path
        checked += len(found)
    assert checked > 5


def test_a_bool_of_numpy_is_one() -> None:
    numpy = pytest.importorskip("numpy")
    assert absolve.urls(PAGE, unique=numpy.True_) == absolve.urls(PAGE, unique=True)
    assert absolve.rewrite(PAGE, lazy=numpy.False_) == PAGE
