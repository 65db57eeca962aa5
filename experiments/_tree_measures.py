"""Helpers of the measurements of trees."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from _npz import Labels
from _results import markdown
from powercut import ClusterTree
from powercut.partition import compact_labels
from powercut.results.comparison import agreement


def show(*cells: str) -> None:
    print(markdown(cells), flush=True)


def ami(truth: Labels, labels: Labels) -> float:
    """Return the AMI over the nodes whose class is known; 0 for a single cluster."""
    known = truth >= 0
    one, other = (compact_labels(part[known])[0] for part in (truth, labels))
    return agreement(one, other) if other.max() > 0 else 0.0


def levels_at(tree: ClusterTree, above: Sequence[float], below: Sequence[float]) -> list[int]:
    """Return the fitted level, and those at some resolutions above it and below it.

    Where there is none at a resolution, it is the next coarser one.
    """
    fitted = tree.fitted_level
    levels = [int(np.searchsorted(tree.resolution[:fitted], one * 1.01)) - 1 for one in above]
    finer = tree.resolution[fitted + 1 :]
    levels += [fitted + int(np.searchsorted(finer, one * 1.01)) for one in below]
    return sorted({fitted, *(level for level in levels if level >= 0)})


def timed(make: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return make(), time.perf_counter() - start
