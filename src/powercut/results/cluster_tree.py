"""`cluster_tree`: fit a partition, and find the levels around it."""

import warnings
from typing import Any

import numpy as np

from powercut._typing import Array
from powercut._validation import check_flag, check_whole, effective_jobs
from powercut.disk.reader import as_graph
from powercut.estimators._common import make_random
from powercut.estimators._graph_fit import GraphFit
from powercut.graphs.block_model import BlockModel, block_level, counts_per_weight, kind_of_weights
from powercut.graphs.graph import Graph
from powercut.graphs.hierarchy import find_hierarchy
from powercut.graphs.nested import NestedModel
from powercut.graphs.size_limits import SizeLimits
from powercut.partition import check_labels
from powercut.progress import ProgressReporter
from powercut.results.tree import ClusterTree


def cluster_tree(
    graph: Any,
    *,
    estimator: Any = None,
    max_size: int | None = None,
    min_size: int | None = None,
    prune: bool = True,
    names: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> ClusterTree:
    """Find nested clusters of a graph at all scales, around a fitted partition.

    The fitted partition is one of the levels of the tree, and the one that `ClusterTree.cut`
    returns. Levels above it consist of unions of its clusters, down from the connected
    components. Levels below it divide its clusters. Only levels that make the description of the
    graph shorter are kept.

    Parameters
    ----------
    graph : Graph, matrix, networkx or igraph graph, table of edges, or path
        Anything that `powercut.PowerLawCut` takes for a graph.
    estimator : PowerLawCut, optional
        If it is fitted, to this graph, its labels are taken. If not, a copy of it is fitted.
        Default: ``PowerLawCut()``.
    max_size : int, optional
        The finest clusters have at most this many nodes. Larger ones are divided where they have
        structure, and evenly where they have none; the fitted level is not changed.
    min_size : int, optional
        Fitted clusters with fewer nodes are joined to the neighbour for which that loses the
        fewest nats, before all else; `ClusterTree.folded` tells how many, and the nats. No finer
        cluster is smaller. Connected components below this size stay, with a warning. At most
        half of `max_size`, rounded up.
    prune : bool, default=True
        Whether to keep only levels that make the description of the graph shorter. If not, there
        is a level for each resolution of modularity at which the clusters differ, in steps of the
        square root of 2, above and below the fitted level.
    names : array-like of shape (n_nodes,), optional
        Names of the nodes. Default: those of the graph (`powercut.Graph.names`).
    n_jobs : int, optional
        Number of threads; -1 for all cores. The result does not depend on it. Default: that of
        the estimator.
    random_state : int, RandomState instance or None, default=None
        Seed of the fit and of the search for levels. Default: that of the estimator.

    Returns
    -------
    ClusterTree
        The clusters of all levels; prints as a table of the levels.

    See Also
    --------
    tradeoff_path : Coarser partitions by the weight of the prior, and those that persist.

    Notes
    -----
    Coarser levels are found by modularity at a series of resolutions, each inside the clusters of
    the one before (`powercut.graphs.scales`). Finer ones divide each cluster by a likelihood of its
    own (`powercut.graphs.subclusters`). Their evidence, and which of them are kept, is decided by
    the likelihood of a hierarchy of blocks (`powercut.graphs.nested`).

    Examples
    --------
    >>> import networkx as nx
    >>> import powercut
    >>> G = nx.les_miserables_graph()
    >>> tree = powercut.cluster_tree(G, random_state=0)
    >>> tree
    3 levels of 77 nodes
    level  clusters  largest    nats
        0         1       77  635.01
        1         4       41  149.30
        2         7       25    0.00  fitted
    >>> of_level = tree.cut(level=1)
    >>> sorted(tree.names[of_level == 3])[:3]
    ['Blacheville', 'Dahlia', 'Fameuil']
    """
    check_flag(prune, "prune")
    limits = _limits(max_size, min_size)
    graph = as_graph(graph)
    names = graph.names if names is None else names
    fit = _fitted(graph, estimator, n_jobs, random_state)
    threads = effective_jobs(fit.n_jobs if n_jobs is None else n_jobs)
    random = make_random(fit.random_state if random_state is None else random_state)
    level, model = block_level(graph, n_threads=threads), _nested_model(graph, fit)
    labels = check_labels(fit.labels_, graph.n_nodes, "labels_ of the estimator")
    hierarchy = find_hierarchy(
        level,
        labels,
        model,
        prune=prune,
        limits=limits,
        random=random,
        cancel=ProgressReporter(),
    )
    if hierarchy.folded.n_left:
        warnings.warn(
            f"{hierarchy.folded.n_left} clusters have fewer than min_size={min_size} nodes and no "
            "neighbour to be joined to.",
            stacklevel=2,
        )
    return ClusterTree.of(level, hierarchy, model, names=_checked(names, graph.n_nodes))


def _limits(max_size: int | None, min_size: int | None) -> SizeLimits:
    least = 1 if min_size is None else check_whole(min_size, "min_size", min_val=1)
    if max_size is None:
        return SizeLimits(least)
    most = check_whole(max_size, "max_size", min_val=1)
    if most < 2 * least - 1:
        raise ValueError(
            f"min_size={least} and max_size={most}: a cluster of {most + 1} nodes cannot be "
            f"divided within both; max_size must be at least {2 * least - 1}."
        )
    return SizeLimits(least, most)


def _fitted(graph: Graph, estimator: Any, n_jobs: int | None, random_state: Any) -> GraphFit:
    """Return the estimator if it is fitted, else a fitted copy."""
    if estimator is None:
        return GraphFit(n_jobs=n_jobs, random_state=random_state).fit(graph)
    if not isinstance(estimator, GraphFit):
        raise TypeError(f"estimator must be a PowerLawCut, fitted or not, got {estimator!r}.")
    if hasattr(estimator, "labels_"):
        return estimator
    from sklearn.base import clone  # slow to import, and not needed by the command line

    given = {"n_jobs": n_jobs, "random_state": random_state}
    own = clone(estimator).set_params(**{k: v for k, v in given.items() if v is not None})
    fitted: GraphFit = own.fit(graph)
    return fitted


def _nested_model(graph: Graph, fit: Any) -> NestedModel:
    """Return the model of the fit; if it has none, a degree-corrected one for independent edges."""
    likelihood = hasattr(fit, "degree_corrected_")
    weights = fit.weights_ if likelihood else kind_of_weights(graph)
    model = BlockModel.of(
        graph,
        degree_corrected=fit.degree_corrected_ if likelihood else True,
        unit=counts_per_weight(graph, weights),
        tradeoff=max(fit.tradeoff_, 1.0) if likelihood else 1.0,
    )
    return NestedModel(model)


def _checked(names: Any, n: int) -> Array | None:
    """Return the names as an array of objects, with one name per node."""
    if names is None:
        return None
    names = list(names)
    if len(names) != n:
        raise ValueError(f"names has {len(names)} items; {n} are needed, one for each node.")
    array = np.empty(n, dtype=object)  # names may be tuples, of which NumPy would make rows
    array[:] = names
    return array
