"""PowerLawCut: clusters of graphs."""

from typing import Any

from sklearn.base import BaseEstimator, ClusterMixin

from powercut._typing import Labels
from powercut.estimators._graph_fit import GraphFit


class PowerLawCut(GraphFit, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    r"""Graph cuts with a Pitman-Yor prior on the cluster sizes; k is found, not given.

    Minimises, over partitions of the nodes into any number of clusters,

    .. math:: J = \sum_c f(c) - \lambda \ln \mathrm{EPPF}(n_1, \dots, n_k; \alpha, \theta)

    where f is the score of a cluster, from the weight :math:`A_c` inside it (each
    edge twice), its volume :math:`V_c` (sum of degrees) and its number of nodes
    :math:`n_c`:

    ==============  ==============================================
    ``ncut``        :math:`-A_c / V_c - \rho`
    ``rcut``        :math:`(V_c - A_c) / n_c - \rho`
    ``rassoc``      :math:`-A_c / n_c - \rho`
    ``modularity``  :math:`-(A_c - \gamma V_c^2 / \sum_{ij} A_{ij})`
    ``cpm``         :math:`-(A_c - \gamma n_c^2)`
    ``likelihood``  :math:`-\frac12 [A_c \ln (A_c / E_c) - A_c + E_c]`, nothing to set
    ==============  ==============================================

    Parameters
    ----------
    score : {"likelihood", "ncut", "rcut", "rassoc", "modularity", "cpm"}, default="likelihood"
        What a cluster is worth. ``likelihood`` is a block model whose parameters, the
        prior's among them, are estimated: :math:`E_c` is the weight expected inside a
        cluster at a background rate, uniform or corrected for degrees, whichever
        describes the graph in fewer nats. It is the one for graphs of any size.
        ``ncut``, ``rcut`` and ``rassoc`` are the paper's: ``ncut`` is at most 1 for a
        cluster, ``rcut`` and ``rassoc`` have the scale of a degree, and so has `shift`
        for them. ``modularity`` and ``cpm`` have the
        scale of the total weight, as the prior has: a `tradeoff` near 1 fits them
        where edges are counts. The resolution of ``cpm`` is a density. With `sample_weight`,
        the sum of node weights takes the place of :math:`n_c` in ``rcut``, ``rassoc`` and
        ``cpm`` (not in the prior). (There is no
        method of this name: give `GridSearchCV` a `scoring`.)
    tradeoff : float or "auto", default="auto"
        :math:`\lambda`, what the sizes count against the score. For ``likelihood``,
        ``"auto"`` is 1, the most probable partition, where edges are independent counts,
        and more where triangles tell that they are not, as in graphs of nearest
        neighbours: see `powercut.graphs.dependence`. Set it (1 for finest, 2 to 10 for coarser
        clusters) if the grain is known, and see `powercut.tradeoff_path`. For the other
        scores ``"auto"`` is 1e-4: ``ncut`` is at most 1 for each cluster while the prior
        grows with n.
    concentration : float, optional
        :math:`\alpha`; larger values favour more clusters. If not given, estimated for
        ``likelihood`` and 1 for the others.
    discount : float, optional
        :math:`\theta`, in [0, 1): larger values favour a heavier tail of small
        clusters. If not given, estimated for ``likelihood`` and 0.2 for the others.
    shift : float, default=-0.2
        :math:`\rho`, what each cluster gains (or, negative, costs) in ``ncut``,
        ``rcut`` and ``rassoc``. The paper's kernel needs ``shift >= 0`` and then
        falls apart into fragments when k is free; sparse graphs want a lower one, such
        as -0.7.
    resolution : float, default=1.0
        :math:`\gamma` of ``modularity`` and ``cpm``.
    weights : {"auto", "counts", "strength"}, default="auto"
        What weights are to ``likelihood``: numbers of independent observations, or
        strengths that may be scaled without changing anything. ``"auto"`` takes whole
        numbers for counts, and others for strengths.
    algorithm : {"multilevel", "lloyd"}, default="multilevel"
        Exact moves on all grains of the graph, from several starts; or Algorithm 1
        of the paper in kernel space, from one cluster (``ncut``, ``rcut`` and
        ``rassoc``).
    connected : bool, default=True
        Whether every cluster must be connected. Those that are not are split, and
        nodes then move only where it keeps clusters connected (with Algorithm 1 they
        are split only).
    init : array-like of shape (n_nodes,), optional
        Labels to start from, in place of the usual starts.
    affinity : {"precomputed", "nearest_neighbors", "rbf"}, default="precomputed"
        Whether X is the graph, or rows of vectors to make it from, as in
        `sklearn.cluster.SpectralClustering`.
    n_neighbors : int, default=10
        Neighbours of each point, for ``"nearest_neighbors"``.
    gamma : float, default=1.0
        Coefficient of ``"rbf"``, :math:`\exp(-\gamma \lVert x - y \rVert^2)`.
    n_init : int, default=1
        How many times each random start of ``"multilevel"`` is tried.
    max_iter : int, default=300
        Passes of Algorithm 1.
    max_seconds : float, optional
        Time for the search: when it is up the best partition so far is taken, with a
        warning. What follows the search (a few passes over the graph) is not counted.
    on_interrupt : {"raise", "return"}, default="raise"
        Whether Ctrl-C raises KeyboardInterrupt, or ends the search as `max_seconds` does;
        a second one raises.
    progress : {True, "tqdm", "rich"} or callable, optional
        Shows a bar (``True`` is ``"tqdm"``), or is called a few times a second with a
        `powercut.Progress`, by the thread that called ``fit``. What a callable raises ends
        the fit.
    n_jobs : int, optional
        Threads; -1 for all. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Decides the order of moves.

    Attributes
    ----------
    labels_ : ndarray of shape (n_nodes,), int32
        Cluster of each node. Cluster 0 is the largest, ties by smallest member. A
        node without neighbours is a cluster of its own.
    n_clusters_ : int
        Number of clusters.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        Nodes in each cluster.
    objective_ : float
        J of the labels, all constants included.
    objective_path_ : ndarray
        J at the start and after each round of moves; never rises (with Algorithm 1, if
        the shift makes its kernel positive semi-definite).
    objective_unconnected_ : float
        J where the search ended, before clusters were made connected: the last
        value of the path. Equal to `objective_` where nothing had to be split.
    concentration_, discount_, tradeoff_ : float
        As set or estimated.
    margins_ : ndarray of shape (n_nodes,)
        By how many nats each node belongs to its cluster rather than to the next best;
        negative where only `connected` keeps it there.
    cluster_evidence_ : ndarray of shape (n_clusters_,)
        Nats that speak for each cluster, against merging it with the best other one.
    description_length_ : float
        Nats that describe the graph by its clusters; only with ``likelihood``. See
        `powercut.graphs.description`.
    degree_corrected_ : bool
        Whether rates are in proportion to degrees; only with ``likelihood``.
    weights_ : {"counts", "strength"}
        What weights were taken for; only with ``likelihood``.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        The graph that was made from vectors; only where `affinity` made one.
    n_iter_ : int
        Rounds.
    n_features_in_ : int
        Number of columns of X.

    See Also
    --------
    PowerLawMeans : Vectors, without a graph.
    powercut.Graph : What counts as a graph, and what is done about awkward ones.

    Notes
    -----
    ``predict`` takes weights of the edges of each new node to the training nodes,
    sparse or dense; or vectors, if `affinity` made the graph from vectors. A row that
    equals a training row is that node, and gets its label. For any other, J is
    computed with the node in each cluster that it has an edge to, and the lowest is
    taken.

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


def power_law_cut(graph: Any, *, sample_weight: Any = None, **parameters: Any) -> Labels:
    """Cluster the nodes of a graph in one call; parameters as in `PowerLawCut`.

    Parameters
    ----------
    graph : Graph, matrix, networkx or igraph graph, or path
        Anything that `powercut.Graph.wrap` takes.
    sample_weight : array-like of shape (n_nodes,), optional
        Node weights, for the scores that have them.
    **parameters
        Of `PowerLawCut`.

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
    model = PowerLawCut(**parameters).fit(graph, sample_weight=sample_weight)
    labels: Labels = model.labels_
    return labels
