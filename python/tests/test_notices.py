"""The wheel has the licences of the project and of the crates in it."""

import importlib.metadata
import importlib.util
import pathlib
import shutil
import subprocess

import pytest

FOLDER = pathlib.Path(__file__).parents[1]


def test_the_wheel_has_its_licences() -> None:
    found = importlib.metadata.metadata("absolve").get_all("License-File")
    assert found == ["LICENSE", "THIRD-PARTY.txt"]
    files = importlib.metadata.files("absolve") or []
    installed = {file.name: file.locate() for file in files if "licenses" in file.parts}
    for name in found:
        assert pathlib.Path(installed[name]).read_bytes() == (FOLDER / name).read_bytes()


def test_the_licence_is_that_of_the_project() -> None:
    assert (FOLDER / "LICENSE").read_bytes() == (FOLDER.parent / "LICENSE").read_bytes()


def test_the_notices_are_those_of_the_crates() -> None:
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    spec = importlib.util.spec_from_file_location("notices", FOLDER / "notices.py")
    assert spec is not None
    assert spec.loader is not None
    notices = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(notices)
    try:
        text = notices.notices()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"cargo has no sources of the crates: {error.stderr}")
    expected = notices.NOTICES.read_text("utf-8")
    assert text == expected, "run python3 python/notices.py"
