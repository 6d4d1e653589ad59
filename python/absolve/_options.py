"""The keyword arguments that functions share, for type checkers and readers."""

from collections.abc import Iterable
from typing import Literal, TypedDict

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


class Options(TypedDict, total=False):
    """The options of documents: those of the command, with `_` for `-`.

    `None` is the default of each.

    >>> from typing import Unpack
    >>> import absolve
    >>> def browser_links(page: str, url: str, **options: Unpack[absolve.Options]) -> list[str]:
    ...     links = absolve.links(page, url, standard="whatwg", base_scope="document", **options)
    ...     return [link.url for link in links if link.url]
    >>> browser_links("<img data-src=a.png>", "http://h/", lazy=True)
    ['http://h/a.png']
    """

    standard: Literal["rfc1808", "rfc3986", "whatwg"] | None
    """The rules that references are resolved by; `rfc1808` unless given."""

    engine: Literal["splice", "dom"] | None
    """How documents are read and written: `splice`, the default, edits the source, and `dom`
    writes a parser's tree."""

    encoding: str | None
    """The label of the encoding of `bytes` without a byte order mark, found in the document
    unless given. It has no effect on `str`."""

    only: str | Iterable[str] | None
    """The attributes that count as links, such as `["href", "src"]`; all of the table unless
    given. `(text)` is the text of `style` elements."""

    attr: str | Iterable[str] | None
    """More attributes that count, such as `"img:data-zoom=url"`; `*` is any element."""

    meta: bool | None
    """Whether URLs in `meta` elements count: Open Graph, Twitter cards and similar."""

    lazy: bool | None
    """Whether the `data-` attributes count that scripts load images from."""

    conditional_comments: bool | None
    """Whether links in conditional comments count."""

    same_document: Literal["rewrite", "keep"] | None
    """Whether references to the document itself, such as `#id`, become absolute, the default, or
    stay where the base is the document's own URL."""

    base_scope: Literal["head", "document"] | None
    """Where a `base` element counts: in the `head`, the default, or anywhere, as in browsers."""

    base_element: Literal["absolute", "keep", "remove"] | None
    """Whether `base` elements become absolute, the default, stay, or are removed."""

    keep_credentials: bool | None
    """Whether user and password of a base URL are copied into links."""

    learn: Source | Iterable[Source] | None
    """What the base URL is learned from where none is given; everything unless given, and nothing
    with `"none"`."""

    max_input: int | None
    """Bytes of a document; 64 MiB unless given. 0 is no limit, here and below."""

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
