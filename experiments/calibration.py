"""The tradeoff at which a single isotropic Gaussian is one cluster, measured and estimated.

Points of one Gaussian have no clusters, but the edges of their nearest-neighbour graph depend
on each other: at tradeoff 1 a block model splits it. Bisection finds the smallest tradeoff at
which the graph is one cluster. The table also has the tradeoff that `powercut.graphs.dependence`
estimates from triangles, and the number of clusters that `PowerLawCut()` finds.

    python experiments/calibration.py            # all graphs: ten minutes
    python experiments/calibration.py --quick    # small graphs: seconds
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
EXPECTED = 0.9  # share of the graphs that must be one cluster with default parameters


def gaussian_graph(d: int, n: int, k: int) -> Graph:
    """Return the k-nearest-neighbour graph of n Gaussian points."""
    A = kneighbors_graph(np.random.default_rng(0).normal(size=(n, d)), k)
    return Graph(A.maximum(A.T))


def n_clusters(graph: Graph, **settings: float) -> int:
    """Return the number of clusters found."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No more than one cluster")
        model = PowerLawCut(n_jobs=-1, random_state=0, **settings).fit(graph)
    return int(model.n_clusters_)


def smallest_unsplit(graph: Graph) -> float:
    """Return the smallest tradeoff at which the graph is one cluster, by bisection."""
    low, high = 1.0, LARGEST
    for _ in range(STEPS):
        middle = (low * high) ** 0.5
        if n_clusters(graph, tradeoff=middle) == 1:
            high = middle
        else:
            low = middle
    return high


def rows(*, quick: bool) -> Iterator[tuple[int, int, int]]:
    """Yield the numbers of dimensions, points and neighbours of the graphs."""
    yield from product(*(QUICK if quick else (DIMENSIONS, POINTS, NEIGHBOURS)))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use small graphs")
    options = parser.parse_args()
    print("| dimensions | points | neighbours | k at 1 | one cluster from | estimated | k found |")
    print("|---|---|---|---|---|---|---|")
    found = []
    for d, n, k in rows(quick=options.quick):
        graph = gaussian_graph(d, n, k)
        estimated = needed_tradeoff(
            graph,
            np.zeros(n, dtype=np.int32),
            BlockModel(degree_corrected=False, unit=1.0),
            random=np.random.default_rng(0),
        )
        found.append(n_clusters(graph))
        print(
            f"| {d} | {n} | {k} | {n_clusters(graph, tradeoff=1.0)} | "
            f"{smallest_unsplit(graph):.2f} | {estimated:.2f} | {found[-1]} |",
            flush=True,
        )
    share = float(np.mean(np.array(found) == 1))
    print(f"\nOne cluster with default parameters: {share:.0%} of {len(found)} graphs.")
    if share < EXPECTED:
        sys.exit(f"{share:.0%} of the graphs are one cluster; {EXPECTED:.0%} are promised")


if __name__ == "__main__":
    main()
