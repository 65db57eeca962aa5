"""Answers that have been given, on disk: work that is begun again asks them first.

All else is computed again as it was, for nothing but the seed decides it, so that the end is
the same as without the interruption.
"""

import os
from pathlib import Path

import numpy as np

from powercut._typing import Array
from powercut.remote.records import DamagedRecord, pack, read_record

Answers = list[list[Array]]


class ResultLog:
    """A file of answers, in the order of the questions.

    Parameters
    ----------
    path : Path
        The file; what it has is answered again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("a+b")
        self._file.seek(0)
        self._replays = True

    def recall(self, question: int) -> Answers | None:
        """Return the answers to the next question, if they are known.

        Parameters
        ----------
        question : int
            A checksum of it.
        """
        if not self._replays:
            return None
        begin = self._file.tell()
        try:
            record = read_record(self._file)
        except DamagedRecord:  # the process was killed while it wrote
            record = None
        if record is None:
            self._replays = False
            self._file.truncate(begin)
            return None
        about, *arrays = record
        if about[0] != question:
            raise ValueError(
                f"{self.path} has the answers to other questions: it was begun with other edges, "
                "other parameters or another version, or random_state was no number. Remove the "
                "folder, and begin again."
            )
        lengths = about[1:]
        ends = np.cumsum(lengths)
        return [arrays[end - length : end] for length, end in zip(lengths, ends, strict=True)]

    def note(self, question: int, answers: Answers) -> None:
        """Write answers down; they are on the disk when this returns."""
        about = np.array([question, *(len(answer) for answer in answers)], dtype=np.int64)
        self._file.write(pack([about, *(array for answer in answers for array in answer)]))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()
