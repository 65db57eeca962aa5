"""The part of `PowerLawCut` for other scales: limits of the sizes of clusters, and their tree."""

from typing import TYPE_CHECKING, Any

import numpy as np

from powercut._validation import effective_jobs
from powercut.estimators._common import make_random
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.scores import GraphObjective
from powercut.partition import canonical_labels
from powercut.progress import ProgressReporter
from powercut.search.objective import SearchResult

if TYPE_CHECKING:
    from powercut.estimators._tree import TreeBase
    from powercut.graphs.size_limits import SizeLimits


class GraphScalesMixin:
    """Keeps clusters within limits of sizes, and prepares the tree around them."""

    connected: bool
    max_size: int | None
    min_size: int | None
    n_jobs: int | None
    random_state: Any

    def _limits(self) -> "SizeLimits | None":
        if self.min_size is None and self.max_size is None:
            return None
        from powercut.graphs.size_limits import SizeLimits  # slow to import, and rarely needed

        return SizeLimits.of(self.min_size, self.max_size)

    def _tree_base(
        self,
        graph: Graph,
        found: SearchResult,
        objective: GraphObjective,
        fitted: dict[str, Any],
    ) -> "TreeBase":
        from powercut.estimators._tree import TreeBase  # slow to import, and rarely needed

        labels, tradeoff = canonical_labels(found.labels), objective.regulariser.tradeoff
        return TreeBase.of_graph(graph, labels, fitted=fitted, tradeoff=tradeoff)

    def _limit_sizes(
        self,
        level: Level,
        found: SearchResult,
        objective: GraphObjective,
        base: "TreeBase",
        limits: "SizeLimits",
        reporter: ProgressReporter,
    ) -> SearchResult:
        """Join clusters below the minimum size to others, and divide those above the maximum."""
        from powercut.graphs.size_limits import improve_within  # slow to import

        random = make_random(self.random_state)
        labels, folded = base.limit_sizes(
            limits,
            n_threads=effective_jobs(self.n_jobs),
            random=random,
            reporter=reporter,
        )
        folded.warn_if_left(limits.min_size, stacklevel=3)
        if np.array_equal(labels, base.labels):
            return found
        labels = improve_within(
            level,
            labels,
            limits,
            objective,
            connected=self.connected,
            random=random,
            cancel=reporter,
        )
        j = level.objective(labels, int(labels.max(initial=-1)) + 1, objective)
        constant = objective.regulariser.constant(level.n_original)
        return SearchResult(labels, j + constant, found.path)
