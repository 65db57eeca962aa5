"""The subject of a report: a fitted model with its data."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from powercut._utils import cached_property
from powercut.disk.reader import as_graph
from powercut.estimators.clusters import PowerLawClusters
from powercut.estimators.cut import PowerLawCut
from powercut.estimators.means import PowerLawMeans
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level

# Fewer clusters than this have sizes, but no distribution of sizes.
FEW_CLUSTERS = 10


@dataclass(frozen=True)
class Subject:
    """A fitted model, and its data where they are known.

    Attributes
    ----------
    model : estimator
        Fitted.
    graph : Graph or None
        The graph that was clustered.
    vectors : array, sparse matrix or None
        The vectors that were clustered, or that the graph was made from.
    names : ndarray or None
        A name for each node or row.
    """

    model: Any
    graph: Graph | None
    vectors: Any
    names: npt.NDArray[Any] | None

    @classmethod
    def of(cls, model: Any, data: Any, names: npt.ArrayLike | None) -> "Subject":
        """Take the data as graph or vectors, whichever the model takes, and check their length."""
        n = len(model.labels_)
        graph, vectors = None, None
        if _takes_graph(model):
            graph = None if data is None else as_graph(data)
        elif isinstance(model, PowerLawClusters | PowerLawCut | PowerLawMeans):
            if hasattr(model, "affinity_matrix_"):
                graph = as_graph(model.affinity_matrix_)
            if data is not None:
                vectors = data if sparse.issparse(data) else np.asarray(data, dtype=np.float64)
        if names is None:
            names = getattr(model, "node_names_", None)  # not of vectors
        if names is not None:
            names = np.asarray(names)
        for what, count in {
            "data": None if vectors is None else vectors.shape[0],
            "graph": None if graph is None else graph.n_nodes,
            "names": None if names is None else len(names),
        }.items():
            if count not in (None, n):
                raise ValueError(
                    f"{what} has {count} rows, but the model was fitted to {n}; pass the rows that "
                    "it was fitted to, in the same order."
                )
        return cls(model, graph, vectors, names)

    @property
    def n(self) -> int:
        """Number of nodes or points."""
        return len(self.model.labels_)

    @property
    def assigned(self) -> npt.NDArray[np.bool_]:
        """Which nodes or points are in a cluster: all but outliers."""
        return np.asarray(self.model.labels_ >= 0)

    @property
    def kind(self) -> str:
        """What the rows of the data are: "nodes" or "points"."""
        is_graph = isinstance(self.model, PowerLawCut) or _takes_graph(self.model)
        return "nodes" if is_graph else "points"

    @cached_property
    def inside(self) -> npt.NDArray[np.float64] | None:
        """Share of each cluster's volume that is weight inside it; None without a graph."""
        if self.graph is None:
            return None
        stats = Level.finest(self.graph).cluster_stats(self.model.labels_)
        share = np.full(len(stats.volume), np.nan)
        np.divide(stats.inside, stats.volume, out=share, where=stats.volume > 0)
        return share

    def name(self, row: int) -> str:
        """Return the name of a node or row, by default its number."""
        return str(row if self.names is None else self.names[row])


def _takes_graph(model: Any) -> bool:
    """Whether the model was fitted to a graph that was given."""
    if isinstance(model, PowerLawClusters):
        return model.route_ == "graph"
    return isinstance(model, PowerLawCut) and model.affinity == "precomputed"
