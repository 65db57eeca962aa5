"""A log of task results, on disk, that a resumed search replays.

Everything else is recomputed, and is determined by the data and the seed, so a resumed search
ends with the same labels as without the interruption.
"""

import os
from pathlib import Path

import numpy as np

from powercut._typing import Array
from powercut.remote.records import DamagedRecord, pack, read_record

# For each part of a task, the arrays that it returned.
Results = list[list[Array]]


class ResultLog:
    """A file of task results, in the order of the requests.

    Parameters
    ----------
    path : Path
        The file. Results that it already holds are replayed first.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("a+b")
        self._file.seek(0)
        self._is_replaying = True

    def replay(self, inputs_checksum: int) -> Results | None:
        """Return the logged results of the next request, None at the end of the log.

        Parameters
        ----------
        inputs_checksum : int
            A checksum of what the results depend on. It must be the one that was logged.
        """
        if not self._is_replaying:
            return None
        begin = self._file.tell()
        try:
            record = read_record(self._file)
        except DamagedRecord:  # the process was killed while it wrote
            record = None
        if record is None:
            self._is_replaying = False
            self._file.truncate(begin)
            return None
        header, *arrays = record
        if header[0] != inputs_checksum:
            raise ValueError(
                f"{self.path} holds the results of another search: it was started with other "
                "edges, other parameters or another version, or random_state was not an integer. "
                "Remove the folder and start again."
            )
        lengths = header[1:]
        ends = np.cumsum(lengths)
        return [arrays[end - length : end] for length, end in zip(lengths, ends, strict=True)]

    def append(self, inputs_checksum: int, results: Results) -> None:
        """Append the results of a request; they are on disk (fsync) when this returns."""
        header = np.array([inputs_checksum, *(len(part) for part in results)], dtype=np.int64)
        self._file.write(pack([header, *(array for part in results for array in part)]))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()
