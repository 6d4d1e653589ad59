#!/usr/bin/env python3
"""Compares what `absolve audit` and epubcheck report about books.

    books.py COMMAND [EPUBCHECK [NUMBER | BOOK...]]

COMMAND is the program `absolve`, EPUBCHECK the jar of epubcheck (/usr/share/java/epubcheck.jar).
Without a BOOK it makes NUMBER of ten, six by itself and four by pandoc, and plants five faults in each,
every one on a line of its own. Findings about links and the manifest are compared by file, line and kind.
It prints counts, and a line for each difference; the exit code is 1 if there is one that is not listed
in KNOWN, if one of those did not occur in ten books, or if absolve
misses a planted fault.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

JAR = "/usr/share/java/epubcheck.jar"

# What epubcheck's messages are about. RSC-001 is about the ZIP file, and has no place in the manifest.
KINDS = {
    "RSC-001": "missing", "RSC-007": "missing", "RSC-012": "fragment", "RSC-014": "fragment",
    "RSC-006": "remote", "RSC-008": "unlisted", "OPF-049": "manifest", "OPF-074": "manifest",
    "OPF-091": "manifest", "RSC-020": "reference", "RSC-026": "above", "RSC-009": "fragment",
    "RSC-010": "type", "RSC-011": "type", "OPF-031": "unlisted", "OPF-032": "missing",
}
RULES = {
    "broken-link": "missing", "directory-without-index": "missing", "case-mismatch": "missing",
    "missing-scheme": "missing", "bad-percent": "reference", "invalid-reference": "reference",
    "missing-anchor": "fragment", "remote-resource": "remote", "not-in-manifest": "unlisted",
    "invalid-manifest": "manifest", "above-root": "above", "backslash": "reference",
}

# Differences that are known, by the reference and what is reported: why.
KNOWN = {
    r"absolve alone: .*: broken-link: gone\.html:": "epubcheck does not look up what cite names",
    r"epubcheck alone: .*toc\.ncx:0 manifest: OPF-049": "a second report of an item of the spine, at the NCX",
}

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="{}" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
XHTML = """<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="en" lang="en">
<head><title>{0}</title>
<link rel="stylesheet" type="text/css" href="{1}style.css"/>
</head><body>
{2}
</body></html>
"""
PACKAGE = """<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="{version}" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
<dc:identifier id="id">urn:uuid:00000000-0000-0000-0000-00000000000{number}</dc:identifier>
<dc:title>Book {number}</dc:title><dc:language>en</dc:language>{modified}
</metadata>
<manifest>
{items}
</manifest>
<spine{toc}>
{spine}
</spine>
</package>
"""
NCX = """<?xml version="1.0" encoding="UTF-8"?>
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1">
<head><meta name="dtb:uid" content="urn:uuid:00000000-0000-0000-0000-00000000000{0}"/></head>
<docTitle><text>Book</text></docTitle>
<navMap>
<navPoint id="n1" playOrder="1"><navLabel><text>1</text></navLabel>
<content src="text/ch1.xhtml#s1"/></navPoint>
</navMap>
</ncx>
"""
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>x</title><rect id="r" width="9" height="9"/></svg>\n'
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
                    "0000000d49444154789c6360f8cf500f0003860180345a30ea0000000049454e44ae426082")


def book(number):
    """The files of a book of EPUB 3, or EPUB 2 for an odd number."""
    is_old = number % 2
    root = ["OEBPS/", "", "EPUB/a b/"][number % 3]
    types = {"xhtml": "application/xhtml+xml", "css": "text/css", "svg": "image/svg+xml", "png": "image/png",
             "ncx": "application/x-dtbncx+xml"}
    files = {}
    for chapter in (1, 2, 3):
        other = chapter % 3 + 1
        body = (f'<h1 id="s1">Chapter {chapter}</h1>\n<p id="ü">x</p>\n'
                f'<p><a href="ch{other}.xhtml#s1">next</a> <a href="#s1">up</a> <a href="https://example.org/">web</a></p>\n'
                f'<p><a href="ch{other}.xhtml#%C3%BC">umlaut</a> <img src="../img/a%20b.png" alt="x"/></p>\n')
        files[f"text/ch{chapter}.xhtml"] = XHTML.format(f"Chapter {chapter}", "../", body)
    files["style.css"] = "body { background: url(img/a%20b.png) }\n"
    files["img/a b.png"] = PNG
    files["img/s.svg"] = SVG
    if is_old:
        files["toc.ncx"] = NCX.format(number)
    else:
        toc = ('<nav epub:type="toc"><ol>\n<li><a href="text/ch1.xhtml">1</a></li>\n'
               '<li><a href="text/ch2.xhtml#s1">2</a></li>\n</ol></nav>')
        files["nav.xhtml"] = XHTML.format("Contents", "", toc)
    items = []
    for at, name in enumerate(files):
        properties = ' properties="nav"' if name == "nav.xhtml" else ""
        end = types[name.rsplit(".", 1)[1]]
        ident = "ncx" if name == "toc.ncx" else f"i{at}"
        items.append(f'<item id="{ident}" href="{name.replace(" ", "%20")}" media-type="{end}"{properties}/>')
    modified = "" if is_old else '\n<meta property="dcterms:modified">2020-01-01T00:00:00Z</meta>'
    package = PACKAGE.format(
        version="2.0" if is_old else "3.0", number=number, modified=modified, items="\n".join(items),
        toc=' toc="ncx"' if is_old else "", spine="\n".join(f'<itemref idref="i{at}"/>' for at in range(3)))
    files = {root + name: content for name, content in files.items()}
    files[root + "p.opf"] = package
    return {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER.format(root + "p.opf"), **files}


def of_pandoc(number, folder):
    """The files of a book that pandoc makes."""
    text = "".join(f"# Chapter {one}\n\nText with a [link](#chapter-{one % 4 + 1}), a note[^{one}].\n\n"
                   f"## Section {one}\n\n![image](img.png)\n\n[^{one}]: Note, <https://example.org/>.\n\n"
                   for one in (1, 2, 3, 4))
    source, path = os.path.join(folder, f"{number}.md"), os.path.join(folder, f"pandoc{number}.epub")
    with open(source, "w", encoding="utf-8") as file:
        file.write(f"---\ntitle: Book {number}\nlang: en\n---\n\n{text}")
    with open(os.path.join(folder, "img.png"), "wb") as file:
        file.write(PNG)
    subprocess.run(["pandoc", source, "-t", f"epub{2 + number % 2}", "--toc", "-o", path], check=True, cwd=folder)
    with zipfile.ZipFile(path) as old:
        return {name: old.read(name) for name in old.namelist() if not name.endswith("/")}


def write(path, files):
    with zipfile.ZipFile(path, "w") as new:
        for name, content in files.items():
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            new.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content, method)


# Faults: what they are put before, and the line; {here} is the name of the file, {next} another page.
PAGE = "</body>"
FAULTS = [
    (PAGE, '<p><a href="gone.xhtml">x</a></p>'),
    (PAGE, '<p><a href="#gone">x</a></p>'),
    (PAGE, '<p><a href="{next}#gone">x</a></p>'),
    (PAGE, '<p><img src="gone.png" alt="x"/></p>'),
    (PAGE, '<p><img src="https://example.org/gone.png" alt="x"/></p>'),
    (PAGE, '<p><a href="{upper}">x</a></p>'),
    (PAGE, '<p><a href="{unlisted}">x</a></p>'),
    (PAGE, '<p><a href="../../../../../gone.xhtml">x</a></p>'),
    (PAGE, '<p><img src="{unlisted_image}" alt="x"/></p>'),
    (PAGE, '<p><a href="{next}#s%20gone">x</a></p>'),
    ("</head>", '<link rel="stylesheet" type="text/css" href="gone.css"/>'),
    ("</head>", '<link rel="stylesheet" type="text/css" href="https://example.org/x.css"/>'),
    ("</manifest>", '<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>'),
    ("</manifest>", '<item id="gone2" href="gone.css" media-type="text/css"/>'),
    ("</spine>", '<itemref idref="nothing"/>'),
    ("</navMap>", '<navPoint id="f1" playOrder="99"><navLabel><text>x</text></navLabel><content src="{here_page}#gone"/></navPoint>'),
    ("</navMap>", '<navPoint id="f2" playOrder="98"><navLabel><text>x</text></navLabel><content src="gone.xhtml"/></navPoint>'),
    ("css", "p {{ background: url(gone.png) }}"),
    ("css", "p {{ background: url(https://example.org/gone.png) }}"),
    ("css", '@import "gone2.css";'),
    (PAGE, '<p><object data="gone.svg" type="image/svg+xml">x</object></p>'),
    (PAGE, '<p><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 1 1">'
           '<image xlink:href="gone.jpg" width="1" height="1"/></svg></p>'),
    (PAGE, '<blockquote cite="gone.html"><p>x</p></blockquote>'),
    (PAGE, '<p><a href="text/">x</a></p>'),
    (PAGE, '<p><a href="gone/a%2Fb.xhtml">x</a></p>'),
]


def plant(files, number):
    """Plants five faults; returns the name of the file and the line of each."""
    planted = []
    names = list(files)
    pages = [name for name in names if re.search(r"ch\d+\.xhtml$", name)]
    opf = next(name for name in names if name.endswith(".opf"))
    folder = os.path.dirname(pages[0])
    unlisted, image = folder + "/unlisted.xhtml", folder + "/unlisted.png"
    at = number * 5
    while len(planted) < 5:
        where, text = FAULTS[at % len(FAULTS)]
        at += 1
        page = pages[at % len(pages)]
        other = pages[(at + 1) % len(pages)]
        relative = os.path.relpath(pages[0], os.path.dirname(opf) or ".").replace(" ", "%20")
        line = text.format(next=os.path.basename(other), upper=os.path.basename(other).upper(), here_page=relative,
                           unlisted="unlisted.xhtml", unlisted_image="unlisted.png")
        if "unlisted.xhtml" in line:
            files[unlisted] = XHTML.format("x", "../", "<p>x</p>").replace('href="../style.css"', 'href="#"').replace("<link rel", "<!--").replace("/>\n</head>", "-->\n</head>")
        if "unlisted.png" in line:
            files[image] = PNG
        ends = {"</manifest>": ".opf", "</spine>": ".opf", "</navMap>": ".ncx", "css": ".css"}
        name = page if where in (PAGE, "</head>") else next((one for one in names if one.endswith(ends[where])), None)
        if name is None:
            continue
        content = files[name] if isinstance(files[name], str) else files[name].decode()
        if where == "css":
            # Imports have to be first.
            content = line + "\n" + content if line[0] == "@" else content.rstrip("\n") + "\n" + line + "\n"
        else:
            content = content.replace(where, "\n" + line + "\n" + where, 1)
        files[name] = content
        planted.append((name, line))
    found = []
    for name, line in planted:
        content = files[name]
        found.append((name, content[:content.index(line)].count("\n") + 1, line))
    return found


def by_epubcheck(jar, path):
    done = subprocess.run(["java", "-jar", jar, path, "--json", "-"], capture_output=True, check=False)
    text = done.stdout.decode()
    found = {}
    for message in json.loads(text[text.index("{"):])["messages"]:
        kind = KINDS.get(message["ID"])
        for place in message["locations"] if kind else []:
            file, line = place["path"], max(place["line"], 0)
            if message["ID"] == "RSC-001":
                # The item of the manifest is what names the file.
                file, line = None, re.search('"(.*)"', message["message"]).group(1)
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
        key = (file, finding.get("line") or 0, kind)
        if finding.get("element") == "item" and kind == "missing":
            key = (None, finding["message"].split("'")[1], kind)
        found[key] = f'{finding["rule"]}: {finding["reference"]}: {finding["message"]}'
    return found


def main():
    command, jar, *books = [*sys.argv[1:], *([JAR] if len(sys.argv) < 3 else [])]
    command = os.path.abspath(command)
    number = int(books.pop()) if books and books[0].isdigit() else 10
    numbers = [] if books else range(10 - number, 10)
    counts, seen, wrong = {"both": 0, "books": 0, "planted": 0, "missed": 0, "by epubcheck": 0}, set(), 0
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
            planted[path] = plant(files, number)
            write(path, files)
        for path, faults in planted.items():
            theirs, mine = by_epubcheck(jar, path), by_absolve(command, path)
            name = os.path.basename(path)
            counts["books"] += 1
            counts["planted"] += len(faults)
            counts["both"] += len(set(theirs) & set(mine))
            for file, line, text in faults:
                href = re.search('href="([^"]*)"', text)
                is_at = lambda key: key[:2] == (file, line) or (key[0] is None and href and key[1].endswith(href.group(1)))
                if not any(map(is_at, mine)):
                    counts["missed"] += 1
                    print(f"{name}: absolve misses {file}:{line} {text}")
                counts["by epubcheck"] += any(map(is_at, theirs))
            for key in sorted(set(theirs) ^ set(mine), key=str):
                who, text = ("epubcheck", theirs[key]) if key in theirs else ("absolve", mine[key])
                difference = f"{who} alone: {key[0]}:{key[1]} {key[2]}: {text}"
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
          f"{len(seen)} kinds of known differences, {wrong} other differences")
    sys.exit(1 if wrong or stale or counts["missed"] else 0)


if __name__ == "__main__":
    main()
