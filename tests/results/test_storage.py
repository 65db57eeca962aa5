"""Saved models: loaded unchanged, without pickle, and from every version of the format."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import make_moons

import powercut
from powercut import PowerLawClusters, PowerLawCut, PowerLawKernelMeans, PowerLawMeans
from powercut.baselines import DPMeans
from powercut.datasets import make_blobs, make_paper_graph
from powercut.estimators._graph_input import GivenGraph
from powercut.results.storage import VERSION

MODELS = Path(__file__).parent / "models"
X, _ = make_blobs(80, n_features=3, random_state=0)
NEW = X[:20] + 0.1
GRAPH, _ = make_paper_graph(100, random_state=0)
EDGES = GRAPH.adjacency[:20] + GRAPH.adjacency[20:40]
KERNEL = X @ X.T
WIDE = np.tile(X, 8) + np.random.default_rng(0).normal(size=(80, 24))
MOONS = np.concatenate([make_moons(300, noise=0.05, random_state=0)[0], [[50.0, 50.0]]])

# An estimator, the data it is fitted to, and data to predict.
CASES: dict[str, tuple[Any, Any, Any]] = {
    "clusters-gaussian": (PowerLawClusters(random_state=0), X, NEW),
    "clusters-neighbors": (PowerLawClusters(random_state=0), WIDE, WIDE[:20] + 0.1),
    "clusters-density": (PowerLawClusters(outliers="label", random_state=0), MOONS, MOONS + 0.1),
    "clusters-sparse": (
        PowerLawClusters(random_state=0),
        sparse.csr_array(WIDE),
        sparse.csr_array(WIDE[:20] + 0.1),
    ),
    "clusters-graph": (PowerLawClusters(random_state=0), GRAPH, EDGES),
    "cut-likelihood": (PowerLawCut(random_state=0), GRAPH, EDGES),
    "cut-ncut": (PowerLawCut("ncut", random_state=0), GRAPH, EDGES),
    "cut-weights": (PowerLawCut("rassoc", shift=-2.0, random_state=0), GRAPH, EDGES),
    "cut-neighbors": (PowerLawCut(affinity="nearest_neighbors", random_state=0), X, NEW),
    "cut-rbf": (PowerLawCut("ncut", affinity="rbf", gamma=0.1, random_state=0), X, NEW),
    "cut-sparse": (
        PowerLawCut(affinity="nearest_neighbors", tradeoff=1.0, random_state=0),
        sparse.csr_array(X),
        sparse.csr_array(NEW),
    ),
    "means-diagonal": (PowerLawMeans(random_state=0), X, NEW),
    "means-full": (PowerLawMeans(covariance="full", random_state=0), X, NEW),
    "means-spherical": (PowerLawMeans(covariance="spherical", random_state=0), X, NEW),
    "means-kmeans": (PowerLawMeans("kmeans", random_state=0), X, NEW),
    "means-init": (PowerLawMeans("kmeans", tradeoff=9, init=np.arange(80) % 3), X, NEW),
    "kernel": (PowerLawKernelMeans(tradeoff=9.0, random_state=0), KERNEL, NEW @ X.T),
}


@pytest.fixture(scope="module")
def fitted() -> dict[str, Any]:
    models = {}
    for name, (estimator, data, _) in CASES.items():
        options = {"sample_weight": np.linspace(1, 2, 100)} if name == "cut-weights" else {}
        models[name] = estimator.fit(data, **options)
    return models


def assert_same(one: Any, two: Any) -> None:
    assert type(one) is type(two)
    if isinstance(one, np.ndarray | np.generic):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(one, two)
    elif sparse.issparse(one):
        assert_same(one.toarray(), two.toarray())
    elif hasattr(one, "__dict__"):
        # Cached values are not stored.
        cached = {"_order", "neighbors", "degrees", "degree_histogram", "total_weight", "isolated"}
        cached |= {"_n_loops", "index"}
        if isinstance(one, GivenGraph):
            # Nor is the graph, which may be larger than all the rest, nor where it is.
            cached |= {"graph", "folder", "change"}
        if isinstance(one, PowerLawMeans | PowerLawClusters):
            cached |= {"_kept"}  # nor are the points
        mine, theirs = ({k: v for k, v in vars(x).items() if k not in cached} for x in (one, two))
        assert set(mine) == set(theirs)
        for name in mine:
            assert_same(mine[name], theirs[name])
    else:
        assert one == two or (one != one and two != two)


@pytest.mark.parametrize("name", CASES)
def test_loaded_model_equals_the_saved_one(
    name: str, fitted: dict[str, Any], tmp_path: Path
) -> None:
    model, (_, data, new) = fitted[name], CASES[name]
    powercut.save(tmp_path / "model.npz", model=model)
    again = powercut.load(tmp_path / "model.npz")
    assert_same(again, model)
    for rows in (data, new):
        np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))


def test_same_model_makes_the_same_file(fitted: dict[str, Any], tmp_path: Path) -> None:
    for name in ("one", "two"):
        powercut.save(tmp_path / name, model=fitted["means-diagonal"])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_failed_save_leaves_the_old_model(
    fitted: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(file: Any, **_: Any) -> None:
        file.write(b"half")
        raise OSError("the disk is full")

    powercut.save(tmp_path / "model.npz", model=fitted["kernel"])
    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="full"):
        powercut.save(tmp_path / "model.npz", model=fitted["means-diagonal"])
    assert_same(powercut.load(tmp_path / "model.npz"), fitted["kernel"])


@pytest.mark.parametrize("route", ["gaussian", "neighbors", "density", "graph"])
def test_there_is_a_model_of_each_route(route: str, fitted: dict[str, Any]) -> None:
    assert fitted[f"clusters-{route}"].route_ == route


@pytest.mark.parametrize("name", ["cut-likelihood", "clusters-graph"])
def test_labels_can_be_read_by_numpy_alone(
    name: str, fitted: dict[str, Any], tmp_path: Path
) -> None:
    model = fitted[name]
    powercut.save(tmp_path / "model.npz", model=model)
    with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
        np.testing.assert_array_equal(file["labels_"], model.labels_)
        # A model refers to its labels in several places; its file holds them once.
        assert not [name for name in file.files if name.endswith((".labels", ".labels_"))]


def test_names_of_features_are_kept(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    powercut.save(tmp_path / "m", model=PowerLawMeans("kmeans", tradeoff=9.0).fit(frame))
    again = powercut.load(tmp_path / "m")
    assert list(again.feature_names_in_) == ["a", "b", "c"]
    again.predict(frame)


@pytest.mark.parametrize("name", [str, lambda i: i + 100])
def test_names_of_nodes_are_kept(name: Callable[[int], Any], tmp_path: Path) -> None:
    graph = nx.relabel_nodes(nx.barbell_graph(8, 0), name)
    powercut.save(tmp_path / "m", model=PowerLawCut(random_state=0).fit(graph))
    again = powercut.load(tmp_path / "m")
    assert list(again.labels_frame_["node"]) == list(graph)


def test_names_that_cannot_be_stored_are_left_out_with_a_warning(tmp_path: Path) -> None:
    graph = nx.relabel_nodes(nx.barbell_graph(8, 0), lambda i: (i, "tuple"))
    model = PowerLawCut(random_state=0).fit(graph)
    with pytest.warns(UserWarning, match="names are not stored"):
        powercut.save(tmp_path / "m", model=model)
    assert powercut.load(tmp_path / "m").node_names_ is None


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("node_names_", {"strings": ["a"]}, "node_names_ are wrong"),
        ("node_names_", "a", "node_names_ are wrong"),
        ("_frame_library", "os", "no library of tables"),
        ("_frame_library", 3, "no library of tables"),
    ],
)
def test_wrong_names_are_refused(
    attribute: str, value: Any, message: str, fitted: dict[str, Any], tmp_path: Path
) -> None:
    powercut.save(tmp_path / "m", model=fitted["cut-likelihood"])
    rewrite(tmp_path / "m", lambda header: header["fitted"].update({attribute: value}))
    with pytest.raises(ValueError, match=message):
        powercut.load(tmp_path / "m")


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.npz")), ids=lambda path: path.stem)
def test_files_of_every_version_can_be_read(path: Path) -> None:
    with np.load(path) as file:
        expected = {name: file[f"expected.{name}"] for name in ("rows", "predicted", "probability")}
        labels = file["labels_"]
    model = powercut.load(path)
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_array_equal(model.predict(expected["rows"]), expected["predicted"])
    np.testing.assert_allclose(
        model.predict_proba(expected["rows"]), expected["probability"], rtol=1e-9
    )


def test_there_is_a_file_of_each_version() -> None:
    kinds = {tuple(path.stem.rsplit("-v", 1)) for path in MODELS.glob("*.npz")}
    names = {name for name, _ in kinds}
    assert kinds == {(name, str(v)) for name in names for v in range(1, VERSION + 1)}
    assert {name.split("-")[0] for name in names} == {"cut", "means", "kernel"}


def test_unstorable_values_are_named(tmp_path: Path) -> None:
    model = PowerLawMeans("kmeans", tradeoff=9.0, progress=print).fit(X)
    with pytest.raises(TypeError, match=r"progress is .*set_params"):
        powercut.save(tmp_path / "m", model=model)
    with pytest.raises(TypeError, match="can be saved"):
        powercut.save(tmp_path / "m", model=DPMeans(9.0).fit(X))
    with pytest.raises(ValueError, match="not fitted"):
        powercut.save(tmp_path / "m", model=PowerLawCut())
    assert not list(tmp_path.iterdir())


def test_a_callback_of_the_fit_to_a_graph_does_not_prevent_saving(tmp_path: Path) -> None:
    random = np.random.RandomState(0)
    model = PowerLawClusters(random_state=random, progress=lambda _: None).fit(GRAPH)
    powercut.save(tmp_path / "m", model=model.set_params(random_state=None, progress=None))
    np.testing.assert_array_equal(
        powercut.load(tmp_path / "m").predict(EDGES), model.predict(EDGES)
    )


def rewrite(path: Path, change: Any) -> None:
    """Rewrite a file with a changed header."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["model.json"])
    change(header)
    members["model.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header: header.update(version=99), "Upgrade powercut"),
        (lambda header: header.update(format="other"), "not a powercut model"),
        (lambda header: header.update(estimator="os.system"), "damaged"),
        (lambda header: header["fitted"].update(labels_={"array": "nowhere"}), "damaged"),
        (
            lambda header: header["fitted"].update(labels_={"object": "Popen", "state": {}}),
            "damaged",
        ),
        (lambda header: header["fitted"].update(labels_={"call": "print"}), "damaged"),
        (lambda header: header["parameters"].update(n_clusters=3), "damaged"),
    ],
)
def test_wrong_headers_are_refused(
    change: Any, message: str, fitted: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "model.npz"
    powercut.save(path, model=fitted["means-kmeans"])
    rewrite(path, change)
    with pytest.raises(ValueError, match=message):
        powercut.load(path)


def test_damaged_and_foreign_files_are_refused(fitted: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    powercut.save(path, model=fitted["means-kmeans"])
    content_of_file = path.read_bytes()
    archive = io.BytesIO()
    np.savez(archive, a=np.ones(3))
    array = io.BytesIO()
    np.save(array, np.ones(3))
    for content in (
        b"",
        b"text",
        content_of_file[: len(content_of_file) // 2],
        archive.getvalue(),
        array.getvalue(),
    ):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="powercut"):
            powercut.load(path)


def test_pickles_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    np.savez(path, **{"model.json": np.array([BaseEstimator()], dtype=object)})
    with pytest.raises(ValueError, match="powercut"):
        powercut.load(path)
