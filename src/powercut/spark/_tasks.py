"""Tasks of powercut as jobs of Spark: no shuffle, and nothing but the answers comes back."""

import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from powercut.engines.journal import Answers
from powercut.engines.records import pack, unpack
from powercut.engines.tasks import Task


class SparkTasks:
    """Runs the parts of a task on the workers of a session.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
        Whose workers are to do it.
    """

    def __init__(self, session: Any) -> None:
        self._session = session

    @property
    def n_at_once(self) -> int:
        """How many tasks the workers can run at a time."""
        return int(self._session.sparkContext.defaultParallelism)

    def describe(self, what: str) -> None:
        """Give the jobs that follow a name in Spark's pages."""
        self._session.sparkContext.setJobDescription(f"powercut: {what}")

    def run(self, task: Task, n_parts: int, what: str) -> Answers:
        """Return the answers of all parts of a task."""
        self.describe(what)
        parts = self._session.range(0, n_parts, 1, n_parts)
        table = parts.mapInArrow(partial(_answer, task, n_parts), "part long, answer binary")
        rows = table.toArrow().sort_by("part")
        return [unpack(answer.as_py()) for answer in rows["answer"]]


def _answer(task: Task, n_parts: int, batches: Iterator[Any]) -> Iterator[Any]:
    """Do the parts of a task that this worker was given."""
    import pyarrow as pa

    # Spark empties these folders when the application ends, whatever ended it.
    local = Path(os.environ.get("SPARK_LOCAL_DIRS", tempfile.gettempdir()).split(",")[0])
    for batch in batches:
        parts = batch.column(0).to_pylist()
        answers = [pack(task(part, n_parts, local)) for part in parts]
        yield pa.RecordBatch.from_arrays(
            [pa.array(parts, pa.int64()), pa.array(answers, pa.binary())], names=["part", "answer"]
        )
