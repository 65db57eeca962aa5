"""Constraints that a user passes to a fit or an update, by the ids of nodes.

See `powercut.search.constraints`.
"""

from collections.abc import Mapping
from typing import Any

from powercut.estimators._constraints import checked_constraints
from powercut.estimators._node_ids import NodeIds
from powercut.graphs.graph import Graph
from powercut.search.constraints import Constraints
from powercut.search.known import Known


def check_constrainable(estimator: Any, known: Mapping[str, Any]) -> None:
    """Raise if there are constraints, and a parameter of the estimator that does not keep them."""
    given = " and ".join(name for name, value in known.items() if value is not None)
    if not given:
        return
    if estimator.algorithm == "lloyd":
        raise ValueError(f"algorithm='lloyd' does not keep {given}: use 'multilevel'.")
    for name in ("min_size", "max_size"):
        if getattr(estimator, name) is not None:
            raise ValueError(f"{name} and {given} cannot be combined: leave one of them out.")
    if estimator.tree:
        raise ValueError(
            f"the levels of a tree do not keep {given}: fit with tree=False, and find the tree "
            "around the clusters with powercut.cluster_tree."
        )


def constraints_of(graph: Graph, known: Known) -> Constraints | None:
    """Return what follows from constraints, None if there are none.

    Raises ValueError if they contradict each other.
    """
    if known.is_empty:
        return None
    if graph.workers is not None:
        raise ValueError(
            "fixed, must_link and cannot_link need the graph in memory, or in files; this one is "
            "read by remote workers."
        )
    return checked_constraints(NodeIds(graph.names, graph.n_nodes), known)


def by_id(graph: Graph, known: Known) -> dict[str, Any]:
    """Return constraints as arguments of `fit`."""
    links = {"must_link": known.must_link, "cannot_link": known.cannot_link}
    names = graph.names
    if names is not None:
        links = {name: names[pairs] for name, pairs in links.items()}
    return {"fixed": known.fixed, **links}
