"""Tradeoff paths: the search, plateaus, nesting and agreement."""

import sys
import warnings
from itertools import pairwise
from typing import Any
from unittest import mock

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_mutual_info_score

from powercut import (
    Graph,
    PowerLawCut,
    PowerLawKernelMeans,
    PowerLawMeans,
    Progress,
    TradeoffPath,
    tradeoff_path,
)
from powercut._typing import LABEL
from powercut.datasets import make_blobs
from powercut.progress import ProgressReporter
from powercut.results import comparison
from powercut.results.comparison import agreement, coarsened, is_nested
from powercut.results.tradeoff_path import PathSearch, Step

GROUP = np.repeat(np.arange(8, dtype=LABEL), 20)
PART = GROUP // 4


def planted(group: float, part: float, between: float) -> np.ndarray:
    """Return eight groups of nodes in two supergroups, with the given densities."""
    same_group, same_part = GROUP[:, None] == GROUP, PART[:, None] == PART
    density = np.where(same_group, group, np.where(same_part, part, between))
    edges = np.triu(np.random.default_rng(0).random(density.shape) < density, 1)
    return np.asarray(edges + edges.T, dtype=np.float64)


HIERARCHY = planted(0.9, 0.2, 0.005)
BLOCKS = planted(0.5, 0.08, 0.04)
POINTS, _ = make_blobs(150, n_features=3, random_state=2)
PROBLEMS: dict[str, tuple[Any, Any, Any]] = {
    "likelihood": (BLOCKS, PowerLawCut(), [0.5, 1, 1.5, 2, 3, 4]),
    "neighbours": (POINTS, PowerLawCut(affinity="nearest_neighbors"), [1, 2, 4]),
    "fixed prior": (BLOCKS, PowerLawCut(concentration=5.0, discount=0.3), [0.5, 1, 2, 4]),
    "ncut": (BLOCKS, PowerLawCut("ncut"), [1e-4, 1e-3, 1e-2]),
    "algorithm 1": (HIERARCHY, PowerLawCut("rassoc", algorithm="lloyd", shift=1.0), [0.1, 1]),
    "gaussian": (POINTS, PowerLawMeans(), [1, 2, 3]),
    "kmeans": (POINTS, PowerLawMeans("kmeans"), [1, 3, 10, 30]),
    "kernel": (POINTS @ POINTS.T, PowerLawKernelMeans(), [1, 3, 10, 30]),
}
each_problem = pytest.mark.parametrize("name", list(PROBLEMS))


@pytest.fixture(scope="module")
def hierarchy() -> TradeoffPath:
    return tradeoff_path(HIERARCHY, random_state=0)


def test_plateaus_are_the_scales_of_a_hierarchy(hierarchy: TradeoffPath) -> None:
    groups, parts, one = hierarchy.plateaus()
    np.testing.assert_array_equal(groups.labels, GROUP)
    np.testing.assert_array_equal(parts.labels, PART)
    assert (groups.n_clusters, parts.n_clusters, one.n_clusters) == (8, 2, 1)
    assert groups.first == 1
    assert groups.last < parts.first < parts.last < one.first
    assert hierarchy.nested.all()


def test_path_ends_at_a_single_cluster(hierarchy: TradeoffPath) -> None:
    assert hierarchy.n_clusters[-1] == 1 < hierarchy.n_clusters[-2]
    assert (np.diff(hierarchy.n_clusters) <= 0).all()
    np.testing.assert_allclose(hierarchy.tradeoffs, np.geomspace(1, 32, 16)[: len(hierarchy)])


def test_path_ends_at_one_cluster_per_component() -> None:
    apart = np.kron(np.eye(2), HIERARCHY[:40, :40])
    path = tradeoff_path(apart, random_state=0)
    assert path.n_clusters[-1] == 2 < path.n_clusters[-2]


def test_small_components_do_not_lengthen_the_path() -> None:
    search = PathSearch.of(PowerLawCut(), np.kron(np.eye(200), 1 - np.eye(2)), 0)
    pairs = np.repeat(np.arange(200, dtype=LABEL), 2)
    assert search.is_coarsest(pairs)
    assert search.is_coarsest(np.r_[200, pairs[1:]].astype(LABEL))
    assert not search.is_coarsest(np.arange(400, dtype=LABEL))


def test_given_tradeoffs_are_all_fitted() -> None:
    path = tradeoff_path(HIERARCHY, tradeoffs=[1, 20, 40], random_state=0)
    assert path.tradeoffs.tolist() == [1, 20, 40]
    assert path.n_clusters.tolist() == [8, 1, 1]


@pytest.mark.filterwarnings("ignore:No more than one cluster")
@each_problem
def test_no_partition_is_worse_than_that_of_a_plain_fit(name: str) -> None:
    X, estimator, tradeoffs = PROBLEMS[name]
    path = tradeoff_path(X, estimator=estimator, tradeoffs=tradeoffs, random_state=5)
    search = PathSearch.of(estimator, X, 5)
    for tradeoff, labels, objective in zip(tradeoffs, path.labels, path.objectives, strict=True):
        model = clone(estimator).set_params(tradeoff=tradeoff, random_state=5).fit(X)
        own = search.fit(tradeoff)
        np.testing.assert_array_equal(own.labels, model.labels_)
        assert own.objective == pytest.approx(model.objective_)
        if np.array_equal(labels, own.labels):
            continue
        kept = search.fit(tradeoff, labels)  # a converged partition does not change
        assert kept.objective < own.objective
        assert objective == pytest.approx(kept.objective)
    assert path.n_clusters[0] > path.n_clusters[-1]
    assert (np.diff(path.n_clusters) <= 0).all()


@each_problem
def test_result_does_not_depend_on_the_number_of_threads(name: str) -> None:
    X, estimator, tradeoffs = PROBLEMS[name]
    one, two = (
        tradeoff_path(X, estimator=estimator, tradeoffs=tradeoffs, n_jobs=n_jobs, random_state=1)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.labels, two.labels)
    np.testing.assert_array_equal(one.objectives, two.objectives)


def test_fits_computed_ahead_do_not_lengthen_the_path(hierarchy: TradeoffPath) -> None:
    ahead = tradeoff_path(HIERARCHY, n_jobs=3, random_state=0)
    np.testing.assert_array_equal(ahead.labels, hierarchy.labels)


def test_neighbours_are_warm_starts_in_both_directions() -> None:
    """A partition found by a default fit at one tradeoff only spreads to all others."""
    fit = PathSearch.fit

    def fail_except_at_2(self: PathSearch, tradeoff: float, init: Any = None) -> Step:
        one_cluster = np.zeros(len(GROUP), dtype=LABEL)
        if init is None and tradeoff != 2:
            return Step(one_cluster, np.inf, np.nan)
        return fit(self, tradeoff, init)

    with mock.patch.object(PathSearch, "fit", fail_except_at_2):
        estimator = PowerLawCut("modularity", resolution=3.0)
        tradeoffs = [1, 1.5, 2, 2.5, 3]
        path = tradeoff_path(HIERARCHY, estimator=estimator, tradeoffs=tradeoffs, random_state=0)
    np.testing.assert_array_equal(path.labels, np.tile(GROUP, (5, 1)))


def test_estimator_is_used_and_not_changed() -> None:
    estimator = PowerLawCut(tradeoff=7.0, init=GROUP, random_state=3, n_jobs=2, connected=False)
    before = estimator.get_params()
    with mock.patch.object(PowerLawCut, "fit", autospec=True, side_effect=PowerLawCut.fit) as fit:
        tradeoff_path(HIERARCHY, estimator=estimator, tradeoffs=[0.5, 0.7, 1, 2])
    assert estimator.get_params() == before
    assert not hasattr(estimator, "labels_")
    fitted = [call.args[0] for call in fit.call_args_list]
    assert [model.tradeoff for model in fitted] == [0.5, 0.7, 1]
    assert all(model.init is None and model.random_state == 3 for model in fitted)
    assert not any(model.connected for model in fitted)


def test_default_tradeoffs_of_other_scores_are_around_the_estimators_own() -> None:
    estimator = PowerLawKernelMeans(8.0)
    path = tradeoff_path(POINTS @ POINTS.T, estimator=estimator, random_state=0)
    np.testing.assert_allclose(path.tradeoffs, np.geomspace(1, 64, 16)[: len(path)])
    estimated = PowerLawMeans("kmeans", random_state=0)
    path = tradeoff_path(POINTS, estimator=estimated)
    assert path.tradeoffs[0] == pytest.approx(estimated.fit(POINTS).tradeoff_ / 8)
    assert np.isnan(path.description_lengths).all()


def test_random_state_generator_is_drawn_from_once() -> None:
    one, other = (
        tradeoff_path(
            BLOCKS, tradeoffs=[1, 2], n_jobs=n_jobs, random_state=np.random.RandomState(4)
        )
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.labels, other.labels)


def test_only_the_warning_of_a_single_cluster_is_suppressed() -> None:
    fit = PowerLawCut.fit

    def loud(self: PowerLawCut, X: Any) -> PowerLawCut:
        warnings.warn("something else", stacklevel=1)
        return fit(self, X)

    with mock.patch.object(PowerLawCut, "fit", loud), pytest.warns() as caught:
        tradeoff_path(HIERARCHY, tradeoffs=[20], random_state=0)
    assert [str(warning.message) for warning in caught] == ["something else"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tradeoffs": [2, 1]}, r"tradeoffs\[1\] is 1.0 after 2.0"),
        ({"tradeoffs": [1, 1]}, r"must increase"),
        ({"tradeoffs": [0, 1]}, r"tradeoffs\[0\] is 0.0; all must be positive"),
        ({"tradeoffs": [1, np.inf]}, r"tradeoffs\[1\] is inf"),
        ({"tradeoffs": []}, r"shape \(0,\)"),
        ({"tradeoffs": 2.0}, r"shape \(\)"),
        ({"estimator": PowerLawCut("ncut")}, "'ncut' has no default range of tradeoffs"),
        ({"estimator": PowerLawCut("ncut", tradeoff=0.0)}, "which is 0.0; it must be positive"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tradeoff_path(HIERARCHY, **parameters)


@pytest.mark.parametrize("estimator", [PowerLawCut, "likelihood", object()])
def test_other_estimators_are_refused(estimator: Any) -> None:
    with pytest.raises(TypeError, match="must be a PowerLawCut, PowerLawMeans or"):
        tradeoff_path(HIERARCHY, estimator=estimator)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_wrong_input_is_refused_with_the_message_of_the_estimator(n_jobs: int) -> None:
    with pytest.raises(ValueError, match="A graph is a square matrix"):
        tradeoff_path(np.ones((4, 3)), n_jobs=n_jobs)
    with pytest.raises(ValueError, match="A kernel matrix is square"):
        tradeoff_path(
            np.ones((4, 3)), estimator=PowerLawKernelMeans(), tradeoffs=[1, 2], n_jobs=n_jobs
        )


@pytest.mark.parametrize("n", [0, 1, 2])
def test_tiny_graphs_have_a_path(n: int) -> None:
    path = tradeoff_path(Graph(np.ones((n, n)) - np.eye(n)), random_state=0)
    assert path.labels.shape == (len(path), n)
    assert path.n_clusters[-1] == min(n, 1)
    assert len(path.plateaus()) == len(path.nested_labels()) == 1
    assert f"{len(path)} partitions of {n} rows" in repr(path)


def random_path(seed: int) -> TradeoffPath:
    random = np.random.default_rng(seed)
    rows = [
        np.unique(random.integers(k, size=60), return_inverse=True)[1] for k in (20, 9, 9, 4, 2)
    ]
    return TradeoffPath.of([1, 2, 4, 8, 16], rows, [0.0] * 5, [np.nan] * 5)


@pytest.mark.parametrize("seed", range(5))
def test_nested_labels_are_nested(seed: int) -> None:
    path = random_path(seed)
    rows = path.nested_labels()
    assert not path.nested.any()
    assert all(is_nested(*step) for step in pairwise(rows))
    np.testing.assert_array_equal(path.labels[0], rows[0])
    assert all((np.diff(sizes) <= 0).all() for sizes in path.sizes)


def test_nested_labels_do_not_change_a_nested_path(hierarchy: TradeoffPath) -> None:
    np.testing.assert_array_equal(hierarchy.nested_labels(), hierarchy.labels)


def test_clusters_are_merged_by_majority_of_members() -> None:
    fine = np.repeat(np.arange(3, dtype=LABEL), [3, 4, 3])
    coarse = np.array([1, 1, 0, 0, 0, 1, 1, 1, 1, 1], dtype=LABEL)
    # Two of three to 1; two against two to 0, the smaller label; three to 1.
    np.testing.assert_array_equal(coarsened(fine, coarse), [0, 0, 0, 1, 1, 1, 1, 0, 0, 0])


def test_persistence_is_the_logarithmic_length_of_a_plateau() -> None:
    rows = [GROUP, GROUP, PART, PART, PART, 0 * PART]
    path = TradeoffPath.of([1, 2, 4, 8, 16, 64], rows, [0.0] * 6, [0.0] * 6)
    persistence = {one.n_clusters: one.persistence / np.log(2) for one in path.plateaus()}
    assert persistence == pytest.approx({2: 3.5, 8: 2.0, 1: 2.0})
    assert [one.n_clusters for one in path.plateaus()] == [2, 8, 1]


def test_drift_by_small_changes_is_not_a_plateau() -> None:
    rows = [np.where(np.arange(160) < 4 * shift, 7, GROUP) for shift in range(5)]
    path = TradeoffPath.of([1, 2, 4, 8, 16], rows, [0.0] * 5, [0.0] * 5)
    assert (path.agreement >= 0.95).all()
    assert len(path.plateaus()) > 1
    assert len(path.plateaus(agreement=0.8)) == 1
    with pytest.raises(ValueError, match="agreement must be above 0 and at most 1"):
        path.plateaus(agreement=95)


def test_agreement_is_the_adjusted_mutual_information(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    one = random.integers(30, size=5000).astype(LABEL)
    other = np.where(random.random(5000) < 0.7, one // 2, random.integers(15, size=5000))
    other = other.astype(LABEL)
    exact = adjusted_mutual_info_score(one, other)
    assert agreement(one, other) == pytest.approx(exact)
    monkeypatch.setattr(comparison, "EXACT_CHANCE", 0)
    assert agreement(one, other) == pytest.approx(exact, abs=0.005)
    assert agreement(one, random.permutation(one)) == pytest.approx(0, abs=0.01)
    singletons = np.arange(5000, dtype=LABEL)
    assert agreement(singletons, singletons // 2) == pytest.approx(0, abs=0.01)
    assert agreement(singletons, singletons[::-1].copy()) == 1
    assert agreement(one, 0 * one) == 0


def test_table_and_frame_have_the_same_values(hierarchy: TradeoffPath) -> None:
    frame = hierarchy.to_frame()
    lines = repr(hierarchy).splitlines()
    assert str(hierarchy) == repr(hierarchy)
    assert lines[1].split() == ["tradeoff", "clusters", "largest", "nats", "agreement", "nested"]
    assert len(frame) == len(lines) - 2 == len(hierarchy)
    assert len({len(line) for line in lines[1:-1]}) == 1
    np.testing.assert_array_equal(frame.n_clusters, [int(line.split()[1]) for line in lines[2:]])
    np.testing.assert_array_equal(frame.largest, [sizes[0] for sizes in hierarchy.sizes])
    assert frame.agreement.isna().tolist() == [False] * (len(hierarchy) - 1) + [True]
    assert frame.nested[:-1].all()


def test_frame_without_pandas_says_what_to_install(
    hierarchy: TradeoffPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        hierarchy.to_frame()


@pytest.mark.parametrize("score", ["likelihood", "modularity"])
def test_progress_rises_to_the_end(score: str) -> None:
    reports: list[Progress] = []
    with mock.patch.object(ProgressReporter, "interval", 0):
        path = tradeoff_path(
            HIERARCHY,
            estimator=PowerLawCut(score, tradeoff=1.0),
            progress=reports.append,
            random_state=0,
        )
    fractions = [report.fraction for report in reports]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    stages = {report.stage for report in reports}
    assert "tradeoffs" in stages
    assert ("search" in stages) == (score == "likelihood")  # those of the only fit
    assert {report.n_clusters for report in reports} >= set(path.n_clusters)


def test_exception_of_the_callback_ends_the_path() -> None:
    def give_up(_: Progress) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        tradeoff_path(HIERARCHY, estimator=PowerLawCut(progress=give_up), random_state=0)
