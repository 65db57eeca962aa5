"""Which tests are collected, their order, and which share a process."""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest

# Each runs in an environment of its own, see tests/journeys/run.py.
collect_ignore = ["journeys"]


@pytest.fixture(scope="module")
def eight_cores() -> Iterator[None]:
    """Let n_jobs=8 be eight threads, even with fewer cores."""
    with mock.patch("joblib.cpu_count", return_value=8):
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files, so that parallel processes end together."""
    items.sort(key=lambda item: "spark" not in item.path.parts)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Deal files to processes, and all files on Spark to one, where they share a cluster."""
    from xdist.scheduler import LoadFileScheduling

    class FilesAndCluster(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "spark" if nodeid.startswith("tests/spark/") else super()._split_scope(nodeid)

    return FilesAndCluster(config, log) if config.getvalue("dist") == "loadfile" else None
