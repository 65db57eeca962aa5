"""Multiclass spectral normalized cut."""

import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh, svd
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, check_scalar

from powercut._typing import LABEL, FloatArray, Labels
from powercut._validation import check_choice
from powercut.estimators._common import validated
from powercut.estimators._graph_input import (
    DEFAULT_GAMMA,
    DEFAULT_NEIGHBORS,
    NeighborsGraph,
    RBFGraph,
    validate_graph,
)
from powercut.estimators._unused import check_used
from powercut.graphs.graph import Graph
from powercut.partition import canonical_labels

# Up to this many nodes a dense eigensolver is faster than Lanczos iteration.
_DENSE = 500


class NormalizedCut(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    r"""Spectral normalized cut into a given number of clusters.

    Minimises approximately

    .. math:: \mathrm{NCut} = \sum_{c=1}^{k} \frac{V_c - A_c}{V_c},

    where :math:`V_c` is the sum of the degrees in cluster c and :math:`A_c` the weight
    inside it, as Yu and Shi [1]_ do. The k leading eigenvectors v of
    :math:`D^{-1/2} A D^{-1/2}` give the columns :math:`D^{-1/2} v`, which are scaled to
    one length; then each row is scaled to length 1, and the rows are rotated towards the
    nearest partition matrix. Rows as orthogonal as possible give the first rotation;
    then the nearest partition (the largest entry of each row) and the nearest rotation
    (from a singular value decomposition) alternate until they agree.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, k.
    affinity : {"precomputed", "rbf", "nearest_neighbors"}, default="precomputed"
        How to make the graph: X itself, or, as in `sklearn.cluster.SpectralClustering`, a
        graph of vectors: a Gaussian kernel of all pairs, or the mean of the n_neighbors graph
        and its transpose, with weights 1, 1/2 or 0.
    gamma : float, optional
        For "rbf": :math:`A_{ij} = \exp(-\gamma \|x_i - x_j\|^2)`; default: 1.
    n_neighbors : int, optional
        For "nearest_neighbors", the point itself included; default: 10.
    random_state : int, RandomState or None, default=None
        Seeds the eigensolver and selects the first row of the discretisation. The same
        integer gives the same labels.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of each node; 0 is the largest, ties by the smallest member.
    n_clusters_ : int
        Number of clusters found. It may be below `n_clusters`, with a `ConvergenceWarning`,
        if no row has its largest entry in some column.
    objective_ : float
        NCut of the labels.
    n_features_in_ : int
        Number of columns of X; for a graph, the number of nodes.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the columns of X have names.

    Notes
    -----
    *Columns.* The article does not scale them, but the code of its authors and
    `SpectralClustering` do. On graphs with clusters of very different density, NCut is
    lower with scaling.

    *Components.* The eigenvectors are computed separately in each connected component, so
    that repeated eigenvalues do no harm. With k components or more, the k largest by number
    of nodes are the clusters, and the others join the first: NCut is 0.

    *Isolated nodes* have no embedding and do not contribute to NCut; they join the largest
    cluster.

    *Self-loops* of a given graph count once in :math:`A_c` and in :math:`V_c`; graphs
    made from vectors have none. `SpectralClustering` drops all self-loops.

    References
    ----------
    .. [1] S. X. Yu and J. Shi, "Multiclass spectral clustering", ICCV 2003.

    Examples
    --------
    >>> import networkx as nx
    >>> from powercut.baselines import NormalizedCut
    >>> fitted = NormalizedCut(2, random_state=0).fit(nx.barbell_graph(4, 0))
    >>> fitted.labels_
    array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)
    >>> round(fitted.objective_, 4)
    0.1538
    """

    def __init__(
        self,
        n_clusters: int,
        *,
        affinity: str = "precomputed",
        gamma: float | None = None,
        n_neighbors: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Cut the graph.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a graph
            Vectors; for "precomputed", a symmetric matrix of weights, or anything else
            that `powercut.Graph.wrap` takes.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        check_scalar(self.n_clusters, "n_clusters", Integral, min_val=1)
        graph = self._graph(X)
        linked = np.flatnonzero(graph.degrees)
        if self.n_clusters > len(linked):
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the {len(linked)} nodes with an edge "
                f"(n_samples={graph.n_nodes}); reduce n_clusters."
            )
        adjacency = graph.adjacency.astype(np.float64)
        # Isolated nodes get label 0, that of the largest cluster of the linked nodes.
        labels = np.zeros(graph.n_nodes, dtype=LABEL)
        labels[linked] = canonical_labels(
            _cut(
                adjacency[linked][:, linked],
                graph.degrees[linked],
                self.n_clusters,
                check_random_state(self.random_state),
            )
        )
        self.labels_ = canonical_labels(labels)
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.objective_ = _normalized_cut(adjacency, graph.degrees, self.labels_)
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                f"the discretisation left {self.n_clusters - self.n_clusters_} of "
                f"n_clusters={self.n_clusters} clusters empty; reduce n_clusters, or try "
                "another random_state.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _graph(self, X: Any) -> Graph:
        check_choice("affinity", self.affinity, ("precomputed", "rbf", "nearest_neighbors"))
        check_used(self, "gamma", by="affinity", choices=["rbf"])
        check_used(self, "n_neighbors", by="affinity", choices=["nearest_neighbors"])
        gamma = DEFAULT_GAMMA if self.gamma is None else self.gamma
        n_neighbors = DEFAULT_NEIGHBORS if self.n_neighbors is None else self.n_neighbors
        check_scalar(gamma, "gamma", Real, min_val=0.0, include_boundaries="neither")
        check_scalar(n_neighbors, "n_neighbors", Integral, min_val=1)
        if self.affinity == "precomputed":
            return validate_graph(self, X)
        X = validated(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        if self.affinity == "rbf":
            return RBFGraph(X, gamma).graph
        return NeighborsGraph(X, n_neighbors, None).graph

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.positive_only = self.affinity == "precomputed"
        return tags


def _cut(adjacency: Any, degrees: FloatArray, k: int, random: np.random.RandomState) -> Labels:
    """Cut a graph without isolated nodes into at most k clusters."""
    n_components, component = connected_components(adjacency, directed=False)
    component = canonical_labels(component)
    if n_components >= k:
        component[component >= k] = 0
        return component
    scale = 1 / np.sqrt(degrees)
    normalized = (diags_array(scale) @ adjacency @ diags_array(scale)).tocsr()
    columns = scale[:, None] * _embed(normalized, component, n_components, k, random)
    return _discretize(columns / np.linalg.norm(columns, axis=0), random)


def _embed(
    matrix: Any, component: Labels, n_components: int, k: int, random: np.random.RandomState
) -> FloatArray:
    """Return the k leading eigenvectors of a matrix with fewer than k components."""
    vectors = np.zeros((len(component), 0))
    values = np.zeros(0)
    for c in range(n_components):
        members = np.flatnonzero(component == c)
        size = min(len(members), k - n_components + 1)
        own_values, own_vectors = _leading(matrix[members][:, members], size, random)
        # The first eigenvector of each component, of eigenvalue 1, is among the k leading
        # ones; rounding must not rank it lower.
        own_values[0] = np.inf
        values = np.append(values, own_values)
        spread = np.zeros((len(component), size))
        spread[members] = own_vectors
        vectors = np.hstack([vectors, spread])
    return vectors[:, np.argsort(-values, kind="stable")[:k]]


def _leading(matrix: Any, k: int, random: np.random.RandomState) -> tuple[FloatArray, FloatArray]:
    """Return the k largest eigenvalues of a symmetric matrix, descending, and their vectors."""
    n = matrix.shape[0]
    if n <= _DENSE or 3 * k > n:
        values, vectors = eigh(matrix.toarray(), subset_by_index=(n - k, n - 1))
    else:
        values, vectors = eigsh(matrix, k=k, which="LA", v0=random.uniform(-1, 1, n))
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _discretize(rows: FloatArray, random: np.random.RandomState) -> Labels:
    """Return the partition matrix nearest to a rotation of the rows, as labels."""
    n, k = rows.shape
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(length > 0, length, 1)

    rotation = np.empty((k, k))
    rotation[:, 0] = rows[random.randint(n)]
    overlap = np.zeros(n)
    for j in range(1, k):
        overlap += np.abs(rows @ rotation[:, j - 1])
        rotation[:, j] = rows[overlap.argmin()]

    agreement = 0.0
    while True:
        labels: Labels = (rows @ rotation).argmax(axis=1).astype(LABEL)
        members = csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n))
        left, spectrum, right = svd(members @ rows)
        # In exact arithmetic the sum grows until labels repeat; it is at most n.
        if spectrum.sum() <= agreement + n * np.finfo(np.float64).eps:
            return labels
        agreement = spectrum.sum()
        rotation = (left @ right).T


def _normalized_cut(adjacency: Any, degrees: FloatArray, labels: Labels) -> float:
    entries = adjacency.tocoo()
    row, column = labels[entries.row], labels[entries.col]
    between = np.bincount(row, entries.data * (row != column))
    return float(np.sum(between / np.bincount(labels, degrees)))
