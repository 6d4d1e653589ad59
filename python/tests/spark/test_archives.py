"""Web archives, in a session of two threads."""

import calendar
import gzip
import os
import pathlib
import re
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
from absolve.spark import links_of_warc, rewrite_warc, warc_pages

PAGES = [(f"http://h/{n}/", b"<a href=x><img src=y>%d" % n) for n in range(60)]


@pytest.fixture
def crawl(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with 20 archives."""
    archives.write_many(tmp_path / "crawl", 20, PAGES)
    return tmp_path / "crawl"


def expected(crawl: pathlib.Path, tmp_path: pathlib.Path) -> dict[str, bytes]:
    """What the single machine makes of archives."""
    new = {}
    for path in crawl.iterdir():
        absolve.rewrite_warc(path, tmp_path / "expected")
        new[path.name] = (tmp_path / "expected").read_bytes()
    return new


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_archives_equal_those_of_one_machine(
    spark: Any, crawl: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    result = rewrite_warc(spark, crawl / "*.warc.gz", tmp_path / "new")
    assert contents(tmp_path / "new") == expected(crawl, tmp_path)
    rows = sorted(result.collect(), key=lambda row: row.source)
    assert [row.source for row in rows] == sorted(map(str, crawl.iterdir()))
    assert [row.destination for row in rows] == sorted(map(str, (tmp_path / "new").iterdir()))
    assert {(row.records, row.pages, row.rewritten, row.failed, row.error) for row in rows} == {
        (3, 3, 3, 0, None)
    }
    assert all(row.seconds > 0 for row in rows)


def test_a_corrupt_archive_is_an_error_of_its_own(
    spark: Any, crawl: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    whole = (crawl / "03.warc.gz").read_bytes()
    (crawl / "03.warc.gz").write_bytes(whole[: len(whole) // 2])
    (crawl / "04.warc.gz").unlink()
    (crawl / "04.warc.gz").mkdir()
    rows = rewrite_warc(spark, sorted(crawl.iterdir()), tmp_path / "new").collect()
    failed = {pathlib.Path(row.source).name: row for row in rows if row.error}
    assert sorted(failed) == ["03.warc.gz", "04.warc.gz"]
    assert failed["03.warc.gz"].failed == 1
    assert "IsADirectoryError" in failed["04.warc.gz"].error
    assert failed["04.warc.gz"].destination is None
    (crawl / "04.warc.gz").rmdir()
    assert contents(tmp_path / "new") == expected(crawl, tmp_path)
    links = links_of_warc(spark, [*crawl.iterdir(), tmp_path / "none.warc"]).collect()
    errors = {pathlib.Path(row.source).name: row.error for row in links if row.error}
    assert sorted(errors) == ["03.warc.gz", "none.warc"]
    assert errors["none.warc"].startswith("FileNotFoundError: ")
    pages = warc_pages(spark, str(crawl / "*")).collect()
    assert len([row for row in pages if not row.error]) == 18 * 3 + 1


def test_nothing_is_replaced_unless_asked(
    spark: Any, crawl: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    new = tmp_path / "new"
    new.mkdir()
    (new / "05.warc.gz").write_bytes(b"old")
    with pytest.raises(FileExistsError, match=r"new/05\.warc\.gz': the archive exists"):
        rewrite_warc(spark, crawl / "*", new)
    assert contents(new) == {"05.warc.gz": b"old"}
    done = rewrite_warc(spark, crawl / "*", new, resume=True)
    assert done.count() == 19
    assert contents(new) == expected(crawl, tmp_path) | {"05.warc.gz": b"old"}
    assert rewrite_warc(spark, crawl / "*", new, resume=True).count() == 0
    assert rewrite_warc(spark, crawl / "*", new, overwrite=True).count() == 20
    assert contents(new) == expected(crawl, tmp_path)


def test_all_tasks_have_the_date_of_the_driver(
    spark: Any, crawl: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [crawl / "00.warc.gz", crawl / "01.warc.gz"]
    # The workers have the variable of conftest.py.
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    rewrite_warc(spark, sources, tmp_path / "new")
    assert dates(tmp_path / "new") == {b"2001-09-09T01:46:40Z"}
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    started = time.time()
    rewrite_warc(spark, sources, tmp_path / "new", overwrite=True)
    [date] = dates(tmp_path / "new")
    assert abs(calendar.timegm(time.strptime(date.decode(), "%Y-%m-%dT%H:%M:%SZ")) - started) < 60


def dates(folder: pathlib.Path) -> set[bytes]:
    """The dates of the records that archives have got."""
    archives = map(gzip.decompress, contents(folder).values())
    found = {date for archive in archives for date in re.findall(rb"WARC-Date: (\S+)", archive)}
    return found - {b"2026-01-02T03:04:05Z"}


def test_mistakes_are_errors_at_once(
    spark: Any, crawl: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    new = tmp_path / "new"
    with pytest.raises(FileNotFoundError, match="no file matches"):
        rewrite_warc(spark, tmp_path / "*.wrc", new)
    with pytest.raises(TypeError, match="Did you mean 'standard'"):
        rewrite_warc(spark, crawl / "*", new, standad="x")
    with pytest.raises(TypeError, match="Did you mean 'standard'"):
        warc_pages(spark, crawl / "*", standad="x")
    with pytest.raises(ValueError, match="have one name"):
        rewrite_warc(spark, ["/a/x.warc", "/b/x.warc"], new)
    with pytest.raises(ValueError, match="overwrite=True or resume=True, not both"):
        rewrite_warc(spark, crawl / "*", new, overwrite=True, resume=True)
    with pytest.raises(absolve.BaseUrlError):
        rewrite_warc(spark, crawl / "*", new, base_url="x")
    assert not new.exists()


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
    rewrite_warc(spark, tmp_path / "crawl" / "*", tmp_path / "new")
    assert contents(tmp_path / "new") == expected(tmp_path / "crawl", tmp_path)
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
    spark: Any, crawl: pathlib.Path, tmp_path: pathlib.Path, store: dict[str, Any]
) -> None:
    import s3fs

    bucket = f"crawl-{os.getpid()}"
    files = s3fs.S3FileSystem(**store)
    files.mkdir(bucket)
    # One archive without a link to change.
    archives.write(crawl / "20.warc.gz", [("http://h/", b"<p>")])
    for path in crawl.iterdir():
        files.put(str(path), f"{bucket}/old/{path.name}")
    sources, new = f"s3://{bucket}/old/*.warc.gz", f"s3://{bucket}/new"
    rows = rewrite_warc(spark, sources, new, storage_options=store).collect()
    assert [row.error for row in rows] == [None] * 21
    files.invalidate_cache()
    found = {path.rpartition("/")[2]: files.cat(path) for path in files.find(f"{bucket}/new")}
    assert found == expected(crawl, tmp_path)
    with pytest.raises(FileExistsError, match="and 20 more"):
        rewrite_warc(spark, sources, new, storage_options=store)
    assert rewrite_warc(spark, sources, new, resume=True, storage_options=store).count() == 0
    links = links_of_warc(spark, sources, storage_options=store)
    assert links.where("error is null").count() == 2 * len(PAGES)
    missing = rewrite_warc(
        spark, f"s3://{bucket}/none", f"s3://{bucket}/x", storage_options=store
    ).collect()
    assert missing[0].error.startswith("FileNotFoundError")
    # From the store to a folder.
    rewrite_warc(spark, sources, tmp_path / "local", storage_options=store)
    assert contents(tmp_path / "local") == expected(crawl, tmp_path)
