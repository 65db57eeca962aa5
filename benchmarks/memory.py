"""Measure the memory of a fit beyond its input matrix, and which functions need it.

    python benchmarks/memory.py                    # a million nodes, one and two threads
    python benchmarks/memory.py --folder DIR       # blocks-1m-0.2.npz of a folder
    python benchmarks/memory.py --quick            # a small graph, as a smoke test

The promise is that a CSR matrix is never copied, and that the search and its results need
no more than 64 bytes per node plus, for coarser levels, a quarter of the index array. If a
fit needs more, the exit status is 1 (not with --quick: on a small graph the fixed memory of
a process outweighs that of the nodes).
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Self
from unittest import mock

from _experiments import header, markdown, read_npz
from _graphs import BLOCKS_1M, blocks
from _measure import (
    file_memory,
    forget_peak,
    held_memory,
    in_child,
    measure,
    peak_memory,
    resident_memory,
)
from powercut import PowerLawCut
from powercut.datasets import make_block_graph

BYTES_PER_NODE, PART_OF_INDICES = 64, 0.25
# Functions of the prior are left out: they are called thousands of times.
SHORT_CALLS = ("powercut.prior", "powercut._special")
STAGES = 8  # number of functions that are shown
NEW_NODES = 1000


@dataclass(frozen=True)
class Stage:
    """Increase of memory in bytes during a function, and the peak."""

    rise: int
    peak: int


@dataclass
class Stages:
    """Context manager that records the largest increase of memory in each powercut function.

    Mapped files are not counted: the pages of libraries come and go with the load of the machine.

    Attributes
    ----------
    peak : int
        Peak memory in bytes.
    by_name : dict
        Stages by the name of the function and of its two callers.
    """

    peak: int = 0
    by_name: dict[str, Stage] = field(default_factory=dict)
    running: list[str] = field(default_factory=list)
    held: int = 0
    files: int = 0

    def __enter__(self) -> Self:
        self._begin()
        sys.setprofile(self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.setprofile(None)

    def _begin(self) -> None:
        self.files = file_memory()
        self.held = resident_memory() - self.files
        forget_peak()

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        module = frame.f_globals["__name__"]
        if not module.startswith("powercut.") or module in SHORT_CALLS:
            return
        if event not in ("call", "return"):
            return
        # Memory since the last call or return belongs to the function that ran.
        name = " < ".join(reversed(self.running[-3:]))
        peak = peak_memory() - min(self.files, file_memory())
        self.peak = max(self.peak, peak)
        if name not in self.by_name or peak - self.held > self.by_name[name].rise:
            self.by_name[name] = Stage(peak - self.held, peak)
        if event == "call":
            self.running.append(frame.f_code.co_qualname)
        elif self.running:
            self.running.pop()
        self._begin()


@dataclass(frozen=True)
class Memory:
    """Memory of a fit and of predict beyond the matrix, in bytes.

    Attributes
    ----------
    n_nodes, n_entries, indices : int
        Size of the matrix; `indices` in bytes.
    peak, kept : int
        Memory of the fit: at its peak, and kept afterwards.
    predict_new, predict_all : int
        Memory of `predict` for a few rows, and for all fitted rows.
    stages : dict
        Functions of the fit that need most; peaks are beyond the matrix.
    """

    n_nodes: int
    n_entries: int
    indices: int
    peak: int
    kept: int
    predict_new: int
    predict_all: int
    stages: dict[str, Stage]

    @property
    def promised(self) -> float:
        """Promised upper bound on the peak of the fit, in bytes."""
        return BYTES_PER_NODE * self.n_nodes + PART_OF_INDICES * self.indices


def fit_memory(path: Path, threads: int) -> Memory:
    """Fit a graph from a file, in its own process."""
    model = PowerLawCut(random_state=0, n_jobs=threads)
    small = make_block_graph(1000, random_state=0)[0]
    model.fit(small)  # loads all libraries
    with mock.patch.multiple("powercut.graphs.level", LARGE=0, MANY_NODES=0):
        model.fit(small)  # and the code for large graphs
    matrix, _ = read_npz(path)
    before = held_memory() - file_memory()
    with Stages() as stages:
        model.fit(matrix)
    kept = held_memory() - file_memory() - before
    largest = sorted(stages.by_name.items(), key=lambda stage: -stage[1].rise)[:STAGES]
    rows = matrix[:NEW_NODES]
    return Memory(
        n_nodes=matrix.shape[0],
        n_entries=matrix.nnz,
        indices=matrix.indices.nbytes,
        peak=stages.peak - before,
        kept=kept,
        predict_new=measure(lambda: model.predict(rows))[1].memory,
        predict_all=measure(lambda: model.predict(matrix))[1].memory,
        stages={name: Stage(stage.rise, stage.peak - before) for name, stage in largest},
    )


COLUMNS = (
    *("workload", "threads", "nodes", "edges", "peak of a fit, bytes per node", "promised"),
    *("percent of the indices", "kept", f"predict of {NEW_NODES}", "predict of all"),
)


def show(name: str, threads: int, memory: Memory) -> None:
    """Print the memory of the fit, and the functions that need most."""

    def per_node(size: float) -> str:
        return f"{size / memory.n_nodes:.1f}"

    figures: list[Any] = [name, threads, memory.n_nodes, memory.n_entries // 2]
    figures += [per_node(memory.peak), per_node(memory.promised)]
    figures += [f"{100 * memory.peak / memory.indices:.0f}"]
    figures += map(per_node, (memory.kept, memory.predict_new, memory.predict_all))
    print(header(COLUMNS), markdown([str(figure) for figure in figures]), sep="\n")
    print("", header(("function < its callers", "increase, bytes per node", "peak")), sep="\n")
    for stage, memory_of_stage in memory.stages.items():
        print(markdown([stage, per_node(memory_of_stage.rise), per_node(memory_of_stage.peak)]))
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use a small graph")
    parser.add_argument("--folder", type=Path, help="folder of blocks-1m-0.2.npz")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    small = blocks("blocks-40k-0.2", 40_000, degree=30, mixing=0.2, seed=1)
    workload = small if options.quick else BLOCKS_1M
    with tempfile.TemporaryDirectory() as scratch:
        path = workload.file(None if options.quick else options.folder, Path(scratch))
        found = [in_child(fit_memory, path, threads) for threads in options.threads]
    for threads, memory in zip(options.threads, found, strict=True):
        show(workload.name, threads, memory)
    if not options.quick and any(memory.peak > memory.promised for memory in found):
        sys.exit("a fit needs more memory than promised")


if __name__ == "__main__":
    main()
