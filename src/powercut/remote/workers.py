"""Tasks that run in other processes, and their results."""

import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

import numpy as np

from powercut._typing import Array
from powercut.remote.result_log import ResultLog, Results
from powercut.remote.tasks import Task

# Prefix of the folders that hold the inputs of tasks, one folder per search.
RUN = "run-"

RunTask = Callable[[Task, int, str], Results]


class Workers:
    """Processes that run tasks, and a shared folder for the inputs of the tasks.

    Parameters
    ----------
    folder : Path
        A folder that all processes see. A subfolder is made for this search.
    run : callable
        Called as ``run(task, n_parts, description)``; returns ``task(part, n_parts, local)``
        for each part.
    n_at_once : int
        How many tasks can run at the same time.
    log : ResultLog, optional
        Results are replayed from this log as far as it goes, then appended to it.
    """

    def __init__(
        self, folder: Path, *, run: RunTask, n_at_once: int, log: ResultLog | None = None
    ) -> None:
        for left_behind in folder.glob(f"{RUN}*"):  # by a search that was killed
            shutil.rmtree(left_behind)
        # A unique name: worker processes outlive a search, and cache by folder.
        self.folder = folder / f"{RUN}{uuid.uuid4().hex}"
        self.folder.mkdir(parents=True)
        self.n_at_once = n_at_once
        self._run = run
        self._log = log
        self._n_sessions = 0

    def close(self) -> None:
        """Remove the inputs of the tasks."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def next_folder(self) -> Path:
        """Return the path of a new folder, and remove the previous one."""
        shutil.rmtree(self.folder / f"session-{self._n_sessions:06}", ignore_errors=True)
        self._n_sessions += 1
        return self.folder / f"session-{self._n_sessions:06}"

    def request(self, task: Task, n_parts: int, inputs_checksum: int, description: str) -> Results:
        """Return the results of all parts of a task, from the log or by running the task.

        Parameters
        ----------
        task : callable
            The task.
        n_parts : int
            In how many parts to run it.
        inputs_checksum : int
            A checksum of what the results depend on.
        description : str
            Shown to users where jobs are listed.
        """
        if self._log is None:
            return self._run(task, n_parts, description)
        results = self._log.replay(inputs_checksum)
        if results is None:
            results = self._run(task, n_parts, description)
            self._log.append(inputs_checksum, results)
        return results


def joined(results: Results) -> tuple[Array, ...]:
    """Concatenate each array over the parts of a task."""
    return tuple(np.concatenate(arrays) for arrays in zip(*results, strict=True))
