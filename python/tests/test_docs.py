"""The examples in docstrings run."""

import doctest
import inspect

import pytest

import absolve
from absolve import _options


def documented() -> list[tuple[str, str]]:
    found = [("absolve", absolve.__doc__ or ""), ("Options", _options.Options.__doc__ or "")]
    for name in absolve.__all__:
        thing = getattr(absolve, name)
        found.append((name, getattr(thing, "__doc__", None) or ""))
        if inspect.isclass(thing):
            members = vars(thing).items()
            found += [(f"{name}.{key}", value.__doc__ or "") for key, value in members]
    return [(name, text) for name, text in found if ">>>" in text]


@pytest.mark.parametrize(
    ("name", "text"), documented(), ids=lambda value: value[:30].split("\n")[0]
)
def test_examples_run(name: str, text: str) -> None:
    if "pyarrow" in text:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    names = {name: getattr(absolve, name) for name in absolve.__all__}
    test = doctest.DocTestParser().get_doctest(inspect.cleandoc(text), names, name, None, 0)
    report: list[str] = []
    failed = doctest.DocTestRunner().run(test, out=report.append).failed
    assert not failed, "".join(report)


def test_everything_has_a_docstring() -> None:
    for name in absolve.__all__:
        if name != "__version__":
            assert getattr(absolve, name).__doc__, name
