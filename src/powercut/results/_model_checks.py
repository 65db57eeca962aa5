"""Checks of a model that was read from a file: all that its methods rely on.

A file may hold anything. Arrays must have the types and shapes that a fit gives them, labels must
name clusters that exist, and numbers must be numbers: then no method reads out of bounds.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from powercut._typing import LABEL
from powercut.estimators._common import TrainingRows
from powercut.estimators._gaussian_posterior import GaussianPosterior
from powercut.estimators._graph_input import GivenGraph, NeighborsGraph, RBFGraph, VectorGraph
from powercut.estimators._graph_posterior import GraphPosterior
from powercut.estimators._lasting_prior_labels import OF_PRIOR_LABELS
from powercut.estimators._neighbor_posterior import NeighborPosterior
from powercut.estimators.clusters import PowerLawClusters
from powercut.estimators.cut import PowerLawCut
from powercut.estimators.kernel_means import PowerLawKernelMeans
from powercut.estimators.matching import MOST_IDS
from powercut.graphs._adjacency import check_stored
from powercut.graphs._frames import CONSTRUCTORS
from powercut.graphs.graph import Graph
from powercut.graphs.scores import ClusterStats, GraphScore
from powercut.prior import PitmanYor
from powercut.search.constraints import Constraints
from powercut.search.fit import Description
from powercut.search.known import FREE, Known
from powercut.search.objective import Objective, Regulariser
from powercut.vectors.covariances import Covariance, Full
from powercut.vectors.points import Points
from powercut.vectors.scaling import Scaling
from powercut.vectors.scores import Gaussian
from powercut.vectors.standardised import Standardised
from powercut.vectors.tails import Tails

FLOATS = ("<f4", "<f8")
COMMON = {
    "labels_", "cluster_sizes_", "n_clusters_", "objective_", "objective_path_", "n_iter_",
    "concentration_", "discount_", "tradeoff_", "margins_", "cluster_evidence_",
    "n_features_in_", "feature_names_in_", "description_length_", "stopped_early_",
}  # fmt: skip
OWN = {
    "PowerLawClusters": {
        "_cut", "_posterior", "route_", "why_", "scale_", "outlier_score_", "_training", "_tails",
        "_scaling", "_columns", "cluster_ids_", "_next_id", "_untried",
        "prior_moved_", "_known",
    },
    "PowerLawCut": {
        "_input", "_posterior", "_description", "objective_unconnected_", "affinity_matrix_",
        "degree_corrected_", "weights_", "node_names_", "_frame_library", "cluster_ids_",
        "_next_id", "_untried", "_unseen", "_known", *OF_PRIOR_LABELS,
    },
    "PowerLawMeans": {
        "_gaussian", "_regulariser", "_weight", "_training", "cluster_centers_", "covariance_",
        "cluster_ids_", "_next_id", "_untried", "_known",
    },
    "PowerLawKernelMeans": {"_regulariser", "_weight", "_training", "_means", "_squares"},
}  # fmt: skip


def check_parameters(parameters: dict[str, Any]) -> None:
    """Raise ValueError if a parameter is neither a plain value nor labels to start from."""
    for name, value in parameters.items():
        plain = value is None or isinstance(value, bool | int | float | str | np.generic)
        is_start = name == "init" and isinstance(value, np.ndarray)
        _require(plain or is_start, f"the parameter {name} is a {type(value).__name__}")


def check_model(model: Any, fitted: dict[str, Any]) -> None:
    """Raise ValueError if a fitted attribute is not what a fit makes.

    Parameters
    ----------
    model : PowerLawClusters, PowerLawCut, PowerLawMeans or PowerLawKernelMeans
        The model.
    fitted : dict
        Its fitted attributes, by name.
    """
    unknown = set(fitted) - COMMON - OWN[type(model).__name__]
    _require(not unknown, f"{sorted(unknown)} are not attributes of a fit")
    labels = _labels(model, "labels_", None)
    n, k = len(labels), _number(model, "n_clusters_", whole=True)
    named = labels
    if isinstance(model, PowerLawClusters) and model.outliers == "label":
        named = labels[labels != -1]
    _require(
        0 <= k <= n and np.array_equal(np.unique(named), np.arange(k)),
        "labels_ do not name each of the clusters",
    )
    sizes = _array(model, "cluster_sizes_", ("<i8",), (k,))
    _require(np.array_equal(sizes, np.bincount(named, minlength=k)), "cluster_sizes_ are wrong")
    for name in ("objective_", "concentration_", "discount_", "tradeoff_", "n_iter_"):
        _number(model, name)
    stopped = fitted.get("stopped_early_", False)  # not in files of earlier versions
    _require(isinstance(stopped, bool), "stopped_early_ is not true or false")
    for name, shape in (
        ("objective_path_", (None,)),
        ("margins_", (n,)),
        ("cluster_evidence_", (k,)),
    ):
        _array(model, name, ("<f8",), shape, finite=False)
    if "prior_moved_" in fitted:
        moved = _array(model, "prior_moved_", ("<i8",), (None,))
        in_order = bool((np.diff(moved) > 0).all()) and moved.min(initial=0) >= 0
        _require(in_order and moved.max(initial=-1) < n, "prior_moved_ are not nodes in order")
    features = _number(model, "n_features_in_", whole=True)
    if isinstance(model, PowerLawCut):
        _check_cut(model, n, k, features)
    elif isinstance(model, PowerLawClusters):
        _check_clusters(model, n, k, features)
    else:
        _check_regulariser(model._regulariser)
        _check_training(model._training, n)
        _array(model, "_weight", ("<f8",), (n,), above=0)
        if isinstance(model, PowerLawKernelMeans):
            _require(features == n, "a kernel matrix has as many columns as points")
            _array(model, "_means", ("<f8",), (n, k))
            _array(model, "_squares", ("<f8",), (k,))
        else:
            _array(model, "cluster_centers_", FLOATS, (k, features))
            _check_ids(model, n, k)
            if model._gaussian is not None:
                _check_gaussian(model._gaussian, labels, k, features)


def _check_names(names: Any, library: Any, n: int) -> None:
    known = library is None or (isinstance(library, str) and library in CONSTRUCTORS)
    _require(known, f"{library!r} is no library of tables")
    if names is None:
        return
    _require(isinstance(names, np.ndarray) and names.shape == (n,), "node_names_ are wrong")
    wanted = str if names.dtype == object else int
    _require({wanted} >= set(map(type, names.tolist())), "node_names_ are no strings or integers")


def _check_clusters(model: Any, n: int, k: int, features: int) -> None:
    _require(isinstance(model.why_, str), "why_ is no text")
    if model.route_ == "graph":
        # Which was checked when it was read.
        cut = _instance(model._cut, PowerLawCut, "_cut")
        _require(np.array_equal(cut.labels_, model.labels_), "two sets of labels differ")
        _require(isinstance(cut._input, GivenGraph), "_cut was not fitted to a graph")
        _require(features == n, "a graph has as many columns as nodes")
        _check_ids(model, n, k)
        return
    _check_training(model._training, n)
    _check_ids(model, n, k)
    _array(model, "outlier_score_", ("<f8",), (n,))
    _array(model, "scale_", ("<f8",), (features,), above=0)
    scaling = _instance(model._scaling, Scaling, "_scaling")
    _array(scaling, "scale", ("<f8",), (features,), above=0)
    posterior = model._posterior
    labels = _labels(posterior, "labels", n)
    # Clusters of outliers alone are left out of the model's, not of the posterior's.
    found = int(labels.max()) + 1
    # Compared first: a label may be so large that an array of all below it does not fit.
    _require(found <= n, "clusters are missing")
    _require(np.array_equal(np.unique(labels), np.arange(found)), "clusters are missing")
    columns = _array(model, "_columns", ("<i8",), (k,))
    _require(len(np.unique(columns)) == k, "clusters are repeated")
    _require(columns.min() >= 0 and columns.max() < found, "clusters are missing")
    tails = _instance(model._tails, Tails, "_tails")
    for name, above in (("start", -np.inf), ("decay", 0.0), ("log_size", -np.inf)):
        _array(tails, name, ("<f8",), (found,), above=above)
    if model.route_ == "gaussian":
        _check_gaussian(posterior, labels, found, features)
        return
    _require(model.route_ in ("density", "neighbors"), f"route_ is {model.route_!r}")
    _instance(posterior, NeighborPosterior, "_posterior")
    _check_points(posterior, n, features)
    neighbors = _number(posterior, "n_neighbors", whole=True)
    _require(0 <= neighbors < n, "n_neighbors is wrong")
    _number(posterior, "least", above=0)
    _check_prior(posterior.prior)


def _check_points(owner: Any, n: int, features: int) -> None:
    """Check vectors, dense or sparse."""
    if not sp.issparse(owner.X):
        _array(owner, "X", FLOATS, (n, features))
        return
    check_stored(owner.X)
    _require(owner.X.shape == (n, features), "X has another shape")
    _array(owner.X, "data", FLOATS, (None,))


def _check_cut(model: Any, n: int, k: int, features: int) -> None:
    _check_names(model.node_names_, model._frame_library, n)
    posterior = _instance(model._posterior, GraphPosterior, "_posterior")
    labels = _labels(posterior, "labels", n)
    _require(np.array_equal(labels, model.labels_), "two sets of labels differ")
    if posterior.weight is not None:
        _array(posterior, "weight", ("<f8",), (n,), above=0)
    stats = _instance(posterior.stats, ClusterStats, "stats")
    for name in ("inside", "volume", "weight"):
        _array(stats, name, ("<f8",), (k,))
    _array(stats, "counts", ("<i8",), (k,))
    objective = _instance(posterior.objective, Objective, "objective")
    score = _instance(objective.score, GraphScore, "score")
    _require(all(isinstance(x, float) for x in score.parameters()), "a score needs numbers")
    _check_regulariser(objective.regulariser)
    if "_description" in vars(model):
        description = _instance(model._description, Description, "_description")
        for name in ("data", "partition", "parameters"):
            _number(description, name)
    _check_ids(model, n, k)
    given = vars(model).keys() & set(OF_PRIOR_LABELS)
    if given:
        _require(len(given) == len(OF_PRIOR_LABELS), "some of the prior labels are missing")
        labels = _array(model, "_prior_labels", ("<i8",), (n,))
        _require(bool((labels >= FREE).all()), "prior labels are negative")
        _number(model, "_prior_nats", above=0)
    if "_unseen" in vars(model):
        _number(model, "_unseen")
    given = model._input
    _check_training(_instance(given, (GivenGraph, VectorGraph), "_input").training, n)
    if isinstance(given, GivenGraph):
        _require(features == n, "a graph has as many columns as nodes")
        return
    _require(_instance(given.graph, Graph, "graph").n_nodes == n, "the graph has other nodes")
    _check_points(given, n, features)
    if isinstance(given, NeighborsGraph):
        _require(0 < _number(given, "n_neighbors", whole=True) <= n, "n_neighbors is wrong")
        _require(given.n_jobs is None or type(given.n_jobs) is int, "n_jobs is wrong")
    else:
        _number(_instance(given, RBFGraph, "_input"), "gamma", above=0)


def _check_ids(model: Any, n: int, k: int) -> None:
    """Check ids of clusters, what updates have left, and constraints."""
    if "cluster_ids_" in vars(model):
        ids = _array(model, "cluster_ids_", ("<i8",), (k,))
        next_id = _number(model, "_next_id", whole=True)
        known = len(ids) == 0 or (ids.min() >= 0 and ids.max() < next_id <= MOST_IDS)
        _require(known and len(np.unique(ids)) == k, "cluster_ids_ are not ids")
    if "_untried" in vars(model):
        _array(model, "_untried", ("<f8",), (n,))
    if "_known" in vars(model):
        _check_known(model._known, n)


def _check_known(known: Any, n: int) -> None:
    _instance(known, Known, "_known")
    if known.fixed is not None:
        fixed = _array(known, "fixed", ("<i8",), (n,))
        _require(bool((fixed >= FREE).all()), "labels are negative")
    for name in ("must_link", "cannot_link"):
        pairs = _array(known, name, ("<i8",), (None, 2))
        in_graph = pairs.min(initial=0) >= 0 and pairs.max(initial=-1) < n
        _require(bool(in_graph), f"{name} has nodes or points that are not there")
    Constraints.of(n, known)  # which raises if they contradict each other


def _check_gaussian(posterior: Any, labels: Any, k: int, features: int) -> None:
    _instance(posterior, GaussianPosterior, "_gaussian")
    own = _labels(posterior, "labels", len(labels))
    _require(np.array_equal(own, labels), "two sets of labels differ")
    standard = _instance(posterior.standard, Standardised, "standard")
    kept = _array(standard, "kept", ("<i8", "<i4"), (None,))
    d = len(kept)
    _require(d > 0 and np.array_equal(np.unique(kept), kept), "features are repeated")
    _require(kept[0] >= 0 and kept[-1] < features, "features are missing")
    _array(standard, "mean", ("<f8",), (d,))
    _array(standard, "deviation", ("<f8",), (d,), above=0)
    objective = _instance(posterior.objective, Objective, "objective")
    _check_regulariser(objective.regulariser)
    score = _instance(objective.score, Gaussian, "score")
    form = _instance(score.form, Covariance, "form")
    _require(form.d == d, "the score has other features")
    _array(score, "mean", ("<f8",), (d,))
    _array(score, "scale", ("<f8",), (form.width,))
    _number(score, "kappa", above=0)
    _require(_number(score, "shape") >= form.least_shape, "shape is too small")
    clusters = _instance(posterior.clusters, Points, "clusters")
    _array(clusters, "values", FLOATS, (k, d))
    _array(clusters, "weight", ("<f8",), (k,), above=0)
    _array(clusters, "count", ("<i8",), (k,), above=0)
    scatter = _array(clusters, "scatter", ("<f8",), (k, form.width))
    _require(_is_positive(form, score.scale), "scale is no covariance")
    _require(_is_positive(form, score.scale + scatter), "scatter is no covariance")
    _require(type(clusters.n_threads) is int, "clusters are wrong")


def _is_positive(form: Covariance, scale: Any) -> bool:
    """Whether each row is a covariance matrix (of the stored form) that can be inverted."""
    if not isinstance(form, Full):
        return bool((scale > 0).all())
    matrices = scale.reshape(-1, form.d, form.d)
    symmetric = np.allclose(matrices, matrices.swapaxes(1, 2))
    return symmetric and bool((np.linalg.eigvalsh(matrices) > 0).all())


def _check_regulariser(regulariser: Any) -> None:
    _check_prior(_instance(regulariser, Regulariser, "regulariser").prior)
    _require(_number(regulariser, "tradeoff") >= 0, "tradeoff is negative")
    _require(_number(regulariser, "alone") >= 0, "alone is negative")


def _check_prior(prior: Any) -> None:
    _instance(prior, PitmanYor, "prior")
    _number(prior, "concentration")
    _number(prior, "discount")


def _check_training(training: Any, n: int) -> None:
    _array(_instance(training, TrainingRows, "training"), "keys", ("<u8",), (n,))


def _instance(value: Any, kind: Any, name: str) -> Any:
    _require(isinstance(value, kind), f"{name} is a {type(value).__name__}")
    return value


def _array(
    owner: Any,
    name: str,
    dtypes: Iterable[str],
    shape: tuple[int | None, ...],
    *,
    above: float | None = None,
    finite: bool = True,
) -> Any:
    """Return an array attribute of one of these types and of this shape (None: any).

    Floating-point numbers must be finite, or not NaN if not `finite`.
    """
    array = getattr(owner, name)
    _require(isinstance(array, np.ndarray), f"{name} is no array")
    _require(array.dtype.str in dtypes, f"{name} has type {array.dtype}")
    fits = len(array.shape) == len(shape) and all(
        wanted in (None, length) for length, wanted in zip(array.shape, shape, strict=True)
    )
    _require(fits, f"{name} has shape {array.shape}")
    allowed = np.isfinite(array) if finite else ~np.isnan(array)
    _require(bool(allowed.all()), f"{name} has NaN or infinity")
    _require(above is None or bool((array > above).all()), f"{name} must be above {above}")
    return array


def _labels(owner: Any, name: str, n: int | None) -> Any:
    """Return labels of the type that kernels take."""
    array, width = getattr(owner, name), 8 * np.dtype(LABEL).itemsize
    found = getattr(array, "dtype", None)
    _require(found == LABEL, f"{name} are {found}, and this build has {width}-bit labels")
    return _array(owner, name, (np.dtype(LABEL).newbyteorder("<").str,), (n,))


def _number(owner: Any, name: str, *, whole: bool = False, above: float = -np.inf) -> Any:
    value = getattr(owner, name)
    kinds = (int,) if whole else (int, float, np.integer, np.floating)
    _require(isinstance(value, kinds) and not isinstance(value, bool), f"{name} is {value!r}")
    _require(value > above or value == above == -np.inf, f"{name} is {value!r}")
    return value


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message)
