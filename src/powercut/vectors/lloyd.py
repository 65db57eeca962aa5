"""Algorithm 1 of the paper on vectors."""

import numpy as np

from powercut import _core
from powercut._typing import LABEL, Labels
from powercut.partition import compact_labels
from powercut.search.lloyd import Cancel, run_passes
from powercut.search.objective import Regulariser, SearchResult
from powercut.vectors.points import Points


def lloyd_points(
    points: Points,
    regulariser: Regulariser,
    *,
    labels: Labels | None = None,
    max_iter: int,
    cancel: Cancel = None,
) -> SearchResult:
    """Run Algorithm 1 on vectors, from one cluster or from given labels."""
    labels, k = compact_labels(np.zeros(points.n, LABEL) if labels is None else labels)

    def passes(labels: Labels, k: int, most: int, cancel: Cancel) -> list[float]:
        return _core.lloyd_points(points.native, labels, k, regulariser.native, most, cancel)

    path = run_passes(passes, labels, k, max_iter, cancel)
    constant = regulariser.constant(points.n_original)
    return SearchResult(labels, path[-1] + constant, np.asarray(path) + constant)
