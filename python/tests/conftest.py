"""What the tests share."""

import os
import pathlib
import shutil

import pytest

PROFILES = ("release", "debug")
PROJECT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="session")
def command() -> str:
    """The command `absolve`, which results are compared with."""
    built = [PROJECT / "target" / profile / "absolve" for profile in PROFILES]
    found = [os.environ.get("ABSOLVE_COMMAND"), *map(str, filter(pathlib.Path.exists, built))]
    if path := next(filter(None, [*found, shutil.which("absolve")]), None):
        return path
    pytest.skip("the command absolve is not here: cargo build, or set ABSOLVE_COMMAND")


@pytest.fixture(scope="session", params=["fixtures", "python3.11-doc", "postgresql-doc-15"])
def pages(request: pytest.FixtureRequest) -> list[pathlib.Path]:
    """Pages of the project, and of sites where ABSOLVE_TEST_SITES names their folder."""
    if request.param == "fixtures":
        folder = PROJECT / "fixtures"
    elif sites := os.environ.get("ABSOLVE_TEST_SITES"):
        folder = pathlib.Path(sites) / request.param
    else:
        pytest.skip("ABSOLVE_TEST_SITES names no folder of sites")
    found = sorted(path for path in folder.rglob("*.html") if path.is_file())
    if not found:
        pytest.skip(f"no pages below {folder}")
    return found
