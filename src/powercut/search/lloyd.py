"""Algorithm 1 of "Power-Law Graph Cuts": its passes over vectors, kernel matrices and graphs.

It is k-means in which cluster sizes are updated after every move. The means are fixed within a
pass; each point moves to the cluster of smallest regularised distance; a point that opens a
cluster becomes its mean. Started from one cluster, the algorithm often stays there, or
ends in singletons, because distances to fixed means ignore how the means would follow a move.
Exact moves (`powercut.graphs.multilevel`, `powercut.vectors.multilevel`) minimise the same J
and do not have this problem.
"""

from collections.abc import Callable

from powercut import _core
from powercut._typing import Labels
from powercut.partition import compact_labels
from powercut.progress import until_expired

Cancel = _core.CancellationToken | None

# Default of the maximum number of passes.
MAX_PASSES = 300


def run_passes(
    passes: Callable[[Labels, int, int, Cancel], list[float]],
    labels: Labels,
    k: int,
    max_iter: int,
    cancel: Cancel,
) -> list[float]:
    """Run passes, which modify `labels`, and return J at the start and after each pass.

    If the time limit expires, only the last J is returned.
    """
    with until_expired(cancel):
        return passes(labels, k, max_iter, cancel)
    labels[:], k = compact_labels(labels)
    return passes(labels, k, 0, None)
