"""Searches for nearest neighbours: powercut's, and those of its peers.

A peer has several degrees of effort; more of it finds more of the true neighbours.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import NearestNeighbors

from powercut.graphs.neighbor_index import neighbor_index

Points = npt.NDArray[np.float32]
Indices = npt.NDArray[np.integer]
K = 15


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
