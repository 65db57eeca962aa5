"""Margins of nodes, and evidence for clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.metrics import adjusted_rand_score

from powercut import PowerLawCut
from powercut._typing import LABEL
from powercut.datasets import make_paper_graph
from powercut.estimators.confidence import (
    cluster_evidence,
    node_margins,
    point_cluster_evidence,
)
from powercut.search.objective import j_per_nat
from powercut.vectors.points import Points
from strategies import GaussianProblem, Problem, gaussian_problems, problems

repeatable = settings(deadline=None, derandomize=True, max_examples=100)


@given(problems())
@repeatable
def test_a_margin_is_the_rise_of_j_at_the_best_other_move(problem: Problem) -> None:
    labels, k = problem.labels, int(problem.labels.max()) + 1
    margins = node_margins(problem.level, labels, problem.objective)
    for i in range(len(labels)):
        targets = set(labels[np.flatnonzero(problem.A[i])]) | {k}
        targets -= {labels[i]} | ({k} if np.sum(labels == labels[i]) == 1 else set())
        at_i = np.arange(len(labels)) == i
        rises = [problem.j(np.where(at_i, c, labels).astype(LABEL)) for c in targets]
        expected = (min(rises, default=np.inf) - problem.j(labels)) / (problem.tradeoff or 1.0)
        assert margins[i] == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(problems())
@repeatable
def test_evidence_is_the_rise_of_j_at_the_best_merge(problem: Problem) -> None:
    labels, k = problem.labels, int(problem.labels.max()) + 1
    evidence = cluster_evidence(problem.level, labels, problem.objective)
    member = np.eye(k)[labels]
    between = member.T @ problem.A @ member
    sizes = problem.count @ member
    for c in range(k):
        others = [o for o in range(k) if o != c and between[c, o] > 0]
        if not others and k > 1:
            apart = [o for o in range(k) if o != c]
            others = [max(apart, key=lambda o: (sizes[o], -o))]
        rises = [problem.j(np.where(labels == c, o, labels).astype(LABEL)) for o in others]
        expected = (min(rises, default=np.inf) - problem.j(labels)) / (problem.tradeoff or 1.0)
        assert evidence[c] == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_probabilities_follow_from_margins() -> None:
    graph, _ = make_paper_graph(300, n_clusters=(4, 8), random_state=1)
    model = PowerLawCut(random_state=0).fit(graph)
    # The odds of the best two clusters; margins also consider a new cluster.
    best = np.sort(model.predict_proba(graph), axis=1)[:, :-3:-1]
    positive = best[:, 1] > 0
    assert positive.any()
    odds = best[positive, 0] / best[positive, 1]
    assert np.all(model.margins_[positive] <= np.log(odds) + 1e-6)
    assert model.margins_.shape == (300,)
    assert model.cluster_evidence_.shape == (model.n_clusters_,)
    assert model.margins_.min() >= 0 < model.cluster_evidence_.min()


def test_clusters_that_nearly_merge_have_the_least_evidence() -> None:
    random = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 60)
    rate = np.where(truth[:, None] == truth, 0.4, 0.02)
    rate[np.ix_(truth == 1, truth == 2)] = rate[np.ix_(truth == 2, truth == 1)] = 0.08
    A = np.triu(random.random(rate.shape) < rate, 1).astype(float)
    model = PowerLawCut(random_state=0).fit(A + A.T)
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    apart, *near = model.cluster_evidence_[model.labels_[[0, 60, 120]]]
    # The best merge of each of the two close clusters is with the other.
    assert near[0] == pytest.approx(near[1])
    assert apart > 2 * near[0]


@given(gaussian_problems())
@repeatable
def test_evidence_of_point_clusters_is_the_rise_of_j_at_the_best_merge(
    problem: GaussianProblem,
) -> None:
    labels, k = problem.labels, int(problem.labels.max()) + 1
    clusters = Points(problem.X, problem.weight).aggregate(labels, k, problem.score.scatter)
    evidence = point_cluster_evidence(clusters, problem.objective)
    for c in range(k):
        rises = [
            problem.j(np.unique(np.where(labels == c, o, labels), return_inverse=True)[1])
            for o in range(k)
            if o != c
        ]
        expected = (min(rises, default=np.inf) - problem.j(labels)) / j_per_nat(
            problem.regulariser.tradeoff
        )
        assert evidence[c] == pytest.approx(expected, rel=1e-6, abs=1e-6)
