"""What is asked of those who read rows: a part of a block, of a round, of the clusters."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from powercut import _core
from powercut._typing import Array
from powercut.disk.reader import open_blocks
from powercut.graphs.graph import Graph
from powercut.remote.state import mapped_state

DEGREES = "degrees.npy"


class Task(Protocol):
    """Work that can be sent: each call does a part of it."""

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:
        """Return the answer of one of `n_parts` parts; `local` is a folder of this machine."""


def part_of(n: int, part: int, n_parts: int) -> slice:
    """Return which of n items one of several parts has."""
    return slice(n * part // n_parts, n * (part + 1) // n_parts)


@dataclass(frozen=True)
class MappedRows:
    """Where the rows of a graph are: a folder of blocks and, beside it, their sums."""

    folder: Path

    def write_degrees(self, graph: Graph) -> None:
        """Write the sums down once, so that tasks need not take them."""
        np.save(self.folder.with_name(DEGREES), graph.degrees)

    @property
    def graph(self) -> "_core._GraphArrays":
        """The rows, mapped."""
        return _mapped_rows(self.folder)

    @property
    def nodes(self) -> "_core._NodeArrays":
        """What the nodes carry."""
        return _mapped_degrees(self.folder), None, None


@lru_cache(maxsize=1)
def _mapped_rows(folder: Path) -> "_core._GraphArrays":
    # The one who makes the moves has verified it.
    return open_blocks(folder, verify=False).arrays


@lru_cache(maxsize=1)
def _mapped_degrees(folder: Path) -> Array:
    degrees: Array = np.load(folder.with_name(DEGREES), mmap_mode="r")
    return degrees


@dataclass(frozen=True)
class FindProposals:
    """Find the best moves of the nodes of a block, after the changes up to some place."""

    rows: MappedRows
    session: Path
    begin: int
    end: int
    objective: "_core._Objective"

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:
        """Return the wishes of consecutive nodes of the block."""
        state = mapped_state(self.session, local)
        state.advance(self.end)
        block = state.session.nodes(self.begin)
        some = part_of(len(block), part, n_parts)
        wishes = _core.wishes(
            self.rows.graph,
            self.rows.nodes,
            state.labels,
            state.stats,
            self.objective,
            block,
            some.start,
            some.stop,
        )
        return list(wishes)


@dataclass(frozen=True)
class FindNodesToRevisit:
    """Find the neighbours of those who moved in a round who have not seen it."""

    rows: MappedRows
    session: Path
    begin: int
    end: int

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:
        """Return those that some of the moved nodes call."""
        state = mapped_state(self.session, local)
        state.advance(self.end)
        moved = state.session.nodes(self.begin)
        some = moved[part_of(len(moved), part, n_parts)]
        return [_core.called(self.rows.graph, state.labels, state.block_of, some)]


@dataclass(frozen=True)
class DivideClusters:
    """Divide clusters; whose part each is, is in a file beside their labels."""

    rows: MappedRows
    folder: Path
    objective: "_core._Objective"
    seed: int

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:  # noqa: ARG002
        """Return how many pieces each of some clusters has, and the pieces of its nodes."""
        labels = np.load(self.folder / "labels.npy")
        mine = np.load(self.folder / "parts.npy") == part
        pieces, _ = _core.divide(
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
        cluster, piece = labels[members], pieces[members]
        # Pieces of a cluster are numbered one after the other.
        lowest = np.full(len(mine), len(labels), dtype=np.int32)
        highest = np.full(len(mine), -1, dtype=np.int32)
        np.minimum.at(lowest, cluster, piece)
        np.maximum.at(highest, cluster, piece)
        return [(highest - lowest + 1)[mine], piece - lowest[cluster]]
