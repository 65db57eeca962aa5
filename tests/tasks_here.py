"""Run tasks in the process of the test, in place of remote workers."""

from pathlib import Path

from powercut.remote.result_log import Results
from powercut.remote.tasks import Task


class InProcess:
    """Runs tasks in this process; fails after `dies_after` calls, as if the driver were killed."""

    def __init__(self, local: Path, *, dies_after: int | None = None) -> None:
        self.local, self.dies_after, self.calls = local, dies_after, 0

    def __call__(self, task: Task, n_parts: int, what: str) -> Results:
        assert what
        if self.calls == self.dies_after:
            raise ConnectionError("the driver is killed")
        self.calls += 1
        return [task(part, n_parts, self.local) for part in range(n_parts)]
