"""Writes an archive with records of every type, and resources of odd URLs."""

import gzip
import random
import sys

URLS = r"""http://www.example.org/
https://WWW2.Example.Org:443/A/B/../C//./d/?b=2&a=1&a=0#frag
http://example.org:8080/x?
http://example.org:0/
http://example.org:99999/
http://example.org:x/
http://user:pw@example.org/
http://[2001:DB8::1]:81/p
http://[fe80::1%25Eth0]/p
http://[::1/
dns:Example.org
filedesc:foo
urn:pageinfo:http://example.org/Page
HTTP://EXAMPLE.ORG/Path
http://https://http://www.example.org/
http:////www.vikings.example
http:///path/only
example.org/no/scheme
http://3232235777/
http://0177.0.0.1/
http://1.010.0.1/
http://1.2.3.4.5/
http://café.example/é?é=è
http://caf%C3%A9.example/%E9
http://straße.example/
http://例え。テスト/
http://bücher..example/
http://é|.example/
http://exa mple.org/a b
<http://example.org/in/brackets>
http://example.org/?x=1&jsessionid=0123456789ABCDEF0123456789ABCDEF&y=2
http://example.org/?ASPSESSIONIDabcdefgh=abcdefghijklmnopqrstuvwx&z=1
http://example.org/?b=3&cfid=1&cftoken=2&a
http://example.org/(S(abcdefghijklmnopqrstuvwx))/Default.aspx?x
http://example.org/?b&a=&a&=x&&c==2=3
ftp://ftp.example.org:21/X
:
?
%""".split("\n")

PARTS = (
    "http:// https:// www. www2. example . .. / // ? & = # % %25 %2F %2e %41 a B 1 0 255 : :80 :443 "
    ":8080 @ [ ] ; sid=0123456789abcdef0123456789abcdef cfid=1 cftoken=2 "
    "(abcdefghijklmnopqrstuvwx) (S(abcdefghijklmnopqrstuvwx)) .aspx x.aspx - _ ~ + | \\ dns: org"
).split(" ")

HTTP = "Content-Type: application/http\r\n"
PAGE = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<a href=x>"


def urls():
    yield from URLS
    source = random.Random(17)
    for start in ["", "http://", "http://h/", "http://h/%C3%A9é"]:
        for _ in range(500):
            yield start + "".join(source.choices(PARTS, k=source.randint(1, 9)))


def records():
    for url in urls():
        yield "resource", url, "Content-Type: text/plain;x\r\n", "x"
    yield "warcinfo", "", "Content-Type: application/warc-fields\r\n", "software: x\r\n"
    for number, (kind, fields, block) in enumerate([
        ("response", HTTP, PAGE),
        ("response", HTTP + "WARC-Payload-Digest: sha256:00\r\n", PAGE),
        ("response", HTTP, "HTTP/1.1 301 Moved\r\nLocation: /é\r\n\r\n"),
        ("response", HTTP, "HTTP/1.1 404\r\n\r\n<a href=x>"),
        ("response", HTTP, "HTTP/1.1  \r\n\r\nx"),
        ("response", HTTP, "\r\nx"),
        ("response", HTTP, ""),
        ("response", HTTP, "ICY 200 OK\r\nContent-Type: ;\r\n\r\nx"),
        ("response", HTTP, "HTTP/1.1 200 OK\nContent-Type:text/html\n\n<a href=x>"),
        ("request", HTTP, "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\na"),
        ("revisit", HTTP + "WARC-Payload-Digest: sha1:X\r\n", PAGE.split("<")[0]),
        ("revisit", HTTP, PAGE.split("<")[0]),
        ("revisit", "WARC-Payload-Digest: sha1:X\r\n", ""),
        ("resource", "Content-Type: text/html\r\n", "<a href=x>"),
        ("resource", "", "x"),
        ("resource", "Content-Type: application/warc-fields\r\n", "a: b\r\n"),
        ("metadata", "Content-Type: application/json\r\n", "{}"),
        ("metadata", "Content-Type: application/warc-fields\r\n", "a: b\r\n"),
        ("conversion", "Content-Type: text/html\r\n", "<a href=x>"),
    ]):
        yield kind, f"http://h/records/{number}", fields, block
    yield "response", "dns:example.org", "Content-Type: text/dns\r\n", "example.org. 1"


with open(sys.argv[1], "wb") as file:
    for number, (kind, url, fields, block) in enumerate(records()):
        block = block.encode()
        head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x:{number}>\r\n"
        head += f"WARC-Date: 2020-01-02T03:04:{number % 60:02}Z\r\n"
        if url:
            head += f"WARC-Target-URI: {url}\r\n"
        head += f"{fields}Content-Length: {len(block)}\r\n\r\n"
        record = head.encode() + block + b"\r\n\r\n"
        file.write(gzip.compress(record) if sys.argv[1].endswith(".gz") else record)
