"""The part of `PowerLawCut` that searches for clusters: of the block model, or of another score."""

import warnings
from typing import Any

import numpy as np

from powercut._typing import LABEL, FloatArray, Labels
from powercut._validation import effective_jobs
from powercut.estimators._common import max_passes, warn_if_unfinished
from powercut.graphs.block_fit import BlockFit
from powercut.graphs.block_model import counts_per_weight, kind_of_weights
from powercut.graphs.block_search import BlockSearch
from powercut.graphs.fit import fit_blocks
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.lloyd import lloyd_graph
from powercut.graphs.scores import GraphObjective, GraphScore
from powercut.graphs.starts import connect, graph_starts, search_graph, split
from powercut.partition import check_labels, separate
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.objective import SearchResult
from powercut.search.starts import start_from_labels


class GraphSearchMixin:
    """Runs the search that the parameters ask for."""

    algorithm: str
    connected: bool
    init: Any
    n_init: int
    n_jobs: int | None
    weights: str

    def _search_blocks(
        self,
        graph: Graph,
        level: Level,
        prior: PitmanYor | None,
        tradeoff: float | None,
        random: np.random.Generator,
        reporter: ProgressReporter,
    ) -> tuple[BlockFit, dict[str, Any]]:
        """Fit the block model of the likelihood; return the fit and its own attributes."""
        weights = kind_of_weights(graph) if self.weights == "auto" else self.weights
        if level.is_large and self.init is None and self.n_init > 1:
            warnings.warn(
                f"n_init={self.n_init} has no effect: a graph as large as this one "
                f"({graph.n_nodes} nodes) is searched from one start.",
                stacklevel=3,
            )
        search = BlockSearch(
            graph,
            level,
            labels=self._init_labels(graph, level),
            n_init=self.n_init,
            connected=self.connected,
            n_jobs=effective_jobs(self.n_jobs),
            random=random,
            reporter=reporter,
        )
        unit = counts_per_weight(graph, weights)
        fit = fit_blocks(search, unit=unit, tradeoff=tradeoff, prior=prior)
        return fit, {"weights_": weights, "degree_corrected_": fit.model.degree_corrected}

    def _init_labels(self, graph: Graph, level: Level) -> Labels | None:
        if self.init is None:
            return None
        labels = separate(check_labels(self.init, graph.n_nodes, "init"), graph.isolated)
        return level.contract(labels)

    def _search(
        self,
        graph: Graph,
        level: Level,
        objective: GraphObjective,
        weight: FloatArray | None,
        random: np.random.Generator,
        reporter: ProgressReporter,
    ) -> SearchResult:
        init = self._init_labels(graph, level)
        if self.algorithm == "lloyd":
            found = lloyd_graph(
                graph,
                objective,
                weight=weight,
                labels=init,
                max_iter=max_passes(self),
                cancel=reporter,
            )
            (shift,) = objective.score.parameters()
            if shift < 0:
                warnings.warn(
                    f"Algorithm 1 may not converge: shift={shift} < 0 keeps its kernel from "
                    "being positive definite.",
                    stacklevel=3,
                )
            warn_if_unfinished(self, found)
            return found
        starts = (
            graph_starts(level, objective, self.n_init)
            if init is None
            else [start_from_labels(init)]
        )
        n_jobs = effective_jobs(self.n_jobs)
        return search_graph(
            level, objective, starts=starts, n_jobs=n_jobs, random=random, reporter=reporter
        )

    def _connect(
        self,
        level: Level,
        objective: GraphObjective,
        found: SearchResult,
        random: np.random.Generator,
        reporter: ProgressReporter,
    ) -> SearchResult:
        if not self.connected:
            return found
        if self.algorithm == "lloyd":
            return split(level, objective, found)
        return connect(level, objective, found, random=random, cancel=reporter)


def check_costs(level: Level, score: GraphScore) -> None:
    """Raise if the cost of one cluster, or of the singletons, is not finite."""
    for labels in (np.zeros(level.n, dtype=LABEL), np.arange(level.n, dtype=LABEL)):
        if not level.n:
            return
        with np.errstate(all="ignore"):
            cost = score.cost(level.cluster_stats(labels)).sum()
        if not np.isfinite(cost):
            raise ValueError(
                f"score={score.name!r} is {cost} for a partition into {labels.max() + 1} clusters: "
                "weights of edges, sample_weight, shift or resolution are too large or too small "
                "for float64. Rescale them."
            )
