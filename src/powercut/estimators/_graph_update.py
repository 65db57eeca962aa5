"""`PowerLawCut.update`: the clusters of a graph that has changed a little."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from powercut import _core
from powercut._typing import LABEL, BoolArray, FloatArray, Labels, Positions
from powercut._utils import cached_property
from powercut._validation import check_real, effective_jobs
from powercut.disk.updates import GraphFolder
from powercut.estimators._common import given_prior, make_random, set_fitted
from powercut.estimators._constraints import read_known
from powercut.estimators._graph_changes import changed_graph
from powercut.estimators._graph_constraints import constraints_of
from powercut.estimators._graph_input import GivenGraph, folder_of
from powercut.estimators._graph_posterior import GraphPosterior
from powercut.estimators._graph_refit import GraphRefitMixin
from powercut.estimators._lasting_constraints import LastingConstraints
from powercut.estimators._lasting_ids import LASTING
from powercut.estimators._lasting_prior_labels import LastingPriorLabels
from powercut.estimators._node_ids import NodeIds
from powercut.estimators._stopping import reporting, stopping
from powercut.estimators.confidence import cluster_evidence, node_margins
from powercut.graphs.block_model import (
    BlockModel,
    block_level,
    counts_per_weight,
    kind_of_weights,
)
from powercut.graphs.constraints import constrained_level
from powercut.graphs.description import describe
from powercut.graphs.edits import Edited
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.prior_labels import PriorLabels
from powercut.graphs.scores import BlockScore, ClusterStats, GraphObjective, Likelihood
from powercut.graphs.update import Updated, UpdateSearch, possible_cuts
from powercut.partition import compact_labels, separate
from powercut.progress import ProgressReporter
from powercut.search.fit import Description
from powercut.search.known import Known

# Attributes that are computed when they are first used after an update.
LATER = ("margins_", "cluster_evidence_", "_description", "description_length_")
# Attributes that only a model that was updated has.
OF_UPDATES = (*LASTING, "drift_", "_unseen")


class GraphUpdateMixin(LastingConstraints, LastingPriorLabels, GraphRefitMixin):
    """The part of `PowerLawCut` that follows a graph through its changes."""

    score: str
    affinity: str
    min_size: int | None
    max_size: int | None
    tree: bool
    connected: bool
    init: Any
    tradeoff: float | str
    weights: str
    n_jobs: int | None
    random_state: Any

    labels_: Labels
    n_clusters_: int
    degree_corrected_: bool
    weights_: str
    tradeoff_: float
    concentration_: float
    discount_: float
    n_features_in_: int
    _posterior: GraphPosterior
    _input: Any
    objective_: float
    stopped_early_: bool

    if TYPE_CHECKING:
        node_names_: Any
        _frame_library: str | None

        def _set_names(self, graph: Graph) -> None: ...
        def _tradeoff(self) -> float | None: ...
        def _check_attractable(self, prior_labels: Any, tradeoff: float | None) -> None: ...
        def _set_objective(
            self, objective: GraphObjective, weight: FloatArray | None, stats: ClusterStats
        ) -> None: ...

    @cached_property
    def margins_(self) -> FloatArray:
        """Log posterior odds of each node's cluster against the best other one."""
        level, objective = self._level, self._posterior.objective
        pulls = self._pulls(level, self._attracting)
        return node_margins(level, self.labels_, objective, pulls=pulls)

    @cached_property
    def cluster_evidence_(self) -> FloatArray:
        """Evidence for each cluster against merging it with the best other one."""
        return cluster_evidence(self._level, self.labels_, self._posterior.objective)

    @cached_property
    def _description(self) -> Description:
        model = self._block_model(self._graph)
        return describe(self._graph, self._level, self.labels_, model, stats=self._posterior.stats)

    @cached_property
    def description_length_(self) -> float:
        """Description length of the graph in nats."""
        return self._description.nats

    @property
    def _graph(self) -> Graph:
        graph: Graph | None = self._input.graph
        if graph is None:
            raise AttributeError("the model has no graph in memory")
        return graph

    @property
    def _level(self) -> Level:
        return block_level(self._graph, n_threads=effective_jobs(self.n_jobs))

    def update(
        self,
        *,
        added: Any = None,
        removed: Any = None,
        added_nodes: Any = None,
        removed_nodes: Any = None,
        fixed: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
        prior_labels: Any = None,
        prior_nats: float | None = None,
        inertia: float = 0.5,
        refit: bool | str = False,
        graph: Any = None,
    ) -> Self:
        """Follow the graph of the fit through a change, and keep the ids of its clusters.

        The search starts from the clusters before. The ends of changed edges are moved first, then
        neighbours of nodes that moved. Clusters of which 3% have changed are also divided
        and joined, where that lowers J. The parameters are estimated again, except for the tradeoff
        and the choice between the uniform and the degree-corrected model. A change of a few edges
        takes a fraction of the time of a fit; after many changes, a fit may find better clusters.
        Constraints of the fit, and of earlier updates, stay in force, and prior labels attract
        nodes.

        Only for graphs, with ``score="likelihood"``. The changed graph is kept in memory. The graph
        folder that a model was fitted to, or that `graph` names, follows: what has changed is
        appended to it. When a tenth of its entries have changed, its arrays are written again. To
        leave it as it is, pass ``graph=powercut.disk.open_blocks(path)``.

        Parameters
        ----------
        added, removed : table, or tuple (u, v) or (u, v, weight) of arrays, optional
            Edges, by the ids of their ends: names, or numbers if nodes have no names. An edge is
            removed whole, whatever its weight. Then the weights of added edges are added to those
            of the graph; ids that are new are nodes that come. Each edge may be listed once or
            in both directions, as in a table of `powercut.Graph.from_edges`.
        added_nodes : array-like of int or str, optional
            Nodes that come without edges.
        removed_nodes : array-like of int or str, optional
            Nodes that go, with all their edges. If nodes were numbered, those that stay keep their
            numbers, as `node_names_`. What followed from their constraints for other nodes stays.
        fixed, must_link, cannot_link : optional
            More constraints, as in `fit`, for nodes of the changed graph; nodes that are not given
            stay as they were. A label of `fixed` that is the id of a cluster needs a node of it.
        prior_labels, prior_nats : optional
            More prior labels, as in `fit`, or others; nodes that are not given, or at -1, keep
            theirs, unless they are `fixed` now. The nats are those of all labels, and may be given
            alone; default: as before.
        inertia : float, default=0.5
            The gain in nats above which a node leaves its cluster, so that noise does not move it.
        refit : {False, "warn", "auto", True}, default=False
            Whether to fit the changed graph from scratch after the update; clusters keep the ids of
            those that they continue, as in `powercut.match`. ``"auto"``: if a fit is worth it,
            because it would shorten the description by more than .1%; ``"warn"``: warn then. That
            is estimated (`drift_`) each time that 1% of the edges have changed; not with prior
            labels.
        graph : Graph or anything that `fit` takes, optional
            The graph before the change; only for a model that does not have it, because it was
            loaded from a file, or fitted to a graph that is not in memory. A graph folder that the
            model was fitted to is opened without it.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> from powercut import PowerLawCut
        >>> A = np.kron(np.eye(2), np.ones((10, 10)) - np.eye(10))
        >>> model = PowerLawCut(random_state=0).fit(A)
        >>> u, v = np.triu_indices(5, 1)
        >>> model.update(added=(20 + u, 20 + v)).cluster_ids_
        array([0, 1, 2])
        >>> model.changes_.to_frame()
           id change  other  before  after  kept
        0   2   born     -1       0      5     0
        """
        inertia = check_real(inertia, "inertia", min_val=0)
        before, folder = self._graph_before(graph)
        self._check_refit(refit, prior_labels)
        self._check_attractable(prior_labels, self._tradeoff())
        old = self.labels_, self.cluster_ids_, self._next_id
        with reporting(self) as reporter:
            with reporter.part(0.3, "input"):
                edited = changed_graph(
                    before,
                    added=added,
                    removed=removed,
                    added_nodes=added_nodes,
                    removed_nodes=removed_nodes,
                )
                self._check_weights(edited.graph)
                given = {"fixed": fixed, "must_link": must_link, "cannot_link": cannot_link}
                ids = NodeIds(edited.graph.names, edited.graph.n_nodes)
                known = self._known_after(ids, edited.before, read_known(ids, **given))
                constraints = constraints_of(edited.graph, known)
                prior = self._prior_labels_after(
                    edited.graph,
                    edited.before,
                    known,
                    prior_labels=prior_labels,
                    prior_nats=prior_nats,
                )
                level = block_level(edited.graph, n_threads=effective_jobs(self.n_jobs))
                if constraints is not None:
                    level = constrained_level(level, constraints)
            with reporter.part(0.9, "search"), stopping(self, reporter):
                updated = self._search_changes(edited, level, prior, inertia, reporter)
            with reporter.part(1.0, "results"):
                if folder is not None:  # before the model, which is as it was if this fails
                    folder.follow(edited.graph, edited.change)
                self._set_updated(edited, updated, known, prior)
        if self._refit_is_due(refit, float(edited.changed.sum())):
            self._refit()
            self._continue_ids(*old, edited.before)
        self._input.folder = folder
        return self

    def _graph_before(self, graph: Any) -> tuple[Graph, GraphFolder | None]:
        """Return the graph before the change, and its folder; raise if there can be no update."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "labels_")
        for name, needed in (("score", Likelihood.name), ("affinity", "precomputed")):
            if getattr(self, name) != needed:
                raise ValueError(
                    f"update needs {name}={needed!r}, but the model has "
                    f"{name}={getattr(self, name)!r}: fit the changed graph again."
                )
        if self.tree:
            raise ValueError(
                "update does not keep tree_: fit with tree=False, and find the tree of the changed "
                "graph with powercut.cluster_tree."
            )
        if self.min_size is not None or self.max_size is not None:
            raise ValueError(
                "update does not keep min_size and max_size: fit the changed graph again."
            )
        folder: GraphFolder | None = self._input.folder
        if self._input.graph is not None:
            if graph is not None:
                raise ValueError("graph is only for a model that does not have it; this one does.")
            return self._graph, folder
        if graph is not None:
            folder = folder_of(graph)
        elif folder is None:
            raise ValueError(
                "the model has no graph in memory: pass the one before the change as graph."
            )
        return self._given_graph(graph if folder is None else folder.open()[0]), folder

    def _complete(self) -> None:
        """Compute all attributes that are computed when they are first used."""
        for name in LATER:
            getattr(self, name, None)  # those of the likelihood are not there for other scores

    def _given_graph(self, graph: Any) -> Graph:
        given = Graph.wrap(graph)
        if not np.array_equal(self._input.training.keys, _core.row_keys(given.arrays)):
            raise ValueError("graph is not the one that the model was fitted to, or updated to.")
        given.names, given.frame_library = self.node_names_, self._frame_library
        return given

    def _check_weights(self, graph: Graph) -> None:
        """Raise if added weights change the meaning of all weights."""
        if self.weights == "auto" and kind_of_weights(graph) != self.weights_:
            raise ValueError(
                f"the weights of the changed graph are no longer {self.weights_}: fit it again, or "
                f"fit with weights={self.weights_!r} before the update."
            )

    def _block_model(self, graph: Graph, *, degree_corrected: bool | None = None) -> BlockModel:
        """Return the block model of the fit, or the other one, for a changed graph."""
        if degree_corrected is None:
            degree_corrected = self.degree_corrected_
        return BlockModel.of(
            graph,
            degree_corrected=degree_corrected,
            unit=counts_per_weight(graph, self.weights_),
            tradeoff=self.tradeoff_,
            prior=given_prior(self),
        )

    def _search_changes(
        self,
        edited: Edited,
        level: Level,
        prior: PriorLabels | None,
        inertia: float,
        reporter: ProgressReporter,
    ) -> Updated:
        graph, before = edited.graph, edited.before
        came = before < 0
        start = np.zeros(graph.n_nodes, dtype=LABEL)
        start[~came] = self.labels_[before[~came]]
        # A node that must link with others counts as connected.
        single = level.expand(level.summed(np.ones(graph.n_nodes))) == 1
        alone = came | (graph.isolated & (edited.changed > 0) & single)
        untried = np.zeros(graph.n_nodes)
        if hasattr(self, "_untried"):
            untried[~came] = self._untried[before[~came]]
        model, old = self._block_model(graph), self._posterior.objective
        if model.prior is None and self._is_merged:
            model = replace(model, prior=old.regulariser.prior)
        assert isinstance(old.score, BlockScore)
        search = UpdateSearch(
            level,
            model,
            connected=self.connected,
            inertia=inertia,
            random=make_random(self.random_state),
            cancel=reporter,
            prior=prior,
        )
        return search.run(
            compact_labels(separate(start, alone))[0],
            model.objective(old.score.background, old.regulariser.prior),
            came=came,
            changed=edited.changed,
            untried=untried,
            cuts=self._possible_cuts(edited, level, alone),
        )

    def _possible_cuts(
        self, edited: Edited, level: Level, alone: BoolArray
    ) -> tuple[Positions, Positions] | None:
        """Return between which nodes clusters may be disconnected now, None if any may have been.

        Nodes that are `alone` have left their clusters.
        """
        # Nodes that are known to belong together count as connected.
        counted = hasattr(self, "_known") or hasattr(self, "prior_moved_")
        if counted or level.groups is not None or self.stopped_early_:
            return None
        left = np.flatnonzero(~alone)
        number = np.full(len(self.labels_), -1, dtype=np.intp)
        number[edited.before[left]] = left
        return possible_cuts(edited.lost, self.labels_, number)

    @property
    def _is_merged(self) -> bool:
        """Whether the clusters are unions of those at tradeoff 1, at the prior of which they stay.

        A prior estimated at the unions would make of sparse graphs one cluster, or singletons.
        """
        return self.tradeoff != "auto" and self.tradeoff_ > 1 and self.init is None

    def _set_updated(
        self, edited: Edited, updated: Updated, known: Known, prior: PriorLabels | None
    ) -> None:
        old = self.labels_, self.cluster_ids_, self._next_id
        set_fitted(self, updated.found)
        self._keep_known(known)
        self._keep_prior_labels(prior)
        self._untried = updated.untried
        place = np.empty(self.n_clusters_, dtype=np.intp)
        place[self.labels_] = updated.found.labels
        self._set_objective(updated.objective, None, updated.stats.map(lambda sums: sums[place]))
        self.objective_unconnected_ = self.objective_
        self._input, self.n_features_in_ = GivenGraph(edited.graph), edited.graph.n_nodes
        self._input.change = edited.change
        self._set_names(edited.graph)
        self._continue_ids(*old, edited.before)
        for name in (*LATER, "drift_"):
            self.__dict__.pop(name, None)
