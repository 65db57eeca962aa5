"""`cluster_tree`: fit a partition, and find the levels around it."""

from dataclasses import dataclass
from typing import Any

from powercut._validation import check_flag, effective_jobs
from powercut.estimators._common import make_random
from powercut.estimators._stopping import check_stopping, reporting, stopping
from powercut.graphs.size_limits import SizeLimits
from powercut.graphs.tree import ClusterTree
from powercut.results._tree_base import fit_base, tree_estimator

STOPPED = "a tree of the levels so far"


def cluster_tree(
    data: Any,
    *,
    estimator: Any = None,
    max_size: int | None = None,
    min_size: int | None = None,
    prune: bool = True,
    max_seconds: float | None = None,
    on_interrupt: str | None = None,
    progress: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> ClusterTree:
    """Find nested clusters of a graph or of vectors at all scales, around a fitted partition.

    The fitted partition is one of the levels of the tree, and the one that `ClusterTree.cut`
    returns. Levels above it consist of unions of its clusters, down from the connected
    components. Levels below it divide its clusters. Only levels that make the description of the
    graph shorter are kept. The graph of vectors is that of their 15 nearest neighbours.

    Parameters
    ----------
    data : array-like or sparse matrix of shape (n_samples, n_features), or a graph
        Data as ``fit`` of the estimator takes them. With the default estimator, a matrix is one of
        vectors, and that of a graph must be wrapped: ``powercut.Graph(A)``.
    estimator : PowerLawClusters or PowerLawCut, optional
        If it is fitted, to these data, its labels are taken. If not, a copy of it is fitted.
        Default: ``PowerLawClusters()``.
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
    max_seconds : float, optional
        Time limit of the fit and of the search for levels together. When it is reached, the tree
        has the levels that were found so far, with a warning. Default: that of the estimator.
    on_interrupt : {"raise", "return"}, optional
        Whether Ctrl-C raises KeyboardInterrupt, or ends the search as `max_seconds` does; a second
        Ctrl-C raises. Default: that of the estimator.
    progress : {True, "tqdm", "rich"} or callable, optional
        Show a progress bar (``True``: by tqdm if it is installed), or call a callback a few times
        per second with a `powercut.Progress`. An exception in the callback ends the search.
        Default: that of the estimator.
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

    Vectors:

    >>> from sklearn.datasets import load_iris
    >>> powercut.cluster_tree(load_iris().data, random_state=0)
    2 levels of 150 nodes
    level  clusters  largest   nats
        0         2      100  88.14
        1         3       55   0.00  fitted
    """
    check_flag(prune, "prune")
    limits = SizeLimits.of(min_size, max_size)
    model = tree_estimator(data, estimator)
    given = {
        "max_seconds": max_seconds,
        "on_interrupt": on_interrupt,
        "progress": progress,
        "n_jobs": n_jobs,
        "random_state": random_state,
    }
    run = _Run(**{k: getattr(model, k) if v is None else v for k, v in given.items()})
    check_stopping(run)
    with reporting(run) as reporter, stopping(run, reporter, result=STOPPED):
        base, run.objective_ = fit_base(data, model, run, reporter)
        with reporter.part(1.0, "levels"):
            tree = base.grow(
                n_threads=effective_jobs(run.n_jobs),
                random=make_random(run.random_state),
                reporter=reporter,
                prune=prune,
                limits=limits,
            )
    tree.folded.warn_if_left(limits.min_size, stacklevel=2)
    return tree


@dataclass
class _Run:
    """How a search runs: the attributes of an estimator that `_stopping` reads and sets."""

    max_seconds: float | None
    on_interrupt: str
    progress: Any
    n_jobs: int | None
    random_state: Any
    objective_: float = float("nan")
    stopped_early_: bool = False
