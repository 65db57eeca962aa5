"""PowerLawMeans: cluster vectors."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from powercut._typing import FloatArray, Labels, Positions, Rows
from powercut._utils import warn_user
from powercut._validation import check_choice, check_tradeoff, effective_jobs
from powercut.estimators._common import (
    default_prior,
    given_prior,
    make_random,
    max_passes,
    set_optional,
    warn_if_unfinished,
    warn_of_one_cluster,
)
from powercut.estimators._constraints import KnownPoints
from powercut.estimators._foreign_names import answers_foreign_names
from powercut.estimators._gaussian_posterior import GaussianPosterior
from powercut.estimators._lasting_ids import LASTING
from powercut.estimators._means_base import MeansBase
from powercut.estimators._means_update import MeansUpdateMixin
from powercut.estimators._unused import check_used
from powercut.estimators.confidence import point_cluster_evidence
from powercut.partition import canonical_labels
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.objective import Objective, Regulariser, SearchResult, j_per_nat
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.gaussian_fit import fit_gaussian
from powercut.vectors.gaussian_model import GaussianFit
from powercut.vectors.gaussianity import compare_with_gaussian
from powercut.vectors.kmeans_fit import fit_kmeans
from powercut.vectors.lloyd import lloyd_points
from powercut.vectors.points import Points, centred
from powercut.vectors.scores import KMeans
from powercut.vectors.standardised import Standardised
from powercut.vectors.starts import search_points

SCORES = ("gaussian", "kmeans")
DEFAULT_COVARIANCE = "diagonal"
OPTIONAL = ("description_length_", "covariance_", "_known", *LASTING)


class PowerLawMeans(
    MeansUpdateMixin,
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    MeansBase[Points],
):
    r"""Clustering of vectors with a Pitman-Yor prior on cluster sizes; k is found, not given.

    Minimises, over partitions of the rows of X into any number of clusters,

    .. math:: J = \sum_c f(c) - \lambda \ln \mathrm{EPPF}(n_1, \dots, n_k; \alpha, \theta)

    where :math:`\lambda` is the tradeoff, EPPF the exchangeable partition probability
    function of the Pitman-Yor process (the prior on the cluster sizes :math:`n_c`), and f the
    cost of a cluster c, one of

    - ``score="gaussian"``: :math:`f = -\ln p(x_c)`, minus the log marginal likelihood of a
      Gaussian whose mean and covariance are integrated out
      (`powercut.vectors.scores.Gaussian`). So J = -log-likelihood - tradeoff * log EPPF, and
      at tradeoff 1 its minimum is the MAP partition of a Pitman-Yor mixture of Gaussians.
      All hyperparameters (the prior on mean and covariance, :math:`\alpha` and
      :math:`\theta`) are estimated. The labels do not depend on the scale of the features.
    - ``score="kmeans"``: :math:`f = \sum_{i \in c} w_i \lVert x_i - \mu_c \rVert^2`, the
      regularised k-means of "Power-Law Graph Cuts".

    Parameters
    ----------
    score : {"gaussian", "kmeans"}, default="gaussian"
        The cost of a cluster.
    covariance : {"diagonal", "spherical", "full", "auto"}, optional
        The covariance structure of Gaussian clusters. ``"diagonal"``, the default: one variance per
        feature and cluster, which suits features of different kinds and many features.
        ``"spherical"``: one variance per cluster, for features of one kind and unit
        (coordinates, embeddings). ``"full"``: one matrix per cluster, for few features that
        are correlated within clusters; it needs clusters of more points than features.
        ``"auto"``: fit all three, and keep the one of shortest `description_length_`, the most
        likely.
    tradeoff : float or "auto", default="auto"
        :math:`\lambda`, the weight of the size prior against the score. ``"auto"`` is 1 with
        ``"gaussian"`` (the MAP partition), at which points of one Gaussian are one cluster;
        larger values keep non-Gaussian clusters unsplit: see `powercut.tradeoff_path`. With
        ``"kmeans"`` it has the scale of a squared distance, twice the variance of a cluster
        in one dimension, and is estimated.
    concentration : float, optional
        :math:`\alpha`; larger values favour more clusters. Estimated with
        ``"gaussian"``, 1 with ``"kmeans"``.
    discount : float, optional
        :math:`\theta`, in [0, 1): larger values favour a heavier tail of small
        clusters. The number of clusters grows as ``n ** discount``. Estimated with
        ``"gaussian"``, 0 with ``"kmeans"``.
    algorithm : {"multilevel", "lloyd"}, default="multilevel"
        Exact moves of points, parts of clusters and clusters, from several starts if there
        are few points; or, for ``"kmeans"``, Algorithm 1 of the paper, from one cluster.
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
        Cluster of each row. Cluster 0 is the largest; ties are broken by the smallest
        member.
    n_clusters_ : int
        Number of clusters.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        Number of points in each cluster.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Weighted means of the clusters.
    tradeoff_, concentration_, discount_ : float
        The values given or estimated.
    margins_ : ndarray of shape (n_samples,)
        Log posterior odds, in nats, of each point's cluster against the best other one.
    cluster_evidence_ : ndarray of shape (n_clusters_,)
        Evidence for each cluster, in nats (log posterior odds), against merging it with the
        best other one.
    covariance_ : str
        The covariance structure; only with ``"gaussian"``.
    description_length_ : float
        Description length of the points in nats: -log-likelihood - log EPPF, plus half the
        logarithm of n for each estimated parameter. Absent if the tradeoff of ``"kmeans"`` is
        given.
    objective_ : float
        J of the labels, all constants included.
    objective_path_ : ndarray
        J at the start of the last search and after each of its rounds; it never rises.
    n_iter_ : int
        Number of rounds.
    stopped_early_ : bool
        Whether `max_seconds` or an interrupt ended the search.
    n_features_in_ : int
        Number of features.
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Id of each cluster, which it keeps in updates: its label after a fit, or the label at which
        points of it are `fixed`.
    changes_ : Matching
        What the last `update` changed: clusters that were born, split, grown and so on.

    See Also
    --------
    PowerLawClusters : Clusters of any shape.
    PowerLawKernelMeans : Cluster points given by a kernel matrix.
    PowerLawCut : Cluster the nodes of a graph.

    Notes
    -----
    A parameter that the chosen score or algorithm does not use must not be set: ``fit`` raises
    ValueError rather than ignore it.

    A row that equals a training row is that training point: ``predict`` returns its
    label. Any other row x gets the cluster of largest posterior: with ``"gaussian"`` the
    posterior predictive, a Student t-density times :math:`n_c - \theta`; with ``"kmeans"``,
    at the fitted centres,
    :math:`(n_c - \theta) \exp(-\lVert x - \mu_c \rVert^2 / \lambda)`.

    Non-Gaussian clusters (curved, bounded, heavy-tailed) are split into several Gaussian
    clusters, and into more of them the more points there are. ``fit`` warns where that is certain
    (`powercut.vectors.gaussianity`): use `PowerLawClusters` then, or raise `tradeoff` to 2 or 3.
    Constant features carry no information and are dropped.

    More than 20,000 points are searched from one start instead of several: first a sample of
    20,000 points, whose clusters all points then join, leave and split, by the same exact
    moves, in all threads.

    `sample_weight` is for ``"kmeans"`` only: in a Gaussian likelihood a row of weight above 1
    would be several equal points, a cluster of variance 0.

    J of ``"kmeans"`` has its minimum at singletons when `tradeoff` is small, and at a
    positive discount also when it is large: each new cluster makes the next one cheaper.
    Lower `discount` or raise `tradeoff` if the result is singletons.

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

    @answers_foreign_names
    def __init__(
        self,
        score: str = "gaussian",
        *,
        covariance: str | None = None,
        tradeoff: float | str = "auto",
        concentration: float | None = None,
        discount: float | None = None,
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

    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        sample_weight: Any = None,
        *,
        fixed: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Find the clusters, all of them or those that are not known yet.

        What is known is told by constraints, all of which are kept. Points are given by their row
        numbers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The points; float32 is not converted.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights :math:`w_i > 0` of the squared distances, for k-means. Cluster sizes in
            the prior count points, regardless of their weights.
        fixed : array-like of shape (n_samples,) of int, or mapping of row to label, optional
            Points with the same label share a cluster, points with different ones do not. Points of
            label -1, and points that a mapping does not have, are free. `cluster_ids_` has the
            label of each cluster with fixed points.
        must_link : array-like of shape (m, 2), sequence of groups, or table, optional
            Points that share a cluster: a pair in each row, or a group of any size.
        cannot_link : array-like of shape (m, 2), or table, optional
            Pairs of points that do not share a cluster.

        Returns
        -------
        self

        Examples
        --------
        >>> from powercut import PowerLawMeans
        >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [9.0]]
        >>> model = PowerLawMeans("kmeans", tradeoff=0.5, random_state=0)
        >>> model.fit(X, fixed={0: 7, 3: 8}).labels_
        array([0, 0, 0, 2, 1, 1, 1, 3], dtype=int32)
        >>> model.cluster_ids_[model.labels_]
        array([ 7,  7,  7,  8,  9,  9,  9, 10])
        """
        given = {"fixed": fixed, "must_link": must_link, "cannot_link": cannot_link}
        given = {name: value for name, value in given.items() if value is not None}
        if given and self.algorithm == "lloyd":
            raise ValueError(
                f"algorithm='lloyd' does not keep {' and '.join(given)}: use 'multilevel'."
            )
        return self._fit(X, sample_weight, given)

    def transform(self, X: Any) -> npt.NDArray[np.floating]:
        """Return the Euclidean distance of each row to each cluster centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        X, _ = self._rows(X)
        return np.asarray(_distances(X, self.cluster_centers_.astype(X.dtype)))

    def _prior_and_tradeoff(self) -> tuple[PitmanYor | None, float | None]:
        check_choice("score", self.score, SCORES)
        check_used(self, "covariance", by="score", choices=["gaussian"])
        if self.covariance is not None:
            check_choice("covariance", self.covariance, (*COVARIANCES, "auto"))
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
        """Accept any vectors, and weights with ``"kmeans"`` only."""
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
        known: KnownPoints | None,
    ) -> tuple[SearchResult, Regulariser, Points]:
        options: dict[str, Any] = {
            "constraints": None if known is None else known.constraints,
            "labels": init,
            "n_init": self.n_init,
            "n_jobs": effective_jobs(self.n_jobs),
            "random": make_random(self.random_state),
            "reporter": reporter,
        }
        self._gaussian: GaussianPosterior | None = None
        if self.score == "gaussian":
            assert tradeoff is not None
            fit, standard = self._fit_gaussian(X, tradeoff=tradeoff, prior=prior, **options)
            labels = canonical_labels(fit.found.labels)
            self._gaussian = GaussianPosterior.of(fit, labels, standard)
            self._set_optional(
                labels,
                known,
                description_length_=fit.description.nats,
                covariance_=fit.model.whole.form.name,
            )
            if init is None and not reporter.expired():
                self._warn_of_shapes(fit.model.points, labels, tradeoff)
            return fit.found, fit.objective.regulariser, fit.model.points
        assert prior is not None
        n_threads = options["n_jobs"]
        points = Points.finest(centred(X), weight, n_threads=n_threads)
        if tradeoff is None:
            estimated = fit_kmeans(points, prior, **options)
            labels = canonical_labels(estimated.found.labels)
            self._set_optional(labels, known, description_length_=estimated.description.nats)
            return estimated.found, estimated.objective.regulariser, points
        regulariser = Regulariser(prior, tradeoff)
        if self.algorithm == "lloyd":
            found = lloyd_points(
                points, regulariser, labels=init, max_iter=max_passes(self), cancel=reporter
            )
            warn_if_unfinished(self, found)
        else:
            found = search_points(points, regulariser, **options)
        self._set_optional(canonical_labels(found.labels), known)
        return found, regulariser, points

    def _set_optional(self, labels: Labels, known: KnownPoints | None, **optional: Any) -> None:
        """Set the attributes that some fits have, and delete the others."""
        if known is not None:
            optional["_known"] = known.known
            if known.known.fixed is not None:
                ids = known.known.cluster_ids(labels)
                optional |= {"cluster_ids_": ids, "_next_id": int(ids.max()) + 1}
        set_optional(self, OPTIONAL, optional)

    def _fit_gaussian(self, X: Rows, **options: Any) -> tuple[GaussianFit, Standardised]:
        """Return the fit of the covariance structure that was set or, with auto, of the best."""
        choices = tuple(COVARIANCES)
        if self.covariance != "auto":
            choices = (DEFAULT_COVARIANCE if self.covariance is None else self.covariance,)
        fits = [
            fit_gaussian(X, covariance=covariance, **options)
            for covariance in options["reporter"].each(choices, of=len(choices))
        ]
        return min(fits, key=lambda fit: fit[0].description.nats)

    def _warn_of_shapes(self, points: Points, labels: Labels, tradeoff: float) -> None:
        """Warn of a single cluster, or of clusters that are certainly not Gaussian.

        Clusters at a tradeoff that was set are as coarse as the user wants them.
        """
        given = not isinstance(self.tradeoff, str)
        if labels.max() == 0:
            if points.n > 1:
                warn_of_one_cluster(points.n, "points", tradeoff, given=given)
            return
        test = compare_with_gaussian(points.values, labels)
        if test.refuted and not given:
            warn_user(
                f"The {labels.max() + 1} clusters do not pass as Gaussian: {test.reason}. Clusters "
                "of other shapes are split into several; powercut.PowerLawClusters finds them."
            )

    def _set_means(self, X: Rows) -> None:
        clusters = Points(X, self._weight).aggregate(self.labels_, self.n_clusters_)
        self.cluster_centers_ = clusters.values
        self._keep(X)

    def _costs(self, rows: Rows, index: Positions) -> FloatArray:
        if self._gaussian is not None:
            return self._gaussian.costs(rows, index)
        return super()._costs(rows, index)

    def _margins(self, X: Rows, points: Points) -> FloatArray:
        if self._gaussian is None:
            return super()._margins(X, points)
        return self._gaussian.margins(points) / j_per_nat(self._fitted_tradeoff)

    def _cluster_evidence(self, points: Points) -> FloatArray:
        if self._gaussian is not None:
            return self._gaussian.evidence()
        score = KMeans(points.values.shape[1])
        clusters = points.aggregate(self.labels_, self.n_clusters_, score.scatter)
        return point_cluster_evidence(clusters, Objective(score, self._regulariser))

    def _squared_distances(self, X: Rows, index: Positions) -> FloatArray:  # noqa: ARG002
        return np.asarray(_distances(X.astype(np.float64), self.cluster_centers_, squared=True))

    @property
    def _n_features_out(self) -> int:
        """Number of columns of `transform`, for the names of output features."""
        return int(self.n_clusters_)


def power_law_means(
    X: Any,
    *,
    sample_weight: Any = None,
    fixed: Any = None,
    must_link: Any = None,
    cannot_link: Any = None,
    **parameters: Any,
) -> Labels:
    """Cluster the rows of X; the function form of `PowerLawMeans`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the squared distances, for ``score="kmeans"``.
    fixed, must_link, cannot_link : optional
        What is known of the clusters; see `PowerLawMeans.fit`.
    **parameters
        Parameters of `PowerLawMeans`.

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
    known = {"fixed": fixed, "must_link": must_link, "cannot_link": cannot_link}
    model = PowerLawMeans(**parameters).fit(X, sample_weight=sample_weight, **known)
    labels: Labels = model.labels_
    return labels


def _distances(X: Rows, centres: Rows, *, squared: bool = False) -> Any:
    """Return the distance of each row to each centre."""
    from sklearn.metrics.pairwise import euclidean_distances  # slow to import, and no fit needs it

    return euclidean_distances(X, centres, squared=squared)
