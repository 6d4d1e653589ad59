"""One document: what is rewritten and listed."""

import array
import copy
import pathlib
import pickle
import subprocess
from typing import Any

import pytest

import absolve

PAGE = 'é<a href=x>\n<img srcset="y 1x, z 2x">'


def test_the_result_has_the_type_of_the_document() -> None:
    for page in (PAGE, PAGE.encode()):
        result = absolve.rewrite(page, "http://h/")
        assert type(result) is type(page)
    assert absolve.rewrite("<a href=x>", "http://h/") == "<a href=http://h/x>"
    assert absolve.rewrite(b"<a href=x>", "http://h/") == b"<a href=http://h/x>"
    for buffer in (bytearray(b"<a href=x>"), memoryview(b"<a href=x>")):
        assert absolve.rewrite(buffer, "http://h/") == b"<a href=http://h/x>"


class Page(str):
    pass


class Body(bytes):
    pass


@pytest.mark.parametrize(
    "page",
    [bytearray(b"<p>"), memoryview(b"<p>"), Body(b"<p>"), array.array("B", b"<p>"), Page("<p>")],
)
def test_the_result_is_bytes_or_str_where_nothing_changes(page: Any) -> None:
    kind, expected = (str, "<p>") if isinstance(page, str) else (bytes, b"<p>")
    rewriter = absolve.Rewriter()
    for result in (
        absolve.rewrite(page),
        rewriter.rewrite(page),
        rewriter.rewrite_with(page, lambda link: None),
    ):
        assert (type(result), result) == (kind, expected)


@pytest.mark.parametrize("page", ["<p>é", b"<p>\xe9", "", b"", "<a href=x>"])
def test_the_same_object_is_returned_where_nothing_changes(page: str | bytes) -> None:
    assert absolve.rewrite(page) is page
    assert absolve.Rewriter().rewrite(page) is page
    assert absolve.Rewriter().rewrite_with(page, lambda link: None) is page


def test_bytes_have_the_encoding_that_they_declare() -> None:
    page = "<meta charset=shift_jis><a href='\u8868?\u8868'>\u8868".encode("shift_jis")
    assert absolve.links(page, "http://h/")[0].reference == "\u8868?\u8868"
    assert absolve.rewrite(page, "http://h/").decode("shift_jis").count("http://h/\u8868") == 1
    label = {"encoding": "shift_jis"}
    assert absolve.links(page[len("<meta charset=shift_jis>") :], **label)[0].column == 10


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("latin_1", "windows-1252"),
        ("utf_8", "utf-8"),
        ("euc_jp", "euc-jp"),
        ("utf_16_le", "utf-16le"),
        ("big5_tw", "big5"),
        ("U8", "utf-8"),
        ("utf_8_sig", "utf-8"),
        ("cp874", "windows-874"),
        ("cp932", "windows-31j"),
        ("cp949", "windows-949"),
        ("cp950", "big5"),
        ("big5hkscs", "big5"),
        ("iso2022_jp", "iso-2022-jp"),
        ("iso8859_16", "iso-8859-16"),
        ("mac_roman", "macintosh"),
        ("mac_cyrillic", "x-mac-cyrillic"),
    ],
)
def test_an_encoding_may_have_its_name_in_python(
    name: str, label: str, tmp_path: pathlib.Path
) -> None:
    page = "<a href='é表'>".encode(name, "ignore")
    expected = absolve.rewrite(page, "http://h/", encoding=label)
    assert absolve.rewrite(page, "http://h/", encoding=name) == expected != page
    file = tmp_path / "a.html"
    file.write_bytes(page)
    absolve.rewrite_file(file, base_url="http://h/", in_place=True, encoding=name)
    assert file.read_bytes() == expected


def test_a_str_is_never_decoded() -> None:
    page = "<meta charset=shift_jis>\x85\u8868<a href='\u8868\xe9'>"
    (link,) = absolve.links(page, "http://h/")
    assert (link.reference, page[slice(*link.span or ())]) == ("\u8868\xe9", "\u8868\xe9")
    assert absolve.rewrite(page, "http://h/") == page.replace("='", "='http://h/")
    assert absolve.rewrite(page, "http://h/", encoding="big5") == page.replace("='", "='http://h/")
    for mark in ("\ufeff", "\ufffe"):
        assert absolve.rewrite(mark + "<a href=x>", "http://h/") == f"{mark}<a href=http://h/x>"


def test_spans_count_what_the_document_is_made_of() -> None:
    for page in (PAGE, PAGE.encode(), "\U0001f600" + PAGE, "\ufeff" + PAGE):
        found = [page[slice(*link.span or ())] for link in absolve.links(page)]
        assert found == (["x", "y", "z"] if isinstance(page, str) else [b"x", b"y", b"z"])


def test_lines_and_columns_count_characters() -> None:
    places = [(1, 10), (2, 14), (2, 20)]
    for page in (PAGE, PAGE.encode(), PAGE.encode("utf-16"), "\ufeff" + PAGE):
        assert [(link.line, link.column) for link in absolve.links(page)] == places


def test_a_link_has_everything_that_is_known_of_it() -> None:
    (link,) = absolve.links("<base href=/b/><img srcset='x 2x'>", "http://h/", only="srcset")
    expected = {
        "element": "img", "attribute": "srcset", "grammar": "srcset", "reference": "x",
        "url": "http://h/b/x", "base": "http://h/b/", "base_source": "base-element",
        "span": (28, 29), "line": 1, "column": 29, "enclosing": None,
    }  # fmt: skip
    assert link._asdict() | expected == link._asdict()
    assert link == absolve.Link(*link) == absolve.Link(**link._asdict())
    assert (
        repr(link) == "Link(element='img', attribute='srcset', reference='x', url='http://h/b/x')"
    )
    assert len({link, copy.copy(link), pickle.loads(pickle.dumps(link))}) == 1
    assert link._asdict()["base_source"] == "base-element"
    (nested,) = absolve.links("é<iframe srcdoc='<a href=x>'>", "http://h/")
    assert (nested.enclosing, nested.base_source) == ((17, 27), "enclosing")
    (unresolved,) = absolve.links(b"<a href=x>")
    assert (unresolved.url, unresolved.base, unresolved.base_source) == (None, None, "none")
    (dom,) = absolve.links(b"<a href=x>", engine="dom")
    assert (dom.span, dom.line, dom.column) == (None, None, None)


def test_links_are_read_only() -> None:
    (link,) = absolve.links(b"<a href=x>")
    with pytest.raises(AttributeError):
        link.url = "y"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("base", "reference", "standard", "url"),
    [
        ("http://a/b/c/d;p?q", "../g", "rfc1808", "http://a/b/g"),
        ("http://a/b/c/d;p?q", "?y", "rfc1808", "http://a/b/c/d;p?y"),
        ("http://a/b/c/d;p?q", "?y", "rfc3986", "http://a/b/c/d;p?y"),
        ("http://a/b/", "\\c", "whatwg", "http://a/c"),
        ("http://a/", "mailto:x@y", "rfc1808", "mailto:x@y"),
    ],
)
def test_references_resolve(base: str, reference: str, standard: str, url: str) -> None:
    assert absolve.resolve(base, reference, standard) == url  # type: ignore[arg-type]


def test_links_to_ignore_stay_and_are_not_listed() -> None:
    page = "<a href='{{ u }}'><a href=x><img src=y><img src=z data-absolve-ignore>"
    rewriter = absolve.Rewriter("http://h/", ignore_link=["{{*}}", "http://h/y"])
    assert rewriter.rewrite(page) == page.replace("=x", "=http://h/x")
    assert [link.reference for link in rewriter.links(page)] == ["x"]
    with pytest.raises(absolve.Error, match=r"invalid value '\[a' for 'ignore_link', unclosed"):
        absolve.rewrite(page, "http://h/", ignore_link="[a")


def test_a_rewriter_keeps_its_options() -> None:
    rewriter = absolve.Rewriter("http://h/", only=["href"], same_document="keep")
    page = "<a href=x><a href=#y><img src=z>"
    expected = page.replace("=x", "=http://h/x")
    for one in (rewriter, copy.deepcopy(rewriter), pickle.loads(pickle.dumps(rewriter))):
        assert one.rewrite(page) == expected
        assert one.rewrite(page.encode()) == expected.encode()
        assert one.rewrite(page, "http://g/") == expected.replace("//h", "//g")
        assert [link.reference for link in one.links(page)] == ["x", "#y"]
        assert repr(one) == "Rewriter('http://h/', only=('href',), same_document='keep')"
        assert (one, hash(one)) == (rewriter, hash(rewriter))
    assert repr(absolve.Rewriter(lazy=True)) == "Rewriter(lazy=True)"
    assert absolve.Rewriter(lazy=None) == absolve.Rewriter()
    assert rewriter not in (absolve.Rewriter("http://h/"), absolve.Rewriter(only=["href"]), None)


@pytest.mark.parametrize(
    "only",
    [["href"], iter(["href"]), map(str, ["href"]), (one for one in ["href"]), {"href": 1}.keys()],
)
def test_a_copy_of_a_rewriter_has_the_options_that_were_read(only: Any) -> None:
    rewriter = absolve.Rewriter("http://h/", only=only)
    if isinstance(only, list):
        only.append("src")
    assert repr(rewriter) == "Rewriter('http://h/', only=('href',))"
    for one in (copy.copy(rewriter), copy.deepcopy(rewriter), pickle.loads(pickle.dumps(rewriter))):
        assert one.rewrite("<a href=x><img src=y>") == "<a href=http://h/x><img src=y>"
        assert one == rewriter == absolve.Rewriter("http://h/", only=["href"])
    names = [f"data-{n}" for n in range(20)]
    sets = [
        absolve.Rewriter(attr={f"*:{one}=url" for one in order}) for order in (names, names[::-1])
    ]
    assert sets[0] == sets[1]
    maps = {"http://h/": "http://g/"}
    rewriter = absolve.Rewriter("http://h/", maps=maps)
    maps.clear()
    assert copy.copy(rewriter).rewrite("<a href=http://h/>") == "<a href=http://g/>"


def test_noscript_does_not_end_the_head() -> None:
    page = "<head><noscript><img src=p.gif></noscript><base href=/app/></head><a href=x>"
    urls = ["http://h/app/p.gif", "http://h/app/", "http://h/app/x"]
    assert [link.url for link in absolve.links(page, "http://h/d/")] == urls
    assert [link.url for link in absolve.links(page, "http://h/d/", engine="dom")] == urls


def test_links_have_another_form() -> None:
    page = "<base href=/x/><a href=y>y</a><a href=//i/z>z</a>"
    url = "http://h/a/b.html"
    expected = "<a href=../x/y>y</a><a href=http://i/z>z</a>"
    assert absolve.rewrite(page, url, to="relative") == expected
    expected = "<a href=/x/y>y</a><a href=http://i/z>z</a>"
    assert absolve.rewrite(page, url, to="root-relative") == expected
    assert absolve.rewrite(page, url, to="absolute") == absolve.rewrite(page, url)


@pytest.mark.parametrize("maps", [{"http://h/": "http://n/m/"}, "http://h/=http://n/m/"])
def test_links_move(maps: dict[str, str] | str) -> None:
    page = "<a href=/y>y</a><a href=http://h/z>z</a>"
    moved = absolve.rewrite(page, "http://h/a", maps=maps)
    assert moved == "<a href=/m/y>y</a><a href=http://n/m/z>z</a>"
    both = absolve.rewrite(page, "http://h/a", maps=maps, to="absolute")
    assert both == "<a href=http://n/m/y>y</a><a href=http://n/m/z>z</a>"
    for wrong in ({"x": "http://n/"}, ["http://h/"], {"http://u:secret@h/": "http://n/"}):
        with pytest.raises(absolve.Error, match="invalid value .*for 'maps'") as error:
            absolve.rewrite(page, maps=wrong)
        assert "secret" not in str(error.value)
    with pytest.raises(TypeError):
        absolve.rewrite(page, maps={"http://h/": 1})  # type: ignore[dict-item]


def test_a_function_decides() -> None:
    seen = []

    def cdn(link: absolve.Link) -> str | None:
        seen.append(link)
        return f"/cdn/{link.reference}?é" if link.attribute == "srcset" else None

    rewriter = absolve.Rewriter("http://h/")
    expected = PAGE.replace("y 1x", "/cdn/y?é 1x").replace("z 2x", "/cdn/z?é 2x")
    assert rewriter.rewrite_with(PAGE, cdn) == expected
    assert seen == rewriter.links(PAGE)
    assert rewriter.rewrite_with(PAGE.encode(), cdn, "http://g/") == expected.encode()
    assert seen[-1].url == "http://g/z"
    nested = "<iframe srcdoc='<a href=x>&lt;img src=y>'></iframe><a href=z>"
    upper = rewriter.rewrite_with(nested, lambda link: link.reference.upper())
    assert upper == nested.replace("=x", "=X").replace("=y", "=Y").replace("=z", "=Z")


def test_a_function_may_use_the_rewriter() -> None:
    rewriter = absolve.Rewriter("http://h/")
    page = b"<a href=x>"
    inner = rewriter.rewrite_with(page, lambda link: rewriter.rewrite(link.reference) + "y")
    assert inner == b"<a href=xy>"


def test_pages_equal_those_of_the_command(command: str, pages: list[pathlib.Path]) -> None:
    base = "http://example.org/a/b"
    rewriter = absolve.Rewriter(base)
    for path in pages:
        run = [command, "rewrite", "--base-url", base, "--as", "html", path]
        done = subprocess.run(run, capture_output=True, check=True)
        page = path.read_bytes()
        assert absolve.rewrite(page, base) == rewriter.rewrite(page) == done.stdout, path


SVG = "<svg xmlns='http://www.w3.org/2000/svg'><a href='x'/></svg>"


@pytest.mark.parametrize("name", ["xml", "xhtml", "svg", "feed", "sitemap"])
def test_xml_is_read_by_its_own_rules(name: str) -> None:
    page = "<html xmlns='http://www.w3.org/1999/xhtml'><script src='s'/><a href='é'/></html>"
    absolute = page.replace("='s'", "='http://h/s'").replace("='é'", "='http://h/é'")
    assert absolve.rewrite(page, "http://h/", as_=name) == absolute
    assert absolve.rewrite(page.encode(), "http://h/", as_=name) == absolute.encode()
    script, link = absolve.links(page, "http://h/", as_=name)
    assert (script.element, link.url) == ("script", "http://h/é")
    assert page[slice(*link.span or ())] == "é"
    assert absolve.Rewriter("http://h/", as_=name).rewrite(page) == absolute
    # A str is never decoded, whatever it declares.
    declared = '<?xml version="1.0" encoding="utf-16"?>' + page
    assert absolve.rewrite(declared, "http://h/", as_=name).endswith(absolute)


def test_style_sheets_are_documents() -> None:
    assert absolve.rewrite("a{b:url(c)}", "http://h/", as_="css") == "a{b:url(http://h/c)}"
    (link,) = absolve.links("a{b:url(c)}", "http://h/", as_="css")
    assert (link.element, link.attribute) == ("", "(text)")


def test_markdown_is_a_document_whose_images_may_have_another_base() -> None:
    text = "[é](b) ![c](d) `[e](f)`"
    rewritten = "[é](http://h/b) ![c](http://raw/d) `[e](f)`"
    assert absolve.rewrite(text, "http://h/", as_="markdown", raw_base="http://raw/") == rewritten
    link, image = absolve.links(text, "http://h/", as_="markdown")
    assert (link.element, link.url, image.element) == ("a", "http://h/b", "img")
    assert text[slice(*link.span or ())] == "b"


def test_html_in_a_json_feed_may_be_relative_to_its_item() -> None:
    version = '{"version":"https://jsonfeed.org/version/1.1",'
    feed = version + '"items":[{"url":"i/","content_html":"<a href=b>"}]}'
    absolute = feed.replace('"i/', '"http://h/i/').replace("=b", "=http://h/i/b")
    assert absolve.rewrite(feed, "http://h/", as_="json-feed", feed_base="item") == absolute


def test_xml_that_is_not_well_formed_is_an_error() -> None:
    with pytest.raises(absolve.Error, match="line 2, column 4: not well-formed XML"):
        absolve.rewrite(SVG.replace("<a", "\n<a <"), "http://h/", as_="svg")
    with pytest.raises(absolve.Error, match="invalid value 'message' for 'as_'"):
        absolve.rewrite(SVG, "http://h/", as_="message")
