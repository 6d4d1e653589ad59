"""The keyword arguments that functions share, for type checkers and readers."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Literal, TypedDict

Path = str | bytes | PathLike[str] | PathLike[bytes]

Accepted = Literal["extensionless", "case", "anchor-ranges"]

Source = Literal[
    "saved-from",
    "singlefile",
    "httrack",
    "monolith",
    "webscrapbook",
    "original",
    "xattr",
    "zone-identifier",
    "none",
]


class LimitOptions(TypedDict, total=False):
    """Limits on documents."""

    max_input: int | None
    """Bytes of a document; 64 MiB unless given. 0 is no limit, here and below.
    `WarcReader.read_pages` lists documents as they are, and has the limits on records alone."""

    max_output: int | None
    """Bytes of a document after rewriting; 16 times the input and 1 MiB more, at most 256 MiB,
    unless given."""

    max_base_url: int | None
    """Bytes of a base URL; 8 KiB unless given."""

    max_reference: int | None
    """Bytes of a relative reference; 64 KiB unless given."""

    max_links: int | None
    """Links in a document; 1,000,000 unless given."""

    max_srcdoc: int | None
    """Documents inside documents; 3 unless given, and 16 at most."""

    max_depth: int | None
    """Depth of the tree of the engine `dom`; 512 unless given."""

    max_attributes: int | None
    """Attributes of a tag, for the engine `dom`; 4,096 unless given."""


class ReadingOptions(LimitOptions, total=False):
    """The options of `Options` that are about reading and resolving documents."""

    standard: Literal["rfc1808", "rfc3986", "whatwg"] | None
    """The rules that references are resolved by; `rfc1808` unless given."""

    engine: Literal["splice", "dom"] | None
    """How documents are read and written: `splice`, the default, edits the source, and `dom`
    writes a parser's tree."""

    encoding: str | None
    """The encoding of `bytes` without a byte order mark, found in the document unless given: a
    label of the Encoding Standard, or a name that Python has for one, such as `latin_1`. It has
    no effect on `str`."""

    only: str | Iterable[str] | None
    """The attributes that count as links, such as `["href", "src"]`; all of the table unless
    given. `(text)` is the text of `style` elements."""

    attr: str | Iterable[str] | None
    """More attributes that count, such as `"img:data-zoom=url"`; `*` is any element."""

    meta: bool | None
    """Whether URLs in `meta` elements count: Open Graph, Twitter cards and similar."""

    lazy: bool | None
    """Whether the `data-` attributes count that scripts load images from."""

    same_document: Literal["rewrite", "keep"] | None
    """Whether references to the document itself, such as `#id`, become absolute, the default, or
    stay where the base is the document's own URL."""

    base_scope: Literal["head", "document"] | None
    """Where a `base` element counts: in the `head`, the default, or anywhere, as in browsers."""

    feed_base: Literal["feed", "item"] | None
    """Whether the HTML in items of feeds is relative to the `feed`, the default, or to the link of
    its `item`."""

    base_element: Literal["absolute", "keep", "remove"] | None
    """Whether `base` elements become absolute, the default, stay, or are removed."""

    keep_credentials: bool | None
    """Whether user and password of a base URL are copied into links."""

    learn: Source | Iterable[Source] | None
    """What the base URL is learned from where none is given; everything unless given, and nothing
    with `"none"`. In files and folders, what is named here counts before a base URL."""


class DirectionOptions(ReadingOptions, total=False):
    """The options of reading, and the place of links."""

    maps: Mapping[str, str] | str | Iterable[str] | None
    """URLs that move: what is beneath a key is beneath its value. Also `"OLD=NEW"`, or several. It
    has no effect on what is listed."""


class Options(DirectionOptions, total=False):
    """The options of documents: those of the command, with `_` for `-`.

    `None` is the default of each. The file `absolve/_options.py` describes them, and those of other
    functions.

    >>> from typing import Unpack
    >>> import absolve
    >>> def browser_links(page: str, url: str, **options: Unpack[absolve.Options]) -> list[str]:
    ...     links = absolve.links(page, url, standard="whatwg", base_scope="document", **options)
    ...     return [link.url for link in links if link.url]
    >>> browser_links("<img data-src=a.png>", "http://h/", lazy=True)
    ['http://h/a.png']
    """

    to: Literal["absolute", "relative", "root-relative"] | None
    """The form of links: `absolute`, the default, `relative` to the document, or the path from the
    root of the host; with `maps` alone, the one that they have. It has no effect on what is
    listed."""

    raw_base: str | None
    """The URL that images in Markdown are resolved against, where a forge serves raw files; the
    base URL unless given."""

    as_: (
        Literal["html", "css", "xml", "xhtml", "svg", "feed", "sitemap", "json-feed", "markdown"]
        | None
    )
    """The syntax of documents: `html` unless given; `xhtml`, `svg`, `feed` and `sitemap` are other
    names for `xml`."""


class ContainerOptions(TypedDict, total=False):
    """Limits on messages and web archives."""

    max_parts: int | None
    """Parts of a message; 10,000 unless given. 0 is no limit, here and below."""

    max_part_depth: int | None
    """Nesting depth of parts of a message; 100 unless given."""

    max_header: int | None
    """Bytes of the header of a part of a message; 1 MiB unless given."""

    max_record_header: int | None
    """Bytes of the header of a record of a web archive; 64 KiB unless given."""

    max_record: int | None
    """Bytes of a record of a web archive; 16 MiB unless given. Larger ones are copied, and are rows
    with an `error` for `WarcReader`."""

    max_ratio: int | None
    """Ratio of decompressed to compressed size in a web archive; 200 unless given."""


class FileOptions(DirectionOptions, ContainerOptions, total=False):
    """The options of `rewrite_file`, besides those of documents and archives."""

    to: Literal["absolute", "relative", "offline", "root-relative"] | None
    """The form of links: `absolute`, the default, `relative` to the document, the same for a
    browser without a server (`offline`), or the path from the root of the host; with `maps` alone,
    the one that they have."""

    raw_base: str | None
    """The URL that images in Markdown are resolved against, where a forge serves raw files; the
    base URL unless given. For a folder, it is the folder's."""

    layout: Literal["host-path", "host-path=https"] | None
    """How folders are named, to learn base URLs from: `host-path` is by host and path, as wget
    does."""

    base_map: Path | None
    """A file that lists documents and base URLs, one a line: path, tab, URL."""

    root_dir: Path | None
    """The folder that `base_url` is the URL of; the URL of a file follows from its path in it."""

    as_: (
        Literal[
            "html",
            "css",
            "xml",
            "xhtml",
            "svg",
            "feed",
            "sitemap",
            "json-feed",
            "markdown",
            "message",
            "warc",
        ]
        | None
    )
    """The format of the files; by file name unless given."""

    server: Literal["plain", "github-pages", "netlify", "file"] | None
    """The server whose lookup rules decide which links lead to files; `plain` unless given."""

    map_file: Path | None
    """A file of URLs that move, one a line: old URL, tab, new URL."""

    follow_symlinks: bool | None
    """Whether symbolic links are followed whose targets are in the folder."""

    backup: bool | str | None
    """The suffix of the name under which each old file is kept; `True` is `.orig`."""

    break_hardlinks: bool | None
    """Whether files with other hard links are rewritten, whose contents stay old."""

    sync: Literal["auto", "always", "never"] | None
    """When files are flushed to the disk before they are renamed: `auto`, the default, is in place
    and into a folder that is not empty."""

    dry_run: bool | None
    """Whether everything is done except writing."""


class TreeOptions(FileOptions, total=False):
    """The options of `rewrite_tree`, besides those of documents and files."""

    include: str | Iterable[str] | None
    """Patterns of the files that are documents; a pattern without `/` matches file names."""

    exclude: str | Iterable[str] | None
    """Patterns of files to skip; of all patterns that match, the last one counts."""

    allow_empty: bool | None
    """Whether a folder without documents is no error."""

    jobs: int | None
    """The number of threads, at most 256; 0, the default, is one a core."""

    copy_assets: bool | None
    """Whether files that are not documents are copied too."""

    force: bool | None
    """Whether the destination may be a folder that is not empty."""


class ArchiveOptions(ReadingOptions, ContainerOptions, total=False):
    """The options of `WarcReader`, besides those of documents."""

    status: str | Iterable[str] | None
    """Statuses of the responses to read, such as `"200"` or `"200-299"`; all by default."""

    mime: str | Iterable[str] | None
    """Media types of the documents to read, such as `"text/html"`; all by default."""

    url: str | Iterable[str] | None
    """Patterns of the URLs of the records to read; `*` is any text."""


class WarcOptions(ArchiveOptions, total=False):
    """The options of `rewrite_warc`, besides those of documents."""

    jobs: int | None
    """The number of threads, at most 256; 0, the default, is one a core."""

    record_type: Literal["conversion", "response"] | None
    """How rewritten documents are written: as new records of type `conversion`, the default, or in
    their old records."""

    maps: Mapping[str, str] | str | Iterable[str] | None
    """URLs that move: what is beneath a key is beneath its value. Also `"OLD=NEW"`, or several."""

    map_file: Path | None
    """A file of URLs that move, one a line: old URL, tab, new URL."""

    cdxj: Path | None
    """The file for an index of the new archive, in the form CDXJ; `rewrite_warc` alone takes it."""

    dry_run: bool | None
    """Whether everything is done except writing."""


class ExtractOptions(LimitOptions, ContainerOptions, total=False):
    """The options of `extract`."""

    to: Literal["relative"] | None
    """`relative` makes links lead to the files; else files have the bytes of their records."""

    missing: Literal["absolute", "keep", "error"] | None
    """What becomes of links to what the crawl does not have; `absolute` unless given."""

    at: str | None
    """The date up to which the last response of each URL is taken, such as `"2026-01-31"`."""

    standard: Literal["rfc1808", "rfc3986", "whatwg"] | None
    """The rules that references are resolved by; `rfc1808` unless given."""

    jobs: int | None
    """The number of threads, at most 256; 0, the default, is one a core."""

    status: str | Iterable[str] | None
    """Statuses of the responses to take, such as `"200-299"`; 200 unless given."""

    mime: str | Iterable[str] | None
    """Media types of the responses to take, such as `"text/*"`; all unless given."""

    url: str | Iterable[str] | None
    """Patterns of the URLs to take; `*` is any text."""


class EpubOptions(ReadingOptions, total=False):
    """The options of `rewrite_epub`, besides those of documents."""

    maps: Mapping[str, str] | str | Iterable[str] | None
    """URLs that move: what is beneath a key is beneath its value. Also `"OLD=NEW"`, or several."""

    map_file: Path | None
    """A file of URLs that move, one a line: old URL, tab, new URL."""

    dry_run: bool | None
    """Whether everything is done except writing."""


class AuditOptions(ContainerOptions, total=False):
    """The options of `audit`: those of the command, with `_` for `-`.

    `None` is the default of each.
    """

    alias: str | Iterable[str] | None
    """Other names of the host of `base_url`, such as `www.example.org`."""

    root_dir: Path | None
    """The folder that is served, if the path is only a part of it."""

    server: Literal["plain", "github-pages", "netlify", "file"] | None
    """The server whose lookup rules apply."""

    index: str | Iterable[str] | None
    """Names of index pages, instead of the server's."""

    accept: Accepted | Iterable[Accepted] | None
    """Links that count as good: `extensionless`, `page` where there is `page.html`; `case`, names
    in other letter case, which are still reported; `anchor-ranges`, `#L1-L3` where there are `#L1`
    and `#L3`."""

    redirects: Path | None
    """The redirects file; the server's, if the root has it, unless given."""

    rule: str | Iterable[str] | Mapping[str, str] | None
    """Levels of rules: `{"broken-link": "warn"}` or `"broken-link=warn"`; `all` is every rule,
    `base`, `books`, `rfc` and `seo` are groups. Levels are `off`, `note`, `warn` and `error`."""

    sitemap: Path | None
    """The sitemap to check; `sitemap.xml` in the root unless given."""

    max_findings: int | None
    """Findings of a page; 0 is no limit."""

    max_findings_size: int | None
    """Bytes of all findings; the rest is counted by rule."""

    external_status: Path | None
    """A file of the answers that a link checker got for URLs outside the site: JSON of lychee or
    linkinator, or lines of URL, tab and status."""

    ignore_link: str | Iterable[str] | None
    """Links to ignore, by reference or URL; `*` matches anything."""

    forbid_host: str | Iterable[str] | None
    """Hosts that links must not lead to, with their subdomains."""

    fail_on: Literal["error", "warn", "note", "never"] | None
    """The lowest level that `AuditReport.fails` is about; `error` unless given."""

    baseline: Path | None
    """A file of findings that are not reported, as `AuditReport.write_baseline` writes it."""

    report_only: Path | Iterable[Path] | None
    """The files whose findings are reported, checked against the whole site."""

    sources: Path | None
    """The folder of the Markdown files that the site is built from."""

    include: str | Iterable[str] | None
    """Patterns of the files that are pages; a pattern without `/` matches file names."""

    exclude: str | Iterable[str] | None
    """Patterns of files to skip; of all patterns that match, the last one counts."""

    allow_empty: bool | None
    """Whether a site without pages is no error."""

    status: str | Iterable[str] | None
    """Statuses of the responses to audit, such as `"200"` or `"200-299"`; all by default."""

    mime: str | Iterable[str] | None
    """Media types of the documents to audit, such as `"text/html"`; all by default."""

    url: str | Iterable[str] | None
    """Patterns of the URLs of the records to audit; `*` is any text."""

    follow_symlinks: bool | None
    """Whether pages that symbolic links point to are checked too."""

    jobs: int | None
    """The number of threads, at most 256; 0, the default, is one a core."""

    standard: Literal["rfc1808", "rfc3986", "whatwg"] | None
    """The rules that references are resolved by; `whatwg` unless given, as in browsers."""

    encoding: str | None
    """The encoding of documents without a byte order mark."""

    only: str | Iterable[str] | None
    """The attributes that count as links; all of the table unless given."""

    attr: str | Iterable[str] | None
    """More attributes that count, such as `"img:data-zoom=url"`."""

    meta: bool | None
    """Whether URLs in `meta` elements count."""

    lazy: bool | None
    """Whether the `data-` attributes count that scripts load images from."""

    base_scope: Literal["head", "document"] | None
    """Where a `base` element counts: anywhere, the default, or in the `head`."""

    learn: Literal["saved-from", "none"] | None
    """Whether the `<base href=".">` of a page that a browser saved is ignored; it is unless
    `none`."""

    max_input: int | None
    """Bytes of a document. 0 is no limit, here and below."""

    max_base_url: int | None
    """Bytes of a base URL."""

    max_reference: int | None
    """Bytes of a relative reference."""

    max_links: int | None
    """Links in a document."""

    max_srcdoc: int | None
    """Documents inside documents."""
