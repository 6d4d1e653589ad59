"""Measures absolve.spark in CPU seconds, beside the command and lxml, and its memory.

    python benches/spark.py columns SITE... [--megabytes 133]
    python benches/spark.py archives SITE... [--archives 8] [--megabytes 128]

SITE are folders of pages, such as those of the Debian package python3.11-doc. ABSOLVE_COMMAND is
the command, `absolve` unless set. The session is `local[1]` for columns and `local[2]` for
archives. Results are lines of JSON.
"""

import argparse
import gzip
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql import SparkSession

import absolve
from absolve.spark import _columns, links_of_warc, rewrite_column, warc_pages

COMMAND = os.environ.get("ABSOLVE_COMMAND", "absolve")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["columns", "archives"])
    parser.add_argument("sites", nargs="+", type=pathlib.Path)
    parser.add_argument("--archives", type=int, default=8)
    parser.add_argument("--megabytes", type=float, default=133)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    found = [path for site in arguments.sites for path in sorted(site.rglob("*.html"))]
    pages = [(f"http://example.org{path}", path.read_bytes()) for path in found if path.is_file()]
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        if arguments.what == "columns":
            columns(place, pages, arguments.megabytes, arguments.turns)
        else:
            archives(place, pages, arguments.archives, arguments.megabytes)


def report(**values: Any) -> None:
    print(json.dumps({name: round(value, 3) for name, value in values.items()}), flush=True)


def session(threads: int, folder: pathlib.Path) -> SparkSession:
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = SparkSession.builder.master(f"local[{threads}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.local.dir", str(folder)).config("spark.driver.memory", "2g")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def command(*arguments: object) -> float:
    """The CPU seconds of a run of the command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([COMMAND, *map(str, arguments)], check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def columns(
    folder: pathlib.Path, pages: list[tuple[str, bytes]], megabytes: float, turns: int
) -> None:
    """CPU seconds of the function, of lxml in the same task, and of the command."""
    pages = repeated(pages, megabytes)
    size = sum(len(page) for _, page in pages)
    for number, (_, page) in enumerate(pages):
        path = folder / "tree" / f"{number:06}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(page)
    urls, documents = zip(*pages, strict=True)
    table = pa.table({"url": urls, "html": pa.array(documents, pa.binary())})
    parquet.write_table(table, folder / "pages.parquet", row_group_size=500)
    spark = session(1, folder)
    frame = spark.read.parquet(str(folder / "pages.parquet"))
    _columns._bound_batches(spark)
    schema = "absolve double, lxml double, rss long"
    for turn in range(turns):
        row = frame.mapInArrow(timed, schema).groupBy().sum("absolve", "lxml").first()
        tree = folder / f"new{turn}"
        whole = command("rewrite", "-j1", "-b", "http://example.org/", folder / "tree", "-o", tree)
        assert row is not None
        report(bytes=size, pages=len(pages), absolve=row[0], lxml=row[1], command=whole)
    report(worker_rss_mib=peak(spark, 1))
    spark.stop()


def timed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The CPU seconds of absolve and of lxml in a batch."""
    import lxml.html

    for batch in batches:
        started = time.process_time()
        for part in _columns._slices([batch], 1):
            absolve.rewrite_array(part.column(1), part.column(0), threads=1)
        middle = time.process_time()
        for url, page in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            tree = lxml.html.document_fromstring(page)
            tree.make_links_absolute(url)
            lxml.html.tostring(tree)
        end = time.process_time()
        yield pa.RecordBatch.from_pydict(
            {"absolve": [middle - started], "lxml": [end - middle], "rss": [0]}
        )


def peak(spark: SparkSession, threads: int) -> float:
    """The most memory of the Python workers, in MiB: they are those of the jobs before."""

    def used(_: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        time.sleep(1)
        yield pa.RecordBatch.from_pydict(
            {"rss": [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]}
        )

    rows = spark.range(0, threads, 1, threads).mapInArrow(used, "rss long").collect()
    return float(max(row.rss for row in rows)) / 1024


def archives(
    folder: pathlib.Path, pages: list[tuple[str, bytes]], count: int, megabytes: float
) -> None:
    """Seconds with archives of `megabytes`, and the memory of Python."""
    (folder / "crawl").mkdir()
    members = [member(url, page) for url, page in pages]
    raw = sum(len(page) for _, page in pages)
    rounds = max(1, round(megabytes * 1e6 / sum(map(len, members))))
    for number in range(count):
        with (folder / "crawl" / f"{number}.warc.gz").open("wb") as file:
            for _ in range(rounds):
                file.writelines(members)
    size = sum(path.stat().st_size for path in (folder / "crawl").iterdir())
    report(archives=count, bytes=size, html=raw * rounds * count)
    started = time.monotonic()
    spark = session(2, folder)
    spark.range(2).mapInArrow(lambda batches: batches, "id long").collect()
    report(spark_start=time.monotonic() - started)
    started = time.monotonic()
    rewrite_column(warc_pages(spark, folder / "crawl" / "*")).write.parquet(str(folder / "new"))
    report(rewrite_seconds=time.monotonic() - started, worker_rss_mib=peak(spark, 2))
    started = time.monotonic()
    found = links_of_warc(spark, folder / "crawl" / "*").count()
    report(links=found, links_seconds=time.monotonic() - started, worker_rss_mib=peak(spark, 2))
    spark.stop()


def member(url: str, page: bytes) -> bytes:
    """A response with a page, in a gzip member as crawlers write it."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 6, mtime=0)


def repeated(pages: list[tuple[str, bytes]], megabytes: float) -> list[tuple[str, bytes]]:
    """The pages, repeated until they have `megabytes`, at least once."""
    times = round(megabytes * 1e6 / sum(len(page) for _, page in pages))
    return pages * max(1, times)


if __name__ == "__main__":
    main()
