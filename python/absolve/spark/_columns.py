"""Columns of pages."""

import difflib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Unpack

import pyarrow as pa
import pyarrow.compute
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

import absolve

from .._options import Options

# The Spark types of the columns of links and of pages.
TYPES: dict[pa.DataType, DataType] = {
    pa.string(): StringType(),
    pa.binary(): BinaryType(),
    pa.int32(): IntegerType(),
    pa.int64(): LongType(),
    pa.bool_(): BooleanType(),
    pa.map_(pa.string(), pa.string()): MapType(StringType(), StringType()),
}

Task = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

BATCH_SETTING = "spark.sql.execution.arrow.maxBytesPerBatch"

# Bytes of the pages that cross to Python together: Spark counts 10,000 rows, which are gigabytes.
BATCH_BYTES = 16 << 20

# Pages that are rewritten together. A hostile page of a few bytes may become one of 1 MiB.
SLICE_ROWS = 256

# Bytes of the pages that are rewritten or listed together, unless one page has more.
SLICE_BYTES = 4 << 20


def rewrite_column(
    df: DataFrame,
    html: str = "html",
    url: str | None = "url",
    output: str | None = None,
    error: str = "absolve_error",
    **options: Unpack[Options],
) -> DataFrame:
    """Make every link of a column of pages absolute.

    `html` is a column of strings or binaries, and `url` the column of the URLs that the pages were
    retrieved from, or `None` where there is no such column. The pages replace those of `html`, or
    go to a new column `output`. Rows keep their order and their other columns. A null page stays
    null; a page that fails keeps its bytes and has the reason in the new column `error`.

    Unless the session sets `spark.sql.execution.arrow.maxBytesPerBatch`, it is set to 16 MiB, so
    that a Python worker has few pages in memory at a time.

    Raises `ValueError` for a column that does not exist or that would be replaced, and `TypeError`
    for one of another type or an unknown option, before anything runs.
    """
    options = snapshot(options)
    absolve.Rewriter(**options)
    _require(df, html, StringType, BinaryType)
    if url is not None:
        _require(df, url, StringType)
    names = df.schema.names
    position, bases = names.index(html), None if url is None else names.index(url)
    replaces = output is None or output == html
    new = [StructField(error, StringType())]
    if output is not None and not replaces:
        new = [StructField(output, df.schema[html].dataType), *new]
    for field in new:
        if field.name in names:
            raise ValueError(f"the table has a column '{field.name}' already; give another name")
    schema = StructType([*df.schema.fields, *new])
    all_names = schema.names
    _bound_batches(df.sparkSession)

    def rewrite(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in _slices(batches, position):
            urls = None if bases is None else part.column(bases)
            result = absolve.rewrite_array(part.column(position), urls, threads=1, **options)
            pages, errors = (pa.array(result).field(name) for name in ("document", "error"))
            columns = [*part.columns, *([errors] if replaces else [pages, errors])]
            if replaces:
                columns[position] = pages
            yield pa.RecordBatch.from_arrays(columns, names=all_names)
            # A large page is not kept while the next is read.
            del part, urls, result, pages, errors, columns

    return df.mapInArrow(_released(rewrite), schema)


def links_table(
    df: DataFrame,
    html: str = "html",
    url: str | None = "url",
    keep: str | Iterable[str] = (),
    *,
    columns: str | Iterable[str] | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """List the links of a column of pages, a row a link.

    The columns are `page`, the URL of the page, then those of `keep`, then those of `Link`, with
    its span as `start` and `end` (bytes of binaries, code points of strings), and `error`. A page
    that fails has a row with its `error` alone. The links of a page are in its order. `columns`
    names other columns of links, as for `absolve.links_array`.

    Raises what `rewrite_column` raises.
    """
    options = snapshot(options)
    absolve.Rewriter(**options)
    _require(df, html, StringType, BinaryType)
    if url is not None:
        _require(df, url, StringType)
    others = [keep] if isinstance(keep, str) else list(keep)
    chosen = names_of(columns)
    found = link_columns(chosen)
    for name in others:
        _require(df, name)
        if name == "page" or name in found:
            why = "rename it with withColumnRenamed(); 'page' has the URL of the page"
            raise ValueError(f"a link has a column '{name}' too; {why}")
    names = df.schema.names
    fields = [StructField("page", StringType())]
    fields += [StructField(name, df.schema[name].dataType) for name in others]
    fields += spark_schema(found).fields
    position, bases = names.index(html), None if url is None else names.index(url)
    places = [names.index(name) for name in others]
    all_names = [field.name for field in fields]
    _bound_batches(df.sparkSession)

    def list_links(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            urls = None if bases is None else batch.column(bases)
            documents = batch.column(position)
            for listed in absolve.links_batches(documents, urls, columns=chosen, **options):
                links = pa.array(listed)
                rows = links.field("document")
                page = pa.nulls(len(rows), pa.string()) if urls is None else urls.take(rows)
                values = [page, *(batch.column(place).take(rows) for place in places)]
                values += [links.field(name) for name in found]
                yield pa.RecordBatch.from_arrays(values, names=all_names)
                # Links of a large page are not kept while the next are made.
                del listed, links, rows, page, values
            del batch, documents, urls

    return df.mapInArrow(_released(list_links), StructType(fields))


def names_of(columns: str | Iterable[str] | None) -> list[str] | None:
    """The names of columns, which every task reads."""
    if columns is None:
        return None
    return [columns] if isinstance(columns, str) else list(columns)


def snapshot(options: Any) -> Any:
    """The options without iterators: they are read here, and by every task."""
    return {name: _snapshot(value) for name, value in options.items()}


def _snapshot(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    is_one = isinstance(value, str | bytes | os.PathLike) or not isinstance(value, Iterable)
    return value if is_one else list(value)


def link_columns(names: list[str] | None) -> dict[str, pa.DataType]:
    """The columns of a link, after those of its page."""
    none = pa.array(absolve.links_array(pa.array([], pa.string()), columns=names))
    found = {field.name: field.type for field in none.type if field.name != "document"}
    return found | {"error": found.pop("error")}


def spark_schema(fields: dict[str, pa.DataType]) -> StructType:
    """The schema of a table with these columns."""
    return StructType([StructField(name, TYPES[kind]) for name, kind in fields.items()])


def _released(work: Task) -> Task:
    """The same work, with an empty batch before a first large one and after each.

    Spark's Python worker keeps the first batch of a task until its end, and the last one while the
    next is made. Three pages of 66 MB took 519 MiB with those copies, and take 267 MiB.
    """

    def release(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        empty = None
        for batch in work(batches):
            is_large = batch.nbytes > SLICE_BYTES
            if empty is None:
                arrays = [pa.array([], column.type) for column in batch.columns]
                empty = pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)
                if is_large:
                    yield empty
            yield batch
            del batch
            if is_large:
                yield empty

    return release


def _slices(batches: Iterable[pa.RecordBatch], html: int) -> Iterator[pa.RecordBatch]:
    """The rows in parts that have little to rewrite, or one page."""
    for batch in batches:
        lengths = pa.compute.binary_length(batch.column(html)).fill_null(0).to_pylist()
        start = size = 0
        for row, length in enumerate(lengths):
            if row > start and (row - start == SLICE_ROWS or size + length > SLICE_BYTES):
                yield batch.slice(start, row - start)
                start, size = row, 0
            size += length
        if start < batch.num_rows:
            yield batch.slice(start)
        del batch


def _require(df: DataFrame, name: str, *kinds: type[DataType]) -> None:
    """Refuses a column that does not exist, or that has none of these types."""
    names = df.schema.names
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"its columns are {', '.join(names)}"
        raise ValueError(f"the table has no column '{name}'; {hint}")
    found = df.schema[name].dataType
    if kinds and not isinstance(found, kinds):
        expected = " or ".join(kind().simpleString() for kind in kinds)
        raise TypeError(f"the column '{name}' must be {expected}, not {found.simpleString()}")


def _bound_batches(spark: SparkSession) -> None:
    """Bounds what crosses to Python at a time, unless the session has a bound."""
    if spark.conf.get(BATCH_SETTING, None) is None:
        spark.conf.set(BATCH_SETTING, str(BATCH_BYTES))
