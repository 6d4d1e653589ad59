"""Writes a site of hard cases and serves it until stdin ends: FOLDER of the comparisons, FOLDER to write.

It prints the port.
"""

import functools
import http.server
import pathlib
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import mirror

root = pathlib.Path(sys.argv[2])
pages = dict(mirror.PAGES)
# The comparison does not know strings in image-set().
pages["css/b.css"] = pages["css/b.css"].replace('"../img/a.png"', "url(../img/a.png)")
pages["index.html"] += "<a href=more/>more</a>"
for number in range(12):
    pages[f"more/{number}/p{number}.html"] = f"""<title>{number}</title><link rel=stylesheet href=/css/a.css>
<a href="../{(number + 1) % 12}/p{(number + 1) % 12}.html#a">next</a><a href="/more/">all</a><a href=#a>a</a>
<a href="/more/{number}/p{number}.html#b">me</a><a href="?q={number}">q</a><a href="?q=x#a">x</a><a href="../../../up.html">up</a>
<a href="../../docs/./page.html">docs</a><img src="../../img/a.png" srcset="/img/b.png 2x" id=a>
<meta http-equiv=refresh content="900; url=../../docs/"><svg><a xlink:href="/docs/page.html"><path fill="url(#a)"/></a></svg>
<p style="background: url(/img/a.png)">{number}"""
names = sorted(name for name in pages if name.startswith("more/"))
pages["more/index.html"] = "<title>More</title>" + "".join(f'<a href="/{name}">{name}</a>' for name in names)
for name, text in pages.items():
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
(root / "img").mkdir()
for name in ("a", "b", "c,d", "e"):
    (root / "img" / f"{name}.png").write_bytes(mirror.PNG)
handler = functools.partial(mirror.Handler, directory=root)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
