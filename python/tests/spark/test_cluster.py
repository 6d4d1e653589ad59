"""A cluster of a master and two workers on loopback."""

import json
import os
import pathlib
import random
import re
import time
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

import absolve

from . import archives
from .cluster import ZSTD, Cluster, Job

JOB = pathlib.Path(__file__).with_name("job.py")

# How often the tests kill a worker; `ABSOLVE_LONG=1` for ten times.
KILLS = 10 if os.environ.get("ABSOLVE_LONG") else 1


def result(job: Job) -> dict[str, Any]:
    found = re.search(r"^RESULT (.*)$", job.end(), re.MULTILINE)
    assert found
    value: dict[str, Any] = json.loads(found[1])
    return value


def page(number: int) -> bytes:
    """A page of some 100 kB, which deflate works on for a while."""
    words = random.Random(number)
    link = "<p><a href={:x}.html>{:x}</a>"
    return "".join(
        link.format(words.getrandbits(32), words.getrandbits(64)) for _ in range(2000)
    ).encode()


PAGES = [(f"http://h/{number}/", page(number)) for number in range(320)]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages as a table of 32 files, and as 20 archives."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    folder = tmp_path_factory.mktemp("pages")
    for number in range(32):
        urls, pages = zip(*PAGES[number::32], strict=True)
        table = pa.table({"url": urls, "html": pages})
        parquet.write_table(table, folder / f"{number:02}.parquet", compression=ZSTD)
    crawl = tmp_path_factory.mktemp("crawl")
    archives.write_many(crawl, 20, PAGES)
    return {"table": str(folder), "archives": f"{crawl}/*"}


def wait_for(condition: Callable[[], bool], job: Job) -> None:
    """Waits until a job has some output."""
    end = time.monotonic() + 300
    while not condition():
        assert job.process.poll() is None, job.state()
        assert time.monotonic() < end, job.state()
        time.sleep(0.02)


def check_table(new: pathlib.Path) -> None:
    """The pages are those of the single machine, each once."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    rows = parquet.read_table(new).to_pylist()
    found = sorted((row["url"], row["html"], row["absolve_error"]) for row in rows)
    assert found == sorted((url, absolve.rewrite(page, url), None) for url, page in PAGES)


@pytest.mark.parametrize("turn", range(KILLS))
@pytest.mark.parametrize("work", ["table", "archives"])
def test_a_worker_is_killed_while_pages_are_rewritten(
    cluster: Cluster, sources: dict[str, str], tmp_path: pathlib.Path, work: str, turn: int
) -> None:
    new = tmp_path / "new"
    # A file is a task.
    split = {"sql__files__maxPartitionBytes": "4m", "sql__files__openCostInBytes": "4m"}
    job = cluster.job(JOB, work, sources[work], new, "0.2", **split)
    wait_for(lambda: len(list(new.glob("_temporary/*/task_*"))) >= 6, job)
    cluster.kill("worker2")
    assert not (new / "_SUCCESS").exists()
    try:
        assert result(job)["rows"] == 320
    finally:
        cluster.start_worker("worker2")
    check_table(new)


def test_the_package_is_shipped_as_an_archive(cluster: Cluster, tmp_path: pathlib.Path) -> None:
    # A wheel is such an archive.
    package = pathlib.Path(absolve.__file__).parent
    with zipfile.ZipFile(tmp_path / "absolve.zip", "w") as wheel:
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                wheel.write(path, pathlib.Path("absolve") / path.relative_to(package))
    job = tmp_path / "job.py"
    job.write_text(
        "import absolve\n"
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\n"
        "where = lambda _: [__import__('absolve').__file__]\n"
        "print('RESULT', spark.sparkContext.parallelize([0], 1).mapPartitions(where).collect())\n"
    )
    shipped = cluster.job(
        job, archives=f"{tmp_path}/absolve.zip#site", executorEnv__PYTHONPATH="site"
    )
    output = shipped.end()
    found = re.search(r"^RESULT \['(.*)'\]$", output, re.MULTILINE)
    assert found
    assert "/site/absolve/" in found[1] or found[1].startswith("site/absolve/")
