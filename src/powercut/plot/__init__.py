"""Pictures of clusters. Functions take the axes to draw on, or make new ones, and return them.

Needs matplotlib: ``pip install "powercut[plot]"``. Colours are those of Okabe and Ito, or ramps of
lightness, so that nothing is told by hue alone.
"""

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError(
        'powercut.plot needs matplotlib, which is not installed; pip install "powercut[plot]".'
    ) from error

from powercut.plot.adjacency import adjacency
from powercut.plot.between import between_clusters
from powercut.plot.embedding import embedding
from powercut.plot.image import image
from powercut.plot.objective import objective_path
from powercut.plot.sizes import rank_size, size_histogram
from powercut.plot.tradeoff import tradeoff_path

__all__ = [
    "adjacency",
    "between_clusters",
    "embedding",
    "image",
    "objective_path",
    "rank_size",
    "size_histogram",
    "tradeoff_path",
]
