"""The part of `PowerLawCut` that tells when a graph that changes is to be fitted again."""

import warnings
from typing import TYPE_CHECKING, Any

from powercut._typing import Labels
from powercut._utils import cached_property
from powercut.estimators._common import make_random
from powercut.estimators._graph_constraints import by_id, constraints_of
from powercut.estimators._graph_posterior import GraphPosterior
from powercut.estimators.drift import Drift
from powercut.graphs.block_fit import by_description_length, evaluate
from powercut.graphs.block_model import BlockModel
from powercut.graphs.block_search import BlockSearch
from powercut.graphs.constraints import constrained_level
from powercut.graphs.drift import possible_gain
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.search.constraints import Constraints
from powercut.search.known import Known

# Values of `refit` at which the drift is estimated.
WATCHING = ("warn", "auto")
# The drift is estimated when this share of the weight of all edges has changed.
LOOK = 0.01


class GraphRefitMixin:
    """Estimates what a fit would gain over updates."""

    connected: bool
    init: Any
    random_state: Any

    labels_: Labels
    degree_corrected_: bool
    _posterior: GraphPosterior
    # Weight of the edges that have changed since the drift was estimated, both ends counted.
    _unseen: float
    # Constraints in force; not set if there are none.
    _known: Known

    if TYPE_CHECKING:

        @property
        def _graph(self) -> Graph: ...
        @property
        def _level(self) -> Level: ...
        @property
        def _is_merged(self) -> bool: ...
        def _block_model(
            self, graph: Graph, *, degree_corrected: bool | None = None
        ) -> BlockModel: ...
        @property
        def _prior_labels_of_fit(self) -> dict[str, Any]: ...
        def fit(
            self,
            X: Any,
            *,
            fixed: Any = None,
            must_link: Any = None,
            cannot_link: Any = None,
            prior_labels: Any = None,
            prior_nats: float | None = None,
        ) -> Any: ...

    @cached_property
    def drift_(self) -> Drift:
        """What a fit of the graph as it is now would gain."""
        if "changes_" not in vars(self):
            raise AttributeError("there is no drift_ before an update.")
        if self._is_merged:
            raise AttributeError(
                "there is no drift_ at a given tradeoff above 1: clusters are not those of "
                "shortest description."
            )
        if self._prior_labels_of_fit:
            raise AttributeError(
                "there is no drift_ with prior labels: what they hold back would count as drift."
            )
        graph = self._graph
        if graph.n_nodes == 0:
            return Drift(0.0, 0.0)
        constraints = self._constraints
        level = self._level if constraints is None else constrained_level(self._level, constraints)
        search = BlockSearch(
            graph, level, connected=self.connected, random=make_random(self.random_state)
        )
        model = self._block_model(graph)
        other = self._block_model(graph, degree_corrected=not self.degree_corrected_)
        labels = level.contract(self.labels_)
        fit = evaluate(graph, level, labels, model, stats=self._posterior.stats)
        nats, length = possible_gain(search, fit, other), by_description_length(fit)
        return Drift(nats, nats / length if length > 0 else 0.0)

    @property
    def _constraints(self) -> Constraints | None:
        """What follows from the constraints in force."""
        return constraints_of(self._graph, self._known) if hasattr(self, "_known") else None

    def _check_refit(self, refit: Any, prior_labels: Any) -> None:
        """Raise if `refit` is none of its values, or is one that this model cannot follow.

        `prior_labels` are those that an update brings.
        """
        if not isinstance(refit, bool) and refit not in WATCHING:
            raise ValueError(f'refit must be False, "warn", "auto" or True, got {refit!r}.')
        if refit and self.init is not None:
            raise ValueError(
                "refit needs init=None: the labels to start from are those of other nodes."
            )
        if refit in WATCHING and self._is_merged:
            raise ValueError(
                f'refit="{refit}" needs tradeoff="auto": clusters at a given tradeoff above 1 are '
                "not those of shortest description. Pass refit=True after many changes."
            )
        if refit in WATCHING and (prior_labels is not None or self._prior_labels_of_fit):
            raise ValueError(
                f'refit="{refit}" cannot tell what prior_labels hold back from what a fit would '
                "gain. Pass refit=True after many changes."
            )

    def _refit_is_due(self, refit: bool | str, weight: float) -> bool:
        """Return whether to fit again, after a change of edges of this weight; warn if asked to."""
        self._unseen = getattr(self, "_unseen", 0.0) + weight
        if isinstance(refit, bool):
            return refit
        if self._unseen < LOOK * self._graph.total_weight:
            return False
        self._unseen = 0.0
        drift = self.drift_
        if drift.is_due and refit == "warn":
            warnings.warn(
                f"A fit would shorten the description of the graph by about {drift.nats:,.0f} "
                f'nats, {drift.share:.2%}: update with refit=True, or with refit="auto".',
                stacklevel=3,
            )
        return drift.is_due and refit == "auto"

    def _refit(self) -> None:
        """Fit the graph as it is now, with the constraints in force, and prior labels."""
        known = by_id(self._graph, self._known) if hasattr(self, "_known") else {}
        self.fit(self._graph, **known, **self._prior_labels_of_fit)
