"""Models whose files hold arrays or numbers that no fit makes."""

import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_moons

import powercut
from powercut import PowerLawClusters, PowerLawCut, PowerLawKernelMeans, PowerLawMeans
from powercut.datasets import make_blobs, make_paper_graph

X, _ = make_blobs(60, n_features=3, random_state=0)
GRAPH, _ = make_paper_graph(60, n_clusters=(3, 6), random_state=0)
WIDE = np.tile(X, 8) + np.random.default_rng(0).normal(size=(60, 24))
MOONS = np.concatenate([make_moons(300, noise=0.05, random_state=0)[0], [[50.0, 50.0]]])
CASES: dict[str, tuple[Any, Any, Any]] = {
    "clusters-gaussian": (PowerLawClusters(random_state=0), X, X[:10] + 0.1),
    "clusters-neighbors": (PowerLawClusters(random_state=0), WIDE, WIDE[:10] + 0.1),
    "clusters-density": (
        PowerLawClusters(outliers="label", random_state=0),
        MOONS,
        MOONS[-10:] + 0.1,
    ),
    "clusters-graph": (PowerLawClusters(random_state=0), GRAPH, GRAPH.adjacency[:10]),
    "cut": (PowerLawCut(random_state=0), GRAPH, GRAPH.adjacency[:10]),
    "neighbors": (PowerLawCut(affinity="nearest_neighbors", random_state=0), X, X[:10] + 0.1),
    "diagonal": (PowerLawMeans(random_state=0), X, X[:10] + 0.1),
    "full": (PowerLawMeans(covariance="full", random_state=0), X, X[:10] + 0.1),
    "kmeans": (PowerLawMeans("kmeans", random_state=0), X, X[:10] + 0.1),
    "kernel": (PowerLawKernelMeans(9.0, random_state=0), X @ X.T, X[:10] @ X.T + 0.1),
}


def write(path: Path, arrays: dict[str, Any], header: Any) -> None:
    with path.open("w+b") as file:
        np.savez(file, **arrays)
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr("model.json", json.dumps(header))


@pytest.fixture(params=CASES)
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, dict[str, Any], Any, Any]:
    """Save a model; return the path, the arrays, the header, and rows to predict."""
    estimator, data, new = CASES[request.param]
    path = tmp_path / "model.npz"
    powercut.save(path, model=estimator.fit(data))
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != "model.json"}
        header = json.loads(bytes(file["model.json"]))
    return path, arrays, header, new


def others(array: np.ndarray) -> Iterator[np.ndarray]:
    """Yield arrays of other values, shapes and types."""
    integers, numbers = (-1, 2**31 - 1, -(2**31), 10**6), (np.nan, np.inf, 0.0, -1.0, 1e300)
    for value in integers if array.dtype.kind in "iu" else numbers:
        if array.dtype.kind != "u":
            changed = array.copy()
            changed.flat[changed.size // 2] = value
            yield changed
    yield from (array[:0], array[:1], np.concatenate([array] * 3), array.reshape(1, -1))
    yield from (array.astype(np.float16), array.astype(str), array.astype(">f8"))


def survives(path: Path, new: Any) -> bool:
    """Whether a model is loaded, and then predicts; the loader refuses others by ValueError."""
    try:
        model = powercut.load(path)
    except ValueError:
        return False
    model.predict(new)
    model.predict_proba(new)
    return True


def test_other_arrays_are_refused_or_harmless(
    saved: tuple[Path, dict[str, Any], Any, Any],
) -> None:
    path, arrays, header, new = saved
    write(path, arrays, header)
    assert survives(path, new)
    with np.errstate(all="ignore"):
        for name, array in arrays.items():
            for changed in others(array):
                write(path, {**arrays, name: changed}, header)
                survives(path, new)  # raises nothing but ValueError, and does not crash


def test_labels_must_name_the_clusters(saved: tuple[Path, dict[str, Any], Any, Any]) -> None:
    path, arrays, header, _ = saved
    has_outliers = header["parameters"].get("outliers") == "label"
    for wrong in (-2 if has_outliers else -1, int(arrays["labels_"].max()) + 1, 2**31 - 1):
        labels = arrays["labels_"].copy()
        labels[3] = wrong
        write(path, {**arrays, "labels_": labels}, header)
        with pytest.raises(ValueError, match="labels_ do not name each of the clusters"):
            powercut.load(path)


@pytest.mark.parametrize("saved", ["clusters-density"], indirect=True)
def test_a_large_label_takes_no_memory(saved: tuple[Path, dict[str, Any], Any, Any]) -> None:
    path, arrays, header, _ = saved
    labels = arrays["_posterior.labels"].copy()
    labels[3] = 2**31 - 1
    write(path, {**arrays, "_posterior.labels": labels}, header)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="clusters are missing"):
            powercut.load(path)
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


def test_headers_must_have_what_a_fit_has(saved: tuple[Path, dict[str, Any], Any, Any]) -> None:
    path, arrays, header, new = saved
    for name in header["fitted"]:
        for value in (None, -1, "x", [], {}, {"array": "labels_"}, True, 2**70, {"float": "nan"}):
            changed = {**header, "fitted": {**header["fitted"], name: value}}
            write(path, arrays, changed)
            survives(path, new)
    write(path, arrays, {**header, "fitted": {**header["fitted"], "predict": 1}})
    with pytest.raises(ValueError, match=r"\['predict'\] are not attributes of a fit"):
        powercut.load(path)


@pytest.mark.parametrize("saved", ["clusters-graph"], indirect=True)
def test_the_cut_of_a_graph_must_have_what_a_fit_has(
    saved: tuple[Path, dict[str, Any], Any, Any],
) -> None:
    path, arrays, header, new = saved
    cut = header["fitted"]["_cut"]
    for name in cut["fitted"]:
        for value in (None, -1, "x", {}, {"array": "labels_"}, True, {"float": "nan"}, cut):
            changed = {**cut, "fitted": {**cut["fitted"], name: value}}
            write(path, arrays, {**header, "fitted": {**header["fitted"], "_cut": changed}})
            survives(path, new)


def test_the_cut_of_a_graph_must_be_that_of_the_model(tmp_path: Path) -> None:
    path, model = tmp_path / "model.npz", PowerLawClusters(random_state=0).fit(GRAPH)
    graph, _ = make_paper_graph(60, n_clusters=(3, 6), random_state=1)
    model._cut = PowerLawCut(random_state=0).fit(graph)
    powercut.save(path, model=model)
    with pytest.raises(ValueError, match="two sets of labels differ"):
        powercut.load(path)
    model._cut = PowerLawCut(affinity="nearest_neighbors", random_state=0).fit(X)
    for name in ("labels_", "n_clusters_", "cluster_sizes_", "cluster_evidence_"):
        setattr(model, name, getattr(model._cut, name))
    powercut.save(path, model=model)
    with pytest.raises(ValueError, match="_cut was not fitted to a graph"):
        powercut.load(path)


def test_parameters_must_be_values_that_can_be_saved(
    saved: tuple[Path, dict[str, Any], Any, Any],
) -> None:
    path, arrays, header, _ = saved
    write(path, arrays, {**header, "parameters": {**header["parameters"], "random_state": [0]}})
    with pytest.raises(ValueError, match="a list is no value that save writes"):
        powercut.load(path)
    prior = {"object": "PitmanYor", "state": {"concentration": 1.0, "discount": 0.0}}
    for name in header["parameters"].keys() - {"init"}:
        for value, kind in (({"array": "labels_"}, "ndarray"), (prior, "PitmanYor")):
            write(path, arrays, {**header, "parameters": {**header["parameters"], name: value}})
            with pytest.raises(ValueError, match=f"the parameter {name} is a {kind}"):
                powercut.load(path)


def test_a_missing_file_is_reported_as_such(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        powercut.load(tmp_path / "nowhere.npz")


def test_nested_headers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with path.open("w+b") as file:
        np.savez(file, labels_=np.zeros(1))
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr("model.json", "[" * 100_000 + "]" * 100_000)
    with pytest.raises(ValueError, match="is damaged, or not a powercut model"):
        powercut.load(path)


@pytest.mark.parametrize("wrong", [[-1], [10_000], [3, 1], [1, 1], [0.5]])
def test_nodes_that_left_their_prior_labels_must_be_nodes(tmp_path: Path, wrong: Any) -> None:
    path = tmp_path / "model.npz"
    model = PowerLawCut(random_state=0).fit(GRAPH, prior_labels={0: 1, 1: 1, 2: 1})
    powercut.save(path, model=model)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != "model.json"}
        header = json.loads(bytes(file["model.json"]))
    np.testing.assert_array_equal(powercut.load(path).prior_moved_, model.prior_moved_)
    write(path, {**arrays, "prior_moved_": np.array(wrong)}, header)
    with pytest.raises(ValueError, match="prior_moved_"):
        powercut.load(path)


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("_prior_labels", np.zeros(3, dtype=np.int64), "_prior_labels"),
        ("_prior_labels", np.full(GRAPH.n_nodes, -2), "prior labels are negative"),
        ("_prior_labels", np.full(GRAPH.n_nodes, 1.0), "_prior_labels"),
        ("_prior_nats", 0.0, "_prior_nats"),
        ("_prior_nats", None, "some of the prior labels are missing"),
    ],
)
def test_prior_labels_must_be_those_of_nodes(
    tmp_path: Path, name: str, wrong: Any, message: str
) -> None:
    path = tmp_path / "model.npz"
    model = PowerLawCut(random_state=0).fit(GRAPH, prior_labels={0: 1, 1: 1, 2: 1})
    if wrong is None:
        delattr(model, name)
    else:
        setattr(model, name, wrong)
    powercut.save(path, model=model)
    with pytest.raises(ValueError, match=message):
        powercut.load(path)


def test_constraints_must_be_those_of_nodes(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    model = PowerLawCut(random_state=0).fit(
        GRAPH, fixed={3: 7, 4: 9}, must_link=[[0, 1], [1, 2]], cannot_link=[[0, 5], [3, 6]]
    )
    powercut.save(path, model=model)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != "model.json"}
        header = json.loads(bytes(file["model.json"]))
    known = [name for name in arrays if name.startswith("_known.")]
    assert len(known) == 3
    for name in known:
        for other in others(arrays[name]):
            write(path, {**arrays, name: other}, header)
            if survives(path, GRAPH.adjacency[:10]):
                powercut.load(path).update(removed=([0], [GRAPH.indices[0]]), graph=GRAPH)
    write(path, {**arrays, "_known.cannot_link": np.array([[0, 2]])}, header)
    with pytest.raises(ValueError, match=r"nodes 0 and 2 must link \(through 1\)"):
        powercut.load(path)
