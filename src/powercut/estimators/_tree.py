"""The tree around fitted clusters: the graph and the likelihood by which its levels are found.

A graph has the model that was fitted to it. Vectors have the graph of their nearest neighbours,
whichever way their clusters were found in: edges near each other are there for the same points, so
the likelihood is tempered (`powercut.graphs.dependence`), and the model is the one of the shorter
description.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from powercut._typing import Labels, Random
from powercut.graphs.block_model import BlockModel, block_level, counts_per_weight, kind_of_weights
from powercut.graphs.dependence import needed_tradeoff
from powercut.graphs.description import describe
from powercut.graphs.graph import Graph
from powercut.graphs.hierarchy import find_hierarchy
from powercut.graphs.nested import NestedModel
from powercut.graphs.size_limits import Folded, SizeLimits, limit_sizes
from powercut.graphs.tree import ClusterTree
from powercut.progress import ProgressReporter


@dataclass(frozen=True)
class TreeBase:
    """What the levels of a tree are searched around.

    Attributes
    ----------
    graph : Graph
        The graph, or that of the neighbours of vectors.
    labels : ndarray of int32
        Canonical labels of the fitted partition.
    model : NestedModel
        The likelihood of nested clusters of the graph.
    """

    graph: Graph
    labels: Labels
    model: NestedModel

    @classmethod
    def of_graph(
        cls, graph: Graph, labels: Labels, *, fitted: Mapping[str, Any], tradeoff: float
    ) -> "TreeBase":
        """Take the block model of the fit; if it has none, one of independent edges.

        `fitted` are the attributes of the fit, with ``degree_corrected_`` and ``weights_`` if it is
        one of a block model.
        """
        has_model = "degree_corrected_" in fitted
        weights = fitted["weights_"] if has_model else kind_of_weights(graph)
        model = BlockModel.of(
            graph,
            degree_corrected=fitted["degree_corrected_"] if has_model else True,
            unit=counts_per_weight(graph, weights),
            tradeoff=max(tradeoff, 1.0) if has_model else 1.0,
        )
        return cls(graph, labels, NestedModel(model))

    @classmethod
    def of_vectors(
        cls, points: Any, labels: Labels, *, n_threads: int, random: Random
    ) -> "TreeBase":
        """Take the graph of the nearest neighbours, and the model that describes it shorter."""
        from powercut.graphs import neighbors  # imports scikit-learn, which is slow

        graph = neighbors.graph(points, n_jobs=n_threads, random_state=0)
        level = block_level(graph, n_threads=n_threads)
        models = [BlockModel.of(graph, degree_corrected=corrected) for corrected in (False, True)]
        nats = [describe(graph, level, labels, model).nats for model in models]
        model = models[int(np.argmin(nats))]
        tradeoff = needed_tradeoff(graph, labels, model, random=random)
        return cls(graph, labels, NestedModel(model.with_tradeoff(max(tradeoff, 1.0))))

    def limit_sizes(
        self, limits: SizeLimits, *, n_threads: int, random: Random, reporter: ProgressReporter
    ) -> tuple[Labels, Folded]:
        """Join and divide clusters; see `powercut.graphs.size_limits`."""
        level = block_level(self.graph, n_threads=n_threads)
        return limit_sizes(level, self.labels, limits, self.model, random=random, cancel=reporter)

    def grow(
        self,
        *,
        n_threads: int,
        random: Random,
        reporter: ProgressReporter,
        prune: bool = True,
        limits: SizeLimits | None = None,
    ) -> ClusterTree:
        """Search the levels; see `powercut.graphs.hierarchy.find_hierarchy`."""
        level = block_level(self.graph, n_threads=n_threads)
        hierarchy = find_hierarchy(
            level,
            self.labels,
            self.model,
            prune=prune,
            limits=SizeLimits() if limits is None else limits,
            random=random,
            reporter=reporter,
        )
        return ClusterTree.of(level, hierarchy, self.model, names=self.graph.names)
