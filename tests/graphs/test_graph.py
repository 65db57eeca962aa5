"""Graph: accepted inputs, errors for invalid ones, and arrays that are not copied or changed."""

import pickle
import re
import subprocess
import sys
import tracemalloc
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.sparse.csgraph import connected_components

import powercut.graphs.graph
from powercut import _core
from powercut.graphs import _adjacency
from powercut.graphs.graph import Graph
from powercut.io import read_graph

FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]
PATH = np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 1.5], [0.0, 1.5, 3.0]])  # 0 - 1 - 2, loop at 2


def csr(indptr, indices, data, *, index=np.int32, offset=None):
    """Make a CSR matrix of exactly these arrays; scipy's constructor would change their types."""
    n = len(indptr) - 1
    matrix = sparse.csr_array((n, n))
    matrix.indptr = np.asarray(indptr, dtype=offset or index)
    matrix.indices = np.asarray(indices, dtype=index)
    matrix.data = np.asarray(data)
    return matrix


def path_csr(*, dtype=np.float64, index=np.int32, offset=None):
    values = np.array([2, 2, 1.5, 1.5, 3], dtype=dtype)
    return csr([0, 1, 3, 5], [1, 0, 2, 1, 2], values, index=index, offset=offset)


def rejected(message):
    return pytest.raises(ValueError, match=re.escape(message))


def snapshot(matrix):
    """Return identity and content of the attributes of a matrix, without scipy's cached flags."""
    parts = {name: part for name, part in vars(matrix).items() if not name.startswith("_has_")}
    return {name: (id(part), pickle.dumps(part)) for name, part in parts.items()}


@st.composite
def symmetric(draw, elements, dtype):
    n = draw(st.integers(0, 7))
    half = draw(hnp.arrays(dtype, (n, n), elements=elements, fill=st.just(dtype(0))))
    return np.triu(half) + np.triu(half, 1).T


QUARTERS = st.integers(0, 12).map(lambda k: k / 4)  # their sums are exact in any order


class TestZeroCopy:
    """Arrays in the form that the kernels need are not copied."""

    @pytest.mark.parametrize("index", [np.int32, np.int64])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("offset", [np.int32, np.int64])
    def test_canonical_csr_is_not_copied(self, index, dtype, offset):
        matrix = path_csr(dtype=dtype, index=index, offset=offset)
        graph = Graph(matrix)
        assert np.shares_memory(graph.indptr, matrix.indptr)
        assert np.shares_memory(graph.indices, matrix.indices)
        assert np.shares_memory(graph.weights, matrix.data)
        assert (graph.indptr.dtype, graph.indices.dtype) == (offset, index)
        assert graph.weights.dtype == dtype
        np.testing.assert_array_equal(graph.adjacency.toarray(), PATH)

    def test_adjacency_shares_memory(self):
        graph = Graph(path_csr(index=np.int64))
        assert np.shares_memory(graph.adjacency.indptr, graph.indptr)
        assert np.shares_memory(graph.adjacency.indices, graph.indices)
        assert np.shares_memory(graph.adjacency.data, graph.weights)

    @pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32, np.float64])
    def test_weights_of_one_of_any_type_are_not_stored(self, dtype):
        matrix = csr([0, 1, 2], [1, 0], np.ones(2, dtype=dtype))
        graph = Graph(matrix)
        assert graph.weights is None
        assert np.shares_memory(graph.indices, matrix.indices)
        assert graph.adjacency.dtype == np.float64
        np.testing.assert_array_equal(graph.adjacency.toarray(), [[0, 1], [1, 0]])

    @pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float16, np.longdouble])
    def test_weights_of_other_types_become_float64(self, dtype):
        matrix = csr([0, 1, 2], [1, 0], np.full(2, 3, dtype=dtype))
        graph = Graph(matrix)
        assert graph.weights.dtype == np.float64
        assert graph.weights.tolist() == [3, 3]
        assert np.shares_memory(graph.indices, matrix.indices)
        assert Graph(np.full((1, 1), 3, dtype=dtype)).weights.dtype == np.float64

    def test_entries_beyond_the_last_offset_are_ignored(self):
        matrix = csr([0, 1, 2], [1, 0, 99], [2.0, 2.0, -1.0])
        graph = Graph(matrix)
        assert graph.n_entries == 2
        assert np.shares_memory(graph.weights, matrix.data)

    def test_strided_data_are_made_contiguous(self):
        matrix = path_csr()
        matrix.data = np.repeat(matrix.data, 2)[::2]
        assert Graph(matrix).weights.flags.c_contiguous
        np.testing.assert_array_equal(Graph(matrix).adjacency.toarray(), PATH)

    def test_passes_need_no_temporary_array_as_long_as_the_graph(self):
        n = 1_000_000
        ring = np.arange(n)
        matrix = Graph.from_edges(
            ring, np.roll(ring, 1), np.full(n, 0.1, np.float32), symmetrize="sum"
        ).adjacency
        tracemalloc.start()
        graph = Graph(matrix)
        checked = tracemalloc.get_traced_memory()[1]
        degrees = graph.degrees
        peak = tracemalloc.get_traced_memory()[1] - degrees.nbytes
        tracemalloc.stop()
        assert checked < matrix.data.nbytes  # rows are checked in chunks
        assert peak < 2 * matrix.data.nbytes  # the size of all weights in float64


class TestSafety:
    """The caller's arrays are never modified, and indices are checked before they are used."""

    @pytest.mark.parametrize("form", FORMATS)
    @pytest.mark.parametrize("kind", ["array", "matrix"])
    def test_every_format_is_accepted_and_not_modified(self, form, kind):
        matrix = getattr(sparse, f"{form}_{kind}")(PATH)
        before = snapshot(matrix)
        np.testing.assert_array_equal(Graph(matrix).adjacency.toarray(), PATH)
        assert snapshot(matrix) == before

    @pytest.mark.parametrize(
        "matrix",
        [
            csr([0, 2, 4], [1, 0, 1, 0], [2.0, 1, 5, 2]),  # unsorted
            csr([0, 2, 4], [1, 1, 0, 0], [1.0, 1, 1, 1]),  # duplicates
            csr([0, 2, 4], [0, 1, 0, 1], [0.0, 1, 1, 0]),  # explicit zeros
            sparse.coo_array((np.ones(4), ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(2, 2)),
        ],
        ids=["unsorted", "duplicates", "zeros", "coo"],
    )
    def test_repairs_are_made_on_a_copy(self, matrix):
        before = snapshot(matrix)
        expected = matrix.toarray()
        np.testing.assert_array_equal(Graph(matrix).adjacency.toarray(), expected)
        assert snapshot(matrix) == before

    @pytest.mark.parametrize("data", [[2.0, 2, 0, 5], [1, 1, 1, 1]])
    def test_read_only_arrays_are_accepted(self, data):
        matrix = csr([0, 1, 4], [1, 0, 1, 1], data)  # with a zero and a duplicate
        expected = matrix.toarray()
        for array in (matrix.indptr, matrix.indices, matrix.data):
            array.flags.writeable = False
        np.testing.assert_array_equal(Graph(matrix).adjacency.toarray(), expected)

    def test_memory_mapped_arrays_are_not_copied(self, tmp_path):
        source = path_csr()
        mapped = sparse.csr_array((3, 3))
        for name in ("indptr", "indices", "data"):
            np.save(tmp_path / f"{name}.npy", getattr(source, name))
            setattr(mapped, name, np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
        graph = Graph(mapped)
        assert np.shares_memory(graph.indices, mapped.indices)
        assert np.shares_memory(graph.weights, mapped.data)
        assert type(graph.weights) is np.ndarray
        np.testing.assert_array_equal(graph.degrees, PATH.sum(axis=1))

    def test_arrays_of_a_graph_are_read_only_and_usable_by_scipy(self):
        matrix = path_csr()
        graph = Graph(matrix)
        for array in (*graph.arrays, graph.degrees):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
        assert matrix.data.flags.writeable
        assert connected_components(graph.adjacency)[0] == 1
        np.testing.assert_array_equal(graph.adjacency @ np.ones(3), graph.degrees)

    def test_pickle(self):
        graph = pickle.loads(pickle.dumps(Graph(PATH)))
        np.testing.assert_array_equal(graph.adjacency.toarray(), PATH)

    @pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
    @pytest.mark.parametrize("column", [-1, 2, 2**31 - 1])
    def test_indices_out_of_range(self, form, column):
        rows = sparse.csr_array(np.array([[0.0, 2], [2, 0]]))
        matrix = rows.tobsr(blocksize=(1, 1)) if form == "bsr" else rows.asformat(form)
        matrix.indices = np.array([1, column], dtype=np.int32)
        what = "row" if form == "csc" else "column"
        with rejected(f"indices[1] = {column} is not a {what}: {what}s are 0 to 1"):
            Graph(matrix)

    @pytest.mark.parametrize(("name", "value"), [("row", 5), ("col", -1)])
    def test_coordinates_out_of_range(self, name, value):
        matrix = sparse.coo_array(PATH)
        getattr(matrix, name)[2] = value
        with rejected(f"{name}[2] = {value} is not a node: nodes are 0 to 2"):
            Graph(matrix)

    @pytest.mark.parametrize("form", ["csr", "csc"])
    @pytest.mark.parametrize(
        "indptr", [[0, 5, 1, 2], [1, 1, 3, 5], [0, 1, 3, 6], [0, 1, 5], [0, 3, 0, 0]]
    )
    def test_broken_offsets(self, form, indptr):
        matrix = getattr(sparse, f"{form}_array")(PATH)
        matrix.indptr = np.array(indptr, dtype=np.int32)
        with rejected("indptr must hold 4 offsets that start at 0, never decrease, and end at 5"):
            Graph(matrix)

    def test_fewer_data_than_indices(self):
        matrix = path_csr()
        matrix.data = matrix.data[:4]
        with rejected("and end at 4 at most, the number of indices and data"):
            Graph(matrix)

    def test_indices_of_another_type(self):
        matrix = path_csr()
        matrix.indices = matrix.indices.astype(np.uint32)
        with rejected("indptr and indices must be int32 or int64, got int32 and uint32"):
            Graph(matrix)


class TestSymmetry:
    """Only square symmetric matrices are accepted."""

    @pytest.mark.parametrize(
        ("dense", "message"),
        [
            ([[0, 2, 0], [2, 0, 5], [0, 4, 0]], "A[1, 2] = 5.0 but A[2, 1] = 4.0"),
            ([[0, 2, 0], [2, 0, 0], [0, 4, 0]], "A[2, 1] = 4.0 but A[1, 2] = 0.0"),
            ([[0, 1, 1], [1, 0, 0], [0, 0, 0]], "A[0, 2] = 1 but A[2, 0] = 0"),
        ],
    )
    def test_error_names_the_first_asymmetric_entry_and_the_remedy(self, dense, message):
        remedy = 'Graph.from_edges(..., symmetrize="sum") (or "max", "mean")'
        with pytest.raises(ValueError, match=re.escape(message) + ".*" + re.escape(remedy)):
            Graph(dense)

    def test_one_way_edges_do_not_cancel_each_other(self):
        # Edges (i, j) and (j ^ 2, i), whose weights differ in the same bit as their ends.
        n, one = 64, np.float64(1).view(np.uint64)
        matrix = np.zeros((n, n))
        for i in range(n):
            for j in range(i + 1, n, 4):
                other = j ^ 2
                if i < other < n and matrix[i, other] == 0 == matrix[j, i]:
                    matrix[i, j] = 1
                    matrix[other, i] = (one ^ np.uint64(j ^ other)).view(np.float64)
        assert np.count_nonzero(matrix) == 992
        assert not ((matrix > 0) & (matrix.T > 0)).any()
        for form in (matrix, sparse.csr_array(matrix)):
            with rejected("not symmetric"):
                Graph(form)

    @pytest.mark.parametrize("n", [3, 4, 50])
    def test_a_directed_cycle_is_not_symmetric(self, n):
        with rejected("not symmetric"):
            Graph(sparse.csr_array(np.roll(np.eye(n), 1, axis=1)))

    @pytest.mark.parametrize("form", FORMATS)
    def test_rows_and_columns_are_not_swapped(self, form):
        with rejected("A[0, 1] = 7.0 but A[1, 0] = 2.0"):
            Graph(getattr(sparse, f"{form}_array")(np.array([[0.0, 7], [2, 0]])))

    @pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-4), (np.float64, 1e-8)])
    def test_tolerance_is_relative(self, dtype, tolerance):
        for scale in (1e-6, 1, 1e6):
            near = np.array([[0, scale], [scale * (1 + tolerance / 2), 0]], dtype=dtype)
            np.testing.assert_array_equal(Graph(near).adjacency.toarray(), near)
            far = np.array([[0, scale], [scale * (1 + tolerance * 2), 0]], dtype=dtype)
            with rejected("not symmetric"):
                Graph(far)

    @pytest.mark.parametrize("shape", [(2, 3), (3, 2), (0, 1)])
    def test_not_square(self, shape):
        with rejected(f"the adjacency must be square, got shape {shape}"):
            Graph(np.zeros(shape))
        with rejected(f"the adjacency must be square, got shape {shape}"):
            Graph(sparse.csr_array(shape))

    @pytest.mark.parametrize("adjacency", [[], [0, 1], np.zeros((2, 2, 2)), np.float64(1)])
    def test_not_a_matrix(self, adjacency):
        with rejected(f"the adjacency must be square, got shape {np.shape(adjacency)}"):
            Graph(adjacency)


class TestWeights:
    """Only finite non-negative weights are accepted; zeros, duplicates and types."""

    @pytest.mark.parametrize("form", FORMATS)
    @pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, -np.inf])
    def test_error_names_the_invalid_weight(self, form, value):
        dense = PATH.copy()
        dense[1, 2] = value
        with rejected(f"A[1, 2] = {value}; weights must be finite and not negative"):
            Graph(getattr(sparse, f"{form}_array")(dense))
        with rejected(f"A[1, 2] = {value}; weights must be finite and not negative"):
            Graph(dense)

    def test_negative_integer(self):
        with rejected("A[0, 1] = -3; weights must be finite"):
            Graph([[0, -3], [-3, 0]])

    @pytest.mark.parametrize("form", ["csr", "coo"])
    def test_negative_weight_is_not_hidden_by_its_duplicate(self, form):
        matrix = csr([0, 2, 3], [1, 1, 0], [3.0, -1, 2])
        if form == "coo":
            matrix = sparse.coo_array(([3.0, -1, 2], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
        with rejected("A[0, 1] = -1.0"):
            Graph(matrix)

    def test_sum_of_duplicates_that_is_infinite(self):
        with rejected("A[0, 0] = inf"):
            Graph(csr([0, 2], [0, 0], [1e308, 1e308]))

    @pytest.mark.skipif(
        np.finfo(np.longdouble).max == np.finfo(np.float64).max, reason="longdouble is float64 here"
    )
    @pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
    def test_weight_that_float64_cannot_hold(self, make):
        matrix = make(np.array([[np.longdouble(10) ** 400]]))
        with pytest.warns(RuntimeWarning, match="overflow"), rejected("A[0, 0] = inf"):
            Graph(matrix)

    @pytest.mark.parametrize("dtype", [np.int8, np.uint8, bool])
    @pytest.mark.parametrize("form", ["csr", "coo"])
    def test_small_integers_do_not_overflow(self, dtype, form):
        value = dtype(100)
        data = np.full(6, value)
        matrix = csr([0, 3, 6], [1, 1, 1, 0, 0, 0], data)
        if form == "coo":
            ends = [0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]
            matrix = sparse.coo_array((data, ends), shape=(2, 2))
        assert Graph(matrix).weights.tolist() == [3 * int(value)] * 2

    def test_canonical_flags_are_not_trusted(self):
        matrix = csr([0, 2, 4], [1, 1, 0, 0], [1.0, 2, 1, 2])
        matrix.has_canonical_format = True
        assert Graph(matrix).weights.tolist() == [3, 3]

    def test_repaired_ones_are_unweighted(self):
        assert Graph(csr([0, 2, 4], [1, 0, 1, 0], [1, 0, 0, 1])).weights is None

    @pytest.mark.parametrize(
        ("dtype", "message"),
        [
            (complex, "Complex data not supported: weights must be real numbers"),
            (object, "weights must be real numbers, got dtype object"),
            ("U1", "weights must be real numbers, got dtype <U1"),
            ("M8[s]", "weights must be real numbers, got dtype datetime64[s]"),
        ],
    )
    def test_types_that_are_not_real_numbers(self, dtype, message):
        with rejected(message):
            Graph(np.zeros((2, 2), dtype=dtype))
        with rejected(message):
            Graph.from_edges([0, 1], [1, 0], np.zeros(2, dtype=dtype))

    def test_complex_sparse(self):
        with rejected("Complex data not supported"):
            Graph(sparse.csr_array(PATH.astype(complex)))

    def test_masked_entries_are_absent(self):
        dense = np.ma.masked_equal([[9.0, 2, 9], [2, 9, 9], [9, 9, 9]], 9)
        np.testing.assert_array_equal(
            Graph(dense).adjacency.toarray(), [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
        )


class TestAttributes:
    """Properties of a graph."""

    @settings(deadline=None, derandomize=True)
    @given(symmetric(QUARTERS, np.float64), st.integers(1, 5))
    def test_dense_round_trip(self, dense, chunk):
        # Chunks of a few entries, so that their borders fall everywhere.
        with mock.patch.object(_adjacency, "CHUNK", chunk):
            graph = Graph(dense)
            np.testing.assert_array_equal(graph.adjacency.toarray(), dense)
            np.testing.assert_array_equal(graph.degrees, dense.sum(axis=1))
            edges = np.count_nonzero(np.triu(dense))
            kind = "unweighted" if np.all(dense[dense != 0] == 1) else "weighted"
            assert repr(graph) == f"Graph({len(dense)} nodes, {edges} edges, {kind})"
        assert graph.n_nodes == len(dense)
        assert graph.n_entries == np.count_nonzero(dense)
        assert graph.total_weight == dense.sum()
        others = dense - np.diag(np.diag(dense))
        np.testing.assert_array_equal(graph.isolated, ~others.any(axis=1))
        assert graph.arrays == (graph.indptr, graph.indices, graph.weights)

    @settings(deadline=None, derandomize=True)
    @given(symmetric(st.integers(0, 2), np.int64), st.integers(1, 5), st.randoms())
    def test_unsorted_rows_duplicates_and_zeros_give_the_same_matrix(self, dense, chunk, random):
        rows = []
        for row in dense:
            parts = [(j, 1) for j, w in enumerate(row) for _ in range(w)]
            parts += [(j, 0) for j in range(len(row)) if random.random() < 0.2]
            random.shuffle(parts)
            rows.append(parts)
        entries = [part for row in rows for part in row]
        indptr = np.cumsum([0, *map(len, rows)])
        matrix = csr(indptr, [j for j, _ in entries], np.array([w for _, w in entries], dtype=int))
        with mock.patch.object(_adjacency, "CHUNK", chunk):
            graph = Graph(matrix)
        np.testing.assert_array_equal(graph.adjacency.toarray(), dense)
        assert graph.adjacency.has_canonical_format

    def test_degrees_of_float32_are_summed_in_float64(self):
        big = 2**24  # float32 cannot represent big + 1
        n = 7
        graph = Graph.from_edges(
            [1, 1, 1, 5],
            [3, 4, 5, 5],
            np.array([1, big, 1, 0.5], dtype=np.float32),
            n_nodes=n,
            symmetrize="sum",
        )
        assert graph.weights.dtype == np.float32
        assert graph.degrees.dtype == np.float64
        assert graph.degrees.tolist() == [0, big + 2, 0, 1, big, 1.5, 0]
        assert graph.total_weight == 2 * big + 4.5

    def test_degrees_unweighted_and_cached(self):
        graph = Graph.from_edges([0, 1, 3], [1, 1, 3], n_nodes=5, symmetrize="max")
        assert graph.weights is None
        assert graph.degrees.tolist() == [1, 2, 0, 1, 0]
        assert graph.degrees is graph.degrees

    def test_repr_counts_a_loop_as_one_edge(self):
        assert repr(Graph(PATH)) == "Graph(3 nodes, 3 edges, weighted)"
        assert repr(Graph(PATH > 0)) == "Graph(3 nodes, 3 edges, unweighted)"

    @pytest.mark.parametrize("n", [0, 1, 2])
    @pytest.mark.parametrize("make", [np.zeros, sparse.csr_array, sparse.coo_array])
    def test_few_nodes_without_edges(self, n, make):
        graph = Graph(make((n, n)))
        assert (graph.n_nodes, graph.n_entries, graph.weights) == (n, 0, None)
        assert graph.degrees.tolist() == [0] * n
        assert graph.total_weight == 0
        assert graph.adjacency.shape == (n, n)
        assert repr(graph) == f"Graph({n} nodes, 0 edges, unweighted)"

    def test_few_nodes_with_edges(self):
        assert Graph([[2.5]]).degrees.tolist() == [2.5]
        assert Graph([[0, 1], [1, 0]]).degrees.tolist() == [1, 1]

    @pytest.mark.skipif(_core.NODE_BITS == 64, reason="so many nodes have numbers")
    def test_too_many_nodes(self):
        message = "got 2147483648 nodes: a graph has at most 2^31 - 1 nodes; for more, build "
        # CSR arrays are never made here: offsets of this many nodes would fill the memory.
        with mock.patch.multiple(powercut.graphs.graph, to_csr=None, csr_of_entries=None):
            with rejected(message):
                Graph(sparse.coo_array((2**31, 2**31)))
            with rejected(message):
                Graph.from_edges([0], [2**31 - 1])
            with rejected(message):
                Graph.from_edges([], [], n_nodes=2**31)


class TestFromEdges:
    """Graphs from lists of matrix entries."""

    @settings(deadline=None, derandomize=True)
    @given(
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), QUARTERS), max_size=20),
        st.sampled_from(["sum", "max", "mean"]),
        st.booleans(),
    )
    def test_symmetrize(self, edges, how, weighted):
        u, v, w = (np.array(column) for column in zip(*edges, strict=True)) if edges else [[]] * 3
        a = np.zeros((5, 5))
        np.add.at(a, (np.array(u, int), np.array(v, int)), w if weighted else 1)
        expected = {
            "sum": a + a.T - np.diag(np.diag(a)),
            "max": np.maximum(a, a.T),
            "mean": (a + a.T) / 2,
        }[how]
        graph = Graph.from_edges(u, v, w if weighted else None, n_nodes=5, symmetrize=how)
        np.testing.assert_array_equal(graph.adjacency.toarray(), expected)

    def test_both_directions(self):
        graph = Graph.from_edges([0, 1, 2, 2, 1], [1, 0, 2, 1, 2], [2, 2, 3, 1.5, 1.5])
        np.testing.assert_array_equal(graph.adjacency.toarray(), PATH)

    def test_one_direction_is_rejected_with_the_remedy(self):
        with rejected('Graph.from_edges(..., symmetrize="sum")'):
            Graph.from_edges([0, 1], [1, 2])
        assert Graph.from_edges([0, 1], [1, 2], symmetrize="sum").degrees.tolist() == [1, 2, 1]

    @pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.int64, np.uint64])
    def test_integer_types_of_ids(self, dtype):
        graph = Graph.from_edges(np.array([0, 1], dtype), np.array([1, 2], dtype), symmetrize="max")
        assert graph.n_nodes == 3
        assert graph.indices.dtype == graph.indptr.dtype == np.int32

    def test_many_duplicates_are_counted(self):
        graph = Graph.from_edges(np.zeros(70_000, int), np.ones(70_000, int), symmetrize="max")
        assert graph.weights.tolist() == [70_000] * 2

    @pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
    def test_type_of_weights(self, dtype):
        weight = np.array([2, 4], dtype=dtype)
        graph = Graph.from_edges([0, 1], [1, 2], weight, symmetrize="sum")
        assert graph.weights.dtype == (np.float32 if dtype == np.float32 else np.float64)
        assert weight.tolist() == [2, 4]

    @pytest.mark.parametrize(("how", "weight"), [("sum", 5), ("max", 3), ("mean", 2.5)])
    def test_duplicates_are_summed_before_directions_are_combined(self, how, weight):
        graph = Graph.from_edges([0, 0, 0, 1, 1], [1, 1, 1, 0, 0], symmetrize=how)
        assert graph.weights.tolist() == [weight] * 2

    def test_no_edges(self):
        assert Graph.from_edges([], []).n_nodes == 0
        assert Graph.from_edges([], [], [], n_nodes=3, symmetrize="mean").n_nodes == 3

    def test_no_edges_of_a_float_type(self):
        # NumPy gives an empty list the type float64.
        assert Graph.from_edges(np.array([]), np.array([]), n_nodes=2).degrees.tolist() == [0, 0]

    @pytest.mark.parametrize(
        ("u", "v", "weight", "message"),
        [
            ([0.0, 1.0], [1, 0], None, "u must hold integer node ids, got dtype float64"),
            ([0, 1], ["a", "b"], None, "n_nodes is for nodes that are numbered"),
            ([True, False], [0, 1], None, "u must hold integer node ids, got dtype bool"),
            ([0, -2], [1, 0], None, "u[1] = -2 is not a node: nodes are 0 to 3"),
            ([0, 1], [4, 0], None, "v[0] = 4 is not a node: nodes are 0 to 3"),
            ([0, 1], [1], None, "same length, got shapes (2,), (1,) and (2,)"),
            ([0, 1], [1, 0], [1.0], "same length, got shapes (2,), (2,) and (1,)"),
            ([0, 1], [1, 0], 1.0, "same length, got shapes (2,), (2,) and ()"),
            ([[0, 1]], [[1, 0]], None, "same length, got shapes (1, 2), (1, 2) and (1, 2)"),
            ([0, 1], [1, 0], [1.0, -1], "A[1, 0] = -1.0; weights must be finite"),
            ([0, 1], [1, 0], [np.nan, 1], "A[0, 1] = nan; weights must be finite"),
        ],
    )
    @pytest.mark.parametrize("symmetrize", [None, "max"])
    def test_invalid_edges_are_rejected(self, u, v, weight, message, symmetrize):
        with rejected(message):
            Graph.from_edges(u, v, weight, n_nodes=4, symmetrize=symmetrize)

    def test_negative_id_without_n_nodes(self):
        with rejected("v[0] = -1 is not a node: nodes are 0 to 1"):
            Graph.from_edges([0, 1], [-1, 0])

    def test_unknown_symmetrize(self):
        with rejected("""symmetrize must be "sum", "max" or "mean", got 'add'"""):
            Graph.from_edges([0], [1], symmetrize="add")

    def test_invalid_n_nodes(self):
        with pytest.raises(TypeError):
            Graph.from_edges([0], [1], n_nodes=2.5)
        with rejected("got -1"):
            Graph.from_edges([], [], n_nodes=-1)

    def test_offset_type(self):
        assert _adjacency.offset_type(0) is np.int32
        assert _adjacency.offset_type(2**31 - 1) is np.int32
        assert _adjacency.offset_type(2**31) is np.int64

    def test_offset_type_depends_on_the_number_of_entries(self):
        with mock.patch.object(_adjacency, "offset_type", return_value=np.int64) as choice:
            graph = Graph.from_edges([0, 1], [1, 2], symmetrize="sum")
        choice.assert_called_once_with(4)
        assert graph.indptr.dtype == np.int64
        assert graph.indices.dtype == np.int32


class TestNetworkx:
    """Graphs from networkx."""

    def test_round_trip(self):
        nx = pytest.importorskip("networkx")
        source = nx.Graph()
        source.add_nodes_from(["c", "a", "isolated", "b"])
        source.add_weighted_edges_from([("a", "b", 2.5), ("c", "a", 1.0), ("b", "b", 4.0)])
        graph = Graph.wrap(source)
        expected = nx.to_numpy_array(source, nodelist=list(source.nodes))
        np.testing.assert_array_equal(graph.adjacency.toarray(), expected)
        assert nx.utils.graphs_equal(
            nx.relabel_nodes(
                nx.from_scipy_sparse_array(graph.adjacency), dict(enumerate(source.nodes))
            ),
            source,
        )

    def test_weight_attribute(self):
        nx = pytest.importorskip("networkx")
        source = nx.Graph()
        source.add_edge(0, 1, cost=3, weight=5)
        source.add_edge(1, 2, weight=7)
        assert Graph.from_networkx(source, weight="cost").weights.tolist() == [3, 3, 1, 1]
        assert Graph.from_networkx(source).weights.tolist() == [5, 5, 7, 7]
        assert Graph.from_networkx(source, weight=None).weights is None
        assert Graph.wrap(nx.karate_club_graph()).total_weight == 2 * 231
        assert Graph.wrap(nx.path_graph(3)).weights is None

    def test_parallel_edges_are_summed(self):
        nx = pytest.importorskip("networkx")
        source = nx.MultiGraph([(0, 1), (1, 0), (1, 1), (1, 1)])
        source.add_edge(1, 2, weight=0.5)
        expected = [[0, 2, 0], [2, 2, 0.5], [0, 0.5, 0]]
        np.testing.assert_array_equal(Graph.wrap(source).adjacency.toarray(), expected)

    def test_subclasses_and_few_nodes(self):
        nx = pytest.importorskip("networkx")
        own = type("Own", (nx.Graph,), {})
        assert Graph.wrap(own([(0, 1)])).n_entries == 2
        assert Graph.wrap(nx.Graph()).n_nodes == 0
        assert Graph.wrap(nx.empty_graph(2)).n_nodes == 2

    def test_directed_graph_is_rejected_with_a_remedy_that_works(self):
        nx = pytest.importorskip("networkx")
        source = nx.DiGraph([(0, 1), (1, 2)])
        with rejected("is directed: pass graph.to_undirected(), which"):
            Graph.wrap(source)
        assert Graph.wrap(source.to_undirected()).n_entries == 4

    def test_remedy_for_opposite_edges_adds_up_their_weights(self):
        nx = pytest.importorskip("networkx")
        graph = nx.DiGraph()
        graph.add_weighted_edges_from([("a", "b", 2.0), ("b", "a", 3.0)])
        with rejected('Graph.from_edges(networkx.to_pandas_edgelist(graph), symmetrize="sum")'):
            Graph.wrap(graph)
        summed = Graph.from_edges(nx.to_pandas_edgelist(graph), symmetrize="sum")
        assert summed.weights.tolist() == [5, 5]

    def test_weight_that_is_not_a_number(self):
        nx = pytest.importorskip("networkx")
        source = nx.Graph()
        source.add_edge(0, 1, weight=None)
        with rejected("weights must be real numbers, got dtype object"):
            Graph.wrap(source)


class TestIgraph:
    """Graphs from igraph."""

    def test_round_trip(self):
        igraph = pytest.importorskip("igraph")
        source = igraph.Graph(5, [(0, 1), (3, 1), (3, 3)])
        source.es["weight"] = [2.5, 1.0, 4.0]
        graph = Graph.wrap(source)
        expected = np.zeros((5, 5))
        expected[[0, 1, 1, 3, 3], [1, 0, 3, 1, 3]] = [2.5, 2.5, 1, 1, 4]
        np.testing.assert_array_equal(graph.adjacency.toarray(), expected)
        upper = sparse.triu(graph.adjacency)
        back = igraph.Graph(5, list(zip(*upper.coords, strict=True)))
        back.es["weight"] = upper.data
        assert back.get_adjacency_sparse("weight").toarray().tolist() == (
            source.get_adjacency_sparse("weight").toarray().tolist()
        )

    def test_weight_attribute(self):
        igraph = pytest.importorskip("igraph")
        source = igraph.Graph(3, [(0, 1), (1, 2)])
        assert Graph.from_igraph(source).weights is None
        source.es["cost"] = [2, 3]
        assert Graph.from_igraph(source).weights is None
        assert Graph.from_igraph(source, weight="cost").weights.tolist() == [2, 2, 3, 3]
        assert Graph.from_igraph(source, weight=None).weights is None

    def test_parallel_edges_are_summed(self):
        igraph = pytest.importorskip("igraph")
        source = igraph.Graph(2, [(0, 1), (1, 0), (1, 1), (1, 1)])
        np.testing.assert_array_equal(Graph.wrap(source).adjacency.toarray(), [[0, 2], [2, 2]])

    @pytest.mark.parametrize("n", [0, 1, 2])
    def test_few_nodes(self, n):
        igraph = pytest.importorskip("igraph")
        assert Graph.wrap(igraph.Graph(n)).n_nodes == n

    def test_directed_graph_is_rejected_with_a_remedy_that_works(self):
        igraph = pytest.importorskip("igraph")
        source = igraph.Graph(2, [(0, 1), (1, 0)], directed=True)
        source.es["weight"] = [1.0, 2.0]
        with rejected('pass graph.as_undirected(combine_edges="sum")'):
            Graph.wrap(source)
        remedy = Graph.wrap(source.as_undirected(combine_edges="sum"))
        assert remedy.weights.tolist() == [3, 3]

    def test_missing_weight(self):
        igraph = pytest.importorskip("igraph")
        source = igraph.Graph(3, [(0, 1), (1, 2)])
        source.es[0]["weight"] = 2.0
        with rejected("weights must be real numbers, got dtype object"):
            Graph.wrap(source)


class TestWrap:
    """Any supported input."""

    def test_graph_is_returned_unchanged(self):
        graph = Graph(PATH)
        assert Graph.wrap(graph) is graph

    @pytest.mark.parametrize(
        "make", [np.array, np.ndarray.tolist, sparse.csr_array, sparse.coo_matrix]
    )
    def test_matrices(self, make):
        np.testing.assert_array_equal(Graph.wrap(make(PATH)).adjacency.toarray(), PATH)

    def test_data_frame(self):
        pandas = pytest.importorskip("pandas")
        graph = Graph.wrap(pandas.DataFrame(PATH))
        np.testing.assert_array_equal(graph.adjacency.toarray(), PATH)

    @pytest.mark.parametrize("obj", [3, b"graph", None, {0: [1]}, object()])
    @pytest.mark.parametrize("make", [Graph, Graph.wrap])
    def test_unsupported_objects_are_rejected(self, obj, make):
        message = f"cannot make a Graph from {type(obj).__name__}: give a scipy sparse matrix"
        with pytest.raises(TypeError, match=message + ".*networkx or igraph graph"):
            make(obj)

    def test_a_graph_of_a_library_is_no_matrix(self):
        networkx = pytest.importorskip("networkx")
        with pytest.raises(TypeError, match=r"use Graph\.from_networkx"):
            Graph(networkx.path_graph(3))

    def test_neither_package_is_imported_for_a_matrix(self):
        program = (
            "import sys, numpy; from powercut.graphs.graph import Graph; Graph.wrap(numpy.eye(2));"
            "print({'networkx', 'igraph'} & set(sys.modules))"
        )
        command = [sys.executable, "-c", program]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        assert result.stdout.strip() == "set()"


@pytest.mark.parametrize("symmetrize", ["sum", "max", "mean"])
def test_repeated_edges_are_counted(symmetrize, tmp_path):
    u, v = [0, 0, 1, 0, 2, 2], [1, 1, 0, 1, 2, 2]  # twice again, and one loop again
    graph = Graph.from_edges(u, v, symmetrize=symmetrize)
    assert graph.n_repeats == 3
    path = tmp_path / "graph.txt"
    path.write_text("".join(f"{a} {b}\n" for a, b in zip(u, v, strict=True)))
    read = read_graph(path, symmetrize=symmetrize).graph
    assert read.n_repeats == 3
    np.testing.assert_array_equal(read.adjacency.toarray(), graph.adjacency.toarray())
    path.write_text("0 1 2\n1 2 5\n1 0 2\n2 1 5\n")
    assert read_graph(path).graph.n_repeats == 0
    assert Graph.from_edges([0, 1], [1, 0]).n_repeats == 0
