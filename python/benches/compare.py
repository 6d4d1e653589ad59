"""Times absolve beside other rewriters that a Python program could use, in turns.

usage: compare.py FOLDER [ROUNDS]

Pages are the *.html below FOLDER; the page FOLDER/a/b.html was retrieved from
http://host.example/a/b.html. Each round times every tool once on the same pages, in CPU seconds of
the thread or process; what is printed is the median of the rounds, and of the ratios of each round.
Each output is checked: it has as many links as the page, and no relative `href` or `src` but empty
ones; every round gives as many bytes. A tool that is not installed has no row.

absolve and lxml make every link absolute that they know, the others `href` and `src`. turbohtml
takes `str`, and gets pages that are decoded beforehand.

The loop in Rust is `target/release/examples/column_loop`, or that of ABSOLVE_COLUMN_LOOP.
"""

import functools
import gc
import importlib.metadata
import os
import pathlib
import statistics
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import absolve

ROOT = "http://host.example/"
LOOP = pathlib.Path(__file__).parents[2] / "target/release/examples/column_loop"
# Every page for what is fast, and one in this many beside what is slow.
SAMPLE = 10
# Calls of a round with one small page.
CALLS = 2000
ATTRIBUTES = ("href", "src")


class Page(NamedTuple):
    """A page, and where it was retrieved from."""

    source: bytes
    text: str
    url: str


Rewrite = Callable[[Page], str | bytes]


def with_lxml() -> Rewrite:
    import lxml.html

    def rewrite(page: Page) -> str | bytes:
        tree = lxml.html.document_fromstring(page.source)
        tree.make_links_absolute(page.url, handle_failures="ignore")
        return bytes(lxml.html.tostring(tree))

    return rewrite


def with_beautifulsoup() -> Rewrite:
    import bs4

    def rewrite(page: Page) -> str | bytes:
        soup = bs4.BeautifulSoup(page.source, "lxml")
        for name in ATTRIBUTES:
            for tag in soup.find_all(attrs={name: True}):
                tag[name] = urllib.parse.urljoin(page.url, tag[name])
        return str(soup)

    return rewrite


def with_selectolax() -> Rewrite:
    from selectolax.lexbor import LexborHTMLParser

    def rewrite(page: Page) -> str | bytes:
        tree = LexborHTMLParser(page.source)
        for name in ATTRIBUTES:
            for node in tree.css(f"[{name}]"):
                node.attrs[name] = urllib.parse.urljoin(page.url, node.attributes[name] or "")
        return tree.html or ""

    return rewrite


def with_turbohtml() -> Rewrite:
    from turbohtml.rewrite import rewrite as stream

    def rewrite(page: Page) -> str | bytes:
        def handler(name: str) -> Callable[[Any], None]:
            def join(element: Any) -> None:
                reference = element.get(name) or ""
                element.set_attribute(name, urllib.parse.urljoin(page.url, reference))

            return join

        return str(
            stream(page.text, elements=[(f"[{name}]", handler(name)) for name in ATTRIBUTES])
        )

    return rewrite


def with_turbohtml_tree() -> Rewrite:
    import turbohtml

    def rewrite(page: Page) -> str | bytes:
        tree = turbohtml.parse(page.text, source_locations=True)
        tree.resolve_links(page.url)
        return str(tree.to_source())

    return rewrite


def with_absolve() -> Rewrite:
    return lambda page: absolve.rewrite(page.source, page.url)


TOOLS: dict[str, tuple[str, Callable[[], Rewrite]]] = {
    "absolve.rewrite": ("absolve", with_absolve),
    "turbohtml.rewrite": ("turbohtml", with_turbohtml),
    "turbohtml, to_source": ("turbohtml", with_turbohtml_tree),
    "selectolax": ("selectolax", with_selectolax),
    "lxml.html": ("lxml", with_lxml),
    "BeautifulSoup": ("beautifulsoup4", with_beautifulsoup),
}


def relative(output: str | bytes, url: str) -> tuple[int, list[str]]:
    """The number of links in `href` and `src`, and those that are relative."""
    links = absolve.links(output, url, only=ATTRIBUTES, base_element="keep")
    return len(links), [
        link.reference
        for link in links
        if link.reference and link.url and link.url != link.reference.strip()
    ]


def check(name: str, rewrite: Rewrite, pages: list[Page]) -> None:
    """Asserts that a tool does the work."""
    for page in pages:
        before, _ = relative(page.source, page.url)
        after, rest = relative(rewrite(page), page.url)
        assert before == after, f"{name}: {page.url} has {before} links, and then {after}"
        assert not rest, f"{name}: {page.url} has relative links: {rest[:5]}"


def timed(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.thread_time()
    work()
    return time.thread_time() - start


def each(rewrite: Rewrite, pages: list[Page], sizes: set[int]) -> None:
    """Rewrites each page; the sum of the lengths is the same in every round."""
    sizes.add(sum(len(rewrite(page)) for page in pages))
    assert len(sizes) == 1, sizes


def compare_pages(pages: list[Page], rounds: int) -> None:
    """Each tool on the same pages."""
    tools: dict[str, Rewrite] = {}
    for name, (package, make) in TOOLS.items():
        try:
            tools[name] = make()
        except ImportError as error:
            print(f"{name}: not installed ({error})")
            continue
        print(f"{name}: {package} {importlib.metadata.version(package)}")
        check(name, tools[name], pages)
    times: dict[str, list[float]] = {name: [] for name in tools}
    sizes: dict[str, set[int]] = {name: set() for name in tools}
    for _ in range(rounds):
        for name, rewrite in tools.items():
            # What is fast is repeated, so that each has a time that the clock measures well.
            repeats = 10 if name == "absolve.rewrite" else 1
            work = functools.partial(each, rewrite, pages * repeats, sizes[name])
            times[name].append(timed(work) / repeats)
    megabytes = sum(len(page.source) for page in pages) / 1e6
    print(f"\n{len(pages)} pages, {megabytes:.1f} MB, medians of {rounds} rounds, CPU time")
    for name, values in times.items():
        pairs = zip(times["absolve.rewrite"], values, strict=True)
        ratio = statistics.median(theirs / ours for ours, theirs in pairs)
        middle = statistics.median(values)
        each_page = middle / len(pages) * 1e6
        print(f"{name:<22}{each_page:>10.1f} µs a page{megabytes / middle:>9.1f} MB/s{ratio:>8.1f}")


def repeat(call: Callable[[], bytes]) -> None:
    for _ in range(CALLS):
        call()


def compare_small(pages: list[Page], rounds: int) -> None:
    """The first 5 kB of a page, with options read for each call and once."""
    page = pages[len(pages) // 2]
    page = page._replace(source=page.source[: page.source.rindex(b"<", 0, 5000)])
    rewriter = absolve.Rewriter()
    calls: dict[str, Callable[[], bytes]] = {
        "rewrite()": lambda: absolve.rewrite(page.source, page.url),
        "Rewriter().rewrite()": lambda: rewriter.rewrite(page.source, page.url),
    }
    links = len(absolve.links(page.source))
    print(f"\na page of {len(page.source)} bytes with {links} links")
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(3 * rounds):
        for name, call in calls.items():
            times[name].append(timed(functools.partial(repeat, call)) / CALLS)
    for name, values in times.items():
        print(f"{name:<22}{statistics.median(values) * 1e6:>8.2f} µs")


class Loop:
    """The loop in Rust, which does one round a line of input."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path) -> None:
        self.process = subprocess.Popen(
            [program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        assert self.process.stdout.readline() == "ready\n"

    def seconds(self) -> float:
        """The time that its only thread ran."""
        schedule = pathlib.Path(f"/proc/{self.process.pid}/schedstat")
        return int(schedule.read_text().split()[0]) / 1e9

    def round(self) -> tuple[float, int]:
        """The time of a round, and the bytes that it made."""
        assert self.process.stdin
        assert self.process.stdout
        start = self.seconds()
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        size = int(self.process.stdout.readline())
        return self.seconds() - start, size

    def end(self) -> None:
        self.process.communicate()


def compare_columns(pages: list[Page], folder: pathlib.Path, rounds: int) -> None:
    """`rewrite_array` beside the loop in Rust, which makes the same bytes in one buffer."""
    try:
        import pyarrow as pa
    except ImportError:
        print("\npyarrow is not installed: no comparison of columns")
        return
    program = pathlib.Path(os.environ.get("ABSOLVE_COLUMN_LOOP", LOOP))
    loop = Loop(program, folder) if program.exists() else None
    documents = pa.array([page.source for page in pages], pa.large_binary())
    bases = pa.array([page.url for page in pages])
    expected = sum(len(absolve.rewrite(page.source, page.url)) for page in pages)

    def column(threads: int) -> tuple[float, float]:
        gc.collect()
        wall, spent = time.perf_counter(), time.process_time()
        result = absolve.rewrite_array(documents, bases, threads=threads)
        spent, wall = time.process_time() - spent, time.perf_counter() - wall
        made = pa.array(result).field("document")
        assert sum(len(document.as_buffer()) for document in made) == expected
        return spent, wall

    names = ["loop in Rust", "1 thread", "2 threads", "2 threads, wall", "1 thread, wall"]
    times: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(3 * rounds):
        if loop:
            spent, size = loop.round()
            assert size == expected
            times["loop in Rust"].append(spent)
        for threads in (1, 2):
            name = "1 thread" if threads == 1 else "2 threads"
            spent, wall = column(threads)
            times[name].append(spent)
            times[f"{name}, wall"].append(wall)
    if loop:
        loop.end()
    else:
        print(f"\n{program} is not built: no comparison with a loop in Rust")
    print(f"\nrewrite_array, {len(pages)} pages, {documents.nbytes / 1e6:.1f} MB")
    for name, values in times.items():
        if values:
            middle, least = statistics.median(values) * 1e3, min(values) * 1e3
            print(f"{name:<22}{middle:>8.1f} ms, least {least:.1f}")
    pairs = [("1 thread", "loop in Rust"), ("1 thread, wall", "2 threads, wall")]
    for one, other in pairs:
        ratios = [a / b for a, b in zip(times[one], times[other], strict=False)]
        if ratios:
            print(f"{one} / {other}: {statistics.median(ratios):.3f}")


def read(folder: pathlib.Path) -> Iterator[Page]:
    for path in sorted(folder.rglob("*.html")):
        source = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        try:
            text = source.decode()
        except UnicodeDecodeError:
            continue
        if source:
            place = urllib.parse.quote(path.relative_to(folder).as_posix())
            yield Page(source, text, ROOT + place)


def main() -> None:
    if not 2 <= len(sys.argv) <= 3 or not pathlib.Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    folder, rounds = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    pages = list(read(folder))
    compare_small(pages, rounds)
    compare_columns(pages, folder, rounds)
    compare_pages(pages[::SAMPLE], rounds)


if __name__ == "__main__":
    main()
