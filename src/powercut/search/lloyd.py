"""Algorithm 1 of "Power-Law Graph Cuts": its passes, over vectors, kernel matrices and graphs.

k-means with live sizes: within a pass the means stay where they are, each point
goes to the cluster of smallest regularised distance, and a point that founds a
cluster becomes its mean. From one cluster it often stays there, or falls into
single points, because means that do not follow a move hide what the move would
gain; exact moves (`powercut.graphs.multilevel`, `powercut.vectors.multilevel`) lower the same J.
"""

from collections.abc import Callable

from powercut import _core
from powercut._typing import Labels
from powercut.partition import compact_labels
from powercut.progress import until_expired

Cancel = _core.CancelFlag | None


def run_passes(
    passes: Callable[[Labels, int, int, Cancel], list[float]],
    labels: Labels,
    k: int,
    max_iter: int,
    cancel: Cancel,
) -> list[float]:
    """Run passes, which write `labels`, and return their J; when the time is up, only the last."""
    with until_expired(cancel):
        return passes(labels, k, max_iter, cancel)
    labels[:], k = compact_labels(labels)
    return passes(labels, k, 0, None)
