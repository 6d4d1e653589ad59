#!/usr/bin/env python3
"""Times what lists links, resolves references and reads web archives in Python, all in turn.

    readers.py WHEEL FOLDER ARCHIVE...

WHEEL is that of absolve, FOLDER has pages, and each ARCHIVE is a `.warc.gz`. The script installs the wheel
and its peers into a virtual environment of its own, and prints a table for each job: CPU time of one thread,
medians of ROUNDS rounds in which all take turns. It takes every SAMPLE-th page, since some tools are slow.

Tools that list links get the pages as text, and their retrieval URLs if they take them. Readers of archives
iterate over the responses, parse their HTTP headers and read their bodies; the script fails where the number
of bodies or their bytes differ. So it does where the link extractors of Scrapy and absolve find other links
on more than NESTED pages, those with anchors in anchors.
"""

import functools
import gc
import importlib.metadata
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

# The xml.py beside this file is not the one of the standard library.
del sys.path[0]

ROUNDS, SAMPLE, NESTED = 5, 10, 2
ROOT = "http://host.example/"
PEERS = "FastWARC resiliparse warcio turbohtml selectolax lxml Scrapy w3lib courlan ada-url pyarrow".split()


def extracting(pages):
    from absolve.scrapy import LinkExtractor
    from scrapy.http import HtmlResponse
    from scrapy.linkextractors import LinkExtractor as ScrapyExtractor

    ours, theirs = LinkExtractor(), ScrapyExtractor()

    def extracted(extractor):
        # A new response each time: Scrapy keeps the tree in it, and the text is what both begin with.
        def run(text, url):
            return extractor.extract_links(HtmlResponse(url, body=text.encode(), encoding="utf-8"))

        return run

    differences = sum(extracted(ours)(*page) != extracted(theirs)(*page) for page in pages)
    assert differences <= NESTED, f"{differences} pages have other links for Scrapy"
    yield "absolve", "`scrapy.LinkExtractor`", extracted(ours)
    yield "Scrapy", "`LinkExtractor`", extracted(theirs)


def listing():
    """The tools, by their package and what is called, and the links that each finds in a page."""
    import absolve
    import courlan
    import lxml.html
    import turbohtml
    from resiliparse.parse.html import HTMLTree
    from selectolax.lexbor import LexborHTMLParser

    yield "absolve", "`urls`", absolve.urls
    yield "absolve", "`links`", absolve.links
    yield "turbohtml", "`parse().links()`, not resolved", lambda text, _: list(turbohtml.parse(text).links())
    # Iterating over the elements themselves takes quadratic time.
    yield "resiliparse", "`href` of `a`, not resolved", lambda text, _: [
        anchor.getattr("href") for anchor in HTMLTree.parse(text).body.query_selector_all("a[href]").values()
    ]
    yield "selectolax", "`href` of `a`, not resolved", lambda text, _: [
        anchor.attributes.get("href") for anchor in LexborHTMLParser(text).css("a[href]")
    ]
    yield "lxml", "`iterlinks()`, not resolved", lambda text, _: list(
        lxml.html.document_fromstring(text.encode()).iterlinks()
    )
    yield "courlan", "`extract_links`", lambda text, url: courlan.extract_links(text, url, no_filter=True)


def resolving():
    import absolve
    import ada_url
    import courlan
    import w3lib.url

    join = urllib.parse.urljoin
    yield "absolve", "`resolve`", absolve.resolve
    yield "absolve", '`resolve`, `"whatwg"`', lambda base, reference: absolve.resolve(base, reference, "whatwg")
    yield "ada-url", "`join_url`", ada_url.join_url
    yield "Python", "`urllib.parse.urljoin`", join
    yield "courlan", "`fix_relative_urls`", courlan.fix_relative_urls
    yield "w3lib", "`safe_url_string(urljoin())`", lambda base, reference: w3lib.url.safe_url_string(
        join(base, reference)
    )


def reading():
    import absolve
    import fastwarc
    import pyarrow
    import warcio.archiveiterator

    def read_pages(path):
        with absolve.WarcReader(path) as archive:
            for batch in archive.pages():
                html = pyarrow.array(batch).field("html")
                yield len(html), html.buffers()[2].size

    def read_links(path, columns=None):
        with absolve.WarcReader(path) as archive:
            return sum(map(len, archive.links(columns=columns))) and None

    def with_fastwarc(path):
        with open(path, "rb") as file:
            kind = fastwarc.WarcRecordType.response
            for record in fastwarc.ArchiveIterator(file, record_types=kind, parse_http=True):
                if record.http_content_type == "text/html":
                    yield 1, len(record.reader.read())

    def with_warcio(path):
        with open(path, "rb") as file:
            for record in warcio.archiveiterator.ArchiveIterator(file):
                if record.rec_type == "response":
                    yield 1, len(record.content_stream().read())

    def total(read):
        return lambda path: tuple(map(sum, zip(*read(path), strict=True)))

    yield "absolve", "`WarcReader.pages`", total(read_pages)
    yield "FastWARC", "`ArchiveIterator`", total(with_fastwarc)
    yield "warcio", "`ArchiveIterator`", total(with_warcio)
    yield "absolve", '`WarcReader.links`, `columns=["url"]`', lambda path: read_links(path, ["url"])
    yield "absolve", "`WarcReader.links`", read_links


def in_turn(jobs):
    """The median CPU time of each job."""
    times = [[] for _ in jobs]
    for _ in range(ROUNDS):
        for job, taken in zip(jobs, times, strict=True):
            gc.collect()
            before = time.process_time()
            job()
            taken.append(time.process_time() - before)
    return [statistics.median(taken) for taken in times]


def table(title, tools, jobs, amount, unit):
    """Prints how much of an amount each tool does in a second."""
    print(f"\n{title}\n\n| tool | | {unit} | times the first |\n|---|---|--:|--:|")
    seconds = in_turn(jobs)
    for (package, call, _), taken in zip(tools, seconds, strict=True):
        version = sys.version.split()[0] if package == "Python" else importlib.metadata.version(package)
        print(f"| {package} {version} | {call} | {amount / taken:,.1f} | {seconds[0] / taken:.2f} |")


def read(folder):
    """Pages as text, with their retrieval URLs."""
    for path in sorted(path for path in folder.rglob("*.html") if path.is_file()):
        yield path.read_bytes().decode(errors="replace"), ROOT + urllib.parse.quote(path.relative_to(folder).as_posix())


def measure(folder, archives):
    import absolve

    pages = list(read(folder))[::SAMPLE]
    bytes_of_pages = sum(len(text.encode()) for text, _ in pages)
    each = lambda tool: lambda: [tool[2](text, url) for text, url in pages]
    for tools in (list(listing()), list(extracting(pages))):
        title = f"{len(pages)} pages, {bytes_of_pages / 1e6:.1f} MB"
        table(title, tools, list(map(each, tools)), bytes_of_pages / 1e6, "MB/s")

    references = [(url, link.reference) for text, url in pages for link in absolve.links(text, url) if link.url]
    tools = list(resolving())
    joined = lambda tool: lambda: [tool[2](base, reference) for base, reference in references]
    title = f"{len(references):,} references"
    table(title, tools, list(map(joined, tools)), len(references) / 1e3, "thousand/s")

    for path in archives:
        tools = list(reading())
        found = {result for result in (tool[2](path) for tool in tools) if result}
        assert len(found) == 1, f"{path}: other records: {found}"
        (count, size), packed = found.pop(), path.stat().st_size
        title = f"{path.name}: {packed / 1e6:.1f} MB, {count:,} responses of {size / 1e6:.1f} MB"
        jobs = [functools.partial(tool[2], path) for tool in tools]
        table(title, tools, jobs, packed / 1e6, "MB/s compressed")


def main():
    wheel, folder, *archives = map(pathlib.Path, sys.argv[1:])
    if wheel.name == "installed":
        return measure(folder, archives)
    with tempfile.TemporaryDirectory() as environment:
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        python = pathlib.Path(environment, "bin/python")
        subprocess.run([python, "-m", "pip", "install", "-q", wheel, *PEERS], check=True)
        return subprocess.run([python, __file__, "installed", folder, *archives]).returncode


if __name__ == "__main__":
    sys.exit(main())
