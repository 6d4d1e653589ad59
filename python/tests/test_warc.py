"""Web archives as streams."""

import contextlib
import gc
import gzip
import io
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import threading
import weakref
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import pytest

import absolve

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def record(url: str, page: bytes, kind: str = "response", headers: bytes = b"") -> bytes:
    if kind == "response":
        page = (
            b"HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=utf-8\r\n"
            + headers
            + b"\r\n"
            + page
        )
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
        f"Content-Type: text/html\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(page)}\r\n\r\n"
    )
    return head.encode() + page + b"\r\n\r\n"


RECORDS = [
    record("http://h/a/", b"<a href=x>", headers=b"Vary: a\r\nX: 1\r\nvary: b\r\n"),
    record("http://h/b/", b"<img src=y><a href=z>", "resource"),
    b"damage\n",
    record("http://h/c/", b"<p>"),
]


def rows(read: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while (batch := read(1)) is not None:
        found += pa.array(batch).to_pylist()
    assert read() is None
    return found


@pytest.fixture(autouse=True)
def date(monkeypatch: pytest.MonkeyPatch) -> None:
    # New records have the date of the run: two runs that are compared may be in two seconds.
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767323045")


@pytest.fixture(params=["path", "file", "stream", "gzip"])
def archive(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Any:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(RECORDS))
    if request.param == "gzip":
        return io.BytesIO(b"".join(map(gzip.compress, RECORDS)))
    if request.param == "stream":
        file = io.BytesIO(path.read_bytes())
        file.seekable = lambda: False  # type: ignore[method-assign]
        return file
    return path if request.param == "path" else path.open("rb")


def test_pages_have_a_row_each(archive: Any) -> None:
    first, second, damage, third = rows(absolve.WarcReader(archive).read_pages)
    assert [first["url"], second["url"], third["url"]] == [
        "http://h/a/",
        "http://h/b/",
        "http://h/c/",
    ]
    assert [first["html"], second["html"], damage["html"]] == [
        b"<a href=x>",
        b"<img src=y><a href=z>",
        None,
    ]
    assert (first["status"], first["mime"], first["date"]) == (
        200,
        "text/html",
        "2026-01-02T03:04:05Z",
    )
    assert dict(first["headers"])["vary"] == "a, b"
    assert (second["status"], second["mime"], second["headers"]) == (None, "text/html", None)
    assert first["offset"] == 0 < second["offset"] < damage["offset"] < third["offset"]
    assert damage["error"]
    assert first["error"] is second["error"] is third["error"] is None


def test_links_have_a_row_each(archive: Any) -> None:
    found = rows(absolve.WarcReader(archive, only="href").read_links)
    assert [(row["page"], row["url"]) for row in found] == [
        ("http://h/a/", "http://h/a/x"),
        ("http://h/b/", "http://h/b/z"),
        (None, None),
    ]
    assert [bool(row["error"]) for row in found] == [False, False, True]


def test_a_reader_is_iterated_and_closed(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(RECORDS))
    with absolve.WarcReader(os.fsencode(path)) as reader:
        batches = [pa.array(batch).to_pylist() for batch in reader.pages(max_bytes=1)]
    assert [row["url"] for [row] in batches] == ["http://h/a/", "http://h/b/", None, "http://h/c/"]
    for read in (reader.read_pages, reader.read_links, lambda: next(reader.pages())):
        with pytest.raises(ValueError, match="the reader is closed"):
            read()
    with path.open("rb") as file:
        with absolve.WarcReader(file) as reader:
            links = [link for batch in reader.links() for link in pa.array(batch).to_pylist()]
        assert not file.closed
    assert [link["reference"] for link in links] == ["x", "y", "z", None]
    with pytest.raises(ZeroDivisionError), absolve.WarcReader(path):
        raise ZeroDivisionError


def test_a_stream_is_what_a_path_is(archive: Any, tmp_path: pathlib.Path) -> None:
    source = tmp_path / "source.warc"
    source.write_bytes(
        archive.read_bytes() if isinstance(archive, pathlib.Path) else archive.read()
    )
    if not isinstance(archive, pathlib.Path):
        archive.seek(0)
    expected = absolve.rewrite_warc(source, tmp_path / "new.warc")
    new = io.BytesIO()
    result = absolve.rewrite_warc_stream(archive, new)
    assert new.getvalue() == (tmp_path / "new.warc").read_bytes()
    assert (result.counts, result.links) == (expected.counts, expected.links)
    assert [one.message for one in result.failures] == [one.message for one in expected.failures]


def test_limits_have_the_names_of_python() -> None:
    archive = io.BytesIO(record("http://h/", b"x" * 2000) + record("http://h/", b"<a href=x>"))
    skipped, page = rows(absolve.WarcReader(archive, max_record=1000).read_pages)
    assert skipped["error"].startswith(
        "record is not read: it exceeds the limit for records; raise"
    )
    assert page["html"] == b"<a href=x>"
    archive.seek(0)
    result = absolve.rewrite_warc_stream(archive, io.BytesIO(), max_record=1000)
    assert "raise max_record" in result.failures[0].message


def test_exceptions_of_file_objects_are_raised() -> None:
    class Fails(io.BytesIO):
        at = 0

        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() >= self.at:
                raise ZeroDivisionError
            return super().read(size)

        def write(self, data: object, /) -> int:
            raise ZeroDivisionError

    class Text(io.StringIO):
        pass

    with pytest.raises(ZeroDivisionError):
        absolve.WarcReader(Fails()).read_pages()
    with pytest.raises(ZeroDivisionError):
        absolve.rewrite_warc_stream(Fails(), io.BytesIO())
    with pytest.raises(ZeroDivisionError):
        absolve.rewrite_warc_stream(io.BytesIO(b"".join(RECORDS)), Fails())
    # What was read before it comes first.
    fails = Fails(b"".join(RECORDS))
    fails.at = 1
    reader = absolve.WarcReader(fails)
    assert reader.read_pages() is not None
    with pytest.raises(ZeroDivisionError):
        reader.read_pages()
    longer = io.BytesIO()
    longer.read = lambda size=-1: b"x" * (size + 1)  # type: ignore[method-assign]
    with pytest.raises(
        TypeError, match=r"^read\(n\) of the file object returned more than n bytes$"
    ):
        absolve.WarcReader(longer).read_pages()
    wrong: Any = Text("text")
    with pytest.raises(TypeError, match="open it in binary mode"):
        absolve.WarcReader(wrong).read_pages()


class Once(io.BytesIO):
    """A file object whose second read raises an exception, once, or has an effect."""

    effect: Callable[[], object] = staticmethod(lambda: None)
    reads = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.reads += 1
        if self.reads == 2:
            self.effect()
        return super().read(min(size or 0, 1000))


@pytest.mark.parametrize("raised", [TimeoutError, KeyboardInterrupt, ValueError])
def test_no_end_follows_an_error(raised: type[BaseException]) -> None:
    def fails() -> None:
        raise raised("late")

    file = Once(b"".join(RECORDS) * 1000)
    file.effect = fails
    reader = absolve.WarcReader(file)
    with pytest.raises(raised, match="late"):
        while reader.read_pages(1):
            pass
    message = rf"^reading failed before: {raised.__name__}: late; open the archive again$"
    for read in (reader.read_pages, reader.read_links):
        with pytest.raises(absolve.Error, match=message):
            read()
    reader.close()
    with pytest.raises(ValueError, match="^the reader is closed$"):
        reader.read_pages()


@pytest.mark.parametrize("method", ["close", "read_pages", "read_links"])
def test_a_reader_is_not_used_by_its_own_file_object(method: str) -> None:
    file = Once(b"".join(RECORDS))
    reader = absolve.WarcReader(file)
    file.effect = getattr(reader, method)
    with pytest.raises(RuntimeError, match="^reentrant call inside a WarcReader$"):
        while reader.read_pages(1):
            pass
    # It raised in the thread that read. Another one waits.
    file = Once(b"".join(RECORDS))
    reader = absolve.WarcReader(file)
    thread = threading.Thread(target=reader.close)
    file.effect = thread.start
    with pytest.raises(ValueError, match="^the reader is closed$"):
        while True:
            reader.read_pages(1)
    thread.join()


@pytest.mark.parametrize("raised", [KeyboardInterrupt, TimeoutError, InterruptedError])
@pytest.mark.parametrize("url", ["http://none/", "*"])
@pytest.mark.parametrize("method", ["read_pages", "read_links"])
def test_a_signal_ends_reading(
    method: str, url: str, raised: type[BaseException], tmp_path: pathlib.Path
) -> None:
    def handler(*_: object) -> None:
        raise raised("signal")

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), pipe.open("wb") as file:
            while True:
                file.write(records)

    # An archive without an end.
    pipe, records = tmp_path / "a.warc", record("http://h/a", b"x" * 1000) * 100
    os.mkfifo(pipe)
    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    reader = absolve.WarcReader(pipe, url=url)
    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(raised, match="^signal$"):
            getattr(reader, method)(1 << 40)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    with pytest.raises(absolve.Error, match=f"^reading failed before: {raised.__name__}: signal"):
        reader.read_pages()
    reader.close()
    thread.join()


def test_links_that_were_read_follow_an_error() -> None:
    def fails() -> None:
        raise TimeoutError("late")

    class File(Once):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() == len(self.getvalue()):
                fails()
            return super().read(size)

    page = record("http://h/" + "d" * 2000 + "/", b"<a href=y>" * 10_000)
    reader, found = absolve.WarcReader(File(page + RECORDS[0])), []
    found.append(pa.array(reader.read_links()))
    with pytest.raises(TimeoutError, match="late"):
        reader.read_pages()
    with pytest.raises(absolve.Error, match="^reading failed before: TimeoutError: late"):
        found.extend(pa.array(batch) for batch in iter(reader.read_links, None))
    assert len(found) > 1
    assert sum(map(len, found)) == 10_000


def test_a_reader_that_its_file_object_refers_to_is_freed() -> None:
    class File(io.BytesIO):
        reader: absolve.WarcReader

    file = File(b"".join(RECORDS))
    file.reader = absolve.WarcReader(file)
    assert file.reader.read_links(1) is not None
    freed = weakref.ref(file)
    del file
    gc.collect()
    assert freed() is None
    file = File(b"".join(RECORDS))
    freed = weakref.ref(file)
    with absolve.WarcReader(file) as reader:
        del file
        gc.collect()
        assert reader.read_links() is not None
    assert freed() is None


class Writes:
    """A file object that writes a part of what it is given, and returns that number."""

    def __init__(self, returned: Callable[[int], int | None]) -> None:
        self.returned, self.content = returned, b""

    def write(self, data: bytes, /) -> int | None:
        written = self.returned(len(data))
        self.content += data[: written or 0]
        return written


def test_short_writes_go_on() -> None:
    archive, whole = b"".join(RECORDS), io.BytesIO()
    absolve.rewrite_warc_stream(io.BytesIO(archive), whole)
    for returned in (lambda given: 1, lambda given: (given + 1) // 2):
        short = Writes(returned)
        absolve.rewrite_warc_stream(io.BytesIO(archive), short)
        assert short.content == whole.getvalue()


@pytest.mark.parametrize(
    ("returned", "kind", "message"),
    [
        (lambda given: None, BlockingIOError, r"its write\(\) returned None"),
        (lambda given: given + 1, ValueError, r"the file object wrote \d+ bytes of \d+"),
        (lambda given: 0, OSError, "failed to write"),
        (lambda given: "x", TypeError, "integer"),
    ],
)
def test_a_write_that_writes_nothing_is_an_exception(
    returned: Callable[[int], Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        absolve.rewrite_warc_stream(io.BytesIO(RECORDS[0]), Writes(returned))


def test_mistakes_are_errors_at_once(tmp_path: pathlib.Path) -> None:
    source: Any = 5
    with pytest.raises(TypeError, match="'source' must be a path or a file object, not int"):
        absolve.WarcReader(source)
    with pytest.raises(TypeError, match="'destination' must be a file object, not int"):
        absolve.rewrite_warc_stream(io.BytesIO(), source)
    with pytest.raises(FileNotFoundError):
        absolve.WarcReader(tmp_path / "none.warc")
    with pytest.raises(TypeError, match="dry_run=True needs a path"):
        absolve.rewrite_warc_stream(io.BytesIO(), io.BytesIO(), dry_run=True)
    call: Any = absolve.WarcReader
    with pytest.raises(TypeError, match="Did you mean 'standard'"):
        call(io.BytesIO(), standad="x")
    with pytest.raises(absolve.BaseUrlError):
        absolve.WarcReader(io.BytesIO(), "x")


def sheet(url: str) -> bytes:
    return record(url, b"a{b:url(x)}", "resource").replace(b"text/html", b"text/css ", 1)


def test_style_sheets_have_links_and_no_pages() -> None:
    archive = b"".join([sheet("http://h/s/a.css"), record("http://h/a/", b"<a href=y>")])
    found = rows(absolve.WarcReader(io.BytesIO(archive)).read_links)
    assert [(row["element"], row["attribute"], row["grammar"], row["url"]) for row in found] == [
        (None, None, "stylesheet", "http://h/s/x"),
        ("a", "href", "url", "http://h/a/y"),
    ]
    [page] = rows(absolve.WarcReader(io.BytesIO(archive)).read_pages)
    assert page["url"] == "http://h/a/"
    found = rows(absolve.WarcReader(io.BytesIO(archive), mime="text/html").read_links)
    assert [row["url"] for row in found] == ["http://h/a/y"]


def test_style_sheets_are_rewritten() -> None:
    archive, out = sheet("http://h/s/a.css"), io.BytesIO()
    result = absolve.rewrite_warc_stream(io.BytesIO(archive), out, record_type="response")
    assert result.counts.rewritten == 1
    assert b"url(http://h/s/x)" in out.getvalue()
    out = io.BytesIO()
    result = absolve.rewrite_warc_stream(io.BytesIO(archive), out, mime="text/html")
    assert (result.counts.copied, out.getvalue()) == (1, archive)


def test_xml_is_rewritten() -> None:
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'><a href='x'/></svg>"
    archive = record("http://h/a", svg, "resource").replace(b"text/html", b"image/svg+xml", 1)
    result = absolve.rewrite_warc_stream(io.BytesIO(archive), io.BytesIO())
    assert (result.counts.seen, result.counts.rewritten) == (1, 1)


def test_revisits_are_counted(tmp_path: pathlib.Path) -> None:
    page = record("http://h/a/", b"<a href=x>").replace(
        b"WARC-Type: response", b"WARC-Payload-Digest: sha1:OLD\r\nWARC-Type: response"
    )
    revisit = (
        b"WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Target-URI: http://h/a/\r\n"
        b"WARC-Payload-Digest: sha1:OLD\r\nWARC-Refers-To-Target-URI: http://h/a/\r\n"
        b"WARC-Refers-To-Date: %s\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    )
    old = tmp_path / "old.warc"
    old.write_bytes(page + revisit % b"2026-01-02T03:04:05Z" + revisit % b"2025-01-01T00:00:00Z")
    index = tmp_path / "new.cdxj"
    result = absolve.rewrite_warc(old, tmp_path / "new.warc", record_type="response", cdxj=index)
    counts = result.counts
    assert (counts.seen, counts.rewritten, counts.updated, counts.stale) == (3, 1, 1, 1)
    assert "updated=1, stale=1" in repr(counts)
    assert index.exists()


def test_an_index_is_that_of_the_command(tmp_path: pathlib.Path) -> None:
    old, new, index = tmp_path / "old.warc", tmp_path / "new.warc", tmp_path / "new.cdxj"
    old.write_bytes(record("http://h/a/", b"<a href=x>"))
    absolve.rewrite_warc(old, new, cdxj=index, dry_run=True)
    assert not index.exists()
    absolve.rewrite_warc(old, new, cdxj=index)
    line = index.read_text()
    assert line.startswith("h)/a 20260102030405 {")
    assert '"filename": "new.warc"' in line
    with pytest.raises(absolve.Error, match="is the archive itself; give cdxj another file"):
        absolve.rewrite_warc(old, new, cdxj=new)
    with pytest.raises(TypeError, match="cdxj needs a path"):
        absolve.rewrite_warc_stream(io.BytesIO(), io.BytesIO(), cdxj=index)
    with pytest.raises(absolve.Error, match="a WACZ archive stays one"):
        absolve.rewrite_warc(old, tmp_path / "new.wacz")


def test_an_archive_that_is_being_written_is_not_replaced(tmp_path: pathlib.Path) -> None:
    old, open_archive = tmp_path / "old.warc", tmp_path / "new.warc.open"
    old.write_bytes(record("http://h/a/", b"<a href=x>"))
    open_archive.write_bytes(b"")
    with pytest.raises(absolve.Error, match="give destination another file"):
        absolve.rewrite_warc(old, open_archive)
    with pytest.raises(absolve.Error, match="give cdxj another file"):
        absolve.rewrite_warc(old, tmp_path / "new.warc", cdxj=open_archive)
    assert open_archive.read_bytes() == b""
    assert absolve.rewrite_warc(old, tmp_path / "other.warc.open").counts.rewritten == 1


def wacz(path: pathlib.Path, archives: dict[str, bytes]) -> pathlib.Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, content in archives.items():
            file.writestr(f"archive/{name}", content)
        resources = [{"path": f"archive/{name}"} for name in archives]
        file.writestr("datapackage.json", json.dumps({"resources": resources}))
    return path


def test_a_wacz_archive_is_rewritten_and_read(tmp_path: pathlib.Path) -> None:
    archives = {
        "a.warc": record("http://h/a/", b"<a href=x>") + record("http://h/b/", b"<p>"),
        "b.warc": record("http://h/c/", b"<a href=y>") + b"damage\n",
    }
    old, new = wacz(tmp_path / "old.wacz", archives), tmp_path / "new.wacz"
    assert absolve.rewrite_warc(old, new, dry_run=True).counts.rewritten == 2
    assert not new.exists()
    result = absolve.rewrite_warc(old, new, record_type="response")
    assert (result.counts.rewritten, result.counts.failed) == (2, 1)
    assert str(result.failures[0]).startswith(f"{old}!archive/b.warc!@")
    with zipfile.ZipFile(new) as file:
        assert b"<a href=http://h/a/x>" in file.read("archive/a.warc")
    found = rows(absolve.WarcReader(old).read_pages)
    assert [row["url"] for row in found] == ["http://h/a/", "http://h/b/", "http://h/c/", None]
    content = old.read_bytes()
    assert all(content[row["offset"] :].startswith((b"WARC/", b"damage")) for row in found)
    links = rows(absolve.WarcReader(new).read_links)
    assert [row["url"] for row in links if row["url"]] == ["http://h/a/x", "http://h/c/y"]
    same = tmp_path / "same.wacz"
    assert absolve.rewrite_warc(new, same, record_type="response").counts.rewritten == 0
    assert same.read_bytes() == new.read_bytes()
    with pytest.raises(absolve.Error, match="a WACZ archive stays one"):
        absolve.rewrite_warc(old, tmp_path / "new.warc")
    with pytest.raises(absolve.Error, match="cdxj is not for a WACZ archive"):
        absolve.rewrite_warc(old, new, cdxj=tmp_path / "new.cdxj")
    with pytest.raises(absolve.Error, match=r"use rewrite_warc\(\)"):
        absolve.rewrite_warc_stream(old, io.BytesIO())
    with pytest.raises(OSError, match="a ZIP archive, and not a web archive"):
        absolve.rewrite_warc_stream(old.open("rb"), io.BytesIO())
    assert absolve.audit(old, rule={"not-captured": "warn"}).summary.pages == 3
    with pytest.raises(FileNotFoundError):
        absolve.WarcReader(tmp_path / "none.wacz")


def test_links_of_a_large_page_are_several_batches() -> None:
    """A page with more links than a batch is between others, and among them in one gzip member."""
    base = "http://h/" + "d" * 2000 + "/"
    pages = [
        record("http://h/a/", b"<a href=x>"),
        record(base, b"<a href=y>" * 30_000),
        record("http://h/b/", b"<a href=z>"),
        record(base, b"<a href=y>" * 10_000),
    ]
    for archive in (b"".join(pages), gzip.compress(b"".join(pages))):
        reader = absolve.WarcReader(io.BytesIO(archive))
        sizes, found = [], []
        while (batch := reader.read_links()) is not None:
            sizes.append(len(batch))
            found += pa.array(batch).field("url").to_pylist()
        assert max(sizes) < 10_000
        assert len(sizes) > 6
        one, other = [f"{base}y"] * 30_000, [f"{base}y"] * 10_000
        assert found == ["http://h/a/x", *one, "http://h/b/z", *other]


def test_columns_hold_from_the_next_document() -> None:
    large = record("http://h/" + "d" * 2000 + "/", b"<a href=y>" * 10_000)
    reader = absolve.WarcReader(io.BytesIO(RECORDS[0] + large + RECORDS[0]))
    columns: list[list[str]] = [["url"], ["element"], ["base"], ["line"]]
    read = [reader.read_links(columns=names) for names in columns]
    # The links of the last document are few, and were listed with those of the first.
    found = [pa.array(batch).type.names[4:] for batch in read if batch]
    assert found == [["url"], ["element"], ["url"]]
    assert reader.read_pages() is None


def gzipped(content: bytes, level: int = 6, flags: int = 0, fields: bytes = b"") -> bytes:
    """A gzip member, whose header has these fields."""
    compress = zlib.compressobj(level, wbits=-15)
    data = compress.compress(content) + compress.flush()
    trailer = struct.pack("<II", zlib.crc32(content), len(content))
    return b"\x1f\x8b\x08" + bytes([flags]) + bytes(6) + fields + data + trailer


FIRST, LAST = gzip.compress(RECORDS[0]), gzip.compress(RECORDS[3])
SECOND = gzip.compress(RECORDS[1])
EXTRA = b"sl\x08\x00" + bytes(8)
WIDE = record("http://h/w/", b"<a href=x>" + b"w" * (5 << 20))

# What follows the first member of an archive, and comes before the last one.
BETWEEN = {
    "members": SECOND,
    "records": gzipped(RECORDS[1] + RECORDS[3] + RECORDS[0]),
    "empty": gzipped(b"") + SECOND,
    "stored": gzipped(record("http://h/s/", b"<a href=x>" + FIRST * 3, "resource"), level=0),
    "magic": gzipped(record("http://h/s/", b"<a href=x>\x1f\x8b\x08\0" * 50, "resource"), level=0),
    "name": gzipped(RECORDS[1], flags=8, fields=b"name\0") + SECOND,
    "extra": gzipped(RECORDS[1], flags=4, fields=b"\x0c\0" + EXTRA) + SECOND,
    "checksum of the header": gzipped(RECORDS[1], flags=2, fields=b"\0\0") + SECOND,
    "plain": RECORDS[1],
    "zeros": bytes(600),
    "text": b"junk" * 9,
    "a second trailer": FIRST[-8:],
    "a record and a second trailer": RECORDS[1] + FIRST[-8:],
    "no end": SECOND[:-20],
    "no trailer": SECOND[:-8],
    "half a trailer": SECOND[:-4],
    "a wrong checksum": SECOND[:-8] + bytes([SECOND[-8] ^ 1]) + SECOND[-7:],
    "too small": SECOND[:-4] + struct.pack("<I", 9),
    "too large": SECOND[:-4] + struct.pack("<I", len(RECORDS[1]) + 1),
    "much too large": SECOND[:-4] + b"\xff\xff\xff\xff",
    "damaged": SECOND[:40] + b"\xff\xff\xff\xff" + SECOND[44:],
    "damaged content": gzipped(RECORDS[1][:60] + RECORDS[0]),
    "junk in a member": gzipped(b"junk\r\n" + RECORDS[1]),
    "large": gzip.compress(WIDE),
    "large and random": gzipped(WIDE + random.Random(7).randbytes(2 << 20)),
    "a bomb": gzip.compress(record("http://h/z/", bytes(24 << 20))),
    "a bomb that says it is small": gzipped(bytes(24 << 20))[:-4] + struct.pack("<I", 1000),
}


@pytest.mark.parametrize("between", BETWEEN.values(), ids=BETWEEN)
def test_compressed_members_are_those_of_the_command(
    between: bytes, tmp_path: pathlib.Path, command: str
) -> None:
    """The command decompresses all members in steps, the package those in memory at once."""
    source, expected, new = (tmp_path / name for name in ("a.warc.gz", "b.warc.gz", "c.warc.gz"))
    source.write_bytes(FIRST + between + LAST)
    subprocess.run([command, "rewrite", source, "-o", expected], capture_output=True)
    absolve.rewrite_warc(source, new)
    assert new.read_bytes() == expected.read_bytes()
    done = subprocess.run(
        [command, "links", "--format", "jsonl", source], capture_output=True, text=True
    )
    urls = [json.loads(line)["url"] for line in done.stdout.splitlines()]
    table = pa.concat_tables(pa.table(batch) for batch in absolve.WarcReader(source).links())
    assert [url for url in table["url"].to_pylist() if url is not None] == urls
    assert urls[0] == "http://h/a/x"


def test_an_error_after_a_whole_member_is_raised() -> None:
    class Fails(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if data := super().read(size):
                return data
            raise OSError("the line broke")

    reader = absolve.WarcReader(Fails(FIRST + SECOND[:-1]))
    first = reader.read_pages(1)
    assert first is not None
    assert len(first) == 1
    with pytest.raises(OSError, match="the line broke"):
        reader.read_pages(1)


def test_memory_that_is_used_again_is_not_that_of_an_array_in_use() -> None:
    """Batches that are kept stay as they are, while others come and go."""
    pages = [record("http://h/", bytes([n]) * 300_000) for n in range(40)]
    archive = b"".join(map(gzipped, pages))
    reader = absolve.WarcReader(io.BytesIO(archive))
    kept: dict[int, Any] = {}
    for number, batch in enumerate(reader.pages(300_000)):
        html = pa.array(batch).field("html")
        assert html.to_pylist() == [bytes([number]) * 300_000]
        if number % 3 == 0:
            kept[number] = html
    assert len(kept) == 14
    for number, html in kept.items():
        assert html.to_pylist() == [bytes([number]) * 300_000]
