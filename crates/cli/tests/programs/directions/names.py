"""A site whose pages have names that file systems or URLs write in other ways; each page leads to all of them.

Without arguments, it serves the site until stdin ends, and prints the port. With FOLDER, which has the pages
of a mirror, it checks that each link leads to the file of its page.
"""

import html
import http.server
import pathlib
import re
import sys
import threading
from urllib.parse import unquote

LINKS = [
    "/wiki/File:X", "/wiki/Talk:A/B:C", "/wiki/caf%C3%A9", "/wiki/\u043a\u043e\u0442",
    "/wiki/%D1%80%D1%83%D1%81", "/list.php?id=1&p=2", "/list.php?id=2:3", "/q?u=http://x.example/y?z",
    "/q?name=%D0%A0", "/CS%2061B.html", "/a%20b/c%20d.html", "/50%25.html", "/a%2541.html", "/what%3F.html",
    "/star*.html", "/pipe%7Cx", "/quote%22q", "/lt%3Cgt%3E", "/semi;x=1", "/plus+and&amp", "/at@2x.html",
    "/%E2%82%AC/index.html", "/d:e/", "/d:e/f:g.html", "/hash%23x.html", "/back%5Cslash", "/x%2Fy:z",
    "/tilde~", "/br[1].html", "/q?a=b#frag", "/ctl%0Aline", "/caf\u00e9 latte", "/q?\u0436=\u0445",
    "/%3Fstart.html", "/q?x=a%26b", "/q?x=%2541",
]


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers every path with a page whose title is the path."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        links = [*LINKS, "?self=1"] if "?self" not in self.path else LINKS
        links = "".join(f'<a href="{html.escape(link)}">x</a>\n' for link in links)
        page = f"<!DOCTYPE html><meta charset=utf-8><title>{html.escape(self.path)}</title>{links}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)


def title(page):
    return html.unescape(re.search("<title>(.*?)</title>", page.read_text("utf-8"))[1])


def check(folder):
    checked = 0
    for page in sorted(folder.rglob("*")):
        if page.is_dir():
            continue
        own = title(page).split("?")[0]
        written = map(html.unescape, re.findall('<a href="(.*?)">', page.read_text("utf-8")))
        for link, new in zip([*LINKS, "?self=1"], written):
            file = page.parent / unquote(re.split("[?#]", new)[0]) if new[:1] not in "?#" else page
            expected = unquote((own + link if link[0] == "?" else link).split("#")[0])
            found = unquote(title(file)) if file.is_file() else None
            assert found == expected, f"{page}: {link} became {new}, which leads to {found}"
            checked += 1
    assert checked > 1000, checked


if len(sys.argv) > 1:
    check(pathlib.Path(sys.argv[1]))
else:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
