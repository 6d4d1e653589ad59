"""The files of a crawl."""

import pathlib
from typing import Any

import pytest

import absolve


def record(url: str, body: str) -> str:
    block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}"
    fields = f"WARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z"
    return f"WARC/1.1\r\n{fields}\r\nContent-Length: {len(block)}\r\n\r\n{block}\r\n\r\n"


@pytest.fixture
def archives(tmp_path: pathlib.Path) -> list[pathlib.Path]:
    paths = [tmp_path / "1.warc", tmp_path / "2.warc"]
    paths[0].write_text(record("http://h/a", "<a href=b?c>b</a><a href=d>d</a>"), newline="")
    paths[1].write_text(record("http://h/b?c", "<a href=/a>a</a>"), newline="")
    return paths


def test_links_lead_to_the_files(archives: list[pathlib.Path], tmp_path: pathlib.Path) -> None:
    site = tmp_path / "site"
    result = absolve.extract(archives, site, to="relative")
    assert (result.files, result.missing, result.failures) == (2, 1, [])
    assert repr(result).startswith("ExtractResult(files=2, ")
    page = (site / "h/a.html").read_text()
    assert page == "<a href=b@c.html>b</a><a href=http://h/d>d</a>"
    assert (site / "h/b@c.html").read_text() == "<a href=a.html>a</a>"


def test_options_select(archives: list[pathlib.Path], tmp_path: pathlib.Path) -> None:
    site = tmp_path / "site"
    assert absolve.extract(tmp_path, site, url="http://h/a").files == 1
    assert (site / "h/a.html").read_text() == "<a href=b?c>b</a><a href=d>d</a>"
    with pytest.raises(absolve.Error, match="of status 200 unless status is given"):
        absolve.extract(archives[0], tmp_path / "none", at="1999")
    with pytest.raises(absolve.Error, match="1 link to what the crawl does not have"):
        absolve.extract(archives, tmp_path / "none", to="relative", missing="error")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("several", [list, tuple, set, iter, lambda paths: (one for one in paths)])
def test_archives_are_one_crawl(
    archives: list[pathlib.Path], tmp_path: pathlib.Path, several: Any
) -> None:
    assert absolve.extract(several(archives), tmp_path / "site").files == 2


def test_errors(archives: list[pathlib.Path], tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileExistsError):
        absolve.extract(archives, tmp_path)
    with pytest.raises(FileNotFoundError):
        absolve.extract(tmp_path / "gone.warc", tmp_path / "none")
    with pytest.raises(ZeroDivisionError):
        absolve.extract(archives, tmp_path / "none", progress=lambda done, total: 1 / 0)
    assert not (tmp_path / "none").exists()


def test_a_folder_of_archives_is_no_site_and_no_tree(
    archives: list[pathlib.Path], tmp_path: pathlib.Path
) -> None:
    with pytest.raises(absolve.Error, match="it has only web archives"):
        absolve.audit(archives[0].parent)
    with pytest.raises(absolve.Error, match="a web archive is read and not rewritten"):
        absolve.rewrite_tree(tmp_path, tmp_path / "new")
