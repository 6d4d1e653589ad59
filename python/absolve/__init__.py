"""Make every link of an HTML document absolute, and leave every other byte alone.

>>> import absolve
>>> absolve.rewrite("<a href=x>", "http://example.org/a/")
'<a href=http://example.org/a/x>'

- `rewrite`, `links` and `resolve` work on one document or reference; a `Rewriter` has options for
  many documents.
- `rewrite_array`, `links_array` and `links_batches` work on arrays of documents, of every library
  with the Arrow PyCapsule interface.
- `rewrite_tree`, `rewrite_file` and `rewrite_warc` rewrite folders, files and web archives, in
  place only when asked to.
- `WarcReader` reads a web archive in batches, and `rewrite_warc_stream` rewrites a stream.
- `absolve.spark` has the functions for tables and archives on Spark.
- `audit` checks the links of a built site.
- `Options` are the keyword arguments of documents: the options of the command. `TreeOptions`,
  `FileOptions`, `WarcOptions`, `ArchiveOptions` and `AuditOptions` are those of the others.
- `Error` is the base of the exceptions.
"""

from ._absolve import (
    Array,
    AuditReport,
    AuditSummary,
    BaseUrlError,
    ChunkedArray,
    Counts,
    EncodingError,
    Error,
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
    links,
    links_array,
    links_batches,
    resolve,
    rewrite,
    rewrite_array,
    rewrite_file,
    rewrite_tree,
    rewrite_warc,
    rewrite_warc_stream,
)
from ._options import ArchiveOptions, AuditOptions, FileOptions, Options, TreeOptions, WarcOptions

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
    "WarcOptions",
    "WarcReader",
    "__version__",
    "audit",
    "links",
    "links_array",
    "links_batches",
    "resolve",
    "rewrite",
    "rewrite_array",
    "rewrite_file",
    "rewrite_tree",
    "rewrite_warc",
    "rewrite_warc_stream",
]
