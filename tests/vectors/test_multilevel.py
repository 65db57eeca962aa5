"""The kernels of vectors against the reference implementation in reference.py."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from powercut import _core
from powercut._typing import LABEL
from powercut.partition import compact_labels
from powercut.prior import PitmanYor
from powercut.search.objective import Regulariser
from powercut.search.seeding import seed_clusters, seed_starts
from powercut.vectors.multilevel import Multilevel, halve, value_of
from powercut.vectors.points import LARGE, Points, centred
from powercut.vectors.sampling import draw_sample, nearest_means
from powercut.vectors.starts import search_points
from strategies import PointProblem, point_problems

FORMS = ("none", "total", "features", "matrix")
exact = {"rel": 1e-9, "abs": 1e-9}
repeatable = settings(deadline=None, derandomize=True, max_examples=150)


def moves(problem: PointProblem, X: np.ndarray, seed: int) -> tuple[np.ndarray, float, int]:
    labels = problem.labels.copy()
    k = int(labels.max()) + 1
    prior = problem.regulariser.native
    points = (X, problem.weight, problem.count, None)
    gain, n_moves, _ = _core.kmeans_moves(
        points, labels, k, prior, 0.0, 1, seed, None, None, None, 0.0, None
    )
    return labels, gain, n_moves


@given(point_problems(), st.integers(0, 100))
@repeatable
def test_gain_is_the_difference_of_two_objectives(problem: PointProblem, seed: int) -> None:
    labels, gain, n_moves = moves(problem, problem.X, seed)
    assert gain <= 0
    assert (gain < 0) == (n_moves > 0)
    assert problem.j(labels) - problem.j(problem.labels) == pytest.approx(gain, **exact)


@given(point_problems(), st.integers(0, 100))
@repeatable
def test_moves_end_where_no_move_lowers_j(problem: PointProblem, seed: int) -> None:
    labels, _, _ = moves(problem, problem.X, seed)
    end = problem.j(labels)
    for i in range(len(labels)):
        for target in [*np.unique(labels).tolist(), int(labels.max()) + 1]:
            assert problem.j(reference.moved(labels, i, target)) >= end - 1e-9 * (1 + abs(end))


@given(point_problems(), st.integers(0, 100))
@repeatable
def test_single_and_double_precision_give_the_same_moves(problem: PointProblem, seed: int) -> None:
    single = problem.X.astype(np.float32)
    labels, gain, _ = moves(problem, single, seed)
    same, same_gain, _ = moves(problem, single.astype(np.float64), seed)
    np.testing.assert_array_equal(labels, same)
    assert gain == same_gain


@given(point_problems(grouped=False), st.integers(0, 100))
@repeatable
def test_the_gain_of_a_group_is_that_of_its_points_together(
    problem: PointProblem, seed: int
) -> None:
    groups, n_groups = compact_labels(problem.labels)
    coarse = Points(problem.X, problem.weight).aggregate(groups, n_groups)
    labels = np.arange(n_groups, dtype=LABEL)
    gain, _, _ = _core.kmeans_moves(
        coarse.native,
        labels,
        n_groups,
        problem.regulariser.native,
        0.0,
        1,
        seed,
        None,
        None,
        None,
        0.0,
        None,
    )
    assert problem.j(labels[groups]) - problem.j(groups) == pytest.approx(gain, **exact)


@given(point_problems())
@repeatable
def test_groups_have_the_sums_of_their_points(problem: PointProblem) -> None:
    labels, k = compact_labels(problem.labels)
    points = Points(problem.X, problem.weight, problem.count)
    means, weight, count, scatter = reference.point_groups(
        problem.X, problem.weight, problem.count, labels
    )
    groups = {form: points.aggregate(labels, k, form) for form in FORMS}
    for group in groups.values():
        np.testing.assert_allclose(group.values, means, atol=1e-9)
        np.testing.assert_allclose(group.weights, weight, atol=1e-9)
        np.testing.assert_array_equal(group.counts, count)
    assert groups["none"].scatter is None
    diagonal = np.diagonal(scatter, axis1=1, axis2=2)
    np.testing.assert_allclose(groups["matrix"].scatter, scatter.reshape(k, -1), atol=1e-8)
    np.testing.assert_allclose(groups["features"].scatter, diagonal, atol=1e-8)
    np.testing.assert_allclose(groups["total"].scatter[:, 0], diagonal.sum(axis=1), atol=1e-8)


@pytest.mark.parametrize("form", ["diagonal", ""])
def test_unknown_kinds_of_scatter_are_refused(form: str) -> None:
    with pytest.raises(ValueError, match="squares must be"):
        Points(np.zeros((2, 1))).aggregate(np.zeros(2, LABEL), 1, form)


@given(point_problems(grouped=False))
@repeatable
def test_objective_equals_the_reference(problem: PointProblem) -> None:
    labels, _ = compact_labels(problem.labels)
    points = Points(problem.X, problem.weight)
    ours = value_of(points, labels, problem.objective)
    assert ours == pytest.approx(problem.j(labels), **exact)


@given(point_problems(grouped=False), st.integers(0, 100))
@repeatable
def test_search_lowers_j_at_every_step(problem: PointProblem, seed: int) -> None:
    points = Points(problem.X, problem.weight)
    random = np.random.default_rng(seed)
    search = Multilevel(points, problem.objective, random=random)
    labels = search.improve(problem.labels)
    assert search.path[0] == pytest.approx(problem.j(problem.labels), **exact)
    assert search.path[-1] == pytest.approx(problem.j(labels), **exact)
    assert np.diff(search.path).max(initial=0) <= 1e-12 * np.abs(search.path).max()


def test_moves_of_halves_split_a_cluster_that_moves_of_points_cannot() -> None:
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(-3, 1, (60, 4)), random.normal(3, 1, (60, 4))])
    problem = PointProblem(
        X, np.ones(120), np.ones(120, np.int64), np.zeros(120, LABEL), PitmanYor(1.0, 0.0), 20.0
    )
    labels, _, n_moves = moves(problem, X, 0)
    assert n_moves == 0  # no move of a single point lowers J
    search = Multilevel(Points(X), problem.objective, random=np.random.default_rng(0))
    labels = search.improve(problem.labels)
    np.testing.assert_array_equal(labels[:60], labels[0])
    np.testing.assert_array_equal(labels[60:], labels[60])
    assert labels[0] != labels[60]


def test_each_number_of_seeds_is_drawn_n_init_times() -> None:
    points = Points(np.random.default_rng(0).normal(size=(256, 2)))
    starts = seed_starts(points.squared_distances, points.weights, 3)
    token = _core.CancellationToken()
    found = [len(set(start(np.random.default_rng(0), token))) for start in starts]
    assert found == [4, 16, 64] * 3
    few = seed_starts(points.squared_distances, points.weights, 1, most=10)
    found = [len(set(start(np.random.default_rng(0), _core.CancellationToken()))) for start in few]
    assert found == [4, 10]


def test_points_far_from_zero_are_centred() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    assert centred(X) is X
    far = X + np.array([0.0, 1e9])
    np.testing.assert_allclose(centred(far).mean(axis=0), 0, atol=1e-6)
    near, away = (
        search_points(
            Points(centred(values)),
            Regulariser(PitmanYor(1.0, 0.0), 1.0),
            random=np.random.default_rng(0),
        )
        for values in (X, far)
    )
    assert away.objective == pytest.approx(near.objective, rel=1e-3)


@given(point_problems(), st.integers(0, 100))
@repeatable
def test_each_half_is_inside_one_cluster(problem: PointProblem, seed: int) -> None:
    k = int(problem.labels.max()) + 1
    points = Points(problem.X, problem.weight, problem.count)
    halves, n_halves = halve(points, problem.labels, k, np.random.default_rng(seed))
    parents = {(int(h), int(c)) for h, c in zip(halves, problem.labels, strict=True)}
    assert len(parents) == n_halves  # every half has one parent
    sizes = np.bincount(problem.labels)
    assert (
        n_halves == np.minimum(sizes, 2).sum()
    )  # points are distinct, so two seeds are found in each cluster


@given(point_problems(), st.integers(0, 100))
@repeatable
def test_steps_of_2_means_only_tighten_the_halves(problem: PointProblem, seed: int) -> None:
    points = Points(problem.X, problem.weight, problem.count)
    k = int(problem.labels.max()) + 1

    def within(steps: int) -> float:
        with mock.patch("powercut.vectors.multilevel.HALF_STEPS", steps):
            halves, n_halves = halve(points, problem.labels, k, np.random.default_rng(seed))
        return float(points.aggregate(halves, n_halves, "total").scatter.sum())

    none, one, two = map(within, range(3))
    assert one <= none * (1 + 1e-9) + 1e-9
    assert two <= one * (1 + 1e-9) + 1e-9


def test_halves_of_two_clumps_are_the_clumps() -> None:
    random = np.random.default_rng(0)
    clump = np.repeat([0, 1], [80, 20])
    points = Points(random.uniform(size=(100, 2)) + 3 * clump[:, None])
    for seed in range(20):
        halves, n_halves = halve(points, np.zeros(100, LABEL), 1, np.random.default_rng(seed))
        assert n_halves == 2
        assert len({*zip(halves.tolist(), clump.tolist(), strict=True)}) == 2


def test_rough_distances_are_close_to_distances() -> None:
    points = Points(np.random.default_rng(0).normal(size=(50, 3)))
    np.testing.assert_allclose(points.rough_distances()(7), points.squared_distances(7), atol=1e-12)


def test_a_sample_keeps_the_weights_of_its_points() -> None:
    X = np.arange(300.0)[:, None]
    points = Points(X, 1 + X[:, 0], n_threads=2)
    with mock.patch("powercut.vectors.points.LARGE", 100):
        sample = draw_sample(points, np.random.default_rng(0)).points
    assert sample.n == 100 == len(np.unique(sample.values))
    assert sample.n_threads == 2
    np.testing.assert_array_equal(sample.weights, 1 + sample.values[:, 0])


def test_points_get_the_nearest_mean() -> None:
    points = Points(np.array([[0.0], [9.0], [1.0], [10.0]], dtype=np.float32))
    labels = nearest_means(points, np.array([[8.0], [50.0], [0.0]]))
    np.testing.assert_array_equal(labels, [2, 0, 2, 0])


def test_only_a_large_set_uses_several_threads() -> None:
    assert Points.finest(np.zeros((10, 1)), n_threads=4).n_threads == 1
    assert Points.finest(np.zeros((LARGE + 1, 1)), n_threads=4).n_threads == 4


@pytest.mark.parametrize("k", [1, 3, 7])
def test_seeds_are_drawn_until_there_are_k(k: int) -> None:
    X = np.repeat(np.arange(7.0), 3)[:, None]
    points = Points(X)
    labels = seed_clusters(points.squared_distances, points.weights, k, np.random.default_rng(0))
    assert labels.max() + 1 == k
    assert len(np.unique(X[:, 0] * 100 + labels)) == 7  # equal points share a cluster


def test_fewer_seeds_are_drawn_where_points_coincide() -> None:
    points = Points(np.zeros((5, 2)))
    labels = seed_clusters(points.squared_distances, points.weights, 3, np.random.default_rng(0))
    np.testing.assert_array_equal(labels, 0)
