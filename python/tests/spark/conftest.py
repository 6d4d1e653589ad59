"""Spark for the tests: a session in this process, and a cluster on loopback."""

import os
import pathlib
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from .cluster import Cluster, loopback

PAGES = ("fixtures", "python3.11-doc", "postgresql-doc-15")
PROJECT = pathlib.Path(__file__).parents[3]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips the tests of this folder where Spark cannot run."""
    if reason := missing():
        for item in items:
            if pathlib.Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))


def missing() -> str | None:
    for package in ("pyspark", "pyarrow", "pandas"):
        try:
            __import__(package)
        except ImportError:
            return f"{package} is not installed: pip install 'absolve[spark]'"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Java is not installed: apt-get install openjdk-17-jre-headless"
    return None


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session with two threads in this process."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[2]").appName("absolve")
    # A page of 50 MB is in the heap of Java several times; 1 GiB, the default, was once too little.
    builder = builder.config("spark.driver.memory", "4g")
    for name, value in loopback(tmp_path_factory.mktemp("spark")).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers of one core each, in processes that end with the tests."""
    if sys.platform != "linux":
        pytest.skip("the processes of the cluster end with the tests on Linux only")
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture(scope="session", params=PAGES)
def site(request: pytest.FixtureRequest) -> list[pathlib.Path]:
    """Pages of the project, and of sites where ABSOLVE_TEST_SITES names their folder."""
    if request.param == "fixtures":
        folder = PROJECT / "fixtures"
    elif sites := os.environ.get("ABSOLVE_TEST_SITES"):
        folder = pathlib.Path(sites) / request.param
    else:
        pytest.skip("ABSOLVE_TEST_SITES names no folder of sites")
    found = sorted(path for path in folder.rglob("*.html") if path.is_file())
    if not found:
        pytest.skip(f"no pages below {folder}")
    return found
