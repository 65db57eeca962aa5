"""A graph whose rows are read by tasks on remote workers."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import LABEL, Labels
from powercut.graphs.graph import Graph
from powercut.remote.records import checksum
from powercut.remote.shared_state import Session
from powercut.remote.tasks import DivideClusters, FindNodesToRevisit, FindProposals, MappedRows
from powercut.remote.workers import Workers, joined

# Minimum number of entries per task.
ENTRIES_PER_TASK = 1 << 16
# Minimum number of entries per remote round: fewer are read in this process. A round of all nodes
# has a job per batch, about 170, which take 20 seconds; one thread reads 300 million entries
# meanwhile, and a driver of many threads ten times as many.
ENTRIES_PER_ROUND = 1 << 32
# Parts per worker slot when clusters are divided. Clusters are of very different sizes; several
# parts per slot, the largest clusters first, balance the load.
PARTS_PER_WORKER = 2


class RemoteGraph:
    """Run the row-reading steps of a search as tasks over a shared graph folder.

    Parameters
    ----------
    graph : Graph
        The graph, mapped from `rows`.
    rows : Path
        The graph folder, visible to all workers.
    workers : Workers
        Runs the tasks.
    least_entries : int
        A round of moves that reads fewer entries of the matrix is made in this process.
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

    def rounds(self, objective: "_core._Objective") -> "_core.RemoteGraphWorkers":
        """Return the callbacks of `powercut._core` for rounds of moves of single nodes."""
        return _Rounds(self, objective)

    def divide(
        self,
        labels: Labels,
        divisible: npt.NDArray[np.bool_],
        objective: "_core._Objective",
        seed: int,
    ) -> tuple[Labels, int]:
        """Split clusters into subclusters, as ``_core.divide`` does."""
        folder = self.workers.next_folder()
        folder.mkdir()
        n_parts = max(1, min(PARTS_PER_WORKER * self.workers.n_at_once, int(divisible.sum())))
        work = np.bincount(labels, weights=self.rows.nodes[0], minlength=len(divisible))
        parts = balanced_parts(np.where(divisible, work, -1.0), n_parts)
        np.save(folder / "labels.npy", labels)
        np.save(folder / "parts.npy", parts)
        inputs_checksum = checksum(labels, parts, np.array([seed], dtype=np.uint64))
        task = DivideClusters(self.rows, folder, objective, seed)
        results = self.workers.request(task, n_parts, inputs_checksum, "divide clusters")
        n_subclusters = np.ones(len(divisible), dtype=LABEL)
        subclusters = np.zeros(len(labels), dtype=LABEL)
        for part, (numbers, members) in enumerate(results):
            mine = parts == part
            n_subclusters[mine] = numbers
            subclusters[mine[labels]] = members
        first = np.cumsum(n_subclusters, dtype=LABEL) - n_subclusters
        return subclusters + first[labels], int(n_subclusters.sum())

    def parts_for(self, n_nodes: int) -> int:
        """Return the number of tasks in which to read the rows of `n_nodes` nodes."""
        most = 1 + n_nodes * self._mean_entries // ENTRIES_PER_TASK
        return min(self.workers.n_at_once, most)


class _Rounds:
    """Callbacks of `powercut._core` for rounds of moves at one objective."""

    def __init__(self, remote: RemoteGraph, objective: "_core._Objective") -> None:
        self._remote, self._objective = remote, objective
        self._session: Session | None = None
        self._round = 0

    @property
    def least_entries(self) -> int:
        return self._remote.least_entries

    def begin(self, labels: Labels, stats: "_core._ClusterArrays") -> None:
        self._session = Session.begin(self._remote.workers.next_folder(), labels, stats)

    def propose(self, number: int, batch: Labels, changes: "_core._Changes") -> "_core._Proposals":
        assert self._session is not None, "begin comes first"
        self._round += number == 1
        where = self._session.append(number, batch, changes)
        task = FindProposals(self._remote.rows, self._session.folder, *where, self._objective)
        results = self._remote.workers.request(
            task,
            self._remote.parts_for(len(batch)),
            checksum(batch),
            f"round {self._round}, batch {number}: propose moves",
        )
        place, target, own_link, target_link, loops, rivals, n_rivals = joined(results)
        return place, target, own_link, target_link, loops, rivals, n_rivals

    def nodes_to_revisit(self, moved: Labels, changes: "_core._Changes") -> Labels:
        assert self._session is not None, "begin comes first"
        where = self._session.append(0, moved, changes)
        task = FindNodesToRevisit(self._remote.rows, self._session.folder, *where)
        results = self._remote.workers.request(
            task,
            self._remote.parts_for(len(moved)),
            checksum(moved),
            f"round {self._round}: find neighbours of {len(moved):,} moved nodes to revisit",
        )
        (nodes,) = joined(results)
        return nodes


def balanced_parts(work: npt.NDArray[np.float64], n_parts: int) -> Labels:
    """Assign clusters to parts of similar work: largest first, to the part with the least load.

    Parameters
    ----------
    work : ndarray
        Work of each cluster. A cluster of negative work is left out: its part is -1.
    n_parts : int
        Number of parts.
    """
    parts, load = np.full(len(work), -1, dtype=LABEL), np.zeros(n_parts)
    for cluster in np.argsort(-work, kind="stable"):
        if work[cluster] < 0:
            break
        parts[cluster] = least = int(np.argmin(load))
        load[least] += 1 + work[cluster]
    return parts
