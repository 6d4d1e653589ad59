"""Makes the links of a Parquet table of pages absolute.

    spark-submit absolutize_table.py PAGES NEW [HTML_COLUMN [URL_COLUMN]]

PAGES has a column of pages and one of their URLs. NEW is the same table with absolute links, and
with a column `absolve_error`, which says why a page stayed as it was.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import count

from absolve.spark import rewrite_column


def main(pages: str, new: str, html: str = "html", url: str = "url") -> None:
    spark = SparkSession.builder.appName("absolutize a table").getOrCreate()
    rewritten = rewrite_column(spark.read.parquet(pages), html, url)
    rewritten.write.parquet(new)
    counts = spark.read.parquet(new).select(count("*"), count("absolve_error")).first()
    if counts is not None:
        print(f"{counts[0]} pages, of which {counts[1]} failed")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
