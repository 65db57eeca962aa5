"""Tasks that read the rows of a graph, in parts: propose moves, find nodes to revisit, divide."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from powercut import _core
from powercut._atomic import atomic_open
from powercut._typing import LABEL, Array
from powercut.disk.reader import open_verified
from powercut.graphs.graph import Graph
from powercut.remote.shared_state import mapped_state

DEGREES = "degrees.npy"


class Task(Protocol):
    """Work that can be sent to another process; each call does one part of it."""

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:
        """Return the result of one of `n_parts` parts; `local` is a folder on the worker."""


def part_of(n: int, part: int, n_parts: int) -> slice:
    """Return the slice of n items that belongs to one of `n_parts` parts."""
    return slice(n * part // n_parts, n * (part + 1) // n_parts)


@dataclass(frozen=True)
class MappedRows:
    """Where the rows of a graph are: a graph folder and, beside it, the degrees."""

    folder: Path

    def write_degrees(self, graph: Graph) -> None:
        """Write the degrees once, so that tasks need not sum the rows."""
        # Workers of a driver that was killed may still map the old file, which must not shrink.
        with atomic_open(self.folder.with_name(DEGREES)) as file:
            np.save(file, graph.degrees)

    @property
    def graph(self) -> "_core._GraphArrays":
        """The rows, memory-mapped."""
        return _mapped_rows(self.folder)

    @property
    def nodes(self) -> "_core._NodeArrays":
        """(volume, weight, count) of the nodes, as native code takes it."""
        return _mapped_degrees(self.folder), None, None


@lru_cache(maxsize=1)
def _mapped_rows(folder: Path) -> "_core._GraphArrays":
    # The process that commits the moves has verified the checksums.
    return open_verified(folder).arrays


@lru_cache(maxsize=1)
def _mapped_degrees(folder: Path) -> Array:
    degrees: Array = np.load(folder.with_name(DEGREES), mmap_mode="r")
    return degrees


@dataclass(frozen=True)
class FindProposals:
    """Propose the best moves of the nodes of a batch, once the log is applied up to `end`."""

    rows: MappedRows
    session: Path
    begin: int
    end: int
    objective: "_core._Objective"

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:
        """Return the proposals of one part of the batch, consecutive nodes."""
        state = mapped_state(self.session, local)
        state.advance(self.end)
        batch = state.session.nodes(self.begin)
        some = part_of(len(batch), part, n_parts)
        proposals = _core.propose_moves(
            self.rows.graph,
            self.rows.nodes,
            state.labels,
            state.stats,
            self.objective,
            batch,
            some.start,
            some.stop,
        )
        return list(proposals)


@dataclass(frozen=True)
class FindNodesToRevisit:
    """Find the nodes to revisit: neighbours of moved nodes, not visited since the move."""

    rows: MappedRows
    session: Path
    begin: int
    end: int

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:
        """Return the neighbours to revisit for one part of the moved nodes."""
        state = mapped_state(self.session, local)
        state.advance(self.end)
        moved = state.session.nodes(self.begin)
        some = moved[part_of(len(moved), part, n_parts)]
        return [_core.nodes_to_revisit(self.rows.graph, state.labels, state.batch_of, some)]


@dataclass(frozen=True)
class DivideClusters:
    """Split clusters into subclusters; ``parts.npy`` says which part has which cluster."""

    rows: MappedRows
    folder: Path
    objective: "_core._Objective"
    seed: int

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:  # noqa: ARG002
        """Return, for one part, the subclusters per cluster and the subcluster of each node."""
        labels = np.load(self.folder / "labels.npy")
        mine = np.load(self.folder / "parts.npy") == part
        subclusters, _ = _core.divide(
            self.rows.graph,
            self.rows.nodes,
            labels,
            len(mine),
            mine,
            self.objective,
            1,
            self.seed,
            None,
        )
        members = np.flatnonzero(mine[labels])
        cluster, subcluster = labels[members], subclusters[members]
        # The subclusters of a cluster have consecutive numbers.
        lowest = np.full(len(mine), len(labels), dtype=LABEL)
        highest = np.full(len(mine), -1, dtype=LABEL)
        np.minimum.at(lowest, cluster, subcluster)
        np.maximum.at(highest, cluster, subcluster)
        return [(highest - lowest + 1)[mine], subcluster - lowest[cluster]]
