"""Tasks that run in this process, where a test needs no other."""

from pathlib import Path

from powercut.remote.log import Answers
from powercut.remote.tasks import Task


class Here:
    """Runs tasks in this process, and may be killed after so many."""

    def __init__(self, local: Path, *, dies_after: int | None = None) -> None:
        self.local, self.dies_after, self.calls = local, dies_after, 0

    def __call__(self, task: Task, n_parts: int, what: str) -> Answers:
        assert what
        if self.calls == self.dies_after:
            raise ConnectionError("the driver is killed")
        self.calls += 1
        return [task(part, n_parts, self.local) for part in range(n_parts)]
