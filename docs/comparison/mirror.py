#!/usr/bin/env python3
"""Serves a site for mirrors: hard cases beside real pages.

    mirror.py FOLDER PAGES PORT

It writes the site to FOLDER, which must not exist, with a copy of some folders of PAGES, the
documentation of Python, and serves it on 127.0.0.1. `list` has a page for each query.
"""

import functools
import html
import http.server
import pathlib
import shutil
import sys

PAGES = {
    "index.html": """<!doctype html><title>Home</title><link rel=stylesheet href="css/a.css">
<a href="docs/">docs</a> <a href=/docs/page.html#x>page</a> <a href="list?id=1&amp;p=2">one</a>
<a href="list?id=2">two</a> <a href="base/b.html">base</a> <a href="12%3A30.html">time</a>
<a href="sp%20ace.html">space</a> <a href="missing.html">missing</a>
<a href="//elsewhere.example/x">out</a> <a href="mailto:a@b.example">mail</a> <A HREF=docs>no slash</A>
<img src="img/a.png" srcset="img/a.png 1x, img/b.png 2x" alt=""><img srcset="img/c,d.png, /img/b.png 2x">
<picture><source srcset="img/e.png 800w,img/b.png 1600w"></picture>
<script>var s = '<a href="docs/">in a script</a>'; document.title = "Home";</script>
<!-- <a href="docs/">in a comment</a> --><textarea><a href="docs/">in a text</a></textarea>
<p style="background: url(img/a.png)">x</p>
<style>@import "css/b.css"; p { background: url('img/b.png') }</style>
<iframe srcdoc="<a href='docs/page.html'>in</a>"></iframe><object data=docs/page.html></object>
<form action="list"><input name=id></form><video poster=img/a.png src=docs/page.html></video>
<a href=py/>python</a>""",
    "docs/index.html": """<title>Docs</title><a href="../">up</a><a href="page.html">p</a>
<a href="?x=1">q</a><a href="#top">t</a><a href="">me</a>""",
    "docs/page.html": """<title>Page</title><a href=/>home</a><a href=./>docs</a>
<a href="../list?id=1&p=2#f">1</a><img src=../img/a.png>""",
    "base/b.html": """<title>Base</title><base href="/docs/"><a href="page.html">p</a>
<a href="#x">x</a><img src="../img/b.png">""",
    "12:30.html": """<title>T</title><a href="./12%3A30.html">me</a><a href="index.html">h</a>""",
    "sp ace.html": """<title>S</title><a href="docs/page.html">p</a>""",
    "css/a.css": """@import "b.css"; body { background: url(../img/a.png) }
p { cursor: url("/img/b.png"), auto }""",
    "css/b.css": """/* url(../img/none.png) */
h1 { background: image-set("../img/a.png" 1x, url(../img/b.png) 2x) }""",
}

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360"
    "000000000500010d0a2db40000000049454e44ae426082"
)


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path != "/list":
            return super().do_GET()
        page = f"""<title>List {html.escape(query)}</title><a href="list?id=2">2</a>
<a href="docs/page.html">p</a><img src=img/a.png>""".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)


def main():
    root, real, port = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    for name, text in PAGES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "img").mkdir()
    for name in ("a", "b", "c,d", "e"):
        (root / "img" / f"{name}.png").write_bytes(PNG)
    for folder in ("c-api", "howto", "_static", "_images", "using", "tutorial"):
        if (real / folder).is_dir():
            shutil.copytree(real / folder, root / "py" / folder, ignore_dangling_symlinks=True)
    for name in ("index.html", "contents.html", "glossary.html", "about.html"):
        shutil.copy(real / name, root / "py" / name)
    handler = functools.partial(Handler, directory=root)
    http.server.ThreadingHTTPServer(("127.0.0.1", port), handler).serve_forever()


if __name__ == "__main__":
    main()
