"""Kernel k-means on a dense graph made from the kernel matrix: Algorithm 1 and exact moves."""

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import LABEL, FloatArray, Labels, Random
from powercut.graphs.level import Level
from powercut.graphs.scores import RAssoc
from powercut.graphs.starts import search_graph
from powercut.partition import compact_labels
from powercut.progress import ProgressReporter
from powercut.search.lloyd import MAX_PASSES, Cancel, run_passes
from powercut.search.objective import Objective, Regulariser, SearchResult
from powercut.search.seeding import LLOYD_POINTS, seed_starts
from powercut.search.starts import Start, start_from_labels


def lloyd_kernel(
    kernel: npt.NDArray[np.floating],
    regulariser: Regulariser,
    *,
    weight: FloatArray | None = None,
    labels: Labels | None = None,
    max_iter: int,
    cancel: Cancel = None,
) -> SearchResult:
    """Run Algorithm 1 on a kernel matrix, from one cluster or from given labels."""
    n = len(kernel)
    labels, k = compact_labels(np.zeros(n, LABEL) if labels is None else labels)
    graph, diagonal = Level.of_kernel(kernel, weight).graph, np.zeros(n)
    weights, prior = np.ones(n) if weight is None else weight, regulariser.native

    def passes(labels: Labels, k: int, most: int, cancel: Cancel) -> list[float]:
        return _core.lloyd_kernel(graph, diagonal, weights, labels, k, prior, most, cancel)

    path = run_passes(passes, labels, k, max_iter, cancel)
    constant = regulariser.constant(n)
    return SearchResult(labels, path[-1] + constant, np.asarray(path) + constant)


def search_kernel(
    kernel: npt.NDArray[np.floating],
    regulariser: Regulariser,
    *,
    weight: FloatArray | None = None,
    labels: Labels | None = None,
    n_init: int = 1,
    n_jobs: int = 1,
    random: Random,
    reporter: ProgressReporter | None = None,
) -> SearchResult:
    """Minimise J of the points of a kernel matrix; parameters as in `search_points`.

    Kernel k-means is ratio association on the dense graph ``W K W``, plus the
    constant ``sum_i w_i K_ii``.
    """
    diagonal = np.diag(kernel).astype(np.float64)
    weights = np.ones(len(kernel)) if weight is None else weight

    def squared_distances(point: int) -> FloatArray:
        return np.asarray(diagonal - 2.0 * kernel[point] + diagonal[point])

    def from_lloyd(_: Random, reporter: ProgressReporter) -> Labels:
        return lloyd_kernel(
            kernel, regulariser, weight=weight, max_iter=MAX_PASSES, cancel=reporter
        ).labels

    if labels is not None:
        starts: list[Start] = [start_from_labels(labels)]
    else:
        seeds = seed_starts(squared_distances, weights, n_init)
        starts = [from_lloyd, *seeds] if len(kernel) <= LLOYD_POINTS else seeds
    found = search_graph(
        Level.of_kernel(kernel, weight),
        Objective(RAssoc(0.0), regulariser),
        starts=starts,
        n_jobs=n_jobs,
        random=random,
        reporter=reporter,
    )
    trace = float(weights @ diagonal)
    return SearchResult(found.labels, found.objective + trace, found.path + trace)
