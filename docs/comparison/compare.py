#!/usr/bin/env python3
"""Counts the links that a rewriter missed or got wrong, and what it changed besides.

usage: compare.py IN OUT

IN holds the pages, OUT what the rewriter made of them, under the same names.

The truth is html5ever's tree: `absolve links --engine dom` with the URL that the page
was retrieved from lists the links of a page and the URL of each. The links of the
output are listed the same way, without that URL, and compared: where the reference is
the URL, the link is right; where it is as it was before, or the link is gone, it is
missed; anything else is wrong.

Bytes changed outside values: source and output are cut into tags, comments, raw text
and text, the values of link attributes inside tags are blanked in both, and the lists
of pieces are compared by diff(1); what differs counts, pairwise, without the beginning
and the end that the two pieces have in common, and the longer of the two sides counts.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = "http://host.example/"
TAG_END = rb"(?:[^>\"']|\"[^\"]*\"|'[^']*')*>"
PIECES = re.compile(
    rb"<!--.*?-->|(<(script|style|textarea|title)\b" + TAG_END + rb")([^<]*(?:<(?!/\2\b)[^<]*)*)|"
    rb"</?[a-zA-Z]" + TAG_END + rb"|<![^>]*>|<|[^<]+",
    re.S | re.I,
)
ATTRIBUTE = re.compile(rb"(\s)([^\s=>/\"']+)(\s*=\s*)(\"[^\"]*\"|'[^']*'|[^\s>\"']+)", re.S)


def links(path, *arguments):
    command = ["absolve", "links", "-q", "--format", "jsonl", "--engine", "dom", *arguments, path]
    done = subprocess.run(command, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def judge(before, after):
    """Links missed and links wrong."""
    place = lambda link: (link["element"], link["attribute"])
    if [place(link) for link in before] == [place(link) for link in after]:
        pairs = [(link, new["reference"]) for link, new in zip(before, after)]
    else:
        # The tree is another one; links are paired by place and URL, whatever their order.
        found = collections.Counter((place(link), link["reference"]) for link in after)
        pairs = []
        for link in before:
            for reference in (link["url"], link["reference"]):
                if found[place(link), reference] > 0:
                    found[place(link), reference] -= 1
                    pairs.append((link, reference))
                    break
            else:
                pairs.append((link, None))
        others = collections.Counter()
        for (where, _), count in found.items():
            others[where] += count
        for index, (link, reference) in enumerate(pairs):
            if reference is None and others[place(link)] > 0:
                others[place(link)] -= 1
                pairs[index] = (link, "?")
    # A reference that is absolute may stand as it is, white space around it included.
    is_right = lambda link, new: new == link["url"] or new and new.strip() == link["url"]
    bad = [(link, new) for link, new in pairs if not is_right(link, new)]
    missed = sum(new is None or new == link["reference"] for link, new in bad)
    return missed, len(bad) - missed


def pieces(source, names):
    def blanked(match):
        quotes = match[4][:1] * 2 if match[4][:1] in b"\"'" else b""
        return match[1] + match[2] + match[3] + quotes if match[2].lower() in names else match[0]

    for match in PIECES.finditer(source):
        tag, raw_text = (match[1], match[3]) if match[1] else (match[0], b"")
        yield ATTRIBUTE.sub(blanked, tag) if re.match(rb"<[a-zA-Z]", tag) else tag
        if raw_text:
            yield raw_text


def changed(before, after):
    """Bytes that differ between two lists of pieces."""
    with tempfile.NamedTemporaryFile() as a, tempfile.NamedTemporaryFile() as b:
        for file, side in ((a, before), (b, after)):
            file.writelines(repr(piece).encode() + b"\n" for piece in side)
            file.flush()
        diff = ["diff", "--changed-group-format=%df-%dl,%dF-%dL ",
                "--unchanged-group-format=", a.name, b.name]
        groups = subprocess.run(diff, capture_output=True, text=True).stdout.split()
    total = 0
    for group in groups:
        (first, last), (new_first, new_last) = (
            map(int, side.split("-")) for side in group.split(","))
        old, new = before[first - 1:last], after[new_first - 1:new_last]
        if len(old) != len(new):
            old, new = [b"".join(old)], [b"".join(new)]
        total += sum(difference(*pair) for pair in zip(old, new))
    return total


def difference(old, new):
    short = min(len(old), len(new))
    start = next((i for i in range(short) if old[i] != new[i]), short)
    end = next((i for i in range(short - start) if old[-1 - i] != new[-1 - i]), short - start)
    return max(len(old), len(new)) - start - end


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, output = map(pathlib.Path, sys.argv[1:])
    sums = collections.Counter()
    for path in sorted(folder.rglob("*.html")):
        if path.is_symlink() or not path.is_file():
            continue
        place = path.relative_to(folder)
        if not (output / place).exists():
            sums["absent"] += 1
            continue
        before = links(path, "-b", ROOT + urllib.parse.quote(str(place)))
        missed, wrong = judge(before, links(output / place))
        names = {link["attribute"].encode() for link in before}
        sides = (list(pieces(file.read_bytes(), names)) for file in (path, output / place))
        other = changed(*sides)
        sums.update(pages=1, links=len(before), missed=missed, wrong=wrong, bytes=other)
        sums["pages changed"] += other > 0
    keys = ["pages", "absent", "links", "missed", "wrong", "bytes", "pages changed"]
    print(", ".join(f"{key} {sums[key]}" for key in keys))


if __name__ == "__main__":
    main()
