"""Compare the time of PowerLawMeans and DPMeans with KMeans of scikit-learn, in the same run.

    python benchmarks/vectors.py                     # 100,000 to a million points, two threads
    python benchmarks/vectors.py --only blobs-1m --max-iter 10
    python benchmarks/vectors.py --quick             # few points, as a smoke test

Data are isotropic Gaussian clusters with Pitman-Yor sizes in 64 dimensions, float32.
PowerLawMeans has default parameters, or the score kmeans, or kmeans with the expected squared
distance of a point to its mean as tradeoff; DPMeans has four times that as penalty. KMeans
has the true number of clusters (k-means++, one start); with ``--max-iter`` it ends early,
and its time is a lower bound. Every run has its own process, in which a few points were
clustered before.

Columns: seconds; CPU, the CPU seconds of all threads; both as a multiple of KMeans; peak
memory beyond the points, as a multiple of their size; number of passes over the points, if the
method counts them; number of clusters; NMI with the true clusters.
"""

import argparse
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import normalized_mutual_info_score
from threadpoolctl import threadpool_limits

from _experiments import Labels, header, markdown
from _measure import Cost, best_runs, in_child, measure
from powercut import PowerLawMeans
from powercut.baselines import DPMeans
from powercut.datasets import make_blobs

Points = npt.NDArray[np.float32]
PEER = "KMeans"


@dataclass(frozen=True)
class Workload:
    """A number of points and dimensions."""

    name: str
    n: int
    d: int = 64

    def make(self) -> tuple[Points, Labels]:
        """Make Gaussian clusters with Pitman-Yor sizes."""
        return make_blobs(
            self.n, n_features=self.d, concentration=10.0, discount=0.3, random_state=1
        )


@dataclass(frozen=True)
class Method:
    """A function that makes an estimator for points in k true clusters."""

    name: str
    estimator: Callable[[Points, int], Any]


@dataclass(frozen=True)
class Run:
    """Cost and result of a method; `size` is the size of the points in bytes."""

    cost: Cost
    size: int
    passes: int | None
    n_clusters: int
    nmi: float


def power_law_means(_: Points, __: int, threads: int, score: str) -> PowerLawMeans:
    return PowerLawMeans(score, random_state=0, n_jobs=threads)


def given_tradeoff(points: Points, _: int, threads: int) -> PowerLawMeans:
    tradeoff = float(points.shape[1])
    return PowerLawMeans("kmeans", tradeoff=tradeoff, random_state=0, n_jobs=threads)


def dp_means(points: Points, _: int, threads: int) -> DPMeans:
    return DPMeans(4.0 * points.shape[1], n_jobs=threads)


def k_means(_: Points, k: int, max_iter: int) -> KMeans:
    return KMeans(k, n_init=1, max_iter=max_iter, random_state=0)


def methods(threads: int, max_iter: int) -> list[Method]:
    """Return our methods and the peer."""
    return [
        Method("PowerLawMeans", partial(power_law_means, threads=threads, score="gaussian")),
        Method("PowerLawMeans, kmeans", partial(power_law_means, threads=threads, score="kmeans")),
        Method("PowerLawMeans, tradeoff given", partial(given_tradeoff, threads=threads)),
        Method("DPMeans", partial(dp_means, threads=threads)),
        Method(PEER, partial(k_means, max_iter=max_iter)),
    ]


def write(path: Path, workload: Workload) -> None:
    points, labels = workload.make()
    np.savez(path, points=points, labels=labels)


def run_once(method: Method, path: Path, threads: int) -> Run:
    """Run a method, in its own process."""
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # --max-iter
        few = Workload("few", 500, 4).make()[0]
        method.estimator(few, 3).fit(few)
        with np.load(path) as file:
            points, truth = file["points"], file["labels"]
        estimator = method.estimator(points, len(np.unique(truth)))
        _, cost = measure(lambda: estimator.fit(points))
    passes = None if isinstance(estimator, PowerLawMeans) else int(estimator.n_iter_)
    nmi = float(normalized_mutual_info_score(truth, estimator.labels_))
    return Run(cost, points.nbytes, passes, len(np.unique(estimator.labels_)), nmi)


COLUMNS = (
    *("workload", "method", "seconds", "CPU", "/ KMeans", "CPU / KMeans", "memory", "passes"),
    *("clusters", "NMI"),
)


def rows(workload: str, best: dict[Method, Run]) -> Iterator[list[str]]:
    """Yield the row of each method."""
    peer = next(run.cost for method, run in best.items() if method.name == PEER)
    for method, run in best.items():
        yield [
            *(workload, method.name, f"{run.cost.seconds:.1f}", f"{run.cost.cpu:.1f}"),
            f"{run.cost.seconds / peer.seconds:.3f}",
            f"{run.cost.cpu / peer.cpu:.3f}",
            f"{run.cost.memory / run.size:.1f}",
            "" if run.passes is None else str(run.passes),
            str(run.n_clusters),
            f"{run.nmi:.4f}",
        ]


def compare(
    workload: Workload, some: list[Method], threads: int, repeats: int
) -> Iterator[list[str]]:
    """Yield the rows of a workload."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "points.npz"
        in_child(write, path, workload)
        run = partial(run_once, path=path, threads=threads)
        yield from rows(workload.name, best_runs(some, run, repeats))


def main() -> None:
    sizes = {"blobs-100k": 100_000, "blobs-200k": 200_000, "blobs-1m": 10**6}
    full = {name: Workload(name, n) for name, n in sizes.items()}
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use few points")
    parser.add_argument("--only", nargs="+", choices=full, default=list(full))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--max-iter", type=int, default=300, help="maximum iterations of KMeans")
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    small = Workload("blobs-2k", 2000, 8)
    some = methods(options.threads, options.max_iter)
    print(header(COLUMNS))
    for workload in [small] if options.quick else [full[name] for name in options.only]:
        for row in compare(workload, some, options.threads, options.repeats):
            print(markdown(row), flush=True)


if __name__ == "__main__":
    main()
