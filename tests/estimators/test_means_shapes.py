"""PowerLawMeans chooses its covariance structure, and warns of clusters of other shapes."""

import warnings

import numpy as np
import pytest

import powercut
from powercut import PowerLawMeans
from powercut.datasets import make_blobs

RANDOM = np.random.default_rng(0)
SPHERES = make_blobs(200, n_features=3, spread=20, random_state=0)[0]
SHEARED = np.concatenate([RANDOM.normal(size=(100, 2)) + apart for apart in (0, 9)]) @ [
    [1.0, 0.9],
    [0.0, 0.3],
]


@pytest.mark.parametrize(("X", "best"), [(SPHERES, "spherical"), (SHEARED, "full")])
def test_the_shortest_description_decides(
    X: np.ndarray, best: str, tmp_path: pytest.TempPathFactory
) -> None:
    model = PowerLawMeans(covariance="auto", random_state=0).fit(X)
    assert model.covariance_ == best
    each = [
        PowerLawMeans(covariance=covariance, random_state=0).fit(X).description_length_
        for covariance in ("diagonal", "spherical", "full")
    ]
    assert model.description_length_ == pytest.approx(min(each), rel=0.01)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    powercut.save(f"{tmp_path}/model.npz", model=model)
    assert powercut.load(f"{tmp_path}/model.npz").covariance_ == best


def test_the_default_structure_is_told() -> None:
    assert PowerLawMeans(random_state=0).fit(SPHERES).covariance_ == "diagonal"
    kmeans = PowerLawMeans("kmeans", random_state=0).fit(SPHERES)
    assert not hasattr(kmeans, "covariance_")


def test_clusters_of_other_shapes_are_warned_of() -> None:
    X = np.random.default_rng(0).standard_t(2, size=(600, 3))
    with pytest.warns(UserWarning, match=r"do not pass as Gaussian: .* powercut.PowerLawClusters"):
        PowerLawMeans(random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PowerLawMeans(random_state=0).fit(SPHERES)
        PowerLawMeans(tradeoff=2.0, random_state=0).fit(X)
