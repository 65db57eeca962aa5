"""Graphs as nodes and links: what is drawn, and where."""

from collections.abc import Iterator

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

from powercut import Graph, plot
from powercut.datasets import make_block_graph
from powercut.graphs.level import Level
from powercut.partition import canonical_labels

plt = pytest.importorskip("matplotlib.pyplot")
from powercut.plot._axes import cluster_colours  # noqa: E402
from powercut.plot._layout import layout  # noqa: E402

TRIANGLES = np.kron(np.eye(2), np.ones((3, 3))) - np.eye(6)
TRIANGLES[2, 3] = TRIANGLES[3, 2] = 1
CLUSTERS = np.array([0, 0, 0, 1, 1, 1])


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def linked(graph: nx.Graph) -> np.ndarray:
    return nx.to_numpy_array(graph) > 0


def test_nodes_have_colours_and_links_of_their_clusters() -> None:
    ax = plot.network(TRIANGLES, CLUSTERS)
    links, nodes = ax.collections
    colours = cluster_colours(2)
    np.testing.assert_allclose(nodes.get_facecolors()[:, :3], colours[CLUSTERS])
    places = nodes.get_offsets()
    drawn = {tuple(np.round(segment, 9).ravel()) for segment in links.get_segments()}
    edges = np.argwhere(np.triu(TRIANGLES))
    assert drawn == {tuple(np.round(places[edge], 9).ravel()) for edge in edges}
    inside = [(links.get_colors()[:, :3] == colour).all(axis=1).sum() for colour in colours]
    assert inside == [3, 3]
    assert ax.get_title() == "6 nodes, 2 clusters"


def test_names_are_drawn_as_they_are() -> None:
    graph = nx.path_graph(["a", "$x^$", "a\nb\ud83d", "n" * 99])
    ax = plot.network(graph, [0, 0, 0, 0])
    assert [text.get_text() for text in ax.texts] == ["a", "$x^$", "a b?", "n" * 29 + "…"]
    ax.figure.canvas.draw()
    given = plot.network(graph, [0, 0, 0, 0], names=[1, 2, 3, 4])
    assert [text.get_text() for text in given.texts] == ["1", "2", "3", "4"]
    with pytest.raises(ValueError, match=r"names has shape \(3,\); 4 names are needed"):
        plot.network(graph, [0, 0, 0, 0], names=["a", "b", "c"])


def test_large_graphs_are_drawn_as_their_largest_clusters() -> None:
    graph, truth = make_block_graph(2000, random_state=0)
    labels = canonical_labels(truth)
    ax = plot.network(graph, labels)
    sizes = np.bincount(labels)
    k = int((sizes > 1).sum())
    links, discs = ax.collections
    areas = discs.get_sizes()
    assert len(areas) == min(k, 40)
    np.testing.assert_allclose(
        np.diff(areas), 700 * np.diff(np.sort(sizes)[::-1][:40]) / sizes.max()
    )
    # No cluster has a link that the graph has not.
    between = Level.finest(graph).aggregate(labels, len(sizes), None)
    indptr, indices, _ = between.graph
    places = {tuple(place): c for c, place in enumerate(np.round(discs.get_offsets(), 9))}
    segments = links.get_segments()
    assert len(segments) >= 40
    for start, end in np.round(segments, 9):
        c, d = places[tuple(start)], places[tuple(end)]
        assert d in indices[indptr[c] : indptr[c + 1]]


@pytest.mark.parametrize("n", [0, 1, 2, 400])
def test_graphs_without_edges_are_drawn(n: int) -> None:
    ax = plot.network(Graph(np.zeros((n, n))), np.arange(n))
    assert ax.get_title().startswith(f"{n} node")
    ax.figure.canvas.draw()


def test_distances_in_the_plane_are_those_along_the_edges() -> None:
    places = layout(linked(nx.path_graph(10)))
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    # Ends of a path have one neighbour: their edges are shorter.
    length = np.where((np.arange(9) % 8) == 0, np.sqrt(3), 2)
    expected = shortest_path(np.diag(length, 1), directed=False)
    np.testing.assert_allclose(apart, expected, rtol=0.02, atol=0.02)


def test_no_node_is_out_of_place() -> None:
    # The cliques of this ring have members with equal neighbours, which start in one place.
    graph = linked(nx.connected_caveman_graph(12, 8))
    places = layout(graph)
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    assert apart[graph].max() < 6 < np.ptp(places, axis=0).min()
    assert apart[~np.eye(96, dtype=bool)].min() > 0.1


def test_places_are_the_same_every_time_and_centred() -> None:
    graph = linked(nx.les_miserables_graph())
    np.testing.assert_array_equal(layout(graph), layout(graph))
    np.testing.assert_allclose(layout(graph).mean(axis=0), 0, atol=1e-9)
