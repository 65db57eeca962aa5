"""Labels in canonical form."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercut._typing import LABEL
from powercut.partition import canonical_labels, check_labels, compact_labels, separate

repeatable = settings(deadline=None, derandomize=True)
some_labels = st.lists(st.integers(-5, 5), max_size=12)


@given(some_labels, st.permutations(range(-5, 6)))
@repeatable
def test_equal_partitions_become_equal_arrays(labels: list[int], names: list[int]) -> None:
    renamed = [names[c + 5] for c in labels]
    np.testing.assert_array_equal(canonical_labels(renamed), canonical_labels(labels))


@given(some_labels)
@repeatable
def test_largest_first_then_smallest_member(labels: list[int]) -> None:
    canonical = canonical_labels(labels)
    assert canonical.dtype == LABEL
    np.testing.assert_array_equal(
        canonical[:, None] == canonical,
        np.equal.outer(np.array(labels, int), np.array(labels, int)),
    )
    keys = [
        (-np.count_nonzero(canonical == c), int(np.argmax(canonical == c)))
        for c in range(int(canonical.max(initial=-1)) + 1)
    ]
    assert keys == sorted(keys)


def test_names_of_any_type() -> None:
    np.testing.assert_array_equal(canonical_labels(["b", "a", "b"]), [0, 1, 0])


def test_compact_labels_keep_their_order() -> None:
    labels, k = compact_labels([30, 10, 20, 10])
    np.testing.assert_array_equal(labels, [2, 0, 1, 0])
    assert k == 3


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64])
def test_labels_may_have_any_integer_type(dtype: type) -> None:
    np.testing.assert_array_equal(check_labels(np.array([9, 4, 9], dtype), 3, "init"), [1, 0, 1])


def test_large_labels_need_no_more_memory_than_small_ones() -> None:
    labels = np.array([2**31 - 1, 0, 2**62])
    tracemalloc.start()
    try:
        compact, k = compact_labels(labels)
        compact_labels(labels[:2])
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(compact, [1, 0, 2])
    assert k == 3


def test_separated_nodes_become_singletons_and_the_others_stay() -> None:
    labels = np.array([0, 0, 1, 0], LABEL)
    separated = separate(labels, np.array([False, True, False, True]))
    np.testing.assert_array_equal(separated, [0, 2, 1, 3])
    np.testing.assert_array_equal(labels, [0, 0, 1, 0])


def test_labels_of_the_wrong_length_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"init has shape \(2,\); 3 labels are needed"):
        check_labels([0, 1], 3, "init")
