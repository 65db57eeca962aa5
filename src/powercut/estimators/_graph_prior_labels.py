"""The part of `PowerLawCut` for prior labels: reading them, and the search that they attract.

See `powercut.graphs.prior_labels`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from powercut._typing import Labels, Random
from powercut._validation import check_real
from powercut.estimators._common import make_random
from powercut.estimators._constraints import read_labels
from powercut.estimators._node_ids import NodeIds
from powercut.graphs.attracted_level import AttractedLevel
from powercut.graphs.attraction import Attraction, Start
from powercut.graphs.block_model import BlockModel
from powercut.graphs.constraints import constrained_level
from powercut.graphs.description import describe
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.prior_labels import DEFAULT_NATS, PriorLabels
from powercut.graphs.scores import ClusterStats, GraphObjective, Likelihood
from powercut.progress import ProgressReporter
from powercut.search.constraints import Constraints
from powercut.search.known import FREE, Known
from powercut.search.objective import SearchResult, j_per_nat


@dataclass(frozen=True)
class Found:
    """What a search of a graph has found: labels of the nodes of the level that was searched.

    Attributes
    ----------
    result : SearchResult
        The labels.
    objective : GraphObjective
        J.
    model : BlockModel or None
        The block model, if the score is the likelihood.
    attributes : dict
        Attributes of a fit with this score.
    """

    result: SearchResult
    objective: GraphObjective
    model: BlockModel | None = None
    attributes: dict[str, Any] = field(default_factory=dict)


Search = Callable[[Level, Random], Found]


def read_prior_labels(
    graph: Graph, known: Known, *, prior_labels: Any, prior_nats: Any
) -> PriorLabels | None:
    """Return the prior labels that a user has passed, None if there are none; raise if invalid."""
    if prior_labels is None:
        if prior_nats is not None:
            raise ValueError("prior_nats is what prior_labels cost: give them, or leave it out.")
        return None
    nats = DEFAULT_NATS if prior_nats is None else read_nats(prior_nats)
    ids = NodeIds(graph.names, graph.n_nodes)
    labels = read_labels(ids, "prior_labels", prior_labels)
    if labels is None:
        return None
    if graph.workers is not None:
        raise ValueError(
            "prior_labels need the graph in memory, or in files; this one is read by remote "
            "workers."
        )
    if known.fixed is not None:
        both = (labels != FREE) & (known.fixed != FREE) & (labels != known.fixed)
        if both.any():
            node = int(both.argmax())
            raise ValueError(
                f"prior_labels has {labels[node]} for node {ids.name(node)!r}, which is fixed at "
                f"{known.fixed[node]}: leave out one of the two."
            )
    return PriorLabels(labels, nats, known)


def read_nats(prior_nats: Any) -> float:
    """Return what a prior label costs; raise if that is not a positive number."""
    nats = check_real(prior_nats, "prior_nats")
    if nats <= 0:
        raise ValueError(f"prior_nats must be above 0, got {prior_nats}.")
    return nats


class PriorLabelsMixin:
    """Searches for clusters that prior labels attract nodes to."""

    score: str
    connected: bool
    init: Any
    random_state: Any

    def _check_attractable(self, prior_labels: Any, tradeoff: float | None) -> None:
        """Raise if the clusters are unions of others, among which nodes do not move."""
        if prior_labels is None or self.score != Likelihood.name or self.init is not None:
            return
        if tradeoff is not None and tradeoff > 1:
            raise ValueError(
                f"tradeoff={tradeoff} merges clusters, and does not move nodes as prior_labels "
                'need: leave tradeoff at "auto", or set 1 or less.'
            )

    def _search_attracted(
        self,
        graph: Graph,
        level: Level,
        searched: Level,
        prior: PriorLabels,
        search: Search,
        random: Random,
        reporter: ProgressReporter,
    ) -> Found:
        """Return the best of what is found from two starts.

        Parameters
        ----------
        graph, level : Graph, Level
            The graph, and its finest level.
        searched : Level
            The level that is searched, which keeps constraints.
        prior : PriorLabels
            The labels.
        search : callable
            Finds clusters of a level without them.
        random : numpy.random.Generator
            Source of randomness.
        reporter : ProgressReporter
            Receives progress.
        """
        with reporter.part(0.45):
            free = search(searched, random)
        bound_level = constrained_level(level, Constraints.of(graph.n_nodes, prior.as_fixed()))
        with reporter.part(0.9):
            bound = search(bound_level, make_random(self.random_state))
        labels = searched.contract(bound_level.expand(bound.result.labels))
        starts = [free, replace(bound, result=replace(bound.result, labels=labels))]
        attracted = AttractedLevel(searched, prior, self.connected)
        attraction = Attraction(attracted, random.spawn(1)[0], reporter)
        # The tradeoff of the two fits may differ; they are compared at that of the first.
        tradeoff = free.objective.regulariser.tradeoff
        ends = [
            attraction.run(_start(graph, searched, one, tradeoff, joins=one is not free))
            for one in starts
        ]
        best = min(range(len(ends)), key=lambda at: ends[at].total)
        return replace(starts[best], result=ends[best].found, objective=ends[best].objective)


def _start(graph: Graph, level: Level, found: Found, tradeoff: float, *, joins: bool) -> Start:
    objective, model = found.objective, found.model
    if model is None:
        return Start(
            found.result.labels,
            objective,
            estimate=lambda _stats: objective,
            length=lambda _labels, stats: objective.value(stats),
            per_nat=j_per_nat(tradeoff),
            joins=joins,
        )
    block = model

    def length(labels: Labels, stats: ClusterStats) -> float:
        return describe(graph, level, labels, block, stats=stats).tempered(tradeoff)

    per_nat = j_per_nat(tradeoff)
    return Start(found.result.labels, objective, block.estimate, length, per_nat, joins)
