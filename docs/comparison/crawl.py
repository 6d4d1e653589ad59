#!/usr/bin/env python3
"""Compares the links of a site with those of its offline copies: by wget, and by absolve from a crawl.

usage: docs/comparison/crawl.py SITE URL WORK

SITE is the folder that a server at URL has, such as `python3 -m http.server`. wget fetches it twice into
the new folder WORK, as a WARC file and by `-E -k -p`; `absolve extract --to relative` writes the first as
a folder. A link is wrong if it leads to another URL than in SITE; the names that both give to a URL with
a query are put back first. Needs wget, and absolve in PATH.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

WGET = ["wget", "-q", "-r", "-l", "inf", "-p"]


def links(folder: pathlib.Path, url: str) -> dict[str, list[tuple[str, str]]]:
    """The links of each page: the element, and the URL."""
    command = ["absolve", "links", "-b", url, str(folder), "--format", "jsonl", "--include", "*.html"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = collections.defaultdict(list)
    for line in listed.splitlines():
        link = json.loads(line)
        if link["element"] == "base":  # Relative links go without it.
            continue
        target = re.sub(r"(?:%3F|@)([^#?@/]*?)\.(?:css|html)(?=#|$)", r"?\1", link["url"] or "")
        target = target.replace("/index.html", "/")
        found[str(pathlib.Path(link["file"]).relative_to(folder))].append((link["element"], target))
    return found


def main(site: str, url: str, work: str) -> None:
    folder = pathlib.Path(work)
    folder.mkdir()
    host = url.split("/")[2]
    crawl = [*WGET, "--delete-after", "-P", folder / "none", f"--warc-file={folder}/crawl", url]
    subprocess.run(crawl, check=False)
    subprocess.run([*WGET, "-E", "-k", "-P", folder / "wget", url], check=False)
    extract = ["absolve", "-q", "extract", folder / "crawl.warc.gz", "-o", folder / "out"]
    subprocess.run([*extract, "--to", "relative"], check=True)
    expected = links(pathlib.Path(site), url)
    copies = {"wget -E -k -p": folder / "wget" / host, "absolve": folder / "out" / host.replace(":", "+")}
    for name, copy in copies.items():
        found = links(copy, url)
        pages = [page for page in expected if page in found]
        pairs = [pair for page in pages for pair in zip(expected[page], found[page], strict=True)]
        wrong = [pair for pair in pairs if pair[0] != pair[1]]
        print(f"{name}: {len(pages)} pages, {len(pairs)} links, {len(wrong)} wrong", wrong[:3])


main(*sys.argv[1:])
