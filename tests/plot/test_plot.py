"""Plots draw the documented values, on the given axes."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import sparse

import powercut
from powercut import Graph, PitmanYor, plot
from powercut.results.plateaus import TradeoffPath

plt = pytest.importorskip("matplotlib.pyplot")
from matplotlib.patches import Rectangle  # noqa: E402

LABELS = np.repeat([2, 0, 1], [5, 3, 2])
BLOCKS = (LABELS[:, None] == LABELS).astype(float) - np.eye(10)


def two_steps() -> TradeoffPath:
    fine, coarse = np.repeat([0, 1, 2, 3], 5), np.repeat([0, 1], 10)
    return TradeoffPath.of([1, 2, 4, 8], [fine, fine, coarse, coarse], [1, 2, 3, 4], [1, 2, 3, 4])


def small_tree() -> powercut.ClusterTree:
    cliques = np.kron(np.eye(3), np.ones((6, 6)))
    cliques[5, 6] = cliques[6, 5] = 1
    return powercut.cluster_tree(
        powercut.Graph(cliques - np.diag(np.diag(cliques))), random_state=0
    )


DRAW = {
    "rank_size": lambda **options: plot.rank_size(LABELS, **options),
    "size_histogram": lambda **options: plot.size_histogram(LABELS, **options),
    "adjacency": lambda **options: plot.adjacency(BLOCKS, LABELS, **options),
    "between_clusters": lambda **options: plot.between_clusters(BLOCKS, LABELS, **options),
    "changes": lambda **options: plot.changes([LABELS, LABELS[::-1]], **options),
    "objective_path": lambda **options: plot.objective_path([3.0, 2.0, 2.0], **options),
    "tradeoff_path": lambda **options: plot.tradeoff_path(two_steps(), **options),
    "network": lambda **options: plot.network(BLOCKS, LABELS, **options),
    "tree": lambda **options: plot.tree(small_tree(), **options),
    "embedding": lambda **options: plot.embedding(np.eye(10)[:, :2], LABELS, **options),
    "image": lambda **options: plot.image(np.zeros((2, 5)), LABELS.reshape(2, 5), **options),
}


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def test_every_plot_is_tested() -> None:
    assert set(DRAW) == set(plot.__all__)


@pytest.mark.parametrize("name", plot.__all__)
def test_draws_on_the_axes_given_and_returns_them(name: str) -> None:
    figure, (left, right) = plt.subplots(1, 2)
    assert DRAW[name](ax=right) is right
    assert right.has_data()
    assert not left.has_data()
    assert plt.get_fignums() == [figure.number]
    figure.canvas.draw()


@pytest.mark.parametrize("name", plot.__all__)
def test_makes_axes_if_none_are_given(name: str) -> None:
    ax = DRAW[name]()
    assert plt.get_fignums() == [ax.figure.number]


def test_sizes_are_drawn_at_their_ranks() -> None:
    ax = plot.rank_size(LABELS)
    points = next(line for line in ax.lines if line.get_label() == "3 clusters")
    np.testing.assert_array_equal(points.get_xydata(), [[1, 5], [2, 3], [3, 2]])


def test_band_holds_most_partitions_of_its_prior() -> None:
    prior = PitmanYor(5.0, 0.4)
    inside = []
    for seed in range(20):
        labels = prior.sample(3000, random_state=seed)
        ax = plot.rank_size(labels)
        band = ax.collections[0].get_paths()[0]
        sizes = np.sort(np.bincount(labels))[::-1][:20]
        inside += [band.contains_point((r, s), radius=1e-9) for r, s in enumerate(sizes, start=1)]
        plt.close("all")
    assert 0.8 < np.mean(inside) <= 1


def test_band_depends_on_the_random_state_only() -> None:
    labels = PitmanYor(5.0, 0.4).sample(500, random_state=0)
    bands = [
        plot.rank_size(labels, random_state=seed).collections[0].get_paths()[0].vertices
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(bands[0], bands[1])
    assert not np.array_equal(bands[0], bands[2])


def test_histogram_counts_clusters_in_doubling_bins() -> None:
    ax = plot.size_histogram(LABELS)
    values, edges, _ = ax.patches[0].get_data()
    np.testing.assert_array_equal(edges, [1, 2, 4, 8])
    np.testing.assert_array_equal(values, [0, 2, 1])


def test_histogram_expects_as_many_clusters_as_the_prior() -> None:
    labels = PitmanYor(5.0, 0.4).sample(1000, random_state=0)
    ax = plot.size_histogram(labels)
    prior = powercut.size_distribution(labels).prior
    largest = np.bincount(labels).max()
    shown = next(line for line in ax.lines if line.get_label().startswith("Pitman")).get_ydata()
    sizes = np.arange(1, 2 ** int(largest).bit_length())
    assert shown.sum() == pytest.approx(prior.expected_clusters_of_size(1000, sizes).sum())


def test_adjacency_is_ordered_by_cluster() -> None:
    order = np.random.default_rng(0).permutation(10)
    ax = plot.adjacency(BLOCKS[order][:, order], LABELS[order])
    sizes = [5, 3, 2]
    blocks = sparse.block_diag([np.ones((size, size)) - np.eye(size) for size in sizes])
    np.testing.assert_array_equal(ax.images[0].get_array().filled(0), blocks.toarray())
    assert [frame.get_width() for frame in ax.patches] == sizes


@pytest.mark.parametrize("weighted", [False, True])
def test_bins_have_the_mean_weight_of_their_pairs(weighted: bool) -> None:
    random = np.random.default_rng(0)
    matrix = np.triu(random.random((50, 50)) < 0.3, 1) * (random.random((50, 50)) + 1.0)
    matrix = matrix + matrix.T if weighted else ((matrix + matrix.T) > 0).astype(float)
    labels = np.sort(random.integers(0, 3, 50))
    labels = powercut.partition.canonical_labels(labels)
    ax = plot.adjacency(matrix, labels, bins=7)
    place = np.arange(50) * 7 // 50
    inside = [np.argsort(labels, kind="stable")[place == b] for b in range(7)]
    expected = [[matrix[np.ix_(rows, columns)].mean() for columns in inside] for rows in inside]
    np.testing.assert_allclose(ax.images[0].get_array().filled(0), expected)


def test_graph_without_edges_is_drawn_empty() -> None:
    ax = plot.adjacency(np.zeros((3, 3)), [0, 1, 2])
    assert not ax.images
    ax.figure.canvas.draw()


def test_weight_between_clusters_is_relative_to_its_expectation() -> None:
    graph = np.array([[0, 3, 1], [3, 0, 0], [1, 0, 0.0]])
    ax = plot.between_clusters(graph, [0, 0, 1])
    # Inside cluster 0: 6 of 8, expected 7 * 7 / 8; between: 1, expected 7 * 1 / 8.
    shown = ax.images[0].get_array()
    np.testing.assert_allclose(shown[0], np.log2([6 * 8 / 49, 8 / 7]))
    assert shown.mask[1, 1]


def test_small_clusters_are_combined_in_one_row() -> None:
    ax = plot.between_clusters(BLOCKS, LABELS, n_largest=1)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["0", "2 others"]
    np.testing.assert_allclose(ax.images[0].get_array()[0, 0], np.log2(20 * 28 / 20**2))


def test_plateaus_are_shaded_up_to_the_midpoints_between_tradeoffs() -> None:
    ax = plot.tradeoff_path(two_steps())
    spans = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    ends = sorted((span.get_x(), span.get_x() + span.get_width()) for span in spans)
    np.testing.assert_allclose(ends, [[2**-0.5, 2**1.5], [2**1.5, 2**3.5]])
    assert [text.get_text() for text in ax.texts] == ["4", "2"]


def test_large_clusters_have_numbers_at_their_medians() -> None:
    points = np.array([[0.0, 0.0]] * 3 + [[5.0, 1.0]] * 2)
    ax = plot.embedding(points, ["b", "b", "b", "a", "a"])
    assert {text.get_text(): text.get_position() for text in ax.texts} == {"0": (0, 0), "1": (5, 1)}


def test_tints_of_cluster_colours_differ_in_lightness() -> None:
    from powercut.plot._axes import GREY, N_COLOURS, PALETTE, cluster_colours

    colours = cluster_colours(N_COLOURS + 2)
    assert len(np.unique(colours, axis=0)) == N_COLOURS + 1
    np.testing.assert_allclose(colours[-1] * 255, int(GREY[1:3], 16), atol=0.5)
    # Tints of the same hue differ in lightness.
    lightness = colours[:N_COLOURS].reshape(3, len(PALETTE), 3) @ [0.2126, 0.7152, 0.0722]
    assert (lightness[1] < lightness[0] - 0.05).all()
    assert (lightness[2] > lightness[0] + 0.05).all()


def test_borders_of_an_image_run_between_its_regions() -> None:
    ax = plot.image(np.zeros((2, 3, 3)), [[0, 0, 1], [0, 0, 1]])
    lines = np.array([path.vertices for path in ax.collections[0].get_paths()])
    np.testing.assert_array_equal(lines, [[[1.5, -0.5], [1.5, 0.5]], [[1.5, 0.5], [1.5, 1.5]]])


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plot.rank_size([]), "labels are empty"),
        (lambda: plot.adjacency(BLOCKS, LABELS[:5]), "10 labels are needed"),
        (lambda: plot.adjacency(BLOCKS, LABELS, bins=0), "bins must be at least 1"),
        (lambda: plot.adjacency(np.zeros((0, 0)), []), "no nodes"),
        (lambda: plot.between_clusters(np.zeros((2, 2)), [0, 1]), "no edges"),
        (lambda: plot.between_clusters(BLOCKS, LABELS, n_largest=0), "n_largest must be"),
        (lambda: plot.objective_path([]), "list of values of J"),
        (lambda: plot.embedding(np.zeros((5, 3)), np.zeros(5)), "two coordinates"),
        (lambda: plot.embedding(np.zeros((5, 2)), np.zeros(4)), "4 labels for 5 points"),
        (lambda: plot.image(np.zeros((2, 3)), np.zeros(6)), "reshape"),
    ],
)
def test_invalid_input_is_refused(draw: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        draw()  # type: ignore[operator]
    assert not plt.get_fignums()


def test_large_graph_is_binned() -> None:
    n = 200_000
    ends = np.random.default_rng(0).integers(0, n, (2, 3 * n))
    graph = Graph.from_edges(*ends, symmetrize="sum")
    ax = plot.adjacency(graph, np.arange(n) % 10)
    assert ax.images[0].get_array().shape == (400, 400)


def test_dendrogram_forks_at_the_evidence_and_marks_fitted_clusters() -> None:
    tree = small_tree()
    ax = plot.tree(tree)
    lines = [segment for lines in ax.collections[:2] for segment in lines.get_segments()]
    forks = {segment[0, 0] for segment in lines if segment[0, 0] == segment[1, 0]}
    assert forks == set(tree.evidence[~tree.is_leaf])
    dots = ax.collections[2].get_offsets()
    assert len(dots) == len(np.unique(tree.cut()))
    assert {text.get_text() for text in ax.get_yticklabels()} == {
        f"{cluster}: 6 nodes" for cluster in np.flatnonzero(tree.is_leaf)
    }


def test_icicle_has_a_column_per_level_and_heights_are_sizes() -> None:
    tree = small_tree()
    ax = plot.tree(tree, kind="icicle")
    boxes = [path.vertices for path in ax.collections[0].get_paths()]
    assert len(boxes) == tree.n_clusters
    for level in range(tree.n_levels):
        column = sorted(
            (box[:, 1].min(), box[:, 1].max())
            for box in boxes
            if box[:, 0].min() <= level < box[:, 0].max()
        )
        assert [low for low, _ in column[1:]] == [high for _, high in column[:-1]]
        assert (column[0][0], column[-1][1]) == (0, tree.n_nodes)
        assert sorted(high - low for low, high in column) == sorted(
            np.bincount(tree.cut(level=level))
        )
    assert ax.get_xticklabels()[tree.fitted_level].get_fontweight() == "bold"


def test_names_replace_the_sizes_of_clusters() -> None:
    tree = small_tree()
    names = {int(cluster): f"clique {cluster}" for cluster in np.flatnonzero(tree.is_leaf)[1:]}
    shown = {text.get_text() for text in plot.tree(tree, kind="icicle", names=names).texts}
    assert shown == {"12", "6", *names.values()}
    ticks = {text.get_text() for text in plot.tree(tree, names=names).get_yticklabels()}
    assert set(names.values()) < ticks
    assert f"{np.flatnonzero(tree.is_leaf)[0]}: 6 nodes" in ticks


def test_many_clusters_are_an_icicle() -> None:
    pairs = np.kron(np.eye(60), np.ones((2, 2)) - np.eye(2))
    tree = powercut.cluster_tree(powercut.Graph(pairs), random_state=0)
    assert plot.tree(tree).get_ylabel() == "nodes"
    assert plot.tree(tree, kind="dendrogram").get_xlabel() == "nats lost if joined"
    large = powercut.cluster_tree(powercut.Graph(np.zeros((100, 100))), random_state=0)
    assert plot.tree(large, kind="dendrogram").get_ylabel() == "100 finest clusters"


def test_tree_without_nodes_or_of_unknown_kind() -> None:
    with pytest.raises(ValueError, match="the tree has no nodes"):
        plot.tree(powercut.cluster_tree(powercut.Graph(np.zeros((0, 0))), random_state=0))
    with pytest.raises(ValueError, match="kind"):
        plot.tree(small_tree(), kind="treemap")
