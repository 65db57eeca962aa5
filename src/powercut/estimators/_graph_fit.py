"""The fit of `PowerLawCut`, without importing scikit-learn.

Importing scikit-learn takes as long as clustering a graph of a million edges, so the command line
does not import it.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp

from powercut._typing import FloatArray, Labels, Positions, Random
from powercut._validation import (
    check_choice,
    check_flag,
    check_real,
    check_sample_weight,
    check_tradeoff,
    effective_jobs,
)
from powercut.estimators._common import (
    check_search,
    default_prior,
    given_prior,
    make_random,
    set_fitted,
    set_optional,
    warn_of_one_cluster,
)
from powercut.estimators._constraints import read_known
from powercut.estimators._foreign_names import answers_foreign_names
from powercut.estimators._graph_constraints import (
    check_constrainable,
    constraints_of,
)
from powercut.estimators._graph_input import GivenGraph, GraphInputMixin
from powercut.estimators._graph_posterior import GraphPosterior
from powercut.estimators._graph_prior_labels import Found, PriorLabelsMixin, read_prior_labels
from powercut.estimators._graph_scales import GraphScalesMixin
from powercut.estimators._graph_search import GraphSearchMixin, check_costs
from powercut.estimators._graph_update import OF_UPDATES, GraphUpdateMixin
from powercut.estimators._named_labels import NamedLabelsMixin
from powercut.estimators._node_ids import NodeIds
from powercut.estimators._posterior import PosteriorMixin
from powercut.estimators._stopping import BEFORE_TREE, check_stopping, reporting, stopping
from powercut.estimators._unused import check_starts_used, check_used, graph_scores_with
from powercut.estimators.confidence import cluster_evidence, node_margins
from powercut.graphs.block_model import (
    WEIGHTS,
    block_level,
)
from powercut.graphs.constraints import constrained_level
from powercut.graphs.description import describe
from powercut.graphs.level import Level
from powercut.graphs.lloyd import check_kernel
from powercut.graphs.prior_labels import PriorLabels
from powercut.graphs.scores import (
    GRAPH_SCORES,
    ClusterStats,
    GraphObjective,
    Likelihood,
    graph_score,
)
from powercut.prior import PitmanYor
from powercut.search.objective import Objective, Regulariser, SearchResult

if TYPE_CHECKING:
    from powercut.graphs.size_limits import SizeLimits
    from powercut.graphs.tree import ClusterTree

# Defaults of all scores but the likelihood: weight of the size prior, shift and resolution.
DEFAULT_TRADEOFF, DEFAULT_SHIFT, DEFAULT_RESOLUTION = 1e-4, -0.2, 1.0
OPTIONAL = (
    *("affinity_matrix_", "description_length_", "degree_corrected_", "weights_"),
    *("tree_", "_description", "_known"),
)


class GraphFit(
    GraphUpdateMixin,
    GraphSearchMixin,
    GraphScalesMixin,
    PriorLabelsMixin,
    GraphInputMixin,
    NamedLabelsMixin,
    PosteriorMixin,
):
    """`PowerLawCut` without the base classes of scikit-learn; parameters are documented there."""

    cluster_sizes_: Positions
    objective_: float
    tree_: "ClusterTree"
    stopped_early_: bool

    @answers_foreign_names
    def __init__(
        self,
        score: str = "likelihood",
        *,
        tradeoff: float | str = "auto",
        concentration: float | None = None,
        discount: float | None = None,
        shift: float | None = None,
        resolution: float | None = None,
        weights: str = "auto",
        algorithm: str = "multilevel",
        connected: bool = True,
        init: Any = None,
        affinity: str = "precomputed",
        n_neighbors: int | None = None,
        gamma: float | None = None,
        min_size: int | None = None,
        max_size: int | None = None,
        tree: bool = False,
        n_init: int = 1,
        max_iter: int | None = None,
        max_seconds: float | None = None,
        on_interrupt: str = "raise",
        progress: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.score = score
        self.tradeoff = tradeoff
        self.concentration = concentration
        self.discount = discount
        self.shift = shift
        self.resolution = resolution
        self.weights = weights
        self.algorithm = algorithm
        self.connected = connected
        self.init = init
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.min_size = min_size
        self.max_size = max_size
        self.tree = tree
        self.n_init = n_init
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.on_interrupt = on_interrupt
        self.progress = progress
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        sample_weight: Any = None,
        *,
        fixed: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
        prior_labels: Any = None,
        prior_nats: float | None = None,
    ) -> Self:
        """Find the clusters of a graph, all of them or those that are not known yet.

        What is known is told by constraints, all of which are kept, and by prior labels, which may
        be wrong. Nodes are given by their names, or by their numbers if they have none.

        Parameters
        ----------
        X : Graph, sparse or dense matrix, networkx or igraph graph, table, path; or vectors
            The graph: anything that `powercut.Graph.wrap` accepts, or a table of edges, of two or
            three columns, as in `powercut.Graph.from_edges`. Or, if `affinity` is not
            ``"precomputed"``, the vectors, of shape (n_samples, n_features).
        y : None
            Ignored.
        sample_weight : array-like of shape (n_nodes,), optional
            Node weights, for ``rcut``, ``rassoc`` and ``cpm``.
        fixed : array-like of shape (n_nodes,) of int, or mapping of node to label, optional
            Nodes with the same label share a cluster, nodes with different ones do not. Nodes of
            label -1, and nodes that a mapping does not have, are free. `cluster_ids_` has the
            label of each cluster with fixed nodes.
        must_link : array-like of shape (m, 2), sequence of groups, or table, optional
            Nodes that share a cluster: a pair in each row, or a group of any size.
        cannot_link : array-like of shape (m, 2), or table, optional
            Pairs of nodes that do not share a cluster.
        prior_labels : array-like of shape (n_nodes,) of int, or mapping of node to label, optional
            Labels that attract nodes, but do not bind them: some may be wrong. A label has one
            cluster at most, different labels have different ones, chosen so that as many nodes
            as possible are in the cluster of their label; that of a label at which nodes are fixed
            is theirs. `prior_moved_` are the nodes that are elsewhere. Nodes of label -1, and nodes
            that a mapping does not have, have no label. A node that is fixed may only have the same
            prior label. A node joins the cluster of its label over an edge; without one only if it
            has no neighbours.
        prior_nats : float, optional
            What it costs, in nats, if a node is not in the cluster of its prior label. A label that
            is right with probability q multiplies the odds of its cluster by q / (1 - q), so this
            is ln(q / (1 - q)); default: ln 99 = 4.6, for labels of which 99% are right. The smaller
            it is, the nearer are the clusters to those without prior labels; the larger, to those
            with nodes `fixed` at them.

        Returns
        -------
        self
        """
        given = {"fixed": fixed, "must_link": must_link, "cannot_link": cannot_link}
        check_constrainable(self, given | {"prior_labels": prior_labels})
        check_search(self)
        check_stopping(self)
        check_choice("score", self.score, tuple(sorted(GRAPH_SCORES)))
        check_choice("weights", self.weights, ("auto", *WEIGHTS))
        if self.algorithm == "lloyd":
            check_kernel(GRAPH_SCORES[self.score])
        check_flag(self.connected, "connected")
        check_flag(self.tree, "tree")
        limits = self._limits()
        prior, tradeoff = self._prior(), self._tradeoff()
        shift = DEFAULT_SHIFT if self.shift is None else check_real(self.shift, "shift")
        resolution = DEFAULT_RESOLUTION
        if self.resolution is not None:
            resolution = check_real(self.resolution, "resolution", min_val=0)
        self._check_used()
        self._check_attractable(prior_labels, tradeoff)
        if sample_weight is not None and not GRAPH_SCORES[self.score].uses_weights:
            raise ValueError(
                f"score={self.score!r} has no node weights, but sample_weight was given; "
                "use 'rcut', 'rassoc' or 'cpm', or leave sample_weight out."
            )
        with reporting(self) as reporter:
            with reporter.part(0.05, "input"):
                graph, made = self._make_graph(X)
                graph.check_sum()  # those of files were not made by the constructor
            weight = check_sample_weight(sample_weight, graph.n_nodes)
            n_threads = effective_jobs(self.n_jobs)
            if self.score == Likelihood.name:
                level = block_level(graph, n_threads=n_threads)
            else:
                level = Level.finest(graph, weight, n_threads=n_threads)
            known = read_known(NodeIds(graph.names, graph.n_nodes), **given)
            constraints = constraints_of(graph, known)
            searched = level if constraints is None else constrained_level(level, constraints)
            attracting = read_prior_labels(
                graph, known, prior_labels=prior_labels, prior_nats=prior_nats
            )

            def search(searched: Level, random: Random) -> Found:
                if self.score == Likelihood.name:
                    fit, attributes = self._search_blocks(
                        graph, searched, prior, tradeoff, random, reporter
                    )
                    return Found(fit.found, fit.objective, fit.model, attributes)
                score = graph_score(
                    self.score,
                    total_weight=graph.total_weight,
                    shift=shift,
                    resolution=resolution,
                )
                assert prior is not None  # only the likelihood estimates them
                assert tradeoff is not None
                check_costs(level, score)
                objective = Objective(score, Regulariser(prior, tradeoff))
                found = self._search(graph, searched, objective, weight, random, reporter)
                found = self._connect(searched, objective, found, random, reporter)
                return Found(found, objective)

            random = make_random(self.random_state)
            with reporter.part(0.9, "search"), stopping(self, reporter):
                with reporter.part(BEFORE_TREE if self.tree else 1.0):
                    if attracting is None:
                        best = search(searched, random)
                    else:
                        best = self._search_attracted(
                            graph, level, searched, attracting, search, random, reporter
                        )
                    objective, optional = best.objective, best.attributes
                    found = replace(best.result, labels=searched.expand(best.result.labels))
                    if limits is not None:
                        base = self._tree_base(graph, found, objective, optional)
                        found = self._limit_sizes(level, found, objective, base, limits, reporter)
                if self.tree:
                    with reporter.part(1.0, "levels"):
                        base = self._tree_base(graph, found, objective, optional)
                        tree = base.grow(
                            n_threads=n_threads,
                            random=make_random(self.random_state),
                            reporter=reporter,
                            limits=limits,
                        )
            with reporter.part(1.0, "results"):
                self._input = made or GivenGraph.of_user(graph, X)
                self._set_names(graph)
                self._set_results(level, weight, objective, found, limits, attracting)
                if best.model is not None:
                    description = describe(
                        graph, level, self.labels_, best.model, stats=self._posterior.stats
                    )
                    optional["_description"] = description
                    optional["description_length_"] = description.nats
                    if self.init is None and not self.stopped_early_:
                        is_set = tradeoff is not None
                        warn_if_unsplit(level, self.labels_, self.tradeoff_, given=is_set)
                if self.affinity != "precomputed":
                    optional["affinity_matrix_"] = graph.adjacency
                if self.tree:
                    optional["tree_"] = tree
                if constraints is not None:
                    optional["_known"] = known
                set_optional(self, OPTIONAL, optional)
                for name in OF_UPDATES:
                    self.__dict__.pop(name, None)
                if known.fixed is not None:
                    self.cluster_ids_ = known.cluster_ids(self.labels_)
                    self._next_id = int(self.cluster_ids_.max()) + 1
        return self

    def _check_used(self) -> None:
        """Raise if a parameter was set that the score or the algorithm does not use."""
        for name in ("shift", "resolution"):
            check_used(self, name, by="score", choices=graph_scores_with(name))
        check_used(self, "weights", by="score", choices=[Likelihood.name], unset="auto")
        check_used(self, "max_iter", by="algorithm", choices=["lloyd"])
        check_starts_used(self)

    def _set_results(
        self,
        level: Level,
        weight: FloatArray | None,
        objective: GraphObjective,
        found: SearchResult,
        limits: "SizeLimits | None",
        attracting: PriorLabels | None,
    ) -> None:
        """Set the attributes that every fit has."""
        set_fitted(self, found)
        self.objective_unconnected_ = float(found.path[-1])
        stats = level.cluster_stats(self.labels_)
        self._set_objective(objective, weight, stats)
        self._keep_prior_labels(attracting)
        native, pulls = None if limits is None else limits.native, self._pulls(level, attracting)
        self.margins_ = node_margins(
            level, self.labels_, objective, limits=native, pulls=pulls, stats=stats
        )
        self.cluster_evidence_ = cluster_evidence(level, self.labels_, objective)

    def _set_objective(
        self, objective: GraphObjective, weight: FloatArray | None, stats: ClusterStats
    ) -> None:
        """Set J, its parameters, and what predictions need."""
        self.concentration_ = objective.regulariser.prior.concentration
        self.discount_ = objective.regulariser.prior.discount
        self.tradeoff_ = objective.regulariser.tradeoff
        self._posterior = GraphPosterior(objective, self.labels_, weight, stats)

    def _tradeoff(self) -> float | None:
        """Return the tradeoff that was set, or the default of the score; None is estimated."""
        tradeoff = check_tradeoff(self.tradeoff)
        default = None if self.score == Likelihood.name else DEFAULT_TRADEOFF
        return default if tradeoff is None else tradeoff

    def _prior(self) -> PitmanYor | None:
        """Return the prior that was set, or the default of the score; None is estimated."""
        if self.score == Likelihood.name:
            return given_prior(self)
        return default_prior(self, concentration=1.0, discount=0.2)

    @property
    def _fitted_tradeoff(self) -> float:
        return self._posterior.objective.regulariser.tradeoff

    def _costs(self, rows: sp.csr_array, index: Positions) -> FloatArray:
        return self._posterior.costs(rows, index)


def warn_if_unsplit(level: Level, labels: Labels, tradeoff: float, *, given: bool) -> None:
    """Warn if one component has most of the nodes and is a single cluster."""
    if len(labels) < 2:
        return
    components = level.components
    members = components == np.bincount(components).argmax()
    if members.mean() > 0.5 and len(np.unique(labels[members])) == 1:
        warn_of_one_cluster(int(members.sum()), "connected nodes", tradeoff, given=given)
