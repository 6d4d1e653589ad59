"""What type checkers make of calls; `mypy --strict` reads it, and nothing runs it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, assert_type

import absolve

if TYPE_CHECKING:

    class OfArray:
        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

    class OfStream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


def documents(
    text: str, data: bytes, buffer: bytearray, **options: Unpack[absolve.Options]
) -> None:
    assert_type(absolve.rewrite(text, "http://h/", **options), str)
    assert_type(absolve.rewrite(data, only=["href"], meta=True), bytes)
    assert_type(absolve.rewrite(buffer), bytes)
    absolve.rewrite(text, standard="rfc1809")  # type: ignore[call-overload]
    absolve.rewrite(text, standart="rfc1808")  # type: ignore[call-overload]
    absolve.rewrite(5)  # type: ignore[call-overload]


def links(text: str) -> None:
    for link in absolve.links(text, learn="none"):
        assert_type(link.url, str | None)
        assert_type(link.span, tuple[int, int] | None)
        match link:
            case absolve.Link("img", attribute):
                assert_type(attribute, str)
    assert_type(absolve.resolve("http://h/", "x", "whatwg"), str)
    assert_type(absolve.urls(text, "http://h/", external=True, only="href"), list[str])
    absolve.urls(text, "http://h/", True)  # type: ignore[call-arg]


def rewriters(rewriter: absolve.Rewriter, text: str, data: bytes) -> None:
    assert_type(rewriter.rewrite(text), str)
    assert_type(rewriter.urls(data, unique=True), list[str])
    assert_type(rewriter.rewrite_with(data, lambda link: link.url), bytes)
    rewriter.rewrite_with(data, lambda link: 5)  # type: ignore[arg-type, return-value]


def arrays(array: "OfArray", stream: "OfStream", other: Any) -> None:
    assert_type(absolve.rewrite_array(array, stream, threads=2, lazy=True), absolve.Array)
    assert_type(absolve.links_array(stream, "http://h/"), absolve.ChunkedArray)
    assert_type(absolve.links_array(array, columns=["url", "text"]), absolve.Array)
    assert_type(absolve.urls_array(stream, unique=True), absolve.ChunkedArray)
    absolve.rewrite_array([], "http://h/")  # type: ignore[call-overload]


def paths(archives: list[Path], names: set[str]) -> None:
    assert_type(absolve.extract(archives, "site"), absolve.ExtractResult)
    absolve.extract(names, "site")
    absolve.extract([5], "site")  # type: ignore[list-item]


def errors(error: absolve.LimitError) -> None:
    assert_type(error.limit, str | None)
    assert isinstance(error, ValueError)
