#!/usr/bin/env python3
"""Makes the links of every page below a folder absolute with another tool.

usage: rewrite.py lxml|beautifulsoup|turbohtml|turbohtml-tree|hxcopy|absolve IN OUT [ARGUMENT...]

Pages are the *.html below IN, and what the tool makes of them goes below OUT. The
page IN/a/b.html was retrieved from http://host.example/a/b.html. absolve is the
command of that name in PATH, and gets the ARGUMENTs. Prints pages, failures and
MB/s of input: a library in this process, with pages read before and written after; a
command with its start for every page, by the processor time that it took.
"""

import os
import pathlib
import resource
import subprocess
import sys
import time
import urllib.parse

ROOT = "http://host.example/"


def lxml_tool():
    import lxml.html

    def rewrite(source, url, _path):
        document = lxml.html.document_fromstring(source)
        document.make_links_absolute(url, handle_failures="ignore")
        tree = document.getroottree()
        return lxml.html.tostring(tree, encoding=tree.docinfo.encoding or "utf-8")

    return rewrite, time.perf_counter


def beautifulsoup_tool():
    import bs4

    def rewrite(source, url, _path):
        soup = bs4.BeautifulSoup(source, "lxml")
        for name in ("href", "src"):
            for tag in soup.find_all(attrs={name: True}):
                tag[name] = urllib.parse.urljoin(url, tag[name])
        return soup.encode(soup.original_encoding or "utf-8")

    return rewrite, time.perf_counter


def turbohtml_tool():
    """Its stream, and a function that joins each `href` and `src` of a page in UTF-8."""
    from turbohtml.rewrite import rewrite as stream

    def rewrite(source, url, _path):
        def join(name):
            return lambda element: element.set_attribute(
                name, urllib.parse.urljoin(url, element.get(name) or ""))

        elements = [(f"[{name}]", join(name)) for name in ("href", "src")]
        return stream(source.decode(), elements=elements).encode()

    return rewrite, time.perf_counter


def turbohtml_tree_tool():
    """Its tree, with its own table of links, written by to_source."""
    import turbohtml

    def rewrite(source, url, _path):
        tree = turbohtml.parse(source.decode(), source_locations=True)
        tree.resolve_links(url)
        return tree.to_source().encode()

    return rewrite, time.perf_counter


LIBRARIES = {
    "lxml": lxml_tool,
    "beautifulsoup": beautifulsoup_tool,
    "turbohtml": turbohtml_tool,
    "turbohtml-tree": turbohtml_tree_tool,
}


def command(arguments):
    def rewrite(_source, url, path):
        done = subprocess.run(arguments(url, path), capture_output=True)
        if done.returncode != 0:
            raise ValueError(done.stderr.decode(errors="replace").strip())
        return done.stdout

    return rewrite, children_time


def children_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tool(name, extra):
    if name in LIBRARIES:
        return LIBRARIES[name]()
    if name == "hxcopy":
        # It writes links relative to the place that the page is copied to, so that
        # place is one that shares nothing with the page's. -s: also links to itself.
        return command(lambda url, path: [
            "hxcopy", "-s", "-i", url, "-o", "ftp://elsewhere.invalid/", path])
    if name == "absolve":
        return command(lambda url, path: ["absolve", "rewrite", "-q", *extra, "-b", url, path])
    sys.exit(__doc__)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    name, source_folder, output_folder, *extra = sys.argv[1:]
    rewrite, clock = tool(name, extra)
    source_folder, output_folder = pathlib.Path(source_folder), pathlib.Path(output_folder)
    pages = size = failures = 0
    spent = 0.0
    for path in sorted(source_folder.rglob("*.html")):
        if path.is_symlink() or not path.is_file():
            continue
        place = path.relative_to(source_folder)
        source = path.read_bytes()
        url = ROOT + urllib.parse.quote(str(place))
        start = clock()
        try:
            output = rewrite(source, url, path)
        except Exception as error:  # Whatever the tool raises is a failure of that page.
            print(f"{place}: {error}", file=sys.stderr)
            failures += 1
            continue
        finally:
            spent += clock() - start
        pages += 1
        size += len(source)
        target = output_folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(output)
    print(f"{name}: {pages} pages, {failures} failed, {size / 1e6 / max(spent, 1e-9):.1f} MB/s")
    return os.EX_OK if failures == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
