"""The stubs have the docstrings of the module, and type checkers accept them."""

import ast
import contextlib
import inspect
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable

import pytest

import absolve
from absolve import _absolve

FOLDER = pathlib.Path(__file__).parent
STUB = FOLDER.parent / "absolve" / "_absolve.pyi"
COLUMNS = FOLDER.parent / "absolve" / "_columns.pyi"

Documented = ast.FunctionDef | ast.ClassDef


def documented(body: list[ast.stmt], owner: object) -> dict[Documented, str]:
    """The nodes that have a docstring in the module, the last of overloads."""
    named = {node.name: node for node in body if isinstance(node, Documented)}
    found = {}
    for name, node in named.items():
        thing = getattr(owner, name, None)
        if thing is None or (name.startswith("__") and not name.startswith("__arrow")):
            continue
        if text := thing.__doc__:
            found[node] = inspect.cleandoc(text)
        if isinstance(node, ast.ClassDef):
            found |= documented(node.body, thing)
    return found


def written(stub: str) -> str:
    """The stub with the docstrings of the module."""
    lines = stub.splitlines()
    nodes = documented(ast.parse(stub).body, _absolve)
    for node, text in sorted(nodes.items(), key=lambda item: -item[0].lineno):
        first = node.body[0]
        indent = " " * (node.col_offset + 4)
        docs = '"""' + text + ('\n"""' if "\n" in text else '"""')
        docs = [f"{indent}{line}".rstrip() for line in docs.splitlines()]
        if '"""' in text or "\\" in text:
            docs[0] = docs[0].replace('"""', 'r"""', 1)
        is_dots = isinstance(first, ast.Expr) and getattr(first.value, "value", None) is ...
        if ast.get_docstring(node) is not None:
            lines[first.lineno - 1 : first.end_lineno] = docs
        elif is_dots and first.lineno == node.end_lineno and first.col_offset > 0:
            line = lines[first.lineno - 1]
            head = line[: first.col_offset].rstrip()
            lines[first.lineno - 1 : first.lineno] = [head, *docs] if head else docs
        else:
            lines[first.lineno - 1 : first.lineno - 1] = docs
    return "\n".join(lines) + "\n"


def test_stubs_have_the_docstrings_of_the_module() -> None:
    stub = STUB.read_text("utf-8")
    if os.environ.get("STUBS") == "overwrite":
        stub = written(stub)
        STUB.write_text(stub, "utf-8")
    nodes = ast.parse(COLUMNS.read_text("utf-8")).body
    (columns,) = (node for node in nodes if isinstance(node, ast.ClassDef))
    found = documented(columns.body, absolve.Link)
    assert [node.name for node in found] == list(absolve.Link._fields)
    for node, text in (documented(ast.parse(stub).body, _absolve) | found).items():
        assert inspect.cleandoc(ast.get_docstring(node) or "") == text, node.name


def test_everything_is_exported_and_stubbed() -> None:
    public = set(_absolve.__all__)
    assert public <= set(absolve.__all__)
    stubbed = {getattr(node, "name", None) for node in ast.parse(STUB.read_text("utf-8")).body}
    assert public - {"__version__"} <= stubbed


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (absolve.rewrite, absolve.Options),
        (absolve.links, absolve.Options),
        (absolve.Rewriter, absolve.Options),
        (absolve.rewrite_array, absolve.Options),
        (absolve.links_array, absolve.Options),
        (absolve.links_batches, absolve.Options),
        (absolve.urls, absolve.Options),
        (absolve.urls_array, absolve.Options),
        (absolve.rewrite_tree, absolve.TreeOptions),
        (absolve.rewrite_file, absolve.FileOptions),
        (absolve.extract, absolve.ExtractOptions),
        (absolve.audit, absolve.AuditOptions),
        (absolve.WarcReader, absolve.ArchiveOptions),
    ],
)
def test_signatures_list_the_options(function: Callable[..., object], options: type) -> None:
    parameters = inspect.signature(function).parameters
    names = list(options.__annotations__)
    assert list(parameters)[-len(names) :] == names
    for name in names:
        assert (parameters[name].kind, parameters[name].default) == (
            inspect.Parameter.KEYWORD_ONLY,
            None,
        )


def test_options_are_accepted() -> None:
    names = set().union(
        absolve.Options.__annotations__,
        absolve.TreeOptions.__annotations__,
        absolve.ArchiveOptions.__annotations__,
        absolve.ExtractOptions.__annotations__,
        absolve.AuditOptions.__annotations__,
    )
    accepted = set()
    for name in names:
        with contextlib.suppress(TypeError):
            new = absolve.rewrite(b"<a href=x>", "http://h/", **{name: None})
            assert new == b"<a href=http://h/x>"
            accepted.add(name)
    assert accepted == set(absolve.Options.__annotations__)


@pytest.mark.parametrize("what", ["absolve", "tests/typed.py"])
def test_mypy_accepts_it(what: str) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    command = [sys.executable, "-m", "mypy", "--strict", what]
    done = subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
