"""Trees of vectors, around the clusters of `PowerLawClusters`."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.datasets import make_moons

from powercut import Graph, PowerLawClusters, PowerLawCut, cluster_tree, neighbors
from powercut._typing import LABEL
from powercut.results.comparison import agreement, is_nested

Points = npt.NDArray[np.float64]


def groups_of_blobs() -> tuple[Points, npt.NDArray[np.int64]]:
    """Return six clusters of 100 points in two groups that are far apart, and the clusters."""
    cluster = np.repeat(np.arange(6), 100)
    centres = 40 * np.eye(3)[np.arange(6) // 3] + 4 * np.eye(3)[np.arange(6) % 3]
    return centres[cluster] + np.random.default_rng(0).normal(size=(600, 3)), cluster


BLOBS, CLUSTER = groups_of_blobs()
MOONS = make_moons(400, noise=0.05, random_state=0)[0]
# Many dimensions, and clusters that are not Gaussian.
HEAVY = np.repeat(6 * np.eye(24)[:4], 80, axis=0) + np.random.default_rng(0).standard_t(
    3, size=(320, 24)
)


@pytest.mark.parametrize(
    ("X", "route"), [(BLOBS, "gaussian"), (MOONS, "density"), (HEAVY, "neighbors")]
)
def test_the_fitted_level_is_that_of_the_clusters(X: Points, route: str) -> None:
    model = PowerLawClusters(random_state=0).fit(X)
    assert model.route_ == route
    tree = cluster_tree(X, prune=False, random_state=0)
    assert np.array_equal(tree.cut(), model.labels_)
    levels = [tree.cut(level=level) for level in range(tree.n_levels)]
    assert all(is_nested(fine, coarse) for coarse, fine in pairwise(levels))
    same = cluster_tree(X, estimator=model, prune=False)
    assert np.array_equal(same.leaf, tree.leaf)
    assert np.array_equal(same.evidence, tree.evidence)


def test_groups_of_clusters_are_a_level() -> None:
    tree = cluster_tree(BLOBS, random_state=0)
    assert agreement(tree.cut(), CLUSTER.astype(LABEL)) > 0.95
    assert tree.n_levels == 2
    assert np.array_equal(tree.cut(level=0), CLUSTER // 3)


def test_a_cloud_has_one_level_and_parts_if_asked() -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    with pytest.warns(UserWarning, match="No more than one cluster"):
        model = PowerLawClusters(random_state=0).fit(X)
    assert cluster_tree(X, estimator=model).n_levels == 1
    parts = cluster_tree(X, estimator=model, max_size=50)
    assert parts.size[parts.is_leaf].max() <= 50


def test_a_graph_may_be_given_to_either_estimator() -> None:
    graph = neighbors.graph(BLOBS)
    trees = [
        cluster_tree(graph, random_state=0),
        cluster_tree(graph, estimator=PowerLawCut(random_state=0)),
        cluster_tree(graph, estimator=PowerLawClusters(random_state=0)),
        cluster_tree(graph, estimator=PowerLawClusters(random_state=0).fit(graph)),
    ]
    for tree in trees[1:]:
        assert np.array_equal(tree.leaf, trees[0].leaf)


def test_vectors_of_a_cut_have_the_graph_of_its_affinity() -> None:
    cut = PowerLawCut(affinity="nearest_neighbors", random_state=0)
    model = PowerLawCut(affinity="nearest_neighbors", random_state=0).fit(MOONS)
    tree, same = (cluster_tree(MOONS, estimator=one) for one in (cut, model))
    assert np.array_equal(tree.cut(), model.labels_)
    assert np.array_equal(tree.leaf, same.leaf)
    graph = cluster_tree(Graph(model.affinity_matrix_), random_state=0)
    assert np.array_equal(tree.leaf, graph.leaf)


def test_scaled_columns_are_those_of_the_fit() -> None:
    """Columns in other units give the same tree, as they give the same clusters."""
    scale = np.array([1, 1000, 1e-3])
    trees = [
        cluster_tree(X, estimator=PowerLawClusters(scale="columns", random_state=0))
        for X in (BLOBS, BLOBS * scale)
    ]
    assert np.array_equal(trees[0].leaf, trees[1].leaf)


def test_wrong_vectors() -> None:
    model = PowerLawClusters(random_state=0).fit(BLOBS)
    with pytest.raises(ValueError, match="fitted to other data"):
        cluster_tree(BLOBS + 1, estimator=model)
    with pytest.raises(ValueError, match="fitted to other data"):
        cluster_tree(BLOBS[:100], estimator=model)
    outlier = np.vstack([BLOBS, [1e4] * 3])
    model = PowerLawClusters(outliers="label", random_state=0).fit(outlier)
    assert (model.labels_ < 0).any()
    with pytest.raises(ValueError, match='outliers="assign"'):
        cluster_tree(outlier, estimator=model)
