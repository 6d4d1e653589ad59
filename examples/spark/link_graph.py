"""Makes the graph of hosts of a crawl in web archives.

    spark-submit link_graph.py 'CRAWL/*.warc.gz' GRAPH

GRAPH/hosts has the hosts with the number of their pages that have links, and GRAPH/edges the links
between hosts, with their number. A link of a page to its own host is no edge.
"""

import sys

from pyspark.sql import Column, SparkSession
from pyspark.sql.functions import col, count, count_distinct, lower, regexp_extract

from absolve.spark import links_of_warc


def host(url: str) -> Column:
    """The host of a URL with http: or https:, without its port; empty for others."""
    authority = r"^(?i:https?)://(?:[^/?#@]*@)?([^/?#:@]+)"
    return lower(regexp_extract(col(url), authority, 1))


def main(archives: str, graph: str) -> None:
    spark = SparkSession.builder.appName("link graph").getOrCreate()
    # Links that are read once, and used twice.
    links = links_of_warc(spark, archives, columns="url", standard="whatwg", base_scope="document")
    links = links.select("page", host("page").alias("source"), host("url").alias("target"), "error")
    links = links.where("error is null and source != ''").persist()
    hosts = links.groupBy(col("source").alias("host")).agg(count_distinct("page").alias("pages"))
    hosts.write.parquet(f"{graph}/hosts")
    edges = links.where("target != '' and source != target").groupBy("source", "target")
    edges.agg(count("*").alias("links")).write.parquet(f"{graph}/edges")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
