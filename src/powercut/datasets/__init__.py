"""Synthetic graphs and vectors with power-law cluster sizes, and the paper's data sets."""

from powercut.datasets.block_graphs import make_block_graph, write_block_graph
from powercut.datasets.bsds import HumanSegmentations, load_bsds
from powercut.datasets.generators import make_blobs, make_paper_graph
from powercut.datasets.uci import load_uci

__all__ = [
    "HumanSegmentations",
    "load_bsds",
    "load_uci",
    "make_blobs",
    "make_block_graph",
    "make_paper_graph",
    "write_block_graph",
]
