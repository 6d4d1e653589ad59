#!/usr/bin/env python3
"""Compares the URLs of `absolve links` with those of Chromium, on the pages of a folder.

    chromium.py ABSOLVE FOLDER [NUMBER]

This program serves FOLDER. Each of NUMBER pages (all unless given) is opened in a frame where no script
runs. Chromium's URL of each `href` and `src` is the property of the element where it has one, else
`new URL(value, document.baseURI)`; absolve resolves by the URL Standard, and keeps the spelling of what
is absolute already (`http://h`), which `new URL` of Chromium normalizes (`http://h/`). It prints counts,
and a line for each page with a difference; the exit code is 1 if there is one.
"""

import functools
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from urllib.parse import quote

from opened import BASE, Browser, Handler

# Documents of frames are not loaded, nor pictures, styles and scripts: nothing but the page.
LINKS = """
new Promise(resolve => {
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-same-origin';
  frame.onload = () => {
    const found = [], page = frame.contentDocument;
    const visit = root => {
      for (const element of root.querySelectorAll('*')) {
        for (const name of ['href', 'src']) {
          if (!element.hasAttribute(name)) continue;
          let url = element[name];
          if (typeof url !== 'string') {
            try { url = new URL(element.getAttribute(name), page.baseURI).href } catch { url = null }
          }
          found.push([element.localName, name, url]);
        }
        if (element.content instanceof DocumentFragment) visit(element.content);
      }
    };
    visit(page);
    frame.remove();
    resolve(found);
  };
  frame.src = %s;
  document.body.append(frame);
})
"""


NORMALIZED = "%s.map(([element, name, url]) => [element, name, url && URL.canParse(url) ? new URL(url).href : null])"


def evaluated(browser, expression):
    answer = browser.call("Runtime.evaluate", [], expression=expression, awaitPromise=True, returnByValue=True)
    return [tuple(link) for link in answer["result"]["value"]]


def of_chromium(browser, page):
    return evaluated(browser, LINKS % json.dumps("/" + quote(page)))


def of_absolve(browser, program, folder, page):
    command = [program, "links", "-q", "--only", "href,src", "--standard", "whatwg", "--base-scope", "document",
               "--format", "jsonl", "-b", BASE + quote(page), os.path.join(folder, page)]
    lines = subprocess.run(command, capture_output=True, check=True).stdout.splitlines()
    links = map(json.loads, lines)
    links = [(link["element"], link["attribute"], link["url"]) for link in links if not link.get("enclosing")]
    return evaluated(browser, NORMALIZED % json.dumps(links))


def main():
    program, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 8765), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pages = sorted(
        os.path.relpath(os.path.join(place, name), folder)
        for place, _, names in os.walk(folder) for name in names if name.endswith(".html"))
    number = int(sys.argv[3]) if len(sys.argv) > 3 else len(pages)
    pages = pages[:: max(1, len(pages) // number)][:number]
    links = wrong = 0
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        others = ["*.css*", "*.js*", "*.png*", "*.gif*", "*.svg*", "*.jpg*", "*.ico*", "*.webp*"]
        browser.call("Network.setBlockedURLs", [], urls=others)
        browser.open(BASE + quote(pages[0]))
        for page in pages:
            theirs, ours = of_chromium(browser, page), of_absolve(browser, program, folder, page)
            links += len(theirs)
            if theirs != ours:
                missing, more = Counter(theirs) - Counter(ours), Counter(ours) - Counter(theirs)
                wrong += max(missing.total(), more.total(), 1)
                print(page, "Chromium:", [*missing][:3], "absolve:", [*more][:3])
        browser.process.terminate()
        browser.process.wait()
    print(f"{len(pages):,} pages, {links:,} links, {wrong:,} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
