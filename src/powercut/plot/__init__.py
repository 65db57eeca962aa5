"""Plots of clusters. Functions draw on given axes, or on new ones, and return the axes.

Needs matplotlib: ``pip install "powercut[plot]"``. Colours are from the palette of Okabe and Ito,
or vary in lightness, so that plots can be read without seeing hue.
"""

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError(
        'powercut.plot needs matplotlib, which is not installed; pip install "powercut[plot]".'
    ) from error

from powercut.plot.adjacency import adjacency
from powercut.plot.between import between_clusters
from powercut.plot.changes import changes
from powercut.plot.embedding import embedding
from powercut.plot.image import image
from powercut.plot.network import network
from powercut.plot.objective import objective_path
from powercut.plot.sizes import rank_size, size_histogram
from powercut.plot.tradeoff import tradeoff_path
from powercut.plot.tree import tree

__all__ = [
    "adjacency",
    "between_clusters",
    "changes",
    "embedding",
    "image",
    "network",
    "objective_path",
    "rank_size",
    "size_histogram",
    "tradeoff_path",
    "tree",
]
