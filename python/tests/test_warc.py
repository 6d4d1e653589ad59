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


def test_pages_are_rewritten_as_an_array(archive: Any) -> None:
    found = [pa.array(batch) for batch in absolve.WarcReader(archive).pages()]
    pages = pa.concat_arrays(found)
    result = pa.array(absolve.rewrite_array(pages.field("html"), pages.field("url")))
    assert result.field("document").to_pylist() == [
        b"<a href=http://h/a/x>",
        b"<img src=http://h/b/y><a href=http://h/b/z>",
        None,
        b"<p>",
    ]


def test_limits_have_the_names_of_python() -> None:
    archive = io.BytesIO(record("http://h/", b"x" * 2000) + record("http://h/", b"<a href=x>"))
    skipped, page = rows(absolve.WarcReader(archive, max_record=1000).read_pages)
    assert skipped["error"].startswith(
        "record is not read: it exceeds the limit for records; raise"
    )
    assert "raise max_record" in skipped["error"]
    assert page["html"] == b"<a href=x>"


def test_exceptions_of_file_objects_are_raised() -> None:
    class Fails(io.BytesIO):
        at = 0

        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() >= self.at:
                raise ZeroDivisionError
            return super().read(size)

    class Text(io.StringIO):
        pass

    with pytest.raises(ZeroDivisionError):
        absolve.WarcReader(Fails()).read_pages()
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


def test_mistakes_are_errors_at_once(tmp_path: pathlib.Path) -> None:
    source: Any = 5
    with pytest.raises(TypeError, match="'source' must be a path or a file object, not int"):
        absolve.WarcReader(source)
    with pytest.raises(FileNotFoundError):
        absolve.WarcReader(tmp_path / "none.warc")
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


def wacz(path: pathlib.Path, archives: dict[str, bytes]) -> pathlib.Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, content in archives.items():
            file.writestr(f"archive/{name}", content)
        resources = [{"path": f"archive/{name}"} for name in archives]
        file.writestr("datapackage.json", json.dumps({"resources": resources}))
    return path


def test_a_wacz_archive_is_read(tmp_path: pathlib.Path) -> None:
    archives = {
        "a.warc": record("http://h/a/", b"<a href=x>") + record("http://h/b/", b"<p>"),
        "b.warc": record("http://h/c/", b"<a href=y>") + b"damage\n",
    }
    path = wacz(tmp_path / "a.wacz", archives)
    found = rows(absolve.WarcReader(path).read_pages)
    assert [row["url"] for row in found] == ["http://h/a/", "http://h/b/", "http://h/c/", None]
    content = path.read_bytes()
    assert all(content[row["offset"] :].startswith((b"WARC/", b"damage")) for row in found)
    links = rows(absolve.WarcReader(path).read_links)
    assert [row["url"] for row in links if row["url"]] == ["http://h/a/x", "http://h/c/y"]
    with pytest.raises(OSError, match="a ZIP archive, and not a web archive"):
        absolve.WarcReader(path.open("rb")).read_pages()
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
    source = tmp_path / "a.warc.gz"
    source.write_bytes(FIRST + between + LAST)
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
