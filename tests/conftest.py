"""Which tests are collected, and their order."""

import pytest

# Each runs in an environment of its own, see tests/journeys/run.py.
collect_ignore = ["journeys"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest file, so that parallel processes end together."""
    items.sort(key=lambda item: "spark" not in item.path.parts)
