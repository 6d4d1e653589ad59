#!/usr/bin/env python3
"""Counts the wrong links in the output of converters, alone and after absolve.

    converters.py COMMAND NODE_MODULES [PAGE]

COMMAND is the program `absolve`, and NODE_MODULES a folder where npm has installed packages:

    pip install trafilatura html2text markdownify markitdown readability-lxml lxml_html_clean \\
        premailer feedgen beautifulsoup4
    npm install --prefix /tmp/converters turndown juice

The documents are small hard cases, with the URLs that their links mean. Each converter gets a case
with its own option for the page's URL, if it has one, and once more after `absolve rewrite`, without that
option. A link in its output is wrong unless it is that URL; so is every relative reference, since the
output leaves the place of the page. It prints a table, and the exit code is 1 if a link is wrong after
absolve, or fewer are written then.

With a PAGE, it prints the processor time of the converters too, once they are loaded, and that of absolve
as a share: of the command for a folder of COPIES, with its start, reading and writing. The page is timed
with STYLE for its `link` elements, whose style sheets premailer would read.
"""

import html
import importlib.metadata
import io
import json
import os
import pathlib
import re
import resource
import string
import subprocess
import sys
import tempfile
import time
import urllib.parse

# The xml.py beside this file is not the one of the standard library.
del sys.path[0]

URL = "https://example.org/docs/guide/page.html"
FOLDER = URL.removesuffix("page.html")
ROUNDS, COPIES = 5, 200
STYLE = b"<style>p { margin: 1em } a { color: #06c } td, th { padding: 2px }</style>"
PROSE = """<p>The valley has a river, and a road follows it from the lake to the old town, past farms and mills.</p>
<p>Boats cross the lake from April to October, and the last one leaves the northern shore at seven.</p>"""
SENTENCE = "At noon the bells of the church ring, and the market beside the bridge opens its stalls to visitors"
AFTER = "<p>In winter the pass is closed, so that the only way to the villages above is the old railway.</p>"

# The elements of the head and of the body, and the URL of each reference by a word in it.
CASES = {
    "relative": ("", "<a href='../zrel'>a</a>", {"zrel": "https://example.org/docs/zrel"}),
    "image": ("", "<img src=zimg.png alt=b>", {"zimg": FOLDER + "zimg.png"}),
    "`<base>`": ("<base href=/first/>", "<a href=zbase>c</a>", {"zbase": "https://example.org/first/zbase"}),
    "late `<base>`": (
        f"<!--{'x' * 5000}--><base href=/late/>",
        "<a href=zlate>d</a>",
        {"zlate": "https://example.org/late/zlate"},
    ),
    "srcset": (
        "",
        "<img src=zplain.png alt=e srcset='zone.png 1x, zwide.png 2x'>",
        {name: f"{FOLDER}{name}.png" for name in ("zplain", "zone", "zwide")},
    ),
    "`?q`": ("", "<a href='?zquery'>f</a>", {"zquery": URL + "?zquery"}),
    "`#f`": ("", "<a href='#zfrag'>g</a>", {"zfrag": URL + "#zfrag"}),
    "`//host/`": ("", "<a href='//other.example/zhost'>h</a>", {"zhost": "https://other.example/zhost"}),
    "`&amp;`": ("", "<a href=zamp?x=1&amp;y=2>i</a>", {"zamp": FOLDER + "zamp?x=1&y=2"}),
    "`url()`": (
        "<style>p { background: url(zback.png) }</style>",
        "j",
        {"zback": FOLDER + "zback.png"},
    ),
    "windows-1252": ("", "<a href='caf\xe9-zlatin'>k</a>", {"zlatin": FOLDER + "caf%C3%A9-zlatin"}),
}


def document(head, body):
    head = f"<!doctype html><html><head><meta charset=windows-1252><title>Valley</title>{head}</head>"
    body = f"<article><h1>Valley</h1>\n{PROSE}\n<p>{SENTENCE} {body}</p>\n{AFTER}</article>"
    return f"{head}<body>{body}</body></html>"


# The converters: each takes the bytes of a page, its encoding, and its URL or None.


def trafilatura(page, encoding, url):
    from trafilatura import extract

    return extract(page, url=url, output_format="markdown", include_links=True, include_images=True)


def html2text(page, encoding, url):
    from html2text import HTML2Text

    return HTML2Text(baseurl=url or "", bodywidth=0).handle(page.decode(encoding))


def markdownify(page, encoding, url):
    from markdownify import markdownify

    return markdownify(page.decode(encoding))


def markitdown(page, encoding, url):
    from markitdown import MarkItDown, StreamInfo

    info = StreamInfo(extension=".html", charset=encoding, url=url)
    return MarkItDown().convert_stream(io.BytesIO(page), stream_info=info).markdown


def readability(page, encoding, url):
    from readability import Document

    return Document(page.decode(encoding), url=url).summary()


def premailer(page, encoding, url):
    from premailer import Premailer

    return Premailer(page.decode(encoding), base_url=url, cssutils_logging_level="CRITICAL").transform()


def feedgen(page, encoding, url):
    from feedgen.feed import FeedGenerator

    feed = FeedGenerator()
    feed.id("https://example.org/feed")
    feed.title("Feed")
    entry = feed.add_entry()
    entry.id(URL)
    entry.title("Page")
    entry.link(href=URL)
    entry.content(page.decode(encoding), type="html")
    return feed.atom_str().decode()


def beautifulsoup4(page, encoding, url):
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(page, "html.parser", from_encoding=encoding)
    for link in soup.select("a[href]"):
        link.append(f" ({link['href']})")
    return soup.get_text()


JAVASCRIPT = """
const [name, rounds] = process.argv.slice(1);
const tool = require(name);
const convert = name === 'juice' ? tool : (page) => new tool().turndown(page);
const pages = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const times = [];
let results;
for (let round = 0; round < rounds; round++) {
  const before = process.cpuUsage();
  results = pages.map((page) => convert(page));
  const { user, system } = process.cpuUsage(before);
  times.push((user + system) / 1e6);
}
console.log(JSON.stringify({ results, times, version: require(name + '/package.json').version }));
"""


class Node:
    """A converter of Node, which runs for one list of pages."""

    def __init__(self, name, modules):
        self.__name__, self.modules = name, modules

    def run(self, pages, rounds=1):
        environment = {**os.environ, "NODE_PATH": self.modules}
        arguments = ["node", "-e", JAVASCRIPT, self.__name__, str(rounds)]
        run = subprocess.run(
            arguments, input=json.dumps(pages), capture_output=True, check=True, text=True, env=environment
        )
        return json.loads(run.stdout)

    def __call__(self, page, encoding, url):
        return self.run([page.decode(encoding)])["results"][0]


PYTHON = [trafilatura, html2text, markdownify, markitdown, readability, premailer, feedgen, beautifulsoup4]
PACKAGES = {"readability": "readability-lxml"}
# The option for the page's URL, and the levels of character references in the output.
OPTIONS = {
    "trafilatura": "`url`",
    "html2text": "`baseurl`",
    "markitdown": "`StreamInfo.url`",
    "readability": "`url`",
    "premailer": "`base_url`",
}
LEVELS = {"feedgen": 2, "beautifulsoup4": 0}


def rewritten(command, page):
    arguments = [command, "rewrite", "-q", "--no-config", "--learn", "none", "-b", URL, "-"]
    return subprocess.run(arguments, input=page, capture_output=True, check=True).stdout


def written(text, level, names):
    """The distinct references in an output, as (the word in it, the reference with percent-encoding)."""
    for _ in range(level):
        text = html.unescape(text)
    for name in names:
        found = re.findall(rf"[^\s\"'()<>,\[\]]*{name}[^\s\"'()<>,\[\]]*", text)
        # Without the name of an attribute that has no quotes.
        references = {re.sub("^(?:href|src)=", "", reference) for reference in found}
        yield from ((name, urllib.parse.quote(reference, safe=string.punctuation)) for reference in references)


def count(convert, command):
    """The references written and wrong, alone and after absolve, and the cases that are wrong alone."""
    level = LEVELS.get(convert.__name__, 1)
    counts, cases = [0, 0, 0, 0], []
    for case, (head, body, expected) in CASES.items():
        page = document(head, body).encode("windows-1252")
        for after, (source, url) in enumerate([(page, URL), (rewritten(command, page), None)]):
            found = list(written(convert(source, "windows-1252", url), level, expected))
            wrong = [(case, reference) for name, reference in found if reference != expected[name]]
            counts[after * 2] += len(found)
            counts[after * 2 + 1] += len(wrong)
            if after:
                print(*(f"{convert.__name__}: wrong after absolve: {item}\n" for item in wrong), sep="", end="")
            elif wrong:
                cases.append(case)
    return counts, cases


def version(convert):
    if isinstance(convert, Node):
        return convert.run([])["version"]
    return importlib.metadata.version(PACKAGES.get(convert.__name__, convert.__name__))


def seconds_of_absolve(command, page):
    """The processor time of the command for a page, from one run for a folder of copies."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "in")
        source.mkdir()
        for number in range(COPIES):
            (source / f"{number}.html").write_bytes(page)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        arguments = [command, "rewrite", "-q", "--no-config", "-b", FOLDER, source, "-o", pathlib.Path(folder, "out")]
        subprocess.run(arguments, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / COPIES


def seconds(convert, page):
    """The least processor time of a converter for a page, once it is loaded."""
    if isinstance(convert, Node):
        return min(convert.run([page.decode()], ROUNDS)["times"])
    times = []
    for _ in range(ROUNDS):
        before = time.process_time()
        convert(page, "utf-8", URL)
        times.append(time.process_time() - before)
    return min(times)


def main():
    command, modules, *rest = sys.argv[1:]
    converters = [*PYTHON, Node("turndown", modules), Node("juice", modules)]
    failed = False
    print(
        "| converter | its option for the URL | links written | wrong alone | wrong after absolve | wrong alone are |"
    )
    print("|---|---|--:|--:|--:|---|")
    for convert in converters:
        (alone, wrong, after, wrong_after), cases = count(convert, command)
        name, number = PACKAGES.get(convert.__name__, convert.__name__), version(convert)
        links = alone if alone == after else f"{alone}, then {after}"
        cases = ["all"] if wrong == alone else cases
        option = OPTIONS.get(convert.__name__, "none")
        print(f"| {name} {number} | {option} | {links} | {wrong} | {wrong_after} | {', '.join(cases)} |")
        failed |= wrong_after > 0 or not 0 < alone <= after
    for path in rest:
        page = re.sub(rb"<link[^>]*>", b"", pathlib.Path(path).read_bytes().replace(b"</head>", STYLE + b"</head>", 1))
        own = min(seconds_of_absolve(command, page) for _ in range(ROUNDS))
        print(f"\n{len(page):,} bytes; absolve {own * 1e3:.2f} ms\n\n| converter | ms | absolve adds |\n|---|--:|--:|")
        for convert in converters:
            taken = seconds(convert, page)
            print(f"| {PACKAGES.get(convert.__name__, convert.__name__)} | {taken * 1e3:,.1f} | {own / taken:.2%} |")
    return failed


if __name__ == "__main__":
    sys.exit(main())
