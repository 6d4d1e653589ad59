"""Web archives for the tests."""

import gzip
import pathlib
from collections.abc import Iterable


def record(url: str, page: bytes) -> bytes:
    """A response with a page, in a gzip member."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
        f"WARC-Record-ID: <urn:x:{url}>\r\nContent-Type: application/http; msgtype=response\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 1, mtime=0)


def write(path: pathlib.Path, pages: Iterable[tuple[str, bytes]]) -> pathlib.Path:
    """An archive of pages with their URLs."""
    with path.open("wb") as file:
        for url, page in pages:
            file.write(record(url, page))
    return path


def write_many(folder: pathlib.Path, count: int, pages: list[tuple[str, bytes]]) -> None:
    """Archives of which each has some of the pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        write(folder / f"{number:02}.warc.gz", pages[number::count])
