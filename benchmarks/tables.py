"""Compare the CPU time of PowerLawClusters on everyday tables with HDBSCAN and KMeans.

    python benchmarks/tables.py                      # half a minute
    python benchmarks/tables.py --only iris wine
    python benchmarks/tables.py --quick              # one table, once, as a smoke test

Tables are those of scikit-learn, a round cloud and two moons. PowerLawClusters and HDBSCAN have
default parameters, KMeans has the true number of clusters and ten starts. All run on one thread.

Columns: rows and columns of the table; CPU seconds of each method, of its first fit in a fresh
process and of the fastest of a few more; number of clusters that PowerLawClusters finds. Imports
before the first fit are not included, those that it makes itself are.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import datasets
from threadpoolctl import threadpool_limits

from _experiments import Labels, header, markdown
from _measure import in_child

Table = tuple[np.ndarray[Any, Any], Labels]


def cloud() -> Table:
    return np.random.default_rng(0).normal(size=(500, 2)), np.zeros(500, dtype=np.int32)


TABLES: dict[str, Callable[[], Table]] = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "wine": lambda: datasets.load_wine(return_X_y=True),
    "breast_cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "cloud": cloud,
    "moons": lambda: datasets.make_moons(1000, noise=0.05, random_state=0),
}


def power_law_clusters(_: int) -> Any:
    from powercut import PowerLawClusters

    return PowerLawClusters(random_state=0)


def hdbscan(_: int) -> Any:
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(copy=True)


def k_means(k: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=0)


METHODS = {"powercut": power_law_clusters, "HDBSCAN": hdbscan, "KMeans": k_means}


@dataclass(frozen=True)
class Run:
    """CPU seconds of the first fit and of the fastest of the others, and the clusters found."""

    first: float
    fastest: float
    n_clusters: int


def run(method: str, table: str, repeats: int) -> Run:
    """Fit a table several times, in a fresh process."""
    X, truth = TABLES[table]()
    seconds = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one cluster, and a table that converges late
        for _ in range(1 + repeats):
            estimator = METHODS[method](len(np.unique(truth)))
            start = time.process_time()
            labels = estimator.fit(X).labels_
            seconds.append(time.process_time() - start)
    return Run(seconds[0], min(seconds[1:]), int(labels.max()) + 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one table, once")
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--repeats", type=int, default=5, help="fits after the first")
    options = parser.parse_args()
    tables, repeats = (["iris"], 1) if options.quick else (options.only, options.repeats)
    print(header(("table", "size", *(f"{name}: first, later" for name in METHODS), "clusters")))
    for table in tables:
        runs = {method: in_child(run, method, table, repeats) for method in METHODS}
        times = [f"{one.first:.3f}, {one.fastest:.3f}" for one in runs.values()]
        n, d = TABLES[table]()[0].shape
        print(markdown([table, f"{n} x {d}", *times, str(runs["powercut"].n_clusters)]), flush=True)


if __name__ == "__main__":
    main()
