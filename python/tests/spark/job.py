"""The driver of a job on a cluster: `job.py WORK ARGUMENTS`."""

import json
import sys
import time

from pyspark.sql import SparkSession

from absolve.spark import rewrite_column, warc_pages


def main(work: str, source: str, destination: str, delay: str) -> None:
    spark = SparkSession.builder.appName(f"absolve {work}").getOrCreate()
    started = time.monotonic()
    pages = warc_pages(spark, source) if work == "archives" else spark.read.parquet(source)
    # Pages come slowly, so that a worker dies in the middle.
    slow = pages.mapInArrow(Slowly(float(delay)), pages.schema)
    rewrite_column(slow).write.parquet(destination)
    rows = spark.read.parquet(destination).count()
    print("RESULT", json.dumps({"rows": rows, "seconds": time.monotonic() - started}))
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
