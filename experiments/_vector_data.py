"""Labelled sets of vectors, real and made, of every shape, and sets that are one cluster.

Constants of powercut were chosen with the classes of `SEEN` in sight. Those of `UNSEEN` were never
used to choose anything. Columns are as they were found: scaling is the clusterer's business. Real
sets are read from scikit-learn, or from the folder in the environment variable POWERCUT_DATA.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.io import arff
from sklearn import datasets
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from _npz import Labels
from _real_data import Unavailable, data_folder
from powercut.datasets import make_blobs
from powercut.partition import compact_labels

Points = npt.NDArray[np.float64]
Set = tuple[Points, Labels]

SHEAR = np.array([[0.6, -0.6], [-0.4, 0.8]])
SHUTTLE_ROWS, SHUTTLE_SEED = 10_000, 7


def _found(path: str) -> Any:
    """Return a path in the data folder, which must exist."""
    whole = data_folder() / path
    if not whole.exists():
        raise Unavailable(f"the folder of POWERCUT_DATA has no {path}")
    return whole


def _classes(names: Any) -> Labels:
    return compact_labels(np.asarray(names))[0].astype(np.int64)


def _of_scikit_learn(name: str) -> Set:
    return getattr(datasets, f"load_{name}")(return_X_y=True)


def _table(path: str) -> Set:
    """Read an ARFF file: its numeric columns, and its last column as classes."""
    rows, meta = arff.loadarff(_found(path))
    *columns, last = meta.names()
    numeric = [name for name in columns if meta[name][0] == "numeric"]
    return np.column_stack([rows[name] for name in numeric]), _classes(rows[last])


def _yeast() -> Set:
    rows = np.loadtxt(_found("vectors/yeast/yeast.data"), dtype=str)
    return rows[:, 1:9].astype(np.float64), _classes(rows[:, 9])


def _cells(name: str) -> Set:
    folder = _found(f"vectors/{name}")
    X = np.load(folder / "pca50.npy").astype(np.float64)
    return X, np.loadtxt(folder / "labels.txt", dtype=np.int64)


def _documents(name: str, n_components: int) -> Set:
    """Return documents as tf-idf, reduced by truncated SVD to rows of length 1."""
    folder = _found(f"vectors/{name}")
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(sp.load_npz(folder / "counts.npz"))
    reduced = TruncatedSVD(n_components, random_state=0).fit_transform(weighted)
    return normalize(reduced), np.loadtxt(folder / "labels.txt", dtype=np.int64)


def _shuttle() -> Set:
    table = np.loadtxt(
        _found("vectors/shuttle/shuttle.csv.gz"), delimiter=",", skiprows=1, dtype=str
    )
    random = np.random.RandomState(SHUTTLE_SEED)
    some = table[random.choice(len(table), SHUTTLE_ROWS, replace=False)]
    return some[:, :9].astype(np.float64), _classes(some[:, 9])


def _sheared() -> Set:
    X, truth = datasets.make_blobs(1500, random_state=170)
    return X @ SHEAR, truth


def _heavy_tails() -> Set:
    random = np.random.RandomState(1)
    centres, truth = random.randn(8, 10) * 4, random.randint(0, 8, 4000)
    return centres[truth] + random.standard_t(3, (4000, 10)), truth


def _two_gaussians(seed: int, *, apart: float) -> Set:
    """Return two equal Gaussians in five dimensions, some standard deviations apart."""
    random = np.random.RandomState(seed)
    truth, X = random.randint(0, 2, 2000), random.randn(2000, 5)
    X[:, 0] += apart * truth
    return X, truth


def _bananas(seed: int) -> Set:
    """Return four half circles, in a row, open upwards and downwards in turn."""
    random = np.random.RandomState(seed)
    each = []
    for c in range(4):
        angle = random.rand(500) * np.pi
        height = np.sin(angle) if c % 2 == 0 else 0.35 - np.sin(angle)
        arc = np.column_stack([np.cos(angle) + c, height])
        each.append(arc + random.randn(500, 2) * 0.07)
    return np.concatenate(each), np.repeat(np.arange(4), 500)


def _one(X: Points) -> Set:
    return X, np.zeros(len(X), dtype=np.int64)


SEEN: dict[str, Callable[[], Set]] = {
    "iris": partial(_of_scikit_learn, "iris"),
    "breast_cancer": partial(_of_scikit_learn, "breast_cancer"),
    "moons": partial(datasets.make_moons, 2000, noise=0.06, random_state=0),
    "aniso": _sheared,
    "student-t3": _heavy_tails,
    "yeast": _yeast,
    "mouse-bladder": partial(_cells, "mouse-bladder"),
    "reuters": partial(_documents, "reuters21578", 50),
    "uniform5": lambda: _one(np.random.RandomState(0).rand(2000, 5)),
    "gauss3": partial(_two_gaussians, 598, apart=3.0),
    "plblobs8": partial(make_blobs, 3000, n_features=8, random_state=0),
    "swissroll": lambda: _one(datasets.make_swiss_roll(2000, noise=0.3, random_state=0)[0]),
    "ecoli": partial(_table, "uci/ecoli.arff"),
    "bananas": partial(_bananas, 724),
    "shuttle10k": _shuttle,
    "classifA": partial(
        datasets.make_classification,
        2000,
        10,
        n_informative=4,
        n_redundant=2,
        n_classes=4,
        n_clusters_per_class=1,
        class_sep=2,
        random_state=0,
    ),
    "cloud2": lambda: _one(np.random.RandomState(585).randn(1000, 2)),
}
UNSEEN: dict[str, Callable[[], Set]] = {
    "digits": partial(_of_scikit_learn, "digits"),
    "wine": partial(_of_scikit_learn, "wine"),
    "circles": partial(datasets.make_circles, 2000, noise=0.05, factor=0.5, random_state=0),
    "varied": partial(datasets.make_blobs, 1500, cluster_std=[1.0, 2.5, 0.5], random_state=170),
    "blobs": partial(datasets.make_blobs, 1500, random_state=8),
    "gauss2": partial(_two_gaussians, 597, apart=2.0),
    "glass": partial(_table, "uci/glass.arff"),
    "page-blocks": partial(_table, "uci/page-blocks.arff"),
    "pbmc68k-reduced": partial(_cells, "pbmc68k-reduced"),
    "worm-neuron": partial(_cells, "worm-neuron"),
    "reuters-100": partial(_documents, "reuters21578", 100),
}


def one_cluster(kind: str, dimensions: int, seed: int, n: int = 1000) -> Points:
    """Return points without clusters: a ``"cube"``, a ``"cloud"`` or a ``"roll"``.

    A roll is a uniform sheet of one dimension less, rolled up in the first two dimensions; in one
    dimension, an arc of a circle in the plane.
    """
    random = np.random.RandomState(seed)
    if kind == "cube":
        return random.rand(n, dimensions)
    if kind == "cloud":
        return random.randn(n, dimensions)
    angle = 1.5 * np.pi * (1 + 2 * random.rand(n))
    rolled = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
    rest = 21 * random.rand(n, max(dimensions - 2, 0))
    return np.column_stack([rolled, rest])[:, : max(dimensions, 2)]


ONE_CLUSTER_KINDS = ("cube", "cloud", "roll")


def without_clusters(
    dimensions: tuple[int, ...], seeds: int
) -> Iterator[tuple[str, int, int, Points]]:
    """Yield kind, dimensions, seed and points of sets that are one cluster."""
    for kind in ONE_CLUSTER_KINDS:
        for d in dimensions:
            for seed in range(seeds):
                yield kind, d, seed, one_cluster(kind, d, seed)
