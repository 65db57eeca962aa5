"""Algorithm 1 of the paper on a graph, through the kernel of its score."""

import numpy as np

from powercut import _core
from powercut._typing import FloatArray, Labels
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.scores import GraphObjective, GraphScore, KernelScore
from powercut.partition import compact_labels, separate
from powercut.search.lloyd import Cancel, run_passes
from powercut.search.objective import Found


def lloyd_graph(
    graph: Graph,
    objective: GraphObjective,
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

    path = run_passes(passes, labels, k, max_iter, cancel)
    labels, k = compact_labels(labels)
    level = Level.finest(graph, weight)
    end = level.objective(labels, k, objective) + objective.regulariser.constant(graph.n_nodes)
    return Found(labels, end, np.asarray(path) + (end - path[-1]))


def check_kernel(score: type[GraphScore]) -> None:
    """Refuse a score that Algorithm 1 has no kernel for."""
    if not issubclass(score, KernelScore):
        raise ValueError(
            f"algorithm='lloyd' works through a kernel, and score={score.name!r} has none; "
            "use algorithm='multilevel', or score 'ncut', 'rcut' or 'rassoc'."
        )
