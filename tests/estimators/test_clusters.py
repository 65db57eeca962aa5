"""PowerLawClusters: the way it takes, what it says of it, prediction, outliers, invalid input."""

import dataclasses
import os
import signal
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, homogeneity_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import powercut
from powercut import Graph, PowerLawClusters, PowerLawCut
from powercut.datasets import make_blobs, make_paper_graph
from powercut.estimators import _neighbor_posterior
from powercut.graphs import neighbor_index
from powercut.progress import ProgressReporter
from powercut.report import write_report
from powercut.vectors.column_gaussianity import compare_columns_with_gaussian
from powercut.vectors.gaussianity import compare_with_gaussian
from powercut.vectors.tails import OUTLIER

RANDOM = np.random.default_rng(0)
MOONS, MOON = make_moons(600, noise=0.05, random_state=0)
BLOBS, BLOB = make_blobs(300, n_features=4, spread=20, random_state=0)
GRAPH, _ = make_paper_graph(200, n_clusters=(4, 8), random_state=1)
TEXT = sp.csr_array(np.kron(np.eye(3), np.ones((40, 10))) * RANDOM.poisson(1, size=(120, 30)))
BALLS = RANDOM.normal(size=(600, 4))
BALLS /= np.linalg.norm(BALLS, axis=1, keepdims=True) * RANDOM.uniform(size=(600, 1)) ** -0.25
BALL = np.arange(600) // 200
BALLS[:, 0] += 3.0 * BALL
MANY = make_blobs(400, n_features=30, random_state=0)[0]
DATA: dict[str, Any] = {
    "gaussian": BLOBS,
    "many columns": MANY,
    "density": MOONS,
    "neighbors": BALLS,
    "sparse": TEXT,
    "graph": GRAPH,
}
ROUTES = {name: name for name in DATA} | {"sparse": "neighbors", "many columns": "gaussian"}


@pytest.fixture(scope="module")
def models() -> dict[str, PowerLawClusters]:
    return {name: PowerLawClusters(random_state=0).fit(X) for name, X in DATA.items()}


@parametrize_with_checks(
    [PowerLawClusters()],
    expected_failed_checks=lambda _: {
        "check_estimator_sparse_array": "expects classifier tags of all that have predict_proba.",
        "check_estimator_sparse_matrix": "expects classifier tags of all that have predict_proba.",
    },
)
@pytest.mark.filterwarnings("ignore:No more than one cluster:UserWarning")
def test_scikit_learn_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("name", DATA)
def test_the_data_decide_the_route(name: str, models: dict[str, PowerLawClusters]) -> None:
    model = models[name]
    assert model.route_ == ROUTES[name]
    assert model.why_.endswith(".")
    assert len(model.margins_) == len(model.labels_)
    assert len(model.cluster_evidence_) == model.n_clusters_ > 1
    assert (model.cluster_evidence_ > 0).all()


def test_clusters_of_all_shapes_are_found(models: dict[str, PowerLawClusters]) -> None:
    assert adjusted_rand_score(MOON, models["density"].labels_) > 0.99
    assert adjusted_rand_score(BALL, models["neighbors"].labels_) > 0.99
    assert adjusted_rand_score(BLOB, models["gaussian"].labels_) > 0.95
    assert adjusted_rand_score(np.arange(120) // 40, models["sparse"].labels_) > 0.95


def skewed_clusters(n: int, d: int, spread: float, seed: int) -> tuple[Any, Any]:
    """Return four clusters with exponential coordinates, and the cluster of each point."""
    random = np.random.default_rng(seed)
    cluster = random.integers(0, 4, n)
    centre = spread * random.normal(size=(4, d))
    return centre[cluster] + random.exponential(size=(n, d)), cluster


def test_small_pieces_of_other_clusters_do_not_pass_as_gaussian() -> None:
    X, _ = skewed_clusters(800, 5, 1.5, 2)
    model = PowerLawClusters(random_state=0).fit(X)
    assert model.route_ == "neighbors"
    assert "are pieces of something else" in model.why_
    assert model.n_clusters_ == 4


@pytest.mark.parametrize("n_draws", [0, 1000])
def test_neighbour_route_does_not_depend_on_what_the_gaussian_route_draws(n_draws: int) -> None:
    model = PowerLawClusters(random_state=0).fit(BALLS)

    def refuse(X: Any, *, random: np.random.Generator, **options: Any) -> tuple[None, str]:  # noqa: ARG001
        random.random(n_draws)
        return None, "Not tried."

    with mock.patch("powercut.estimators.clusters.gaussian_route", refuse):
        alone = PowerLawClusters(random_state=0).fit(BALLS)
    assert alone.objective_ == model.objective_
    np.testing.assert_array_equal(alone.labels_, model.labels_)


@pytest.mark.parametrize("n_features", [21, 64, 100])
def test_tiny_gaussian_clusters_are_found_in_many_columns(n_features: int) -> None:
    X, cluster = make_blobs(1500, n_features=n_features, random_state=0)
    model = PowerLawClusters(random_state=0).fit(X)
    assert model.route_ == "gaussian"
    assert "of diagonal covariance passed as Gaussian: squared radii" in model.why_
    assert adjusted_rand_score(cluster, model.labels_) == 1
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def heavy_tails(random: np.random.Generator) -> Any:
    return 3 * random.normal(size=(1000, 40)) / np.sqrt(random.chisquare(5, (1000, 1)))


def correlated(random: np.random.Generator) -> Any:
    return random.normal(size=(1000, 30)) @ random.normal(size=(30, 30)) / 5


@pytest.mark.parametrize("draw", [heavy_tails, correlated])
def test_other_clusters_in_many_columns_are_left_to_neighbours(draw: Any) -> None:
    random = np.random.default_rng(0)
    X, cluster = draw(random), np.arange(1000) % 4
    X += 4 * random.normal(size=(4, X.shape[1]))[cluster]
    model = PowerLawClusters(random_state=0).fit(X)
    assert model.route_ == "neighbors"
    assert "did not pass as Gaussian: squared radii" in model.why_
    assert adjusted_rand_score(cluster, model.labels_) > 0.99


def test_clusters_of_many_columns_that_overlap_are_left_to_neighbours() -> None:
    random = np.random.default_rng(0)
    cluster = np.arange(2000) % 20
    X = 0.6 * random.normal(size=(20, 64))[cluster] + random.normal(size=(2000, 64))
    model = PowerLawClusters(random_state=0).fit(X)
    assert model.route_ == "neighbors"
    assert "are too close to each other" in model.why_


@pytest.mark.filterwarnings("ignore:No more than one cluster:UserWarning")
def test_one_cloud_of_many_columns_is_left_to_neighbours() -> None:
    model = PowerLawClusters(random_state=0).fit(RANDOM.normal(size=(500, 30)))
    assert model.route_ == "neighbors"
    assert "1 Gaussian cluster of diagonal covariance may hide more" in model.why_


def test_clusters_of_all_points_of_many_columns_must_pass_too() -> None:
    X, _ = make_blobs(400, n_features=30, random_state=0)
    tests: list[int] = []

    def fail_at_last(*arguments: Any) -> Any:
        tests.append(len(arguments[0]))
        test = compare_columns_with_gaussian(*arguments)
        return test if len(tests) == 1 else dataclasses.replace(test, radial=-1.0)

    route = "powercut.estimators._gaussian_route"
    with (
        mock.patch(f"{route}.compare_columns_with_gaussian", fail_at_last),
        mock.patch(f"{route}.SAMPLE", 200),
    ):
        model = PowerLawClusters(random_state=0).fit(X)
    assert tests == [200, 200]
    assert model.route_ == "neighbors"


def test_gaussians_are_tried_in_more_columns_if_neighbours_are_not_searched_exactly() -> None:
    X, cluster = make_blobs(200, n_features=101, random_state=0)
    model = PowerLawClusters(random_state=0).fit(X)
    assert model.route_ == "neighbors"
    assert "200 points in 101 columns are clustered by their neighbours" in model.why_
    with mock.patch("powercut.estimators._gaussian_route.LARGEST_EXACT", 199):
        model.fit(X)
    assert model.route_ == "gaussian"
    assert adjusted_rand_score(cluster, model.labels_) > 0.99


def test_hills_divide_clusters_of_the_neighbour_graph_that_touch() -> None:
    X, cluster = skewed_clusters(800, 3, 3.0, 3)
    model = PowerLawClusters(random_state=0).fit(X)
    assert model.route_ == "neighbors"
    assert "in number, the density has 4 hills." in model.why_
    assert adjusted_rand_score(cluster, model.labels_) > 0.9
    assert (model.cluster_evidence_ > 0).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("name", DATA)
def test_predict_equals_the_fit(name: str, models: dict[str, PowerLawClusters]) -> None:
    model, X = models[name], DATA[name]
    rows = X.adjacency if isinstance(X, Graph) else X
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
    some = RANDOM.permutation(len(model.labels_))[:50]
    np.testing.assert_array_equal(model.predict(rows[some]), model.labels_[some])
    p = model.predict_proba(rows)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(p.argmax(axis=1), model.labels_)
    if name != "graph":
        np.testing.assert_array_equal(model.score_outliers(rows), model.outlier_score_)


def test_a_graph_is_clustered_as_by_power_law_cut(models: dict[str, PowerLawClusters]) -> None:
    cut = PowerLawCut(random_state=0).fit(GRAPH)
    model = models["graph"]
    np.testing.assert_array_equal(model.labels_, cut.labels_)
    np.testing.assert_array_equal(model.margins_, cut.margins_)
    new = GRAPH.adjacency[:20] + GRAPH.adjacency[20:40]
    np.testing.assert_array_equal(model.predict_proba(new), cut.predict_proba(new))
    np.testing.assert_array_equal(powercut.cluster(GRAPH, random_state=0), cut.labels_)
    labels = powercut.cluster(nx.karate_club_graph(), random_state=0)
    assert len(labels) == 34


@pytest.mark.parametrize("name", ["gaussian", "density", "neighbors"])
def test_new_points_get_the_cluster_they_are_in(
    name: str, models: dict[str, PowerLawClusters]
) -> None:
    model, X = models[name], DATA[name]
    new = X + 0.001
    assert (model.predict(new) == model.labels_).mean() > 0.99
    np.testing.assert_array_equal(model.predict_proba(new).argmax(axis=1), model.predict(new))


@pytest.mark.parametrize("name", ["gaussian", "density", "neighbors"])
def test_far_from_all_clusters_all_are_equally_likely(
    name: str, models: dict[str, PowerLawClusters]
) -> None:
    model = models[name]
    far = np.full((1, DATA[name].shape[1]), 1e4)
    np.testing.assert_allclose(model.predict_proba(far), 1 / model.n_clusters_, rtol=0.01)
    assert model.score_outliers(far)[0] > OUTLIER
    inside = model.predict_proba(DATA[name]).max(axis=1)
    assert np.median(inside) > 0.9


@pytest.mark.parametrize("name", ["gaussian", "density", "neighbors"])
def test_outliers_are_labelled_if_asked(name: str) -> None:
    X = DATA[name]
    if name == "gaussian":  # whose clusters are too small to show their tails
        X = RANDOM.normal(size=(300, 3)) + 9 * (np.arange(300) // 100)[:, None]
    far = X.mean(axis=0) + 1000.0 * np.array([[1.0], [-2.0], [3.0]])
    both = np.concatenate([X, far])
    model = PowerLawClusters(outliers="label", random_state=0).fit(both)
    assert (model.labels_[-3:] == -1).all()
    assert (model.labels_[:-3] == -1).mean() < 0.02
    kept = model.labels_[model.labels_ >= 0]
    np.testing.assert_array_equal(model.cluster_sizes_, np.bincount(kept))
    assert (np.diff(model.cluster_sizes_) <= 0).all()
    np.testing.assert_array_equal(model.predict(both), model.labels_)
    np.testing.assert_array_equal(model.predict(far * 2), [-1, -1, -1])
    assert model.predict_proba(both).shape == (len(both), model.n_clusters_)
    assigned = clone(model).set_params(outliers="assign").fit(both)
    assert assigned.labels_.min() == 0
    np.testing.assert_array_equal(assigned.outlier_score_, model.outlier_score_)


@pytest.mark.parametrize("name", DATA)
def test_threads_do_not_change_the_labels(name: str, models: dict[str, PowerLawClusters]) -> None:
    other = PowerLawClusters(n_jobs=2, random_state=0).fit(DATA[name])
    np.testing.assert_array_equal(other.labels_, models[name].labels_)
    np.testing.assert_array_equal(other.margins_, models[name].margins_)


@pytest.mark.parametrize("name", DATA)
def test_a_saved_model_predicts_the_same(
    name: str, models: dict[str, PowerLawClusters], tmp_path: Path
) -> None:
    model, X = models[name], DATA[name]
    rows = X.adjacency[:50] + X.adjacency[50:100] if isinstance(X, Graph) else X[:50] * 1.01
    powercut.save(tmp_path / "model.npz", model=model)
    again = powercut.load(tmp_path / "model.npz")
    assert (again.route_, again.why_) == (model.route_, model.why_)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))


def test_a_saved_model_with_outliers_is_read(tmp_path: Path) -> None:
    X = np.concatenate([MOONS, [[50.0, 50.0]]])
    model = PowerLawClusters(outliers="label", random_state=0).fit(X)
    assert model.labels_[-1] == -1
    powercut.save(tmp_path / "model.npz", model=model)
    np.testing.assert_array_equal(powercut.load(tmp_path / "model.npz").predict(X), model.labels_)
    write_report(tmp_path / "report.html", model=model, data=X)
    assert "outliers" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DATA)
def test_a_report_says_why(name: str, models: dict[str, PowerLawClusters], tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", model=models[name], data=DATA[name])
    assert models[name].why_ in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_fit_to_a_graph_forgets_the_vectors() -> None:
    model = PowerLawClusters(random_state=0).fit(BALLS[:, :3])
    assert hasattr(model, "outlier_score_")
    model.fit(GRAPH)
    assert not hasattr(model, "outlier_score_")
    assert not hasattr(model, "scale_")
    with pytest.raises(ValueError, match="no outlier scores"):
        model.score_outliers(GRAPH.adjacency)
    model.fit(BALLS)
    np.testing.assert_array_equal(model.predict(BALLS), model.labels_)


def test_units_of_a_table_do_not_matter() -> None:
    units = np.array([1.0, 1e3, 1e-3, 1.0])
    model = PowerLawClusters(random_state=0).fit(BLOBS * units)
    assert model.scale_.max() / model.scale_.min() > 1e4
    assert adjusted_rand_score(BLOB, model.labels_) > 0.95


def test_one_cluster_is_warned_of() -> None:
    cloud = RANDOM.normal(size=(300, 2))
    with pytest.warns(UserWarning, match="No more than one cluster is supported by the data: the"):
        model = PowerLawClusters(random_state=0).fit(cloud)
    assert model.n_clusters_ == 1
    assert np.isinf(model.margins_).all()


@pytest.mark.filterwarnings("ignore:No more than one cluster:UserWarning")
@pytest.mark.parametrize("n", [1, 2, 3, 16, 17])
@pytest.mark.parametrize("equal", [False, True])
def test_few_or_equal_points(n: int, equal: bool) -> None:
    X = np.ones((n, 2)) if equal else RANDOM.normal(size=(n, 2))
    model = PowerLawClusters(random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert np.isfinite(model.outlier_score_).all()
    assert model.predict([[100.0, 100.0]]).shape == (1,)


def test_a_search_that_was_stopped_says_so() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = PowerLawClusters(max_seconds=0.0, random_state=0).fit(MOONS)
    assert model.stopped_early_
    (message,) = [str(one.message) for one in caught]
    assert "max_seconds=0.0" in message
    np.testing.assert_array_equal(model.predict(MOONS), model.labels_)


@pytest.mark.parametrize("sample", [2000, 200])
def test_a_search_that_is_stopped_keeps_the_clusters_that_it_has(sample: int) -> None:
    def test_late(*arguments: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return compare_with_gaussian(*arguments)

    routes = "powercut.estimators._gaussian_route"
    with (
        mock.patch(f"{routes}.SAMPLE", sample),
        mock.patch(f"{routes}.compare_with_gaussian", test_late),
        pytest.warns(ConvergenceWarning, match="interrupt"),
    ):
        model = PowerLawClusters(on_interrupt="return", random_state=0).fit(MOONS)
    assert model.stopped_early_
    assert model.route_ == "gaussian"
    assert "did not pass" in model.why_
    assert "time was up" in model.why_
    assert ("of a sample of 200 points, did not pass" in model.why_) == (sample == 200)
    # Pieces of the moons.
    assert homogeneity_score(MOON, model.labels_) > 0.8
    np.testing.assert_array_equal(model.predict(MOONS), model.labels_)


@pytest.mark.parametrize("sample", [2000, 200])
def test_a_search_of_many_columns_that_is_stopped_keeps_the_clusters_that_it_has(
    sample: int,
) -> None:
    random = np.random.default_rng(0)
    cluster = np.arange(600) % 4
    X = heavy_tails(random)[:600] + 9 * random.normal(size=(4, 40))[cluster]

    def test_late(*arguments: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return compare_columns_with_gaussian(*arguments)

    route = "powercut.estimators._gaussian_route"
    with (
        mock.patch(f"{route}.SAMPLE", sample),
        mock.patch(f"{route}.compare_columns_with_gaussian", test_late),
        pytest.warns(ConvergenceWarning, match="interrupt"),
    ):
        model = PowerLawClusters(on_interrupt="return", random_state=0).fit(X)
    assert model.stopped_early_
    assert model.route_ == "gaussian"
    assert "did not pass" in model.why_
    assert "time was up" in model.why_
    assert homogeneity_score(cluster, model.labels_) > 0.99
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_progress_never_falls_and_ends_at_one() -> None:
    reports: list[powercut.Progress] = []
    PowerLawClusters(progress=reports.append, random_state=0).fit(MOONS)
    fractions = [report.fraction for report in reports]
    assert fractions == sorted(fractions)
    assert (fractions[-1], reports[-1].stage) == (1.0, "done")


def test_a_loaded_model_finds_the_approximate_neighbours_of_the_fit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(neighbor_index, "LARGEST_EXACT", 100)
    random = np.random.default_rng(0)
    X = np.hstack([MOONS, random.normal(scale=0.1, size=(len(MOONS), 6))])
    new = X[random.permutation(len(X))] * 0.5 + X * 0.5
    model = PowerLawClusters(random_state=1).fit(X)
    assert model.route_ == "neighbors"
    with mock.patch.object(_neighbor_posterior, "neighbor_index", side_effect=AssertionError):
        expected = model.predict_proba(new)  # takes the divisions of the fit
    powercut.save(tmp_path / "model.npz", model=model)
    loaded = powercut.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict_proba(new), expected)
    exact = PowerLawClusters(random_state=1)
    monkeypatch.setattr(neighbor_index, "LARGEST_EXACT", 10**6)
    # Not all neighbours are found: otherwise this would show nothing.
    assert not np.array_equal(exact.fit(X).predict_proba(new), expected)


def test_the_search_for_neighbours_reports_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    # In more dimensions than a k-d tree is for.
    rest = np.random.default_rng(0).normal(scale=0.01, size=(len(MOONS), 6))
    monkeypatch.setattr(ProgressReporter, "interval", 0.0)
    reports: list[powercut.Progress] = []
    model = PowerLawClusters(progress=reports.append, random_state=0)
    model.fit(np.hstack([MOONS, rest]))
    assert model.route_ == "neighbors"
    # One when it begins, the others from the kernel.
    assert len([report for report in reports if report.stage == "neighbors"]) > 1


def test_invalid_input_is_refused_with_a_remedy() -> None:
    frame = pd.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]})
    with pytest.raises(ValueError, match=r"pandas.get_dummies\(X, columns=\['colour'\]"):
        PowerLawClusters().fit(frame)
    with pytest.raises(ValueError, match=r"SimpleImputer\(\)\.fit_transform\(X\)"):
        PowerLawClusters().fit([[1.0, np.nan], [2.0, 3.0]])
    with pytest.raises(ValueError, match=r"powercut\.Graph\(X\) to cluster its nodes"):
        PowerLawClusters().fit(GRAPH.adjacency)
    with pytest.raises(ValueError, match="outliers='label' has no effect on a graph"):
        PowerLawClusters(outliers="label").fit(GRAPH)
    with pytest.raises(ValueError, match="scale must be one of"):
        PowerLawClusters(scale="rows").fit(BLOBS)
    with pytest.raises(ValueError, match="outliers must be one of"):
        PowerLawClusters(outliers="drop").fit(BLOBS)
