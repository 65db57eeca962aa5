"""What an update changes of a `PowerLawCut`, as arrays: as much as has changed.

Labels are ordered by size, so one node that moves may change the labels of many. Ids of clusters
last, and so do the numbers of nodes in the records of a graph folder (`powercut.disk.changes`). So
what is stored is the id of the cluster of each node, by number, and the sums over each cluster, by
id, where they differ from those before.
"""

import json
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from powercut._typing import LABEL, Array, Positions
from powercut.disk.changes import Nodes, Record
from powercut.estimators._common import set_fitted
from powercut.estimators._graph_input import GivenGraph
from powercut.estimators._graph_update import LATER
from powercut.estimators._lasting_prior_labels import NOTHING
from powercut.graphs.edits import Change
from powercut.graphs.graph import Graph
from powercut.graphs.prior_labels import PriorLabels
from powercut.graphs.scores import ClusterStats
from powercut.partition import canonical_labels
from powercut.prior import PitmanYor
from powercut.search.known import FREE, Known
from powercut.search.objective import SearchResult

# Arrays with a value per node, and with one per cluster, and pairs of nodes.
OF_NODES = ("id", "untried", "fixed", "prior_labels")
OF_CLUSTERS = ("inside", "volume", "weight")
PAIRS = ("must_link", "cannot_link")
# What a node that has come has, before a record says otherwise.
OF_NEWCOMERS = {"id": -1, "untried": 0.0, "fixed": FREE, "prior_labels": FREE}


@dataclass(frozen=True)
class Snapshot:
    """What updates change of a model.

    Attributes
    ----------
    of_nodes : dict of str to ndarray
        `OF_NODES`, of which ``fixed`` and ``prior_labels`` are there if nodes have them.
    cluster_ids : ndarray of int64
        The ids of the clusters, sorted.
    of_clusters : dict of str to ndarray
        `OF_CLUSTERS`, in the order of the ids.
    pairs : dict of str to ndarray
        `PAIRS`, if there are constraints.
    names : ndarray
        Names of the nodes, or their positions.
    numbers : dict
        Single numbers.
    """

    of_nodes: dict[str, Array]
    cluster_ids: Array
    of_clusters: dict[str, Array]
    pairs: dict[str, Array]
    names: Array
    numbers: dict[str, Any]

    @classmethod
    def of(cls, model: Any) -> Self:
        """Return what updates change of a model."""
        n, ids, stats = len(model.labels_), model.cluster_ids_, model._posterior.stats
        order = np.argsort(ids, kind="stable")
        untried = getattr(model, "_untried", None)
        of_nodes = {
            "id": ids[model.labels_],
            "untried": np.zeros(n) if untried is None else untried,
        }
        known: Known | None = getattr(model, "_known", None)
        if known is not None and known.fixed is not None:
            of_nodes["fixed"] = known.fixed
        if hasattr(model, "_prior_labels"):
            of_nodes["prior_labels"] = model._prior_labels
        return cls(
            of_nodes,
            ids[order],
            {name: getattr(stats, name)[order] for name in OF_CLUSTERS},
            {} if known is None else {name: getattr(known, name) for name in PAIRS},
            np.arange(n) if model.node_names_ is None else model.node_names_,
            {
                "background": model._posterior.objective.score.background,
                "concentration": model.concentration_,
                "discount": model.discount_,
                "objective": model.objective_,
                "path": model.objective_path_.tolist(),
                "next_id": int(model._next_id),
                "unseen": getattr(model, "_unseen", 0.0),
                "prior_nats": getattr(model, "_prior_nats", None),
                "is_named": model.node_names_ is not None,
            },
        )

    def since(self, before: Self, change: Change, nodes: Nodes) -> Record | None:
        """Return the arrays that lead from the snapshot before an update to this one.

        None if they differ in kind, so that the model is to be stored whole.

        Parameters
        ----------
        before : Snapshot
            That before the update.
        change : Change
            What it has changed of the graph.
        nodes : Nodes
            The nodes after it, as records number them.
        """
        if (
            before.names.dtype.kind != self.names.dtype.kind
            or before.of_nodes.keys() != self.of_nodes.keys()
            or before.pairs.keys() != self.pairs.keys()
        ):
            return None
        record: Record = {}
        n, came = len(self.names), change.n_came
        for name, new in self.of_nodes.items():
            differs = np.ones(n, dtype=np.bool_)
            differs[: n - came] = new[: n - came] != np.delete(before.of_nodes[name], change.gone)
            at = np.flatnonzero(differs)
            record |= {f"{name}.at": nodes.numbers(at).astype(LABEL), f"{name}.to": new[at]}
        changed = self._changed_clusters(before)
        record["clusters.gone"] = np.setdiff1d(before.cluster_ids, self.cluster_ids)
        record["clusters.id"] = self.cluster_ids[changed]
        record |= {f"clusters.{name}": of[changed] for name, of in self.of_clusters.items()}
        for name, pairs in self.pairs.items():
            if len(change.gone) or not np.array_equal(pairs, before.pairs[name]):
                record[name] = nodes.numbers(pairs)
        newcomers = self.names[n - came :].tolist()
        record["model"] = as_bytes({**self.numbers, "names": newcomers})
        return record

    def _changed_clusters(self, before: Self) -> Positions:
        """Return the positions of the clusters that are new, or whose sums have changed."""
        known = np.flatnonzero(np.isin(self.cluster_ids, before.cluster_ids))
        old = np.searchsorted(before.cluster_ids, self.cluster_ids[known])
        same = np.ones(len(known), dtype=np.bool_)
        for name, sums in self.of_clusters.items():
            same &= sums[known] == before.of_clusters[name][old]
        return np.delete(np.arange(len(self.cluster_ids)), known[same])


def restore(model: Any, graph: Graph, nodes: Nodes, records: list[Record]) -> None:
    """Give a model that was loaded its graph, and bring it to the state after updates.

    Parameters
    ----------
    model : PowerLawCut
        The model before the updates; there may be none.
    graph : Graph
        The graph after them.
    nodes : Nodes
        Its nodes, as records number them.
    records : list of dict
        The records of the updates, with what `Snapshot.since` has returned.
    """
    graph.names, graph.frame_library = model.node_names_, model._frame_library
    model._input = GivenGraph(graph)
    if not records:
        return
    first = Snapshot.of(model)
    came = nodes.n_all - len(first.names)
    of_nodes = {
        name: np.concatenate([of, np.full(came, OF_NEWCOMERS[name], of.dtype)])
        for name, of in first.of_nodes.items()
    }
    rows = np.stack([first.of_clusters[name] for name in OF_CLUSTERS], axis=1)
    sums = dict(zip(first.cluster_ids.tolist(), rows, strict=True))
    names, pairs, numbers = first.names.tolist(), first.pairs, first.numbers
    for record in records:
        for name, of in of_nodes.items():
            of[record[f"{name}.at"]] = record[f"{name}.to"]
        for gone in record["clusters.gone"].tolist():
            del sums[gone]
        rows = np.stack([record[f"clusters.{name}"] for name in OF_CLUSTERS], axis=1)
        sums.update(zip(record["clusters.id"].tolist(), rows, strict=True))
        pairs = {name: record.get(name, pairs[name]) for name in pairs}
        numbers = from_bytes(record["model"])
        names += numbers.pop("names")
    stays = np.delete(np.arange(nodes.n_all), nodes.gone)
    of_nodes = {name: of[stays] for name, of in of_nodes.items()}
    graph.names = None
    if numbers["is_named"]:
        graph.names = np.array(names, dtype=first.names.dtype)[stays]
    model._set_names(graph)
    model.n_features_in_ = graph.n_nodes
    _set_clusters(model, of_nodes, sums, numbers)
    if pairs:
        known = {name: np.searchsorted(stays, pair) for name, pair in pairs.items()}
        model._known = Known(of_nodes.get("fixed"), **known)
    if "prior_labels" in of_nodes:
        labels, nats = of_nodes["prior_labels"], numbers["prior_nats"]
        model._keep_prior_labels(PriorLabels(labels, nats, getattr(model, "_known", NOTHING)))
    for name in LATER:
        vars(model).pop(name, None)


def _set_clusters(
    model: Any, of_nodes: dict[str, Array], sums: dict[int, Array], numbers: dict[str, Any]
) -> None:
    ids = of_nodes["id"]
    labels = canonical_labels(ids)
    set_fitted(model, SearchResult(labels, numbers["objective"], np.array(numbers["path"])))
    model.cluster_ids_ = np.empty(model.n_clusters_, dtype=np.int64)
    model.cluster_ids_[labels] = ids
    model._next_id, model._untried = numbers["next_id"], of_nodes["untried"]
    model._unseen, model.objective_unconnected_ = numbers["unseen"], model.objective_
    prior = PitmanYor(numbers["concentration"], numbers["discount"])
    objective = model._block_model(model._graph).objective(numbers["background"], prior)
    rows = np.array([sums[one] for one in model.cluster_ids_.tolist()], dtype=np.float64)
    inside, volume, weight = rows.reshape(-1, len(OF_CLUSTERS)).T.copy()
    stats = ClusterStats(inside, volume, weight, model.cluster_sizes_)
    model._set_objective(objective, None, stats)


def as_bytes(content: Any) -> Array:
    """Return a value of JSON as an array."""
    return np.frombuffer(json.dumps(content).encode(), dtype=np.uint8)


def from_bytes(content: Array) -> Any:
    """Return the value of `as_bytes`."""
    return json.loads(content.tobytes())
