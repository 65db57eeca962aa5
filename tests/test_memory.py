"""Memory of a fit of a large graph, as `benchmarks/memory.py` measures it."""

from pathlib import Path

from _graphs import blocks
from _measure import in_child
from memory import fit_memory

# What does not grow with the graph: threads, tables of the prior, Python.
FIXED = 1 << 20


def test_a_fit_needs_64_bytes_a_node_and_a_quarter_of_the_indices(tmp_path: Path) -> None:
    graph = blocks("blocks-200k-0.2", 200_000, degree=22, mixing=0.2, seed=3)
    # What several threads hold at a time depends on which of them is ahead.
    file = graph.file(None, tmp_path)
    # And what the C library keeps of freed memory, a megabyte at times, on where it lay.
    memory = min((in_child(fit_memory, file, 1) for _ in range(3)), key=lambda one: one.peak)
    assert memory.peak <= memory.promised + FIXED
