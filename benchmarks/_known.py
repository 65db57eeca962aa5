"""What is known of true clusters, drawn at random, and how much of it a partition breaks."""

from typing import Any

import numpy as np

from _experiments import Labels


def draw(truth: Labels, n_pairs: int, share: float, random: np.random.Generator) -> dict[str, Any]:
    """Return labels of a share of nodes or points, and pairs that share a cluster, or do not."""
    n = len(truth)
    known = np.where(random.random(n) < share, truth, -1)
    # A node, and another one of its cluster.
    order = np.argsort(truth, kind="stable")
    sizes = np.bincount(truth)
    first = np.cumsum(sizes) - sizes
    one = random.integers(0, n, n_pairs)
    other = order[first[truth[one]] + random.integers(0, sizes[truth[one]])]
    apart = random.integers(0, n, (4 * n_pairs + 8, 2))
    apart = apart[truth[apart[:, 0]] != truth[apart[:, 1]]][:n_pairs]
    return {"fixed": known, "must_link": np.stack([one, other], axis=1), "cannot_link": apart}


def count_broken(labels: Labels, known: dict[str, Any]) -> int:
    """Return how many constraints labels do not keep."""
    broken = 0
    if "fixed" in known:
        nodes = np.flatnonzero(known["fixed"] >= 0)
        pairs = np.unique(np.stack([known["fixed"][nodes], labels[nodes]]), axis=1)
        # One cluster per label, and one label per cluster.
        broken += sum(pairs.shape[1] - len(np.unique(values)) for values in pairs)
    for name, equal in (("must_link", True), ("cannot_link", False)):
        if name in known:
            a, b = labels[known[name]].T
            broken += int(np.count_nonzero((a == b) != equal))
    return broken
