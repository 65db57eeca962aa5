"""Constraints of points: the units that are moved, and the kernels that keep conflicts."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from powercut import _core
from powercut._typing import LABEL
from powercut.partition import compact_labels
from powercut.prior import PitmanYor
from powercut.search.conflicts import Conflicts
from powercut.search.constraints import Constraints
from powercut.search.known import Known
from powercut.search.objective import Objective, Regulariser
from powercut.vectors.constraints import PointConstraints
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.multilevel import Multilevel, value_of
from powercut.vectors.points import Points
from powercut.vectors.scores import Gaussian, KMeans, PointsObjective
from strategies import GaussianProblem, PointProblem, gaussian_problems, point_problems

exact = {"rel": 1e-8, "abs": 1e-8}
repeatable = settings(deadline=None, derandomize=True, max_examples=150)
NONE = np.empty((0, 2), dtype=np.intp)
problems = st.one_of(point_problems(grouped=False), gaussian_problems())
Problem = PointProblem | GaussianProblem


def points_of(problem: Problem) -> Points:
    return Points(problem.X, problem.weight)


def drawn_conflicts(n: int, random: np.random.Generator) -> Conflicts:
    apart = random.random(n) < random.choice([0.0, 0.3, 1.0])
    pairs = random.integers(0, n, (int(random.choice([0, n // 2, 2 * n])), 2))
    return Conflicts.of(apart, pairs[pairs[:, 0] != pairs[:, 1]])


def matrix_of(conflicts: Conflicts) -> np.ndarray:
    """Return which pairs must not share a cluster."""
    n = len(conflicts.apart)
    apart = conflicts.apart.astype(bool)
    matrix = apart[:, None] & apart
    matrix[np.repeat(np.arange(n), np.diff(conflicts.indptr)), conflicts.indices] = True
    np.fill_diagonal(matrix, val=False)
    return matrix


def holds(labels: np.ndarray, barred: np.ndarray) -> bool:
    return not (barred & (labels[:, None] == labels)).any()


def drawn_constraints(n: int, random: np.random.Generator) -> tuple[Constraints, np.ndarray]:
    """Draw constraints that some partition keeps, and return both."""
    truth = random.integers(0, random.integers(1, n + 1), n)
    pairs = random.integers(0, n, (int(random.integers(0, 2 * n)), 2))
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    fixed = np.where(random.random(n) < random.choice([0.0, 0.3, 0.8]), truth, -1)
    known = Known(None if (fixed < 0).all() else fixed, pairs[same][:3], pairs[~same])
    return Constraints.of(n, known), truth


def keeps(labels: np.ndarray, made: PointConstraints) -> bool:
    units = made.contract(labels)
    if not np.array_equal(made.expand(units), labels):
        return False
    return made.conflicts is None or holds(units, matrix_of(made.conflicts))


@given(problems, st.integers(0, 2**32))
@repeatable
def test_moves_keep_conflicts_and_end_where_no_other_move_lowers_j(
    problem: Problem, seed: int
) -> None:
    random = np.random.default_rng(seed)
    conflicts = drawn_conflicts(len(problem.X), random)
    barred = matrix_of(conflicts)
    start = conflicts.resolve(problem.labels)
    assert holds(start, barred)
    labels = start.copy()
    score, prior = problem.objective.score, problem.regulariser.native
    gain, n_moves, _ = score.moves(
        points_of(problem), labels, len(labels), prior, seed, None, conflicts=conflicts
    )
    assert holds(labels, barred)
    assert (gain < 0) == (n_moves > 0)
    end = problem.j(labels)
    assert end - problem.j(start) == pytest.approx(gain, **exact)
    for i in range(len(labels)):
        for target in [*np.unique(labels).tolist(), int(labels.max()) + 1]:
            other = reference.moved(labels, i, target)
            if holds(other, barred):
                assert problem.j(other) >= end - 1e-8 * (1 + abs(end))


@given(problems, st.integers(0, 2**32))
@repeatable
def test_units_have_j_of_their_points(problem: Problem, seed: int) -> None:
    random = np.random.default_rng(seed)
    points, n = points_of(problem), len(problem.X)
    constraints, _ = drawn_constraints(n, random)
    made = PointConstraints.of(points, constraints, problem.objective.score.scatter)
    labels = made.keep(problem.labels)
    assert keeps(labels, made)
    units = compact_labels(made.contract(labels))[0]
    ours = value_of(made.units, units, problem.objective)
    assert ours == pytest.approx(problem.j(labels), **exact)
    several = np.bincount(made.unit_of) > 1
    assert not np.any(np.diff(several.astype(int)) > 0)  # those of several points come first
    if several.any():
        assert made.units.scatter is not None
        assert len(made.units.scatter) == several.sum()
    else:
        assert made.units is points


@given(problems, st.integers(0, 2**32))
@repeatable
def test_search_keeps_constraints_and_never_raises_j(problem: Problem, seed: int) -> None:
    random = np.random.default_rng(seed)
    points, n = points_of(problem), len(problem.X)
    constraints, _ = drawn_constraints(n, random)
    made = PointConstraints.of(points, constraints, problem.objective.score.scatter)
    for start in (made.keep(problem.labels), made.coarsest()):
        assert keeps(start, made)
        search = Multilevel(points, problem.objective, random=random, constraints=made)
        labels = search.improve(start)
        assert keeps(labels, made)
        path = np.asarray(search.path)
        assert path[0] == pytest.approx(problem.j(start), **exact)
        assert path[-1] == pytest.approx(problem.j(labels), **exact)
        assert (np.diff(path) <= 1e-9 * (1 + np.abs(path[1:]))).all()
        # No unit that may move has a better place.
        units = made.contract(labels)
        for unit in np.flatnonzero(~made.pinned):
            for target in [*np.unique(units).tolist(), int(units.max()) + 1]:
                other = made.expand(reference.moved(units, int(unit), target))
                if keeps(other, made):
                    assert problem.j(other) >= path[-1] - 1e-8 * (1 + abs(path[-1]))


def objectives(d: int) -> dict[str, PointsObjective]:
    regulariser = Regulariser(PitmanYor(2.0, 0.2), 1.0)
    made: dict[str, PointsObjective] = {"kmeans": Objective(KMeans(d), regulariser)}
    for name, form in COVARIANCES.items():
        scale = {"diagonal": np.ones(d), "spherical": np.ones(1), "full": np.eye(d).ravel()}[name]
        score = Gaussian(form(d), np.zeros(d), 0.1, form(d).least_shape + 1.0, scale)
        made[name] = Objective(score, regulariser)
    return made


SCORES = pytest.mark.parametrize("name", sorted(objectives(2)))


def large_problem(name: str) -> tuple[PointConstraints, PointsObjective, np.ndarray]:
    random = np.random.default_rng(0)
    centres = 4 * random.normal(size=(30, 6))
    truth = random.integers(0, 30, 3000)
    objective = objectives(6)[name]
    points = Points(centres[truth] + random.normal(size=(3000, 6)))
    pairs = random.integers(0, 3000, (3000, 2))
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    fixed = np.where(random.random(3000) < 0.02, truth, -1)
    known = Known(fixed, pairs[same], pairs[~same])
    made = PointConstraints.of(points, Constraints.of(3000, known), objective.score.scatter)
    return made, objective, random.integers(0, 60, 3000).astype(LABEL)


def moved(made: PointConstraints, objective: PointsObjective, units: Points, start: Any) -> Any:
    labels = start.copy()
    prior = objective.regulariser.native
    objective.score.moves(
        units, labels, len(labels), prior, 3, None, visited=made.movable(), conflicts=made.conflicts
    )
    return labels


@SCORES
def test_bounds_of_single_points_change_no_move(name: str) -> None:
    made, objective, start = large_problem(name)
    start = compact_labels(made.contract(made.keep(start)))[0]
    units = made.units
    assert units.scatter is not None
    # With scatter, a point counts as a group, for which there are no bounds.
    zeros = np.zeros((units.n - len(units.scatter), units.scatter.shape[1]))
    as_groups = replace(units, scatter=np.concatenate([units.scatter, zeros]))
    labels = moved(made, objective, units, start)
    assert (labels != start).mean() > 0.3
    np.testing.assert_array_equal(labels, moved(made, objective, as_groups, start))


@SCORES
@pytest.mark.parametrize("n_threads", [2, 8])
def test_moves_do_not_depend_on_threads(name: str, n_threads: int) -> None:
    made, objective, start = large_problem(name)
    start = compact_labels(made.contract(made.keep(start)))[0]
    labels = moved(made, objective, made.units, start)
    assert keeps(made.expand(labels), made)
    np.testing.assert_array_equal(labels[made.pinned], start[made.pinned])
    threaded = replace(made.units, n_threads=n_threads)
    np.testing.assert_array_equal(labels, moved(made, objective, threaded, start))


def made_from(n: int, **given: Any) -> PointConstraints:
    known = {"fixed": None, "must_link": NONE, "cannot_link": NONE}
    known |= {name: np.asarray(value) for name, value in given.items()}
    points = Points(np.arange(float(n))[:, None])
    return PointConstraints.of(points, Constraints.of(n, Known(**known)), "total")


def test_points_that_must_link_go_where_most_of_them_are() -> None:
    made = made_from(7, must_link=[[0, 1], [1, 2]])
    labels = np.array([0, 1, 1, 0, 0, 1, 2], dtype=LABEL)
    kept = made.keep(labels)
    assert kept[0] == kept[1] == kept[2] == kept[5] != kept[3]


def test_coarsest_partition_has_a_cluster_around_each_label() -> None:
    made = made_from(6, fixed=[4, -1, -1, -1, -1, 9], cannot_link=[[0, 1]])
    labels = made.coarsest()
    assert labels[0] == labels[2] != labels[1]
    assert labels[3] == labels[4] == labels[5] != labels[0]
    assert made_from(4, must_link=[[0, 1]]).coarsest().tolist() == [0, 0, 0, 0]


def test_some_points_keep_what_follows_for_them() -> None:
    made = made_from(
        6, fixed=[4, -1, -1, -1, -1, 9], must_link=[[1, 2], [2, 3]], cannot_link=[[2, 4]]
    )
    some = made.some(np.array([0, 1, 3, 4]))
    assert some.unit_of.tolist() == [1, 0, 0, 2]  # 1 and 3 are linked through 2
    assert some.pinned.tolist() == [False, True, False]
    assert some.conflicts is not None
    expected = np.zeros((3, 3), dtype=bool)
    expected[0, 2] = expected[2, 0] = True
    np.testing.assert_array_equal(matrix_of(some.conflicts), expected)


def test_labels_of_a_sample_are_those_of_pinned_units() -> None:
    made = made_from(6, fixed=[4, -1, -1, -1, 4, 9])
    labels = made.follow(np.zeros(6, LABEL), np.array([0, 2, 5]), np.array([7, 8, 9], LABEL))
    assert labels.tolist() == [7, 0, 0, 0, 7, 9]


def test_clusters_need_the_scatter_of_all() -> None:
    score = objectives(2)["diagonal"].score
    clusters = Points(np.zeros((3, 2)), np.ones(3), np.ones(3, np.int64), np.ones((2, 2)))
    with pytest.raises(ValueError, match="clusters must have scatter"):
        _core.gaussian_costs(clusters.native, score.native)
    with pytest.raises(ValueError, match="scatter has no more rows"):
        _core.gaussian_costs(replace(clusters, scatter=np.ones((4, 2))).native, score.native)


def test_points_of_the_highest_rank_tell_where_units_go() -> None:
    fixed = np.array([7, 9, 9, -1, -1, -1, -1, -1, -1])
    links = np.array([[4, 5], [5, 6]])
    known = Known(fixed, links, np.empty((0, 2), dtype=np.intp))
    points = Points(np.arange(9.0)[:, None])
    made = PointConstraints.of(points, Constraints.of(9, known), "total")
    labels = np.array([0, 0, 0, 0, 1, 2, 2, 1, 2], dtype=LABEL)
    # Most points decide, and the first of two pinned units stays.
    kept = made.keep(labels)
    assert kept[1] == kept[2] == kept[3] != kept[0]
    assert kept[4] == kept[5] == kept[6] == kept[8] != kept[7]
    kept = made.keep(labels, np.array([2, 1, 1, 1, 1, 0, 0, 1, 1], dtype=LABEL))
    assert kept[1] == kept[2] != kept[0] == kept[3]
    assert kept[4] == kept[5] == kept[6] == kept[7] != kept[8]
