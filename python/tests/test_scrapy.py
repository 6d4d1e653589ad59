"""`absolve.scrapy.LinkExtractor` beside the one of Scrapy."""

import copy
import os
import pathlib
import pickle
import re
from typing import Any

import pytest

pytest.importorskip("scrapy")

from scrapy.http import HtmlResponse, XmlResponse
from scrapy.link import Link
from scrapy.linkextractors import LinkExtractor as Theirs

from absolve.scrapy import LinkExtractor

PAGE = """<html><head><link href=/style><base target=_top></head><body>
<a href="a.html?x=1#f" REL="me NoFollow">A <b>b&amp;c</b>
 d</a><a href='../up/./b.html'>up</a><A HREF=http://other.example:8080/x>other</A>
<a href=" /padded ">padded<!-- <a href=no> --></a><a href="a.html?x=1#f">again</a>
<a href="#">top</a><a href="#f">part</a><a href="">self</a><a href="?q=ä&amp;r=1 2">query</a>
<a href="mailto:a@b.example">mail</a><a href="javascript:go('../x.html')">script</a>
<a href="//third.example">no scheme</a><a href="http://h//double//./x">double</a><a href="b;p">b</a>
<a href="file.PDF">pdf</a><a href="x.tar.gz?y">tar</a><a href="http://h.ai">ai</a>
<a href="http://[::1">broken</a><a title="<b>" rel=nofollow href=titled>titled</a><a>none</a>
<script src=s.js>if (a<b) write("</a>&amp;")</script><iframe src=f><a href=no></iframe>
<form action=go><a href=in>a<textarea>x</textarea><script>y</script></a></form>
<map><area href=area alt=x></map><img src=i.png><a data-href=own>own</a><a href=last>no end"""

ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"unique": False},
    {"strip": False},
    {"canonicalize": True},
    {"allow": r"/a", "deny": [re.compile("up")]},
    {"allow_domains": ["h.ai", "h"]},
    {"deny_domains": ["h"], "deny_extensions": "pdf"},
    {"deny_extensions": []},
    {"restrict_text": ["other", "^A"]},
    {"restrict_css": "map"},
    {"restrict_xpaths": "//a[1]"},
    {"tags": "img", "attrs": "src", "deny_extensions": ()},
    {"tags": ["a", "link"], "attrs": ["href", "data-href"]},
    {"tags": ["a", "iframe", "img", "script"], "attrs": ["href", "src"]},
    {"tags": ["form", "a"], "attrs": ["action", "href"]},
    {"tags": "*", "deny_tags": ["a"]},
    {"attrs": "*", "deny_attrs": ["data-href", "title"]},
    {"process_value": lambda url: None if "up" in url else url.replace("a.html", "c.html")},
]


def response(page: str, url: str = "http://h/d/e.html", encoding: str = "utf-8") -> HtmlResponse:
    return HtmlResponse(url, body=page.encode(encoding), encoding=encoding)


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1"])
def test_the_links_are_those_of_scrapy(arguments: dict[str, Any], encoding: str) -> None:
    page = response(PAGE, encoding=encoding)
    extractor = LinkExtractor(**arguments)
    found = extractor.extract_links(page)
    assert found == Theirs(**arguments).extract_links(page)
    assert found
    assert copy.deepcopy(extractor).extract_links(page) == found
    if "process_value" not in arguments:
        assert pickle.loads(pickle.dumps(extractor)).extract_links(page) == found


def test_arguments_have_the_order_of_scrapy() -> None:
    arguments = (r"\.png", (), (), (), (), ["img"], ["src"], True, False, None, [])
    page = response(PAGE)
    assert LinkExtractor(*arguments).extract_links(page) == [Link("http://h/d/i.png")]
    assert LinkExtractor("a").matches("http://h/a")


def test_a_late_base_counts() -> None:
    page = response("<head>" + " " * 5000 + "<base href=/new/></head><a href=x>")
    assert LinkExtractor().extract_links(page) == [Link("http://h/new/x")]


def test_each_url_of_a_srcset_is_a_link() -> None:
    page = response("<img srcset='a 1x, b 2x'>")
    found = LinkExtractor(tags="img", attrs="srcset").extract_links(page)
    assert [link.url for link in found] == ["http://h/d/a", "http://h/d/b"]


def test_scrapy_reads_xml_and_pages_without_a_usable_url() -> None:
    xml = XmlResponse("http://h/", body=b"<x><a href='y'>z</a></x>")
    assert LinkExtractor().extract_links(xml) == [Link("http://h/y", "z")]
    page = response("<a href=http://h/x>y</a>", "about:blank")
    assert LinkExtractor().extract_links(page) == [Link("http://h/x", "y")]


@pytest.mark.parametrize(
    ("part", "count"),
    [
        ("<a href=x>", 5000),
        ("<a href=x><<", 5000),
        ("<a href=x '>", 5000),
        ('<a href=x">"', 5000),
        ("<a href=x><!--", 1),
        ("<a href=x", 0),
    ],
)
def test_hostile_pages_are_read_once(part: str, count: int) -> None:
    assert len(LinkExtractor(unique=False).extract_links(response(part * 5000))) == count


def test_an_element_with_many_links_is_read_once() -> None:
    pings = "p " * 10_000
    page = response(f"<a href=x ping='{pings}' rel='{'x' * 2000} nofollow'>{'a ' * 10_000}</a>")
    found = LinkExtractor(attrs=["href", "ping"], unique=False).extract_links(page)
    assert found[0] == Link("http://h/d/x", "a " * 10_000, "", nofollow=True)
    assert len(found) == 10_001
    assert max(len(link.text) for link in found[1:]) <= 1024


@pytest.mark.skipif("ABSOLVE_TEST_SITES" not in os.environ, reason="ABSOLVE_TEST_SITES is not set")
def test_real_pages_have_the_links_of_scrapy() -> None:
    folder = pathlib.Path(os.environ["ABSOLVE_TEST_SITES"])
    ours, theirs = LinkExtractor(unique=False), Theirs(unique=False)
    # Anchors in anchors, which browsers and libxml2 read differently.
    nested = {"collation.html", "infoschema-domains.html"}
    paths = [path for path in sorted(folder.rglob("*.html"))[::3] if path.is_file()]
    for path in paths:
        if path.name not in nested:
            page = HtmlResponse(f"http://h/{path.name}", body=path.read_bytes())
            assert ours.extract_links(page) == theirs.extract_links(page), path
    assert len(paths) >= 500
