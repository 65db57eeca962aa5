"""Cluster labelled vectors of every shape with nothing set, beside other methods.

    python experiments/vectors.py                       # all sets, all methods: half an hour
    python experiments/vectors.py --only seen           # or unseen, one-cluster
    python experiments/vectors.py --sets iris digits --peers
    python experiments/vectors.py --quick               # a few made sets, seconds

Three tables. Sets that constants of powercut were chosen with (seen), other sets (unseen), and sets
that are one cluster: uniform cubes, Gaussian clouds and rolled-up sheets, 1,000 points each, in 1
to 40 dimensions. Sets are those of _vector_data.py.

Each cell has the AMI with the known classes and the number of clusters found. The last lines have
the mean AMI, the geometric mean of the factor by which the number of clusters is off, and the
seconds of all fits. All methods get columns scaled by the rule of powercut. KMeans and
GaussianMixture get the true number of clusters, HDBSCAN its default or the best of five minimum
sizes against the truth; its noise counts as one cluster. BayesianGaussianMixture has up to 50
components, and diagonal covariances where full ones are singular. Leiden (if igraph is installed)
gets the same 15 nearest neighbours. EVoC (if it is installed) is made for embeddings; its noise is
one cluster, too. The exit status is 1 if a promise is broken.
"""

import argparse
import importlib.util
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

from _evoc import IS_INSTALLED as EVOC_IS_INSTALLED
from _evoc import fit_evoc
from _npz import Labels
from _real_data import Unavailable
from _results import OURS, header, markdown
from _vector_data import SEEN, UNSEEN, Points, without_clusters
from powercut import PowerLawClusters, neighbors
from powercut.vectors.scaling import choose_scaling

SIZES = (5, 10, 20, 50, 100)
MOST_COMPONENTS = 50
DIMENSIONS, SEEDS = (1, 2, 3, 5, 10, 20, 40), 20
QUICK = ("aniso", "cloud2", "varied")
# Mean AMI of the seen sets, factor by which k is off, and share of one-cluster sets left whole.
LEAST_AMI, MOST_FACTOR, LEAST_WHOLE = 0.78, 1.35, 0.97


class Cell(NamedTuple):
    """The result of one method on one set."""

    ami: float
    k: int
    true_k: int
    seconds: float

    @property
    def factor(self) -> float:
        return max(self.k / self.true_k, self.true_k / self.k)


def power_law_clusters(X: Points, truth: Labels) -> npt.ArrayLike:  # noqa: ARG001
    return PowerLawClusters(random_state=0).fit(X).labels_


def k_means(X: Points, truth: Labels) -> npt.ArrayLike:
    return KMeans(count(truth), n_init=10, random_state=0).fit_predict(X)


def gaussian_mixture(X: Points, truth: Labels) -> npt.ArrayLike:
    return GaussianMixture(count(truth), n_init=3, reg_covar=1e-4, random_state=0).fit_predict(X)


def bayesian_mixture(X: Points, truth: Labels) -> npt.ArrayLike:  # noqa: ARG001
    most = min(MOST_COMPONENTS, len(X) // 2)
    for form in ("full", "diag"):
        mixture = BayesianGaussianMixture(
            n_components=most, covariance_type=form, reg_covar=1e-4, max_iter=200, random_state=0
        )
        with suppress(ValueError):  # if a covariance is singular
            return mixture.fit_predict(X)
    raise Unavailable("singular covariances")


def hdbscan(X: Points, truth: Labels) -> npt.ArrayLike:  # noqa: ARG001
    return HDBSCAN(copy=True).fit_predict(X)


def best_hdbscan(X: Points, truth: Labels) -> npt.ArrayLike:
    found = [HDBSCAN(min_cluster_size=size, copy=True).fit_predict(X) for size in SIZES]
    return max(found, key=lambda labels: adjusted_mutual_info_score(truth, labels))


def leiden(X: Points, truth: Labels) -> npt.ArrayLike:  # noqa: ARG001
    import random

    import igraph

    graph = neighbors.graph(X)
    rows = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    once = rows < graph.indices
    edges = np.column_stack([rows[once], graph.indices[once]])
    random.seed(0)
    made = igraph.Graph(graph.n_nodes, edges.tolist())
    return np.array(made.community_leiden("modularity").membership)


def evoc(X: Points, truth: Labels) -> npt.ArrayLike:  # noqa: ARG001
    return np.asarray(fit_evoc(X).labels_)


Method = Callable[[Points, Labels], npt.ArrayLike]
PEERS: dict[str, Method] = {
    "KMeans, true k": k_means,
    "GaussianMixture, true k": gaussian_mixture,
    "HDBSCAN": hdbscan,
    "HDBSCAN, best of 5": best_hdbscan,
    "BayesianGaussianMixture": bayesian_mixture,
}
if importlib.util.find_spec("igraph"):
    PEERS["Leiden"] = leiden
if EVOC_IS_INSTALLED:
    PEERS["EVoC"] = evoc


def count(labels: npt.ArrayLike) -> int:
    return len(np.unique(labels))


def run(method: Method, X: Points, truth: Labels) -> Cell:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one cluster, or a mixture that did not converge
        start = time.perf_counter()
        labels = method(X, truth)
        seconds = time.perf_counter() - start
    ami = float(adjusted_mutual_info_score(truth, labels))
    return Cell(ami, count(labels), count(truth), seconds)


def compare(
    sets: Mapping[str, Callable[[], Any]], methods: Mapping[str, Method]
) -> dict[str, list[Cell]]:
    """Print a table of sets and methods, and return its cells."""
    cells: dict[str, list[Cell]] = {name: [] for name in methods}
    print(header(("data", "true k", *methods)), flush=True)
    for name, load in sets.items():
        try:
            X, truth = load()
        except Unavailable as unavailable:
            print(markdown([name, f"skipped: {unavailable}", *[""] * len(methods)]))
            continue
        scaled = choose_scaling(X)(X)
        row = [name, str(count(truth))]
        for method, function in methods.items():
            cell = run(function, X if method == OURS else scaled, truth)
            cells[method].append(cell)
            row.append(f"{cell.ami:.3f} ({cell.k})")
        print(markdown(row), flush=True)
    for what, summary in SUMMARIES.items():
        print(markdown([what, "", *(summary(of) if of else "" for of in cells.values())]))
    return cells


def mean_ami(cells: list[Cell]) -> float:
    return float(np.mean([cell.ami for cell in cells]))


def mean_factor(cells: list[Cell]) -> float:
    return float(np.exp(np.mean([np.log(cell.factor) for cell in cells])))


SUMMARIES: dict[str, Callable[[list[Cell]], str]] = {
    "mean AMI": lambda cells: f"{mean_ami(cells):.3f}",
    "k off by": lambda cells: f"{mean_factor(cells):.2f}",
    "seconds": lambda cells: f"{sum(cell.seconds for cell in cells):.1f}",
}


def one_cluster(dimensions: tuple[int, ...], seeds: int) -> float:
    """Print how often sets without clusters stay whole, and return the share of all."""
    whole: dict[tuple[str, int], list[bool]] = {}
    for kind, d, _, X in without_clusters(dimensions, seeds):
        truth = np.zeros(len(X), dtype=np.int64)
        whole.setdefault((kind, d), []).append(run(power_law_clusters, X, truth).k == 1)
    kinds = dict.fromkeys(kind for kind, _ in whole)
    print(header(("one cluster", *(f"{d} dimensions" for d in dimensions))))
    for kind in kinds:
        shares = [f"{sum(whole[kind, d])} of {len(whole[kind, d])}" for d in dimensions]
        print(markdown([kind, *shares]), flush=True)
    return float(np.mean([kept for row in whole.values() for kept in row]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=("seen", "unseen", "one-cluster"))
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="some of the sets")
    parser.add_argument("--peers", nargs="*", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--quick", action="store_true", help="a few made sets, seconds")
    options = parser.parse_args()
    if options.quick:
        options.sets, options.peers = QUICK, ["KMeans, true k", "HDBSCAN"]
    methods = {OURS: power_law_clusters, **{name: PEERS[name] for name in options.peers}}
    parts = options.only or ["seen", "unseen", "one-cluster"]
    broken = []
    for part, sets in (("seen", SEEN), ("unseen", UNSEEN)):
        chosen = {name: load for name, load in sets.items() if name in (options.sets or sets)}
        if part not in parts or not chosen:
            continue
        print(f"\n## {part}\n")
        ours = compare(chosen, methods)[OURS]
        if part == "seen" and len(ours) == len(SEEN):
            broken += [f"mean AMI {mean_ami(ours):.3f}"] if mean_ami(ours) < LEAST_AMI else []
            broken += (
                [f"k off by {mean_factor(ours):.2f}"] if mean_factor(ours) > MOST_FACTOR else []
            )
    if "one-cluster" in parts and (options.quick or not options.sets):
        print("\n## one cluster\n")
        share = one_cluster((2,), 1) if options.quick else one_cluster(DIMENSIONS, SEEDS)
        print(f"\n{share:.1%} of the sets without clusters stay whole.")
        broken += [f"{share:.1%} whole"] if share < LEAST_WHOLE else []
    for promise in broken:
        print(f"Promise broken: {promise}", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
