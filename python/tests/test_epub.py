"""Books: their links are listed, moved and checked."""

import os
import pathlib
import zipfile
from typing import Any

import pytest

import absolve

MAPS = {"http://old.example/": "https://new.example/"}
CONTAINER = "<container><rootfiles><rootfile full-path='OEBPS/p.opf'/></rootfiles></container>"
PACKAGE = (
    "<package xmlns='http://www.idpf.org/2007/opf'><manifest>"
    "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>"
    "<item id='b' href='b.xhtml' media-type='application/xhtml+xml'/>"
    "</manifest><spine><itemref idref='a'/></spine></package>"
)
PAGE = "<html xmlns='http://www.w3.org/1999/xhtml'><body>\n{}</body></html>"


@pytest.fixture
def book(tmp_path: pathlib.Path) -> pathlib.Path:
    """Two chapters, one of which has a link to the web."""
    return write(tmp_path / "book.epub", PAGE.format("<p id='x'/><a href='a.xhtml'/>"))


def write(path: pathlib.Path, second: str) -> pathlib.Path:
    links = "<a href='b.xhtml#x'/><a href='http://old.example/y'/>"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("OEBPS/p.opf", PACKAGE)
        book.writestr("OEBPS/a.xhtml", PAGE.format(links))
        book.writestr("OEBPS/b.xhtml", second)
    return path


def references(book: pathlib.Path) -> list[tuple[str, int | None, str]]:
    reader = absolve.EpubReader(book)
    return [
        (document, link.line, link.reference)
        for document in reader.documents
        for link in reader.links(document)
        if link.element == "a"
    ]


def test_links_are_listed_by_document(book: pathlib.Path) -> None:
    assert references(book) == [
        ("OEBPS/a.xhtml", 2, "b.xhtml#x"),
        ("OEBPS/a.xhtml", 2, "http://old.example/y"),
        ("OEBPS/b.xhtml", 2, "a.xhtml"),
    ]
    reader = absolve.EpubReader(str(book), "http://h/", only="href")
    assert reader.documents == ["OEBPS/p.opf", "OEBPS/a.xhtml", "OEBPS/b.xhtml"]
    assert reader.links("OEBPS/a.xhtml")[0].url == "http://h/OEBPS/b.xhtml#x"
    assert reader.read("mimetype") == b"application/epub+zip"


def test_a_reader_is_iterated_and_closed(book: pathlib.Path) -> None:
    with absolve.EpubReader(os.fsencode(book)) as reader:
        assert list(reader) == reader.documents
    for read in (reader.read, reader.links):
        with pytest.raises(ValueError, match="the reader is closed"):
            read("OEBPS/a.xhtml")


def test_errors(book: pathlib.Path, tmp_path: pathlib.Path) -> None:
    reader = absolve.EpubReader(book)
    with pytest.raises(KeyError):
        reader.links("mimetype")
    name: Any = 5
    for read in (reader.read, reader.links):
        with pytest.raises(TypeError, match="^'name' must be a str, not int$"):
            read(name)
    with pytest.raises(absolve.Error, match="not in the book"):
        reader.read("OEBPS/none")
    with pytest.raises(FileNotFoundError):
        absolve.EpubReader(tmp_path / "none.epub")
    with pytest.raises(absolve.Error, match="the limit for documents; raise max_input"):
        absolve.EpubReader(book, max_input=10)
    with pytest.raises(absolve.BaseUrlError):
        absolve.EpubReader(book, "mailto:a")
    with pytest.raises(TypeError, match="Did you mean 'standard'"):
        absolve.EpubReader(book, standart="whatwg")  # type: ignore[call-arg]
    (tmp_path / "no.epub").write_bytes(b"PK")
    with pytest.raises(absolve.Error, match="not a ZIP file"):
        absolve.EpubReader(tmp_path / "no.epub")
    broken = write(tmp_path / "broken.epub", "<p>")
    with pytest.raises(absolve.Error, match="line 1, column 1: not well-formed XML") as raised:
        absolve.EpubReader(broken).links("OEBPS/b.xhtml")
    assert "--as" not in str(raised.value)


def test_links_move(book: pathlib.Path, tmp_path: pathlib.Path) -> None:
    new = tmp_path / "new.epub"
    old, calls = book.read_bytes(), []
    result = absolve.rewrite_epub(
        book, new, maps=MAPS, progress=lambda *counts: calls.append(counts)
    )
    assert (result.counts.seen, result.counts.rewritten, result.counts.unchanged) == (3, 1, 2)
    assert result.links.rewritten == 1
    assert calls[-1] == (3, 3)
    assert ("OEBPS/a.xhtml", 2, "https://new.example/y") in references(new)
    assert book.read_bytes() == old
    same = tmp_path / "same.epub"
    assert absolve.rewrite_epub(new, same, maps=MAPS).counts.rewritten == 0
    assert same.read_bytes() == new.read_bytes()
    trial = absolve.rewrite_epub(book, tmp_path / "none.epub", maps=MAPS, dry_run=True)
    assert trial.counts.rewritten == 1
    assert not (tmp_path / "none.epub").exists()


def test_a_book_that_is_not_written(book: pathlib.Path, tmp_path: pathlib.Path) -> None:
    new = tmp_path / "new.epub"
    with pytest.raises(absolve.Error, match="stay relative.*give maps"):
        absolve.rewrite_epub(book, new)
    with pytest.raises(absolve.Error, match="is the input itself"):
        absolve.rewrite_epub(book, book, maps=MAPS)
    with pytest.raises(ZeroDivisionError):
        absolve.rewrite_epub(book, new, maps=MAPS, progress=lambda done, total: 1 / 0)
    broken = write(tmp_path / "broken.epub", "<p>")
    result = absolve.rewrite_epub(broken, new, maps=MAPS)
    assert [failure.inside for failure in result.failures] == ["OEBPS/b.xhtml"]
    assert result.counts.failed == 1


def test_a_book_is_audited(tmp_path: pathlib.Path) -> None:
    book = write(tmp_path / "a.epub", PAGE.format("<a href='gone.xhtml'/>"))
    report = absolve.audit(book)
    found = [(finding.rule, finding.reference) for finding in report.findings]
    assert found == [("broken-link", "gone.xhtml"), ("missing-anchor", "b.xhtml#x")][::-1]
