"""Constraints are checked before the search, and the level that is searched keeps them."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from powercut import Graph
from powercut._typing import LABEL
from powercut.graphs.constraints import constrained_level
from powercut.graphs.level import Level
from powercut.search.constraints import Constraints, ContradictionError
from powercut.search.known import Known

NONE = np.empty((0, 2), dtype=np.intp)


def known(**some: Any) -> Known:
    given = {"fixed": None, "must_link": NONE, "cannot_link": NONE, **some}
    return Known(**{name: _array(value) for name, value in given.items()})


def constraints(n: int, **some: Any) -> Constraints:
    return Constraints.of(n, known(**some))


def _array(value: Any) -> Any:
    return value if value is None else np.asarray(value)


def test_links_and_equal_labels_make_groups() -> None:
    made = constraints(
        7, fixed=[5, -1, -1, 5, 9, -1, -1], must_link=[[1, 2], [2, 4]], cannot_link=[[5, 2]]
    )
    assert made.groups.tolist() == [0, 1, 1, 0, 1, 2, 3]
    assert made.conflicts is not None
    assert made.conflicts.apart.tolist() == [1, 1, 0, 0]
    assert made.conflicts.indptr.tolist() == [0, 0, 1, 2, 2]
    assert made.conflicts.indices.tolist() == [2, 1]


def test_one_label_is_in_conflict_with_none() -> None:
    assert constraints(3, fixed=[4, -1, 4]).conflicts is None
    assert constraints(3, must_link=[[0, 1]]).conflicts is None


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"must_link": [[3, 7]], "cannot_link": [[3, 7]]}, "nodes 3 and 7 must link, but"),
        (
            {"must_link": [[3, 5], [5, 7], [1, 3]], "cannot_link": [[0, 1], [3, 7]]},
            r"nodes 3 and 7 must link \(through 5\), but they cannot link\.",
        ),
        (
            {"fixed": [0, -1, 0, -1, -1, -1, -1, -1], "cannot_link": [[2, 0]]},
            "nodes 2 and 0 must link, but they cannot link",
        ),
        (
            {"fixed": [0, 1, 0, -1, -1, -1, -1, -1], "must_link": [[2, 3], [1, 3]]},
            r"nodes 1 and 2 must link \(through 3\), but they are fixed at the labels 1 and 0",
        ),
        ({"cannot_link": [[4, 4]]}, "node 4 cannot link with itself"),
    ],
)
def test_contradictions_are_named(known: Any, message: str) -> None:
    with pytest.raises(ContradictionError, match=message):
        constraints(8, **known)


def test_chain_of_a_contradiction_is_one_of_links() -> None:
    random = np.random.default_rng(0)
    for _ in range(200):
        links, pairs = random.integers(0, 20, (20, 2)), random.integers(0, 20, (20, 2))
        fixed = np.where(random.random(20) < 0.3, random.integers(0, 3, 20), -1)
        with pytest.raises(ContradictionError) as caught:
            constraints(20, fixed=fixed, must_link=links, cannot_link=np.append(pairs, [[0, 0]], 0))
        chain, labels = caught.value.chain, caught.value.labels
        for a, b in pairwise(chain):
            linked = ((links == (a, b)) | (links == (b, a))).all(axis=1).any()
            assert linked or fixed[a] == fixed[b] >= 0
        if labels is None:
            assert chain == [0] or (pairs == (chain[0], chain[-1])).all(axis=1).any()
        else:
            assert tuple(fixed[[chain[0], chain[-1]]]) == labels
            assert labels[0] != labels[1]
            assert (fixed[chain[1:-1]] == -1).all()


@pytest.mark.parametrize("weight", [1.0, 2.5])
def test_groups_are_the_nodes_of_the_level(weight: float) -> None:
    A = np.triu(np.random.default_rng(0).random((6, 6)) < 0.6, 1)
    level = Level.finest(Graph(weight * (A | A.T)))
    made = constraints(6, must_link=[[0, 4]], cannot_link=[[1, 2]])
    searched = constrained_level(level, made)
    assert searched.n == 5
    assert (searched.graph[2] is None) == (weight == 1)
    labels = np.array([0, 1, 0, 1, 2], dtype=LABEL)
    expanded = searched.expand(labels)
    assert expanded.tolist() == [0, 1, 0, 1, 0, 2]
    for mine, theirs in zip(
        searched.cluster_stats(labels).arrays, level.cluster_stats(expanded).arrays, strict=True
    ):
        np.testing.assert_allclose(mine, theirs)
    np.testing.assert_array_equal(searched.contract(expanded), labels)
    together = searched.contract(np.zeros(6, dtype=LABEL))
    assert together.tolist() == [0, 0, 1, 0, 0]
    without = constrained_level(level, constraints(6, cannot_link=[[1, 2]]))
    assert without.groups is None
    assert without.graph is level.graph


@pytest.mark.parametrize("n_groups", [4, 30, 59])
def test_joined_nodes_are_those_of_the_aggregated_level(n_groups: int) -> None:
    random = np.random.default_rng(0)
    A = np.triu(random.random((60, 60)) < 0.2)
    level = Level.finest(Graph((A | A.T).astype(float)), random.uniform(1, 2, 60))
    groups = np.concatenate([np.arange(n_groups), random.integers(0, n_groups, 60 - n_groups)])
    groups = groups.astype(LABEL)
    joined, coarse = level.join(groups, n_groups), level.aggregate(groups, n_groups, None)
    assert (joined.graph[2] is None) == (n_groups >= 30)
    for mine, theirs in zip(joined.nodes, coarse.nodes, strict=True):
        np.testing.assert_allclose(mine, theirs)
    for labels in (np.arange(n_groups), random.integers(0, 3, n_groups)):
        labels = labels.astype(LABEL)
        for mine, theirs in zip(
            joined.cluster_stats(labels).arrays, coarse.cluster_stats(labels).arrays, strict=True
        ):
            np.testing.assert_allclose(mine, theirs)
    indptr, indices, _ = joined.graph
    assert all((np.diff(row) >= 0).all() for row in np.split(indices, indptr[1:-1]) if n_groups > 4)


def test_ids_of_clusters_are_the_labels_of_their_nodes() -> None:
    made = known(fixed=[7, -1, 3, -1, -1, 7])
    assert made.cluster_ids(np.array([0, 0, 1, 2, 3, 0], dtype=LABEL)).tolist() == [7, 3, 8, 9]
    assert known(must_link=[[0, 1]]).cluster_ids(np.zeros(2, LABEL)).tolist() == [0]
