"""PowerLawMeans: clusters of vectors."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import euclidean_distances

from powercut._typing import FloatArray, Labels, Positions, Rows
from powercut._validation import check_choice, check_tradeoff
from powercut.estimators._common import (
    default_prior,
    effective_jobs,
    given_prior,
    make_random,
    set_optional,
    warn_if_unfinished,
    warn_of_one_cluster,
)
from powercut.estimators._gaussian_posterior import GaussianPosterior
from powercut.estimators._means_base import MeansBase
from powercut.estimators.confidence import nat, point_cluster_evidence
from powercut.partition import canonical_labels
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.objective import Found, Objective, Regulariser
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.gaussian_fit import fit_gaussian
from powercut.vectors.kmeans_fit import fit_kmeans
from powercut.vectors.lloyd import lloyd_points
from powercut.vectors.points import Points, centred
from powercut.vectors.scores import KMeans
from powercut.vectors.starts import search_points

SCORES = ("gaussian", "kmeans")
OPTIONAL = ("description_length_",)


class PowerLawMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MeansBase[Points]):  # type: ignore[misc]
    r"""Clusters of vectors with a Pitman-Yor prior on their sizes; k is found, not given.

    Minimises, over partitions of the rows of X into any number of clusters,

    .. math:: J = \sum_c f(c) - \lambda \ln \mathrm{EPPF}(n_1, \dots, n_k; \alpha, \theta)

    with, for a cluster c, one of

    - ``score="gaussian"``: :math:`f = -\ln p(x_c)`, the marginal likelihood of a Gaussian
      whose mean and covariance are integrated out (`powercut.vectors.scores.Gaussian`).
      What is expected of them, :math:`\alpha` and :math:`\theta` are estimated: nothing
      is to be set, and scaling a feature changes nothing.
    - ``score="kmeans"``: :math:`f = \sum_{i \in c} w_i \lVert x_i - \mu_c \rVert^2`, the
      regularised k-means of "Power-Law Graph Cuts".

    Parameters
    ----------
    score : {"gaussian", "kmeans"}, default="gaussian"
        What a cluster is worth.
    covariance : {"diagonal", "spherical", "full"}, default="diagonal"
        The form of Gaussian clusters. ``"diagonal"``: a variance for each feature and
        cluster, which suits features of different kinds and many of them.
        ``"spherical"``: one variance a cluster, for features of one kind and unit
        (coordinates, embeddings). ``"full"``: a matrix a cluster, for few features that
        go together within clusters; it needs clusters of more points than features.
        Their `description_length_` is comparable: the shortest is the likeliest form.
    tradeoff : float or "auto", default="auto"
        :math:`\lambda`, what the sizes count against the score. ``"auto"`` is 1 with
        ``"gaussian"``, the most probable partition, at which one Gaussian cloud is one
        cluster; larger values leave clusters whole that are no Gaussians: see
        `powercut.tradeoff_path`. With ``"kmeans"`` it has the scale of a squared distance,
        twice the variance of a cluster in one dimension, and is estimated.
    concentration : float, optional
        :math:`\alpha`; larger values favour more clusters. Estimated with
        ``"gaussian"``, 1 with ``"kmeans"``.
    discount : float, optional
        :math:`\theta`, in [0, 1): larger values favour a heavier tail of small
        clusters. The number of clusters grows as ``n ** discount``. Estimated with
        ``"gaussian"``, 0 with ``"kmeans"``.
    algorithm : {"multilevel", "lloyd"}, default="multilevel"
        Exact moves of points, parts of clusters and whole clusters, from several
        starts if points are few; or, for ``"kmeans"``, Algorithm 1 of the paper, from one cluster.
    init : array-like of shape (n_samples,), optional
        Labels to start from, in place of the usual starts.
    n_init : int, default=1
        How many times each random start of ``"multilevel"`` is drawn.
    max_iter : int, default=300
        Passes of Algorithm 1.
    max_seconds : float, optional
        Time for the search: when it is up the best partition so far is taken, with a
        warning. What follows the search (a few passes over the points) is not counted.
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
        Decides seeds and the order of moves.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of each row. Cluster 0 is the largest, ties by smallest member.
    n_clusters_ : int
        Number of clusters.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        Points in each cluster.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Weighted means.
    tradeoff_, concentration_, discount_ : float
        Those of the fit, given or estimated.
    margins_ : ndarray of shape (n_samples,)
        By how many nats each point belongs to its cluster rather than to the next best of
        the others.
    cluster_evidence_ : ndarray of shape (n_clusters_,)
        Nats that speak for each cluster, against merging it with the best other one.
    description_length_ : float
        Nats that describe the points: minus the log-likelihood and the log-probability
        of the partition, and half the logarithm of n for each estimate. Absent where
        the tradeoff of ``"kmeans"`` is given.
    objective_ : float
        J of the labels, all constants included.
    objective_path_ : ndarray
        J at the start of the last search and after each of its rounds; never rises.
    n_iter_ : int
        Rounds.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    PowerLawKernelMeans : k-means for a kernel matrix.
    PowerLawCut : Graphs.

    Notes
    -----
    A row that equals a training row is that training point: ``predict`` gives it
    its label. Any other row x goes to the cluster of largest posterior: with
    ``"gaussian"`` the posterior predictive, a Student t-density times
    :math:`n_c - \theta`; with ``"kmeans"``, at the fitted centres,
    :math:`(n_c - \theta) \exp(-\lVert x - \mu_c \rVert^2 / \lambda)`.

    Clusters that are no Gaussians (curved, bounded, heavy in the tails) fall into
    several that are, the more of them the more points there are. Raise `tradeoff` to 2
    or 3 then. Features that are constant tell nothing and are left out.

    More than 20,000 points are searched once instead of from several starts: first a sample
    of so many, whose clusters the others then join, leave and split, by the same exact
    moves, made by all threads.

    `sample_weight` is for ``"kmeans"``: to a Gaussian likelihood a row of weight above 1 is
    several equal points, a cluster without width.

    J of ``"kmeans"`` has its lowest value at single points when `tradeoff` is small, and
    at a positive discount also when it is not: each new cluster makes the next one
    cheaper. Lower `discount` or raise `tradeoff` if single points come back.

    References
    ----------
    X. Zhou, J. Zhang, B. Kulis. Power-Law Graph Cuts. 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import PowerLawMeans
    >>> from powercut.datasets import make_blobs
    >>> X, truth = make_blobs(1000, n_features=16, random_state=0)
    >>> model = PowerLawMeans(random_state=0).fit(X)
    >>> model.n_clusters_, len(set(truth))
    (23, 23)

    The paper's k-means:

    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [9.0]])
    >>> model = PowerLawMeans("kmeans", tradeoff=0.5, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 0, 1, 1, 1, 2], dtype=int32)
    >>> model.predict([[4.0]])
    array([1], dtype=int32)
    """

    def __init__(
        self,
        score: str = "gaussian",
        *,
        covariance: str = "diagonal",
        tradeoff: float | str = "auto",
        concentration: float | None = None,
        discount: float | None = None,
        algorithm: str = "multilevel",
        init: Any = None,
        n_init: int = 1,
        max_iter: int = 300,
        max_seconds: float | None = None,
        on_interrupt: str = "raise",
        progress: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.score = score
        self.covariance = covariance
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

    def transform(self, X: Any) -> npt.NDArray[np.floating]:
        """Return the distance of each row to each centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        X, _ = self._rows(X)
        return np.asarray(euclidean_distances(X, self.cluster_centers_.astype(X.dtype)))

    def _prior_and_tradeoff(self) -> tuple[PitmanYor | None, float | None]:
        check_choice("score", self.score, SCORES)
        check_choice("covariance", self.covariance, tuple(COVARIANCES))
        gaussian = self.score == "gaussian"
        if gaussian and self.algorithm == "lloyd":
            raise ValueError(
                "algorithm='lloyd' is the paper's k-means, and score='gaussian' has none; use "
                "algorithm='multilevel', or score='kmeans'."
            )
        tradeoff = check_tradeoff(self.tradeoff)
        if tradeoff is None and gaussian:
            tradeoff = 1.0
        elif tradeoff is None and self.algorithm == "lloyd":
            raise ValueError(
                "algorithm='lloyd' does not estimate the tradeoff; give one, about twice the "
                "variance of a cluster in one dimension, or use algorithm='multilevel'."
            )
        if gaussian:
            return given_prior(self), tradeoff
        return default_prior(self, concentration=1.0, discount=0.0), tradeoff

    def _check_input(self, X: Rows, weight: FloatArray | None) -> None:  # noqa: ARG002
        """Take any vectors, and weights where they mean something."""
        if weight is not None and self.score == "gaussian":
            raise ValueError(
                "score='gaussian' has no weights, but sample_weight was given; use "
                "score='kmeans', or leave sample_weight out."
            )

    def _search(
        self,
        X: Rows,
        weight: FloatArray | None,
        init: Labels | None,
        prior: PitmanYor | None,
        tradeoff: float | None,
        reporter: ProgressReporter,
    ) -> tuple[Found, Regulariser, Points]:
        several: dict[str, Any] = {
            "labels": init,
            "n_init": self.n_init,
            "n_jobs": effective_jobs(self.n_jobs),
            "random": make_random(self.random_state),
            "reporter": reporter,
        }
        self._gaussian: GaussianPosterior | None = None
        if self.score == "gaussian":
            assert tradeoff is not None
            fit, standard = fit_gaussian(
                X,
                covariance=self.covariance,
                tradeoff=tradeoff,
                prior=prior,
                workers=self._workers,
                **several,
            )
            labels = canonical_labels(fit.found.labels)
            self._gaussian = GaussianPosterior.of(fit, labels, standard)
            set_optional(self, OPTIONAL, {"description_length_": fit.description.nats})
            if labels.max() == 0 and len(X) > 1 and init is None:
                warn_of_one_cluster(len(X), "points", tradeoff)
            return fit.found, fit.objective.regulariser, fit.model.points
        assert prior is not None
        n_threads = several["n_jobs"]
        points = Points.finest(centred(X), weight, n_threads=n_threads, workers=self._workers)
        if tradeoff is None:
            estimated = fit_kmeans(points, prior, **several)
            set_optional(self, OPTIONAL, {"description_length_": estimated.description.nats})
            return estimated.found, estimated.objective.regulariser, points
        set_optional(self, OPTIONAL, {})
        regulariser = Regulariser(prior, tradeoff)
        if self.algorithm == "lloyd":
            found = lloyd_points(
                points, regulariser, labels=init, max_iter=self.max_iter, cancel=reporter
            )
            warn_if_unfinished(self, found)
            return found, regulariser, points
        found = search_points(points, regulariser, max_iter=self.max_iter, **several)
        return found, regulariser, points

    def _set_means(self, X: Rows) -> None:
        clusters = Points(X, self._weight).aggregate(self.labels_, self.n_clusters_)
        self.cluster_centers_ = clusters.values

    def _costs(self, rows: Rows, index: Positions) -> FloatArray:
        if self._gaussian is not None:
            return self._gaussian.costs(rows, index)
        return super()._costs(rows, index)

    def _margins(self, X: Rows, points: Points) -> FloatArray:
        if self._gaussian is None:
            return super()._margins(X, points)
        return self._gaussian.margins(points) / nat(self._fitted_tradeoff)

    def _cluster_evidence(self, points: Points) -> FloatArray:
        if self._gaussian is not None:
            return self._gaussian.evidence()
        score = KMeans(points.values.shape[1])
        clusters = points.aggregate(self.labels_, self.n_clusters_, score.scatter)
        return point_cluster_evidence(clusters, Objective(score, self._regulariser))

    def _squared_distances(self, X: Rows, index: Positions) -> FloatArray:  # noqa: ARG002
        return np.asarray(
            euclidean_distances(X.astype(np.float64), self.cluster_centers_, squared=True)
        )

    @property
    def _n_features_out(self) -> int:
        """Number of columns of `transform`, for the names of its output."""
        return int(self.n_clusters_)


def power_law_means(X: Any, *, sample_weight: Any = None, **parameters: Any) -> Labels:
    """Cluster the rows of X in one call; parameters as in `PowerLawMeans`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the distances, for ``score="kmeans"``.
    **parameters
        Of `PowerLawMeans`.

    Returns
    -------
    ndarray of shape (n_samples,), int32
        ``labels_`` of the fitted `PowerLawMeans`.

    Examples
    --------
    >>> import powercut
    >>> X = [[0.0], [0.1], [0.2], [5.0]]
    >>> powercut.power_law_means(X, score="kmeans", tradeoff=0.5, random_state=0)
    array([0, 0, 0, 1], dtype=int32)
    """
    labels: Labels = PowerLawMeans(**parameters).fit(X, sample_weight=sample_weight).labels_
    return labels
