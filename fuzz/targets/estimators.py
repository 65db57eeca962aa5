"""Estimators: `fit` and `predict` of unsound arrays, sparse matrices and other objects."""

from collections.abc import Callable
from inspect import signature
from random import Random
from typing import Any

import numpy as np
import scipy.sparse as sp
from edits import edit_array
from sklearn.base import clone
from target import Target

from powercut import Graph, PowerLawClusters, PowerLawCut, PowerLawKernelMeans, PowerLawMeans
from powercut.baselines import DPMeans, NormalizedCut, PYPMeans

generator = np.random.default_rng(0)
X = np.concatenate([generator.normal(size=(7, 2)), generator.normal(9.0, size=(5, 2))])
A = (np.abs(X[:, None] - X[None]).sum(axis=2) < 4).astype(float)
np.fill_diagonal(A, 0)
PAIRS = np.array([[0, 1], [2, 8], [3, 9], [10, 4]])
GRAPHS: tuple[Any, ...] = (
    PowerLawCut(),
    PowerLawCut(tradeoff=1.0, weights="strength"),
    PowerLawCut("modularity", tradeoff=1.0),
    PowerLawCut("cpm", tradeoff=1.0),
    *(PowerLawCut(score) for score in ("ncut", "rcut", "rassoc")),
    PowerLawCut("ncut", algorithm="lloyd"),
    NormalizedCut(2),
    PowerLawKernelMeans(9.0),
    PowerLawKernelMeans(9.0, algorithm="lloyd"),
)
VECTORS: tuple[Any, ...] = (
    PowerLawClusters(),
    PowerLawClusters(scale="columns", outliers="label"),
    PowerLawMeans(),
    PowerLawMeans(covariance="spherical"),
    PowerLawMeans(covariance="full"),
    PowerLawMeans("kmeans"),
    PowerLawMeans("kmeans", tradeoff=8.0, algorithm="lloyd"),
    DPMeans(20.0),
    PYPMeans(20.0, 0.2),
    PowerLawCut(affinity="nearest_neighbors", n_neighbors=3, tradeoff=1.0),
    PowerLawCut("modularity", affinity="rbf"),
    NormalizedCut(2, affinity="rbf"),
)
FORMATS = ("csr", "csr", "csc", "coo", "bsr", "dia", "lil", "dok")
ARRAYS = ("data", "indices", "indptr", "row", "col", "offsets")
SHAPES = ((0, 0), (1, 1), (11, 12), (12, 11), (13, 13), (2**31 + 1,) * 2, (2**62, 12), (12, 2**40))
OTHERS: tuple[Any, ...] = (
    *(None, 0, -1, "x", b"x", (), [], {}, [[]], [[1], [1, 2]], [["a"] * 12] * 12, object()),
    *(np.ma.masked_equal(A, 0), np.array(["x"] * 12), np.zeros((0, 12)), np.zeros((12, 0))),
    *(np.zeros((12, 12), "M8[s]"), np.zeros(12, [("a", "f8")]), np.matrix(A), iter([1])),
)


def prepare(name: str) -> Target:
    """Return the target that fits graphs or vectors, or predicts with fitted models."""
    models = [(model, A) for model in GRAPHS if name != "vectors"]
    models += [(model, X) for model in VECTORS if name != "graphs"]
    use = fit
    if name == "predictions":
        models = [
            (clone(model).fit(data), data) for model, data in models if hasattr(model, "predict")
        ]
        models.append((PowerLawClusters().fit(Graph(A)), A))
        use = predict

    def make(random: Random) -> Callable[[], None]:
        return use(random, *random.choice(models))

    # As in scikit-learn, a wrong type may be a TypeError; a string is the path of a file.
    return Target(make, lambda call: call(), (ValueError, TypeError, FileNotFoundError))


def fit(random: Random, model: Any, data: Any) -> Callable[[], None]:
    """Return a fit to unsound data, or with unsound weights, constraints or initial labels."""
    model = clone(model)
    options: dict[str, Any] = {}
    parameters = model.get_params()
    if "random_state" in parameters:
        model.set_params(random_state=0)
    kind = random.randrange(8)
    if kind == 0 and "init" in parameters:
        model.set_params(init=unsound(random, np.arange(12) % 3))
    elif kind == 1 and "sample_weight" in signature(model.fit).parameters:
        options["sample_weight"] = unsound(random, np.ones(12))
    elif kind == 3 and "fixed" in signature(model.fit).parameters:
        name, sound = random.choice(
            [
                ("fixed", np.arange(12) % 4 - 1),
                ("must_link", PAIRS),
                ("cannot_link", PAIRS),
                ("prior_labels", np.arange(12) % 4 - 1),
            ]
        )
        is_other = random.random() < 0.1
        options[name] = random.choice(OTHERS) if is_other else edit_array(random, sound)
    elif kind == 2 and (data is A or takes_graphs(model)):
        edges = unsound_edges(random)
        return lambda: check_labels(model.fit(Graph.from_edges(**edges)))
    else:
        data = unsound(random, data)
    return lambda: check_labels(model.fit(data, **options))


def takes_graphs(model: Any) -> bool:
    """Whether the model takes vectors, and graphs that are no matrices."""
    return isinstance(model, PowerLawClusters) and model.outliers == "assign"


def check_labels(model: Any) -> None:
    """Check that the labels are 0, 1, ..., k - 1, and -1 only where outliers have a label."""
    found = np.unique(model.labels_)
    if getattr(model, "outliers", "") == "label":
        found = found[found != -1]
    assert np.array_equal(found, np.arange(len(found)))


def predict(random: Random, model: Any, data: Any) -> Callable[[], None]:
    """Return a prediction for unsound rows."""
    rows = unsound(random, data[: random.randint(1, 12)])
    names = ("predict", "predict_proba", "transform", "score_outliers")
    name = random.choice([name for name in names if hasattr(model, name)])
    return lambda: getattr(model, name)(rows)


def unsound_edges(random: Random) -> dict[str, Any]:
    """Return arguments of `Graph.from_edges`."""
    u, v = np.nonzero(A)
    edges = {"u": u, "v": v, "weight": np.ones(len(u)), "symmetrize": "max"}
    name = random.choice(("u", "v", "weight", "n_nodes"))
    sizes = (None, 12, 0, -1, 5, 2**31, 2**63, 1.5, "x")
    return {
        **edges,
        name: random.choice(sizes) if name == "n_nodes" else unsound(random, edges[name]),
    }


def unsound(random: Random, array: Any) -> Any:
    """Return an edited array, a sparse matrix with edited arrays, or another object."""
    kind = random.randint(0, 15)
    if kind == 0:
        return random.choice(OTHERS)
    if kind < 7 or array.ndim == 1:
        return edit_array(random, array)
    if kind == 7:
        return array.tolist()
    make = sp.coo_array if random.random() < 0.5 else sp.coo_matrix
    matrix = make(array).asformat(random.choice(FORMATS))
    for _ in range(random.randint(1, 2)):
        damage(random, matrix)
    return matrix


def damage(random: Random, matrix: Any) -> None:
    """Replace an array or the shape of a sparse matrix, past the checks of scipy."""
    if random.random() < 0.2:
        matrix._shape = random.choice(SHAPES)
    elif matrix.format == "coo":
        coordinates = list(matrix.coords)
        at = random.randint(0, len(coordinates) - 1)
        coordinates[at] = edit_array(random, coordinates[at])
        matrix.coords = tuple(coordinates)
    elif matrix.format == "lil":
        at = random.randint(0, len(matrix.rows) - 1)
        matrix.rows[at] = [-1, 2**31, 3][: random.randint(0, 3)]
    elif matrix.format != "dok":
        name = random.choice([name for name in ARRAYS if hasattr(matrix, name)])
        setattr(matrix, name, edit_array(random, getattr(matrix, name)))
