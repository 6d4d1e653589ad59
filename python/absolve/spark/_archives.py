"""Web archives as tables, one archive a task."""

import contextlib
import glob
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Unpack

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import absolve

from .._options import ArchiveOptions
from ._columns import link_columns, names_of, snapshot, spark_schema

Sources = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

PAGES = {
    "url": pa.string(),
    "date": pa.string(),
    "status": pa.int32(),
    "mime": pa.string(),
    "html": pa.binary(),
    "headers": pa.map_(pa.string(), pa.string()),
    "source": pa.string(),
    "offset": pa.int64(),
    "within": pa.int64(),
    "error": pa.string(),
}

# Those of a link follow.
LINKS = {"page": pa.string(), "source": pa.string(), "offset": pa.int64(), "within": pa.int64()}

# Bytes of the documents that a task reads at a time.
BATCH_BYTES = 8 << 20

# Bytes of a remote archive that are read at a time.
BLOCK = 16 << 20


def warc_pages(
    spark: SparkSession,
    sources: Sources,
    *,
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[ArchiveOptions],
) -> DataFrame:
    """Read the HTML documents of web archives, a row a document.

    `sources` are paths or patterns: local ones, which every worker must see, and URLs that fsspec
    opens, with `storage_options`. A pattern without a match is a `FileNotFoundError` at once.

    The columns are `url`, `date`, `status`, `mime`, `html` without transfer and content encodings,
    `headers` with names in lower case, `source`, the `offset` of the record in it, `within` for a
    gzip member of several records, and `error`. A record or an archive that cannot be read is a row
    with an `error` and without `html`; the other archives are read.
    """
    return _table(spark, sources, storage_options, options, PAGES, "pages")


def links_of_warc(
    spark: SparkSession,
    sources: Sources,
    *,
    columns: str | Iterable[str] | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[ArchiveOptions],
) -> DataFrame:
    """List the links of the pages and style sheets of web archives, a row a link.

    The columns are `page`, the URL of the document, `source`, `offset` and `within` as in
    `warc_pages`, and those of `links_table`, which `columns` chooses. A document, record or archive
    that fails has a row with its `error`. `sources` and `storage_options` are those of
    `warc_pages`.
    """
    names = names_of(columns)
    fields = LINKS | link_columns(names)
    return _table(spark, sources, storage_options, options, fields, "links", columns=names)


def _table(
    spark: SparkSession,
    sources: Sources,
    storage_options: Mapping[str, Any] | None,
    options: ArchiveOptions,
    fields: dict[str, pa.DataType],
    method: str,
    **arguments: Any,
) -> DataFrame:
    """The batches of a method of `WarcReader`, and a column with the source of each row."""
    options = snapshot(options)
    absolve.WarcReader(io.BytesIO(), **options)
    archives = list(_archives(sources, storage_options))
    schema = pa.schema(fields)

    def read(source: str) -> Iterator[pa.RecordBatch]:
        with (
            _opened(source, storage_options) as file,
            absolve.WarcReader(file, **options) as archive,
        ):
            for found in getattr(archive, method)(BATCH_BYTES, **arguments):
                rows = pa.RecordBatch.from_struct_array(pa.array(found))
                column = pa.repeat(source, rows.num_rows)
                arrays = [column if name == "source" else rows[name] for name in fields]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number in (number for batch in batches for number in batch["id"].to_pylist()):
            # An archive that fails is a row: a job of thousands goes on.
            try:
                yield from read(archives[number])
            except Exception as error:
                row = {"source": archives[number], "error": f"{type(error).__name__}: {error}"}
                yield pa.RecordBatch.from_pylist([row], schema)

    # A number in each partition.
    numbers = spark.range(0, len(archives), 1, numPartitions=max(len(archives), 1))
    return numbers.mapInArrow(task, spark_schema(fields))


def _archives(sources: Sources, options: Mapping[str, Any] | None) -> Iterator[str]:
    """The archives that paths and patterns name. Other paths than patterns are not looked up."""
    given = [sources] if isinstance(sources, str | os.PathLike) else sources
    for source in (os.fspath(path).removeprefix("file://") for path in given):
        if not any(character in source for character in "*?["):
            yield source
        elif found := sorted(_matches(source, options)):
            yield from found
        else:
            raise FileNotFoundError(f"no file matches '{source}'")


def _matches(pattern: str, options: Mapping[str, Any] | None) -> list[str]:
    scheme, separator, _ = pattern.partition("://")
    if not separator:
        return glob.glob(pattern, recursive=True)  # noqa: PTH207 -- of any folder
    files, path = _remote(pattern, options)
    return [f"{scheme}://{found}" for found in files.glob(path)]


@contextlib.contextmanager
def _opened(source: str, options: Mapping[str, Any] | None) -> Iterator[str | BinaryIO]:
    """An archive for `WarcReader`, which reads a path without the interpreter."""
    if "://" not in source:
        yield source
        return
    files, path = _remote(source, options)
    with files.open(path, "rb", block_size=BLOCK) as file:
        yield file


def _remote(url: str, options: Mapping[str, Any] | None) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    import fsspec  # Local paths do not need it.

    found: tuple[Any, str] = fsspec.core.url_to_fs(url, **(options or {}))
    return found
