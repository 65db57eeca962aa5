"""Memory of a fit of a million nodes, as `benchmarks/memory.py` measures it."""

from pathlib import Path

from _graphs import BLOCKS_1M
from _measure import in_child
from memory import fit_memory


def test_a_fit_needs_64_bytes_a_node_and_a_quarter_of_the_indices(tmp_path: Path) -> None:
    # What several threads hold at a time depends on which of them is ahead.
    memory = in_child(fit_memory, BLOCKS_1M.file(None, tmp_path), 1)
    assert memory.peak <= memory.promised
