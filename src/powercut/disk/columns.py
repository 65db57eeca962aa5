"""Files of the columns of a graph: as they are, or in gap code."""

from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt

from powercut._typing import Array, IntArray
from powercut.disk.array_file import ArrayFile
from powercut.disk.manifest import GAPS, INDICES, STARTS, array_path
from powercut.graphs._adjacency import index_type
from powercut.graphs.gap_code import LONGEST, MOST_COLUMNS, PADDING, encode

ENCODINGS = ("plain", "gaps")


class ColumnFiles:
    """The files of the columns, written in row ranges.

    Parameters
    ----------
    folder : Path
        The folder to write to.
    n_nodes : int
        Number of columns.
    generation : int
        Of the names of the files.
    encoding : {"plain", "gaps"}
        How columns are written.
    stack : ExitStack
        Closes the files.

    Attributes
    ----------
    n_bytes : int
        Bytes of gap code so far; 0 without one.
    """

    def __init__(
        self, folder: Path, n_nodes: int, generation: int, encoding: str, stack: ExitStack
    ) -> None:
        if encoding == "gaps" and n_nodes > MOST_COLUMNS:
            raise ValueError(
                f"gap code is for at most {MOST_COLUMNS:,} nodes, got {n_nodes:,}: write the "
                'folder with encoding="plain".'
            )
        types: dict[str, npt.DTypeLike] = {INDICES: index_type(n_nodes)}
        if encoding == "gaps":
            types = {GAPS: np.uint8, STARTS: np.uint32}
        self.n_bytes = 0
        self._files = {
            name: stack.enter_context(ArrayFile(array_path(folder, name, generation), dtype))
            for name, dtype in types.items()
        }
        if encoding == "gaps":
            self._files[STARTS].append(np.zeros(1, dtype=np.uint32))

    @property
    def dtypes(self) -> dict[str, str]:
        """Type of each array, as NumPy writes it."""
        return {name: file.dtype.str for name, file in self._files.items()}

    def append(self, first_row: int, lengths: IntArray, columns: Array) -> dict[str, int]:
        """Write the columns of the rows from `first_row` on; return the checksum of each array."""
        if INDICES in self._files:
            return {INDICES: self._files[INDICES].append(columns)}
        codes, starts = encode(lengths, columns)
        long = np.flatnonzero(np.diff(starts) >= LONGEST)
        if len(long):
            raise ValueError(
                f"node {first_row + long[0]} has {lengths[long[0]]:,} entries, which take 4 GiB "
                'or more in gap code: write the folder with encoding="plain".'
            )
        ends = (self.n_bytes + starts[1:]) % LONGEST
        self.n_bytes += len(codes)
        return {GAPS: self._files[GAPS].append(codes), STARTS: self._files[STARTS].append(ends)}

    def finish(self) -> None:
        """Write what follows the last row."""
        if GAPS in self._files:
            self._files[GAPS].append(np.zeros(PADDING, dtype=np.uint8))
