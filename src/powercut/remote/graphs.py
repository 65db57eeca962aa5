"""An engine whose tasks read the rows of a graph wherever a function takes them."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import Labels
from powercut.graphs.graph import Graph
from powercut.remote.records import checksum
from powercut.remote.state import Session
from powercut.remote.tasks import DivideClusters, FindNodesToRevisit, FindProposals, MappedRows
from powercut.remote.workers import Workers, joined

# Entries that are worth a task of their own, and a round of tasks: fewer are read here.
ENTRIES_PER_TASK, ENTRIES_PER_ROUND = 1 << 16, 1 << 22
# Parts in which clusters are divided, for each task that can run at once: clusters are of very
# different sizes, and the largest come first.
PARTS_PER_WORKER = 2


class RemoteGraph:
    """Tasks that read the rows of a graph from a folder that all of them see.

    Parameters
    ----------
    graph : Graph
        The graph, mapped from `rows`.
    rows : Path
        The folder of its blocks.
    workers : Workers
        Who runs the tasks.
    least_entries : int
        A round of moves that reads fewer entries of the matrix is not worth a task.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        rows: Path,
        workers: Workers,
        least_entries: int = ENTRIES_PER_ROUND,
    ) -> None:
        self.rows = MappedRows(rows)
        self.rows.write_degrees(graph)
        self.workers = workers
        self._mean_entries = max(1, graph.n_entries // max(1, graph.n_nodes))
        self.least_entries = least_entries

    def rounds(self, objective: "_core._Objective") -> "_core.Elsewhere":
        """Return what `powercut._core` asks in rounds of moves of single nodes."""
        return _Rounds(self, objective)

    def divide(
        self,
        labels: Labels,
        divisible: npt.NDArray[np.bool_],
        objective: "_core._Objective",
        seed: int,
    ) -> tuple[Labels, int]:
        """Divide clusters from inside, as ``_core.divide`` does."""
        folder = self.workers.next_folder()
        folder.mkdir()
        n_parts = max(1, min(PARTS_PER_WORKER * self.workers.n_at_once, int(divisible.sum())))
        work = np.bincount(labels, weights=self.rows.nodes[0], minlength=len(divisible))
        parts = shared_out(np.where(divisible, work, -1.0), n_parts)
        np.save(folder / "labels.npy", labels)
        np.save(folder / "parts.npy", parts)
        question = checksum(labels, parts, np.array([seed], dtype=np.uint64))
        task = DivideClusters(self.rows, folder, objective, seed)
        answers = self.workers.request(task, n_parts, question, "divide clusters")
        n_pieces = np.ones(len(divisible), dtype=np.int32)
        pieces = np.zeros(len(labels), dtype=np.int32)
        for part, (numbers, some) in enumerate(answers):
            mine = parts == part
            n_pieces[mine] = numbers
            pieces[mine[labels]] = some
        first = np.cumsum(n_pieces, dtype=np.int32) - n_pieces
        return pieces + first[labels], int(n_pieces.sum())

    def parts_for(self, n_nodes: int) -> int:
        """Return in how many parts to look at so many rows."""
        worth = 1 + n_nodes * self._mean_entries // ENTRIES_PER_TASK
        return min(self.workers.n_at_once, worth)


class _Rounds:
    """Rounds of moves at one objective."""

    def __init__(self, remote: RemoteGraph, objective: "_core._Objective") -> None:
        self._remote, self._objective = remote, objective
        self._session: Session | None = None
        self._round = 0

    @property
    def least_entries(self) -> int:
        return self._remote.least_entries

    def begin(self, labels: Labels, stats: "_core._ClusterArrays") -> None:
        self._session = Session.begin(self._remote.workers.next_folder(), labels, stats)

    def wishes(self, number: int, block: Labels, changes: "_core._Changes") -> "_core._Wishes":
        assert self._session is not None, "begin comes first"
        self._round += number == 1
        where = self._session.append(number, block, changes)
        task = FindProposals(self._remote.rows, self._session.folder, *where, self._objective)
        answers = self._remote.workers.request(
            task,
            self._remote.parts_for(len(block)),
            checksum(block),
            f"round {self._round}, block {number}: propose moves",
        )
        place, target, own_link, target_link, loops, rivals, n_rivals = joined(answers)
        return place, target, own_link, target_link, loops, rivals, n_rivals

    def called(self, moved: Labels, changes: "_core._Changes") -> Labels:
        assert self._session is not None, "begin comes first"
        where = self._session.append(0, moved, changes)
        task = FindNodesToRevisit(self._remote.rows, self._session.folder, *where)
        answers = self._remote.workers.request(
            task,
            self._remote.parts_for(len(moved)),
            checksum(moved),
            f"round {self._round}: call neighbours of {len(moved):,} that moved",
        )
        (nodes,) = joined(answers)
        return nodes


def shared_out(work: npt.NDArray[np.float64], n_parts: int) -> Labels:
    """Share clusters out among parts, the largest first to the one that has least.

    Parameters
    ----------
    work : ndarray
        What each cluster takes; negative: it is left out, and has part -1.
    n_parts : int
        Number of parts.
    """
    parts, load = np.full(len(work), -1, dtype=np.int32), np.zeros(n_parts)
    for cluster in np.argsort(-work, kind="stable"):
        if work[cluster] < 0:
            break
        parts[cluster] = least = int(np.argmin(load))
        load[least] += 1 + work[cluster]
    return parts
