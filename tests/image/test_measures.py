"""Agreement of segmentations: compared with hand-computed values and with scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score, rand_score

from powercut.image.measures import (
    BoundaryMatches,
    People,
    common_pixels,
    covering,
    edges,
    rand_index,
    variation_of_information,
)


@pytest.fixture
def maps() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    one = random.integers(0, 5, (12, 15))
    return one, np.where(random.random(one.shape) < 0.7, one % 3, random.integers(0, 3, one.shape))


def test_covering_by_hand():
    ours = np.array([[0, 0, 0, 1], [0, 0, 0, 1]])
    human = np.array([[0, 0, 1, 1], [0, 0, 1, 1]])
    # Both segments of the person have 4 pixels: one overlaps 4 of 6, the other 2 of 4.
    assert covering(common_pixels(ours, human)) == pytest.approx((4 / 6 + 2 / 4) / 2)
    assert covering(common_pixels(human, ours)) == pytest.approx((6 * 4 / 6 + 2 * 2 / 4) / 8)


def test_rand_and_information_are_those_of_scikit_learn(maps):
    one, other = maps
    table = common_pixels(one, other)
    assert rand_index(table) == pytest.approx(rand_score(one.ravel(), other.ravel()))
    own = mutual_info_score(one.ravel(), one.ravel())
    others = mutual_info_score(other.ravel(), other.ravel())
    common = mutual_info_score(one.ravel(), other.ravel())
    expected = (own + others - 2 * common) / np.log(2)
    assert variation_of_information(table) == pytest.approx(expected)


def test_averages_over_people(maps):
    one, other = maps
    both, first, second = (People(people).compare(one) for people in ([one, other], [one], [other]))
    assert first.covering == first.rand == first.boundaries.f_measure == 1
    assert first.information == pytest.approx(0)
    assert both.covering == pytest.approx((1 + second.covering) / 2)
    assert both.information == pytest.approx(second.information / 2)


def test_empty_labels_do_not_count():
    human = np.repeat([[0, 1]], 3, axis=0)
    assert covering(common_pixels(human * 4, human)) == 1


def test_edges_are_one_pixel_wide():
    labels = np.zeros((6, 8), int)
    labels[:, 4:] = 1
    assert np.argwhere(edges(labels).any(axis=0)).ravel().tolist() == [3]


@pytest.mark.parametrize(("shift", "near"), [(0, True), (3, True), (4, False)])
def test_boundaries_match_within_the_tolerance(shift: int, near: bool):
    # The diagonal is 500 pixels, and 0.75 % of it 3.75.
    human = np.zeros((300, 400), int)
    human[:, 200:] = 1
    matches = People([human]).compare(np.roll(human, shift, axis=1)[:, :]).boundaries
    # np.roll makes a second boundary where the right half comes in at the left.
    wrapped = 300 if shift else 0
    assert matches == BoundaryMatches(300 * near, 300 + wrapped, 300 * near, 300)


def test_precision_counts_each_person_and_recall_all_of_them():
    here, there, empty = (np.zeros((300, 400), int) for _ in range(3))
    here[:, 100:] = 1
    there[:, 300:] = 1
    matches = People([here, there]).compare(here).boundaries
    assert matches == BoundaryMatches(right=300, drawn=300, found=300, human=600)
    assert matches.f_measure == pytest.approx(2 / 3)
    assert (matches + matches).f_measure == pytest.approx(2 / 3)
    assert People([here]).compare(empty).boundaries.f_measure == 0
