"""Nearest points: the kernel equals its reference, and the recall is what it should be."""

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from powercut import _core
from powercut._typing import LABEL, FloatArray
from powercut.datasets import make_blobs
from powercut.graphs.nearest import Division, Nearest, PointSearch

NONE = np.empty(0, dtype=LABEL)


@st.composite
def searches(draw: Any) -> tuple[FloatArray, FloatArray, list[dict[str, Any]]]:
    """Points, queries and two divisions into cells; many distances are equal."""
    random = np.random.default_rng(draw(st.integers(0, 2**16)))
    n, m, d = draw(st.integers(1, 60)), draw(st.integers(0, 60)), draw(st.integers(1, 20))
    n_cells = draw(st.integers(1, 5))
    offset = draw(st.sampled_from([0.0, 1e4]))
    X, queries = (offset + random.integers(-3, 4, (size, d)).astype(float) for size in (n, m))
    divisions = [
        {
            "point_cells": random.integers(n_cells, size=n, dtype=LABEL),
            "query_cells": random.integers(n_cells, size=m, dtype=LABEL),
            "n_cells": n_cells,
        }
        for _ in range(2)
    ]
    return X, queries, divisions


def find(X: Any, queries: Any, k: int, near: Nearest, **how: Any) -> None:
    settings = {"excluded": NONE, "n_threads": 1, "cancel": None, **how}
    arrays = {"nearest": near.indices.reshape(-1), "squares": near.squares.reshape(-1)}
    points, asked = (X, None, None, None), (queries, None, None, None)
    _core.find_nearest_points(points, queries=asked, k=k, **arrays, **settings)


@given(searches(), st.integers(1, 8), st.sampled_from([np.float32, np.float64]), st.integers(1, 3))
def test_kernel_finds_the_nearest_points_of_the_cells(
    search: tuple[FloatArray, FloatArray, list[dict[str, Any]]], k: int, dtype: Any, n_threads: int
) -> None:
    X, queries, divisions = search
    excluded = np.arange(len(queries), dtype=LABEL)
    near = Nearest.unknown(len(queries), k)
    compared = np.zeros((len(queries), len(X)), dtype=bool)
    for cells in divisions:
        how = {"excluded": excluded, "n_threads": n_threads, **cells}
        find(X.astype(dtype), queries.astype(dtype), k, near, **how)
        compared |= cells["query_cells"][:, None] == cells["point_cells"]
        np.fill_diagonal(compared, False)
        indices, squares = reference.nearest_points(X, queries, compared, k)
        np.testing.assert_array_equal(near.indices, indices)
        np.testing.assert_array_equal(near.squares, squares)


def test_no_point_is_among_its_nearest_others() -> None:
    X = np.repeat(np.arange(4.0), 3)[:, None]
    near = PointSearch(X, n_threads=1).nearest_others(2)
    np.testing.assert_array_equal(near.indices[:4], [[1, 2], [0, 2], [0, 1], [4, 5]])
    np.testing.assert_array_equal(near.squares, 0.0)


ZEROS = np.zeros(3, dtype=LABEL)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_cells": 0}, "there must be a cell"),
        ({"point_cells": ZEROS[:2]}, "label is needed"),
        ({"point_cells": ZEROS + 1}, "labels must lie"),
        ({"query_cells": ZEROS - 1}, "labels must lie"),
        ({"excluded": ZEROS[:2]}, "to exclude it"),
        ({"k": 0}, "k >= 1"),
        ({"k": 2}, "squared distances"),
        ({"X": np.zeros((3, 5))}, "as many numbers"),
        ({"X": np.zeros((3, 0)), "queries": np.zeros((3, 0))}, "as many numbers"),
        ({"X": np.zeros((3, 4), dtype=np.float16)}, "float32 or float64"),
    ],
)
def test_arrays_that_lead_out_of_bounds_are_refused(change: dict[str, Any], message: str) -> None:
    good = {"X": np.zeros((3, 4)), "queries": np.zeros((3, 4)), "near": Nearest.unknown(3, 1)}
    cells = {"point_cells": ZEROS, "query_cells": ZEROS, "n_cells": 1, "k": 1}
    find(**(good | cells))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        find(**(good | cells | change))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def points() -> Any:
    return make_blobs(4000, n_features=10, spread=0.7, random_state=0)[0]


def approximate(X: Any, *, n_threads: int = 1, seed: int = 0) -> PointSearch:
    random = np.random.default_rng(seed)
    return PointSearch.approximate(X, 10, random=random, n_threads=n_threads)


def recall(near: Nearest, true: Nearest) -> float:
    found = near.indices[:, :, None] == true.indices[:, None, :]
    return float(found.any(axis=2).mean())


@pytest.mark.parametrize("seed", [0, 1])
def test_approximate_search_has_the_recall(points: Any, seed: int) -> None:
    search, exact = approximate(points, seed=seed), PointSearch(points, n_threads=1)
    assert search.divisions
    assert 0.95 <= recall(search.nearest_others(10), exact.nearest_others(10)) < 1
    new = points[:500] + np.float32(0.05)
    assert 0.94 <= recall(search.nearest(new, 10), exact.nearest(new, 10)) < 1


def test_cells_and_neighbours_do_not_depend_on_the_number_of_threads(points: Any) -> None:
    one, three = (approximate(points, n_threads=n_threads) for n_threads in (1, 3))
    assert len(one.divisions) == len(three.divisions)
    for mine, theirs in zip(one.divisions, three.divisions, strict=True):
        np.testing.assert_array_equal(mine.cells, theirs.cells)
    for ask in (lambda s: s.nearest_others(10), lambda s: s.nearest(points[:999] + 0.1, 10)):
        np.testing.assert_array_equal(ask(one).indices, ask(three).indices)
        np.testing.assert_array_equal(ask(one).squares, ask(three).squares)


def test_points_of_small_cells_are_compared_with_all() -> None:
    X = np.concatenate([np.arange(50.0), 1e3 + np.arange(5)])[:, None]
    search, exact = PointSearch(X, n_threads=1), PointSearch(X, n_threads=1)
    search.divisions.append(Division(np.array([[0.0], [1e3]]), np.repeat([0, 1], [50, 5])))
    np.testing.assert_array_equal(search.nearest_others(8).indices, exact.nearest_others(8).indices)
    for new in (X[:, :] + 0.3, X[50:] + 0.3):
        ours, theirs = search.nearest(new, 8), exact.nearest(new, 8)
        np.testing.assert_array_equal(ours.indices, theirs.indices)
        np.testing.assert_array_equal(ours.squares, theirs.squares)


def test_neighbours_that_are_hard_to_find_take_more_divisions_or_an_exact_search() -> None:
    easy, hard = (np.random.default_rng(0).normal(size=(2000, d)) for d in (4, 12))
    assert 0 < len(approximate(easy).divisions) < len(approximate(hard).divisions)
    hopeless = np.random.default_rng(0).normal(size=(2000, 60))
    with mock.patch.object(Division, "draw", wraps=Division.draw) as drawn:
        assert approximate(hopeless).divisions == []
    assert drawn.call_count > 5
