"""What is refused, and by which exception."""

import io
import pathlib
import signal
from collections.abc import Callable
from typing import Any

import pytest

import absolve

PAGE: Any = "é<a href=x><a href=y>"


def refused(kind: type[Exception], message: str, call: Callable[[], object]) -> Exception:
    with pytest.raises(kind) as caught:
        call()
    assert (type(caught.value), str(caught.value)) == (kind, message)
    return caught.value


def test_the_exceptions_have_one_base() -> None:
    kinds = [absolve.BaseUrlError, absolve.LimitError, absolve.EncodingError, absolve.InternalError]
    assert all(issubclass(kind, absolve.Error) for kind in kinds)
    assert issubclass(absolve.Error, ValueError)
    assert {kind.__module__ for kind in kinds} == {"absolve"}


@pytest.mark.parametrize("document", [None, 5, ["<a href=x>"], object()])
def test_a_document_is_bytes_or_str(document: Any) -> None:
    name = type(document).__name__
    message = f"'document' must be bytes, str or a buffer of bytes, not {name}"
    for function in (absolve.rewrite, absolve.links, absolve.Rewriter().rewrite):
        refused(TypeError, message, lambda: function(document))


def test_a_base_url_must_be_usable() -> None:
    for url, why in [
        ("x/y", "it has no scheme, expected an absolute URL such as http://host/"),
        ("mailto:a@b", "no reference resolves against mailto: URLs"),
    ]:
        message = f"the base URL '{url}' is not usable: {why}"
        refused(absolve.BaseUrlError, message, lambda: absolve.rewrite(PAGE, url))
        refused(absolve.BaseUrlError, message, lambda: absolve.Rewriter(url))
        refused(absolve.BaseUrlError, message, lambda: absolve.Rewriter().rewrite(PAGE, url))
        refused(absolve.BaseUrlError, message, lambda: absolve.resolve(url, "x"))
    with pytest.raises(TypeError):
        absolve.rewrite(PAGE, 5)  # type: ignore[call-overload]


def test_strict_refuses_that_links_stay_relative() -> None:
    what = "2 links stay relative; give a base URL"
    refused(absolve.Error, what, lambda: absolve.rewrite(PAGE, strict=True))
    refused(absolve.Error, what, lambda: absolve.Rewriter(strict=True).rewrite(PAGE))
    assert absolve.rewrite(PAGE) == PAGE
    assert absolve.rewrite("<a href=http://h/>", strict=True) == "<a href=http://h/>"
    assert absolve.rewrite("<a href=x>", "http://h/", strict=True) == "<a href=http://h/x>"
    assert len(absolve.links(PAGE, strict=True)) == 2


def test_a_limit_has_its_option_and_its_place() -> None:
    what = (
        "the document exceeds 1 link, the limit for links; "
        "raise max_links (0 = no limit) if it is trusted"
    )
    for page, place, offset in [(PAGE, "character 19", 19), (PAGE.encode(), "byte 20", 20)]:
        for call in (absolve.rewrite, absolve.links):
            error = refused(absolve.LimitError, f"{place}: {what}", lambda: call(page, max_links=1))
            assert isinstance(error, absolve.LimitError)
            assert (error.limit, error.offset) == ("max_links", offset)
    assert absolve.rewrite(PAGE, max_links=0) is PAGE
    with pytest.raises(absolve.LimitError, match="the document exceeds 5 bytes") as caught:
        absolve.rewrite(PAGE, max_input=5)
    assert (caught.value.limit, caught.value.offset) == ("max_input", None)


def test_advice_names_keyword_arguments(tmp_path: pathlib.Path) -> None:
    with pytest.raises(absolve.Error, match=r"or read it as HTML \(as_='html'\)$"):
        absolve.rewrite("<a><b></a>", as_="xml")
    with pytest.raises(absolve.Error, match=r"use the splice engine, .* \(engine='splice'\)$"):
        absolve.rewrite("<meta charset=shift_jis><!--\ufffd-->".encode(), engine="dom")
    page = tmp_path / "a--b.html"
    page.write_bytes(b"<a href=x>")
    with pytest.raises(absolve.LimitError, match="a--b.html: .*; raise max_input") as caught:
        absolve.rewrite_file(page, in_place=True, max_input=5)
    assert caught.value.limit == "max_input"
    [finding] = absolve.audit(tmp_path, max_input=5).findings
    assert "the limit for documents; raise max_input" in finding.message


def test_a_lone_surrogate_is_refused() -> None:
    what = "character 1 is a lone surrogate, which no encoding represents"
    for function in (absolve.rewrite, absolve.links, absolve.Rewriter().rewrite):
        error = refused(absolve.EncodingError, what, lambda: function("é\ud800<a href=x>"))
        assert isinstance(error.__cause__, UnicodeEncodeError)


def calls_with(base_url: Any) -> dict[str, Callable[[], object]]:
    """Calls of everything that takes a base URL."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    rewriter, archive = absolve.Rewriter(), io.BytesIO()
    return {
        "rewrite": lambda: absolve.rewrite(PAGE, base_url),
        "links": lambda: absolve.links(PAGE, base_url),
        "Rewriter": lambda: absolve.Rewriter(base_url),
        "Rewriter.rewrite": lambda: rewriter.rewrite(PAGE, base_url),
        "Rewriter.links": lambda: rewriter.links(PAGE, base_url),
        "Rewriter.rewrite_with": lambda: rewriter.rewrite_with(PAGE, str, base_url),  # type: ignore[arg-type]
        "rewrite_tree": lambda: absolve.rewrite_tree(".", "x", base_url),
        "rewrite_file": lambda: absolve.rewrite_file("x", "y", base_url),
        "audit": lambda: absolve.audit(".", base_url),
        "WarcReader": lambda: absolve.WarcReader(archive, base_url),
        "rewrite_array": lambda: absolve.rewrite_array(pa.array([PAGE]), base_url),
    }


def test_a_base_url_is_a_str_of_unicode() -> None:
    what = "character 9 is a lone surrogate, which no encoding represents"
    for function, call in calls_with("http://h/\ud800").items():
        name = "base_urls" if function == "rewrite_array" else "base_url"
        refused(absolve.EncodingError, f"'{name}': {what}", call)
    calls = calls_with(b"http://h/")
    del calls["rewrite_array"]
    for call in calls.values():
        refused(TypeError, "'base_url' must be a str, not bytes", call)
    resolve: Any = absolve.resolve
    refused(TypeError, "'base' must be a str, not bytes", lambda: resolve(b"http://h/", "x"))
    refused(
        absolve.EncodingError,
        f"'reference': {what}",
        lambda: resolve("http://h/", 9 * "x" + "\ud800"),
    )


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(absolve.EncodingError, match="^unknown encoding 'utf-9', expected a label"):
        absolve.rewrite(b"", encoding="utf-9")
    for codec in ("utf_7", "rot13", "\0"):
        with pytest.raises(absolve.EncodingError, match="^unknown encoding"):
            absolve.rewrite(b"", encoding=codec)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"standart": 1}, "unexpected keyword argument 'standart'. Did you mean 'standard'?"),
        ({"base-url": 1}, "unexpected keyword argument 'base-url'. Did you mean 'base_url'?"),
        ({"maxlinks": 1}, "unexpected keyword argument 'maxlinks'. Did you mean 'max_links'?"),
        ({"url": "x"}, "unexpected keyword argument 'url'. Did you mean 'base_url'?"),
        ({"panic": 1}, "unexpected keyword argument 'panic'"),
        ({"xyzzy": None}, "unexpected keyword argument 'xyzzy'"),
    ],
)
def test_an_unknown_option_is_refused(options: dict[str, Any], message: str) -> None:
    for name, call in [
        ("rewrite", lambda: absolve.rewrite(b"", **options)),
        ("links", lambda: absolve.links(b"", **options)),
        ("Rewriter", lambda: absolve.Rewriter(**options)),
    ]:
        refused(TypeError, f"{name}() got an {message}", call)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("standard", 5, "'standard' must be a str, not int"),
        ("meta", 1, "'meta' must be a bool, not int"),
        ("max_links", 1.5, "'max_links' must be an int, not float"),
        ("max_links", True, "'max_links' must be an int, not bool"),
        ("only", 5, "'only' must be a str or several, not int"),
        ("only", [5], "'only' must be a str, not int"),
        ("learn", [None], "'learn' must be a str, not NoneType"),
    ],
)
def test_a_value_has_its_type(option: str, value: object, message: str) -> None:
    options: Any = {option: value}
    refused(TypeError, message, lambda: absolve.rewrite(b"", **options))


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("standard", "rfc1809", "invalid value 'rfc1809' for 'standard', did you mean 'rfc1808'?"),
        ("engine", "x", "invalid value 'x' for 'engine', expected splice, dom"),
        (
            "only",
            "hrf",
            "invalid value 'hrf' for 'only', not an attribute with links, did you mean href? "
            "attr adds those that are not built in",
        ),
        (
            "only",
            ["href", "xyzzy"],
            "invalid value 'xyzzy' for 'only', not an attribute with links (href, src, ...); "
            "attr adds those that are not built in",
        ),
        (
            "only",
            "data-src",
            "invalid value 'data-src' for 'only', counts only with lazy=True; add lazy=True",
        ),
        ("learn", "xatr", "invalid value 'xatr' for 'learn', did you mean 'xattr'?"),
        (
            "learn",
            ["none", "xattr"],
            "invalid value for 'learn', 'none' excludes other sources; give it alone",
        ),
        ("max_links", -1, "invalid value for 'max_links', expected a number from 0"),
        ("max_links", 2**70, "invalid value for 'max_links', expected a number from 0"),
        (
            "attr",
            "img",
            "invalid value 'img' for 'attr', "
            "expected ELEMENT:ATTRIBUTE=GRAMMAR, such as img:data-zoom=url",
        ),
    ],
)
def test_a_value_is_one_that_the_option_takes(option: str, value: object, message: str) -> None:
    options: Any = {option: value}
    refused(absolve.Error, message, lambda: absolve.rewrite(b"", **options))


ANY: Any = absolve
SURROGATE = "character 0 is a lone surrogate, which no encoding represents"
ARGUMENTS: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: ANY.rewrite(b"", raw_base=5), TypeError, "'raw_base' must be a str, not int"),
    (
        lambda: ANY.resolve("http://h/", "x", standard=5),
        TypeError,
        "'standard' must be a str, not int",
    ),
    (lambda: ANY.urls(b"", external=1), TypeError, "'external' must be a bool, not int"),
    (lambda: ANY.Rewriter().urls(b"", unique=1), TypeError, "'unique' must be a bool, not int"),
    (lambda: ANY.rewrite_tree(".", in_place=1), TypeError, "'in_place' must be a bool, not int"),
    (
        lambda: ANY.WarcReader(io.BytesIO()).read_pages(1.5),
        TypeError,
        "'max_bytes' must be an int, not float",
    ),
    (
        lambda: ANY.WarcReader(io.BytesIO()).links(-1),
        absolve.Error,
        "invalid value for 'max_bytes', expected a number from 0",
    ),
    (
        lambda: ANY.rewrite(b"", raw_base="\ud800"),
        absolve.EncodingError,
        f"'raw_base': {SURROGATE}",
    ),
    (
        lambda: ANY.resolve("http://h/", "x", "\ud800"),
        absolve.EncodingError,
        f"'standard': {SURROGATE}",
    ),
    (
        lambda: ANY.rewrite(b"", maps={"http://a/": None}),
        TypeError,
        "'maps['http://a/']' must be a str, not NoneType",
    ),
    (lambda: ANY.rewrite(b"", maps={1: "http://a/"}), TypeError, "'maps' must be a str, not int"),
    (
        lambda: ANY.audit(".", rule={"seo": None}),
        TypeError,
        "'rule['seo']' must be a str, not NoneType",
    ),
    (
        lambda: ANY.audit(".", rule="xyzzy=warn"),
        absolve.Error,
        "invalid value \"xyzzy=warn\" for 'rule', "
        "no such rule; absolve audit --explain all lists them",
    ),
    (
        lambda: ANY.rewrite(b"", **{"\ud800": 1}),
        absolve.EncodingError,
        f"the name of an option: {SURROGATE}",
    ),
    (
        lambda: ANY.audit(".", **{"\ud800": 1}),
        absolve.EncodingError,
        f"the name of an option: {SURROGATE}",
    ),
    (lambda: ANY.audit(""), absolve.Error, "'path' is empty; give a path"),
    (lambda: ANY.rewrite_tree("", "o"), absolve.Error, "'source' is empty; give a path"),
    (lambda: ANY.extract([], "o"), absolve.Error, "'crawl' is empty; give a path"),
    (lambda: ANY.extract("", "o"), absolve.Error, "'crawl' is empty; give a path"),
    (lambda: ANY.WarcReader(""), absolve.Error, "'source' is empty; give a path"),
    (
        lambda: ANY.Rewriter(encoding=b"utf-8"),
        TypeError,
        "'encoding' must be a str, not bytes",
    ),
    (lambda: ANY.extract([5], "o"), TypeError, "'crawl' must be a path, not int"),
    (lambda: ANY.extract(5, "o"), TypeError, "'crawl' must be a path or several, not int"),
    (
        lambda: ANY.rewrite_file("x", "y", backup=True),
        absolve.Error,
        "the argument 'backup' cannot be used with 'destination'",
    ),
    (
        lambda: ANY.extract("x", "y", missing="keep"),
        absolve.Error,
        "the argument 'to' is missing",
    ),
    (
        lambda: ANY.rewrite_tree(".", "o", max_srcdoc=17),
        absolve.Error,
        "invalid value \"17\" for 'max_srcdoc', expected a number from 0 to 16",
    ),
    (
        lambda: ANY.rewrite_tree(".", "o", server="netlify"),
        absolve.Error,
        "server needs to='relative' or to='offline'",
    ),
]


@pytest.mark.parametrize(
    ("call", "kind", "message"), ARGUMENTS, ids=[message for *_, message in ARGUMENTS]
)
def test_messages_name_arguments(
    call: Callable[[], object], kind: type[Exception], message: str
) -> None:
    refused(kind, message, call)


def test_a_folder_in_itself_is_refused_in_words_of_python(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.html").write_text("<a href=x>")
    with pytest.raises(OSError, match="give another, or in_place=True to rewrite in place"):
        absolve.rewrite_tree(tmp_path, tmp_path)


def test_a_name_of_a_file_names_no_option(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    site = tmp_path / "{to}{} --write{root-dir _}"
    site.mkdir()
    message = "select files with include, or allow this with allow_empty=True"
    refused(
        absolve.Error,
        f"{site.name}: no documents found; {message}",
        lambda: absolve.rewrite_tree(site.name, "new"),
    )
    refused(
        absolve.Error,
        f".: it is not in root_dir='{site.name}'; give a folder above it",
        lambda: absolve.audit(".", root_dir=site.name),
    )


@pytest.mark.parametrize("url", ["https://h/docs/", pathlib.Path("https://h/docs/"), "s3://h/d"])
@pytest.mark.parametrize(
    "function",
    [absolve.rewrite_tree, absolve.rewrite_file],
)
def test_a_destination_is_no_url(
    function: Any, url: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.html").write_text("<a href=x>")
    what = (
        f"'destination': '{url}' is a URL, expected a path; the URL of the documents is base_url="
    )
    refused(absolve.Error, f"{what}'{url}'", lambda: function(tmp_path / "a.html", url))
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


@pytest.mark.parametrize("name", ["C://made", "made/http://h", "http:/made"])
def test_a_destination_may_look_like_a_part_of_a_url(
    name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site/a.html").write_text("<a href=x>")
    pathlib.Path(name).parent.mkdir(parents=True)
    absolve.rewrite_tree("site", name, base_url="http://h/")
    assert pathlib.Path(name, "a.html").read_text() == "<a href=http://h/x>"


def test_a_book_is_to_be_unpacked(tmp_path: pathlib.Path) -> None:
    book, new = tmp_path / "a.epub", tmp_path / "new"
    book.write_bytes(b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/epub+zip")
    calls: list[Callable[[], object]] = [
        lambda: absolve.rewrite_file(book, new),
        lambda: absolve.rewrite_file(book, in_place=True),
        lambda: absolve.audit(book),
        lambda: absolve.extract(book, new),
    ]
    for call in calls:
        with pytest.raises((absolve.Error, OSError), match="an EPUB book"):
            call()
    assert not new.exists()


def test_a_standard_may_refuse_a_reference() -> None:
    message = "'http://[': whatwg refuses it: invalid IPv6 address"
    refused(absolve.Error, message, lambda: absolve.resolve("http://h/", "http://[", "whatwg"))


def test_exceptions_of_a_function_end_the_call() -> None:
    rewriter = absolve.Rewriter()
    calls = []

    def fails(link: absolve.Link) -> None:
        calls.append(link)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rewriter.rewrite_with(PAGE, fails)
    assert len(calls) == 1
    value: Any = lambda link: b"x"  # noqa: E731
    message = "the function must return a str or None, not bytes"
    refused(TypeError, message, lambda: rewriter.rewrite_with(PAGE, value))
    message = "'function' must be callable, not str"
    function: Any = "x"
    refused(TypeError, message, lambda: rewriter.rewrite_with(PAGE, function))
    message = (
        "the function returned a str whose character 1 is a lone surrogate, "
        "which no encoding represents"
    )
    refused(
        absolve.EncodingError, message, lambda: rewriter.rewrite_with(PAGE, lambda _: "x\ud800")
    )


def test_a_bug_is_an_exception_that_names_the_document(capfd: pytest.CaptureFixture[str]) -> None:
    bug: Any = {"_panic": True}
    what = "a bug stopped it, please report it: .*on purpose"
    with pytest.raises(absolve.InternalError, match=f"^document of http://h/: {what}"):
        absolve.rewrite(PAGE, "http://h/", **bug)
    rewriter = absolve.Rewriter(**bug)
    for _ in range(2):
        with pytest.raises(absolve.InternalError, match=f"^document of 22 bytes: {what}"):
            rewriter.rewrite(PAGE)
    assert rewriter.rewrite("<p>") == "<p>"
    assert absolve.rewrite("<a href=x>", "http://h/") == "<a href=http://h/x>"
    assert capfd.readouterr() == ("", "")


def test_a_signal_during_a_call_is_not_lost() -> None:
    page = b"<a href=x>" * 200_000
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in range(1000):
                absolve.rewrite(page, "http://h/")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
