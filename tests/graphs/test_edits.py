"""Graphs with nodes and edges added and removed, against dense matrices."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from powercut.graphs import edits
from powercut.graphs.edits import EdgeConflictError, edit
from powercut.graphs.graph import Graph

repeatable = settings(deadline=None, derandomize=True, max_examples=300)
NOTHING = np.empty(0, dtype=np.intp)


@st.composite
def matrices(draw, n, *, weighted):
    """Draw a symmetric matrix, a third of whose entries are edges."""
    values = [0, 0, 1, *([2, 0.5] if weighted else [])]
    upper = draw(st.lists(st.sampled_from(values), min_size=n * n, max_size=n * n))
    triangle = np.triu(np.array(upper, dtype=float).reshape(n, n))
    return np.maximum(triangle, triangle.T)


@repeatable
@given(st.data())
def test_edited_graph_is_that_of_the_edited_matrix(data):
    n, came = data.draw(st.integers(0, 6)), data.draw(st.integers(0, 3))
    weighted = data.draw(st.booleans())
    before = data.draw(matrices(n, weighted=weighted))
    edges = np.argwhere(np.triu(before))
    lost = data.draw(st.sets(st.integers(0, len(edges) - 1))) if len(edges) else set()
    u, v = edges[sorted(lost)].T if lost else (NOTHING, NOTHING)
    if data.draw(st.booleans()):
        u, v = v, u
    gone = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1)))) if n else [], dtype=np.intp)
    more = data.draw(matrices(n + came, weighted=weighted))
    more[gone] = more[:, gone] = 0

    after = np.zeros((n + came, n + came))
    after[:n, :n] = before
    after[u, v] = after[v, u] = 0
    if not weighted:
        more[after > 0] = 0
    changed = np.abs(after - np.pad(before, (0, came))) + more
    changed[gone] = np.where(changed[gone] > 0, changed[gone], after[gone])
    changed[:, gone] = changed[gone].T
    after += more
    stays = np.delete(np.arange(n + came), gone)

    added = Graph(sparse.csr_array(more))
    with mock.patch.object(edits, "CHUNK", data.draw(st.sampled_from([1, 3, 1000]))):
        edited = edit(Graph(before), added=added, removed=(u, v), gone=gone, sums=weighted)
        applied = edited.change.apply(Graph(before))
    expected = Graph(after[np.ix_(stays, stays)])
    np.testing.assert_array_equal(edited.graph.indptr, expected.indptr)
    np.testing.assert_array_equal(edited.graph.indices, expected.indices)
    if expected.weights is None:
        assert edited.graph.weights is None
    else:
        np.testing.assert_array_equal(edited.graph.weights, expected.weights)
    assert edited.graph.indices.dtype == expected.indices.dtype
    for name in ("indptr", "indices", "weights"):
        np.testing.assert_array_equal(getattr(applied, name), getattr(edited.graph, name))
    np.testing.assert_array_equal(edited.before, np.where(stays < n, stays, -1))
    np.testing.assert_array_equal(edited.changed, changed.sum(axis=1)[stays])
    lost = np.zeros_like(after)
    lost[np.minimum(u, v), np.maximum(u, v)] = 1
    lost[gone[gone < n], :n] = lost[:n, gone[gone < n]] = 1
    kept = np.triu(lost[:n, :n] * (before > 0))
    assert sorted(zip(*edited.lost, strict=True)) == [tuple(edge) for edge in np.argwhere(kept)]


def test_wrong_edges_are_refused():
    path = Graph(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    nothing = Graph(np.zeros((3, 3)))
    with pytest.raises(EdgeConflictError, match="no edge between 2 and 0") as caught:
        edit(
            path,
            added=nothing,
            removed=(np.array([1, 2]), np.array([0, 0])),
            gone=NOTHING,
            sums=False,
        )
    assert caught.value.ends == (2, 0)
    assert not caught.value.is_there
    with pytest.raises(EdgeConflictError, match="an edge between 0 and 1") as caught:
        edit(path, added=path, removed=(NOTHING, NOTHING), gone=NOTHING, sums=False)
    assert caught.value.is_there
