"""Tables of pages and web archives on Spark: `pip install absolve[spark]`.

- `rewrite_column` makes the links of a column of pages absolute, and `links_table` lists them.
- `warc_pages` and `links_of_warc` read web archives as tables, one archive a task.

Each task works in one thread: Spark makes the parallelism. The executors need this package, see
docs/scale.md of the project.
"""

from ._archives import links_of_warc, warc_pages
from ._columns import links_table, rewrite_column

__all__ = ["links_of_warc", "links_table", "rewrite_column", "warc_pages"]
