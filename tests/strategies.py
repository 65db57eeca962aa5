"""Random small problems for the property tests."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import reference
from powercut import _core
from powercut._typing import LABEL
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.scores import (
    CPM,
    Bernoulli,
    GraphScore,
    Likelihood,
    Modularity,
    NCut,
    RAssoc,
    RCut,
)
from powercut.prior import PitmanYor
from powercut.search.objective import Objective, Regulariser
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.scores import Gaussian, KMeans


@dataclass
class Problem:
    """A small graph whose nodes have weights and counts, a partition of it, and J."""

    A: np.ndarray
    volume: np.ndarray
    weight: np.ndarray
    count: np.ndarray
    labels: np.ndarray
    score: GraphScore
    prior: PitmanYor
    tradeoff: float
    alone: float = 0.0

    @property
    def level(self) -> Level:
        graph = Graph(self.A)
        return Level(graph.arrays, (self.volume, self.weight, self.count))

    @property
    def objective(self) -> Objective:
        return Objective(self.score, Regulariser(self.prior, self.tradeoff, self.alone))

    @property
    def constant(self) -> float:
        return self.objective.regulariser.constant(int(self.count.sum()))

    def j(self, labels: np.ndarray) -> float:
        return reference.graph_objective(
            self.A,
            self.volume,
            self.weight,
            self.count,
            labels,
            self.score,
            self.prior,
            self.tradeoff,
            self.alone,
        )

    def propose(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        level = self.level
        stats = level.cluster_stats(labels)
        return best_moves(level, labels, stats.arrays, self.objective)


def best_moves(
    level: Level, labels: np.ndarray, stats: Any, objective: Objective
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best target of each node, and the change of J by this move; 0 if it stays."""
    n = len(labels)
    batch = np.arange(n, dtype=LABEL)
    nodes, targets, *_ = _core.propose_moves(
        level.graph, level.nodes, labels, stats, objective.native, batch, 0, n
    )
    target, delta = labels.copy(), np.zeros(n)
    target[nodes] = np.where(targets < 0, len(stats[3]), targets)
    delta[nodes] = level.margins(labels, objective)[nodes]
    return target, delta


@st.composite
def priors(draw: st.DrawFn) -> PitmanYor:
    discount = draw(st.sampled_from([0.0, 0.2, 0.5, 0.9]))
    return PitmanYor(draw(st.floats(-0.9 * discount + 0.01, 20)), discount)


@st.composite
def compact(draw: st.DrawFn, n: int) -> np.ndarray:
    labels = draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
    return np.unique(labels, return_inverse=True)[1].astype(LABEL)


@st.composite
def problems(draw: st.DrawFn, max_nodes: int = 9) -> Problem:
    n = draw(st.integers(1, max_nodes))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    density = draw(st.sampled_from([0.2, 0.5, 1.0]))
    upper = np.triu(random.uniform(0.1, 3.0, (n, n)) * (random.random((n, n)) < density))
    A = upper + np.triu(upper, 1).T
    total = float(A.sum()) or 1.0
    shift = draw(st.sampled_from([-0.5, -0.1, 0.0, 0.7]))
    resolution = draw(st.sampled_from([0.1, 1.0, 3.0]))
    score = draw(
        st.sampled_from(
            [
                NCut(shift),
                RCut(shift),
                RAssoc(shift),
                Modularity(resolution, total),
                CPM(resolution),
                Likelihood(0.3 / total, True, False, 1.0),
                Likelihood(0.3 * total / n**2, False, False, 2.5),
                Likelihood(0.3 * total / n**2, False, True, 2.5),
                Bernoulli(0.3),
            ]
        )
    )
    if isinstance(score, Bernoulli):
        A = (A > 0) * (1.0 - np.eye(n))
    return Problem(
        A,
        A.sum(axis=1),
        random.uniform(0.5, 2.0, n),
        random.integers(1, draw(st.sampled_from([2, 6])), n),
        draw(compact(n)),
        score,
        draw(priors()),
        draw(st.sampled_from([0.0, 1e-3, 0.3, 2.0])),
        draw(st.sampled_from([0.0, 3.0])),
    )


@dataclass
class PointProblem:
    """A few points with weights and counts, a partition of them, and J."""

    X: np.ndarray
    weight: np.ndarray
    count: np.ndarray
    labels: np.ndarray
    prior: PitmanYor
    tradeoff: float

    @property
    def regulariser(self) -> Regulariser:
        return Regulariser(self.prior, self.tradeoff)

    @property
    def objective(self) -> Objective:
        return Objective(KMeans(self.X.shape[1]), self.regulariser)

    def j(self, labels: np.ndarray) -> float:
        return reference.kmeans_objective(
            self.X, self.weight, self.count, labels, self.prior, self.tradeoff
        )


@st.composite
def point_problems(draw: st.DrawFn, *, grouped: bool = True) -> PointProblem:
    n, d = draw(st.integers(1, 10)), draw(st.integers(1, 6))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = random.normal(0, 1, (n, d)) + random.integers(0, 3, (n, 1))
    return PointProblem(
        X,
        random.uniform(0.5, 2.0, n),
        random.integers(1, 5, n) if grouped else np.ones(n, np.int64),
        draw(compact(n)),
        draw(priors()),
        draw(st.sampled_from([0.0, 1e-2, 0.3, 2.0])),
    )


@dataclass
class GaussianProblem:
    """A few points with weights, a partition of them, and J of Gaussian clusters."""

    X: np.ndarray
    weight: np.ndarray
    labels: np.ndarray
    score: Gaussian
    regulariser: Regulariser

    @property
    def objective(self) -> Objective:
        return Objective(self.score, self.regulariser)

    def j(self, labels: np.ndarray) -> float:
        prior, tradeoff = self.regulariser.prior, self.regulariser.tradeoff
        return reference.gaussian_objective(
            self.X, self.weight, labels, self.score.native, prior, tradeoff
        )


@st.composite
def gaussian_problems(draw: st.DrawFn) -> GaussianProblem:
    n, d = draw(st.integers(1, 10)), draw(st.integers(1, 10))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    covariance = COVARIANCES[draw(st.sampled_from(sorted(COVARIANCES)))](d)
    half = random.normal(0, 1, (d + 2, d))
    scale = {"diagonal": (half**2).sum(0), "spherical": np.ones(1), "full": (half.T @ half).ravel()}
    score = Gaussian(
        covariance,
        random.normal(0, 1, d),
        draw(st.sampled_from([0.01, 0.5, 30.0])),
        covariance.least_shape + draw(st.sampled_from([0.0, 1.0, 100.0])),
        scale[covariance.name] * draw(st.sampled_from([0.1, 1.0])),
    )
    integer = draw(st.booleans())
    return GaussianProblem(
        random.normal(0, 1, (n, d)) + 4 * random.integers(0, 3, (n, 1)),
        random.integers(1, 5, n).astype(float) if integer else random.uniform(0.5, 2.0, n),
        draw(compact(n)),
        score,
        Regulariser(draw(priors()), draw(st.sampled_from([0.0, 0.3, 1.0, 5.0]))),
    )
