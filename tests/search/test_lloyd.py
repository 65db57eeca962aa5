"""Algorithm 1 of the paper: native kernels against a line-by-line implementation."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reference
from powercut.graphs.graph import Graph
from powercut.graphs.kernel import lloyd_kernel
from powercut.graphs.lloyd import lloyd_graph
from powercut.graphs.scores import Modularity, NCut, RAssoc, RCut
from powercut.prior import PitmanYor
from powercut.search.objective import Objective, Regulariser
from powercut.vectors.lloyd import lloyd_points
from powercut.vectors.multilevel import Points
from strategies import PointProblem, Problem, point_problems, problems

exact = {"rel": 1e-9, "abs": 1e-9}
repeatable = settings(deadline=None, derandomize=True, max_examples=100)
MAX_ITER = 30


@given(point_problems(grouped=False), st.booleans())
@repeatable
def test_vectors_follow_the_papers_listing(problem: PointProblem, from_one: bool) -> None:
    start = np.zeros_like(problem.labels) if from_one else problem.labels
    found = lloyd_points(
        Points(problem.X, problem.weight), problem.regulariser, labels=start, max_iter=MAX_ITER
    )
    expected, _ = reference.lloyd(
        problem.X @ problem.X.T, problem.weight, start, problem.prior, problem.tradeoff, MAX_ITER
    )
    np.testing.assert_array_equal(found.labels, expected)
    assert found.objective == pytest.approx(problem.j(found.labels), **exact)
    assert found.path[0] == pytest.approx(problem.j(start), **exact)


@given(point_problems(grouped=False))
@repeatable
def test_kernel_matrix_follows_the_papers_listing(problem: PointProblem) -> None:
    K = np.exp(-((problem.X[:, None] - problem.X) ** 2).sum(axis=-1))
    found = lloyd_kernel(
        K, problem.regulariser, weight=problem.weight, labels=problem.labels, max_iter=MAX_ITER
    )
    expected, _ = reference.lloyd(
        K, problem.weight, problem.labels, problem.prior, problem.tradeoff, MAX_ITER
    )
    np.testing.assert_array_equal(found.labels, expected)
    j = reference.kernel_objective(K, problem.weight, found.labels, problem.prior, problem.tradeoff)
    assert found.objective == pytest.approx(j, **exact)


def kernel_of(score: NCut | RCut | RAssoc, A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return K and the weights of each score, as the paper and Dhillon et al. define them."""
    degrees = A.sum(axis=1)
    if isinstance(score, NCut):
        inverse = np.diag(1 / degrees)
        return score.shift * inverse + inverse @ A @ inverse, degrees
    if isinstance(score, RCut):
        return score.shift * np.eye(len(A)) - (np.diag(degrees) - A), np.ones(len(A))
    return score.shift * np.eye(len(A)) + A, np.ones(len(A))


@given(problems(), st.sampled_from([NCut, RCut, RAssoc]), st.sampled_from([-0.1, 0.0, 0.7]))
@repeatable
def test_graph_passes_agree_with_those_of_the_explicit_kernel(
    problem: Problem, score: type[NCut] | type[RCut] | type[RAssoc], shift: float
) -> None:
    n = len(problem.labels)
    A = problem.A + 0.05 * (np.ones((n, n)) - np.eye(n))  # no node is isolated
    if n == 1:
        return
    objective = Objective(score(shift), Regulariser(problem.prior, problem.tradeoff))
    found = lloyd_graph(Graph(A), objective, labels=problem.labels, max_iter=MAX_ITER)
    K, weight = kernel_of(score(shift), A)
    expected, closest = reference.lloyd(
        K, weight, problem.labels, problem.prior, problem.tradeoff, MAX_ITER
    )
    # Equal choices, such as staying and a new cluster at tradeoff 0, are decided by rounding.
    assume(closest > 1e-9)
    np.testing.assert_array_equal(found.labels, expected)

    # The score and the kernel's k-means differ by a constant, the same for all partitions.
    def gap(labels: np.ndarray) -> float:
        kernel = reference.kernel_objective(K, weight, labels, problem.prior, problem.tradeoff)
        ones = np.ones(n, dtype=np.int64)
        return kernel - reference.graph_objective(
            A, A.sum(axis=1), ones, ones, labels, score(shift), problem.prior, problem.tradeoff
        )

    assert gap(found.labels) == pytest.approx(gap(problem.labels), **exact)
    assert gap(found.labels) == pytest.approx(float(weight @ np.diag(K)), **exact)


@given(point_problems(grouped=False))
@repeatable
def test_objective_never_rises_in_vector_space(problem: PointProblem) -> None:
    found = lloyd_points(Points(problem.X, problem.weight), problem.regulariser, max_iter=MAX_ITER)
    assert np.diff(found.path).max(initial=0) <= 1e-12 * np.abs(found.path).max()
    assert found.path[-1] == pytest.approx(problem.j(found.labels), **exact)


def test_isolated_nodes_are_singletons() -> None:
    A = np.zeros((6, 6))
    A[:3, :3] = 1.0
    np.fill_diagonal(A, 0)
    A[4, 4] = 2.0  # a self-loop is not a neighbour
    for score in (NCut(0.0), RCut(0.0), RAssoc(0.0)):
        objective = Objective(score, Regulariser(PitmanYor(1.0, 0.0), 10.0))
        labels = lloyd_graph(Graph(A), objective, max_iter=MAX_ITER).labels
        assert len(set(labels[:3])) == 1
        assert len(set(labels[2:])) == 4


def test_scores_without_a_kernel_are_rejected() -> None:
    objective = Objective(Modularity(1.0, 2.0), Regulariser(PitmanYor(1.0, 0.0), 1.0))
    with pytest.raises(ValueError, match="score='modularity' has none"):
        lloyd_graph(Graph(np.ones((2, 2))), objective, max_iter=1)


def test_passes_end_at_max_iter() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    regulariser = Regulariser(PitmanYor(1.0, 0.0), 0.3)
    full = lloyd_points(Points(X), regulariser, max_iter=100)
    short = lloyd_points(Points(X), regulariser, max_iter=1)
    assert len(short.path) == 2 < len(full.path) <= 100
    assert short.objective > full.objective
