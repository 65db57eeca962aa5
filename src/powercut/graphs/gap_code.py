"""Sorted rows in gap code: the columns of a graph in one to four bytes each."""

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import LABEL, Array, IntArray
from powercut._utils import slices

# Bytes after the last row: decoders read a whole vector register at a time.
PADDING = 16
# Gaps have 32 bits.
MOST_COLUMNS = 1 << 32
# Most bytes of a row: positions are stored modulo this.
LONGEST = 1 << 32
# Rows whose starts are compared at a time.
CHUNK = 1 << 20


class GapCodes(NamedTuple):
    """The columns of sorted rows as gaps, in a byte-aligned code.

    The gap of a column is its distance from the column before it in its row, minus 1; that of the
    first column is the column itself. A row of c columns has ceil(c / 4) control bytes, then the
    gaps in 1 to 4 bytes each, the lowest byte first. A control byte has the lengths of four gaps,
    minus 1, in two bits each, the first gap in the lowest bits; bits without a gap are 0. If
    node numbers tell nothing about neighbours, the gaps of a node with d of n nodes are about
    n / d, and an entry takes about ``0.25 + log2(n / d) / 8`` bytes and up to one more.

    Attributes
    ----------
    codes : ndarray of uint8
        The codes of all rows, and `PADDING` bytes.
    starts : ndarray of uint32
        Where the codes of each row begin, modulo 2^32, and the end of the last one.
    wraps : ndarray of int64
        The rows from which on another 2^32 is to be added to the starts.
    """

    codes: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.uint32]
    wraps: IntArray

    @classmethod
    def of(cls, codes: npt.NDArray[np.uint8], starts: npt.NDArray[np.uint32]) -> Self:
        """Find the wraps: starts decrease there, because no row has 2^32 bytes.

        Examples
        --------
        >>> import numpy as np
        >>> from powercut.graphs.gap_code import GapCodes
        >>> starts = np.array([0, 4_000_000_000, 5], dtype=np.uint32)
        >>> GapCodes.of(np.empty(0, dtype=np.uint8), starts).positions(0, 2).tolist()
        [0, 4000000000, 4294967301]
        """
        wraps = [
            some.start + 1 + np.flatnonzero(starts[some.start + 1 : some.stop + 1] < starts[some])
            for some in slices(len(starts) - 1, CHUNK)
        ]
        return cls(codes, starts, np.concatenate([np.empty(0, dtype=np.int64), *wraps]))

    def positions(self, first: int, end: int) -> IntArray:
        """Return where the codes of the rows from `first` to `end` begin, `end` included."""
        rows = np.arange(first, end + 1)
        wraps = np.searchsorted(self.wraps, rows, side="right")
        return self.starts[first : end + 1].astype(np.int64) + LONGEST * wraps

    def only_columns(self, rows: Array) -> IntArray:
        """Return the columns of rows that have one column each."""
        wraps = np.searchsorted(self.wraps, rows, side="right")
        control = self.starts[rows].astype(np.int64) + LONGEST * wraps
        length = self.codes[control] & 3
        columns = np.zeros(len(control), dtype=np.int64)
        for byte in range(4):
            some = self.codes[control + 1 + byte].astype(np.int64) << 8 * byte
            columns += np.where(byte <= length, some, 0)
        return columns


def encode(lengths: IntArray, columns: Array) -> tuple[Array, IntArray]:
    """Encode rows whose columns ascend strictly.

    Parameters
    ----------
    lengths : ndarray of int64
        Number of columns of each row.
    columns : ndarray of int32 or int64
        The columns of all rows, at most `MOST_COLUMNS`.

    Returns
    -------
    codes : ndarray of uint8
        Without padding.
    starts : ndarray of int64
        Where the codes of each row begin, and the end of the last one.

    Examples
    --------
    A row of two columns, and one of one column:

    >>> import numpy as np
    >>> from powercut.graphs.gap_code import encode
    >>> codes, starts = encode(np.array([2, 1]), np.array([3, 260, 2], dtype=np.int32))
    >>> codes.tolist(), starts.tolist()
    ([4, 3, 0, 1, 0, 2], [0, 4, 6])
    """
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    return _core.encode_gaps(offsets, columns.astype(LABEL, copy=False))
