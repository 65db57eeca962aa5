"""What is known of clusters, drawn at random, and how much of it a partition breaks."""

from typing import Any

import numpy as np


def violations(labels: np.ndarray, known: dict[str, Any]) -> int:
    """Count the pairs that are not as they are known to be."""
    wrong = 0
    if "fixed" in known:
        nodes = np.flatnonzero(np.asarray(known["fixed"]) >= 0)
        given, found = np.asarray(known["fixed"])[nodes], labels[nodes]
        wrong += int(((given[:, None] == given) != (found[:, None] == found)).sum())
    for name, equal in (("must_link", True), ("cannot_link", False)):
        for a, b in known.get(name, []):
            wrong += (labels[a] == labels[b]) != equal
    return wrong


def drawn(random: np.random.Generator, truth: np.ndarray, m: int) -> dict[str, Any]:
    """Draw constraints that a partition keeps, which may be any."""
    n = len(truth)
    pairs = random.integers(0, n, (2 * m, 2))
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return {
        "fixed": np.where(random.random(n) < m / n, truth, -1),
        "must_link": pairs[same],
        "cannot_link": pairs[~same],
    }
