"""Graphs and vectors whose clusters have power-law sizes."""

from powercut.datasets.generators import make_blobs, make_block_graph, make_paper_graph

__all__ = ["make_blobs", "make_block_graph", "make_paper_graph"]
