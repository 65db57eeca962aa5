"""Model files: edited arrays, headers and bytes; what loads must predict."""

import atexit
import io
import json
import shutil
import tempfile
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import scipy.sparse as sp
from edits import edit_array, edit_bytes, edit_json
from sklearn.datasets import make_moons
from target import Target

import powercut
from powercut import PowerLawClusters, PowerLawCut, PowerLawKernelMeans, PowerLawMeans
from powercut.datasets import make_blobs, make_paper_graph

HEADER = "model.json"
X = make_blobs(30, n_features=3, random_state=0)[0]
# One for each route of `PowerLawClusters`, which need more points.
BLOBS = make_blobs(60, n_features=3, random_state=0)[0]
WIDE = sp.csr_array(np.tile(BLOBS, 8) + np.random.default_rng(0).normal(size=(60, 24)))
MOONS = np.concatenate([make_moons(300, noise=0.05, random_state=0)[0], [[50.0, 50.0]]])
GRAPH = make_paper_graph(40, n_clusters=(3, 6), random_state=0)[0]
# Estimators, what they are fitted to, and rows to predict.
MODELS: tuple[tuple[Any, Any, Any], ...] = (
    (PowerLawClusters(random_state=0), BLOBS, BLOBS[:5] + 0.1),
    (PowerLawClusters(random_state=0), WIDE, WIDE[:5] * 1.1),
    (PowerLawClusters(outliers="label", random_state=0), MOONS, MOONS[-5:] + 0.1),
    (PowerLawClusters(random_state=0), GRAPH, GRAPH.adjacency[:5]),
    (PowerLawCut(random_state=0), GRAPH, GRAPH.adjacency[:5]),
    (PowerLawCut("ncut", random_state=0), GRAPH, GRAPH.adjacency[:5].toarray()),
    (PowerLawCut("modularity", affinity="rbf", random_state=0), X, X[:5] + 0.1),
    (PowerLawCut(affinity="nearest_neighbors", tradeoff=1.0, random_state=0), X, X[:5] + 0.1),
    (
        PowerLawCut("cpm", affinity="nearest_neighbors", random_state=0),
        sp.csr_array(X),
        sp.csr_array(X[:5] + 0.1),
    ),
    (PowerLawMeans(random_state=0), X, X[:5] + 0.1),
    (PowerLawMeans(covariance="full", random_state=0), X, X[:5] + 0.1),
    (PowerLawMeans("kmeans", tradeoff=8.0, random_state=0), X, X[:5] + 0.1),
    (PowerLawKernelMeans(9.0, random_state=0), X @ X.T, X[:5] @ X.T + 0.1),
)


def prepare(_: str) -> Target:
    """Fit and save the models."""
    folder = memory_folder()
    path = folder / "model.npz"
    saved = [(*parts_of(estimator.fit(data), path), new) for estimator, data, new in MODELS]

    def make(random: Random) -> tuple[bytes, Any]:
        arrays, header, new = random.choice(saved)
        kind = random.choice(("arrays", "arrays", "header", "header", "bytes"))
        for _ in range(random.choice((1, 1, 2))):
            if kind == "header":
                header = edit_json(random, header)
            elif kind == "arrays":
                name = random.choice(list(arrays))
                arrays = {**arrays, name: edit_array(random, arrays[name])}
        data = archive_of(arrays, header)
        return (edit_bytes(random, data) if kind == "bytes" else data), new

    def check(file_and_rows: tuple[bytes, Any]) -> None:
        data, new = file_and_rows
        path.write_bytes(data)
        use(powercut.load(path), new, folder)

    return Target(make, check, (ValueError,))


def memory_folder() -> Path:
    """Make a folder that is removed at exit, in memory if the system has such a place."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def parts_of(model: Any, path: Path) -> tuple[dict[str, Any], Any]:
    """Save a model, and return the arrays and the header in its file."""
    powercut.save(path, model=model)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != HEADER}
        return arrays, json.loads(bytes(file[HEADER]))


def archive_of(arrays: dict[str, Any], header: Any) -> bytes:
    """Return a model file."""
    file = io.BytesIO()
    np.savez(file, allow_pickle=True, **arrays)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(HEADER, json.dumps(header))
    return file.getvalue()


def use(model: Any, new: Any, folder: Path) -> None:
    """Do what users do with a model that they have loaded."""
    labels = model.predict(new)
    probabilities = model.predict_proba(new)
    assert labels.shape == (new.shape[0],)
    assert probabilities.shape == (new.shape[0], model.n_clusters_)
    least = -1 if getattr(model, "outliers", "") == "label" else 0
    assert np.all((labels >= least) & (labels < model.n_clusters_))
    if isinstance(model, PowerLawMeans):
        model.transform(new)
    if hasattr(model, "outlier_score_"):
        assert model.score_outliers(new).shape == labels.shape
    repr(model)
    powercut.save(folder / "again.npz", model=model)
