"""A Spark cluster for all tests of this folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spark_cluster import SparkCluster


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    """Start a master and two workers."""
    with SparkCluster(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("events")


@pytest.fixture(scope="session")
def session(spark: SparkCluster, events: Path) -> Iterator[Any]:
    """Start a session with an event log."""
    session = spark.session(
        spark_eventLog_enabled=True,
        spark_eventLog_dir=events.as_uri(),
        spark_eventLog_compress=False,
        spark_eventLog_rolling_enabled=False,
    )
    yield session
    session.stop()
