"""Run tasks of `powercut.remote` as Spark jobs, without a shuffle; only results return.

Changes of labels and clusters reach the workers through files, see `powercut.remote.shared_state`.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from powercut.remote.records import pack, unpack
from powercut.remote.result_log import ResultLog, Results
from powercut.remote.tasks import Task
from powercut.remote.workers import Workers

DESCRIPTION = "spark.job.description"


class SparkTasks:
    """Runs the parts of a task on the workers of a Spark session.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
        The session.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self._callers_description = session.sparkContext.getLocalProperty(DESCRIPTION)

    def close(self) -> None:
        """Restore the caller's job description."""
        self._session.sparkContext.setJobDescription(self._callers_description)

    @property
    def n_at_once(self) -> int:
        """How many tasks the workers can run at the same time."""
        return int(self._session.sparkContext.defaultParallelism)

    def describe(self, what: str) -> None:
        """Set the description of the following jobs in the Spark UI."""
        self._session.sparkContext.setJobDescription(f"powercut: {what}")

    @contextmanager
    def workers(self, folder: Path) -> Iterator[Workers]:
        """Yield the workers for one search, whose results are logged in a folder until it ends."""
        with closing(ResultLog(folder / "results.log")) as log:
            run, n_at_once = self.run, self.n_at_once
            with closing(Workers(folder, run=run, n_at_once=n_at_once, log=log)) as workers:
                yield workers
        log.path.unlink()

    def run(self, task: Task, n_parts: int, what: str) -> Results:
        """Return the results of all parts of a task."""
        self.describe(what)
        # An RDD: planning a DataFrame job takes longer than most tasks.
        parts = self._session.sparkContext.parallelize(range(n_parts), n_parts)
        return [unpack(result) for result in parts.map(partial(_run_part, task, n_parts)).collect()]


def _run_part(task: Task, n_parts: int, part: int) -> bytes:
    """Run one part of a task, on a worker."""
    # Spark removes these folders when the application ends, even if it was killed.
    local = Path(os.environ.get("SPARK_LOCAL_DIRS", tempfile.gettempdir()).split(",")[0])
    return pack(task(part, n_parts, local))
