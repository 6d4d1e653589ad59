"""Measures how fast archives are read, in turns, and what a month of Common Crawl costs so.

    python benches/archives.py ROUNDS ARCHIVE.warc.gz...
    python benches/archives.py ROUNDS SITE...

Of folders of pages, such as those of the Debian package python3.11-doc, it makes one archive of
gzip members first. It prints the least CPU time of one thread, and where FastWARC is installed that
of its ArchiveIterator too, which parses HTTP and reads the bodies; it finds as many.
"""

import functools
import gc
import gzip
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable

import absolve

# Megabytes of a month: 90,000 archives of 1 GB.
MONTH = 90e6
ANCHORS = ["element", "url", "text", "nofollow"]


def member(url: str, page: bytes) -> bytes:
    """A response with a page, in a gzip member as crawlers write it."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
        f"Content-Type: application/http;msgtype=response\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 6, mtime=0)


def pages(path: pathlib.Path) -> int:
    with absolve.WarcReader(path) as reader:
        return sum(map(len, reader.pages()))


def links(columns: list[str] | None, path: pathlib.Path) -> None:
    with absolve.WarcReader(path) as reader:
        for _ in reader.links(columns=columns):
            pass


def with_fastwarc(path: pathlib.Path) -> int:
    import fastwarc

    with path.open("rb") as file:
        kind = fastwarc.WarcRecordType.response
        records = fastwarc.ArchiveIterator(file, record_types=kind, parse_http=True)
        bodies = (one.reader.read() for one in records if one.http_content_type == "text/html")
        return sum(1 for _ in bodies)


def measure(path: pathlib.Path, rounds: int) -> None:
    jobs: dict[str, Callable[[pathlib.Path], object]] = {
        "read_pages": pages,
        "read_links, url": functools.partial(links, ["url"]),
        f"read_links, {', '.join(ANCHORS)}": functools.partial(links, ANCHORS),
        "read_links": functools.partial(links, None),
    }
    try:
        assert with_fastwarc(path) == pages(path)
        jobs["FastWARC"] = with_fastwarc
    except ImportError:
        pass
    times: dict[str, float] = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            gc.collect()
            before = time.process_time()
            job(path)
            times[name] = min(times[name], time.process_time() - before)
    size = path.stat().st_size / 1e6
    print(f"{path.name}, {size:.1f} MB, the best of {rounds} rounds")
    for name, taken in times.items():
        hours = MONTH / (size / taken) / 3600
        print(f"{name:45} {taken * 1e3:7.1f} ms {size / taken:6.1f} MB/s {hours:6.0f} core hours")


def main() -> None:
    rounds, *found = sys.argv[1:]
    places = list(map(pathlib.Path, found))
    for path in filter(pathlib.Path.is_file, places):
        measure(path, int(rounds))
    sites = filter(pathlib.Path.is_dir, places)
    documents = [path for site in sites for path in sorted(site.rglob("*.html")) if path.is_file()]
    if documents:
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder, "pages.warc.gz")
            with archive.open("wb") as file:
                for path in documents:
                    file.write(member(f"http://example.org{path}", path.read_bytes()))
            measure(archive, int(rounds))


if __name__ == "__main__":
    main()
