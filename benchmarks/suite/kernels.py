"""Time of the parts of a fit of a large graph."""

import numpy as np

from powercut import Graph
from powercut.datasets import make_block_graph
from powercut.graphs.block_model import BlockModel, block_level
from powercut.graphs.description import describe
from powercut.graphs.level import Moved
from powercut.graphs.scores import Modularity
from powercut.partition import Labels
from powercut.search.objective import Objective

Cache = dict[int, tuple[Graph, Labels]]


class Kernels:
    """Kernels on a block model graph, at its true clusters if they take labels."""

    params = ([100_000], [1, 2])
    param_names = ("n", "n_jobs")
    timeout = 600.0

    def setup_cache(self) -> Cache:
        return {n: make_block_graph(n, random_state=1) for n in self.params[0]}

    def setup(self, cache: Cache, n: int, n_jobs: int) -> None:
        self.graph, truth = cache[n]
        self.level = block_level(self.graph, n_threads=n_jobs)
        self.model = BlockModel.of(self.graph, degree_corrected=False)
        self.likelihood = self.model.estimate(self.level.cluster_stats(truth))
        modularity = Modularity(1.0, self.graph.total_weight)
        self.modularity = Objective(modularity, self.likelihood.without_prior().regulariser)
        self.singletons = np.arange(n, dtype=np.int32)
        settled = self._moves(truth, self.likelihood, exhaustive=True)
        self.settled, self.n_clusters = settled.labels, settled.n_clusters

    def _moves(self, labels: Labels, objective: Objective, *, exhaustive: bool = False) -> Moved:
        random = np.random.default_rng(0)
        return self.level.local_moves(
            labels, objective, random=random, cancel=None, exhaustive=exhaustive
        )

    def time_moves_from_singletons(self, *_: object) -> None:
        self._moves(self.singletons, self.modularity)

    def time_sweep_without_moves(self, *_: object) -> None:
        self._moves(self.settled, self.likelihood)

    def time_aggregate(self, *_: object) -> None:
        self.level.aggregate(self.settled, self.n_clusters, None)

    def time_cluster_stats(self, *_: object) -> None:
        self.level.cluster_stats(self.settled)

    def time_margins(self, *_: object) -> None:
        self.level.margins(self.settled, self.likelihood)

    def time_description(self, *_: object) -> None:
        describe(self.graph, self.level, self.settled, self.model)
