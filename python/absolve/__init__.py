"""Make every link of an HTML document absolute, and leave every other byte alone.

>>> import absolve
>>> absolve.rewrite("<a href=x>", "http://example.org/a/")
'<a href=http://example.org/a/x>'

- `rewrite`, `links` and `resolve` work on one document or reference; a `Rewriter` has options for
  many documents.
- `rewrite_array` and `links_array` work on arrays of documents, of every library with the Arrow
  PyCapsule interface.
- `Options` are the keyword arguments of all of them: the options of the command.
- `Error` is the base of the exceptions.
"""

from ._absolve import (
    Array,
    BaseUrlError,
    ChunkedArray,
    EncodingError,
    Error,
    InternalError,
    LimitError,
    Link,
    Rewriter,
    __version__,
    links,
    links_array,
    resolve,
    rewrite,
    rewrite_array,
)
from ._options import Options

__all__ = [
    "Array",
    "BaseUrlError",
    "ChunkedArray",
    "EncodingError",
    "Error",
    "InternalError",
    "LimitError",
    "Link",
    "Options",
    "Rewriter",
    "__version__",
    "links",
    "links_array",
    "resolve",
    "rewrite",
    "rewrite_array",
]
