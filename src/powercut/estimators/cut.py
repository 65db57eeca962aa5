"""PowerLawCut: cluster the nodes of a graph."""

from typing import Any

from sklearn.base import BaseEstimator, ClusterMixin

from powercut._typing import Labels
from powercut.estimators._graph_fit import GraphFit


class PowerLawCut(GraphFit, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    r"""Graph cuts with a Pitman-Yor prior on the cluster sizes; k is found, not given.

    Minimises, over partitions of the nodes into any number of clusters,

    .. math:: J = \sum_c f(c) - \lambda \ln \mathrm{EPPF}(n_1, \dots, n_k; \alpha, \theta),

    the sum of the costs f of the clusters, plus the tradeoff :math:`\lambda` times the size
    prior, -log EPPF (the exchangeable partition probability function of the Pitman-Yor
    process). With the default score, J = -log-likelihood - tradeoff * log EPPF up to a
    constant, for a Poisson block model of the edges; at tradeoff 1 its minimum is the MAP
    partition.

    The cost f depends on the weight :math:`A_c` inside a cluster (each edge counts twice), its
    volume :math:`V_c` (sum of degrees) and its number of nodes :math:`n_c`:

    ==============  ==============================================
    ``ncut``        :math:`-A_c / V_c - \rho`
    ``rcut``        :math:`(V_c - A_c) / n_c - \rho`
    ``rassoc``      :math:`-A_c / n_c - \rho`
    ``modularity``  :math:`-(A_c - \gamma V_c^2 / \sum_{ij} A_{ij})`
    ``cpm``         :math:`-(A_c - \gamma n_c^2)`
    ``likelihood``  :math:`-\frac12 [A_c \ln (A_c / E_c) - A_c + E_c]`, all parameters estimated
    ==============  ==============================================

    Parameters
    ----------
    score : {"likelihood", "ncut", "rcut", "rassoc", "modularity", "cpm"}, default="likelihood"
        The cost of a cluster. ``likelihood`` is an assortative Poisson block model: f is minus
        the log-likelihood gained by a density of its own. Its parameters, and those of the
        prior, are estimated. :math:`E_c` is the weight expected inside a cluster at a
        background rate, uniform or degree-corrected, whichever has the shorter description
        length. It is the score for graphs of any size. ``ncut``, ``rcut`` and ``rassoc`` are
        those of the paper: ``ncut`` is at most 1 per cluster; ``rcut`` and ``rassoc`` have the
        scale of a degree, and so has their `shift`. ``modularity`` and ``cpm`` have the scale
        of the total weight, as the prior has: a `tradeoff` near 1 suits them if edges are
        counts. The resolution of ``cpm`` is a density. With `sample_weight`, the sum of node
        weights replaces :math:`n_c` in ``rcut``, ``rassoc`` and ``cpm`` (not in the prior).
        (There is no method ``score``: pass a `scoring` to `GridSearchCV`.)
    tradeoff : float or "auto", default="auto"
        :math:`\lambda`, the weight of the size prior against the score. For ``likelihood``,
        ``"auto"`` is 1 (the MAP partition) where edges are independent counts, and more where
        triangles show that they are not, as in nearest-neighbour graphs: see
        `powercut.graphs.dependence`. Set it (1 for the finest, 2 to 10 for coarser clusters) if
        the scale is known, and see `powercut.tradeoff_path`. For the other scores ``"auto"`` is
        1e-4: ``ncut`` is at most 1 per cluster, while the prior grows with n.
    concentration : float, optional
        :math:`\alpha`; larger values favour more clusters. If not given, estimated for
        ``likelihood`` and 1 for the others.
    discount : float, optional
        :math:`\theta`, in [0, 1): larger values favour a heavier tail of small
        clusters. If not given, estimated for ``likelihood`` and 0.2 for the others.
    shift : float, optional
        :math:`\rho`, the constant gain per cluster (a cost, if negative) in ``ncut``,
        ``rcut`` and ``rassoc``; default: -0.2. The paper's kernel needs ``shift >= 0``, at which
        the graph falls into fragments when k is free. Sparse graphs need a lower shift, such as
        -0.7.
    resolution : float, optional
        :math:`\gamma` of ``modularity`` and ``cpm``; default: 1.
    weights : {"auto", "counts", "strength"}, default="auto"
        How ``likelihood`` interprets edge weights: as numbers of independent observations
        (``"counts"``), or as strengths, whose scale does not matter (``"strength"``). ``"auto"``
        takes whole numbers for counts, and others for strengths.
    algorithm : {"multilevel", "lloyd"}, default="multilevel"
        Multilevel search by exact local moves, from several starts; or Algorithm 1 of the
        paper in kernel space, from one cluster (for ``ncut``, ``rcut`` and ``rassoc``).
    connected : bool, default=True
        Whether every cluster must be connected. Disconnected clusters are split, and
        nodes then move only where clusters stay connected (with Algorithm 1, clusters
        are only split). Nodes that must link count as connected, and so do nodes in the cluster of
        their prior label.
    init : array-like of shape (n_nodes,), optional
        Labels to start from, in place of the default starts. They need not keep the constraints of
        `fit`.
    affinity : {"precomputed", "nearest_neighbors", "rbf"}, default="precomputed"
        Whether X is the graph, or vectors from which a graph is made as in
        `sklearn.cluster.SpectralClustering`.
    n_neighbors : int, optional
        Neighbours of each point, for ``"nearest_neighbors"``; default: 10.
    gamma : float, optional
        Coefficient of ``"rbf"``, :math:`\exp(-\gamma \lVert x - y \rVert^2)`; default: 1.
    min_size : int, optional
        Fewest nodes of a cluster. Smaller clusters are joined to the neighbour for which that loses
        the fewest nats.
    max_size : int, optional
        Most nodes of a cluster. Larger clusters are divided by the modularity of their subgraph;
        evenly, where it has no parts, and such clusters need not be connected. Then nodes move and
        clusters join while that lowers J, within both limits.
    tree : bool, default=False
        Whether to find clusters at other scales too, around those of the fit: `tree_`. The time
        limit is then one for both. See `powercut.cluster_tree`.
    n_init : int, default=1
        How many times each random start of ``"multilevel"`` is tried.
    max_iter : int, optional
        Maximum number of passes of ``"lloyd"``; default: 300.
    max_seconds : float, optional
        Time limit of the search. When it is reached, the best partition so far is kept, with a
        warning. The few passes over the graph after the search are not included.
    on_interrupt : {"raise", "return"}, default="raise"
        Whether Ctrl-C raises KeyboardInterrupt, or ends the search as `max_seconds` does;
        a second Ctrl-C raises.
    progress : {True, "tqdm", "rich"} or callable, optional
        Show a progress bar (``True``: by tqdm if it is installed), or call a callback a few times
        per second with a `powercut.Progress`, in the thread that called ``fit``. An exception in
        the callback ends the fit.
    n_jobs : int, optional
        Number of threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts and of the order of moves.

    Attributes
    ----------
    labels_ : ndarray of shape (n_nodes,), int32
        Cluster of each node. Cluster 0 is the largest; ties are broken by the smallest
        member. A node without neighbours is a singleton.
    n_clusters_ : int
        Number of clusters.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        Number of nodes in each cluster.
    objective_ : float
        J of the labels, all constants included; with prior labels also what they cost, times
        the tradeoff.
    objective_path_ : ndarray
        J at the start and after each round of moves; it never rises (with Algorithm 1, if
        the shift makes the kernel positive semi-definite).
    objective_unconnected_ : float
        J at the end of the search, before disconnected clusters were split and sizes limited: the
        last value of the path. Equal to `objective_` if no cluster had to be changed.
    concentration_, discount_, tradeoff_ : float
        The values given or estimated.
    cluster_ids_ : ndarray of shape (n_clusters_,), int64
        An id of each cluster that lasts through updates: 0 to ``n_clusters_ - 1`` after a fit.
        With `fixed`, the id of a cluster that has fixed nodes is their label, and those of the
        others follow the largest label. ``cluster_ids_[labels_]`` has the id of each node's
        cluster.
    changes_ : Matching
        What the last update has changed, by id: clusters that were born, split, merged, died, grew
        or shrank; see `powercut.Matching`. Only after an update.
    drift_ : Drift
        What a fit of the graph as it is after updates would gain, estimated by the last stage of
        its search when it is first used; see `powercut.Drift`. Only after an update, and neither
        at a given `tradeoff` above 1 nor with prior labels.
    margins_ : ndarray of shape (n_nodes,)
        Log posterior odds, in nats, of each node's cluster against the best other one, with the
        nats of its prior label; negative where only `connected`, a constraint or a limit of sizes
        keeps the node in its cluster.
    cluster_evidence_ : ndarray of shape (n_clusters_,)
        Evidence for each cluster, in nats (log posterior odds), against merging it with the
        best other one.
    prior_moved_ : ndarray of int
        The positions of the nodes that are not in the cluster of their prior label; only with
        prior labels.
    description_length_ : float
        Description length of the graph in nats; only with ``likelihood``. See
        `powercut.graphs.description`.
    degree_corrected_ : bool
        Whether the block model is degree-corrected; only with ``likelihood``.
    weights_ : {"counts", "strength"}
        How edge weights were interpreted; only with ``likelihood``.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        The graph made from vectors; only if `affinity` is not ``"precomputed"``.
    tree_ : ClusterTree
        Nested clusters at all scales, of which the fitted level is `labels_`; only if `tree`.
    n_iter_ : int
        Number of rounds.
    stopped_early_ : bool
        Whether `max_seconds` or an interrupt ended the search.
    node_names_ : ndarray of shape (n_nodes,) or None
        Names of the nodes: those of a table of edges, of a networkx graph, or the vertex
        attribute ``"name"`` of an igraph graph. None if they are 0, 1, 2, ...
    labels_frame_ : table
        Columns ``node`` and ``cluster``, of the library of the table of edges that was fitted;
        otherwise of pandas.
    n_features_in_ : int
        Number of columns of X.

    See Also
    --------
    PowerLawClusters : Cluster vectors of any shape; graphs as this estimator does.
    PowerLawMeans : Cluster vectors, without a graph.
    powercut.Graph : Accepted graphs, and how self-loops, duplicates and the like are handled.
    powercut.match : Ids that last from one fit to the next.

    Notes
    -----
    A parameter that the chosen score, algorithm or affinity does not use must not be set: ``fit``
    raises ValueError rather than ignore it.

    ``predict`` takes the weights of the edges of each new node to the training nodes,
    sparse or dense; or vectors, if the graph was made from vectors. A row that equals a
    training row is that node, and gets its label. For any other row, J is computed with
    the node in each cluster that it has an edge to, and the cluster of lowest J is taken.

    ``update`` follows a graph that changes. A model keeps its graph for that, if it is in memory; a
    sparse matrix that was fitted must not be changed in place.

    References
    ----------
    X. Zhou, J. Zhang, B. Kulis. Power-Law Graph Cuts. 2014.

    I. Dhillon, Y. Guan, B. Kulis. Weighted Graph Cuts without Eigenvectors: A
    Multilevel Approach. IEEE PAMI 29(11), 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import PowerLawCut
    >>> A = np.zeros((20, 20))
    >>> A[:12, :12] = A[12:, 12:] = 1
    >>> A[0, 12] = A[12, 0] = 1
    >>> np.fill_diagonal(A, 0)
    >>> model = PowerLawCut(random_state=0).fit(A)
    >>> model.labels_
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1],
          dtype=int32)
    >>> model.predict([[0] * 17 + [1, 1, 0]])
    array([1], dtype=int32)
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.positive_only = self.affinity == "precomputed"
        tags.input_tags.sparse = True
        return tags


def power_law_cut(
    graph: Any,
    *,
    sample_weight: Any = None,
    fixed: Any = None,
    must_link: Any = None,
    cannot_link: Any = None,
    prior_labels: Any = None,
    prior_nats: float | None = None,
    **parameters: Any,
) -> Labels:
    """Cluster the nodes of a graph; the function form of `PowerLawCut`.

    Parameters
    ----------
    graph : Graph, matrix, networkx or igraph graph, or path
        Anything that `powercut.Graph.wrap` accepts.
    sample_weight : array-like of shape (n_nodes,), optional
        Node weights, for ``rcut``, ``rassoc`` and ``cpm``.
    fixed, must_link, cannot_link, prior_labels, prior_nats : optional
        What is known of the clusters; see `PowerLawCut.fit`.
    **parameters
        Parameters of `PowerLawCut`.

    Returns
    -------
    ndarray of shape (n_nodes,), int32
        ``labels_`` of the fitted `PowerLawCut`.

    Examples
    --------
    >>> import networkx as nx
    >>> import powercut
    >>> labels = powercut.power_law_cut(nx.karate_club_graph(), random_state=0)
    >>> len(labels)
    34
    """
    model = PowerLawCut(**parameters).fit(
        graph,
        sample_weight=sample_weight,
        fixed=fixed,
        must_link=must_link,
        cannot_link=cannot_link,
        prior_labels=prior_labels,
        prior_nats=prior_nats,
    )
    labels: Labels = model.labels_
    return labels
