"""Clusters of data that are DataFrames of Spark, found with the help of its workers."""

from powercut.spark.graphs import cluster
from powercut.spark.points import means

__all__ = ["cluster", "means"]
