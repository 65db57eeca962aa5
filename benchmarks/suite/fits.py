"""Time, peak memory and quality of complete fits, on generated data."""

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

    # Defined in each class: asv identifies caches by their source lines. asv makes them in a
    # separate process, so that they do not affect the peak memory.
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
        """Return 1 - NMI with the true labels: for asv, larger is worse."""
        X, truth = cache[n]
        return 1 - float(normalized_mutual_info_score(truth, self.model(n_jobs).fit(X).labels_))


class BlockGraphs(Fits):
    """Sparse block model graphs; those with a million entries or more have one start."""

    params = ([10_000, 100_000], [1, 2])

    def setup_cache(self) -> Cache:
        return {n: make_block_graph(n, random_state=1) for n in self.params[0]}

    def model(self, n_jobs: int) -> ClusterMixin:
        return PowerLawCut(n_jobs=n_jobs, random_state=0)


class MixedBlockGraphs(BlockGraphs):
    """The same, with 40 % of the edges between blocks."""

    def setup_cache(self) -> Cache:
        return {n: make_block_graph(n, mixing=0.4, random_state=1) for n in self.params[0]}


class Blobs(Fits):
    """Gaussian clusters; the search of 20,000 points or more begins with a sample."""

    params = ([5000, 50_000], [1, 2])

    def setup_cache(self) -> Cache:
        return {n: make_blobs(n, random_state=11) for n in self.params[0]}

    def model(self, n_jobs: int) -> ClusterMixin:
        return PowerLawMeans(n_jobs=n_jobs, random_state=0)
