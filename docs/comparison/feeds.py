#!/usr/bin/env python3
"""Compares what feedparser resolves with what is resolved for it.

    feeds.py COMMAND FOLDER

COMMAND is the program `absolve`, and FOLDER has feeds: tests/wellformed of the source package of feedparser.
Where feedparser resolves a link of a feed (`resolve_relative_uris`), it has to give the same links for the feed
whose links are absolute, without and with resolving. It prints counts, and each difference that is not
KNOWN; the exit code is 1 if there is one.
"""

import pathlib
import re
import subprocess
import sys

# The xml.py beside this file is not the one of the standard library.
del sys.path[0]

import feedparser

BASE = "http://base.example/dir/feed.xml"
LINK = re.compile(r"\b(?:href|src|action|cite|data|background|longdesc|usemap|codebase)\s*=\s*[\"']?([^\"'> ]*)")
# Content in base64, elements that RSS does not have, a URL with an empty host, and a declaration that is none.
KNOWN = re.compile("base64|http_item_(body|fullitem)_|malformed_base|not_a_doctype|missing_quote")


def leaves(value, path=""):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item if key != "base" else None, f"{path}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}[{number}]")
    elif isinstance(value, str):
        yield path, tuple(sorted(LINK.findall(value))) if "<" in value else value


def links(source, resolve):
    headers = {"content-location": BASE, "content-type": "application/xml; charset=utf-8"}
    found = feedparser.parse(source, response_headers=headers, resolve_relative_uris=resolve, sanitize_html=False)
    return dict(leaves({"feed": found.feed, "entries": found.entries}))


def main():
    command, folder = sys.argv[1:]
    arguments = [command, "rewrite", "-q", "--no-config", "--learn", "none", "--as", "xml", "-b", BASE, "-"]
    counts = dict.fromkeys(["feeds", "with relative links", "known to differ", "different"], 0)
    for path in sorted(pathlib.Path(folder).rglob("*.xml")):
        counts["feeds"] += 1
        source = path.read_bytes()
        expected, plain = links(source, True), links(source, False)
        # Other text of HTML is written anew too.
        paths = [one for one, link in expected.items() if plain.get(one) != link and "://" in str(link)]
        if not paths:
            continue
        new = subprocess.run(arguments, input=source, capture_output=True, check=True).stdout
        found = [links(new, resolve) for resolve in (False, True)]
        wrong = {one for one in paths for each in found if each.get(one) != expected[one]}
        counts["with relative links"] += 1
        if wrong and KNOWN.search(path.name):
            counts["known to differ"] += 1
        elif wrong:
            counts["different"] += 1
            print(f"{path}: {[(one, expected[one], found[0].get(one)) for one in sorted(wrong)]}")
    print(", ".join(f"{number} {name}" for name, number in counts.items()))
    return counts["different"] > 0 or counts["with relative links"] == 0


if __name__ == "__main__":
    sys.exit(main())
