"""The splits and the predictor of experiments/held_out.py, on graphs small enough to see."""

from itertools import combinations

import numpy as np
import pytest

from _quality_data import make_random
from held_out import Blocks, Split, draw_absent, edges_of, judge
from powercut.datasets import make_block_graph

N = 60


@pytest.fixture
def split() -> Split:
    edges, n = edges_of(lambda: make_random(N, 12, 0))
    return Split.of(edges, n, seed=0)


def test_hidden_edges_are_a_tenth_and_not_in_the_graph(split: Split) -> None:
    edges, n = edges_of(lambda: make_random(N, 12, 0))
    assert split.hidden.shape == split.absent.shape == (2, round(0.1 * edges.shape[1]))
    assert split.graph.n_nodes == n
    assert split.graph.n_edges + split.hidden.shape[1] == edges.shape[1]
    A = split.graph.adjacency.toarray()
    assert not A[*split.hidden].any()
    assert not A[*split.absent].any()
    whole = {tuple(pair) for pair in edges.T.tolist()}
    assert all(tuple(pair) in whole for pair in split.hidden.T.tolist())
    assert not any(tuple(pair) in whole for pair in split.absent.T.tolist())


def test_absent_pairs_are_all_those_without_an_edge() -> None:
    path = np.array([[0, 1, 2], [1, 2, 3]])
    drawn = draw_absent(path, 4, 1000, np.random.default_rng(0))
    pairs, counts = np.unique(drawn, axis=1, return_counts=True)
    assert pairs.T.tolist() == [[0, 2], [0, 3], [1, 3]]
    assert counts.min() > 250


@pytest.mark.parametrize("degree_corrected", [False, True])
def test_rates_are_those_of_the_formula(split: Split, degree_corrected: bool) -> None:
    labels = np.arange(N) % 7
    A = split.graph.adjacency.toarray()
    s = A.sum(axis=1) + 1.0 if degree_corrected else np.ones(N)
    pairs = np.array(list(combinations(range(N), 2))).T
    e = s[pairs[0]] * s[pairs[1]]
    e *= split.graph.n_edges / e.sum()
    edge, blocks = A[*pairs], np.sort(labels[pairs], axis=0)
    same = blocks[0] == blocks[1]
    rates = np.empty(len(e))
    for i, block in enumerate(blocks.T):
        these = (blocks == block[:, None]).all(axis=0)
        alike = same == same[i]
        prior = (edge[alike].sum() + 1) / (e[alike].sum() + 1)
        rates[i] = e[i] * (edge[these].sum() + prior) / (e[these].sum() + 1)
    found = Blocks(split.graph, labels, degree_corrected=degree_corrected)
    assert found.mean_rate == pytest.approx(rates.mean())
    assert found.log_odds(pairs) == pytest.approx(np.log(rates / rates.mean()))


def test_planted_clusters_predict_better_than_one_block_and_noise_worse() -> None:
    graph, truth = make_block_graph(1000, random_state=0)
    edges, n = edges_of(lambda: (graph, truth))
    split = Split.of(edges, n, seed=0)
    planted, one = judge(split, truth), judge(split, np.zeros(n, dtype=np.int64))
    noise = judge(split, np.random.default_rng(0).integers(0, 300, n))
    assert planted.auc > one.auc + 0.05
    assert planted.log_loss < one.log_loss < noise.log_loss


def test_one_uniform_block_knows_nothing(split: Split) -> None:
    found = judge(split, np.zeros(N, dtype=np.int64), degree_corrected=False)
    assert found.auc == 0.5
    assert found.log_loss == pytest.approx(np.log(2))
