"""Cluster the edges or vectors of a Spark DataFrame, with its workers."""

from powercut.spark.graphs import cluster
from powercut.spark.points import means

__all__ = ["cluster", "means"]
