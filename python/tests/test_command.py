"""The command of the wheel does what the binary does: output, exit codes, signals."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import sysconfig
import time

import pytest

import absolve

SCRIPT = pathlib.Path(sysconfig.get_path("scripts"), "absolve")
WAYS = {"script": [str(SCRIPT)], "module": [sys.executable, "-m", "absolve"]}


@pytest.fixture(params=WAYS)
def wheel(request: pytest.FixtureRequest) -> list[str]:
    """The command of the wheel."""
    return WAYS[request.param]


def run(command: list[str], *arguments: str, **options: object) -> tuple[int, bytes, bytes]:
    options.setdefault("input", b"")
    done = subprocess.run([*command, *arguments], capture_output=True, check=False, **options)  # type: ignore[call-overload]
    stderr = re.sub(rb"[0-9.]+ seconds", b"0.00 seconds", done.stderr)
    return done.returncode, done.stdout, stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["rewrite", "--help"], 0),
        (["audit", "-h"], 0),
        ([], 2),
        (["rewrit"], 2),
        (["rewrite", "--bas"], 2),
        (["rewrite", "--base-url", "x"], 2),
        (["rewrite", "none.html"], 2),
        (["rewrite", "--base-url", "http://h/", "-"], 0),
        (["rewrite", "--check", "page.html"], 1),
        (["rewrite", "--config", "absolve.toml", "page.html"], 0),
        (["links", "page.html", "--format", "jsonl"], 0),
        (["audit", "--explain", "all"], 0),
        (["audit", "--explain", "broken-link"], 0),
        (["audit", "."], 1),
        (["resolve", "http://a/b/c/d;p?q", "../g", "--explain"], 0),
        (["resolve", "--standard", "rfc3986", "http://h/", "http://["], 1),
        (["completions", "bash"], 0),
        (["man"], 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_output_and_exit_code(
    command: str, wheel: list[str], tmp_path: pathlib.Path, arguments: list[str], status: int
) -> None:
    (tmp_path / "page.html").write_text("<a href=x>")
    (tmp_path / "absolve.toml").write_text('[rewrite]\nbase-url = "http://h/"\n')
    page = b"<a href=x><img src=\xff>"
    expected = run([command], *arguments, cwd=tmp_path, input=page)
    assert run(wheel, *arguments, cwd=tmp_path, input=page) == expected
    assert expected[0] == status, expected


def test_version_is_that_of_the_package(wheel: list[str]) -> None:
    assert run(wheel, "--version")[1] == f"absolve {absolve.__version__}\n".encode()


def test_a_configuration_is_found(wheel: list[str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "absolve.toml").write_text('[rewrite]\nbase-url = "http://h/"\n')
    (tmp_path / "site" / "page.html").write_text("<a href=x>")
    assert run(wheel, "rewrite", "site/page.html", cwd=tmp_path)[1] == b"<a href=http://h/x>"


@pytest.mark.skipif(os.name != "posix", reason="names of POSIX")
def test_names_that_are_not_unicode(wheel: list[str], tmp_path: pathlib.Path) -> None:
    name = os.fsdecode(b"\xff.html")
    (tmp_path / name).write_text("<a href=x>")
    status, out, _ = run(wheel, "rewrite", "--base-url=http://h/", name, cwd=tmp_path)
    assert (status, out) == (0, b"<a href=http://h/x>")


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_closed_pipe_is_no_error(wheel: list[str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "page.html").write_text("<a href=x>\n" * 100_000)
    with subprocess.Popen(
        [*wheel, "links", "page.html"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert b"a[href]" in process.stdout.readline()
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
    assert process.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="descriptors of POSIX")
def test_closed_streams(command: str, wheel: list[str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "page.html").write_text("<a href=x>")
    results = set()
    for way in ([command], wheel):
        script = '"$@" rewrite page.html --base-url http://h/ --write <&- >&- 2>&-'
        done = subprocess.run(["sh", "-c", script, "sh", *way], cwd=tmp_path, check=False)
        results.add((done.returncode, (tmp_path / "page.html").read_text()))
    assert results == {(0, "<a href=http://h/x>")}


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(wheel: list[str], tmp_path: pathlib.Path, number: signal.Signals) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the tests were started to ignore the signal, and so is the command")
    site = tmp_path / "site"
    site.mkdir()
    for page in range(1_500):
        (site / f"{page}.html").write_text("<a href=x>\n" * 2_000)
    arguments = ["rewrite", "--base-url=http://h/", "-o", str(tmp_path / "new"), str(site)]
    with subprocess.Popen([*wheel, *arguments], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        # It builds the tree beside the new folder.
        while not any(tmp_path.glob(".absolve-tmp-*")):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        said = process.stderr.read()
    assert process.returncode == 128 + number
    assert said == b"absolve: interrupted: nothing was written\n"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_signal_before_the_run_ends_it_too(wheel: list[str]) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        pytest.skip("the tests were started to ignore the signal, and so is the command")
    with subprocess.Popen(
        [*wheel, "rewrite", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait() in (-signal.SIGINT, 128 + signal.SIGINT)
