"""Graph: a validated symmetric adjacency matrix, made from arrays or other libraries' graphs."""

import operator
import os
from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import gammaln

from powercut import _core
from powercut._typing import Array, FloatArray, IntArray
from powercut._utils import cached_property, slices
from powercut.graphs._adjacency import (
    CHUNK,
    Index,
    Weights,
    as_float,
    canonical,
    check_dtype,
    check_ids,
    check_size,
    compact,
    count_loops,
    csr,
    csr_of_entries,
    dense,
    read_only,
    row_sums,
    symmetrized,
    to_csr,
)
from powercut.graphs._frames import (
    Column,
    as_ends,
    edges_of_frame,
    frame_library,
    is_table_of_edges,
    number_nodes,
)
from powercut.graphs._from_libraries import (
    igraph_edges,
    igraph_names,
    library_of,
    networkx_edges,
    networkx_names,
)
from powercut.graphs.gap_code import GapCodes
from powercut.search.remote_workers import GraphWorkers


class Graph:
    """An undirected graph: a symmetric matrix A of non-negative weights.

    The input is validated here, once; the functions that take a `Graph` do not repeat the
    checks. A scipy CSR matrix with sorted rows and no duplicates, int32 or int64 indices and
    float32 or float64 data is used without a copy; do not change it as long as the graph is used.

    Parameters
    ----------
    adjacency : sparse matrix or array, or dense array-like, of shape (n_nodes, n_nodes)
        Any scipy format, or a dense matrix in which 0 or a masked entry means no edge.
        See `from_edges`, `from_networkx` and `from_igraph` for other inputs, and
        `wrap` for a constructor that accepts all of them.

    Attributes
    ----------
    indptr, indices : ndarray of int32 or int64
        Compressed sparse rows (CSR), sorted: the neighbours of node i are
        ``indices[indptr[i]:indptr[i + 1]]``.
    weights : ndarray of float32 or float64, or None
        The weight of each entry; None if every weight is exactly 1.
    n_repeats : int
        How many edges of a list, of `from_edges` or a file, repeat an earlier one in the same
        direction: their weights were summed. Edges without weights are counted.
    names : ndarray of shape (n_nodes,) or None
        Names of the nodes, of a table of edges, a file, or a graph of another library: integers,
        or objects such as strings. None if they are 0, 1, 2, ...

    Notes
    -----
    - **Asymmetric** matrices are rejected: A[i, j] and A[j, i] may differ by a
      relative 1e-8 (float32: 1e-4). Use ``Graph.from_edges`` with ``symmetrize="sum"``,
      ``"max"`` or ``"mean"`` to make them symmetric.
    - **Negative, infinite and NaN weights** are rejected before duplicates are
      summed; so are complex numbers, objects and strings.
    - **Duplicates** are summed, explicit **zeros** are dropped and unsorted
      rows are sorted, each on a copy. Booleans count as 0 and 1 in such sums.
    - **Self-loops** are kept: A[i, i] counts once in the degree of i.
    - **Isolated nodes** are kept. A graph may have no nodes.
    - **Weights** that are all 1, of any type, are not stored. Weights of other types than
      float32 and float64 become float64.
    - **Size**: at most 2^31 - 1 nodes, unless powercut was built with 64-bit node numbers. The
      number of entries may exceed 2^31.
    - **The caller's arrays are never written to.** They may be read-only or
      memory-mapped. The graph keeps read-only views of them, so they must not be
      changed during its lifetime.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from powercut import Graph
    >>> graph = Graph(csr_array([[0.0, 2.0, 0.0], [2.0, 0.0, 1.0], [0.0, 1.0, 0.0]]))
    >>> graph
    Graph(3 nodes, 2 edges, weighted)
    >>> graph.degrees
    array([2., 3., 1.])
    >>> Graph.from_edges([0, 1, 2], [1, 2, 2], symmetrize="sum").adjacency.toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 1.]])
    """

    indptr: Index
    weights: Weights | None
    # The indices of a folder in gap code.
    _gaps: GapCodes | None = None
    # Remote workers that read the rows of a large graph in place of the threads of this process.
    workers: GraphWorkers | None = None
    n_repeats: int = 0
    names: npt.NDArray[Any] | None = None
    # The library of the table of edges, in which results are returned as well.
    frame_library: str | None = None

    def __init__(self, adjacency: Any) -> None:
        if not sparse.issparse(adjacency):
            library = library_of(adjacency)
            if library is not None:
                raise TypeError(f"Graph takes a matrix: use Graph.from_{library}")
            adjacency = dense(adjacency)
        if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
            raise ValueError(f"the adjacency must be square, got shape {adjacency.shape}")
        check_size(adjacency.shape[0])
        check_dtype(adjacency.dtype)
        indptr, indices, weights = canonical(to_csr(adjacency))
        self.indptr, self.indices = read_only(indptr), read_only(indices)
        self.weights = None if weights is None else read_only(weights)
        self._check_symmetry()
        self.check_sum()

    @classmethod
    def from_edges(
        cls,
        u: Any,
        v: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | Column | None = None,
        *,
        source: Column | None = None,
        target: Column | None = None,
        n_nodes: int | None = None,
        symmetrize: Literal["sum", "max", "mean"] | None = None,
    ) -> Self:
        """Make a graph from a list of edges: two arrays, or a table.

        Parameters
        ----------
        u : array-like of int or str; or a table
            One end of each edge. Integers are the numbers of nodes, from 0; strings are their
            names. The weights of repeated pairs are summed, and `n_repeats` counts them. Or a
            data frame of pandas or polars, an Arrow table, or any table with
            ``__arrow_c_stream__``, of two or three columns: the two ends of each edge, and its
            weight. Integers in a table are names, too.
        v : array-like of int or str, optional
            The other end of each edge; not for a table.
        weight : array-like of real numbers, optional
            Weight of each edge, by default 1. The name or position of a column, for a table.
        source, target : str or int, optional
            Names or positions of the columns of a table that hold the two ends.
        n_nodes : int, optional
            Number of nodes, if they are numbered; by default the largest node, plus 1.
        symmetrize : {"sum", "max", "mean"}, optional
            How a[i, j] and a[j, i] combine to A[i, j] = A[j, i]; an absent entry
            is 0. If each undirected edge is listed once, use "sum" or "max".
            A self-loop stays A[i, i] = a[i, i] under every choice. By default
            both directions must be present and equal; for a table, "max".

        Examples
        --------
        >>> from powercut import Graph
        >>> Graph.from_edges([0, 1], [1, 0], [3.0, 1.0], symmetrize="mean").weights
        array([2., 2.])

        >>> import pandas as pd
        >>> calls = pd.DataFrame(
        ...     {"caller": ["ann", "bob"], "day": [3, 4], "called": ["bob", "carl"]}
        ... )
        >>> graph = Graph.from_edges(calls, source="caller", target="called")
        >>> graph, graph.names
        (Graph(3 nodes, 2 edges, unweighted), array(['ann', 'bob', 'carl'], dtype=object))
        """
        if symmetrize not in (None, "sum", "max", "mean"):
            raise ValueError(f'symmetrize must be "sum", "max" or "mean", got {symmetrize!r}')
        names, library = None, frame_library(u)
        if library is not None:
            if v is not None or n_nodes is not None:
                raise ValueError("v and n_nodes are not for tables; name columns by source, target")
            rows, columns, weight = edges_of_frame(u, source, target, weight)
            rows, columns, names = number_nodes(rows, columns)
            symmetrize = symmetrize or "max"
        else:
            if v is None or source is not None or target is not None:
                raise ValueError("pass two arrays, u and v; source and target are for tables")
            rows, columns = as_ends("u", u), as_ends("v", v)
            if object in (rows.dtype, columns.dtype):
                if n_nodes is not None:
                    raise ValueError("n_nodes is for nodes that are numbered, not for names")
                rows, columns, names = number_nodes(rows, columns)
        if names is not None:
            n_nodes = len(names)
        if weight is None:
            # int32 counts duplicates exactly, in half the memory of float64.
            data: Array = np.ones(rows.shape, dtype=np.int32)
        else:
            data = np.asarray(weight)
            check_dtype(data.dtype)
            data = as_float(data)
        if n_nodes is None:
            n_nodes = 1 + max((int(ids.max()) for ids in (rows, columns) if ids.size), default=-1)
        check_size(n := operator.index(n_nodes))
        check_ids("u", rows, n)
        check_ids("v", columns, n)
        matrix = csr_of_entries(rows, columns, data, n)
        n_repeats = rows.size - matrix.nnz
        if symmetrize is not None:
            matrix = symmetrized(matrix, symmetrize)
        graph = cls(compact(matrix))
        graph.n_repeats, graph.names, graph.frame_library = n_repeats, names, library
        return graph

    @classmethod
    def _of_rows(cls, indptr: Index, indices: Index | GapCodes, weights: Weights | None) -> Self:
        """Make a graph from CSR arrays that are known to be valid, without checking them.

        The rows must be sorted and free of duplicates, the matrix symmetric, the weights
        positive. For arrays that powercut made itself.
        """
        graph = cls.__new__(cls)
        graph.indptr = read_only(indptr)
        if isinstance(indices, GapCodes):
            codes, starts, wraps = indices
            graph._gaps = GapCodes(read_only(codes), read_only(starts), read_only(wraps))
        else:
            graph.indices = read_only(indices)
        graph.weights = None if weights is None else read_only(weights)
        return graph

    @classmethod
    def from_networkx(cls, graph: Any, *, weight: str | None = "weight") -> Self:
        """Make a graph from an undirected networkx graph; node i is ``list(graph.nodes)[i]``.

        Parameters
        ----------
        graph : networkx.Graph or networkx.MultiGraph
            Parallel edges are summed.
        weight : str, optional
            The edge attribute that holds the weight; an edge without it has weight 1.
            None: every edge has weight 1. A name other than "weight" that no edge has is an error.
        """
        u, v, values, n_nodes = networkx_edges(graph, weight)
        made = cls.from_edges(u, v, values, n_nodes=n_nodes, symmetrize="sum")
        made.names = networkx_names(graph)
        return made

    @classmethod
    def from_igraph(cls, graph: Any, *, weight: str | None = "weight") -> Self:
        """Make a graph from an undirected igraph graph, with its vertex ids.

        Its names are those of the vertex attribute "name", if there is one.

        Parameters
        ----------
        graph : igraph.Graph
            Parallel edges are summed.
        weight : str, optional
            The edge attribute that holds the weight. If it is None, or "weight" and the graph
            has no such attribute, every edge has weight 1.
        """
        u, v, values, n_nodes = igraph_edges(graph, weight)
        made = cls.from_edges(u, v, values, n_nodes=n_nodes, symmetrize="sum")
        made.names = igraph_names(graph)
        return made

    @classmethod
    def wrap(cls, obj: Any) -> "Graph":
        """Make a graph from any supported object; a Graph is returned unchanged.

        Estimators pass their input through this function. It accepts a scipy sparse matrix
        or array, a dense 2-D array, an undirected networkx or igraph graph (with its weights
        in the edge attribute "weight"), a table of edges (two or three columns, as in
        `from_edges`), or a Graph.
        """
        if isinstance(obj, Graph):
            return obj
        if isinstance(getattr(obj, "graph", None), Graph):
            raise TypeError(
                f"a {type(obj).__name__} has a graph, and is none: pass its attribute graph, which "
                "keeps the names of the nodes"
            )
        if isinstance(obj, str | os.PathLike):
            raise TypeError(
                f"{os.fspath(obj)!r} is a path: read a file with powercut.io.read_graph, open a "
                "folder of powercut.disk.write_blocks with powercut.disk.open_blocks"
            )
        library = library_of(obj)
        if library == "networkx":
            return cls.from_networkx(obj)
        if library == "igraph":
            return cls.from_igraph(obj)
        if is_table_of_edges(obj):
            return cls.from_edges(obj)
        return cls(obj)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    @property
    def n_entries(self) -> int:
        """Number of stored entries: two per edge, one per self-loop."""
        return int(self.indptr[-1])

    @property
    def n_edges(self) -> int:
        """Number of edges, including self-loops."""
        return (self.n_entries + self._n_loops) // 2

    @property
    def has_self_loops(self) -> bool:
        """Whether an entry is on the diagonal of A."""
        return self._n_loops > 0

    @property
    def arrays(self) -> tuple[Index, Index | GapCodes, Weights | None]:
        """The arrays (indptr, indices, weights), as native code takes them: in gap code or not."""
        return self.indptr, self.indices if self._gaps is None else self._gaps, self.weights

    @cached_property
    def indices(self) -> Index:
        """The columns of all rows; those of a folder in gap code are decoded, into memory."""
        return read_only(self.columns(0, self.n_nodes))

    def columns(self, first: int, end: int) -> Index:
        """Return the columns of the rows from `first` to `end`, `end` excluded."""
        if self._gaps is not None:
            return _core.columns(self.arrays, first, end)
        return self.indices[self.indptr[first] : self.indptr[end]]

    @property
    def adjacency(self) -> Any:
        """The matrix A as a `scipy.sparse.csr_array`, read-only; float64 ones when unweighted."""
        data = np.ones(self.n_entries) if self.weights is None else self.weights
        return csr(self.indptr, self.indices, data)

    @cached_property
    def degrees(self) -> npt.NDArray[np.float64]:
        """Weighted degree of each node: the sum of its row of A, in float64."""
        if self.weights is None:
            return read_only(np.diff(self.indptr).astype(np.float64))
        return read_only(row_sums(self.indptr, self.weights))

    @cached_property
    def total_weight(self) -> float:
        """Sum of all entries of A: each edge counts twice, each self-loop once."""
        return float(self.degrees.sum())

    def weight_chunks(self) -> Iterator[Weights]:
        """Yield the weights of all entries in chunks; nothing if the graph is unweighted."""
        if self.weights is not None:
            yield from (self.weights[some] for some in slices(self.n_entries, CHUNK))

    @cached_property
    def log_factorials(self) -> float:
        """Sum of ``ln(w!)`` over all entries w of A, for weights that are counts."""
        return sum(float(gammaln(some + 1.0).sum()) for some in self.weight_chunks())

    @cached_property
    def degree_histogram(self) -> tuple[FloatArray, IntArray]:
        """The distinct degrees in ascending order, and how many nodes have each."""
        return np.unique(self.degrees, return_counts=True)

    @cached_property
    def isolated(self) -> npt.NDArray[np.bool_]:
        """Whether each node has no neighbour; a self-loop does not count as one."""
        length = np.diff(self.indptr)
        isolated: npt.NDArray[np.bool_] = length == 0
        single = np.flatnonzero(length == 1)
        if self._gaps is None:
            isolated[single] = self.indices[self.indptr[single]] == single
        else:
            isolated[single] = self._gaps.only_columns(single) == single
        return isolated

    @cached_property
    def _n_loops(self) -> int:
        return count_loops(self.indptr, self.columns)

    def check_sum(self) -> None:
        """Raise if the sum of the weights overflows, or is too small to be exact."""
        if self.weights is None or not len(self.weights):
            return
        with np.errstate(over="ignore"):
            total = sum(float(some.sum(dtype=np.float64)) for some in self.weight_chunks())
        if not np.finfo(np.float64).tiny <= total < np.inf:
            raise ValueError(
                f"the weights add up to {total:g}, which float64 cannot hold; rescale them, such "
                f"as A / A.max() (the largest is {self.weights.max():g})"
            )

    def _check_symmetry(self) -> None:
        single = self.weights is not None and self.weights.dtype == np.float32
        found = _core.first_asymmetry(self.arrays, 1e-4 if single else 1e-8)
        if found is not None:
            i, j = found
            matrix = None if self.weights is None else self.adjacency
            there, back = (1, 0) if matrix is None else (matrix[i, j], matrix[j, i])
            raise ValueError(
                f"the adjacency is not symmetric: A[{i}, {j}] = {there} but A[{j}, {i}] = {back}; "
                'combine both directions with Graph.from_edges(..., symmetrize="sum") '
                '(or "max", "mean"), or pass A.maximum(A.T)'
            )

    def __repr__(self) -> str:
        kind = "unweighted" if self.weights is None else "weighted"
        return f"Graph({self.n_nodes} nodes, {self.n_edges} edges, {kind})"
