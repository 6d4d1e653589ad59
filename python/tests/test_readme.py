"""Every block of Python in the README runs, and prints the text block that follows it."""

import ast
import contextlib
import io
import pathlib
import re
from typing import Any

import pytest

README = pathlib.Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
PAGE = "<base href=/docs/><P CLASS=x><A HREF=../a?x=1&amp;y=2>a</A><a href='#'>b</a>"
ABSOLUTE = {
    "lxml": '<a href="http://example.org/a?x=1&amp;y=2">',
    "bs4": '<a href="http://example.org/a?x=1&amp;y=2">',
    "absolve": "<P CLASS=x><A HREF=http://example.org/a?x=1&amp;y=2>a</A>",
}


def blocks() -> list[tuple[int, str, str | None]]:
    text = README.read_text("utf-8") if README.exists() else ""
    found = BLOCK.finditer(text)
    return [(text.count("\n", 0, block.start()) + 1, block[1], block[2]) for block in found]


def imported(source: str) -> list[str]:
    """The packages that a block imports."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
    return [name.split(".")[0] for name in names]


@pytest.mark.parametrize(
    ("line", "source", "output"), blocks(), ids=[f"line {line}" for line, _, _ in blocks()]
)
def test_a_block_runs(line: int, source: str, output: str | None, tmp_path: pathlib.Path) -> None:
    packages = imported(source)
    for package in packages:
        pytest.importorskip(package, reason=f"{package} is not installed")
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<a href=x>")
    names = {"page": PAGE, "url": "http://example.org/docs/b.html", "site": site}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * line + source, str(README), "exec"), names)
    assert output is None or printed.getvalue() == output
    if isinstance(absolute := names.get("absolute"), str):
        assert next(text for name, text in ABSOLUTE.items() if name in packages) in absolute


def test_links_work_on_an_index() -> None:
    text = README.read_text("utf-8")
    links = re.findall(r"(?:\]\(|^\[\w+\]: )([^)\s]+)", text, re.MULTILINE)
    assert links
    for link in links:
        assert link.startswith("https://"), link
        if path := link.partition("/absolve/blob/main/")[2]:
            assert (README.parents[1] / path.partition("#")[0]).is_file(), link


def test_the_spider_of_the_readme_follows_links() -> None:
    scrapy = pytest.importorskip("scrapy", reason="Scrapy is not installed")
    source = next(source for _, source, _ in blocks() if "scrapy.Spider" in source)
    names: dict[str, object] = {}
    exec(source, names)
    spider = names["Pages"]
    assert isinstance(spider, type)
    response = scrapy.http.HtmlResponse("http://h/a/", body=b"<A HREF=x><img src=y>")
    item, request = spider().parse(response)
    assert item == {"url": "http://h/a/", "html": b"<A HREF=http://h/a/x><img src=http://h/a/y>"}
    assert request.url == "http://h/a/x"


def test_the_snippets_after_those_of_parsel_have_its_results() -> None:
    for package in ("parsel", "pyarrow"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    sources = [source for _, source, _ in blocks()]
    first = next(number for number, source in enumerate(sources) if "from parsel" in source)
    links = "<base href=/docs/><a ping=p href=../a>A  b</a><a href=//g/>C</a><img src=i alt=D>"
    page = f"{links}<meta http-equiv=refresh content='0;url=r'>"
    before: dict[str, Any] = {"page": page, "url": "http://example.org/docs/b.html"}
    after = dict(before)
    exec(sources[first], before)
    exec(sources[first + 1], after)
    for name in ("anchors", "media", "refresh", "texts", "next_page"):
        assert after[name] == before[name], name
    assert set(after["elsewhere"]) == before["elsewhere"] == {"http://g/"}
