"""Sparse matrices whose arrays were replaced after scipy had checked them."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from powercut import Graph, PowerLawCut, PowerLawMeans, _core, neighbors
from powercut.baselines import DPMeans, NormalizedCut, PYPMeans
from powercut.datasets import make_blobs, make_paper_graph

GRAPH = make_paper_graph(100, random_state=0)[0].adjacency
NARROW = pytest.mark.skipif(_core.NODE_BITS == 64, reason="so many nodes have numbers")
POINTS = sp.csr_array(make_blobs(60, n_features=3, random_state=0)[0])


def damaged(matrix: Any, how: str) -> Any:
    """Return a copy with arrays that lead out of bounds."""
    bad = sp.csr_array(matrix, copy=True)
    assert bad.has_canonical_format  # scipy keeps this flag
    if how == "index too large":
        bad.indices[::3] = 2**30
    elif how == "index negative":
        bad.indices[::3] = -(2**30)
    elif how == "offset too large":
        bad.indptr[-1] = 2**30
    elif how == "offset falls":
        bad.indptr[len(bad.indptr) // 2] = 2**29
    elif how == "offset negative":
        bad.indptr[1] = -(2**29)
    elif how == "data short":
        bad.data = bad.data[:1].copy()
    else:
        bad.indices = bad.indices[:1].copy()
    return bad


WAYS = (
    "index too large",
    "index negative",
    "offset too large",
    "offset falls",
    "offset negative",
    "data short",
    "indices short",
)


@pytest.fixture(scope="module")
def uses() -> dict[str, Callable[[Any], Any]]:
    given = PowerLawCut(random_state=0).fit(GRAPH)
    near = PowerLawCut(affinity="nearest_neighbors", tradeoff=1.0, random_state=0).fit(POINTS)
    return {
        "fit": lambda bad: PowerLawCut(random_state=0).fit(bad(GRAPH)),
        "predict": lambda bad: given.predict(bad(GRAPH[:20] + GRAPH[20:40])),
        "predict_proba": lambda bad: given.predict_proba(bad(GRAPH[:20])),
        "fit vectors": lambda bad: near.fit(bad(POINTS)),
        "predict vectors": lambda bad: near.predict(bad(POINTS[:10] * 1.01)),
        "neighbors.graph": lambda bad: neighbors.graph(bad(POINTS)),
        "NormalizedCut": lambda bad: NormalizedCut(2, affinity="rbf").fit(bad(POINTS)),
        # scikit-learn prints complex matrices when it refuses them.
        "DPMeans": lambda bad: DPMeans(1.0).fit(bad(POINTS * 1j)),
        "PYPMeans": lambda bad: PYPMeans(1.0, 0.1).fit(POINTS.toarray()).predict(bad(POINTS * 1j)),
    }


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize(
    "use",
    [
        *("fit", "predict", "predict_proba", "fit vectors", "predict vectors"),
        *("neighbors.graph", "NormalizedCut", "DPMeans", "PYPMeans"),
    ],
)
def test_arrays_that_lead_out_of_bounds_are_refused(
    uses: dict[str, Callable[[Any], Any]], use: str, how: str
) -> None:
    with pytest.raises(ValueError, match=r"indptr must hold|is not a column"):
        uses[use](lambda matrix: damaged(matrix, how))


@pytest.mark.parametrize("kind", ["csc", "coo", "bsr", "dia"])
def test_other_formats_are_checked_before_they_are_converted(kind: str) -> None:
    model = PowerLawCut(random_state=0).fit(GRAPH)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)  # of many diagonals
        matrix = GRAPH.asformat(kind)
    np.testing.assert_array_equal(model.predict(matrix), model.labels_)
    if kind == "coo":
        matrix.coords = (matrix.coords[0], np.full_like(matrix.coords[1], 2**30))
    elif kind == "dia":
        matrix.data = matrix.data[:3]
    else:
        matrix.indices = np.full_like(matrix.indices, 2**30)
    with pytest.raises(ValueError, match=r"is not a|needs an offset"):
        model.predict(matrix)


@pytest.mark.parametrize(
    "offsets", [np.array([0, -(2**63)]), np.array([0, 200]), np.array([3, 3]), np.array([0.0, 1.0])]
)
def test_offsets_of_diagonals_are_checked(offsets: Any) -> None:
    model = PowerLawCut(random_state=0).fit(GRAPH)
    matrix = sp.dia_array((np.ones((2, 100)), [0, 1]), shape=(100, 100))
    matrix.offsets = offsets
    with pytest.raises(ValueError, match="offsets must be different integers"):
        model.predict(matrix)


def blocks_of_another_shape() -> Any:
    matrix = sp.bsr_array(GRAPH, blocksize=(2, 2))
    matrix._shape = (101, 101)
    return matrix


def lists_of_other_lengths() -> Any:
    matrix = GRAPH.tolil()
    matrix.rows[3] = [1, 2, 3]
    return matrix


def lists_of_other_columns() -> Any:
    matrix = GRAPH.tolil()
    matrix.rows[3] = [2**31] * len(matrix.data[3])
    return matrix


def lists_too_few() -> Any:
    matrix = GRAPH.tolil()
    matrix.rows = matrix.rows[:50]
    return matrix


def entries_without_a_row() -> Any:
    matrix = GRAPH.tocoo()
    matrix.coords = (np.array(-1), matrix.coords[1])
    return matrix


def more_rows_than_labels() -> Any:
    return sp.dia_array((np.ones((1, 3)), [0]), shape=(2**31, 2**31))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (blocks_of_another_shape, r"shape \(101, 101\) is not divided by blocks of 2 x 2"),
        (lists_of_other_lengths, "row 3 must have a column for each value, got 3 columns"),
        (lists_of_other_columns, r"rows\[3\]\[0\] = 2147483648 is not a column"),
        (lists_too_few, "must hold 100 lists, one per row, got 50 and 100"),
        (entries_without_a_row, "row must be an array of 1 dimensions, got 0"),
        pytest.param(more_rows_than_labels, "at most 2\\^31 - 1 nodes", marks=NARROW),
    ],
)
def test_matrices_that_scipy_would_convert_out_of_bounds_are_refused(
    make: Callable[[], Any], message: str
) -> None:
    model = PowerLawCut("modularity", random_state=0).fit(GRAPH)
    for use in (model.predict, model.fit):
        with pytest.raises(ValueError, match=message):
            use(make())


def test_ids_without_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="u\\[0\\] = -1 is not a node"):
        Graph.from_edges(np.array(-1), np.array([1]), n_nodes=3)


@NARROW
def test_a_complex_matrix_is_not_printed_before_its_arrays_are_checked() -> None:
    # scikit-learn converts it for its message.
    matrix = sp.bsr_array(np.ones((4, 4), complex), blocksize=(2, 2))
    matrix._shape = (2**31 + 1, 2**31 + 1)
    with pytest.raises(ValueError, match="at most 2\\^31 - 1"):
        PowerLawMeans("kmeans").fit(matrix)


def test_an_outdated_flag_of_scipy_does_not_hide_duplicates() -> None:
    model = PowerLawCut(random_state=0).fit(GRAPH)
    once = sp.csr_array((np.array([2.0]), np.array([5]), np.array([0, 1])), shape=(1, 100))
    twice = sp.csr_array((np.ones(2), np.array([5, 7]), np.array([0, 2])), shape=(1, 100))
    assert twice.has_canonical_format
    twice.indices[:] = 5
    expected = model.predict_proba(once)
    np.testing.assert_allclose(model.predict_proba(twice), expected)


@NARROW
@pytest.mark.parametrize("n", [2**31, 2**32 + 3])
def test_more_rows_than_kernels_count_are_refused(n: int) -> None:
    rows = np.empty((n, 0), dtype=np.float32)  # takes no memory
    for wide in (rows, rows.T):
        with pytest.raises(ValueError, match=r"at most 2\^31 - 1"):
            _core.row_keys((None, None, wide))
