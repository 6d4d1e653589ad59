#!/usr/bin/env python3
"""Opens pages from the disk in Chromium, and compares what they request with the served originals.

    opened.py OLD NEW [NUMBER]

OLD is a site, NEW what `absolve rewrite --to offline` made of it with the base URL
http://127.0.0.1:8765/, where this program serves OLD. Each of NUMBER pages (200) is opened there and
from the disk. Every file that a page of NEW requests exists; each request of the original that was
answered has one for the same file; a request by http is for what the server does not have. It
prints counts, and a line for each request that is wrong; the exit code is 1 if there is one.
"""

import functools
import http.server
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from urllib.parse import quote, unquote_to_bytes, urlsplit

BASE = "http://127.0.0.1:8765/"
SKIPPED = ("data:", "about:", "chrome", "blob:", "devtools:")


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Browser:
    """Chromium without a window, by the DevTools protocol over a pipe."""

    def __init__(self, profile):
        to_browser, self.requests = os.pipe()
        self.answers, from_browser = os.pipe()
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
                   "--disable-dev-shm-usage", "--no-first-run", "--disable-component-update",
                   f"--user-data-dir={profile}", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        # The program reads from descriptor 3 and writes to 4.
        shell = ["sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh", *command]
        self.process = subprocess.Popen(
            shell, pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.reader = os.fdopen(self.answers, "rb")
        self.numbers, self.buffer, self.session = itertools.count(1), b"", None
        target = self.call("Target.createTarget", url="about:blank", events=[])
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True, events=[])["sessionId"]
        for domain in ("Page", "Network"):
            self.call(f"{domain}.enable", events=[])
        self.call("Network.setCacheDisabled", cacheDisabled=True, events=[])
        self.call("Page.setLifecycleEventsEnabled", enabled=True, events=[])

    def receive(self):
        while b"\0" not in self.buffer:
            self.buffer += os.read(self.answers, 1 << 16)
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, events, **params):
        number = next(self.numbers)
        request = {"id": number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.requests, json.dumps(request).encode() + b"\0")
        while True:
            message = self.receive()
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]
            events.append(message)

    def open(self, url):
        """The requests of a page until its network is idle, each with whether it was answered."""
        events = []
        loader = self.call("Page.navigate", events, url=url)["loaderId"]
        idle = lambda event: event.get("method") == "Page.lifecycleEvent" and event["params"]["name"] == "networkIdle" and event["params"]["loaderId"] == loader
        while not any(map(idle, events)):
            events.append(self.receive())
        asked, answered = {}, {}
        for event in events:
            params = event.get("params", {})
            if event.get("method") == "Network.requestWillBeSent":
                if "redirectResponse" in params:
                    answered[params["requestId"]] = False
                asked[params["requestId"]] = params["request"]["url"]
            elif event.get("method") == "Network.responseReceived":
                answered[params["requestId"]] = params["response"]["status"] in (0, 200)
            elif event.get("method") == "Network.loadingFailed" and not params.get("canceled"):
                answered[params["requestId"]] = False
        return {url: answered.get(number) for number, url in asked.items() if not url.startswith(SKIPPED)}


def path_of(url):
    return unquote_to_bytes(urlsplit(url).path)


def main():
    old, new = map(os.path.abspath, sys.argv[1:3])
    number = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 8765), functools.partial(Handler, directory=old))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pages = sorted(
        os.path.relpath(os.path.join(folder, name), new)
        for folder, _, names in os.walk(new) for name in names if name.endswith(".html"))
    pages = pages[:: max(1, len(pages) // number)][:number]
    counts, wrong = Counter(), 0
    root = os.fsencode(new) + b"/"
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        for page in pages:
            served = browser.open(BASE + quote(page))
            opened = browser.open("file://" + quote(os.path.join(new, page)))
            counts["pages"] += 1
            there = {path_of(url).lstrip(b"/") for url, is_there in served.items() if is_there and url.startswith(BASE)}
            there = {path + b"index.html" if path.endswith(b"/") or not path else path for path in there}
            files = set()
            for url in opened:
                if url.startswith("file:"):
                    counts["files requested"] += 1
                    path = path_of(url)
                    files.add(path.removeprefix(root))
                    if path.startswith(root) and os.path.isfile(path):
                        continue
                else:
                    counts["requests by http"] += 1
                    path = path_of(url).lstrip(b"/")
                    if not url.startswith(BASE) or not os.path.isfile(os.path.join(os.fsencode(old), path)):
                        continue
                wrong += 1
                print(page, "requests", url)
            for path in there - files:
                wrong += 1
                print(page, "does not request", path)
            counts["same as served"] += len(there & files)
        browser.process.terminate()
        browser.process.wait()
    print(", ".join(f"{key}: {count:,}" for key, count in counts.items()), f"; wrong: {wrong:,}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
