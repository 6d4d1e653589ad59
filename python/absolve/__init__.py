"""Make every link of an HTML document absolute, and leave every other byte alone.

>>> import absolve
>>> absolve.rewrite("<a href=x>", "http://example.org/a/")
'<a href=http://example.org/a/x>'

- `rewrite`, `links`, `urls` and `resolve` work on one document or reference; a `Rewriter` has
  options for many documents.
- `rewrite_array`, `links_array`, `links_batches` and `urls_array` work on arrays of documents, of
  every library with the Arrow PyCapsule interface.
- `rewrite_tree` and `rewrite_file` rewrite folders and files, in place only when asked to.
- `WarcReader` reads a web archive in batches.
- `extract` writes the files of web archives into a folder that a browser opens.
- `absolve.spark` has the functions for tables and archives on Spark.
- `absolve.scrapy` has a link extractor for Scrapy.
- `audit` checks the links of a built site.
- `Options` are the keyword arguments of documents: the options of the command. `TreeOptions`,
  `FileOptions`, `ArchiveOptions`, `ExtractOptions` and `AuditOptions` are those of the others.
- `Error` is the base of the exceptions.
"""

from collections.abc import Sequence as _Sequence

from ._absolve import (
    Array,
    AuditReport,
    AuditSummary,
    BaseUrlError,
    ChunkedArray,
    Counts,
    EncodingError,
    Error,
    ExtractResult,
    FileFailure,
    Finding,
    Fix,
    InternalError,
    LimitError,
    Link,
    LinkBatches,
    LinkCounts,
    Rewriter,
    RewriteResult,
    SourceLine,
    WarcReader,
    __version__,
    audit,
    extract,
    links,
    links_array,
    links_batches,
    resolve,
    rewrite,
    rewrite_array,
    rewrite_file,
    rewrite_tree,
    urls,
    urls_array,
)
from ._options import (
    ArchiveOptions,
    AuditOptions,
    ExtractOptions,
    FileOptions,
    Options,
    TreeOptions,
)

__all__ = [
    "ArchiveOptions",
    "Array",
    "AuditOptions",
    "AuditReport",
    "AuditSummary",
    "BaseUrlError",
    "ChunkedArray",
    "Counts",
    "EncodingError",
    "Error",
    "ExtractOptions",
    "ExtractResult",
    "FileFailure",
    "FileOptions",
    "Finding",
    "Fix",
    "InternalError",
    "LimitError",
    "Link",
    "LinkBatches",
    "LinkCounts",
    "Options",
    "RewriteResult",
    "Rewriter",
    "SourceLine",
    "TreeOptions",
    "WarcReader",
    "__version__",
    "audit",
    "extract",
    "links",
    "links_array",
    "links_batches",
    "resolve",
    "rewrite",
    "rewrite_array",
    "rewrite_file",
    "rewrite_tree",
    "urls",
    "urls_array",
]

for _name in ("index", "count", "__reversed__"):
    setattr(Link, _name, getattr(_Sequence, _name))
_Sequence.register(Link)
