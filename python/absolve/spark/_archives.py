"""Web archives, one archive a task."""

import io
import os
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Unpack
from unittest.mock import patch

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import broadcast
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

import absolve

from .._options import ArchiveOptions, WarcOptions
from ._columns import link_columns, names_of, snapshot
from ._storage import Storage, expanded, is_local

Sources = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

REWRITTEN: dict[str, DataType] = {
    "source": StringType(),
    "destination": StringType(),
    "records": LongType(),
    "pages": LongType(),
    "rewritten": LongType(),
    "failed": LongType(),
    "error": StringType(),
    "seconds": DoubleType(),
}

PAGES: dict[str, DataType] = {
    "url": StringType(),
    "date": StringType(),
    "status": IntegerType(),
    "mime": StringType(),
    "html": BinaryType(),
    "headers": MapType(StringType(), StringType()),
    "source": StringType(),
    "offset": LongType(),
    "within": LongType(),
    "error": StringType(),
}

# Those of a link follow.
LINKS: dict[str, DataType] = {
    "page": StringType(),
    "source": StringType(),
    "offset": LongType(),
    "within": LongType(),
}

ARROW: dict[type[DataType], pa.DataType] = {
    StringType: pa.string(),
    BinaryType: pa.binary(),
    IntegerType: pa.int32(),
    LongType: pa.int64(),
    BooleanType: pa.bool_(),
    DoubleType: pa.float64(),
    MapType: pa.map_(pa.string(), pa.string()),
}

# The variable with the date of new records, in seconds since 1970.
DATE = "SOURCE_DATE_EPOCH"

# Bytes of the documents that a task reads at a time.
BATCH_BYTES = 8 << 20


def rewrite_warc(
    spark: SparkSession,
    sources: Sources,
    destination: str | os.PathLike[str],
    *,
    base_url: str | None = None,
    overwrite: bool = False,
    resume: bool = False,
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[WarcOptions],
) -> DataFrame:
    """Make every link of the documents in web archives absolute, one archive a task.

    `sources` are paths or patterns: local ones, which every worker must see, and URLs that fsspec
    opens, with `storage_options`. Each new archive has the name of its source in the folder
    `destination`. It is written under a temporary name and renamed when it is whole, so that a task
    that is tried again, or twice at a time, leaves one archive. `base_url` is the base URL of
    records that have none, and the options are those of `absolve.rewrite_warc`.

    The job runs at once. The result has a row an archive: `source`, `destination`, the numbers of
    its `records`, its `pages` with style sheets, those that were `rewritten`, and those that
    `failed` and were copied, the first `error`, and the `seconds` that it took. An archive that
    cannot be read or written has an `error` without a `destination`, and the others are done.

    Before anything runs, an archive that exists at the destination is a `FileExistsError`, unless
    it is to be replaced (`overwrite=True`) or left out (`resume=True`, which ends a job that was
    stopped); a pattern without a match is a `FileNotFoundError`, two sources of one name are a
    `ValueError`, and an unknown option is a `TypeError`.
    """
    if overwrite and resume:
        raise ValueError("rewrite_warc() takes overwrite=True or resume=True, not both")
    options = snapshot(options)
    absolve.rewrite_warc_stream(io.BytesIO(), io.BytesIO(), base_url, **options)
    folder = os.fspath(destination).rstrip("/")
    pairs = _pairs(expanded(sources, storage_options), folder)
    existing = Storage(folder, storage_options).names()
    present = [target for _, target in pairs if _name(target) in existing]
    if present and not (overwrite or resume):
        more = f" and {len(present) - 1} more" if len(present) > 1 else ""
        what = "give overwrite=True to replace, or resume=True to leave out what exists"
        raise FileExistsError(f"'{present[0]}'{more}: the archive exists; {what}")
    if resume:
        pairs = [pair for pair in pairs if pair[1] not in set(present)]
    temporary = Storage(f"{folder}/_absolve-{uuid.uuid4().hex}", storage_options)
    date = os.environ.get(DATE, str(int(time.time())))
    task = RewriteTask(base_url, options, storage_options, _name(temporary.path), date)
    schema = _schema(REWRITTEN)
    temporary.create_folder()
    try:
        rows = _one_a_task(spark, pairs).mapInArrow(task, schema).collect() if pairs else []
    finally:
        temporary.remove()
    return spark.createDataFrame(rows, schema)


def warc_pages(
    spark: SparkSession,
    sources: Sources,
    *,
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[ArchiveOptions],
) -> DataFrame:
    """Read the HTML documents of web archives, a row a document.

    The columns are `url`, `date`, `status`, `mime`, `html` without transfer and content encodings,
    `headers` with names in lower case, `source`, the `offset` of the record in it, `within` for a
    gzip member of several records, and `error`. A record or an archive that cannot be read is a row
    with an `error`. `sources` and `storage_options` are those of `rewrite_warc`.
    """
    task = ReadTask("read_pages", {}, PAGES, snapshot(options), storage_options)
    return _read(spark, sources, task)


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
    `rewrite_warc`.
    """
    names = names_of(columns)
    fields = LINKS | link_columns(names)
    task = ReadTask("read_links", {"columns": names}, fields, snapshot(options), storage_options)
    return _read(spark, sources, task)


def _read(spark: SparkSession, sources: Sources, task: "ReadTask") -> DataFrame:
    absolve.WarcReader(io.BytesIO(), **task.options)
    pairs = [(source, "") for source in expanded(sources, task.storage_options)]
    return _one_a_task(spark, pairs).mapInArrow(task, _schema(task.columns))


def _one_a_task(spark: SparkSession, pairs: list[tuple[str, str]]) -> DataFrame:
    """A partition for each pair of a source and its destination.

    The numbers have a partition each, and a broadcast join keeps them.
    """
    rows = [(number, *pair) for number, pair in enumerate(pairs)]
    table = spark.createDataFrame(rows, "number long, source string, destination string")
    numbers = spark.range(0, len(rows), 1, numPartitions=max(len(rows), 1))
    return numbers.join(broadcast(table), numbers["id"] == table["number"])


def _schema(columns: dict[str, DataType]) -> StructType:
    return StructType([StructField(name, kind) for name, kind in columns.items()])


def _row_batch(row: dict[str, Any], columns: dict[str, DataType]) -> pa.RecordBatch:
    """A row, with nulls for what it has no value of."""
    schema = pa.schema([(name, ARROW[type(kind)]) for name, kind in columns.items()])
    return pa.RecordBatch.from_pylist([row], schema)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _pairs(sources: list[str], folder: str) -> list[tuple[str, str]]:
    """Each source with its destination."""
    names = Counter(map(_name, sources))
    if twice := next((name for name, count in names.items() if count > 1), None):
        first, second, *_ = [source for source in sources if _name(source) == twice]
        what = "have one name, and would be one file of the destination; rewrite them in two jobs"
        raise ValueError(f"'{first}' and '{second}' {what}")
    return [(source, f"{folder}/{_name(source)}") for source in sources]


@dataclass(frozen=True)
class RewriteTask:
    """Rewrites the archive of a task."""

    base_url: str | None
    options: WarcOptions
    storage_options: Mapping[str, Any] | None = field(repr=False)
    temporary: str
    # The date of the driver, so that a task that is tried again writes the same bytes.
    date: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                with patch.dict(os.environ, {DATE: self.date}):
                    rewritten = self._row(row["source"], row["destination"])
                yield _row_batch(rewritten, REWRITTEN)

    def _row(self, source: str, destination: str) -> dict[str, Any]:
        started = time.monotonic()
        row: dict[str, Any] = dict.fromkeys(REWRITTEN)
        row["source"] = source
        # What fails is the error of this archive: a job of thousands goes on.
        try:
            row |= self._rewritten(source, destination)
        except Exception as error:
            row["error"] = f"{type(error).__name__}: {error}"
        return row | {"seconds": time.monotonic() - started}

    def _rewritten(self, source: str, destination: str) -> dict[str, Any]:
        folder, _, name = destination.rpartition("/")
        path = f"{folder}/{self.temporary}/{uuid.uuid4().hex}-{name}"
        temporary = Storage(path, self.storage_options)
        try:
            result = self._write(source, temporary)
            temporary.rename(Storage(destination, self.storage_options))
        except BaseException:
            temporary.remove()
            raise
        counts, failures = result.counts, result.failures
        more = f"; and {len(failures) - 1} more" if len(failures) > 1 else ""
        return {
            "destination": destination,
            "records": counts.seen,
            "pages": counts.rewritten + counts.unchanged,
            "rewritten": counts.rewritten,
            "failed": counts.failed + counts.skipped,
            "error": f"{failures[0]}{more}" if failures else None,
        }

    def _write(self, source: str, temporary: Storage) -> absolve.RewriteResult:
        options: WarcOptions = {"jobs": 1, **self.options}
        if is_local(source) and temporary.is_local:
            return absolve.rewrite_warc(source, temporary.path, self.base_url, **options)
        archive = Storage(source, self.storage_options)
        with archive.read() as old, temporary.write() as new:
            result = absolve.rewrite_warc_stream(old, new, self.base_url, **options)
        if result.counts.rewritten == 0:
            # A stream may have other gzip members than its source; a copy is the source.
            with archive.read() as old, temporary.write() as new:
                while block := old.read(1 << 20):
                    new.write(block)
        return result


@dataclass(frozen=True)
class ReadTask:
    """Reads the archive of a task."""

    method: str
    arguments: dict[str, Any]
    columns: dict[str, DataType]
    options: ArchiveOptions
    storage_options: Mapping[str, Any] | None = field(repr=False)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for source in batch.column("source").to_pylist():
                yield from self._read(source)

    def _read(self, source: str) -> Iterator[pa.RecordBatch]:
        try:
            with Storage(source, self.storage_options).read() as file:
                # A path is read without the interpreter.
                archive = absolve.WarcReader(source if is_local(source) else file, **self.options)
                reader = partial(getattr(archive, self.method), BATCH_BYTES, **self.arguments)
                while (read := reader()) is not None:
                    yield self._batch(source, pa.RecordBatch.from_struct_array(pa.array(read)))
        except Exception as error:
            row = {"source": source, "error": f"{type(error).__name__}: {error}"}
            yield _row_batch(row, self.columns)

    def _batch(self, source: str, read: pa.RecordBatch) -> pa.RecordBatch:
        sources = pa.repeat(pa.scalar(source), read.num_rows)
        columns = [sources if name == "source" else read.column(name) for name in self.columns]
        return pa.RecordBatch.from_arrays(columns, names=list(self.columns))
