"""Writes THIRD-PARTY.txt, the notices of the crates that the wheel is compiled from.

`python3 python/notices.py` needs cargo, and the sources of the crates, which it downloads.
"""

import json
import pathlib
import re
import subprocess
from typing import Any

FOLDER = pathlib.Path(__file__).parent
NOTICES = FOLDER / "THIRD-PARTY.txt"

HEAD = """\
The wheel of absolve contains compiled code of these crates, and of the Rust standard library
(MIT OR Apache-2.0, https://github.com/rust-lang/rust, Copyright (c) The Rust Project Contributors).
Where a crate has a choice of licences that includes MIT or MIT-0, this is the one: the text of MIT
is in LICENSE. The texts of other licences are at the end of this file.

python3 python/notices.py wrote it.
"""

COPYRIGHT = re.compile(r"^\W*(copyright (?:\(c\)|©|\d{4}).*)$", re.IGNORECASE | re.MULTILINE)
MIT = re.compile(r"to any\s+person obtaining a copy\s+of\s+this\s+software")
LICENCE = re.compile(r"^(licen[cs]e|copying|notice|unlicense)", re.IGNORECASE)


def crates() -> list[dict[str, Any]]:
    """The crates that are linked into the module, on any platform, without those of the project."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--quiet"]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, check=True, text=True)
    metadata = json.loads(done.stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    work = [name for name, package in packages.items() if package["name"] == "absolve-python"]
    found = set(work)
    while work:
        for dependency in nodes[work.pop()]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            is_macro = "proc-macro" in packages[dependency["pkg"]]["targets"][0]["kind"]
            if is_linked and not is_macro and dependency["pkg"] not in found:
                found.add(dependency["pkg"])
                work.append(dependency["pkg"])
    chosen = [packages[name] for name in found if packages[name]["source"]]
    return sorted(chosen, key=lambda package: (package["name"], package["version"]))


def licences(package: dict[str, Any]) -> list[str]:
    """The licence files of a crate."""
    folder = pathlib.Path(package["manifest_path"]).parent
    # libdeflate is in a folder of the crate that compiles it.
    files = sorted([*folder.iterdir(), *folder.glob("*/COPYING")])
    found = [file for file in files if file.is_file() and LICENCE.match(file.name)]
    return [file.read_text("utf-8", "replace").strip() for file in found]


def short(licence: str) -> str:
    """The text of a licence; one for all copies of the Apache License, without its appendix."""
    is_apache = re.match(r"Apache License\s+Version 2.0", licence) and "LLVM" not in licence
    text, _, _ = licence.partition("APPENDIX:") if is_apache else (licence, "", "")
    return "\n".join(line.strip() for line in text.splitlines()).strip()


def notices() -> str:
    """The text of THIRD-PARTY.txt."""
    text, others = HEAD, dict[str, list[str]]()
    for package in crates():
        name, licence = f"{package['name']} {package['version']}", package["license"]
        files = licences(package)
        copyrights = {line.strip(): None for file in files for line in COPYRIGHT.findall(file)}
        copyrights = copyrights or dict.fromkeys(package["authors"])
        text += f"\n{name}: {licence}\n  {package['repository']}\n"
        text += "".join(f"  {line}\n" for line in copyrights)
        if " AND " in licence or "MIT" not in licence:
            for file in files:
                if not MIT.search(file):
                    others.setdefault(short(file), []).append(name)
    for file, names in others.items():
        text += f"\n{'-' * 80}\n{', '.join(names)}\n{'-' * 80}\n\n{file}\n"
    return text


if __name__ == "__main__":
    NOTICES.write_text(notices(), "utf-8")
