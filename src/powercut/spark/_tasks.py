"""Tasks of powercut as jobs of Spark: no shuffle, and nothing but the answers comes back."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from powercut.remote.log import Answers, ResultLog
from powercut.remote.records import pack, unpack
from powercut.remote.tasks import Task
from powercut.remote.workers import Workers

DESCRIPTION = "spark.job.description"


class SparkTasks:
    """Runs the parts of a task on the workers of a session.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
        Whose workers are to do it.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self._callers_description = session.sparkContext.getLocalProperty(DESCRIPTION)

    def close(self) -> None:
        """Let the caller's jobs be called again what they were."""
        self._session.sparkContext.setJobDescription(self._callers_description)

    @property
    def n_at_once(self) -> int:
        """How many tasks the workers can run at a time."""
        return int(self._session.sparkContext.defaultParallelism)

    def describe(self, what: str) -> None:
        """Give the jobs that follow a name in Spark's pages."""
        self._session.sparkContext.setJobDescription(f"powercut: {what}")

    @contextmanager
    def workers(self, folder: Path) -> Iterator[Workers]:
        """Lend the workers to a search, whose answers are kept in a folder until it has ended."""
        with closing(ResultLog(folder / "answers.log")) as log:
            run, n_at_once = self.run, self.n_at_once
            with closing(Workers(folder, run=run, n_at_once=n_at_once, log=log)) as workers:
                yield workers
        log.path.unlink()

    def run(self, task: Task, n_parts: int, what: str) -> Answers:
        """Return the answers of all parts of a task."""
        self.describe(what)
        # Of an RDD, for a job of a DataFrame is planned for longer than most tasks take.
        parts = self._session.sparkContext.parallelize(range(n_parts), n_parts)
        return [unpack(answer) for answer in parts.map(partial(_answer, task, n_parts)).collect()]


def _answer(task: Task, n_parts: int, part: int) -> bytes:
    """Do a part of a task, on a worker."""
    # Spark empties these folders when the application ends, whatever ended it.
    local = Path(os.environ.get("SPARK_LOCAL_DIRS", tempfile.gettempdir()).split(",")[0])
    return pack(task(part, n_parts, local))
