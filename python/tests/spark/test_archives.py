"""Web archives, in a session of two threads."""

import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

import absolve

from . import archives

pytest.importorskip("pyspark", reason="pyspark is not installed")
from absolve.spark import links_of_warc, rewrite_column, warc_pages

PAGES = [(f"http://h/{n}/", b"<a href=x><img src=y>%d" % n) for n in range(60)]


@pytest.fixture
def crawl(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with 20 archives."""
    archives.write_many(tmp_path / "crawl", 20, PAGES)
    return tmp_path / "crawl"


def test_a_corrupt_archive_is_an_error_of_its_own(
    spark: Any, crawl: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    whole = (crawl / "03.warc.gz").read_bytes()
    (crawl / "03.warc.gz").write_bytes(whole[: len(whole) // 2])
    (crawl / "04.warc.gz").unlink()
    (crawl / "04.warc.gz").mkdir()
    sources = [*crawl.iterdir(), tmp_path / "none.warc"]
    for read in (warc_pages, links_of_warc):
        rows = read(spark, sources).collect()
        errors = {pathlib.Path(row.source).name: row for row in rows if row.error}
        assert sorted(errors) == ["03.warc.gz", "04.warc.gz", "none.warc"]
        assert errors["03.warc.gz"].offset is not None
        assert errors["04.warc.gz"].error.startswith("IsADirectoryError: ")
        assert errors["none.warc"].error.startswith("FileNotFoundError: ")
    pages = warc_pages(spark, sources)
    assert pages.where("error is null").count() == 18 * 3 + 1
    # A row without a page has nothing to rewrite.
    kept = rewrite_column(pages).where("error is not null").collect()
    assert {(row.html, row.absolve_error) for row in kept} == {(None, None)}


def test_mistakes_are_errors_at_once(
    spark: Any, crawl: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(FileNotFoundError, match="no file matches"):
        warc_pages(spark, tmp_path / "*.wrc")
    for read in (warc_pages, links_of_warc):
        with pytest.raises(TypeError, match="Did you mean 'standard'"):
            read(spark, crawl / "*", standad="x")
    assert warc_pages(spark, []).collect() == []


def test_pages_and_links_are_tables(spark: Any, crawl: pathlib.Path) -> None:
    pages = warc_pages(spark, crawl / "*")
    assert pages.rdd.getNumPartitions() == 20
    rows = pages.collect()
    assert sorted((row.url, bytes(row.html)) for row in rows) == sorted(PAGES)
    assert {(row.status, row.mime, row.headers["content-type"], row.error) for row in rows} == {
        (200, "text/html", "text/html", None)
    }
    assert {row.date for row in rows} == {"2026-01-02T03:04:05Z"}
    assert {row.source for row in rows} == set(map(str, crawl.iterdir()))
    links = links_of_warc(spark, crawl / "*", only="href").collect()
    assert sorted((row.page, row.url) for row in links) == sorted(
        (url, f"{url}x") for url, _ in PAGES
    )


def test_sites_as_archives(spark: Any, site: list[pathlib.Path], tmp_path: pathlib.Path) -> None:
    pages = [(f"http://example.org{path}", path.read_bytes()) for path in site]
    archives.write_many(tmp_path / "crawl", 3, pages)
    rows = rewrite_column(warc_pages(spark, tmp_path / "crawl" / "*")).collect()
    assert {(row.error, row.absolve_error) for row in rows} == {(None, None)}
    rewritten = sorted((row.url, bytes(row.html)) for row in rows)
    assert rewritten == sorted((url, absolve.rewrite(page, url)) for url, page in pages)
    found = links_of_warc(spark, tmp_path / "crawl" / "*").select("page", "start", "url").collect()
    listed = [
        (url, link.span and link.span[0], link.url)
        for url, page in pages
        for link in absolve.links(page, url)
    ]
    assert sorted(map(tuple, found), key=str) == sorted(listed, key=str)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The options of an object store on loopback."""
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    pytest.importorskip(
        "moto.server", reason="moto is not installed: pip install 'moto[s3,server]'"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with (tmp_path_factory.mktemp("moto") / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                urllib.request.urlopen(url, timeout=10).close()
                break
            except OSError:
                assert server.poll() is None
                time.sleep(0.1)
        yield {"key": "x", "secret": "x", "endpoint_url": url}
    finally:
        server.kill()
        server.wait()


def test_archives_in_an_object_store(
    spark: Any, crawl: pathlib.Path, store: dict[str, Any]
) -> None:
    import s3fs

    bucket = f"crawl-{os.getpid()}"
    files = s3fs.S3FileSystem(**store)
    files.mkdir(bucket)
    for path in crawl.iterdir():
        files.put(str(path), f"{bucket}/{path.name}")
    sources = f"s3://{bucket}/*.warc.gz"
    rows = warc_pages(spark, sources, storage_options=store).collect()
    assert sorted((row.url, bytes(row.html)) for row in rows) == sorted(PAGES)
    assert {row.source for row in rows} == {f"s3://{bucket}/{n:02}.warc.gz" for n in range(20)}
    links = links_of_warc(spark, [sources, f"s3://{bucket}/none"], storage_options=store)
    assert links.where("error is null").count() == 2 * len(PAGES)
    [missing] = links.where("error is not null").collect()
    assert missing.error.startswith("FileNotFoundError")
