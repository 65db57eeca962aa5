"""Archives of NumPy arrays (NPZ), checked before anything is read."""

import math
import zipfile
from typing import Any

import numpy as np

from powercut.io._errors import fail
from powercut.io._source import Input

HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def check_archive(file: Input) -> dict[str, np.dtype[Any]]:
    """Return the type of each array, after a check that all have as many bytes as they state.

    NumPy allocates what the header of an array states, and arrays whose values have no bytes, such
    as text of width 0, may have any length.
    """
    stored = file.seekable()
    at = stored.tell()
    types: dict[str, np.dtype[Any]] = {}
    with zipfile.ZipFile(stored) as archive:
        # Reading a member stops at the size that the archive states.
        file.limit.check(sum(info.file_size for info in archive.infolist()), "the arrays")
        for info in archive.infolist():
            with archive.open(info) as member:
                shape, _, dtype = HEADERS[np.lib.format.read_magic(member)](member)
            n_values = math.prod(shape)
            if n_values * max(dtype.itemsize, 1) > info.file_size:
                fail(file.source, f"{info.filename} has too few bytes for its {n_values:,} values")
            types[info.filename.removesuffix(".npy")] = dtype
    stored.seek(at)
    return types
