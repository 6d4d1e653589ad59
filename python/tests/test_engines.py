"""The examples of docs/scale.md run, each where its package is installed."""

import pathlib
import re
import subprocess
import sys

import pytest

import absolve

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "scale.md"

# Packages with another name than their engine.
PACKAGES = {"Sail": "pysail"}

PAGES = ["<a href=x>", None, "<img src=y>"]


def blocks() -> dict[str, str]:
    """The Python below each heading of an engine."""
    if not DOCUMENT.exists():
        return {}
    sections = re.split(r"^## ", DOCUMENT.read_text("utf-8"), flags=re.MULTILINE)[1:]
    block = re.compile(r"(\w+).*?\n```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return {found[1]: found[2] for found in map(block.match, sections) if found}


@pytest.mark.parametrize("engine", list(blocks()))
def test_an_engine_takes_the_function(engine: str, tmp_path: pathlib.Path) -> None:
    package = PACKAGES.get(engine, engine.lower())
    pytest.importorskip(package, reason=f"{engine} is not installed")
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    table = pa.table({"id": range(3), "url": ["http://h/a/"] * 3, "html": PAGES})
    parquet.write_table(table, tmp_path / "pages.parquet")
    code = blocks()[engine]
    assert len(code.splitlines()) <= 14, "ten lines, and imports"
    (tmp_path / "example.py").write_text(code, "utf-8")
    done = subprocess.run(
        [sys.executable, "example.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    rows = parquet.read_table(tmp_path / "new.parquet").to_pylist()
    expected = [page and absolve.rewrite(page, "http://h/a/") for page in PAGES]
    assert [row["html"] for row in sorted(rows, key=lambda row: row["id"])] == expected
