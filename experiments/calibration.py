"""The tradeoff at which a structureless cloud of points stays whole, measured and as used.

One Gaussian cloud has one cluster, but the edges to its nearest neighbours depend on each
other: a block model splits it at tradeoff 1. Bisection finds the smallest tradeoff at
which it stays whole; beside it is what `powercut.graphs.dependence` asks for, from triangles
alone, and what `PowerLawCut` makes of the cloud with nothing set.

    python experiments/calibration.py            # all clouds: ten minutes
    python experiments/calibration.py --quick    # small clouds: seconds
"""

import argparse
import sys
import warnings
from collections.abc import Iterator
from itertools import product

import numpy as np
from sklearn.neighbors import kneighbors_graph

from powercut import Graph, PowerLawCut
from powercut.graphs.block_model import BlockModel
from powercut.graphs.dependence import needed_tradeoff

DIMENSIONS, POINTS, NEIGHBOURS = (2, 5, 10, 20), (250, 1000, 4000), (8, 15, 30)
QUICK = ((2, 10), (1000,), (15,))
LARGEST, STEPS = 16.0, 6
EXPECTED = 0.8  # part of the clouds that must be one cluster with nothing set


def cloud(d: int, n: int, k: int) -> Graph:
    """Return the graph of the k nearest neighbours of n Gaussian points."""
    A = kneighbors_graph(np.random.default_rng(0).normal(size=(n, d)), k)
    return Graph(A.maximum(A.T))


def n_clusters(graph: Graph, **settings: float) -> int:
    """Return how many clusters are found."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No more than one cluster")
        model = PowerLawCut(n_jobs=-1, random_state=0, **settings).fit(graph)
    return int(model.n_clusters_)


def smallest_whole(graph: Graph) -> float:
    """Return the smallest tradeoff that leaves the graph whole, by bisection."""
    low, high = 1.0, LARGEST
    for _ in range(STEPS):
        middle = (low * high) ** 0.5
        if n_clusters(graph, tradeoff=middle) == 1:
            high = middle
        else:
            low = middle
    return high


def rows(*, quick: bool) -> Iterator[tuple[int, int, int]]:
    """Yield dimension, points and neighbours of the clouds."""
    yield from product(*(QUICK if quick else (DIMENSIONS, POINTS, NEIGHBOURS)))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small clouds")
    options = parser.parse_args()
    print("| dimensions | points | neighbours | k at 1 | whole from | asked for | k found |")
    print("|---|---|---|---|---|---|---|")
    found = []
    for d, n, k in rows(quick=options.quick):
        graph = cloud(d, n, k)
        asked = needed_tradeoff(
            graph,
            np.zeros(n, dtype=np.int32),
            BlockModel(degree_corrected=False, unit=1.0),
            random=np.random.default_rng(0),
        )
        found.append(n_clusters(graph))
        print(
            f"| {d} | {n} | {k} | {n_clusters(graph, tradeoff=1.0)} | "
            f"{smallest_whole(graph):.2f} | {asked:.2f} | {found[-1]} |",
            flush=True,
        )
    whole = float(np.mean(np.array(found) == 1))
    print(f"\nOne cluster with nothing set: {whole:.0%} of {len(found)} clouds.")
    if whole < EXPECTED:
        sys.exit(f"{whole:.0%} of the clouds are one cluster; {EXPECTED:.0%} are promised")


if __name__ == "__main__":
    main()
