"""Folders and files: what is written, and when nothing is."""

import gzip
import os
import pathlib
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import absolve
from absolve import _absolve, _options

BASE = "http://h/docs/"


@pytest.fixture
def site(tmp_path: pathlib.Path) -> pathlib.Path:
    """Three files: a page with a link to rewrite, one without, and a style sheet."""
    site = tmp_path / "site"
    (site / "b").mkdir(parents=True)
    (site / "a.html").write_text("<a href=b/c.html>")
    (site / "b" / "c.html").write_text("<p>")
    (site / "b" / "style.css").write_text("p {}")
    return site


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    """The files of a folder, hidden ones too."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_strict_refuses_links_that_stay_relative(
    site: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    what = "links that stay relative; give base_url or base_map"
    with pytest.raises(absolve.Error, match=what):
        absolve.rewrite_tree(site, tmp_path / "new", strict=True)
    with pytest.raises(absolve.Error, match=what):
        absolve.rewrite_file(site / "a.html", tmp_path / "a.html", strict=True)
    assert (tmp_path / "a.html").read_text() == "<a href=b/c.html>"
    assert absolve.rewrite_tree(site, tmp_path / "more", BASE, strict=True).links.unresolved == 0


def test_a_folder_is_written_to_another(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    before = contents(site)
    result = absolve.rewrite_tree(site, tmp_path / "new", BASE)
    assert contents(tmp_path / "new") == {
        "a.html": b"<a href=http://h/docs/b/c.html>",
        "b/c.html": b"<p>",
    }
    assert contents(site) == before
    assert (result.counts.seen, result.counts.rewritten, result.counts.unchanged) == (2, 1, 1)
    assert (result.links.seen, result.links.rewritten) == (1, 1)
    assert result.changed == [str(site / "a.html")]
    assert result.failures == []
    assert result.seconds > 0


def test_a_folder_is_written_in_place_only_when_asked(site: pathlib.Path) -> None:
    before = contents(site)
    with pytest.raises(TypeError, match=r"rewrite_tree\(\) needs a destination, or in_place=True"):
        absolve.rewrite_tree(site, base_url=BASE)
    with pytest.raises(TypeError, match="not both"):
        absolve.rewrite_tree(site, site, BASE, in_place=True)
    trial = absolve.rewrite_tree(site, base_url=BASE, dry_run=True)
    assert contents(site) == before
    result = absolve.rewrite_tree(str(site), base_url=BASE, in_place=True)
    assert trial.counts == result.counts
    assert trial.changed == result.changed
    assert contents(site) == before | {"a.html": b"<a href=http://h/docs/b/c.html>"}
    again = absolve.rewrite_tree(site, base_url=BASE, in_place=True)
    assert again.counts.rewritten == 0


def test_options_are_those_of_the_command(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    absolve.rewrite_tree(
        site, tmp_path / "new", BASE, copy_assets=True, exclude=["c.html"], jobs=1, sync="never"
    )
    assert sorted(contents(tmp_path / "new")) == ["a.html", "b/c.html", "b/style.css"]
    absolve.rewrite_tree(site, base_url=BASE, in_place=True, backup=True)
    assert (site / "a.html.orig").read_text() == "<a href=b/c.html>"
    absolve.rewrite_tree(tmp_path / "new", base_url=BASE, in_place=True, backup=".old")


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_folder_that_is_not_empty_is_refused(
    site: pathlib.Path, tmp_path: pathlib.Path, dry_run: bool
) -> None:
    new = tmp_path / "new"
    new.mkdir()
    (new / "mine").write_text("")
    with pytest.raises(FileExistsError, match="force=True"):
        absolve.rewrite_tree(site, new, BASE, dry_run=dry_run)
    with pytest.raises(OSError, match="new"):
        absolve.rewrite_tree(tmp_path, new, BASE, dry_run=dry_run)
    assert contents(new) == {"mine": b""}
    absolve.rewrite_tree(site, new, BASE, force=True)
    assert len(contents(new)) == 3


def test_failures_are_in_the_result(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (site / "large.html").write_text("<a href=x>" * 2)
    result = absolve.rewrite_tree(site, tmp_path / "new", BASE, max_links=1)
    (failure,) = result.failures
    assert failure.file == str(site / "large.html")
    assert "max_links" in failure.message
    assert "--" not in failure.message
    assert result.counts.failed == 1
    assert str(failure) == f"{failure.file}: {failure.message}"


def test_paths_that_are_not_there(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for function in (absolve.rewrite_tree, absolve.rewrite_file):
        with pytest.raises(FileNotFoundError) as raised:
            function(tmp_path / "none", tmp_path / "new")
        assert raised.value.filename == str(tmp_path / "none")
    with pytest.raises(NotADirectoryError):
        absolve.rewrite_tree(site / "a.html", tmp_path / "new")
    with pytest.raises(IsADirectoryError):
        absolve.rewrite_file(site, tmp_path / "new")
    with pytest.raises(IsADirectoryError):
        absolve.rewrite_file(site / "a.html", tmp_path)
    with pytest.raises(FileNotFoundError):
        absolve.rewrite_file(site / "a.html", tmp_path / "none" / "new.html")
    (tmp_path / "empty").mkdir()
    with pytest.raises(absolve.Error, match=r"no documents found; .* allow_empty=True"):
        absolve.rewrite_tree(tmp_path / "empty", tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "site"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"base_url": "x"}, absolve.BaseUrlError, "x"),
        ({"base_url": "http://h/x.html"}, absolve.Error, "did you mean 'http://h/'?"),
        ({"encoding": "utf-9"}, absolve.EncodingError, "utf-9"),
        (
            {"standard": "rfc1809"},
            absolve.Error,
            "invalid value \"rfc1809\" for 'standard', did you mean 'rfc1808'?",
        ),
        ({"sync": "x"}, absolve.Error, "for 'sync', expected auto, always, never"),
        ({"jobs": 257}, absolve.Error, "for 'jobs', expected a number from 0 to 256"),
        ({"jobs": -1}, absolve.Error, "for 'jobs', expected a number from 0 to 256"),
        ({"jobs": True}, TypeError, "'jobs' must be an int, not bool"),
        ({"jobs": "2"}, TypeError, "'jobs' must be an int, not str"),
        ({"meta": 1}, TypeError, "'meta' must be a bool, not int"),
        ({"standard": 1}, TypeError, "'standard' must be a str, not int"),
        ({"only": 1}, TypeError, "'only' must be a str, not int"),
        ({"base_map": 1}, TypeError, "'base_map' must be a path, not int"),
        ({"only": ["hrf"]}, absolve.Error, "only 'hrf': not an attribute with links, did you mean"),
        ({"backup": ".html"}, absolve.Error, "would be documents of the next run"),
        ({"backup": "a/b"}, absolve.Error, "for 'backup', expected a suffix"),
        (
            {"exclud": "x"},
            TypeError,
            "rewrite_tree() got an unexpected keyword argument 'exclud'. Did you mean 'exclude'?",
        ),
        ({"progess": print}, TypeError, "Did you mean 'progress'?"),
        ({"write": True}, TypeError, "rewrite_tree() got an unexpected keyword argument 'write'"),
        (
            {"force": True},
            absolve.Error,
            "the argument 'force=True' cannot be used with 'in_place=True'",
        ),
        ({"config": "x"}, TypeError, "unexpected keyword argument"),
    ],
)
def test_wrong_options(
    site: pathlib.Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    before = contents(site)
    with pytest.raises(error) as raised:
        absolve.rewrite_tree(site, in_place=True, **options)
    assert message in str(raised.value)
    assert "--" not in str(raised.value)
    assert type(raised.value) is error
    assert contents(site) == before


@pytest.mark.parametrize(
    ("function", "options"),
    [
        ("rewrite_tree", _options.TreeOptions),
        ("rewrite_file", _options.FileOptions),
        ("extract", _options.ExtractOptions),
        ("audit", _options.AuditOptions),
    ],
)
def test_options_are_those_of_the_stubs(function: str, options: type) -> None:
    assert sorted(_absolve._options_of(function) or []) == sorted(options.__annotations__)


def test_a_folder_has_relative_links(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (site / "b" / "index.html").write_text("<a href=http://h/docs/b/>")
    (site / "b" / "style.css").write_text("p { background: url(http://h/docs/a.png) }")
    absolve.rewrite_tree(site, tmp_path / "new", BASE, to="offline")
    assert (tmp_path / "new" / "b" / "index.html").read_text() == "<a href=index.html>"
    assert (tmp_path / "new" / "b" / "style.css").exists()
    absolve.rewrite_tree(site, base_url=BASE, in_place=True, maps={"http://h/": "http://n/"})
    assert (site / "b" / "index.html").read_text() == "<a href=http://n/docs/b/>"
    with pytest.raises(absolve.Error, match="^to='relative' needs the URLs of files: base_url"):
        absolve.rewrite_tree(site, in_place=True, to="relative")


def test_a_file_is_written_to_another(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    new = tmp_path / "new.html"
    result = absolve.rewrite_file(site / "a.html", new, BASE)
    assert new.read_text() == "<a href=http://h/docs/b/c.html>"
    assert result.counts.rewritten == result.links.rewritten == 1
    assert result.changed == [str(site / "a.html")]
    with pytest.raises(
        absolve.Error, match="is the input itself; rewrite it in place with in_place=True"
    ):
        absolve.rewrite_file(new, new, BASE)
    (site / "a.html").write_text("<a href=x><a href=y>")
    places: list[dict[str, Any]] = [{"destination": new}, {"in_place": True}]
    for place in places:
        with pytest.raises(absolve.LimitError, match="max_links") as raised:
            absolve.rewrite_file(site / "a.html", base_url=BASE, max_links=1, **place)
        assert (raised.value.limit, raised.value.offset) == ("max_links", 18)
    assert new.read_text() == "<a href=http://h/docs/b/c.html>"
    trial = absolve.rewrite_file(site / "a.html", new, BASE, dry_run=True)
    assert trial.links.rewritten == 2
    assert new.read_text() == "<a href=http://h/docs/b/c.html>"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"max_links": 0, "max_input": 4}, absolve.LimitError),
        ({"max_output": 20}, absolve.LimitError),
        ({"base_url": "mailto:x"}, absolve.BaseUrlError),
        ({"base_url": "x"}, absolve.BaseUrlError),
        ({"base_url": BASE + "x" * 90, "max_base_url": 80}, absolve.LimitError),
        ({"encoding": "utf-9"}, absolve.EncodingError),
    ],
)
def test_a_file_that_fails_has_the_error_of_its_document(
    site: pathlib.Path, tmp_path: pathlib.Path, options: dict[str, Any], error: type[Exception]
) -> None:
    before = contents(tmp_path)
    options = {"base_url": BASE} | options
    places: list[dict[str, Any]] = [
        {"destination": tmp_path / "new.html"},
        {"in_place": True},
        {"dry_run": True},
    ]
    for place in places:
        with pytest.raises(absolve.Error) as raised:
            absolve.rewrite_file(site / "a.html", **options, **place)
        assert type(raised.value) is error, place
        assert "--" not in str(raised.value)
    assert contents(tmp_path) == before


def test_paths_may_be_bytes(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    new = tmp_path / os.fsdecode(b"n\xfc")
    absolve.rewrite_tree(os.fsencode(site), os.fsencode(new), BASE)
    page, other = os.fsencode(new / "a.html"), os.fsencode(new / "other.html")
    absolve.rewrite_file(os.fsencode(site / "a.html"), other, BASE, root_dir=os.fsencode(site))
    assert (new / "other.html").read_bytes() == (new / "a.html").read_bytes()
    report = absolve.audit(os.fsencode(new), BASE, report_only=page)
    report.write("json", os.fsencode(tmp_path / "report.json"))
    report.write_baseline(os.fsencode(tmp_path / "baseline.json"))
    assert {"report.json", "baseline.json"} <= set(contents(tmp_path))
    calls: list[tuple[str, Any, list[object]]] = [
        ("source", absolve.rewrite_file, [5]),
        ("destination", absolve.rewrite_tree, [site, 5]),
        ("path", absolve.audit, [5]),
        ("crawl", absolve.extract, [5, page]),
        ("file", report.write_baseline, [5]),
    ]
    for name, call, arguments in calls:
        with pytest.raises(TypeError, match=f"'{name}' must be a path( or several)?, not int"):
            call(*arguments)


def test_a_file_is_written_in_place(site: pathlib.Path) -> None:
    page = site / "a.html"
    page.chmod(0o640)
    result = absolve.rewrite_file(page, base_url="http://h/x/y", in_place=True, backup=True)
    assert page.read_text() == "<a href=http://h/x/b/c.html>"
    assert page.stat().st_mode & 0o777 == 0o640
    assert (site / "a.html.orig").read_text() == "<a href=b/c.html>"
    assert result.counts.rewritten == 1
    (site / "link.html").hardlink_to(page)
    page.write_text("<a href=x>")
    with pytest.raises(absolve.Error, match=r"hard links; .* \(break_hardlinks=True\)$"):
        absolve.rewrite_file(page, base_url=BASE, in_place=True)
    absolve.rewrite_file(page, base_url=BASE, in_place=True, break_hardlinks=True)
    assert (site / "link.html").read_text() == "<a href=x>"


def test_a_file_with_the_name_of_a_stream(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("-").write_text("<a href=x>")
    absolve.rewrite_file("-", "--out", BASE, as_="html")
    absolve.rewrite_file("--out", "-", BASE, as_="html")
    assert pathlib.Path("-").read_text() == "<a href=http://h/docs/x>"


def test_an_archive_is_refused(tmp_path: pathlib.Path) -> None:
    old = tmp_path / "old.warc.gz"
    old.write_bytes(gzip.compress(b"WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n"))
    (tmp_path / "a.html").write_text("<a href=x>")
    what = "a web archive is read and not rewritten; .* WarcReader.read_pages .* rewrite_array"
    calls: list[Callable[[], object]] = [
        lambda: absolve.rewrite_file(old, tmp_path / "new.warc.gz"),
        lambda: absolve.rewrite_file(old, in_place=True),
        lambda: absolve.rewrite_file(tmp_path / "a.html", tmp_path / "b.html", as_="warc"),
    ]
    for call in calls:
        with pytest.raises(absolve.Error, match=what):
            call()
    # In a folder with pages, it is no document.
    assert absolve.rewrite_tree(tmp_path, base_url=BASE, in_place=True).counts.rewritten == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "old.warc.gz"]


@pytest.fixture
def large(tmp_path: pathlib.Path) -> pathlib.Path:
    """A site whose run takes a second and more."""
    site = tmp_path / "large"
    site.mkdir()
    for number in range(1_500):
        (site / f"{number}.html").write_text("<a href=x>\n" * 2_000)
    return site


def is_whole(text: str) -> bool:
    return text in ("<a href=x>\n" * 2_000, f"<a href={BASE}x>\n" * 2_000)


def test_progress_is_reported(large: pathlib.Path, tmp_path: pathlib.Path) -> None:
    calls: list[tuple[int, int]] = []
    threads = set()

    def progress(done: int, total: int) -> None:
        calls.append((done, total))
        threads.add(threading.get_ident())

    absolve.rewrite_tree(large, tmp_path / "new", BASE, jobs=1, progress=progress)
    assert calls == sorted(set(calls))
    assert calls[-1] == (1_500, 1_500)
    assert len(calls) > 1
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("in_place", [False, True])
def test_an_exception_ends_the_run(
    large: pathlib.Path, tmp_path: pathlib.Path, in_place: bool
) -> None:
    def progress(done: int, total: int) -> None:
        if done > 100:
            raise KeyError("enough")

    destination = None if in_place else tmp_path / "new"
    with pytest.raises(KeyError, match="enough"):
        absolve.rewrite_tree(large, destination, BASE, in_place=in_place, progress=progress)
    assert not (tmp_path / "new").exists()
    files = contents(large)
    assert len(files) == 1_500
    assert all(is_whole(text.decode()) for text in files.values())


SCRIPT = """
import signal, sys, absolve
# Also where the tests were started to ignore it, as nohup does.
signal.signal(signal.SIGINT, signal.default_int_handler)
starting = iter(["started"])
def progress(done, total):
    for word in starting:
        print(word, flush=True)
try:
    absolve.rewrite_tree(
        sys.argv[1], {destination}, "http://h/docs/", in_place={in_place}, progress=progress
    )
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("in_place", [False, True])
def test_a_signal_leaves_nothing_half_done(
    large: pathlib.Path, tmp_path: pathlib.Path, in_place: bool, number: signal.Signals
) -> None:
    destination = None if in_place else str(tmp_path / "new")
    script = SCRIPT.format(destination=repr(destination), in_place=in_place)
    command = [sys.executable, "-c", script, str(large)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.send_signal(number)
        said = process.stdout.read()
    if number == signal.SIGINT:
        assert (said, process.returncode) == ("interrupted\n", 0)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["large"]
        assert len(contents(large)) == 1_500
    else:
        assert process.returncode == -signal.SIGKILL
    pages = {path: path.read_text() for path in large.glob("*.html")}
    assert len(pages) == 1_500
    assert all(is_whole(text) for text in pages.values())
    assert not list((tmp_path / "new").glob("*.html"))
    # The next run removes what a killed one left.
    absolve.rewrite_tree(large, destination, BASE, in_place=in_place)
    folder = large if in_place else tmp_path / "new"
    assert len(contents(folder)) == 1_500


def test_runs_in_several_threads(large: pathlib.Path, tmp_path: pathlib.Path) -> None:
    results: list[absolve.RewriteResult] = []

    def run(number: int) -> None:
        new = tmp_path / f"new{number}"
        results.append(absolve.rewrite_tree(large, new, BASE, include="1*.html", jobs=1))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {result.links.rewritten for result in results} == {611 * 2_000}


def test_bytes_are_those_of_the_command(
    command: str, tmp_path: pathlib.Path, pages: list[pathlib.Path]
) -> None:
    site = tmp_path / "site"
    for number, page in enumerate(pages[::25][:60]):
        (site / f"{number % 7}").mkdir(parents=True, exist_ok=True)
        (site / f"{number % 7}" / f"{number}.html").write_bytes(page.read_bytes())
    expected, new = tmp_path / "expected", tmp_path / "new"
    base = "https://example.org/a%20b/"
    run = [command, "rewrite", "--base-url", base, "-o", str(expected), str(site)]
    subprocess.run(run, check=True, capture_output=True)
    absolve.rewrite_tree(site, new, base)
    assert contents(new) == contents(expected)
    absolve.rewrite_tree(site, base_url=base, in_place=True)
    assert contents(site) == contents(expected)
