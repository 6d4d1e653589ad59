"""The examples run, in processes of their own."""

import os
import pathlib
import subprocess
import sys

import pytest

import absolve

from . import archives
from .cluster import ZSTD, loopback

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples" / "spark"

pytestmark = pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples are not here")


def run(folder: pathlib.Path, script: str, *arguments: object) -> str:
    """The output of an example in a session of two threads."""
    settings = folder / "spark-defaults.conf"
    lines = [f"{name} {value}\n" for name, value in loopback(folder).items()]
    settings.write_text("spark.master local[2]\n" + "".join(lines))
    environment = {**os.environ, "SPARK_CONF_DIR": str(folder), "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, EXAMPLES / script, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_a_table_is_absolutized(tmp_path: pathlib.Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    pages = ["<a href=x>", None, "<a href=y>"]
    urls = ["http://h/", "http://h/", "x"]
    table = pa.table({"page": pages, "at": urls})
    parquet.write_table(table, tmp_path / "pages.parquet", compression=ZSTD)
    arguments = tmp_path / "pages.parquet", tmp_path / "new", "page", "at"
    assert "3 pages, of which 1 failed" in run(tmp_path, "absolutize_table.py", *arguments)
    new = parquet.read_table(tmp_path / "new")
    assert new["page"].to_pylist() == [absolve.rewrite("<a href=x>", "http://h/"), *pages[1:]]


def test_a_graph_of_hosts(tmp_path: pathlib.Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    (tmp_path / "crawl").mkdir()
    archives.write(
        tmp_path / "crawl" / "1.warc.gz",
        [("http://a/", b"<a href=x><a href=//B/>"), ("http://a/2", b"<a href=http://b:80/y>")],
    )
    archives.write(
        tmp_path / "crawl" / "2.warc.gz", [("https://b/", b"<a href=mailto:x><img src=z>")]
    )
    run(tmp_path, "link_graph.py", f"{tmp_path}/crawl/*", tmp_path / "graph")
    hosts = parquet.read_table(tmp_path / "graph" / "hosts").to_pylist()
    edges = parquet.read_table(tmp_path / "graph" / "edges").to_pylist()
    assert sorted((row["host"], row["pages"]) for row in hosts) == [("a", 2), ("b", 1)]
    assert edges == [{"source": "a", "target": "b", "links": 2}]
