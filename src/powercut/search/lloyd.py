"""Algorithm 1 of "Power-Law Graph Cuts", for vectors, kernel matrices and graphs.

k-means with live sizes: within a pass the means stay where they are, each point
goes to the cluster of smallest regularised distance, and a point that founds a
cluster becomes its mean. From one cluster it often stays there, or falls into
single points, because means that do not follow a move hide what the move would
gain; `powercut.search.multilevel` lowers the same J by exact moves.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut.graph import Graph
from powercut.partition import Labels, compact_labels, separate
from powercut.points import Points
from powercut.scores import GraphScore, KernelScore
from powercut.search.level import FloatArray, Level
from powercut.search.objective import Found, Objective, Regulariser

Cancel = _core.CancelFlag | None


def lloyd_points(
    points: Points,
    regulariser: Regulariser,
    *,
    labels: Labels | None = None,
    max_iter: int,
    cancel: Cancel = None,
) -> Found:
    """Run Algorithm 1 on vectors, from one cluster or from given labels."""
    labels, k = compact_labels(np.zeros(points.n, np.int32) if labels is None else labels)

    def passes(labels: Labels, k: int, most: int, cancel: Cancel) -> list[float]:
        return _core.lloyd_points(points.native, labels, k, regulariser.native, most, cancel)

    path = _in_time(passes, labels, k, max_iter, cancel)
    constant = regulariser.constant(points.n_original)
    return Found(labels, path[-1] + constant, np.asarray(path) + constant)


def lloyd_kernel(
    kernel: npt.NDArray[np.floating],
    regulariser: Regulariser,
    *,
    weight: FloatArray | None = None,
    labels: Labels | None = None,
    max_iter: int,
    cancel: Cancel = None,
) -> Found:
    """Run Algorithm 1 on a kernel matrix, from one cluster or from given labels."""
    n = len(kernel)
    labels, k = compact_labels(np.zeros(n, np.int32) if labels is None else labels)
    graph, diagonal = Level.of_kernel(kernel, weight).graph, np.zeros(n)
    weights, prior = np.ones(n) if weight is None else weight, regulariser.native

    def passes(labels: Labels, k: int, most: int, cancel: Cancel) -> list[float]:
        return _core.lloyd_kernel(graph, diagonal, weights, labels, k, prior, most, cancel)

    path = _in_time(passes, labels, k, max_iter, cancel)
    constant = regulariser.constant(n)
    return Found(labels, path[-1] + constant, np.asarray(path) + constant)


def lloyd_graph(
    graph: Graph,
    objective: Objective,
    *,
    weight: FloatArray | None = None,
    labels: Labels | None = None,
    max_iter: int,
    cancel: Cancel = None,
) -> Found:
    """Run Algorithm 1 on a graph, through the kernel of its score, in O(edges) a pass.

    Nodes without neighbours are clusters of their own. J is the score's, not the
    kernel's: the two differ by a constant. It never rises where the kernel is
    positive semi-definite, which takes a large enough shift.
    """
    score = objective.score
    check_kernel(type(score))
    assert isinstance(score, KernelScore)
    kernel_weight, diagonal = score.kernel(graph.degrees, weight)
    start = np.zeros(graph.n_nodes, np.int32) if labels is None else labels
    labels, k = compact_labels(separate(start, graph.isolated))
    kernel_weight = np.where(graph.isolated, 0.0, kernel_weight)  # has no place in the kernel
    arrays, prior = graph.arrays, objective.regulariser.native

    def passes(labels: Labels, k: int, most: int, cancel: Cancel) -> list[float]:
        return _core.lloyd_kernel(arrays, diagonal, kernel_weight, labels, k, prior, most, cancel)

    path = _in_time(passes, labels, k, max_iter, cancel)
    labels, k = compact_labels(labels)
    level = Level.finest(graph, weight)
    end = level.objective(labels, k, objective) + objective.regulariser.constant(graph.n_nodes)
    return Found(labels, end, np.asarray(path) + (end - path[-1]))


def _in_time(
    passes: Callable[[Labels, int, int, Cancel], list[float]],
    labels: Labels,
    k: int,
    max_iter: int,
    cancel: Cancel,
) -> list[float]:
    """Run passes, which write `labels`, and return their J; when the time is up, only the last."""
    try:
        return passes(labels, k, max_iter, cancel)
    except _core.Cancelled:
        if cancel is None or not cancel.expired():
            raise
        labels[:], k = compact_labels(labels)
        return passes(labels, k, 0, None)


def check_kernel(score: type[GraphScore]) -> None:
    """Refuse a score that Algorithm 1 has no kernel for."""
    if not issubclass(score, KernelScore):
        raise ValueError(
            f"algorithm='lloyd' works through a kernel, and score={score.name!r} has none; "
            "use algorithm='multilevel', or score 'ncut', 'rcut' or 'rassoc'."
        )
