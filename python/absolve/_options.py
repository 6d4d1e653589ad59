"""The keyword arguments that functions share, for type checkers and readers.

`None` is the default of each. As a limit, 0 is none; in defaults, k, M and G are powers of 1,024.
"""

# Generated from the options of the command; GENERATED=overwrite cargo test --test it generated
# writes this file.

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Literal, TypedDict

Path = str | bytes | PathLike[str] | PathLike[bytes]
Learn = Literal[
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
As = Literal["html", "css", "xml", "xhtml", "svg", "feed", "sitemap", "json-feed", "markdown"]
FileAs = Literal[
    "html",
    "css",
    "xml",
    "xhtml",
    "svg",
    "feed",
    "sitemap",
    "markdown",
    "json-feed",
    "message",
    "warc",
]
Accept = Literal["extensionless", "case", "anchor-ranges"]


class Options(TypedDict, total=False):
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

    standard: Literal["rfc1808", "rfc3986", "whatwg"] | None
    """Standard to resolve references by. Default: `rfc1808`."""

    engine: Literal["splice", "dom"] | None
    """How documents are parsed and written. Default: `splice`.

    - `splice`: Edit the bytes of the source; every other byte stays unchanged.
    - `dom`: Parse to a DOM tree, and serialize it.
    """

    encoding: str | None
    """Encoding of documents without a byte order mark. It is a label of the Encoding Standard, or
    a name that Python has for one, such as `latin_1`. A `str` needs none."""

    only: str | Iterable[str] | None
    """Count only these attributes as links, such as href,src. (text) is the text of style
    elements, of style sheets, and of elements of XML such as loc."""

    attr: str | Iterable[str] | None
    """Also count this attribute, such as `img:data-zoom=url`; * is any element."""

    meta: bool | None
    """Also count URLs in meta elements: Open Graph, Twitter cards and similar."""

    lazy: bool | None
    """Also count the data- attributes that scripts load images from."""

    ignore_link: str | Iterable[str] | None
    """Ignore links whose reference or URL matches; * matches anything. It has * for any text, ?
    for a character, [ab], {a,b}, and a backslash before these. Links in an element with the
    attribute `data-absolve-ignore` are ignored too."""

    same_document: Literal["rewrite", "keep"] | None
    """How to handle references to the document itself, such as #id. Default: `rewrite`.

    - `rewrite`: Make them absolute, like other links.
    - `keep`: Leave them unchanged where the base is the document's own URL.
    """

    raw_base: str | None
    """URL that images in Markdown are resolved against. Forges serve pages and raw files at two
    URLs. Default: that of `base_url`."""

    base_scope: Literal["head", "document"] | None
    """Where a base element must be to take effect. Default: `head`.

    - `head`: In the head, as RFC 1808 requires.
    - `document`: Anywhere in the document, as in browsers.
    """

    feed_base: Literal["feed", "item"] | None
    """What the HTML in items of feeds is relative to. Default: `feed`.

    - `feed`: The xml:base around it, else the URL of the feed.
    - `item`: The link of the item, unless an xml:base in the item says otherwise.
    """

    base_element: Literal["absolute", "keep", "remove"] | None
    """How to handle base elements. Default: absolute; remove for `to='relative'` and
    root-relative.

    - `absolute`: Give their href the form of other links.
    - `keep`: Leave them unchanged.
    - `remove`: Remove them, except where one leaves relative links unresolved; one with a target
      attribute loses only its href.
    """

    keep_credentials: bool | None
    """Copy user and password of a base URL into links; `links` then shows them."""

    learn: Learn | Iterable[Learn] | None
    """Sources of recorded URLs that the base URL is learned from if none is given."""

    maps: Mapping[str, str] | str | Iterable[str] | None
    """Move links: URLs beneath OLD are beneath NEW. It takes `{'OLD': 'NEW'}` or `'OLD=NEW'`, or
    several."""

    strict: bool | None
    """Raise `Error` if relative links stay for want of a base URL."""

    to: Literal["absolute", "relative", "root-relative"] | None
    """Form of links. Default: absolute; with moved links, the one that they have.

    - `absolute`: Absolute URLs.
    - `relative`: Relative to the document, where the target is on its host.
    - `root-relative`: The path from the root of the host, for its own links; else absolute.
    """

    as_: As | None
    """Syntax of documents; xhtml, svg, feed and sitemap are other names of xml. Default:
    `html`."""

    max_input: int | None
    """Size of a document, in bytes, at most 4G. Default: 64M."""

    max_output: int | None
    """Size of a document after rewriting. Default: 16 times the input + 1M, at most 256M."""

    max_base_url: int | None
    """Length of a base URL. Default: 8k."""

    max_reference: int | None
    """Length of a relative reference. Default: 64k."""

    max_links: int | None
    """Links in a document. Default: 1000000."""

    max_srcdoc: int | None
    """Depth of nested documents (srcdoc), at most 16. Default: 3."""

    max_depth: int | None
    """Depth of the tree of the DOM engine, and of blocks of Markdown. Default: 512."""

    max_attributes: int | None
    """Attributes of a tag, for the DOM engine. Default: 4k."""


class FileOptions(TypedDict, total=False):
    """The options of `rewrite_file`."""

    raw_base: str | None
    """URL that images in Markdown are resolved against. Forges serve pages and raw files at two
    URLs. It is like `base_url`: for a folder, the folder's. Default: that of `base_url`."""

    learn: Learn | Iterable[Learn] | None
    """Sources of recorded URLs that count before `base_url`, or none. Default: all, after
    `base_url`."""

    layout: Literal["host-path", "host-path=https"] | None
    """How folders are named, if no other source has the base URL.

    - `host-path`: By host and path, as wget does: example.com/dir/page.html, with http:
    - `host-path=https`: The same, by https:
    """

    base_map: Path | None
    """File that lists documents and base URLs, one per line: path, tab, URL; or HTTrack's new.txt,
    or absolve-urls.tsv of `extract`."""

    base_scope: Literal["head", "document"] | None
    """Where a base element must be to take effect. Default: `head`.

    - `head`: In the head, as RFC 1808 requires.
    - `document`: Anywhere in the document, as in browsers.
    """

    feed_base: Literal["feed", "item"] | None
    """What the HTML in items of feeds is relative to. Default: `feed`.

    - `feed`: The xml:base around it, else the URL of the feed.
    - `item`: The link of the item, unless an xml:base in the item says otherwise.
    """

    base_element: Literal["absolute", "keep", "remove"] | None
    """How to handle base elements. Default: absolute; remove for `to='relative'`, offline and
    root-relative.

    - `absolute`: Give their href the form of other links.
    - `keep`: Leave them unchanged.
    - `remove`: Remove them, except where one leaves relative links unresolved; one with a target
      attribute loses only its href.
    """

    keep_credentials: bool | None
    """Copy user and password of a base URL into links; `links` then shows them."""

    as_: FileAs | None
    """Format of the files. It counts whatever their content. In folders, css, xml and markdown
    select the files with these extensions alone, and html and message leave out the XML. Default:
    by file name.

    - `html`: HTML documents.
    - `css`: Style sheets: .css.
    - `xml`: XML: .xml, .xhtml, .xht, .svg, .rss, .rdf, .atom, .opf, .ncx.
    - `xhtml`: The same, for XHTML.
    - `svg`: The same, for SVG.
    - `feed`: The same, for Atom and RSS.
    - `sitemap`: The same, for sitemaps.
    - `markdown`: Markdown: .md, .markdown.
    - `json-feed`: JSON Feed, in .json.
    - `message`: Messages and MHTML: .mhtml, .mht, .eml.
    - `warc`: Web archives: .warc, .warc.gz, .warc.zst.
    """

    follow_symlinks: bool | None
    """Follow symbolic links whose targets are in the folder."""

    root_dir: Path | None
    """Folder that `base_url` is the URL of. The URLs of files follow from their paths in it."""

    to: Literal["absolute", "relative", "offline", "root-relative"] | None
    """Form of links. With `maps`, and in other forms than absolute, style sheets of folders are
    documents too. Default: absolute; with `maps`, the one that they have.

    - `absolute`: Absolute URLs.
    - `relative`: Relative to the document, where the target is in the folder; else absolute.
    - `offline`: The same for a browser without a server: links to folders name files.
    - `root-relative`: The path from the root of the host, for its own links; else absolute.
    """

    server: Literal["plain", "github-pages", "netlify", "file"] | None
    """Server whose rules find the files of links. It is for `to='relative'` and `to='offline'`.
    Default: plain."""

    maps: Mapping[str, str] | str | Iterable[str] | None
    """Move links: URLs beneath OLD are beneath NEW. The longest OLD counts, once for each link. It
    takes `{'OLD': 'NEW'}` or `'OLD=NEW'`, or several."""

    map_file: Path | None
    """File that lists moves as `maps` has them, one per line: OLD, tab, NEW."""

    dry_run: bool | None
    """Do everything except writing."""

    backup: bool | str | None
    """Keep each old file, with this suffix added to its name; `True` is `.orig`."""

    break_hardlinks: bool | None
    """Also rewrite files with other hard links, whose contents stay old."""

    strict: bool | None
    """Raise `Error`, after files are written, if relative links stay for want of a base URL."""

    sync: Literal["auto", "always", "never"] | None
    """When to flush files to the disk before they are renamed into place. Default: `auto`.

    - `auto`: With `in_place=True`, and into a folder that is not empty.
    - `never`: Faster, but a crash of the machine can leave empty files.
    """

    standard: Literal["rfc1808", "rfc3986", "whatwg"] | None
    """Standard to resolve references by. Default: `rfc1808`."""

    engine: Literal["splice", "dom"] | None
    """How documents are parsed and written. Default: `splice`.

    - `splice`: Edit the bytes of the source; every other byte stays unchanged.
    - `dom`: Parse to a DOM tree, and serialize it.
    """

    encoding: str | None
    """Encoding of documents without a byte order mark. It is a label of the Encoding Standard, or
    a name that Python has for one, such as `latin_1`. A `str` needs none."""

    only: str | Iterable[str] | None
    """Count only these attributes as links, such as href,src. (text) is the text of style
    elements, of style sheets, and of elements of XML such as loc."""

    attr: str | Iterable[str] | None
    """Also count this attribute, such as `img:data-zoom=url`; * is any element."""

    meta: bool | None
    """Also count URLs in meta elements: Open Graph, Twitter cards and similar."""

    lazy: bool | None
    """Also count the data- attributes that scripts load images from."""

    ignore_link: str | Iterable[str] | None
    """Ignore links whose reference or URL matches; * matches anything. It has * for any text, ?
    for a character, [ab], {a,b}, and a backslash before these. Links in an element with the
    attribute `data-absolve-ignore` are ignored too."""

    same_document: Literal["rewrite", "keep"] | None
    """How to handle references to the document itself, such as #id. Default: `rewrite`.

    - `rewrite`: Make them absolute, like other links.
    - `keep`: Leave them unchanged where the base is the document's own URL.
    """

    max_input: int | None
    """Size of a document, in bytes, at most 4G. Default: 64M."""

    max_output: int | None
    """Size of a document after rewriting. Default: 16 times the input + 1M, at most 256M."""

    max_base_url: int | None
    """Length of a base URL. Default: 8k."""

    max_reference: int | None
    """Length of a relative reference. Default: 64k."""

    max_links: int | None
    """Links in a document. Default: 1000000."""

    max_srcdoc: int | None
    """Depth of nested documents (srcdoc), at most 16. Default: 3."""

    max_depth: int | None
    """Depth of the tree of the DOM engine, and of blocks of Markdown. Default: 512."""

    max_attributes: int | None
    """Attributes of a tag, for the DOM engine. Default: 4k."""

    max_parts: int | None
    """Parts of a message. Default: 10000."""

    max_part_depth: int | None
    """Nesting depth of parts of a message. Default: 100."""

    max_header: int | None
    """Header of a part of a message. Default: 1M."""


class TreeOptions(FileOptions, total=False):
    """The options of `rewrite_tree`."""

    include: str | Iterable[str] | None
    """Process these files; a pattern without / matches file names. Default: *.html, *.htm,
    *.shtml, *.mhtml, *.mht, *.eml, *.xhtml, *.xht, *.svg, *.xml, *.rss, *.rdf, *.atom, *.opf and
    *.ncx."""

    exclude: str | Iterable[str] | None
    """Skip these files; the last matching pattern wins."""

    allow_empty: bool | None
    """Do not fail if there is no document."""

    jobs: int | None
    """Number of threads, at most 256; 0 means one per core. Default: `0`."""

    copy_assets: bool | None
    """Also copy files that are not documents."""

    force: bool | None
    """Replace the output file, or write into a folder that is not empty."""


class ArchiveOptions(TypedDict, total=False):
    """The options of `WarcReader`."""

    learn: Learn | Iterable[Learn] | None
    """Sources of recorded URLs that count before `base_url`, or none. Default: all, after
    `base_url`."""

    base_scope: Literal["head", "document"] | None
    """Where a base element must be to take effect. Default: `head`.

    - `head`: In the head, as RFC 1808 requires.
    - `document`: Anywhere in the document, as in browsers.
    """

    feed_base: Literal["feed", "item"] | None
    """What the HTML in items of feeds is relative to. Default: `feed`.

    - `feed`: The xml:base around it, else the URL of the feed.
    - `item`: The link of the item, unless an xml:base in the item says otherwise.
    """

    base_element: Literal["absolute", "keep", "remove"] | None
    """How `rewrite` would handle base elements. Default: absolute.

    - `absolute`: Give their href the form of other links.
    - `keep`: Leave them unchanged.
    - `remove`: Remove them, except where one leaves relative links unresolved; one with a target
      attribute loses only its href.
    """

    keep_credentials: bool | None
    """Show user and password of a base URL in links."""

    status: str | Iterable[str] | None
    """Read only responses with this status, such as 200 or 200-299. Default: all."""

    mime: str | Iterable[str] | None
    """Read only documents of this media type, such as text/html or text/*."""

    url: str | Iterable[str] | None
    """Read only records whose URL matches; * is any text."""

    standard: Literal["rfc1808", "rfc3986", "whatwg"] | None
    """Standard to resolve references by. Default: `rfc1808`."""

    engine: Literal["splice", "dom"] | None
    """How documents are parsed and written. Default: `splice`.

    - `splice`: Edit the bytes of the source; every other byte stays unchanged.
    - `dom`: Parse to a DOM tree, and serialize it.
    """

    encoding: str | None
    """Encoding of documents without a byte order mark. It is a label of the Encoding Standard, or
    a name that Python has for one, such as `latin_1`. A `str` needs none."""

    only: str | Iterable[str] | None
    """Count only these attributes as links, such as href,src. (text) is the text of style
    elements, of style sheets, and of elements of XML such as loc."""

    attr: str | Iterable[str] | None
    """Also count this attribute, such as `img:data-zoom=url`; * is any element."""

    meta: bool | None
    """Also count URLs in meta elements: Open Graph, Twitter cards and similar."""

    lazy: bool | None
    """Also count the data- attributes that scripts load images from."""

    ignore_link: str | Iterable[str] | None
    """Ignore links whose reference or URL matches; * matches anything. It has * for any text, ?
    for a character, [ab], {a,b}, and a backslash before these. Links in an element with the
    attribute `data-absolve-ignore` are ignored too."""

    same_document: Literal["rewrite", "keep"] | None
    """How to handle references to the document itself, such as #id. Default: `rewrite`.

    - `rewrite`: Make them absolute, like other links.
    - `keep`: Leave them unchanged where the base is the document's own URL.
    """

    max_input: int | None
    """Size of a document, in bytes, at most 4G. Default: 64M."""

    max_base_url: int | None
    """Length of a base URL. Default: 8k."""

    max_reference: int | None
    """Length of a relative reference. Default: 64k."""

    max_links: int | None
    """Links in a document. Default: 1000000."""

    max_srcdoc: int | None
    """Depth of nested documents (srcdoc), at most 16. Default: 3."""

    max_depth: int | None
    """Depth of the tree of the DOM engine, and of blocks of Markdown. Default: 512."""

    max_attributes: int | None
    """Attributes of a tag, for the DOM engine. Default: 4k."""

    max_parts: int | None
    """Parts of a message. Default: 10000."""

    max_part_depth: int | None
    """Nesting depth of parts of a message. Default: 100."""

    max_header: int | None
    """Header of a part of a message. Default: 1M."""

    max_record_header: int | None
    """Header of a record of a web archive. Default: 64k."""

    max_record: int | None
    """Size of a record of a web archive; larger ones are skipped. Default: 16M."""

    max_ratio: int | None
    """Ratio of decompressed to compressed size in a web archive. Default: 200."""


class ExtractOptions(TypedDict, total=False):
    """The options of `extract`."""

    to: Literal["relative"] | None
    """Make the links of pages, style sheets and XML lead to the extracted files.

    - `relative`: Relative to the page, for a browser that opens the folder from the disk.
    """

    missing: Literal["absolute", "keep", "error"] | None
    """With `to`: what links become whose URL the crawl does not have. Default: `absolute`.

    - `absolute`: Their absolute URLs.
    - `keep`: What is written.
    - `error`: An error, and nothing is written.
    """

    at: str | None
    """Take the last response of each URL up to this date, such as 2026-01-31."""

    standard: Literal["rfc1808", "rfc3986", "whatwg"] | None
    """Standard to resolve references by. Default: `rfc1808`."""

    jobs: int | None
    """Number of threads, at most 256; 0 means one per core. Default: `0`."""

    status: str | Iterable[str] | None
    """Extract only responses with this status, such as 404, or all. Default: 200."""

    mime: str | Iterable[str] | None
    """Read only documents of this media type, such as text/html or text/*."""

    url: str | Iterable[str] | None
    """Read only records whose URL matches; * is any text."""

    max_input: int | None
    """Size of a document, in bytes, at most 4G. Default: 64M."""

    max_output: int | None
    """Size of a document after rewriting. Default: 16 times the input + 1M, at most 256M."""

    max_base_url: int | None
    """Length of a base URL. Default: 8k."""

    max_reference: int | None
    """Length of a relative reference. Default: 64k."""

    max_links: int | None
    """Links in a document. Default: 1000000."""

    max_srcdoc: int | None
    """Depth of nested documents (srcdoc), at most 16. Default: 3."""

    max_parts: int | None
    """Parts of a message. Default: 10000."""

    max_part_depth: int | None
    """Nesting depth of parts of a message. Default: 100."""

    max_header: int | None
    """Header of a part of a message. Default: 1M."""

    max_record_header: int | None
    """Header of a record of a web archive. Default: 64k."""

    max_record: int | None
    """Size of a record of a web archive; larger ones are skipped. Default: 16M."""

    max_ratio: int | None
    """Ratio of decompressed to compressed size in a web archive. Default: 200."""


class AuditOptions(TypedDict, total=False):
    """The options of `audit`."""

    alias: str | Iterable[str] | None
    """Another name of the host of `base_url`, such as www.example.org."""

    root_dir: Path | None
    """Folder that is served, if `path` is only a part of it. Default: `path`."""

    server: Literal["plain", "github-pages", "netlify", "file"] | None
    """Server whose lookup rules apply. Default: `plain`."""

    index: str | Iterable[str] | None
    """Names of index pages, instead of the server's."""

    accept: Accept | Iterable[Accept] | None
    """Accept links that only some servers or scripts answer.

    - `extensionless`: `page` where there is page.html.
    - `case`: File names in other letter case, which are still reported as case-mismatch.
    - `anchor-ranges`: #L1-L3 where there are #L1 and #L3.
    """

    redirects: Path | None
    """Redirects file. Default: the server's, if the root has it."""

    rule: Mapping[str, str] | str | Iterable[str] | None
    """Set the level of a rule to off, note, warn or error. `all` is every rule; `base`, `rfc` and
    `seo` are groups. The last setting of a rule counts. It takes `{'broken-link': 'warn'}` or
    `'broken-link=warn'`, or several."""

    sitemap: Path | None
    """Check the URLs of this sitemap, and of those in robots.txt. Default: sitemap.xml in the
    root."""

    external_status: Path | None
    """Report external URLs by the answers of a link checker in this file. It is the JSON of lychee
    or linkinator, or lines of a URL, a tab and a status."""

    ignore_link: str | Iterable[str] | None
    """Ignore links whose reference or URL matches; * matches anything. It has * for any text, ?
    for a character, [ab], {a,b}, and a backslash before these. Links in an element with the
    attribute `data-absolve-ignore` are ignored too."""

    forbid_host: str | Iterable[str] | None
    """Report links to this host and its subdomains."""

    fail_on: Literal["error", "warn", "note", "never"] | None
    """Lowest level that `AuditReport.fails` is about. Default: `error`."""

    baseline: Path | None
    """Do not report the findings that this file lists. `AuditReport.write_baseline` writes it."""

    report_only: Path | Iterable[Path] | None
    """Report only findings in these files. Names are paths from the current folder, of files of
    the site, checked against all of it, or of `sources`. Other names are skipped with a note."""

    sources: Path | None
    """Folder of the Markdown files that the site is built from. Findings name file and line
    there."""

    include: str | Iterable[str] | None
    """Process these files; a pattern without / matches file names. Default: *.html, *.htm,
    *.shtml, *.mhtml, *.mht, *.eml, *.xhtml, *.xht, *.svg, *.xml, *.rss, *.rdf, *.atom, *.opf and
    *.ncx."""

    exclude: str | Iterable[str] | None
    """Skip these files; the last matching pattern wins."""

    allow_empty: bool | None
    """Do not fail if there is no page."""

    follow_symlinks: bool | None
    """Also audit pages that symbolic links point to. They are link targets either way."""

    jobs: int | None
    """Number of threads, at most 256; 0 means one per core. Default: `0`."""

    standard: Literal["rfc1808", "rfc3986", "whatwg"] | None
    """Standard to resolve references by. Default: `whatwg`."""

    encoding: str | None
    """Encoding of documents without a byte order mark. It is a label of the Encoding Standard, or
    a name that Python has for one, such as `latin_1`. A `str` needs none."""

    only: str | Iterable[str] | None
    """Count only these attributes as links, such as href,src. (text) is the text of style
    elements, of style sheets, and of elements of XML such as loc."""

    attr: str | Iterable[str] | None
    """Also count this attribute, such as `img:data-zoom=url`; * is any element."""

    meta: bool | None
    """Also count URLs in meta elements: Open Graph, Twitter cards and similar."""

    lazy: bool | None
    """Also count the data- attributes that scripts load images from."""

    base_scope: Literal["head", "document"] | None
    """Where a base element must be to take effect. Default: `document`.

    - `head`: In the head, as RFC 1808 requires.
    - `document`: Anywhere in the document, as in browsers.
    """

    learn: Literal["saved-from", "none"] | None
    """Whether to ignore the <base href="."> that a browser added when it saved the page. Default:
    `saved-from`.

    - `saved-from`: Ignore it.
    - `none`: Treat it like any other base element.
    """

    max_input: int | None
    """Size of a document, in bytes, at most 4G. Default: 64M."""

    max_base_url: int | None
    """Length of a base URL. Default: 8k."""

    max_reference: int | None
    """Length of a relative reference. Default: 64k."""

    max_links: int | None
    """Links in a document. Default: 1000000."""

    max_srcdoc: int | None
    """Depth of nested documents (srcdoc), at most 16. Default: 3."""

    max_findings: int | None
    """Findings per page. Default: 10000."""

    max_findings_size: int | None
    """Memory for all findings; the report counts the rest by rule. Default: 80M."""
