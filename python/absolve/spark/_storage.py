"""Where archives are: local paths, and URLs that fsspec opens."""

import glob
import os
import pathlib
import shutil
from collections.abc import Mapping
from typing import Any, BinaryIO

# Bytes that are read or written at a time.
BLOCK = 16 << 20


class Storage:
    """The file system of a path, with operations that local paths and fsspec have in common."""

    def __init__(self, path: str, options: Mapping[str, Any] | None) -> None:
        self.is_local = is_local(path)
        self.path = local(path) if self.is_local else path
        if not self.is_local:
            import fsspec  # Local paths do not need it.

            self.remote, self.path = fsspec.core.url_to_fs(path, **(options or {}))
            self.protocol = path.partition("://")[0]

    def files(self) -> list[str]:
        """The files that a pattern matches, sorted."""
        if self.is_local:
            return sorted(glob.glob(self.path, recursive=True))  # noqa: PTH207 -- of any folder
        return [f"{self.protocol}://{found}" for found in sorted(self.remote.glob(self.path))]

    def names(self) -> set[str]:
        """The names of files in a folder, which may not exist."""
        try:
            if self.is_local:
                return {path.name for path in pathlib.Path(self.path).iterdir()}
            found = self.remote.ls(self.path, detail=False, refresh=True)
            return {entry.rstrip("/").rpartition("/")[2] for entry in found}
        except FileNotFoundError:
            return set()

    def create_folder(self) -> None:
        """Creates a folder; an object store has no folders."""
        if self.is_local:
            pathlib.Path(self.path).mkdir(parents=True, exist_ok=True)
        else:
            self.remote.makedirs(self.path, exist_ok=True)

    def read(self) -> BinaryIO:
        """Opens a file."""
        if self.is_local:
            return open(self.path, "rb")  # noqa: PTH123 -- the caller closes it
        file: BinaryIO = self.remote.open(self.path, "rb", block_size=BLOCK)
        return file

    def write(self) -> BinaryIO:
        """Opens a new file."""
        if self.is_local:
            return open(self.path, "wb")  # noqa: PTH123 -- the caller closes it
        file: BinaryIO = self.remote.open(self.path, "wb", block_size=BLOCK)
        return file

    def rename(self, destination: "Storage") -> None:
        """Gives a file another name in the same file system."""
        if self.is_local:
            os.replace(self.path, destination.path)  # noqa: PTH105
        else:
            self.remote.mv(self.path, destination.path)

    def remove(self) -> None:
        """Removes a file or a folder, which may not exist."""
        if self.is_local and pathlib.Path(self.path).is_dir():
            shutil.rmtree(self.path, ignore_errors=True)
        elif self.is_local:
            pathlib.Path(self.path).unlink(missing_ok=True)
        else:
            self.remote.invalidate_cache()
            if self.remote.exists(self.path):
                self.remote.rm(self.path, recursive=True)


def is_local(path: str) -> bool:
    """Whether a path needs no fsspec."""
    return "://" not in path or path.startswith("file://")


def local(path: str) -> str:
    """A local path, which may be a URL."""
    return path.removeprefix("file://")


def expanded(sources: Any, options: Mapping[str, Any] | None) -> list[str]:
    """The archives that paths and patterns name.

    Raises `FileNotFoundError` for a pattern that matches no file. Other paths are not looked up.
    """
    given = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    found: list[str] = []
    for source in (os.fspath(path) for path in given):
        if any(character in source for character in "*?["):
            if not (files := Storage(source, options).files()):
                raise FileNotFoundError(f"no file matches '{source}'")
            found += files
        else:
            found.append(source)
    return [local(path) if is_local(path) else path for path in found]
