"""The ids by which users name the nodes of a graph, or points."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from powercut._typing import Array, Positions
from powercut._utils import cached_property


@dataclass(frozen=True)
class NodeIds:
    """The ids of the nodes of a graph: their names; 0, 1, ... n - 1 if these are None.

    They may be those of points, too. Messages call them by their `kind`.
    """

    names: Array | None
    n: int
    kind: str = "node"

    @cached_property
    def _sorted(self) -> tuple[Positions, Array]:
        assert self.names is not None
        order = np.argsort(self.names, kind="stable")
        return order, self.names[order]

    @cached_property
    def _place(self) -> dict[Any, int]:
        assert self.names is not None
        return {name: at for at, name in enumerate(self.names.tolist())}

    @property
    def _is_numbered(self) -> bool:
        return self.names is None or self.names.dtype.kind in "iu"

    def find(self, parameter: str, ids: Array) -> Positions:
        """Return the positions of nodes; -1 where there is no such node."""
        if not len(ids) or not self.n:
            return np.full(len(ids), -1, dtype=np.intp)
        if self._is_numbered != (ids.dtype.kind in "iu"):
            kinds = ("integers", "strings") if self._is_numbered else ("strings", "integers")
            raise ValueError(f"the {self.kind}s are {kinds[0]}, but {parameter} has {kinds[1]}.")
        if self.names is None:
            return np.where((ids >= 0) & (ids < self.n), ids, -1).astype(np.intp)
        if self._is_numbered:
            order, values = self._sorted
            at = np.minimum(np.searchsorted(values, ids), self.n - 1)
            return np.where(values[at] == ids, order[at], -1)
        place = self._place
        return np.fromiter((place.get(name, -1) for name in ids.tolist()), np.intp, len(ids))

    def known(self, parameter: str, ids: Array) -> Positions:
        """Return the positions of nodes; raise if there is no such node."""
        positions = self.find(parameter, ids)
        if len(ids) and positions.min() < 0:
            node = ids.tolist()[positions.argmin()]
            raise ValueError(f"{parameter} has {node!r}, which is not a {self.kind}.")
        return positions

    def unknown(self, parameter: str, ids: Array) -> Array:
        """Return the ids that are not nodes: integers in ascending order, strings in theirs."""
        others = ids[self.find(parameter, ids) < 0]
        if others.dtype.kind in "iu":
            return np.unique(others)
        return np.array(list(dict.fromkeys(others.tolist())), dtype=object)

    def with_others(self, others: Array) -> "NodeIds":
        """Return the ids with others after them."""
        n = self.n + len(others)
        if not len(others) or (self.names is None and np.array_equal(others, range(self.n, n))):
            return NodeIds(self.names, n)
        names = np.arange(self.n) if self.names is None else self.names
        return NodeIds(np.concatenate([names, others]) if self.n else others, n)

    def name(self, position: int) -> Any:
        """Return the id of a node."""
        return int(position) if self.names is None else self.names.tolist()[position]

    def names_without(self, gone: Positions) -> Array | None:
        """Return the names of the nodes that stay; None if they are 0, 1, 2, ..."""
        if self.names is None and not len(gone):
            return None
        names = np.delete(np.arange(self.n) if self.names is None else self.names, gone)
        return None if np.array_equal(names, range(len(names))) else names
