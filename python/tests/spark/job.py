"""The driver of a job on a cluster: `job.py WORK ARGUMENTS`."""

import json
import sys
import time

from pyspark.sql import SparkSession

from absolve.spark import rewrite_column, rewrite_warc


def main(work: str, source: str, destination: str, delay: str = "0") -> None:
    spark = SparkSession.builder.appName(f"absolve {work}").getOrCreate()
    started = time.monotonic()
    if work == "column":
        pages = spark.read.parquet(source)
        if seconds := float(delay):
            # Pages come slowly, so that a worker dies in the middle.
            pages = pages.mapInArrow(Slowly(seconds), pages.schema)
        rewrite_column(pages).write.parquet(destination)
        result = {"rows": spark.read.parquet(destination).count()}
    else:
        rows = rewrite_warc(spark, source, destination).collect()
        result = {"rows": len(rows), "errors": [row.error for row in rows if row.error]}
    print("RESULT", json.dumps(result | {"seconds": time.monotonic() - started}))
    spark.stop()


class Slowly:
    """Passes batches, each after some seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __call__(self, batches):  # type: ignore[no-untyped-def]
        for batch in batches:
            time.sleep(self.seconds)
            yield batch


if __name__ == "__main__":
    main(*sys.argv[1:])
