"""Threads, signals and memory."""

import contextlib
import gc
import os
import pathlib
import signal
import threading
import time

import pytest

import absolve

# How long the threads run; `ABSOLVE_LONG=1` for a minute.
SECONDS = 60 if os.environ.get("ABSOLVE_LONG") else 2


def resident() -> int:
    """The memory of this process in bytes."""
    statm = pathlib.Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("the memory of a process is not known here")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_threads_share_a_rewriter() -> None:
    rewriter = absolve.Rewriter("http://h/", attr="img:data-zoom=url", lazy=True)
    pages = [f"<a href={n}>é<img data-zoom={n}>" * (1 + n % 300) for n in range(50)]
    pages += [page.encode("utf-16") for page in pages]
    expected = [rewriter.rewrite(page) for page in pages]
    links = [rewriter.links(page) for page in pages]
    decided = [rewriter.rewrite_with(page, lambda link: link.element) for page in pages]
    end = time.monotonic() + SECONDS
    failures: list[object] = []

    def work(number: int) -> None:
        try:
            while time.monotonic() < end:
                n = number = (number * 7 + 3) % len(pages)
                assert rewriter.rewrite(pages[n]) == expected[n]
                assert rewriter.links(pages[n]) == links[n]
                assert rewriter.rewrite_with(pages[n], lambda link: link.element) == decided[n]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_interpreter_is_released() -> None:
    page = b"<a href=x>" * 400_000
    turns = 0
    done = threading.Event()

    def turn() -> None:
        nonlocal turns
        while not done.wait(0.0005):
            turns += 1

    thread = threading.Thread(target=turn)
    thread.start()
    try:
        start = turns
        absolve.rewrite(page, "http://h/")
        # A thread that could not run would have no turn in this time.
        assert turns > start
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_ends_the_work_on_an_array(threads: int) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pages = pa.array([b"<a href=x>" * 1000] * 20_000)
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    before = threading.active_count()
    try:
        for call in (absolve.rewrite_array, absolve.links_array):
            with pytest.raises(KeyboardInterrupt):
                while True:
                    call(pages, "http://h/", threads=threads)
            signal.setitimer(signal.ITIMER_REAL, 0.1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert threading.active_count() == before


def test_calls_leave_no_memory() -> None:
    rewriter = absolve.Rewriter("http://h/")
    pages = ["é<a href=x><img src=y>", b"<a href=x><img src=y>", bytearray(b"<a href=x>")]

    def some(calls: int) -> None:
        for _ in range(calls // 10):
            for page in pages:
                rewriter.rewrite(page)
                absolve.rewrite(page, "http://h/", only=["href"])
                rewriter.links(page)
            with contextlib.suppress(absolve.Error):
                absolve.rewrite(b"", "x")

    some(50_000)
    gc.collect()
    # Other threads of the process take memory at times; a leak grows in each round.
    growths = []
    for _ in range(3):
        before = resident()
        some(340_000)
        gc.collect()
        growths.append(resident() - before)
    assert min(growths) < 3_400_000, growths


def test_arrays_leave_no_memory() -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pages = pa.array(["<a href=x>é" * 100] * 500)
    bad = pa.array([1])

    def some(calls: int) -> None:
        for n in range(calls):
            one = pages if n % 2 else pa.chunked_array([pages, pages])
            pa.table(absolve.rewrite_array(one, "http://h/", threads=1 + n % 2))
            absolve.links_array(pages[:10], "http://h/").__arrow_c_array__()
            absolve.rewrite_array(one, "http://h/").__arrow_c_stream__()
            with contextlib.suppress(TypeError):
                absolve.rewrite_array(bad)

    some(30)
    gc.collect()
    before = resident()
    some(100)
    gc.collect()
    # The arrays of one round take 6 MB.
    assert resident() - before < 30_000_000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_process_works_after_a_fork() -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pages = pa.array(["<a href=x>" * 1000] * 1000)
    absolve.rewrite_array(pages, "http://h/", threads=2)
    child = os.fork()
    if child == 0:
        result = absolve.rewrite_array(pages, "http://h/", threads=2)
        os._exit(0 if len(result) == 1000 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
