#!/usr/bin/env python3
"""Compares the links of two copies of a site: each leads to the same file, or to the same URL.

    directions.py BASE-URL OLD NEW [server|file]

OLD is the folder as it was, NEW what a program made of it. The pages of NEW are opened by a server
at BASE-URL, or as files. Nothing here is of absolve: pages are read by html.parser, references are
resolved by urllib, and files are found by a few lines below. It prints counts, and one line for
each link that leads elsewhere; the exit code is 1 if there is one, or if a byte outside of values
differs.
"""

import os
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import quote, unquote_to_bytes, urldefrag, urljoin, urlsplit

URLS = {
    "href", "src", "action", "cite", "data", "poster", "background", "formaction", "longdesc",
    "manifest", "xlink:href",
}
SETS = {"srcset", "imagesrcset"}
INDEX = [b"index.html", b"index.htm"]
CSS = re.compile(
    r"""/\*.*?\*/|url\(\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|([^\s"'()]*))\s*\)"""
    r"""|@import\s+(?:"([^"]*)"|'([^']*)')""",
    re.S | re.I,
)


def css_links(text):
    for match in CSS.finditer(text):
        found = next((group for group in match.groups() if group is not None), None)
        if found and not found.startswith("#"):
            yield re.sub(r"\\([^0-9a-fA-F\n])", r"\1", found)


def candidates(text):
    """The URLs of a srcset: https://html.spec.whatwg.org/#parse-a-srcset-attribute"""
    at = 0
    while True:
        at += len(re.match(r"[\s,]*", text[at:]).group())
        if at >= len(text):
            return
        url = re.match(r"\S+", text[at:]).group()
        at += len(url)
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            at += len(re.match(r"(?:\([^)]*\)|[^,(])*", text[at:]).group())
        yield url


class Page(HTMLParser):
    """The links of a page in their order, its base, and its text without the values of links."""

    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.links, self.base, self.rest, self.style, self.text = [], None, [], None, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if self.text:
            self.rest.append((tag, tuple(attrs)))
            return
        self.text = tag if tag in ("textarea", "title") else None
        seen = dict(reversed(attrs))
        if tag == "base":
            if self.base is None:
                self.base = seen.get("href")
            return
        values = []
        for name, value in attrs:
            if value is None or not self.take(tag, name, value, seen):
                values.append((name, value))
        self.rest.append((tag, tuple(values)))
        self.style = tag == "style"

    def take(self, tag, name, value, seen):
        if name in URLS:
            if value.strip() or (name == "href" and tag in ("a", "area")):
                self.links.append((tag, name, value))
        elif name in SETS:
            self.links += [(tag, name, url) for url in candidates(value)]
        elif name == "style":
            self.links += [(tag, name, url) for url in css_links(value)]
        elif name == "srcdoc":
            inner = Page(value)
            self.links += inner.links
            self.rest += inner.rest
        elif name == "content" and (seen.get("http-equiv") or "").lower() == "refresh":
            match = re.match(r"\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?(['\"]?)(.*?)\1\s*$", value, re.S | re.I)
            if match and match[2]:
                self.links.append((tag, name, match[2]))
        else:
            return False
        return True

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag):
        self.style = None
        self.text = None if self.text == tag else self.text
        self.rest.append(("/", tag))

    def handle_data(self, data):
        if self.style:
            self.links += [("style", "", url) for url in css_links(data)]
            data = CSS.sub("", data)
        self.rest.append(data)

    def handle_comment(self, data):
        self.rest.append(("!", data))

    def handle_entityref(self, name):
        self.rest.append(("&", name))

    handle_charref = handle_decl = handle_pi = unknown_decl = handle_entityref


class Tree:
    def __init__(self, root):
        self.files, self.folders = set(), {b""}
        root = os.fsencode(root)
        for folder, _, names in os.walk(root, followlinks=True):
            below = os.path.relpath(folder, root)
            below = b"" if below == b"." else below + b"/"
            self.folders.add(below.rstrip(b"/"))
            there = (name for name in names if os.path.exists(os.path.join(folder, name)))
            self.files.update(below + name for name in there)

    def served(self, path):
        """The file that a server answers a path with."""
        names = []
        for name in path.split("/"):
            name = unquote_to_bytes(name)
            if name == b"..":
                del names[-1:]
            elif name not in (b"", b"."):
                names.append(name)
        found = b"/".join(names)
        if found in self.files:
            return None if path.endswith("/") and path != "/" else found
        if found in self.folders:
            names = [(found + b"/" if found else b"") + name for name in INDEX]
            return next((name for name in names if name in self.files), None)
        return None

    def saved(self, path, query):
        """The file that wget saved a URL in."""
        name = unquote_to_bytes(path)
        if name.endswith(b"/") or not name:
            name += b"index.html"
        ends = [b"", b".html", b".css"]
        if query:
            names = [name + b"?" + part + end for part in (query.encode(), unquote_to_bytes(query)) for end in ends]
            found = next((name for name in names if name in self.files), None)
            if found:
                return found
        return self.served(path) or next((name + end for end in ends if name + end in self.files), None)


# Segments that a reference has to leave to climb above the root.
DEEP = "/deep/deep/deep/deep/deep/deep/deep/deep"


def resolve(base, reference):
    """By RFC 1808, without white space around it; surplus dots stay."""
    reference = re.sub(r"[\t\n\r]", "", reference).strip("\0\x0b\x0c ")
    url = urljoin(base, reference)
    if ".." in reference and not urlsplit(reference).scheme and not reference.startswith("/"):
        parts = urlsplit(base)
        path = urlsplit(urljoin(parts._replace(path=DEEP + parts.path).geturl(), reference)).path
        if not path.startswith(DEEP + "/") and url.startswith("http"):
            url = f"{parts.scheme}://{parts.netloc}/.." + urlsplit(url)._replace(scheme="", netloc="").geturl()
    if reference.endswith("#"):
        url = url.rstrip("#") + "#"
    return url


def urls(page, own):
    """Each link of a page with its URL."""
    base = resolve(own, page.base) if page.base is not None else own
    return [(tag, name, text, resolve(base, text)) for tag, name, text in page.links]


def place(url, base, tree, opened):
    """What a URL leads to: a file of the tree with a query and a fragment, or the URL."""
    url, fragment = urldefrag(url)
    url = re.sub(r"(?<=[^/:])/(?:\.\./)+", "/../", url)
    parts = urlsplit(url)
    path, start = parts.path, urlsplit(base)
    is_own = (parts.scheme, parts.netloc) == (start.scheme, start.netloc)
    is_own &= path.startswith(start.path) and not re.match(r"(?:.*/)?(?:\.|%2e){2}(?:/|$)", path, re.I)
    if not is_own or not path:
        return "url", url, fragment
    below = path[len(start.path):]
    if opened == "file":
        file = tree.saved(below, parts.query)
        query = parts.query
    else:
        file, query = tree.served(below), parts.query
    if file and b"?" in file:
        query = ""
    return ("file", file, query, fragment) if file else ("url", url, fragment)


def retrieved(base, name):
    """The URL that a file was retrieved from: wget writes a query into the name, and may add an extension."""
    folder, slash, last = name.rpartition(b"/")
    query = re.match(rb"(.+?)\?(.+?)(?:\.html|\.css)?$", last, re.S)
    if query:
        path, rest = folder + slash + query[1], "?" + quote(query[2], safe="/:=&+,;@!$'()*~%?")
    else:
        path, rest = name, ""
    return base + quote(path, safe="/:=&+,@!$'()*~") + rest


def named(url, root, tree):
    """The file of the tree that a browser opens for a `file:` URL."""
    url, fragment = urldefrag(url)
    parts = urlsplit(url)
    name = unquote_to_bytes(parts.path)
    if parts.scheme != "file" or not name.startswith(root):
        return "url", url, fragment
    name = name[len(root):]
    query = "" if b"?" in name else parts.query
    return ("file", name, query, fragment) if name in tree.files else ("missing", name)


def read(folder, name):
    with open(os.path.join(os.fsencode(folder), name), "rb") as file:
        return file.read().decode("latin-1")


def links_of(name, text, own):
    if name.lower().endswith(b".css"):
        rest = CSS.sub("", text)
        return [("css", "", one, resolve(own, one)) for one in css_links(text)], [rest]
    page = Page(text)
    return urls(page, own), page.rest


def main():
    base, old, new = sys.argv[1:4]
    opened = sys.argv[4] if len(sys.argv) > 4 else "server"
    tree, made = Tree(old), Tree(new)
    root = b"/site/"
    counts, wrong = Counter(), 0
    for name in sorted(tree.files & made.files):
        if not name.lower().endswith((b".html", b".htm", b".css")):
            continue
        url = base + quote(name, safe="/:=&+,@!$'()*~")
        before, rest = links_of(name, read(old, name), retrieved(base, name))
        own = "file://" + quote(root + name) if opened == "file" else url
        after, new_rest = links_of(name, read(new, name), own)
        counts["pages"] += 1
        if rest != new_rest or len(before) != len(after):
            counts["pages that changed elsewhere"] += 1
            print("changed elsewhere:", os.fsdecode(name))
            wrong += 1
            continue
        for (tag, attribute, text, target), (_, _, new_text, new_target) in zip(before, after):
            counts["links"] += 1
            expected = place(target, base, tree, opened)
            if opened == "file":
                found = named(new_target, root, made)
            else:
                found = place(new_target, base, made, opened)
            is_relative = not urlsplit(new_text.strip()).scheme
            counts["relative" if is_relative else "absolute"] += 1
            # A page names itself by nothing.
            is_self = opened == "file" and expected[0] == "file" and found[1:] == expected[1:]
            if found == expected or is_self:
                counts["to files" if expected[0] == "file" else "elsewhere"] += 1
                if expected[0] == "file" and not is_relative:
                    counts["to files, absolute"] += 1
                continue
            wrong += 1
            if wrong <= 50:
                print(os.fsdecode(name), tag, attribute, repr(text), "->", repr(new_text), expected, found)
    print(", ".join(f"{key}: {count:,}" for key, count in counts.items()), f"; wrong: {wrong:,}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
