"""Compare the time, memory, recall and determinism of nearest-neighbour searches.

    python benchmarks/neighbors.py                         # 100,000 points, one and two threads
    python benchmarks/neighbors.py --only blobs-1m-64 --methods powercut "faiss IVF"
    python benchmarks/neighbors.py --predict               # new points a second of PowerLawCut
    python benchmarks/neighbors.py --crossover             # from which size on to approximate
    python benchmarks/neighbors.py --quick                 # few points, as a smoke test

The 15 nearest other points of all points are found, Euclidean, in float32. Data: `blobs`, Gaussian
clusters of Pitman-Yor sizes that overlap (the distance of two centres is half of that of two points
of a cluster) with equal variance in all dimensions, so that neighbours are as hard to find as they
can be; `decay`, the same with variance 1/j in dimension j, as principal components and embeddings
have it; `uniform`, a cube without clusters.

Peers are installed with ``pip install pynndescent hnswlib usearch faiss-cpu``; those that are not
are skipped. A peer has the least effort of a few that gives a recall of 0.95 for a sample of
points, or the largest; finding that effort is not counted. powercut finds its own, which is
counted. Every run has its own process, in which a few points were searched before, because
pynndescent compiles its code at the first call.

Columns: threads; seconds to build the index and to search; CPU seconds of all threads; peak memory
beyond the points, as a multiple of their size; effort; recall, the share of the true neighbours of
1,000 points that are found; whether a second run finds the same neighbours of all points; whether
one thread and two find the same.
"""

import argparse
import hashlib
import importlib.util
import tempfile
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from _experiments import header, markdown
from _measure import Cost, in_child, measure
from powercut import PowerLawCut
from powercut.datasets import make_blobs
from powercut.graphs.neighbor_index import neighbor_index

Points = npt.NDArray[np.float32]
Indices = npt.NDArray[np.integer]
K, RECALL, N_SAMPLED = 15, 0.95, 1000


@dataclass(frozen=True)
class Workload:
    """A kind of data, a number of points and of dimensions."""

    kind: str
    n: int
    d: int

    @property
    def name(self) -> str:
        size = f"{self.n // 10**6}m" if self.n % 10**6 == 0 else f"{self.n // 1000}k"
        return f"{self.kind}-{size}-{self.d}"

    def make(self) -> Points:
        if self.kind == "uniform":
            return np.random.default_rng(0).random((self.n, self.d), dtype=np.float32)
        shape = {"concentration": 10.0, "discount": 0.3, "spread": 0.5, "random_state": 1}
        X = make_blobs(self.n, n_features=self.d, **shape)[0]
        if self.kind == "decay":
            X /= np.sqrt(1 + np.arange(self.d, dtype=np.float32))
        return X


class Method(ABC):
    """A search for neighbours, with several degrees of effort."""

    name: str
    package = "powercut"
    efforts: tuple[int, ...] = (0,)

    def build(self, X: Points, threads: int, effort: int) -> Any:  # noqa: ARG002
        """Return an index that does not depend on the effort."""
        return None

    @abstractmethod
    def find(self, index: Any, X: Points, rows: Indices, threads: int, effort: int) -> Indices:
        """Return the nearest K + 1 points of some rows, or the nearest K others."""

    builds_for_effort = False


class Exact(Method):
    """The exact search of powercut."""

    name = "powercut, exact"
    algorithm = "exact"

    def build(self, X: Points, threads: int, effort: int) -> Any:  # noqa: ARG002
        random = np.random.default_rng(0)
        kind = {"metric": "euclidean", "algorithm": self.algorithm}
        return neighbor_index(X, n_neighbors=K, n_threads=threads, random=random, **kind)

    def find(self, index: Any, X: Points, rows: Indices, threads: int, effort: int) -> Indices:  # noqa: ARG002
        found = index.nearest_others() if len(rows) == len(X) else index.nearest(X[rows])
        return np.asarray(found.indices)


class Approximate(Exact):
    """The approximate search of powercut."""

    name = "powercut"
    algorithm = "approximate"


class BruteForce(Method):
    """The exact search of scikit-learn, on all cores that it is allowed to use."""

    name, package = "scikit-learn", "sklearn"

    def build(self, X: Points, threads: int, effort: int) -> Any:  # noqa: ARG002
        return NearestNeighbors(n_neighbors=K + 1, algorithm="brute").fit(X)

    def find(self, index: Any, X: Points, rows: Indices, threads: int, effort: int) -> Indices:  # noqa: ARG002
        return np.asarray(index.kneighbors(X[rows], return_distance=False))


class PyNNDescent(Method):
    """Nearest-neighbour descent; the effort is the number of neighbours that it keeps."""

    name = package = "pynndescent"
    efforts = (16, 30, 60)
    builds_for_effort = True

    def build(self, X: Points, threads: int, effort: int) -> Any:
        from pynndescent import NNDescent

        return NNDescent(X, n_neighbors=effort, n_jobs=threads, random_state=0)

    def find(self, index: Any, X: Points, rows: Indices, threads: int, effort: int) -> Indices:  # noqa: ARG002
        return np.asarray(index.neighbor_graph[0][rows, : K + 1])


class HNSW(Method):
    """A hierarchical small-world graph; the effort is the length of its candidate list."""

    name = package = "hnswlib"
    efforts = (32, 64, 128, 256, 512)

    def build(self, X: Points, threads: int, effort: int) -> Any:  # noqa: ARG002
        import hnswlib

        index = hnswlib.Index(space="l2", dim=X.shape[1])
        index.init_index(max_elements=len(X), ef_construction=200, M=16, random_seed=0)
        index.add_items(X, num_threads=threads)
        return index

    def find(self, index: Any, X: Points, rows: Indices, threads: int, effort: int) -> Indices:
        index.set_ef(effort)
        return np.asarray(index.knn_query(X[rows], K + 1, num_threads=threads)[0]).astype(np.int64)


class USearch(Method):
    """The same kind of graph."""

    name = package = "usearch"
    efforts = HNSW.efforts

    def build(self, X: Points, threads: int, effort: int) -> Any:  # noqa: ARG002
        from usearch.index import Index

        index = Index(ndim=X.shape[1], metric="l2sq", dtype="f32")
        index.add(np.arange(len(X), dtype=np.uint64), X, threads=threads)
        return index

    def find(self, index: Any, X: Points, rows: Indices, threads: int, effort: int) -> Indices:
        index.expansion_search = effort
        found = index.search(X[rows], K + 1, threads=threads)
        return np.asarray(found.keys).reshape(-1, K + 1).astype(np.int64)


class InvertedLists(Method):
    """Cells of k-means; the effort is the number of cells that are searched for each point."""

    name, package = "faiss IVF", "faiss"
    efforts = (4, 8, 16, 32, 64, 128, 256)

    def build(self, X: Points, threads: int, effort: int) -> Any:  # noqa: ARG002
        import faiss

        faiss.omp_set_num_threads(threads)
        n_cells = max(1, int(4 * np.sqrt(len(X))))
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(X.shape[1]), X.shape[1], n_cells)
        index.cp.min_points_per_centroid = 1  # else it prints a warning for few points
        index.train(X)
        index.add(X)
        return index

    def find(self, index: Any, X: Points, rows: Indices, threads: int, effort: int) -> Indices:  # noqa: ARG002
        index.nprobe = effort
        return np.asarray(index.search(X[rows], K + 1)[1])


class FaissHNSW(Method):
    """The small-world graph of faiss."""

    name, package = "faiss HNSW", "faiss"
    efforts = HNSW.efforts

    def build(self, X: Points, threads: int, effort: int) -> Any:  # noqa: ARG002
        import faiss

        faiss.omp_set_num_threads(threads)
        index = faiss.IndexHNSWFlat(X.shape[1], 16)
        index.hnsw.efConstruction = 200
        index.add(X)
        return index

    def find(self, index: Any, X: Points, rows: Indices, threads: int, effort: int) -> Indices:  # noqa: ARG002
        index.hnsw.efSearch = effort
        return np.asarray(index.search(X[rows], K + 1)[1])


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        *(Approximate(), Exact(), BruteForce(), PyNNDescent(), HNSW(), USearch()),
        *(InvertedLists(), FaissHNSW()),
    )
}


@dataclass(frozen=True)
class Run:
    """Cost and result of a search; `digest` is equal for equal neighbours of all points."""

    cost: Cost
    size: int
    effort: int
    recall: float
    digest: str


def others(found: Indices, rows: Indices) -> Indices:
    """Return the first K neighbours of each row that are not the row itself."""
    found = np.where(found == rows[:, None], -1, found)
    last = np.argsort(found < 0, axis=1, kind="stable")
    return np.take_along_axis(found, last, axis=1)[:, :K]


def recall(found: Indices, truth: Indices) -> float:
    hits = [len(np.intersect1d(a, b)) for a, b in zip(found, truth, strict=True)]
    return float(np.mean(hits)) / truth.shape[1]


def run_once(name: str, folder: Path, threads: int) -> Run:
    """Search, in a process of its own."""
    method = METHODS[name]
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few = Workload("blobs", 1000, 8).make()
        effort = method.efforts[0]
        everything = np.arange(len(few))
        method.find(method.build(few, threads, effort), few, everything, threads, effort)
        X, rows, truth = (np.load(folder / f"{part}.npy") for part in ("X", "rows", "truth"))
        everything = np.arange(len(X))
        (found, effort, seconds, cpu), whole = measure(
            lambda: search(method, X, rows, truth, threads)
        )
    neighbours = np.sort(others(found, everything), axis=1)
    digest = hashlib.sha256(np.ascontiguousarray(neighbours, dtype=np.int64).tobytes()).hexdigest()
    cost = Cost(seconds, cpu, whole.memory)
    return Run(cost, X.nbytes, effort, recall(neighbours[rows], truth), digest)


def search(
    method: Method, X: Points, rows: Indices, truth: Indices, threads: int
) -> tuple[Indices, int, float, float]:
    """Search with the least effort that is enough; the neighbours, it, seconds and CPU seconds."""

    def timed(work: Any) -> tuple[Any, float, float]:
        start, cpu = time.perf_counter(), time.process_time()
        result = work()
        return result, time.perf_counter() - start, time.process_time() - cpu

    everything = np.arange(len(X))
    for effort in method.efforts:
        if effort == method.efforts[0] or method.builds_for_effort:
            index, *built = timed(lambda: method.build(X, threads, effort))  # noqa: B023
        if len(method.efforts) > 1:
            some = others(method.find(index, X, rows, threads, effort), rows)
            if recall(some, truth) >= RECALL:
                break
    found, *searched = timed(lambda: method.find(index, X, everything, threads, effort))
    return found, effort, built[0] + searched[0], built[1] + searched[1]


def write(folder: Path, workload: Workload) -> None:
    """Write the points, and the true neighbours of some."""
    X = workload.make()
    rows = np.sort(np.random.default_rng(7).choice(len(X), min(len(X), N_SAMPLED), replace=False))
    near = BruteForce().find(BruteForce().build(X, 0, 0), X, rows, 0, 0)
    for name, part in {"X": X, "rows": rows, "truth": others(near, rows)}.items():
        np.save(folder / f"{name}.npy", part)


COLUMNS = (
    *("workload", "method", "threads", "seconds", "CPU", "memory", "effort", "recall"),
    *("same again", "same on 1 and 2 threads"),
)


def compare(workload: Workload, names: list[str], repeat: bool) -> Iterator[list[str]]:
    """Yield the rows of a workload."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        in_child(write, folder, workload)
        for name in names:
            runs = {threads: in_child(run_once, name, folder, threads) for threads in (1, 2)}
            again = in_child(run_once, name, folder, 2) if repeat else None
            for threads, run in runs.items():
                last = threads == 2
                yield [
                    *(workload.name, name, str(threads)),
                    *(f"{run.cost.seconds:.1f}", f"{run.cost.cpu:.1f}"),
                    f"{run.cost.memory / run.size:.1f}",
                    str(run.effort or ""),
                    f"{run.recall:.3f}",
                    yes(again.digest == run.digest) if last and again else "",
                    yes(runs[1].digest == run.digest) if last else "",
                ]


def yes(holds: bool) -> str:
    return "yes" if holds else "no"


def predict(n: int, d: int, threads: int) -> list[str]:
    """Return a row: the time of a fit, and new points a second."""
    X = Workload("blobs", 2 * n, d).make()
    model = PowerLawCut(affinity="nearest_neighbors", random_state=0, n_jobs=threads)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, fit = measure(lambda: model.fit(X[::2]))
    new = np.ascontiguousarray(X[1::2])
    model.predict(new[:10])  # makes the index, if the fit has not
    _, cost = measure(lambda: model.predict(new))
    return [f"{n:,}", str(threads), f"{fit.seconds:.1f}", f"{len(new) / cost.seconds:,.0f}"]


def crossover(n: int, d: int, kind: str) -> list[str]:
    """Return a row: CPU seconds of each search of so many points, on one thread."""
    X = Workload(kind, n, d).make()
    row = [kind, f"{n:,}", str(d)]
    random = np.random.default_rng(0)
    for algorithm in ("exact", "approximate"):
        how = {"n_neighbors": K, "metric": "euclidean", "algorithm": algorithm}
        _, cost = measure(
            lambda: neighbor_index(X, n_threads=1, random=random, **how).nearest_others()  # noqa: B023
        )
        row.append(f"{cost.cpu:.2f}")
    for algorithm in ("brute", "kd_tree") if d <= 15 else ("brute",):
        index = NearestNeighbors(n_neighbors=K, algorithm=algorithm)
        with threadpool_limits(1):
            _, cost = measure(lambda: index.fit(X).kneighbors())  # noqa: B023
        row.append(f"{cost.cpu:.2f}")
    return row if d <= 15 else [*row, ""]  # a k-d tree would take hours


def main() -> None:
    kinds = {"uniform": (64,), "blobs": (64, 384), "decay": (64, 384)}
    full = {
        workload.name: workload
        for n in (20_000, 100_000, 300_000, 10**6)
        for kind, dimensions in kinds.items()
        for workload in (Workload(kind, n, d) for d in dimensions)
    }
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use few points")
    small = [name for name in full if "-100k-" in name]
    parser.add_argument("--only", nargs="+", choices=full, default=small, metavar="WORKLOAD")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--no-repeat", action="store_true", help="skip the second run")
    parser.add_argument("--predict", action="store_true", help="new points a second")
    parser.add_argument("--crossover", action="store_true", help="exact or approximate")
    options = parser.parse_args()
    if options.predict or options.quick:
        print(header(("points", "threads", "seconds of the fit", "new points a second")))
        n, counts = (500, (2,)) if options.quick else (100_000, (1, 2))
        for threads in counts:
            print(markdown(in_child(predict, n, 64, threads)), flush=True)
    if options.crossover or options.quick:
        print(header(("data", "points", "d", "exact", "approximate", "brute", "k-d tree")))
        points = product((10_000, 30_000, 100_000), (2, 4, 8, 15, 64), ("blobs", "decay"))
        for n, d, kind in [(600, 2, "decay")] if options.quick else points:
            print(markdown(in_child(crossover, n, d, kind)), flush=True)
    if options.predict or options.crossover:
        return
    missing = {m.name for m in METHODS.values() if importlib.util.find_spec(m.package) is None}
    for name in options.methods:
        if name in missing:
            print(f"{name} is skipped: {METHODS[name].package} is not installed")
    names = [name for name in options.methods if name not in missing]
    names = names[:2] if options.quick else names
    print(header(COLUMNS))
    for workload in [Workload("blobs", 3000, 8)] if options.quick else map(full.get, options.only):
        assert workload is not None
        for row in compare(workload, names, not (options.no_repeat or options.quick)):
            print(markdown(row), flush=True)


if __name__ == "__main__":
    main()
