"""`PowerLawMeans.update`: the clusters of points of which some have come or gone."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from powercut._typing import FloatArray, Rows
from powercut._utils import cached_property
from powercut._validation import check_real, check_sample_weight, effective_jobs
from powercut.estimators._common import make_random
from powercut.estimators._constraints import KnownPoints
from powercut.estimators._gaussian_posterior import GaussianPosterior
from powercut.estimators._point_changes import ChangedPoints, ChangingPoints
from powercut.estimators._stopping import check_stopping, reporting, stopping
from powercut.partition import canonical_labels
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.objective import Regulariser, SearchResult
from powercut.vectors.gaussian_update import update_gaussian
from powercut.vectors.kmeans_update import update_kmeans
from powercut.vectors.points import Points, centred
from powercut.vectors.standardised import Standardised

# Attributes that are computed when they are first used after an update.
LATER = ("margins_", "cluster_evidence_")


class MeansUpdateMixin(ChangingPoints):
    """The part of `PowerLawMeans` that follows points that come and go."""

    score: str
    algorithm: str
    n_jobs: int | None
    random_state: Any

    _gaussian: GaussianPosterior | None
    _regulariser: Regulariser
    _weight: FloatArray

    if TYPE_CHECKING:

        def _check_input(self, X: Rows, weight: FloatArray | None) -> None: ...
        def _prior_and_tradeoff(self) -> tuple[PitmanYor | None, float | None]: ...
        def _margins(self, X: Rows, points: Points) -> FloatArray: ...
        def _cluster_evidence(self, points: Points) -> FloatArray: ...
        def _set_partition(
            self, X: Rows, weight: FloatArray | None, found: SearchResult, regulariser: Regulariser
        ) -> None: ...

    @cached_property
    def margins_(self) -> FloatArray:
        """Log posterior odds of each point's cluster against the best other one."""
        return self._margins(*self._searched())

    @cached_property
    def cluster_evidence_(self) -> FloatArray:
        """Evidence for each cluster against merging it with the best other one."""
        return self._cluster_evidence(self._searched()[1])

    def update(
        self,
        X: Any = None,
        *,
        removed: Any = None,
        sample_weight: Any = None,
        fixed: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
        inertia: float = 0.5,
        points: Any = None,
    ) -> Self:
        """Add points to those of the fit or remove some, and keep the ids of the clusters.

        The search starts from the clusters before. Points that come join the best cluster or found
        new ones. Clusters of which 3% have come or gone are also divided and joined, and their
        points moved, where that lowers J. The parameters are estimated again, as in a fit. A few
        points take a fraction of the time of a fit; after many changes, a fit may find better
        clusters.

        `labels_` has the points that were there before, in their order, and then those of X. The
        model keeps them for the next update: after a fit as a reference to its X, not a copy, so
        that must not be changed meanwhile. Points in mapped files are not kept.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features), optional
            Points that come.
        removed : array-like of int, optional
            Points that go: rows of the points as they were before this update.
        sample_weight : array-like of shape (n_new,), optional
            Weights of the points that come, for ``score="kmeans"``.
        fixed, must_link, cannot_link : optional
            More of what is known of the clusters, as in `fit`; points are numbered as in `labels_`
            after the update. All that was known before stays in force. A label is the id of the
            cluster in `cluster_ids_`.
        inertia : float, default=0.5
            The gain in nats above which a point that was there leaves its cluster, so that noise
            does not move it.
        points : array-like of shape (n_samples, n_features), optional
            The points before the update; only for a model that does not have them, because it was
            loaded from a file, or fitted to points that are not in memory.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> from powercut import PowerLawMeans
        >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [9.0]])
        >>> model = PowerLawMeans("kmeans", tradeoff=0.5, random_state=0).fit(X)
        >>> model.update([[9.1], [9.2], [9.3], [20.0]]).labels_
        array([0, 0, 0, 0, 2, 2, 2, 1, 1, 1, 1, 3], dtype=int32)
        >>> model.cluster_ids_
        array([0, 2, 1, 3])
        >>> model.changes_.to_frame()
           id change  other  before  after  kept
        0   2  grown     -1       1      4     1
        1   3   born     -1       0      1     0
        """
        inertia = check_real(inertia, "inertia", min_val=0)
        check_is_fitted(self, "labels_")
        check_stopping(self)
        if self.algorithm != "multilevel":
            raise ValueError(
                f"update needs algorithm='multilevel', but the model has algorithm="
                f"{self.algorithm!r}: fit all points again."
            )
        before = self._points_before(points)
        given = {"fixed": fixed, "must_link": must_link, "cannot_link": cannot_link}
        with reporting(self) as reporter:
            with reporter.part(0.1, "input"):
                changed = self._changed(before, X, removed, sample_weight)
                known = self._known_of(changed, given)
            with reporter.part(0.95, "search"), stopping(self, reporter):
                found, regulariser, untried, attributes = self._follow(
                    changed, known, inertia, reporter
                )
            with reporter.part(1.0, "results"):
                old = self.labels_, self.cluster_ids_, self._next_id
                self._set_partition(changed.X, changed.weight, found, regulariser)
                self._keep_known(None if known is None else known.known)
                self._continue_ids(*old, changed.before)
                self._untried = untried
                self.__dict__.update(attributes)
                for name in LATER:
                    self.__dict__.pop(name, None)
        return self

    def _complete(self) -> None:
        """Compute all attributes that are computed when they are first used."""
        for name in LATER:
            getattr(self, name)

    def _searched(self) -> tuple[Rows, Points]:
        """Return the points as they were given, and as they are searched."""
        if self._kept is None:
            raise AttributeError("the model has no points in memory")
        standard = None if self._gaussian is None else self._gaussian.standard
        n_jobs = effective_jobs(self.n_jobs)
        return self._kept, searched_points(self._kept, self._weight, standard, n_jobs=n_jobs)

    def _changed(self, before: Rows, X: Any, removed: Any, sample_weight: Any) -> ChangedPoints:
        """Return the points after the update."""
        new = self._new_points(X, before)
        given = check_sample_weight(sample_weight, len(new))
        self._check_input(new, given)
        weight = np.ones(len(new)) if given is None else given
        return self._changed_points((before, self._weight), (new, weight), removed)

    def _follow(
        self,
        changed: ChangedPoints,
        known: KnownPoints | None,
        inertia: float,
        reporter: ProgressReporter,
    ) -> tuple[SearchResult, Regulariser, FloatArray, dict[str, Any]]:
        """Return the clusters, the size prior, `_untried`, and other attributes."""
        prior, tradeoff = self._prior_and_tradeoff()
        n_jobs = effective_jobs(self.n_jobs)
        options: dict[str, Any] = {
            "constraints": None if known is None else known.constraints,
            "inertia": inertia,
            "random": make_random(self.random_state),
            "reporter": reporter,
        }
        if self._gaussian is not None:
            assert tradeoff is not None
            fit, standard, untried = update_gaussian(
                changed.X,
                changed.changes,
                self._gaussian.objective,
                self._gaussian.standard,
                tradeoff=tradeoff,
                prior=prior,
                n_jobs=n_jobs,
                **options,
            )
            posterior = GaussianPosterior.of(fit, canonical_labels(fit.found.labels), standard)
            attributes = {"description_length_": fit.description.nats, "_gaussian": posterior}
            return fit.found, fit.objective.regulariser, untried, attributes
        points = searched_points(changed.X, changed.weight, None, n_jobs=n_jobs)
        found, untried = update_kmeans(
            points, changed.changes, self._regulariser, estimates=tradeoff is None, **options
        )
        attributes = {"description_length_": found.description.nats} if tradeoff is None else {}
        return found.found, found.objective.regulariser, untried, attributes


def searched_points(
    X: Rows, weight: FloatArray, standard: Standardised | None, *, n_jobs: int
) -> Points:
    """Return the points as they are searched: in the units of Gaussians, or for k-means."""
    values = centred(X) if standard is None else standard(X)
    return Points.finest(values, None if (weight == 1).all() else weight, n_threads=n_jobs)
