"""Algorithm 1 of the paper on a graph, through the kernel of its score."""

import numpy as np

from powercut import _core
from powercut._typing import LABEL, FloatArray, Labels
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.scores import GraphObjective, GraphScore, KernelScore
from powercut.partition import compact_labels, separate
from powercut.search.lloyd import Cancel, run_passes
from powercut.search.objective import SearchResult


def lloyd_graph(
    graph: Graph,
    objective: GraphObjective,
    *,
    weight: FloatArray | None = None,
    labels: Labels | None = None,
    max_iter: int,
    cancel: Cancel = None,
) -> SearchResult:
    """Run Algorithm 1 on a graph, through the kernel of its score, in O(edges) per pass.

    Nodes without neighbours become singletons. The J that is returned is that of the score; it
    differs from the kernel k-means objective by a constant. J never increases if the kernel is
    positive semi-definite, which a large enough shift ensures.
    """
    score = objective.score
    check_kernel(type(score))
    assert isinstance(score, KernelScore)
    kernel_weight, diagonal = score.kernel(graph.degrees, weight)
    start = np.zeros(graph.n_nodes, LABEL) if labels is None else labels
    labels, k = compact_labels(separate(start, graph.isolated))
    kernel_weight = np.where(graph.isolated, 0.0, kernel_weight)  # excluded from the kernel
    arrays, prior = graph.arrays, objective.regulariser.native

    def passes(labels: Labels, k: int, most: int, cancel: Cancel) -> list[float]:
        return _core.lloyd_kernel(arrays, diagonal, kernel_weight, labels, k, prior, most, cancel)

    path = run_passes(passes, labels, k, max_iter, cancel)
    labels, k = compact_labels(labels)
    level = Level.finest(graph, weight)
    end = level.objective(labels, k, objective) + objective.regulariser.constant(graph.n_nodes)
    return SearchResult(labels, end, np.asarray(path) + (end - path[-1]))


def check_kernel(score: type[GraphScore]) -> None:
    """Raise if a score has no kernel, which Algorithm 1 needs."""
    if not issubclass(score, KernelScore):
        raise ValueError(
            f"algorithm='lloyd' needs a score with a kernel, and score={score.name!r} has none; "
            "use algorithm='multilevel', or score 'ncut', 'rcut' or 'rassoc'."
        )
