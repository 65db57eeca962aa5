"""Results on generated data are those that were written down, for every score and algorithm."""

import pytest

from unchanged import SMALL, Case, read, results, small


@pytest.mark.parametrize("case", list(small()), ids=lambda case: case[0])
def test_result_is_unchanged(case: Case) -> None:
    name = case[0]
    ((_, result),) = results(iter([case]), only=None)
    assert not result.differs_from(read(SMALL)[name])


def test_every_result_written_down_is_compared() -> None:
    assert set(read(SMALL)) == {name for name, _ in small()}


def test_another_partition_is_a_difference() -> None:
    first, second = list(read(SMALL).values())[:2]
    assert first.differs_from(second).startswith("labels")
    assert not first.differs_from(first)
