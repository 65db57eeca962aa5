"""The order of the tests."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest file, so that parallel processes end together."""
    items.sort(key=lambda item: "spark" not in item.path.parts)
