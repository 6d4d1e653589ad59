"""Columns of pages, in a session of two threads."""

import pathlib
from typing import Any

import pytest

import absolve

from .cluster import ZSTD

pytest.importorskip("pyspark", reason="pyspark is not installed")
from absolve.spark import _columns, links_table, rewrite_column

ROWS = [
    (1, "http://h/a/", "<a href=x>", b"<a href=x>"),
    (2, "http://h/a/", None, None),
    (3, None, "<a href=x>", b"<a href=x>"),
    (4, "http://h/b/", "", b""),
    (5, "x", "é<a href=x>", "é<a href=x>".encode()),
    (6, "http://h/b/", "é<a href=y><img src=z>", "é<a href=y><img src=z>".encode()),
]
SCHEMA = "id int, url string, html string, bytes binary"


@pytest.fixture(scope="session")
def table(spark: Any) -> Any:
    return spark.createDataFrame(ROWS, SCHEMA).coalesce(1)


def test_pages_are_rewritten_in_their_order(table: Any) -> None:
    new = rewrite_column(table)
    assert new.schema.names == ["id", "url", "html", "bytes", "absolve_error"]
    assert new.schema.fields[:4] == table.schema.fields
    rows = new.collect()
    expected = [
        "<a href=http://h/a/x>",
        None,
        "<a href=x>",
        "",
        "é<a href=x>",
        "é<a href=http://h/b/y><img src=http://h/b/z>",
    ]
    assert [row.html for row in rows] == expected
    assert [(row.id, row.url, row.bytes) for row in rows] == [(a, b, d) for a, b, _, d in ROWS]
    errors = [row.absolve_error for row in rows]
    assert [error is not None for error in errors] == [False] * 4 + [True, False]
    assert "the base URL 'x' is not usable" in errors[4]


def test_pages_go_to_another_column(table: Any) -> None:
    new = rewrite_column(table, html="bytes", output="new", error="why", only=iter(["src"]))
    assert new.schema.names == [*table.schema.names, "new", "why"]
    rows = new.collect()
    assert [row.bytes for row in rows] == [bytes for *_, bytes in ROWS]
    assert rows[5].new == "é<a href=y><img src=http://h/b/z>".encode()
    assert rewrite_column(table, url=None).collect()[0].html == "<a href=x>"


def test_links_have_a_row_each(table: Any) -> None:
    links = links_table(table, keep="id")
    assert links.schema.names[:3] == ["page", "id", "element"]
    rows = links.collect()
    assert [(row.page, row.id, row.url) for row in rows] == [
        ("http://h/a/", 1, "http://h/a/x"),
        (None, 3, None),
        ("x", 5, None),
        ("http://h/b/", 6, "http://h/b/y"),
        ("http://h/b/", 6, "http://h/b/z"),
    ]
    assert [(row.start, row.error is None) for row in rows] == [
        (8, True),
        (8, True),
        (None, False),
        (9, True),
        (20, True),
    ]


def test_links_have_the_columns_that_are_named(table: Any) -> None:
    links = links_table(table, keep="id", columns=["text", "nofollow", "end"])
    names = ["page", "id", "text", "nofollow", "end", "error"]
    assert links.schema.names == names
    kinds = [field.dataType.simpleString() for field in links.schema]
    assert kinds == ["string", "int", "string", "boolean", "bigint", "string"]
    assert [tuple(row)[:5] for row in links.where("error is null").collect()] == [
        ("http://h/a/", 1, "", False, 9),
        (None, 3, "", False, 9),
        ("http://h/b/", 6, "", False, 10),
        ("http://h/b/", 6, None, False, 21),
    ]
    with pytest.raises(absolve.Error, match="did you mean 'text'"):
        links_table(table, columns="txt")
    with pytest.raises(ValueError, match="a link has a column 'text' too"):
        links_table(table.withColumnRenamed("id", "text"), keep="text", columns="text")


@pytest.mark.parametrize("work", [rewrite_column, links_table])
def test_mistakes_are_errors_at_once(table: Any, work: Any) -> None:
    for kind, message, arguments in [
        (ValueError, "no column 'htm'; did you mean 'html'?", {"html": "htm"}),
        (ValueError, "no column 'x'; its columns are id, url, html, bytes", {"url": "x"}),
        (TypeError, "the column 'id' must be string or binary, not int", {"html": "id"}),
        (TypeError, "the column 'bytes' must be string, not binary", {"url": "bytes"}),
        (TypeError, "unexpected keyword argument 'standad'", {"standad": "whatwg"}),
        (ValueError, "invalid value 'x' for 'standard'", {"standard": "x"}),
    ]:
        with pytest.raises(kind) as caught:
            work(table, **arguments)
        assert message in str(caught.value)


def test_columns_are_not_replaced(table: Any) -> None:
    with pytest.raises(ValueError, match="has a column 'id' already"):
        rewrite_column(table, output="id")
    with pytest.raises(ValueError, match="has a column 'url' already"):
        rewrite_column(table, error="url")
    with pytest.raises(ValueError, match="a link has a column 'url' too"):
        links_table(table, keep=["id", "url"])


def test_pages_of_any_size(spark: Any) -> None:
    sizes = [0, 1, 50_000_000, 0, 20_000_000, 70_000_000, 10]
    pages = [f"<a href=x>{'y' * size}" if size else "" for size in sizes]
    rows = [(number, "http://h/", page) for number, page in enumerate(pages)]
    table = spark.createDataFrame(rows, "id int, url string, html string").coalesce(1)
    lengths = "id", "length(html) as length", "absolve_error"
    found = rewrite_column(table).selectExpr(*lengths).collect()
    grown = len("http://h/")
    # 64 MiB is the limit of a page.
    expected = [len(page) + grown if 0 < len(page) < 64 << 20 else len(page) for page in pages]
    assert [row.length for row in found] == expected
    assert ["max_input" in (row.absolve_error or "") for row in found] == [
        size == 70_000_000 for size in sizes
    ]


def test_no_large_batch_is_the_first_or_the_last() -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    small, large = ({"html": ["y" * size], "id": [1]} for size in (1, 5 << 20))
    for batches, rows in [
        ([small, small], [1, 1]),
        ([small, large, small], [1, 1, 0, 1]),
        ([large, large], [0, 1, 0, 1, 0]),
        ([], []),
    ]:
        given = [pa.RecordBatch.from_pydict(batch) for batch in batches]
        released = list(_columns._released(iter)(given))
        assert [batch.num_rows for batch in released] == rows
        assert {batch.schema for batch in released} <= {batch.schema for batch in given}


def test_small_pages_that_grow(spark: Any) -> None:
    base = f"http://h/{'a' * 7000}/"
    rows = [(number, base, "<a href=x>" * 100) for number in range(2000)]
    table = spark.createDataFrame(rows, "id int, url string, html string").coalesce(1)
    found = rewrite_column(table).selectExpr("sum(length(html)) as length").collect()
    assert found[0].length == 2000 * 100 * (len(base) + len("<a href=x>"))


def test_sites_equal_single_documents(
    spark: Any, site: list[pathlib.Path], tmp_path: pathlib.Path
) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    pages = [path.read_bytes() for path in site]
    urls = [f"http://example.org{path}" for path in site]
    ids = list(range(len(pages)))
    table = pa.table({"id": ids, "url": urls, "html": pages})
    parquet.write_table(table, tmp_path / "pages.parquet", compression=ZSTD, row_group_size=100)
    frame = spark.read.parquet(str(tmp_path / "pages.parquet"))
    new = str(tmp_path / "new.parquet")
    rewrite_column(frame).write.parquet(new)
    rows = parquet.read_table(new).sort_by("id")
    expected = [absolve.rewrite(page, url) for page, url in zip(pages, urls, strict=True)]
    assert rows["html"].to_pylist() == expected
    assert rows["absolve_error"].null_count == len(pages)
    links = links_table(frame, keep="id").select("id", "start", "url").collect()
    listed = [
        (number, link.span and link.span[0], link.url)
        for number, (page, url) in enumerate(zip(pages, urls, strict=True))
        for link in absolve.links(page, url)
    ]
    assert sorted(map(tuple, links), key=str) == sorted(listed, key=str)
