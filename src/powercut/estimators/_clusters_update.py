"""`PowerLawClusters.update`: points or a graph, followed through a change."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from powercut._typing import Labels, Positions, Rows
from powercut._validation import check_real, effective_jobs
from powercut.estimators._common import make_random
from powercut.estimators._constraints import KnownPoints
from powercut.estimators._gaussian_posterior import GaussianPosterior
from powercut.estimators._gaussian_route import found_gaussians
from powercut.estimators._lasting_ids import LASTING
from powercut.estimators._neighbor_posterior import NeighborPosterior
from powercut.estimators._point_changes import ChangedPoints, ChangingPoints
from powercut.estimators._stopping import check_stopping, reporting, stopping
from powercut.estimators._vector_routes import Found
from powercut.estimators.cut import PowerLawCut
from powercut.progress import ProgressReporter
from powercut.vectors.gaussian_update import update_gaussian

# What an update of vectors, and of a graph, takes besides X.
KNOWN = ("fixed", "must_link", "cannot_link")
OF_POINTS = ("removed", *KNOWN, "inertia", "points")
OF_GRAPHS = (
    *("added", "removed", "added_nodes", "removed_nodes", *KNOWN),
    *("prior_labels", "prior_nats", "inertia", "refit", "graph"),
)


class ClustersUpdateMixin(ChangingPoints):
    """The part of `PowerLawClusters` that follows its data through changes."""

    outliers: str
    tree: bool
    progress: Any
    n_jobs: int | None
    random_state: Any

    labels_: Labels
    route_: str
    _posterior: GaussianPosterior | NeighborPosterior
    _cut: PowerLawCut
    _scaling: Any

    if TYPE_CHECKING:

        def _set_vectors(self, X: Rows, found: Found, scaling: Any) -> None: ...
        def _set_graph(self) -> None: ...
        def _fit_vectors(
            self,
            X: Any,
            known: KnownPoints | None,
            reporter: ProgressReporter,
            *,
            before: Positions | None = None,
        ) -> None: ...
        def _warn_if_one_cluster(self) -> None: ...

    def update(self, X: Any = None, **changes: Any) -> Self:
        """Follow the data of the fit through a change, and keep the ids of its clusters.

        Gaussian clusters are updated as in `PowerLawMeans.update`, with the scale of the columns in
        the fit; a graph as in `PowerLawCut.update`. Clusters by the density or by neighbours are
        found anew: this takes as long as a fit, and `route_` may change. They have the ids of the
        clusters that they continue, as in `powercut.match`. There is no update of sparse vectors.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features), optional
            Points that come; not for a graph.
        **changes
            For vectors, parameters of `PowerLawMeans.update` but `sample_weight`, and `inertia` for
            Gaussian clusters only; for a graph, those of `PowerLawCut.update`.

        Returns
        -------
        self

        Examples
        --------
        >>> from powercut import PowerLawClusters
        >>> from powercut.datasets import make_blobs
        >>> X, _ = make_blobs(1000, n_features=8, random_state=0)
        >>> model = PowerLawClusters(random_state=0).fit(X[:900])
        >>> before = model.cluster_ids_[model.labels_]
        >>> ids = model.update(X[900:]).cluster_ids_[model.labels_]
        >>> bool((ids[:900] == before).all())
        True
        """
        check_is_fitted(self, "labels_")
        check_stopping(self)
        known = OF_GRAPHS if self.route_ == "graph" else OF_POINTS
        unknown = sorted(changes.keys() - set(known))
        if unknown or (self.route_ == "graph" and X is not None):
            data, name = (
                ("a graph", unknown or ["X"]) if known is OF_GRAPHS else ("vectors", unknown)
            )
            raise ValueError(f"update of {data} has no {' and '.join(name)}; it takes {known}.")
        if self.tree:
            raise ValueError(
                "update does not keep tree_: fit with tree=False, and find the tree of the changed "
                "data with powercut.cluster_tree."
            )
        if self.route_ == "graph":
            return self._update_graph(changes)
        if self.outliers == "label":
            raise ValueError(
                'update needs outliers="assign": points without a cluster are in none that could '
                "be followed. outlier_score_ tells them."
            )
        if self.route_ == "gaussian":
            return self._update_gaussians(X, **changes)
        return self._fit_again(X, **changes)

    def _update_graph(self, changes: dict[str, Any]) -> Self:
        cut = self._cut.set_params(
            progress=self.progress, random_state=self.random_state, n_jobs=self.n_jobs
        )
        try:
            cut.update(**changes)
        finally:  # they could not be saved
            cut.set_params(progress=None, random_state=None)
        self._set_graph()
        return self

    def _changed(
        self, X: Any, removed: Any, points: Any, given: dict[str, Any]
    ) -> tuple[ChangedPoints, KnownPoints | None]:
        """Return the points after an update, and what is known of them."""
        before = self._points_before(points)
        new = self._new_points(X, before)
        changed = self._changed_points(
            (before, np.ones(len(before))), (new, np.ones(len(new))), removed
        )
        return changed, self._known_of(changed, given)

    def _fit_again(
        self,
        X: Any,
        *,
        removed: Any = None,
        points: Any = None,
        inertia: float | None = None,
        **given: Any,
    ) -> Self:
        """Fit the changed points, and keep the ids of clusters."""
        if inertia is not None:
            raise ValueError(
                "inertia is for Gaussian clusters and graphs; these clusters, found by "
                f"{self.route_}, are found anew: leave inertia out."
            )
        posterior = self._posterior
        if isinstance(posterior, NeighborPosterior) and sp.issparse(posterior.X):
            raise ValueError(
                "sparse vectors have no update: fit all of them again, and pass the old and the "
                "new labels to powercut.match, which keeps the ids."
            )
        with reporting(self) as reporter:
            with reporter.part(0.02, "input"):
                changed, known = self._changed(X, removed, points, given)
            self._fit_vectors(changed.X, known, reporter, before=changed.before)
        return self

    def _update_gaussians(
        self,
        X: Any,
        *,
        removed: Any = None,
        inertia: float = 0.5,
        points: Any = None,
        **given: Any,
    ) -> Self:
        inertia = check_real(inertia, "inertia", min_val=0)
        posterior = self._posterior
        assert isinstance(posterior, GaussianPosterior)
        with reporting(self) as reporter:
            with reporter.part(0.1, "input"):
                changed, known = self._changed(X, removed, points, given)
                rows = self._scaling(changed.X)
            with reporter.part(0.6, "search"), stopping(self, reporter):
                fit, standard, untried = update_gaussian(
                    rows,
                    changed.changes,
                    posterior.objective,
                    posterior.standard,
                    tradeoff=posterior.objective.regulariser.tradeoff,
                    prior=None,
                    inertia=inertia,
                    n_jobs=effective_jobs(self.n_jobs),
                    random=make_random(self.random_state),
                    reporter=reporter,
                    constraints=None if known is None else known.constraints,
                )
            with reporter.part(1.0, "results"):
                old = self.labels_, self.cluster_ids_, self._next_id
                self._set_vectors(changed.X, found_gaussians(rows, fit, standard), self._scaling)
                self._keep_known(None if known is None else known.known)
                self._continue_ids(*old, changed.before)
                self._untried = untried
                self._warn_if_one_cluster()
        return self

    def _forget_updates(self) -> None:
        """Delete what updates have set, at a new fit."""
        for name in LASTING:
            self.__dict__.pop(name, None)
