"""Graph: one checked symmetric adjacency, made from anything people hold."""

import operator
import os
from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import gammaln

from powercut import _core
from powercut._typing import Array
from powercut._utils import cached_property, slices
from powercut.graphs._adjacency import (
    BLOCK,
    Index,
    Weights,
    as_float,
    as_ids,
    canonical,
    check_dtype,
    check_ids,
    check_size,
    compact,
    csr,
    csr_of_entries,
    dense,
    read_only,
    row_blocks,
    symmetrized,
    to_csr,
)
from powercut.search.workers import GraphWorkers


class Graph:
    """An undirected graph: a symmetric matrix A of weights that are not negative.

    Everything is checked here, once, so that nothing after needs to. A scipy
    CSR matrix with sorted rows and no duplicates, int32 or int64 indices and
    float32 or float64 data is used as it is, without a copy.

    Parameters
    ----------
    adjacency : sparse matrix or array, or dense array-like, of shape (n_nodes, n_nodes)
        Any scipy format, or a dense matrix in which 0 (or a mask) means no edge.
        See `from_edges`, `from_networkx` and `from_igraph` for other inputs, and
        `wrap` for all of them.

    Attributes
    ----------
    indptr, indices : ndarray of int32 or int64
        Compressed sorted rows: the neighbours of node i are
        ``indices[indptr[i]:indptr[i + 1]]``.
    weights : ndarray of float32 or float64, or None
        The weight of each entry; None if every weight is exactly 1.

    Notes
    -----
    - **Asymmetric** matrices are refused: A[i, j] and A[j, i] may differ by a
      relative 1e-8 (float32: 1e-4). ``Graph.from_edges(..., symmetrize="sum")``,
      ``"max"`` or ``"mean"`` makes a symmetric one.
    - **Negative, infinite and NaN weights** are refused, before duplicates are
      summed; so are complex numbers, objects and strings.
    - **Duplicates** are summed, explicit **zeros** are absent edges, unsorted
      rows are sorted: each on a copy. Booleans count as 0 and 1 in such sums.
    - **Self-loops** are kept: A[i, i] counts once in the degree of i.
    - **Isolated nodes** are kept. No node at all is a graph too.
    - **Weights** that are all 1, of whatever type, are dropped; other types than
      float32 and float64 become float64.
    - **Size**: at most 2^31 - 1 nodes. Entries may pass 2^31.
    - **The caller's arrays are never written to.** They may be read-only or
      memory-mapped. The graph sees them as read-only, and they must not be
      changed while it lives.

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
    indices: Index
    weights: Weights | None
    # Who reads the rows of a large graph, if it is not the threads of this process.
    workers: GraphWorkers | None = None

    def __init__(self, adjacency: Any) -> None:
        if not sparse.issparse(adjacency):
            adjacency = dense(adjacency)
        if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
            raise ValueError(f"the adjacency must be square, got shape {adjacency.shape}")
        check_size(adjacency.shape[0])
        check_dtype(adjacency.dtype)
        indptr, indices, weights = canonical(to_csr(adjacency))
        self.indptr, self.indices = read_only(indptr), read_only(indices)
        self.weights = None if weights is None else read_only(weights)
        self._check_symmetry()

    @classmethod
    def from_edges(
        cls,
        u: npt.ArrayLike,
        v: npt.ArrayLike,
        weight: npt.ArrayLike | None = None,
        *,
        n_nodes: int | None = None,
        symmetrize: Literal["sum", "max", "mean"] | None = None,
    ) -> Self:
        """Make a graph from the entries A[u[i], v[i]] = weight[i] of its matrix.

        Parameters
        ----------
        u, v : array-like of int
            Nodes, counted from 0. A pair that occurs more than once is summed.
        weight : array-like of real numbers, optional
            By default every entry is 1.
        n_nodes : int, optional
            By default the largest node in `u` and `v`, plus 1.
        symmetrize : {"sum", "max", "mean"}, optional
            How a[i, j] and a[j, i] combine to A[i, j] = A[j, i]; an absent entry
            is 0. Where each undirected edge is listed once use "sum" or "max".
            A self-loop stays A[i, i] = a[i, i] under every choice. By default
            both directions must be there, and agree.

        Examples
        --------
        >>> from powercut import Graph
        >>> Graph.from_edges([0, 1], [1, 0], [3.0, 1.0], symmetrize="mean").weights
        array([2., 2.])
        """
        if symmetrize not in (None, "sum", "max", "mean"):
            raise ValueError(f'symmetrize must be "sum", "max" or "mean", got {symmetrize!r}')
        rows, columns = as_ids("u", u), as_ids("v", v)
        if weight is None:
            # Duplicates are counted exactly, in half of the memory of float64.
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
        if symmetrize is not None:
            matrix = symmetrized(matrix, symmetrize)
        return cls(compact(matrix))

    @classmethod
    def _of_rows(cls, indptr: Index, indices: Index, weights: Weights | None) -> Self:
        """Take compressed rows that were made here: symmetric, sorted and positive, unread."""
        graph = cls.__new__(cls)
        graph.indptr, graph.indices = read_only(indptr), read_only(indices)
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
            The edge attribute that holds the weight; an edge without it weighs 1.
            None: every edge weighs 1.
        """
        if graph.is_directed():
            raise ValueError(
                "the networkx graph is directed: make it undirected with "
                "Graph.from_networkx(graph.to_undirected()), or combine both directions with "
                'Graph.from_edges(..., symmetrize="sum")'
            )
        number = {node: i for i, node in enumerate(graph)}
        ends = np.fromiter((number[node] for edge in graph.edges() for node in edge), np.int32)
        values = None
        if weight is not None:
            values = np.array([w for _, _, w in graph.edges(data=weight, default=1)])
        return cls.from_edges(ends[::2], ends[1::2], values, n_nodes=len(number), symmetrize="sum")

    @classmethod
    def from_igraph(cls, graph: Any, *, weight: str | None = "weight") -> Self:
        """Make a graph from an undirected igraph graph, with its vertex ids.

        Parameters
        ----------
        graph : igraph.Graph
            Parallel edges are summed.
        weight : str, optional
            The edge attribute that holds the weight. If the graph has none of
            this name, or with None, every edge weighs 1.
        """
        if graph.is_directed():
            raise ValueError(
                "the igraph graph is directed: make it undirected with "
                'Graph.from_igraph(graph.as_undirected(combine_edges="sum"))'
            )
        ends = np.array(graph.get_edgelist(), dtype=np.int32).reshape(-1, 2)
        values = graph.es[weight] if weight in graph.es.attributes() else None
        return cls.from_edges(
            ends[:, 0], ends[:, 1], values, n_nodes=graph.vcount(), symmetrize="sum"
        )

    @classmethod
    def wrap(cls, obj: Any) -> "Graph":
        """Make a graph from whatever `obj` is; a Graph is returned as it is.

        This is what estimators call. It takes a scipy sparse matrix or array, a
        dense 2-D array, an undirected networkx or igraph graph (with its weights
        in the edge attribute "weight"), or a Graph.
        """
        if isinstance(obj, Graph):
            return obj
        if isinstance(obj, str | os.PathLike):
            raise TypeError(
                f"{os.fspath(obj)!r} is a path: read a file with powercut.io.read_graph, open a "
                "folder of powercut.disk.write_blocks with powercut.disk.open_blocks"
            )
        # Known by where their classes come from, so that neither is imported here.
        packages = {kind.__module__.partition(".")[0] for kind in type(obj).__mro__}
        if hasattr(obj, "is_directed"):
            if "networkx" in packages:
                return cls.from_networkx(obj)
            if "igraph" in packages:
                return cls.from_igraph(obj)
        return cls(obj)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    @property
    def n_entries(self) -> int:
        """Number of stored entries: two for an edge, one for a self-loop."""
        return len(self.indices)

    @property
    def n_edges(self) -> int:
        """Number of edges, self-loops among them."""
        return (self.n_entries + self._n_loops) // 2

    @property
    def arrays(self) -> tuple[Index, Index, Weights | None]:
        """The arrays (indptr, indices, weights), as the native kernels take them."""
        return self.indptr, self.indices, self.weights

    @property
    def adjacency(self) -> Any:
        """The matrix A as a `scipy.sparse.csr_array`, read-only; float64 ones when unweighted."""
        data = np.ones(self.n_entries) if self.weights is None else self.weights
        return csr(self.indptr, self.indices, data)

    @cached_property
    def degrees(self) -> npt.NDArray[np.float64]:
        """Sum of each row of A, in float64."""
        if self.weights is None:
            return read_only(np.diff(self.indptr).astype(np.float64))
        degrees = np.zeros(self.n_nodes)
        for first, last in row_blocks(self.indptr):
            starts = self.indptr[first : last + 1]
            # To reduceat an empty row is not a sum of nothing but a single entry.
            rows = np.flatnonzero(starts[1:] > starts[:-1])
            degrees[first + rows] = np.add.reduceat(
                self.weights[starts[0] : starts[-1]], starts[rows] - starts[0], dtype=np.float64
            )
        return read_only(degrees)

    @cached_property
    def total_weight(self) -> float:
        """Sum of all entries of A: twice the weight of the edges, once that of self-loops."""
        return float(self.degrees.sum())

    def weight_blocks(self) -> Iterator[Weights]:
        """Yield the weights of all entries, some at a time; none if every weight is 1."""
        if self.weights is not None:
            yield from (self.weights[some] for some in slices(self.n_entries, BLOCK))

    @cached_property
    def log_factorials(self) -> float:
        """Sum of ``ln(w!)`` over all entries w of A, where weights are counts."""
        return sum(float(gammaln(some + 1.0).sum()) for some in self.weight_blocks())

    @cached_property
    def isolated(self) -> npt.NDArray[np.bool_]:
        """Whether each node has no neighbour; a self-loop is none."""
        length = np.diff(self.indptr)
        isolated: npt.NDArray[np.bool_] = length == 0
        single = np.flatnonzero(length == 1)
        isolated[single] = self.indices[self.indptr[single]] == single
        return isolated

    @cached_property
    def _n_loops(self) -> int:
        count = 0
        for first, last in row_blocks(self.indptr):
            starts = self.indptr[first : last + 1]
            rows = np.repeat(np.arange(first, last), np.diff(starts))
            count += int(np.count_nonzero(self.indices[starts[0] : starts[-1]] == rows))
        return count

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
