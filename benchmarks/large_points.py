"""Measure PowerLawClusters on many points: time, memory, and whether threads change labels.

    python benchmarks/large_points.py                      # all data, one and two threads: an hour
    python benchmarks/large_points.py --only blobs-1m-64 --threads 2
    python benchmarks/large_points.py --quick              # few points, as a smoke test

Data are isotropic Gaussian clusters with Pitman-Yor sizes, float32. Nothing is set but the seed.
Every run has its own process.

Columns: the route that was chosen; threads; seconds and CPU seconds of the fit; peak memory beyond
the points, as a multiple of their size; clusters, and NMI with the true ones; new points a second
of predict, for points between two of the data; whether predict finds the labels of the fit for a
sample of its points; whether labels are those of the first number of threads.
"""

import argparse
import hashlib
import warnings

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from _experiments import header, markdown
from _measure import in_child, measure
from powercut import PowerLawClusters
from powercut.datasets import make_blobs

WORKLOADS = {
    "blobs-100k-16": (100_000, 16),
    "blobs-100k-64": (100_000, 64),
    "blobs-200k-384": (200_000, 384),
    "blobs-1m-64": (1_000_000, 64),
}
QUICK = {"blobs-2k-4": (2000, 4)}
N_NEW = 100_000
COLUMNS = (
    *("data", "route", "threads", "seconds", "CPU", "memory", "clusters", "NMI"),
    *("new points a second", "predict", "labels"),
)


def fit(name: str, n: int, d: int, threads: int) -> tuple[list[str], str]:
    """Return a row, without whether labels are equal, and a digest of the labels."""
    X, truth = make_blobs(n, n_features=d, random_state=0)
    X = X.astype(np.float32)
    model = PowerLawClusters(random_state=0, n_jobs=threads)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, cost = measure(lambda: model.fit(X))
    rng = np.random.default_rng(0)
    one, other = rng.integers(n, size=(2, min(n, N_NEW)))
    new = X[one] + 0.1 * (X[other] - X[one])
    _, prediction = measure(lambda: model.predict(new))
    same = np.array_equal(model.predict(X[one]), model.labels_[one])
    row = [
        name,
        model.route_,
        str(threads),
        f"{cost.seconds:.0f}",
        f"{cost.cpu:.0f}",
        f"{cost.memory / X.nbytes:.2f}",
        f"{model.n_clusters_} of {len(np.unique(truth))}",
        f"{normalized_mutual_info_score(truth, model.labels_):.4f}",
        f"{len(new) / prediction.seconds:,.0f}",
        "as the fit" if same else "differs",
    ]
    return row, hashlib.sha256(model.labels_.tobytes()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=WORKLOADS, default=list(WORKLOADS))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--quick", action="store_true", help="use few points")
    options = parser.parse_args()
    workloads = QUICK if options.quick else {name: WORKLOADS[name] for name in options.only}
    print(header(COLUMNS))
    for name, (n, d) in workloads.items():
        digests: list[str] = []
        for threads in options.threads:
            row, digest = in_child(fit, name, n, d, threads)
            digests.append(digest)
            print(markdown([*row, "equal" if digest == digests[0] else "DIFFER"]), flush=True)


if __name__ == "__main__":
    main()
