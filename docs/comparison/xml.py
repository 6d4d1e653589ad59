#!/usr/bin/env python3
"""Compares the links of XML documents with a walk of lxml's tree, or with the DOM of Chromium.

    xml.py COMMAND generated NUMBER [SEED]
    xml.py COMMAND lxml PATH...
    xml.py COMMAND chromium NUMBER [PATH...]
    xml.py - speed PATH...

COMMAND is the program `absolve`. The documents are NUMBER generated ones, or the files PATH and
those in the folders PATH. Chromium opens NUMBER of those that end with `.xhtml` or `.svg` and have an `href`, or generated
ones without a PATH. A document that is not well-formed
has to be an error of both. It prints counts, and a line for each difference; the exit code is 1 if
there is one that is not listed in KNOWN, or one of those did not occur in any of 20,000 generated
documents.
"""

import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote, urljoin

from lxml import etree

X = "http://www.w3.org/1999/xhtml"
S = "http://www.w3.org/2000/svg"
M = "http://www.w3.org/1998/Math/MathML"
ATOM = "http://www.w3.org/2005/Atom"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
VIDEO = "http://www.google.com/schemas/sitemap-video/1.1"
XSL = "http://www.w3.org/1999/XSL/Transform"
OPF = "http://www.idpf.org/2007/opf"
NCX = "http://www.daisy.org/z3986/2005/ncx/"
RSS1 = "http://purl.org/rss/1.0/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
MEDIA = "http://search.yahoo.com/mrss/"
ITUNES = "http://www.itunes.com/dtds/podcast-1.0.dtd"
PODCAST = "https://podcastindex.org/namespace/1.0"
PLAY = "http://www.google.com/schemas/play-podcasts/1.0"
CHAPTERS = "http://podlove.org/simple-chapters"
COMMENTS = "http://wellformedweb.org/CommentAPI/"
THREADS = "http://purl.org/syndication/thread/1.0"
XLINK = "http://www.w3.org/1999/xlink"
XML = "http://www.w3.org/XML/1998/namespace"

# Differences that are known: a part of the line, and why.
KNOWN = {}

BACKGROUND = "body table thead tbody tfoot tr td th col colgroup layer ilayer".split()
# Attributes of XHTML and MathML that are one URL, besides href and src.
WEB = {(X, *pair) for pair in (
    ("video", "poster"), ("object", "data"), ("object", "codebase"), ("applet", "codebase"),
    ("object", "classid"), ("form", "action"), ("isindex", "action"), ("button", "formaction"),
    ("input", "formaction"), ("blockquote", "cite"), ("q", "cite"), ("ins", "cite"), ("del", "cite"),
    ("html", "manifest"), ("img", "longdesc"), ("frame", "longdesc"), ("iframe", "longdesc"),
    ("img", "lowsrc"), ("img", "dynsrc"), ("input", "dynsrc"), ("embed", "pluginspage"),
    ("embed", "pluginurl"), ("command", "icon"), ("menuitem", "icon"),
    *((name, "background") for name in BACKGROUND),
)} | {(M, "math", "altimg")}
# In these elements of SVG, a fragment alone names a part of the document.
INSIDE = set(
    "use image feimage lineargradient radialgradient pattern textpath mpath filter animate "
    "animatemotion animatetransform set discard cursor tref glyphref altglyph color-profile".split())
# Attributes of other namespaces.
OTHERS = {
    ATOM: {("link", "href"), ("content", "src"), ("generator", "uri")},
    XSL: {("include", "href"), ("import", "href")},
    OPF: {("item", "href"), ("link", "href"), ("reference", "href")},
    NCX: {("content", "src"), ("img", "src"), ("audio", "src")},
    RDF: {("li", "rdf:resource"), ("li", "resource")},
    MEDIA: {("content", "url"), ("thumbnail", "url"), ("player", "url"), ("embed", "url"), ("copyright", "url"),
            ("license", "href"), ("subTitle", "href"), ("peerLink", "href")},
    ITUNES: {("image", "href")},
    PODCAST: {(name, "url") for name in ("transcript", "chapters", "funding", "trailer", "license")}
    | {("person", "href"), ("person", "img"), ("image", "href"), ("contentLink", "href")}
    | {("source", "uri"), ("socialInteract", "uri")},
    PLAY: {("image", "href")},
    CHAPTERS: {("chapter", "href"), ("chapter", "image")},
    THREADS: {("in-reply-to", "href"), ("in-reply-to", "source")},
    VIDEO: {("uploader", "info")},
    "rss": {("enclosure", "url"), ("source", "url")}
    | {(name, f"rdf:{one}") for name in ("channel", "item", "image", "textinput") for one in ("about", "resource")},
}
# Elements whose text is a URL.
TEXTS = {
    SITEMAP: {"loc"}, IMAGE: {"loc", "license"}, ITUNES: {"new-feed-url"}, MEDIA: {"backLink", "response"},
    COMMENTS: {"comment", "commentRss", "commentRSS"},
    VIDEO: {"thumbnail_loc", "content_loc", "player_loc", "gallery_loc"},
    # `url` is that of Atom 0.3, which absolve reads in the namespace of Atom 1.0 too.
    ATOM: {"icon", "logo", "uri", "url"}, "rss": {"link", "url", "comments", "docs", "guid"},
}
# Names of SVG that are not in lower case, of those whose attributes differ from others'.
MIXED = "feImage linearGradient radialGradient textPath animateMotion animateTransform glyphRef altGlyph".split()
SPACE = " \t\r\n"
USER = re.compile("://[^/@]*@")
ENDS = (".xhtml", ".xht", ".svg", ".xml", ".rss", ".rdf", ".atom", ".opf", ".ncx", ".xsl", ".docbook")


def qualified(name):
    return name[1:].split("}", 1) if name[0] == "{" else ("", name)


def text_of(element):
    if any(isinstance(child.tag, str) for child in element):
        return ""
    return "".join([element.text or "", *((child.tail or "") for child in element)]).strip(SPACE)


def attribute_name(name):
    namespace, local = qualified(name)
    prefixes = {XLINK: "xlink:", RDF: "rdf:", XML: "xml:", "": ""}
    return prefixes[namespace] + local if namespace in prefixes else None


def stylesheets(root):
    """The `href` of the instructions before the root element."""
    before = reversed(list(root.itersiblings(preceding=True)))
    for node in before:
        if node.tag is etree.PI and node.target == "xml-stylesheet" and "href" in node.attrib:
            # lxml leaves the references of pseudo-attributes as they are written.
            written = node.attrib["href"].replace('"', "&quot;")
            value = etree.fromstring(f'<a b="{written}"/>').get("b")
            if not value.strip().startswith("#"):
                yield "xml-stylesheet", "href", value


def walk(path):
    """The links of a document that are one URL, by lxml's tree."""
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True)
    root = etree.parse(path, parser).getroot()
    root_namespace, root_name = qualified(root.tag)
    is_page = root_namespace in (X, S, M)
    found = list(stylesheets(root))
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        namespace, local = qualified(element.tag)
        if root_namespace == XSL and namespace != XSL:
            namespace = "result of a transformation"
        local = local.lower() if namespace == S and local in MIXED else local
        if not namespace and root_namespace == "" and root_name in ("urlset", "sitemapindex"):
            namespace = SITEMAP
        if namespace == RSS1 or (not namespace and (root_namespace, root_name) == ("", "rss")):
            namespace = "rss"
        for key, value in element.attrib.items():
            name = attribute_name(key)
            if namespace in (X, S, M):
                hit = name in ("href", "src") or (name == "xlink:href" and namespace != X) or (namespace, local, name) in WEB
                is_inside = namespace == S and local in INSIDE and name in ("href", "xlink:href")
                hit = hit and not (is_inside and value.strip().startswith("#"))
            else:
                hit = (local, name) in OTHERS.get(namespace, ())
            if hit or (name == "xml:base" and not is_page):
                found.append((local, name, value))
        is_permalink = local != "guid" or (
            element.get("isPermaLink", "true").lower() != "false" and re.search("/|^[a-z][a-z0-9+.-]*:", text_of(element), re.I))
        if local in TEXTS.get(namespace, ()) and is_permalink and text_of(element):
            found.append((local, "(text)", text_of(element)))
    return found


def ours(command, paths):
    """By path, the links of each file that are one URL; None if it is not well-formed."""
    found = {path: [] for path in paths}
    listed = "\0".join(paths).encode()
    options = ["links", "--as", "xml", "--format", "jsonl", "-b", "http://h/", "--root-dir", "/", "--files-from", "-"]
    done = subprocess.run([command, *options], input=listed, capture_output=True, check=False)
    for line in done.stdout.splitlines():
        link = json.loads(line)
        if link["grammar"] == "url" and not link.get("enclosing"):
            is_text = link["attribute"] == "(text)"
            reference = link["reference"].strip(SPACE) if is_text else link["reference"]
            found[link["file"]].append((link["element"], link["attribute"], reference, link.get("url")))
    for line in done.stderr.decode().splitlines():
        if ": the namespace of '" in line or ": the base element does not count" in line:
            continue
        path, _, why = line.removeprefix("error: ").removeprefix("absolve: ").partition(": ")
        if path not in found:
            sys.exit(f"unexpected: {line}")
        found[path] = None if "not well-formed" in why else sys.exit(line)
    return found


class Comparison:
    def __init__(self):
        self.files = self.links = self.refused = 0
        self.differences, self.seen = [], set()

    def add(self, path, mine, theirs):
        self.files += 1
        if mine is None and theirs is None:
            self.refused += 1
        elif mine is None or theirs is None:
            self.differ(f"{path}: well-formed for {'absolve' if theirs is None else 'the other'} alone")
        else:
            self.links += len(theirs)
            if sorted(mine) != sorted(theirs):
                more = [link for link in mine if link not in theirs][:3]
                less = [link for link in theirs if link not in mine][:3]
                self.differ(f"{path}: {len(mine)} links and {len(theirs)}, more {more}, less {less}")

    def differ(self, line):
        known = [part for part in KNOWN if part in line]
        self.seen.update(known)
        if not known:
            self.differences.append(line)
            print(line)

    def finish(self, is_all):
        stale = sorted(set(KNOWN) - self.seen) if is_all else []
        for part in stale:
            print("known, and not found:", part)
        print(f"{self.files} files, {self.links} links, {self.refused} not well-formed, "
              f"{len(self.differences)} differences, {len(self.seen)} known")
        sys.exit(1 if self.differences or stale else 0)


PREFIXES = {
    "h": X, "s": S, "m": M, "f": ATOM, "p": SITEMAP, "i": IMAGE, "v": VIDEO, "o": OPF, "n": NCX,
    "t": XSL, "r": RSS1, "d": RDF, "e": MEDIA, "u": ITUNES, "q": "urn:x",
}
NAMES = (
    "a A img base link video object form q use image linearGradient mpath math mi content icon logo uri "
    "generator loc item reference import include guid url enclosure source docs comments rss html feed style "
    "p channel li thumbnail player license uploader thumbnail_loc textinput RDF subTitle LOC urlset").split()
ATTRIBUTES = (
    "href src HREF x:href y:href h:href d:about d:resource resource info xml:base poster data action cite "
    "altimg uri url isPermaLink type background manifest codebase").split()
VALUES = ["a", "/b", "../c", "#i", "?x=1", "&amp;", "&#65;", "&lt;", " ", "\n", "\t", "é", "http://k/", "&#x20;", "&quot;"]


# What a document type may declare: entities for namespaces, where libxml2 does not replace entities.
DECLARED = [
    "", f'<!ENTITY n "{X}"><!ENTITY o "{S}">',
    f'<!ENTITY n "http://www.w3.org/1999/"><!ENTITY o "{S}"><!ELEMENT a (b,(c|d)*)>',
    f'<!ENTITY n "urn:x"><!ENTITY n "{X}"><!ENTITY o "&#x68;ttp://www.w3.org/2000/svg">'
    '<!ATTLIST use id ID #IMPLIED>',
]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.declared = ""

    def value(self):
        return "".join(self.random.choice(VALUES) for _ in range(self.random.randint(0, 5)))

    def element(self, depth, root=None):
        pick = self.random
        prefix = pick.choice(list(PREFIXES) + [""] * 6)
        name = (f"{prefix}:" if prefix else "") + pick.choice(NAMES)
        attributes = {}
        if depth == 4:
            attributes = {f"xmlns:{key}": uri for key, uri in PREFIXES.items()}
            attributes |= {"xmlns:x": XLINK, "xmlns:y": "urn:y"}
            if root or pick.random() < 0.7:
                attributes["xmlns"] = root or pick.choice(list(PREFIXES.values()))
            name = {X: "html", S: "svg"}.get(root, name)
        elif pick.random() < 0.1:
            attributes["xmlns"] = pick.choice([*PREFIXES.values(), ""])
        if pick.random() < 0.05:
            attributes[f"xmlns:{pick.choice('hsfy')}"] = pick.choice([*PREFIXES.values(), XLINK])
        if self.declared and pick.random() < 0.3:
            attributes["xmlns"] = pick.choice(["&n;", "&n;xhtml", "&o;"])
        for _ in range(pick.randint(0, 4)):
            attributes[pick.choice(ATTRIBUTES)] = self.value() if pick.random() < 0.9 else pick.choice(["true", "false"])
        items = list(attributes.items())
        pick.shuffle(items)
        start = name
        for key, value in items:
            quotes = pick.choice("'\"")
            start += f" {key}{pick.choice(['', ' '])}={pick.choice(['', chr(10)])}{quotes}{value}{quotes}"
        if pick.random() < 0.2 and depth < 4:
            return f"<{start}/>"
        inside = "".join(self.child(depth) for _ in range(pick.randint(0, 4) if depth else 0))
        if not inside and pick.random() < 0.5:
            inside = self.value()
        return f"<{start}>{inside}</{name}{pick.choice(['', ' '])}>"

    def child(self, depth):
        kind = self.random.random()
        if kind < 0.6:
            return self.element(depth - 1)
        if kind < 0.8:
            return self.value()
        return self.random.choice(['<!-- <a href="z"/> -->', "<![CDATA[v/<&]]>", '<?pi href="w"?>'])

    def document(self, root=None):
        pick = self.random
        text = pick.choice(["", '<?xml version="1.0"?>\n', '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'])
        if pick.random() < 0.2 and not root:
            text += f'<?xml-stylesheet type="text/css" href="{self.value()}"?>'
        self.declared = ""
        if pick.random() < 0.3:
            self.declared = pick.choice(DECLARED)
            text += f'<!DOCTYPE x [<!ENTITY e "a>b"><!-- \' -->{self.declared}]>'
        text += self.element(4, root) + pick.choice(["", "\n", "<!-- e -->"])
        encoding = pick.choice(["utf-8"] * 4 + ["utf-16"])
        if encoding == "utf-16":
            text = text.replace(' encoding="UTF-8"', "")
        if pick.random() < 0.05:
            text = text.replace(*pick.choice([(">", ""), ("</", "<")]), 1)
        return text.encode(encoding)


def generate(folder, number, seed, kinds):
    """Writes documents with these ends and root namespaces, in turn."""
    generator, paths = Generator(seed), []
    for count in range(number):
        end, root = kinds[count % len(kinds)]
        paths.append(os.path.join(folder, f"{count:05}.{end}"))
        with open(paths[-1], "wb") as file:
            file.write(generator.document(root))
    return paths


def files(folders, ends):
    given = [path for path in folders if os.path.isfile(path)]
    found = given + [os.path.join(folder, name) for path in folders
                     for folder, _, names in os.walk(path) for name in names if name.endswith(ends)]
    # A name that is not UTF-8 cannot be in JSON as it is.
    return sorted(path for path in found if os.path.isfile(path) and path.isprintable())


def has_links(path):
    with open(path, "rb") as file:
        return b"href" in file.read()


def is_of_declaration(path, error):
    """Whether the error is in the XML declaration, which absolve does not check."""
    with open(path, "rb") as file:
        source = file.read()
    text = source.decode("utf-16" if source[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
    return text.startswith("<?xml ") and error.lineno == 1 and error.offset <= text.find("?>")


def by_lxml(command, paths):
    comparison = Comparison()
    for start in range(0, len(paths), 2000):
        found = ours(command, paths[start:start + 2000])
        for path, links in found.items():
            try:
                theirs = walk(path)
            except etree.XMLSyntaxError as error:
                if links is not None and is_of_declaration(path, error):
                    continue
                theirs = None
            mine = None if links is None else [link[:3] for link in links]
            # Lists have no users and passwords of URLs.
            theirs = theirs and [(*names, USER.sub("://***@", value)) for *names, value in theirs]
            comparison.add(path, mine, theirs)
    return comparison


# The links of the elements that browsers know, with what they resolve to.
DOM = """(() => {
    const known = ['http://www.w3.org/1999/xhtml', 'http://www.w3.org/2000/svg', 'http://www.w3.org/1998/Math/MathML'];
    const found = [];
    if (document.querySelector('parsererror')) return null;
    for (const element of document.getElementsByTagName('*')) {
        if (!known.includes(element.namespaceURI)) continue;
        const isHtml = element.namespaceURI === known[0];
        const name = element.localName;
        for (const {namespaceURI, localName, value} of element.attributes) {
            const isXlink = namespaceURI === 'http://www.w3.org/1999/xlink' && localName === 'href' && !isHtml;
            if (!isXlink && (namespaceURI || !['href', 'src'].includes(localName))) continue;
            let url = null;
            try { url = new URL(value, document.baseURI).href } catch {}
            found.push([name, (isXlink ? 'xlink:' : '') + localName, value, url]);
        }
    }
    return found;
})()"""


def by_chromium(command, paths):
    from opened import Browser
    comparison = Comparison()
    # The base of each document is its own URL, as in the browser.
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        for path in paths:
            url = "file://" + quote(path)
            browser.open(url)
            answer = browser.call("Runtime.evaluate", [], expression=DOM, returnByValue=True)["result"]
            options = ["links", "--as", "xml", "--format", "jsonl", "-b", url, "--standard", "whatwg",
                       "--base-scope", "document", "--only", "href,src,xlink:href", path]
            done = subprocess.run([command, *options], capture_output=True, check=False)
            mine = None
            if done.returncode == 0:
                links = [json.loads(line) for line in done.stdout.splitlines()]
                links = [link for link in links if not link.get("enclosing") and link["element"] != "xml-stylesheet"]
                # Below a root of another namespace it counts, and no browser has it.
                links = [link for link in links if link["attribute"] != "xml:base"]
                mine = [(one["element"], one["attribute"], one["reference"], one.get("url")) for one in links]
            theirs = answer.get("value")
            if theirs is not None:
                theirs = [escaped(link) for link in theirs if not is_kept(link)]
                mine = mine and [escaped(link) for link in mine if not is_kept(link)]
            comparison.add(path, mine, theirs)
    return comparison


def escaped(link):
    """A link whose URL is written as browsers write one; absolute references stay as they are."""
    *names, url = link
    url = url and "".join(character for character in url if character not in "\t\n\r").strip(" ")
    return (*names, url and quote(url, safe="!#$%&'()*+,/:;=?@[]~"))


def is_kept(link):
    """Whether it is no link for absolve: a fragment in SVG, or a value that fetches nothing."""
    element, attribute, value, _ = link
    value = value.strip(SPACE)
    fetches = attribute == "href" and element in ("a", "area", "base")
    return (element in INSIDE and value.startswith("#")) or (not value and not fetches)


def change(document):
    """Makes the links of a document absolute as lxml does it: parse, change, write."""
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True)
    tree = etree.fromstring(document, parser).getroottree()
    for element in tree.iter(etree.Element):
        for name in ("href", "src", f"{{{XLINK}}}href"):
            if value := element.get(name):
                element.set(name, urljoin("http://h/d/", value))
    return etree.tostring(tree, encoding=tree.docinfo.encoding, xml_declaration=True)


def speed(paths):
    """Prints the processor time of lxml and the Python package for documents in memory, in turns."""
    import absolve
    rewriter = absolve.Rewriter("http://h/d/", as_="xml")
    documents = []
    for path in paths:
        with open(path, "rb") as file:
            document = file.read()
        try:
            change(document)
            rewriter.rewrite(document)
        except (etree.XMLSyntaxError, absolve.Error, LookupError):
            continue
        documents.append(document)
    seconds = {"absolve": [], "lxml": []}
    for _ in range(5):
        for name, function in (("absolve", rewriter.rewrite), ("lxml", change)):
            start = time.process_time()
            for document in documents:
                function(document)
            seconds[name].append(time.process_time() - start)
    absolve, lxml = (statistics.median(seconds[name]) for name in ("absolve", "lxml"))
    size = sum(map(len, documents)) / 1e6
    print(f"{len(documents)} documents, {size:.1f} MB: absolve {absolve:.2f} s, {size / absolve:.0f} MB/s; "
          f"lxml {lxml:.2f} s; ratio {lxml / absolve:.1f}")


def main():
    command, kind, *rest = sys.argv[1:]
    command = os.path.abspath(command)
    if kind == "speed":
        speed(files(rest, ENDS))
        return
    if kind == "lxml":
        by_lxml(command, files(rest, ENDS)).finish(False)
    with tempfile.TemporaryDirectory() as folder:
        if kind == "generated":
            number, seed = int(rest[0]), int(rest[1]) if len(rest) > 1 else 1
            by_lxml(command, generate(folder, number, seed, [("xml", None)])).finish(number >= 20_000)
        number, folders = int(rest[0]), rest[1:]
        found = files(folders, (".xhtml", ".svg"))
        found = [path for path in found if has_links(path)]
        found = found[:: max(1, len(found) // number)][:number]
        found = found or generate(folder, number, 1, [("xhtml", X), ("svg", S)])
        by_chromium(command, found).finish(False)


if __name__ == "__main__":
    main()
