"""Time, peak of memory and quality of whole fits, on data of powercut's own generators."""

from abc import ABC, abstractmethod
from typing import Any

import numpy.typing as npt
from sklearn.base import ClusterMixin
from sklearn.metrics import normalized_mutual_info_score

from powercut import PowerLawCut, PowerLawMeans
from powercut.datasets import make_blobs, make_block_graph

Cache = dict[int, tuple[Any, npt.ArrayLike]]


class Fits(ABC):
    """Fits of one estimator to data of several sizes, with several threads."""

    params: tuple[list[int], list[int]]
    param_names = ("n", "n_jobs")
    number, repeat, warmup_time = 1, 3, 0.0
    timeout = 600.0

    # In each class: asv tells caches apart by the lines that make them. Made in a process of
    # its own, data leave no trace in the peak of memory.
    @abstractmethod
    def setup_cache(self) -> Cache:
        """Return data and true labels of each size."""

    @abstractmethod
    def model(self, n_jobs: int) -> ClusterMixin:
        """Return the estimator."""

    def time_fit(self, cache: Cache, n: int, n_jobs: int) -> None:
        self.model(n_jobs).fit(cache[n][0])

    def peakmem_fit(self, cache: Cache, n: int, n_jobs: int) -> None:
        self.model(n_jobs).fit(cache[n][0])

    def track_lost_nmi(self, cache: Cache, n: int, n_jobs: int) -> float:
        """Return 1 - NMI with the true labels: asv takes a larger number for a worse one."""
        X, truth = cache[n]
        return 1 - float(normalized_mutual_info_score(truth, self.model(n_jobs).fit(X).labels_))


class BlockGraphs(Fits):
    """Sparse graphs of blocks; from a million entries on they are searched once."""

    params = ([10_000, 100_000], [1, 2])

    def setup_cache(self) -> Cache:
        return {n: make_block_graph(n, random_state=1) for n in self.params[0]}

    def model(self, n_jobs: int) -> ClusterMixin:
        return PowerLawCut(n_jobs=n_jobs, random_state=0)


class MixedBlockGraphs(BlockGraphs):
    """The same, with two of five edges between blocks."""

    def setup_cache(self) -> Cache:
        return {n: make_block_graph(n, mixing=0.4, random_state=1) for n in self.params[0]}


class Blobs(Fits):
    """Gaussian clusters; from 20,000 points on they are searched by way of a sample."""

    params = ([5000, 50_000], [1, 2])

    def setup_cache(self) -> Cache:
        return {n: make_blobs(n, random_state=11) for n in self.params[0]}

    def model(self, n_jobs: int) -> ClusterMixin:
        return PowerLawMeans(n_jobs=n_jobs, random_state=0)
