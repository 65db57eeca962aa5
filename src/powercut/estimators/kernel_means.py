"""PowerLawKernelMeans: cluster points given by a kernel matrix."""

from typing import Any

import numpy as np

from powercut._typing import FloatArray, Labels, Positions, Rows
from powercut._validation import check_real, effective_jobs
from powercut.estimators._common import make_random, max_passes, warn_if_unfinished
from powercut.estimators._constraints import KnownPoints
from powercut.estimators._foreign_names import answers_foreign_names
from powercut.estimators._means_base import MeansBase
from powercut.estimators.confidence import cluster_evidence
from powercut.graphs._adjacency import dense_row_blocks
from powercut.graphs.kernel import lloyd_kernel, search_kernel
from powercut.graphs.level import Level
from powercut.graphs.scores import RAssoc
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.objective import Objective, Regulariser, SearchResult


class PowerLawKernelMeans(MeansBase[Rows]):
    r"""Kernel k-means with a Pitman-Yor prior on the cluster sizes; k is found, not given.

    Minimises, over partitions into any number of clusters,

    .. math:: J = \sum_c \sum_{i \in c} w_i \lVert \phi_i - \mu_c \rVert^2
              - \lambda \ln \mathrm{EPPF}(n_1, \dots, n_k; \alpha, \theta)

    where :math:`\phi_i \cdot \phi_j = K_{ij}`: the k-means objective of `PowerLawMeans` in
    the feature space of a kernel. Only the kernel matrix is needed.

    Parameters
    ----------
    tradeoff : float, default=1.0
        :math:`\lambda`, the weight of the size prior against the squared distances in
        kernel space.
    concentration : float, default=1.0
        :math:`\alpha`; larger values favour more clusters.
    discount : float, default=0.0
        :math:`\theta`, in [0, 1): larger values favour a heavier tail of small
        clusters.
    algorithm : {"multilevel", "lloyd"}, default="multilevel"
        Exact moves of points and of clusters, from several starts; or Algorithm 1 of the
        paper, from one cluster.
    init : array-like of shape (n_samples,), optional
        Labels to start from, in place of the default starts.
    n_init : int, default=1
        How many times each random start of ``"multilevel"`` is drawn.
    max_iter : int, optional
        Maximum number of passes of ``"lloyd"``; default: 300.
    max_seconds : float, optional
        Time limit of the search. When it is reached, the best partition so far is kept, with a
        warning. The few passes over the points after the search are not included.
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
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of each point. Cluster 0 is the largest; ties are broken by the smallest
        member.
    n_clusters_ : int
        Number of clusters.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        Number of points in each cluster.
    objective_ : float
        J of the labels, all constants included.
    objective_path_ : ndarray
        J at the start and after each round; it never rises (with Algorithm 1, if the
        kernel is positive semi-definite).
    n_iter_ : int
        Number of rounds.
    stopped_early_ : bool
        Whether `max_seconds` or an interrupt ended the search.
    tradeoff_, concentration_, discount_ : float
        The values of the fit.
    margins_ : ndarray of shape (n_samples,)
        Log posterior odds, in nats, of each point's cluster against the best other one.
    cluster_evidence_ : ndarray of shape (n_clusters_,)
        Evidence for each cluster, in nats (log posterior odds), against merging it with the
        best other one.
    n_features_in_ : int
        Number of columns of the kernel matrix: the training points.

    See Also
    --------
    PowerLawMeans : Cluster vectors.
    PowerLawCut : Cluster the nodes of a graph.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import PowerLawKernelMeans
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [9.0]])
    >>> model = PowerLawKernelMeans(tradeoff=0.5, random_state=0).fit(X @ X.T)
    >>> model.labels_
    array([0, 0, 0, 0, 1, 1, 1, 2], dtype=int32)
    >>> model.predict([[4.0]] @ X.T)
    array([1], dtype=int32)
    """

    @answers_foreign_names
    def __init__(
        self,
        tradeoff: float = 1.0,
        *,
        concentration: float = 1.0,
        discount: float = 0.0,
        algorithm: str = "multilevel",
        init: Any = None,
        n_init: int = 1,
        max_iter: int | None = None,
        max_seconds: float | None = None,
        on_interrupt: str = "raise",
        progress: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.tradeoff = tradeoff
        self.concentration = concentration
        self.discount = discount
        self.algorithm = algorithm
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.on_interrupt = on_interrupt
        self.progress = progress
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def _check_input(self, X: Rows, weight: FloatArray | None) -> None:  # noqa: ARG002
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"A kernel matrix is square; X has shape {X.shape}. "
                "For vectors use PowerLawMeans, or pass X @ X.T."
            )
        largest, widest, at = 0.0, 0.0, (0, 0)
        for rows in dense_row_blocks(X.shape):
            largest = max(largest, float(np.abs(X[rows]).max()))
            gap = np.abs(X[rows] - X[:, rows].T)
            if gap.max() > widest:
                row, column = np.unravel_index(int(gap.argmax()), gap.shape)
                widest, at = float(gap.max()), (rows.start + int(row), int(column))
        if widest > (1e-8 if X.dtype == np.float64 else 1e-5) * largest:
            i, j = at
            raise ValueError(
                f"A kernel matrix is symmetric; X[{i}, {j}] is {X[i, j]} and X[{j}, {i}] is "
                f"{X[j, i]}. Pass (X + X.T) / 2 to symmetrize it."
            )

    def _prior_and_tradeoff(self) -> tuple[PitmanYor, float]:
        tradeoff = check_real(self.tradeoff, "tradeoff", min_val=0)
        return PitmanYor(self.concentration, self.discount), tradeoff

    def _search(
        self,
        X: Rows,
        weight: FloatArray | None,
        init: Labels | None,
        prior: PitmanYor | None,
        tradeoff: float | None,
        reporter: ProgressReporter,
        known: KnownPoints | None,  # noqa: ARG002
    ) -> tuple[SearchResult, Regulariser, Rows]:
        assert prior is not None
        assert tradeoff is not None
        regulariser = Regulariser(prior, tradeoff)
        if self.algorithm == "lloyd":
            found = lloyd_kernel(
                X,
                regulariser,
                weight=weight,
                labels=init,
                max_iter=max_passes(self),
                cancel=reporter,
            )
            warn_if_unfinished(self, found)
            return found, regulariser, X
        found = search_kernel(
            X,
            regulariser,
            weight=weight,
            labels=init,
            n_init=self.n_init,
            n_jobs=effective_jobs(self.n_jobs),
            random=make_random(self.random_state),
            reporter=reporter,
        )
        return found, regulariser, X

    def _set_means(self, X: Rows) -> None:
        # The mean of a cluster, as a column of coefficients of the training points.
        member = np.eye(self.n_clusters_)[self.labels_] * self._weight[:, None]
        self._means = member / member.sum(axis=0)
        self._squares = np.einsum("ic,ic->c", self._means, self._mean_products(X))

    def _cluster_evidence(self, points: Rows) -> FloatArray:
        objective = Objective(RAssoc(0.0), self._regulariser)
        return cluster_evidence(Level.of_kernel(points, self._weight), self.labels_, objective)

    def _squared_distances(self, X: Rows, index: Positions) -> FloatArray:
        # K_xx of a new point is unknown, and the same for all clusters: it is left out.
        known = np.flatnonzero(index >= 0)
        squared = np.zeros((len(X), 1))
        squared[known, 0] = X[known, index[known]]
        return np.asarray(squared - 2 * self._mean_products(X) + self._squares)

    def _mean_products(self, X: Rows) -> FloatArray:
        """Return the inner product of each row's point with each mean."""
        products = np.empty((len(X), self.n_clusters_))
        for rows in dense_row_blocks(X.shape):
            products[rows] = X[rows] @ self._means
        return products


def power_law_kernel_means(K: Any, *, sample_weight: Any = None, **parameters: Any) -> Labels:
    """Cluster points given by a kernel matrix; the function form of `PowerLawKernelMeans`.

    Parameters
    ----------
    K : array-like of shape (n_samples, n_samples)
        The kernel matrix.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the squared distances.
    **parameters
        Parameters of `PowerLawKernelMeans`.

    Returns
    -------
    ndarray of shape (n_samples,), int32
        ``labels_`` of the fitted `PowerLawKernelMeans`.

    Examples
    --------
    >>> import numpy as np
    >>> import powercut
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0]])
    >>> powercut.power_law_kernel_means(X @ X.T, tradeoff=0.5, random_state=0)
    array([0, 0, 0, 1], dtype=int32)
    """
    model = PowerLawKernelMeans(**parameters).fit(K, sample_weight=sample_weight)
    labels: Labels = model.labels_
    return labels
