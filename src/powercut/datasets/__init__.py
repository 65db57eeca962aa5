"""Graphs and vectors whose clusters have power-law sizes."""

from powercut.datasets.generators import make_blobs, make_block_graph, make_paper_graph
from powercut.datasets.uci import load_uci

__all__ = ["load_uci", "make_blobs", "make_block_graph", "make_paper_graph"]
