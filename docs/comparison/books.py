#!/usr/bin/env python3
"""Compares what `absolve audit` and epubcheck report about books.

    books.py COMMAND [EPUBCHECK [NUMBER | BOOK...]]

COMMAND is the program `absolve`, EPUBCHECK the jar of epubcheck (/usr/share/java/epubcheck.jar).
Without a BOOK it makes NUMBER of ten, six by itself and four by pandoc, and plants twelve faults in each,
every one on a line of its own, or as a file. Findings about links and the manifest are compared by file, line and kind.
It prints counts, and a line for each difference; the exit code is 1 if there is one that is not listed
in KNOWN, if one of those did not occur in ten books, or if absolve
misses a planted fault.
"""

import json
import os
import posixpath
import re
import subprocess
import sys
import tempfile
import urllib.parse

from book_faults import book, of_pandoc, plant, write

JAR = "/usr/share/java/epubcheck.jar"

# Faults that are planted in each book.
COUNT = 12

# What epubcheck's messages are about. RSC-001 and OPF-060 are about the ZIP file, and have no place in it.
KINDS = {
    "RSC-001": "missing", "RSC-007": "missing", "RSC-012": "fragment", "RSC-014": "fragment",
    "RSC-006": "remote", "RSC-008": "unlisted", "OPF-049": "manifest", "OPF-074": "manifest",
    "OPF-091": "manifest", "RSC-020": "reference", "RSC-026": "above", "RSC-009": "fragment",
    "RSC-010": "type", "RSC-011": "type", "OPF-031": "unlisted", "OPF-032": "missing",
    "OPF-060": "duplicate",
}
# In the NCX, which names pages alone, for an empty value.
NCX_KINDS = {"RSC-010": "missing"}
RULES = {
    "broken-link": "missing", "directory-without-index": "missing", "case-mismatch": "missing",
    "missing-scheme": "missing", "bad-percent": "reference", "invalid-reference": "reference",
    "missing-anchor": "fragment", "remote-resource": "remote", "not-in-manifest": "unlisted",
    "invalid-manifest": "manifest", "above-root": "above", "backslash": "reference",
    "duplicate-name": "duplicate",
}

# Differences that are known, by the reference and what is reported: why.
KNOWN = {
    r"absolve alone: .*: broken-link: gone\.html:": "epubcheck does not look up what cite names",
    r"absolve alone: .*: missing-anchor: #gone-2:": "epubcheck looks up xlink:href, fill and stroke of few elements",
    r"absolve alone: .*: remote-resource: .*/item\.(xhtml|png):": "epubcheck does not look at items of EPUB 2 on the web",
    r"absolve alone: .*toc\.ncx:.*: remote-resource:": "epubcheck does not look at pages of the NCX on the web",
    r"epubcheck alone: .* unlisted: OPF-031:": "a second report of a reference of the guide",
    r"epubcheck alone: .*toc\.ncx:0 manifest: OPF-049": "a second report of an item of the spine, at the NCX",
}


def by_epubcheck(jar, path):
    done = subprocess.run(["java", "-jar", jar, path, "--json", "-"], capture_output=True, check=False)
    text = done.stdout.decode()
    found = {}
    for message in json.loads(text[text.index("{"):])["messages"]:
        for place in message["locations"] if message["ID"] in KINDS else []:
            kinds = {**KINDS, **NCX_KINDS} if place["path"].endswith(".ncx") else KINDS
            kind, file, line = kinds[message["ID"]], place["path"], max(place["line"], 0)
            if message["ID"] in ("RSC-001", "OPF-060"):
                # An item of the manifest names the file, or none does.
                file, line = None, re.search('"(.*)"', message["message"]).group(1)
                line = line.casefold() if message["ID"] == "OPF-060" else line
            found[(file, line, kind)] = f'{message["ID"]}: {message["message"]}'
    return found


def by_absolve(command, path):
    done = subprocess.run([command, "audit", path, "--format", "jsonl"], capture_output=True, check=False)
    if done.returncode > 1:
        sys.exit(done.stderr.decode())
    found = {}
    for line in done.stdout.decode().splitlines():
        finding = json.loads(line)
        kind = RULES.get(finding.get("rule"))
        if not kind:
            continue
        file = finding["file"].split("!", 1)[1]
        reference = finding.get("reference") or ""
        if kind == "above" and reference.startswith("/"):
            # epubcheck does not look for the file at the root.
            kind = "missing"
        key = (file, finding.get("line") or 0, kind)
        if finding.get("element") == "item" and kind == "missing":
            key = (None, finding["message"].split("'")[1], kind)
        if kind == "duplicate":
            key = (None, file.casefold(), kind)
        if kind == "manifest" and re.search(r"\?|^data:", reference):
            # epubcheck does not find the file.
            is_data = reference.startswith("data:")
            path = posixpath.join(posixpath.dirname(file), urllib.parse.unquote(reference))
            key = (None, reference if is_data else path, "missing")
        found[key] = f'{finding["rule"]}: {finding["reference"]}: {finding["message"]}'
    return found


def main():
    command, jar, *books = [*sys.argv[1:], *([JAR] if len(sys.argv) < 3 else [])]
    command = os.path.abspath(command)
    number = int(books.pop()) if books and books[0].isdigit() else 10
    numbers = [] if books else range(10 - number, 10)
    counts = dict.fromkeys(["both", "books", "planted", "missed", "by epubcheck", "absolve", "epubcheck"], 0)
    seen, wrong = set(), 0
    with tempfile.TemporaryDirectory() as folder:
        planted = {path: [] for path in books}
        for number in numbers:
            files = book(number) if number < 6 else of_pandoc(number, folder)
            path = os.path.join(folder, f"{number}.epub")
            write(path, files)
            planted[path] = []
            clean = by_absolve(command, path)
            if clean:
                print(f"{number}: findings before a fault is planted: {clean}")
                wrong += 1
            planted[path] = plant(files, number, COUNT)
            write(path, files)
        for path, faults in planted.items():
            theirs, mine = by_epubcheck(jar, path), by_absolve(command, path)
            name = os.path.basename(path)
            counts["books"] += 1
            counts["planted"] += len(faults)
            counts["both"] += len(set(theirs) & set(mine))
            for file, line, text in faults:
                href = re.search('href="([^"]*)"', text)
                href = urllib.parse.unquote(href.group(1)) if href else text.casefold()
                is_at = lambda key: key[:2] == (file, line) or (key[0] is None and key[1].endswith(href))
                if not any(map(is_at, mine)):
                    counts["missed"] += 1
                    print(f"{name}: absolve misses {file}:{line} {text}")
                counts["by epubcheck"] += any(map(is_at, theirs))
            for key in sorted(set(theirs) ^ set(mine), key=str):
                who, text = ("epubcheck", theirs[key]) if key in theirs else ("absolve", mine[key])
                difference = f"{who} alone: {key[0]}:{key[1]} {key[2]}: {text}"
                counts[who] += 1
                known = [part for part in KNOWN if re.search(part, difference)]
                seen.update(known)
                if not known:
                    wrong += 1
                    print(f"{name}: {difference}")
    stale = sorted(set(KNOWN) - seen) if len(numbers) == 10 else []
    for part in stale:
        print("known, and not found:", part)
    print(f"{counts['books']} books, {counts['planted']} faults planted, {counts['missed']} missed by absolve, "
          f"{counts['planted'] - counts['by epubcheck']} by epubcheck; {counts['both']} findings of both, "
          f"{counts['absolve']} of absolve alone, {counts['epubcheck']} of epubcheck alone; "
          f"{len(seen)} kinds of known differences, {wrong} other differences")
    sys.exit(1 if wrong or stale or counts["missed"] else 0)


if __name__ == "__main__":
    main()
