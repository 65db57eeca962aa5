"""Clusters through time: bars are sizes, bands are members."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from powercut import plot

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def bars(ax):
    """Return step, middle and height of each bar, from left to right and top to bottom."""
    boxes = [path.vertices for path in ax.collections[1].get_paths()]
    return sorted((box[:, 0].mean().round(), box[:4, 1].mean(), np.ptp(box[:, 1])) for box in boxes)


def bands(ax):
    """Return step, height and colour of each band."""
    collection, found = ax.collections[0], []
    for path, colour in zip(collection.get_paths(), collection.get_facecolors(), strict=True):
        (x, upper), (_, lower) = path.vertices[0], path.vertices[-2]
        found.append((float(np.floor(x)), float(lower - upper), tuple(colour)))
    return sorted(found)


def texts(ax):
    return sorted(text.get_text() for text in ax.texts)


def test_bars_are_sizes_and_bands_are_members() -> None:
    ax = plot.changes([[0] * 6 + [1] * 4, [0] * 4 + [1] * 6])
    assert [step for step, _, _ in bars(ax)] == [0, 0, 1, 1]
    assert [height for _, _, height in bars(ax)] == pytest.approx([6, 4, 4, 6])
    assert [height for _, height, _ in bands(ax)] == pytest.approx([2, 4, 4])
    # A band has the colour of the cluster that its members were in.
    moved, *stayed = bands(ax)
    assert moved[2][:3] in {one[2][:3] for one in stayed}
    assert moved[2][3] > stayed[0][2][3]


def test_nodes_that_come_and_go_have_no_band() -> None:
    nodes = [["a", "b", "c"], ["c", "d", "b"]]
    ax = plot.changes([[7, 7, 7], [7, 7, 8]], nodes=nodes, steps=["May", "June"])
    assert [height for _, _, height in bars(ax)] == pytest.approx([3, 2, 1])
    assert [height for _, height, _ in bands(ax)] == pytest.approx([1, 1])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["May", "June"]


def test_clusters_are_named_where_they_begin_and_end() -> None:
    steps = [[0, 0, 0, 1, 1], [0, 0, 0, 2, 2], [0, 0, 0, 0, 0]]
    ax = plot.changes(steps, names={2: "two"})
    assert texts(ax) == ["0", "0", "1", "two"]


def test_small_clusters_are_one_grey_band_at_the_bottom() -> None:
    steps = np.repeat([[0, 1, 2, 3], [0, 1, 2, 2]], [5, 4, 2, 1], axis=1)
    ax = plot.changes(steps, n_largest=2)
    assert [height for step, _, height in bars(ax) if step == 0] == pytest.approx([5, 4, 3])
    assert texts(ax) == ["0", "0", "1", "1", "1 other", "2 others"]
    # Members that change between two of the others stay in the band.
    assert len(bands(ax)) == 3


def test_a_cluster_that_is_large_once_is_drawn() -> None:
    steps = [[0] * 3 + [1] * 3, [2] * 6, [0] * 3 + [1] * 3]
    assert "2" in texts(plot.changes(steps, n_largest=1))


def test_clusters_that_exchange_members_are_neighbours() -> None:
    sizes = [8, 7, 6, 5, 4, 3]
    first = np.repeat(np.arange(6), sizes)
    second = first.copy()
    second[:2] = 5  # from the largest to the smallest
    ax = plot.changes([first, second])
    order = [height for step, _, height in bars(ax) if step == 0]
    assert abs(order.index(pytest.approx(8)) - order.index(pytest.approx(3))) == 1


def test_columns_do_not_overlap_and_fit_the_axes() -> None:
    random = np.random.default_rng(0)
    steps = [random.zipf(1.5, 500) % 40 for _ in range(12)]
    ax = plot.changes(steps)
    low, high = sorted(ax.get_ylim())
    for step in range(12):
        column = [(middle, height) for at, middle, height in bars(ax) if at == step]
        assert sum(height for _, height in column) == pytest.approx(500)
        edges = [(m - h / 2, m + h / 2) for m, h in column]
        assert all(a[1] < b[0] for a, b in pairwise(edges))
        assert low <= edges[0][0]
        assert edges[-1][1] <= high


@pytest.mark.parametrize(
    ("ids", "options", "message"),
    [
        ([], {}, "there are no nodes at any step"),
        ([[0.5]], {}, r"one whole number per node, got an array of float64 and shape \(1,\)"),
        ([[], []], {}, "there are no nodes at any step"),
        ([[0, 1], [0]], {}, "old has 2 labels and new has 1"),
        ([[0], [0]], {"nodes": [["a"]]}, "nodes has 1 steps, but ids has 2"),
        ([[0], [0]], {"steps": ["a"]}, "steps has 1 names, but ids has 2 steps"),
        ([[0], [0]], {"n_largest": 0}, "n_largest must be at least 1, got 0"),
    ],
)
def test_wrong_arguments_are_refused(ids, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        plot.changes(ids, **options)
    assert not plt.get_fignums()
