"""PowerLawClusters: cluster vectors or a graph, by whatever suits the data."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin

from powercut._typing import LABEL, Labels, Positions
from powercut._utils import warn_user
from powercut._validation import check_choice, check_flag, effective_jobs
from powercut.estimators._clusters_posterior import ClustersPosteriorMixin
from powercut.estimators._clusters_update import ClustersUpdateMixin
from powercut.estimators._common import (
    TrainingRows,
    make_random,
    set_fitted,
    set_optional,
)
from powercut.estimators._constraints import KnownPoints
from powercut.estimators._foreign_names import answers_foreign_names
from powercut.estimators._gaussian_route import gaussian_route
from powercut.estimators._graph_input import row_keys
from powercut.estimators._stopping import BEFORE_TREE, check_stopping, reporting, stopping
from powercut.estimators._tree import TreeBase
from powercut.estimators._vector_input import is_vectors, validate_vectors
from powercut.estimators._vector_routes import Found, neighbor_route
from powercut.estimators.cut import PowerLawCut
from powercut.graphs.tree import ClusterTree
from powercut.partition import canonical_labels
from powercut.progress import ProgressReporter
from powercut.vectors.scaling import SCALES, choose_scaling
from powercut.vectors.tails import OUTLIER, Tails

OUTLIERS = ("assign", "label")
# Attributes that all clusters have; those of a graph are taken from `PowerLawCut`.
COMMON = (
    *("labels_", "n_clusters_", "cluster_sizes_", "margins_", "cluster_evidence_", "tradeoff_"),
    *("concentration_", "discount_", "objective_", "objective_path_", "n_iter_"),
    *("stopped_early_", "n_features_in_"),
)
# Attributes that only vectors have.
OF_VECTORS = (
    *("scale_", "outlier_score_", "feature_names_in_"),
    *("_posterior", "_training", "_tails", "_scaling", "_columns"),
)


class PowerLawClusters(
    ClustersUpdateMixin,
    ClustersPosteriorMixin,
    ClusterMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    r"""Clusters of vectors or of a graph, of any shape, their number unknown.

    The estimator to try first. It decides by the data:

    - **Gaussian clusters**, as `PowerLawMeans` finds them, if each of them passes as a Gaussian:
      skewness and kurtosis on their principal axes tell (`powercut.vectors.gaussianity`), and so
      does the density where they meet (`powercut.graphs.borders`). In more than 20
      columns, they have diagonal covariances, and the radii of their points tell
      (`powercut.vectors.column_gaussianity`); in more than 100, they are tried only on more than
      30,000 points.
    - **Hills of the density** otherwise, if the points fill a line or a surface: peaks that stand
      out above the noise, each with all that flows up to it (`powercut.graphs.hills`).
    - **Clusters of the neighbour graph**, if they fill more dimensions: those that `PowerLawCut`
      finds in the graph of 15 nearest neighbours; below five dimensions, the hills inside them.
    - **A graph** is clustered by `PowerLawCut`.

    `route_` is the way that was taken, and `why_` says why. Clusters have a Pitman-Yor prior on
    their sizes, whose parameters are estimated: a few large clusters and many small ones.

    Columns are scaled if they have different units, as in tables, and left alone if they have one,
    as pixels, principal components and embeddings have: `powercut.vectors.scaling` states the rule,
    and `scale_` has the result.

    Parameters
    ----------
    scale : {"auto", "columns", "none"}, default="auto"
        Whether to divide each column by its spread before distances are computed. ``"auto"``
        decides by the columns.
    outliers : {"assign", "label"}, default="assign"
        Whether every point is assigned to a cluster, or points that belong nowhere have the label
        -1. They are those whose `outlier_score_` is above ln 100. A cluster without outliers has
        one with a probability of a few percent.
    tree : bool, default=False
        Whether to find clusters at other scales too, around those of the fit: `tree_`. The time
        limit is then one for both. See `powercut.cluster_tree`.
    max_seconds : float, optional
        Time limit of the search. When it is reached, the best partition so far is kept, with a
        warning. The search for neighbours is not included.
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
        Cluster of each row or node. Cluster 0 is the largest; ties are broken by the smallest
        member. With ``outliers="label"``, -1 for outliers.
    n_clusters_ : int
        Number of clusters.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        Number of points in each cluster.
    route_ : {"gaussian", "density", "neighbors", "graph"}
        The way in which clusters were found.
    why_ : str
        Why this way was taken and why columns were scaled or not, in a few sentences.
    scale_ : ndarray of shape (n_features,)
        What each column was divided by, 1 if it was left alone; only for vectors.
    margins_ : ndarray of shape (n_samples,)
        Log posterior odds, in nats, of each point's cluster against the best other one.
    cluster_evidence_ : ndarray of shape (n_clusters_,)
        Evidence for each cluster, in nats (log posterior odds), against merging it with the
        best other one.
    outlier_score_ : ndarray of shape (n_samples,)
        Minus the logarithm of the number of points of the cluster that are expected to be as far
        out as this one (`powercut.vectors.tails`): about 0 for the outermost; only for vectors.
    tradeoff_, concentration_, discount_ : float
        Weight and parameters of the prior on cluster sizes, estimated.
    objective_ : float
        J at the end of the search for Gaussian clusters, or for those of a graph. For hills of
        the density, minus the log-probability of their sizes.
    objective_path_ : ndarray
        J at the start of that search and after each of its rounds.
    tree_ : ClusterTree
        Nested clusters at all scales, of which the fitted level is `labels_`; only if `tree`.
    prior_moved_ : ndarray of int
        The positions of the nodes of a graph that are not in the cluster of their prior label; only
        with prior labels.
    n_iter_ : int
        Number of rounds.
    stopped_early_ : bool
        Whether `max_seconds` or an interrupt ended the search.
    n_features_in_ : int
        Number of features, or of nodes.
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Id of each cluster, which it keeps in updates: its label after a fit, or the label at which
        points of it are `fixed`.
    changes_ : Matching
        What the last `update` changed: clusters that were born, split, grown and so on.

    See Also
    --------
    PowerLawMeans : Gaussian clusters and k-means, with parameters to set.
    PowerLawCut : Clusters of a graph, with parameters to set.

    Notes
    -----
    A row that equals a training row is that training point: ``predict`` returns its label. Any
    other row gets the cluster of largest posterior. If clusters are not Gaussian, this is the
    cluster of most of its nearest training points (15, or up to 40 that the density was
    estimated from); the prior counts as one more.

    ``predict_proba`` knows how far out a row is. With p the posterior of the clusters and s the
    outlier score, it returns :math:`(p + \beta / k) / (1 + \beta)` where :math:`\beta = e^s / 100`:
    far from all clusters, all are equally likely.

    Examples
    --------
    >>> from powercut import PowerLawClusters
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(500, noise=0.05, random_state=0)
    >>> model = PowerLawClusters(random_state=0).fit(X)
    >>> model.n_clusters_, model.route_
    (2, 'density')
    >>> model.predict([[0.0, 1.0], [1.0, -0.5]])
    array([0, 1], dtype=int32)
    """

    @answers_foreign_names
    def __init__(
        self,
        *,
        scale: str = "auto",
        outliers: str = "assign",
        tree: bool = False,
        max_seconds: float | None = None,
        on_interrupt: str = "raise",
        progress: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.scale = scale
        self.outliers = outliers
        self.tree = tree
        self.max_seconds = max_seconds
        self.on_interrupt = on_interrupt
        self.progress = progress
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        *,
        fixed: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
        prior_labels: Any = None,
        prior_nats: float | None = None,
    ) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a graph
            Vectors; or a `powercut.Graph`, a networkx or igraph graph, or the path of one. A
            matrix is taken for vectors, that of a graph must be wrapped: ``powercut.Graph(A)``.
        y : None
            Ignored.
        fixed, must_link, cannot_link : optional
            What is known of the clusters, all of which is kept; see `PowerLawMeans.fit` for
            vectors, and `PowerLawCut.fit` for a graph. Vectors then take the same way as without,
            but the neighbour graph in place of the density, whose hills would not keep it.
        prior_labels, prior_nats : optional
            Labels of the nodes of a graph that may be wrong; see `PowerLawCut.fit`. Not for
            vectors.

        Returns
        -------
        self
        """
        check_choice("scale", self.scale, SCALES)
        check_choice("outliers", self.outliers, OUTLIERS)
        check_flag(self.tree, "tree")
        if self.tree and self.outliers == "label":
            raise ValueError(
                'outliers="label" leaves points without a cluster, and a tree has them all; leave '
                "one of outliers and tree out."
            )
        check_stopping(self)
        effective_jobs(self.n_jobs)  # raises before the data are read
        given = {"fixed": fixed, "must_link": must_link, "cannot_link": cannot_link}
        of_graphs = {"prior_labels": prior_labels, "prior_nats": prior_nats}
        if not is_vectors(X):
            return self._fit_graph(X, given | of_graphs)
        names = [name for name, value in of_graphs.items() if value is not None]
        if names:
            raise ValueError(
                f"{' and '.join(names)} are for graphs, and X has vectors: fit the graph of their "
                "nearest neighbours, powercut.neighbors.graph(X)."
            )
        given = {name: value for name, value in given.items() if value is not None}
        self._check_constrainable(" and ".join(given))
        with reporting(self) as reporter:
            with reporter.part(0.02, "input"):
                X = validate_vectors(self, X)
                known = KnownPoints.read(X.shape[0], given) if given else None
            self._fit_vectors(X, known, reporter)
        return self

    def _fit_vectors(
        self,
        X: Any,
        known: KnownPoints | None,
        reporter: ProgressReporter,
        *,
        before: Positions | None = None,
    ) -> None:
        """Cluster vectors that were checked; nothing is set before the clusters are found.

        In an update, `before` is the row of each point before, -1 if it came: clusters then have
        the ids of those that they continue.
        """
        n_jobs = effective_jobs(self.n_jobs)
        optional: dict[str, Any] = {}
        with reporter.part(0.95, "search"), stopping(self, reporter):
            scaling = choose_scaling(X, self.scale)
            points = scaling(X)
            with reporter.part(BEFORE_TREE if self.tree else 1.0):
                found, route, why = self._search(points, n_jobs, reporter, known)
            if self.tree:
                with reporter.part(1.0, "levels"):
                    optional["tree_"] = self._find_tree(
                        points, found.result.labels, n_jobs, reporter
                    )
        with reporter.part(1.0, "results"):
            old = None if before is None else (self.labels_, self.cluster_ids_, self._next_id)
            if known is not None:
                optional["_known"] = known.known
            set_optional(self, ("tree_", "prior_moved_", "_known"), optional)
            self.route_, self.why_ = route, f"{why} {scaling.why}"
            self._forget_updates()
            self._set_vectors(X, found, scaling)
            if old is not None and before is not None:
                self._continue_ids(*old, before)
            elif known is not None and known.known.fixed is not None:
                self.cluster_ids_ = known.known.cluster_ids(self.labels_)
                self._next_id = int(self.cluster_ids_.max()) + 1
            self._warn_if_one_cluster()

    def _check_constrainable(self, given: str) -> None:
        """Raise if there are constraints, and a parameter that does not keep them."""
        if given and self.tree:
            raise ValueError(
                f"the levels of a tree do not keep {given}: fit with tree=False, and find the tree "
                "around the clusters with powercut.cluster_tree."
            )
        if given and self.outliers == "label":
            raise ValueError(
                f'outliers="label" takes points out of their clusters, and does not keep {given}: '
                'use outliers="assign".'
            )

    def _search(
        self, points: Any, n_jobs: int, reporter: ProgressReporter, known: KnownPoints | None
    ) -> tuple[Found, str, str]:
        """Take one of the two ways for vectors; return its name and the reason, too."""
        options: dict[str, Any] = {
            "n_jobs": n_jobs,
            "reporter": reporter,
            "constraints": None if known is None else known.constraints,
        }
        # What one route draws has no effect on the other.
        first, second = make_random(self.random_state).spawn(2)
        with reporter.part(0.4):
            found, why = gaussian_route(points, random=first, **options)
        if found is not None:
            return found, "gaussian", why
        found, route, more = neighbor_route(points, random=second, **options)
        return found, route, f"{why} {more}"

    def _find_tree(
        self, points: Any, labels: Labels, n_jobs: int, reporter: ProgressReporter
    ) -> ClusterTree:
        random = make_random(self.random_state)
        base = TreeBase.of_vectors(points, labels, n_threads=n_jobs, random=random)
        random = make_random(self.random_state)  # as cluster_tree does: the same tree
        return base.grow(n_threads=n_jobs, random=random, reporter=reporter)

    def _set_vectors(self, X: Any, found: Found, scaling: Any) -> None:
        """Set the fitted attributes of vectors."""
        labels = found.result.labels
        set_fitted(self, found.result)
        self.tradeoff_ = found.regulariser.tradeoff
        self.concentration_ = found.regulariser.prior.concentration
        self.discount_ = found.regulariser.prior.discount
        self.margins_, self.cluster_evidence_ = found.margins, found.evidence
        self._posterior, self._training = found.posterior, TrainingRows(row_keys(X))
        self._scaling, self.scale_ = scaling, scaling.scale
        self._tails = Tails.of(found.sparseness, labels)
        self.outlier_score_ = self._tails.scores(found.sparseness, labels)
        self._columns = np.arange(self.n_clusters_)
        if self.outliers == "label":
            self._label_outliers()
        set_optional(self, ("_cut",), {})
        if sp.issparse(X):
            self._kept = None
        else:
            self._keep(X)

    def _warn_if_one_cluster(self) -> None:
        """Warn if the points show no clusters, once everything is set: warnings may be errors."""
        n = len(self.labels_)
        if self.n_clusters_ == 1 and n > 1 and not self.stopped_early_:
            warn_user(
                f"No more than one cluster is supported by the data: the {n} points show no "
                "structure."
            )

    def _label_outliers(self) -> None:
        """Take the outliers out of their clusters, and number what is left."""
        inside = self.outlier_score_ <= OUTLIER
        if not inside.any():
            return
        labels = np.full(len(inside), -1, dtype=LABEL)
        labels[inside] = canonical_labels(self.labels_[inside])
        columns = np.empty(int(labels.max()) + 1, dtype=np.intp)
        columns[labels[inside]] = self.labels_[inside]
        self.labels_, self._columns = labels, columns
        self.cluster_sizes_ = np.bincount(labels[inside])
        self.n_clusters_ = len(columns)
        self.cluster_evidence_ = self.cluster_evidence_[columns]

    def _fit_graph(self, graph: Any, known: dict[str, Any]) -> Self:
        """Cluster a graph by `PowerLawCut`, which is kept for predictions."""
        for name, unset in (("scale", "auto"), ("outliers", "assign")):
            value = getattr(self, name)
            if value != unset:
                raise ValueError(
                    f"{name}={value!r} has no effect on a graph, which has no columns and no "
                    f"distances: leave {name} out."
                )
        names = ("tree", "max_seconds", "on_interrupt", "progress", "n_jobs", "random_state")
        cut = PowerLawCut(**{name: getattr(self, name) for name in names}).fit(graph, **known)
        set_optional(self, OF_VECTORS, {})
        optional: dict[str, Any] = {"tree_": cut.tree_} if self.tree else {}
        set_optional(self, ("tree_", "_known"), optional)
        set_optional(cut, ("tree_",), {})
        # Predictions need neither, and a callback or a generator could not be saved.
        self._cut = cut.set_params(progress=None, random_state=None)
        self._kept = None
        self._forget_updates()
        self._set_graph()
        self.route_ = "graph"
        self.why_ = "A graph is clustered by its edges."
        return self

    def _set_graph(self) -> None:
        """Set the fitted attributes of a graph, after a fit or an update."""
        for name in COMMON:
            setattr(self, name, getattr(self._cut, name))
        self.cluster_ids_, self._next_id = self._cut.cluster_ids_, self._cut._next_id
        moved = (
            {"prior_moved_": self._cut.prior_moved_} if hasattr(self._cut, "prior_moved_") else {}
        )
        set_optional(self, ("prior_moved_",), moved)
        if hasattr(self._cut, "changes_"):
            self.changes_ = self._cut.changes_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def cluster(data: Any, *, random_state: Any = None, **parameters: Any) -> Labels:
    """Cluster vectors or a graph; the function form of `PowerLawClusters`.

    Parameters
    ----------
    data : array-like or sparse matrix of shape (n_samples, n_features), or a graph
        Vectors; or a `powercut.Graph`, a networkx or igraph graph, or the path of one.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts and of the order of moves.
    **parameters
        Other parameters of `PowerLawClusters`.

    Returns
    -------
    ndarray of shape (n_samples,), int32
        ``labels_`` of the fitted `PowerLawClusters`.

    Examples
    --------
    >>> import powercut
    >>> X, truth = powercut.datasets.make_blobs(500, random_state=0)
    >>> labels = powercut.cluster(X, random_state=0)
    >>> int(labels.max()) + 1, len(set(truth))
    (21, 21)
    """
    labels: Labels = PowerLawClusters(random_state=random_state, **parameters).fit(data).labels_
    return labels
