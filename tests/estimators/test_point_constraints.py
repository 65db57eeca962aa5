"""Constraints of a fit of points: `fixed`, `must_link` and `cannot_link`."""

import warnings
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from sklearn.metrics import normalized_mutual_info_score

from known_clusters import drawn, violations
from powercut import PowerLawClusters, PowerLawKernelMeans, PowerLawMeans, power_law_means
from powercut.datasets import make_blobs
from powercut.partition import canonical_labels
from powercut.vectors.points import Points

SINGLE, TRUTH = make_blobs(200, n_features=4, random_state=0)
X = SINGLE.astype(np.float64)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"covariance": "spherical"},
    {"covariance": "full"},
    {"covariance": "auto", "tradeoff": 2.0},
    {"score": "kmeans"},
    {"score": "kmeans", "tradeoff": 3.0},
)
SCORES = pytest.mark.parametrize("parameters", OPTIONS)
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*do not pass as Gaussian"),
    pytest.mark.usefixtures("eight_cores"),
]


def fit(X: Any = X, known: dict[str, Any] | None = None, **parameters: Any) -> PowerLawMeans:
    return PowerLawMeans(random_state=0, **parameters).fit(X, **(known or {}))


@SCORES
@pytest.mark.parametrize("kept", ["fixed", "must_link", "cannot_link", None])
def test_constraints_are_kept(parameters: dict[str, Any], kept: str | None) -> None:
    random = np.random.default_rng(1)
    # Of labels that have nothing to do with the points.
    known = drawn(random, random.integers(0, 9, 200), 40)
    if kept is not None:
        known = {kept: known[kept]}
    assert violations(fit(**parameters).labels_, known)
    for n_jobs in (1, 2, 8):
        model = fit(X, known, n_jobs=n_jobs, **parameters)
        assert violations(model.labels_, known) == 0
        np.testing.assert_array_equal(model.labels_, canonical_labels(model.labels_))
        if n_jobs == 1:
            first = model
        np.testing.assert_array_equal(model.labels_, first.labels_)
    path = first.objective_path_
    assert (np.diff(path) <= 1e-9 * np.abs(path[1:])).all()


@given(st.integers(0, 2**32), st.sampled_from([2, 5, 12, 40]), st.sampled_from([1, 3, 12]))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_random_points_keep_random_constraints(seed: int, n: int, m: int) -> None:
    random = np.random.default_rng(seed)
    centres = random.choice([0.0, 3.0]) * random.normal(size=(4, 2))
    points = centres[random.integers(0, 4, n)] + random.normal(size=(n, 2))
    known = drawn(random, random.integers(0, random.integers(1, n), n), m)
    parameters = dict(random.choice(OPTIONS))
    weight = random.uniform(0.5, 2.0, n) if parameters.get("score") == "kmeans" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # many have no structure
        found = [
            PowerLawMeans(random_state=0, n_jobs=n_jobs, **parameters)
            .fit(points, sample_weight=weight, **known)
            .labels_
            for n_jobs in (1, 2, 8)
        ]
    assert violations(found[0], known) == 0
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


@SCORES
def test_large_sets_keep_constraints(parameters: dict[str, Any]) -> None:
    random = np.random.default_rng(6)
    with mock.patch("powercut.vectors.points.LARGE", 150):
        for truth in (TRUTH, random.integers(0, 9, 200)):
            known = drawn(random, truth, 40)
            one, two = (fit(X, known, n_jobs=n_jobs, **parameters).labels_ for n_jobs in (1, 8))
            assert violations(one, known) == 0
            np.testing.assert_array_equal(one, two)


@SCORES
def test_without_constraints_labels_are_the_same(parameters: dict[str, Any]) -> None:
    free = fit(**parameters)
    none = {"fixed": np.full(200, -1), "must_link": [], "cannot_link": np.empty((0, 2), int)}
    for known in (none, {"fixed": {}}):
        model = fit(X, known, **parameters)
        np.testing.assert_array_equal(model.labels_, free.labels_)
        assert model.objective_ == free.objective_


@SCORES
def test_constraints_that_hold_already_change_little(parameters: dict[str, Any]) -> None:
    free = fit(**parameters)
    known = drawn(np.random.default_rng(2), free.labels_, 40)
    again = fit(X, known, **parameters)
    assert normalized_mutual_info_score(free.labels_, again.labels_) > 0.98
    shortest, nats = (
        model.objective_ if "tradeoff" in parameters else model.description_length_
        for model in (free, again)
    )
    assert nats <= shortest + 0.01 * abs(shortest)


@SCORES
def test_objective_is_that_of_all_points(parameters: dict[str, Any]) -> None:
    known = drawn(np.random.default_rng(4), TRUTH, 40)
    model = fit(X, known, **parameters)
    if model._gaussian is None:
        centres = model.cluster_centers_[model.labels_]
        cost = ((X - centres) ** 2).sum()
    else:
        objective, standard = model._gaussian.objective, model._gaussian.standard
        form = objective.score.form.scatter
        clusters = Points(standard(X)).aggregate(model.labels_, model.n_clusters_, form)
        cost = objective.score.cost(clusters).sum() + 200 * standard.log_volume
    j = cost + model._regulariser.value(model.cluster_sizes_)
    assert model.objective_ == pytest.approx(j, rel=1e-9)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_known_labels_help_to_find_the_others(seed: int) -> None:
    points, truth = make_blobs(2000, n_features=3, spread=1.5, random_state=seed)
    fixed = np.where(np.random.default_rng(seed).random(2000) < 0.1, truth, -1)
    unknown = fixed == -1
    free, known = (
        normalized_mutual_info_score(truth[unknown], fit(points, given).labels_[unknown])
        for given in ({}, {"fixed": fixed})
    )
    assert known > free + 0.02


def test_fixed_labels_are_ids_of_clusters() -> None:
    fixed = np.where(np.random.default_rng(0).random(200) < 0.1, 10 * TRUTH + 5, -1)
    for parameters in ({}, {"score": "kmeans"}, {"score": "kmeans", "tradeoff": 3.0}):
        model = fit(X, {"fixed": fixed}, **parameters)
        ids = model.cluster_ids_[model.labels_]
        np.testing.assert_array_equal(ids[fixed >= 0], fixed[fixed >= 0])
        assert len(np.unique(model.cluster_ids_)) == model.n_clusters_
        others = np.setdiff1d(model.cluster_ids_, fixed)
        assert len(others) == 0 or others.min() > fixed.max()
        model.fit(X)  # forgets them
        assert model.cluster_ids_.tolist() == list(range(model.n_clusters_))


def test_tables_and_groups_are_accepted() -> None:
    model = fit(
        X,
        {
            "fixed": {0: 3, 1: 4},
            "must_link": [[5, 6, 7], (8, 9)],
            "cannot_link": pd.DataFrame({"a": [5], "b": [8]}),
        },
    )
    ids = model.cluster_ids_[model.labels_]
    assert (ids[0], ids[1]) == (3, 4)
    assert ids[5] == ids[6] == ids[7] != ids[8] == ids[9]


@SCORES
def test_start_may_break_constraints(parameters: dict[str, Any]) -> None:
    known = drawn(np.random.default_rng(7), TRUTH, 40)
    for init in (np.zeros(200, dtype=int), np.arange(200) // 4, TRUTH):
        assert violations(fit(X, known, init=init, **parameters).labels_, known) == 0


@SCORES
def test_constraints_are_kept_when_time_is_up(parameters: dict[str, Any]) -> None:
    random = np.random.default_rng(8)
    known = drawn(random, random.integers(0, 9, 200), 40)
    for seconds in (0, 1e-4, 1e-3, 1e-2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fit(X, known, max_seconds=seconds, **parameters)
        assert violations(model.labels_, known) == 0


def test_margins_tell_where_only_a_constraint_holds_a_point() -> None:
    random = np.random.default_rng(0)
    points = random.normal(size=(60, 2)) + 8 * (np.arange(60) >= 30)[:, None]
    model = fit(points, {"fixed": {0: 1, 5: 0, 40: 1}})
    assert model.labels_[0] == model.labels_[40] != model.labels_[5]
    assert model.margins_[0] < 0
    assert model.margins_[5] > 0


def test_float32_and_weights() -> None:
    known = drawn(np.random.default_rng(9), TRUTH, 40)
    single = fit(SINGLE, known).labels_
    assert violations(single, known) == 0
    weight = np.random.default_rng(0).uniform(0.5, 2, 200)
    model = PowerLawMeans("kmeans", random_state=0).fit(X, sample_weight=weight, **known)
    assert violations(model.labels_, known) == 0


def test_function_form_passes_constraints_on() -> None:
    known = drawn(np.random.default_rng(9), TRUTH, 40)
    labels = power_law_means(X, random_state=0, **known)
    np.testing.assert_array_equal(labels, fit(X, known).labels_)


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"fixed": [0, 1]}, r"fixed has shape \(2,\); 200 labels are needed, one for each point"),
        ({"fixed": np.full(200, -2)}, "fixed has -2 for point 0; labels are at least 0"),
        ({"fixed": {3: 2**53}}, "fixed has 9007199254740992 for point 3"),
        ({"fixed": np.zeros(200)}, "fixed must have integer labels, got dtype float64"),
        ({"fixed": {200: 1}}, "fixed has 200, which is not a point"),
        ({"fixed": {"ann": 1}}, "fixed must have the row numbers of points"),
        ({"must_link": [0, 1]}, r"must_link\[0\] is 0; it must be a pair or a group of points"),
        ({"must_link": 5}, "must_link must be a sequence of pairs or groups of points"),
        ({"must_link": [[0.5, 1]]}, "must_link must have the row numbers of points"),
        ({"cannot_link": [[0, 1, 2]]}, r"cannot_link\[0\] has 3 points"),
        ({"cannot_link": [[0, -1]]}, "cannot_link has -1, which is not a point"),
        (
            {"must_link": [[3, 5], [5, 7]], "cannot_link": [[7, 3]]},
            r"points 7 and 3 must link \(through 5\), but they cannot link",
        ),
        (
            {"fixed": {0: 1, 1: 2}, "must_link": [[0, 1]]},
            "points 0 and 1 must link, but they are fixed at the labels 1 and 2",
        ),
        ({"cannot_link": [[3, 3]]}, "point 3 cannot link with itself"),
    ],
)
def test_invalid_constraints_are_refused(known: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit(X, known)


def test_what_does_not_keep_constraints_is_refused() -> None:
    with pytest.raises(ValueError, match="'lloyd' does not keep must_link"):
        fit(X, {"must_link": [[0, 1]]}, score="kmeans", tradeoff=1.0, algorithm="lloyd")
    with pytest.raises(TypeError, match="fixed"):
        PowerLawKernelMeans().fit(X @ X.T, fixed={0: 1})


def clouds(route: str, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return points that are clustered in this way without constraints, and their classes."""
    if route == "density":
        return make_moons(500, noise=0.05, random_state=0)
    random = np.random.default_rng(0)
    truth = np.arange(n) % 3
    centres = 7 * random.normal(size=(3, 4))
    if route == "gaussian":
        return centres[truth] + random.normal(size=(n, 4)), truth
    return centres[truth] + random.exponential(size=(n, 4)), truth


@pytest.mark.parametrize("route", ["gaussian", "density", "neighbors"])
def test_clusters_of_any_shape_keep_constraints(route: str) -> None:
    points, truth = clouds(route)
    free = PowerLawClusters(random_state=0).fit(points)
    assert free.route_ == route
    random = np.random.default_rng(0)
    for labels in (truth, random.integers(0, 4, len(truth))):
        known = drawn(random, labels, 20)
        one, two = (
            PowerLawClusters(random_state=0, n_jobs=n_jobs).fit(points, **known)
            for n_jobs in (1, 8)
        )
        assert violations(one.labels_, known) == 0
        np.testing.assert_array_equal(one.labels_, two.labels_)
        assert one.route_ == ("gaussian" if route == "gaussian" else "neighbors")
        assert ("do not keep what is known" in one.why_) == (route == "density")
        ids = one.cluster_ids_[one.labels_]
        rows = known["fixed"] >= 0
        np.testing.assert_array_equal(ids[rows], known["fixed"][rows])
        assert len(one.cluster_evidence_) == one.n_clusters_
        assert one.cluster_sizes_.sum() == len(points)


def test_clusters_refuse_what_does_not_keep_constraints() -> None:
    points, truth = clouds("gaussian")
    known = {"fixed": {0: int(truth[0]), 1: int(truth[1])}}
    with pytest.raises(ValueError, match="levels of a tree do not keep fixed"):
        PowerLawClusters(tree=True).fit(points, **known)
    with pytest.raises(ValueError, match='outliers="label" takes points out'):
        PowerLawClusters(outliers="label").fit(points, **known)
    with pytest.raises(ValueError, match="points 0 and 1 must link, but they cannot link"):
        PowerLawClusters().fit(points, must_link=[[0, 1]], cannot_link=[[0, 1]])
    model = PowerLawClusters(random_state=0).fit(points, **known)
    assert not hasattr(model.fit(points), "_known")
