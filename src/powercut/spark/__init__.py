"""Clusters of data that are DataFrames of Spark, found with the help of its workers."""

from powercut.spark.graphs import cluster

__all__ = ["cluster"]
