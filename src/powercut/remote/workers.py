"""Tasks in other processes, and the answers that have come back from them."""

import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

import numpy as np

from powercut._typing import Array
from powercut.remote.log import Answers, ResultLog
from powercut.remote.tasks import Task

# What names of folders begin with in which tasks are told what they need.
RUN = "run-"

RunTask = Callable[[Task, int, str], Answers]


class Workers:
    """Processes that run tasks, and a folder in which all of them are told what they need.

    Parameters
    ----------
    folder : Path
        A folder that all of them see; gets a folder of this search.
    run : callable
        Called as ``run(task, n_parts, description)``; returns ``task(part, n_parts, local)``
        for each part.
    n_at_once : int
        How many tasks can run at a time.
    log : ResultLog, optional
        Where answers are written down, and asked first.
    """

    def __init__(
        self, folder: Path, *, run: RunTask, n_at_once: int, log: ResultLog | None = None
    ) -> None:
        for left_behind in folder.glob(f"{RUN}*"):  # by one that was killed
            shutil.rmtree(left_behind)
        # Processes that outlive a search must not take the next one for it.
        self.folder = folder / f"{RUN}{uuid.uuid4().hex}"
        self.folder.mkdir(parents=True)
        self.n_at_once = n_at_once
        self._run = run
        self._journal = log
        self._n_sessions = 0

    def close(self) -> None:
        """Remove what tasks were told."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def next_folder(self) -> Path:
        """Return the name of a folder that nobody has used; the one before is not needed now."""
        shutil.rmtree(self.folder / f"session-{self._n_sessions:06}", ignore_errors=True)
        self._n_sessions += 1
        return self.folder / f"session-{self._n_sessions:06}"

    def request(self, task: Task, n_parts: int, question: int, description: str) -> Answers:
        """Return the answers of all parts of a task, unless they have been given before.

        Parameters
        ----------
        task : callable
            What to do.
        n_parts : int
            In how many parts.
        question : int
            A checksum of what the answers depend on.
        description : str
            Of the task, for people.
        """
        if self._journal is None:
            return self._run(task, n_parts, description)
        answers = self._journal.recall(question)
        if answers is None:
            answers = self._run(task, n_parts, description)
            self._journal.note(question, answers)
        return answers


def joined(answers: Answers) -> tuple[Array, ...]:
    """Return the arrays of all parts, each one after the other."""
    return tuple(np.concatenate(arrays) for arrays in zip(*answers, strict=True))
