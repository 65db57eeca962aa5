"""PowerLawCut: clusters of graphs."""

import numbers
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from powercut._validation import (
    check_choice,
    check_real,
    check_sample_weight,
    is_matrix,
    validate_graph,
)
from powercut.estimators._common import (
    FloatArray,
    check_search,
    effective_jobs,
    make_random,
    set_fitted,
    warn_if_unfinished,
)
from powercut.estimators._graph_input import GivenGraph, GraphInput, NeighborsGraph, RBFGraph
from powercut.estimators._graph_posterior import GraphPosterior
from powercut.estimators._posterior import Index, PosteriorMixin
from powercut.evidence import BlockModel, description_length, fit_blocks
from powercut.graph import Graph
from powercut.partition import Labels, check_labels, separate
from powercut.prior import PitmanYor
from powercut.scores import GRAPH_SCORES, Likelihood, graph_score
from powercut.search.level import Level
from powercut.search.lloyd import check_kernel, lloyd_graph
from powercut.search.objective import Found, Objective, Regulariser
from powercut.search.schedule import connect, given, graph_starts, search_graph, split

AFFINITIES = ("precomputed", "nearest_neighbors", "rbf")


class PowerLawCut(PosteriorMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
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
    score : {"ncut", "rcut", "rassoc", "modularity", "cpm", "likelihood"}, default="ncut"
        What a cluster is worth. With `sample_weight`, the sum of node weights takes
        the place of :math:`n_c` in the score (not in the prior). The first three are
        the paper's: ``ncut`` is at most 1 for a cluster, ``rcut`` and ``rassoc`` have
        the scale of a degree, and so has `shift` for them. The other two have the
        scale of the total weight, as the prior has: a `tradeoff` near 1 fits them
        where edges are counts. The resolution of ``cpm`` is a density. (There is no
        method of this name: give `GridSearchCV` a `scoring`.)
        ``likelihood`` is a block model whose parameters, the prior's among them, are
        estimated: :math:`E_c` is the weight expected inside a cluster at a background
        rate, uniform or corrected for degrees, whichever describes the graph in fewer
        nats. It is the one for graphs of any size.
    tradeoff : float, optional
        :math:`\lambda`, what the sizes count against the score; 1 for ``likelihood``,
        the most probable partition, and 1e-4 for the others if not given. ``ncut`` is
        at most 1 for each cluster while the prior grows with n, so its tradeoff is
        small.
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
    concentration_, discount_ : float
        Of the prior, as set or estimated.
    description_length_ : float
        Nats that describe the graph by its clusters; only with ``likelihood``. See
        `powercut.evidence.description_length`.
    degree_corrected_ : bool
        Whether rates are in proportion to degrees; only with ``likelihood``.
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
    >>> A = np.zeros((7, 7))
    >>> A[:4, :4] = A[4:, 4:] = 1
    >>> A[0, 4] = A[4, 0] = 1
    >>> np.fill_diagonal(A, 0)
    >>> model = PowerLawCut(random_state=0).fit(A)
    >>> model.labels_
    array([0, 0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model.predict([[0, 0, 0, 0, 1, 1, 0]])
    array([1], dtype=int32)
    """

    def __init__(
        self,
        score: str = "ncut",
        *,
        tradeoff: float | None = None,
        concentration: float | None = None,
        discount: float | None = None,
        shift: float = -0.2,
        resolution: float = 1.0,
        algorithm: str = "multilevel",
        connected: bool = True,
        init: Any = None,
        affinity: str = "precomputed",
        n_neighbors: int = 10,
        gamma: float = 1.0,
        n_init: int = 1,
        max_iter: int = 300,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.score = score
        self.tradeoff = tradeoff
        self.concentration = concentration
        self.discount = discount
        self.shift = shift
        self.resolution = resolution
        self.algorithm = algorithm
        self.connected = connected
        self.init = init
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.n_init = n_init
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.positive_only = self.affinity == "precomputed"
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "PowerLawCut":  # noqa: ARG002
        """Find the clusters of a graph.

        Parameters
        ----------
        X : Graph, sparse or dense matrix, networkx or igraph graph; or vectors
            The graph: anything that `powercut.Graph.wrap` takes. Or, if `affinity`
            makes one, the vectors, of shape (n_samples, n_features).
        y : None
            Ignored.
        sample_weight : array-like of shape (n_nodes,), optional
            Node weights, for ``rcut``, ``rassoc`` and ``cpm``.
        """
        check_search(self)
        check_choice("score", self.score, tuple(sorted(GRAPH_SCORES)))
        if self.algorithm == "lloyd":
            check_kernel(GRAPH_SCORES[self.score])
        check_scalar(self.connected, "connected", bool | np.bool_)
        prior, tradeoff = self._prior_and_tradeoff()
        shift = check_real(self.shift, "shift")
        resolution = check_real(self.resolution, "resolution", min_val=0)
        graph, graph_input = self._make_graph(X)
        if sample_weight is not None and not GRAPH_SCORES[self.score].uses_weights:
            raise ValueError(
                f"score={self.score!r} has no node weights, but sample_weight was given; "
                "use 'rcut', 'rassoc' or 'cpm', or leave sample_weight out."
            )
        weight = check_sample_weight(sample_weight, graph.n_nodes)
        level = Level.finest(graph, weight)
        random = make_random(self.random_state)
        if self.score == Likelihood.name:
            found, objective, model = self._search_blocks(graph, level, prior, tradeoff, random)
        else:
            available = {"shift": shift, "resolution": resolution}
            score = graph_score(self.score, total_weight=graph.total_weight, **available)
            assert prior is not None  # only the likelihood leaves it open
            objective, model = Objective(score, Regulariser(prior, tradeoff)), None
            found = self._search(graph, level, objective, weight, random)

        set_fitted(self, self._connect(level, objective, found, random))
        self.objective_unconnected_ = found.objective
        self.concentration_ = objective.regulariser.prior.concentration
        self.discount_ = objective.regulariser.prior.discount
        self._set_optional(
            affinity_matrix_=None if self.affinity == "precomputed" else graph.adjacency,
            **({} if model is None else self._describe(graph, level, model)),
        )
        self._input = graph_input
        self._posterior = GraphPosterior.of(level, weight, self.labels_, objective)
        return self

    def _prior_and_tradeoff(self) -> tuple[PitmanYor | None, float]:
        """Return what was set, or what is usual for the score; a prior of None is estimated."""
        likelihood = self.score == Likelihood.name
        tradeoff = self.tradeoff
        if tradeoff is None:
            tradeoff = 1.0 if likelihood else 1e-4
        tradeoff = check_real(tradeoff, "tradeoff", min_val=0)
        concentration, discount = self.concentration, self.discount
        if likelihood and concentration is None and discount is None:
            return None, tradeoff
        if likelihood and (concentration is None or discount is None):
            raise ValueError(
                "score='likelihood' estimates concentration and discount together; "
                "give both or neither."
            )
        return (
            PitmanYor(
                1.0 if concentration is None else concentration,
                0.2 if discount is None else discount,
            ),
            tradeoff,
        )

    def _search_blocks(
        self,
        graph: Graph,
        level: Level,
        prior: PitmanYor | None,
        tradeoff: float,
        random: np.random.Generator,
    ) -> tuple[Found, Objective, BlockModel]:
        fit, model = fit_blocks(
            graph,
            level,
            tradeoff=tradeoff,
            prior=prior,
            labels=self._init_labels(graph),
            n_init=self.n_init,
            n_jobs=effective_jobs(self.n_jobs),
            random=random,
        )
        return fit.found, fit.objective, model

    def _describe(self, graph: Graph, level: Level, model: BlockModel) -> dict[str, Any]:
        """Return the attributes that only the likelihood has, for the fitted labels."""
        if graph.n_nodes == 0:
            return {"description_length_": 0.0, "degree_corrected_": False}
        length = description_length(graph, level, self.labels_, model)
        return {"description_length_": length, "degree_corrected_": model.degree_corrected}

    def _set_optional(self, **attributes: Any) -> None:
        """Set attributes that not every fit has, and take away those of an earlier one."""
        for name in ("affinity_matrix_", "description_length_", "degree_corrected_"):
            if attributes.get(name) is not None:
                setattr(self, name, attributes[name])
            elif hasattr(self, name):
                delattr(self, name)

    def _init_labels(self, graph: Graph) -> Labels | None:
        if self.init is None:
            return None
        return separate(check_labels(self.init, graph.n_nodes, "init"), graph.isolated)

    def _search(
        self,
        graph: Graph,
        level: Level,
        objective: Objective,
        weight: FloatArray | None,
        random: np.random.Generator,
    ) -> Found:
        init = self._init_labels(graph)
        if self.algorithm == "lloyd":
            found = lloyd_graph(
                graph, objective, weight=weight, labels=init, max_iter=self.max_iter
            )
            if self.shift < 0:
                warnings.warn(
                    f"Algorithm 1 works in the space of a kernel, which shift={self.shift} < 0 "
                    "keeps from being positive definite; it may not converge.",
                    stacklevel=3,
                )
            warn_if_unfinished(self, found)
            return found
        starts = graph_starts(level, objective, self.n_init) if init is None else [given(init)]
        n_jobs = effective_jobs(self.n_jobs)
        return search_graph(level, objective, starts=starts, n_jobs=n_jobs, random=random)

    def _connect(
        self, level: Level, objective: Objective, found: Found, random: np.random.Generator
    ) -> Found:
        if not self.connected:
            return found
        if self.algorithm == "lloyd":
            return split(level, objective, found)
        return connect(level, objective, found, random=random)

    def _make_graph(self, X: Any) -> tuple[Graph, GraphInput]:
        """Return the graph that X is, or that is made from it, and how new nodes join it."""
        check_choice("affinity", self.affinity, AFFINITIES)
        if self.affinity == "precomputed":
            graph = validate_graph(self, X)
            return graph, GivenGraph(graph)
        check_scalar(self.n_neighbors, "n_neighbors", numbers.Integral, min_val=1)
        gamma = check_real(self.gamma, "gamma", min_val=0)
        X = self._check_vectors(X, reset=True)
        made = (
            RBFGraph(X, gamma)
            if self.affinity == "rbf"
            else NeighborsGraph(X, self.n_neighbors, self.n_jobs)
        )
        return made.graph, made

    def _check_vectors(self, X: Any, *, reset: bool) -> Any:
        return validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
        )

    @property
    def _fitted_tradeoff(self) -> float:
        return self._posterior.objective.regulariser.tradeoff

    def _costs(self, rows: sp.csr_array, index: Index) -> FloatArray:
        return self._posterior.costs(rows, index)

    def _rows(self, X: Any) -> tuple[sp.csr_array, Index]:
        check_is_fitted(self, "labels_")
        if not isinstance(self._input, GivenGraph):
            return self._input.rows(self._check_vectors(X, reset=False))
        if is_matrix(X):
            X = validate_data(
                self,
                X,
                reset=False,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_min_samples=0,
                ensure_min_features=0,
            )
        else:
            X = Graph.wrap(X).adjacency
            if X.shape[1] != len(self.labels_):
                raise ValueError(
                    f"X has {X.shape[1]} nodes; predict takes the graph of the fit, of "
                    f"{len(self.labels_)}, or rows of edges to its nodes."
                )
        return self._input.rows(X)


def power_law_cut(graph: Any, *, sample_weight: Any = None, **parameters: Any) -> Labels:
    """Cluster the nodes of a graph in one call; parameters as in `PowerLawCut`.

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
