"""The figures of a report."""

import io
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.decomposition import PCA

from powercut import plot
from powercut.graphs.graph import Graph
from powercut.graphs.tree import ClusterTree
from powercut.plot.network import MOST_NODES
from powercut.report import _html
from powercut.report._subject import FEW_CLUSTERS, Subject
from powercut.results.plateaus import TradeoffPath

WIDE, SQUARE, TALL = (6.0, 4.0), (6.0, 5.2), (7.0, 7.0)
# The path of J is not drawn if its range is below this fraction of its last value: a flat line.
FLAT = 1e-6


def sizes(subject: Subject) -> str:
    """Return the sizes of clusters by rank and as a histogram, unless they are few."""
    if subject.model.n_clusters_ < FEW_CLUSTERS:
        return ""
    labels = subject.model.labels_[subject.assigned]
    return _html.figure_grid(
        _draw(
            lambda ax: plot.rank_size(labels, ax=ax),
            caption="Size of each cluster by rank. At each rank the band holds 90 % of the sizes "
            "in partitions drawn from the fitted Pitman-Yor prior.",
            size=WIDE,
        ),
        _draw(
            lambda ax: plot.size_histogram(labels, ax=ax),
            caption="Number of clusters of each size: observed, and expected under the fits.",
            size=WIDE,
        ),
    )


def data(subject: Subject) -> str:
    """Return figures of the data: of the graph, the vectors or both, if they are known."""
    return _html.figure_grid(*_graph(subject), _vectors(subject))


def scales(tree: ClusterTree) -> str:
    """Return the tree of clusters."""
    return _html.figure_grid(
        _draw(
            lambda ax: plot.tree(tree, ax=ax),
            caption="Clusters at all scales, with those of the fit marked.",
            size=TALL,
        )
    )


def search(model: Any, tradeoffs: TradeoffPath | None) -> str:
    """Return J over the search, and the partitions over a range of tradeoffs."""
    found = []
    path = model.objective_path_
    if np.ptp(path) > FLAT * abs(path[-1]):
        found.append(
            _draw(
                lambda ax: plot.objective_path(path, ax=ax),
                caption="J at the start of the best search, and after each of its rounds.",
                size=WIDE,
            )
        )
    if tradeoffs is not None:
        found.append(
            _draw(
                lambda ax: plot.tradeoff_path(tradeoffs, ax=ax),
                caption="Number of clusters over the tradeoff. Shaded: ranges over which the "
                "partition persists, with its number of clusters.",
                size=WIDE,
            )
        )
    return _html.figure_grid(*found)


def _graph(subject: Subject) -> list[str]:
    graph, labels = subject.graph, subject.model.labels_
    if graph is None or graph.n_entries == 0:
        return []
    return [
        _draw(
            lambda ax: plot.network(graph, labels, names=subject.names, ax=ax),
            caption=_network_caption(graph),
            size=SQUARE,
        ),
        _draw(
            lambda ax: plot.adjacency(graph, labels, ax=ax),
            caption="The adjacency matrix, with nodes ordered by cluster.",
            size=SQUARE,
        ),
        _draw(
            lambda ax: plot.between_clusters(graph, labels, ax=ax),
            caption="Weight between each pair of the largest clusters, relative to its expectation "
            "under the configuration model. Grey: no edge.",
            size=SQUARE,
        ),
    ]


def _network_caption(graph: Graph) -> str:
    if graph.n_nodes <= MOST_NODES:
        return "The graph, with nodes in the colours of their clusters."
    return "The largest clusters, and the three strongest links of each, relative to degrees."


def _vectors(subject: Subject) -> str:
    X = subject.vectors
    if X is None or min(X.shape) < 2:
        return ""
    planar = X.shape[1] == 2
    axes = "their two features" if planar else "their first two principal components"
    coordinates = X if planar else PCA(n_components=2, random_state=0).fit_transform(X)
    assigned = subject.assigned
    labels = subject.model.labels_[assigned]
    return _draw(
        lambda ax: plot.embedding(coordinates[assigned], labels, ax=ax),
        caption=f"The points by {axes}, with the numbers of the largest clusters.",
        size=SQUARE,
    )


def _draw(draw: Callable[[Axes], object], *, caption: str, size: tuple[float, float]) -> str:
    """Return what `draw` draws on new axes, as an SVG figure."""
    drawing = Figure(figsize=size, layout="constrained")
    draw(drawing.subplots())
    file = io.BytesIO()
    # Ids inside the file are hashed with this salt: equal figures make equal files.
    with mpl.rc_context({"svg.hashsalt": "powercut", "svg.fonttype": "path"}):
        drawing.savefig(file, format="svg", dpi=200, metadata={"Date": None})
    return _html.figure(file.getvalue(), caption=caption, media_type="image/svg+xml")
