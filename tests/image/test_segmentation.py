"""Segmentation of synthetic images, and each of its steps."""

import importlib
import importlib.util
from typing import Any

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter, label
from sklearn.metrics import adjusted_rand_score

import powercut.image
from powercut._typing import LABEL
from powercut.image import overlay, segment
from powercut.image.affinity import AFFINITY_WEIGHTS, pair_features, same_segment
from powercut.image.cues import find_cues
from powercut.image.regions import THINNEST, Regions, find_regions

SHAPE = (193, 256)


def scene(noise: float = 0.03) -> tuple[np.ndarray, np.ndarray]:
    """Return an image of a blue sky, a green field and a small red house, and its true labels."""
    truth = np.zeros(SHAPE, int)
    truth[55:] = 1
    truth[38:62, 30:60] = 2
    colours = np.array([[0.5, 0.7, 0.9], [0.3, 0.5, 0.2], [0.7, 0.2, 0.1]])
    image = colours[truth] + noise * np.random.default_rng(0).standard_normal((*SHAPE, 3))
    return np.clip(image, 0, 1), truth


def test_objects_of_a_scene_are_segmented():
    image, truth = scene()
    labels = segment(image, random_state=0)
    assert labels.shape == SHAPE
    assert labels.dtype == LABEL
    assert adjusted_rand_score(truth.ravel(), labels.ravel()) > 0.95
    sizes = np.bincount(labels.ravel())
    assert np.all(np.diff(sizes) <= 0)


def test_bytes_and_floats_have_the_same_segments():
    image, _ = scene()
    as_bytes = np.round(image * 255).astype(np.uint8)
    assert np.array_equal(
        segment(as_bytes, random_state=0), segment(as_bytes / 255, random_state=0)
    )


def test_segments_can_differ_in_texture_only():
    random = np.random.default_rng(0)
    columns = np.arange(SHAPE[1])
    stripes = np.broadcast_to(np.where(columns % 6 < 3, 0.25, 0.75), SHAPE)
    blobs = gaussian_filter(random.standard_normal(SHAPE), 3)
    blobs = 0.5 + 0.25 * np.tanh(3 * blobs / blobs.std())
    truth = np.zeros(SHAPE, int)
    truth[:, SHAPE[1] // 2 :] = 1
    cues = find_cues(np.repeat(np.where(truth == 0, stripes, blobs)[..., None], 3, axis=2))
    regions = find_regions(cues.boundaries(), 60)
    texture = pair_features(regions, cues)["texture"]
    side = regions.means(truth[None])[:, 0] > 0.5
    one, other = np.triu_indices(len(regions), 1)
    across = side[one] != side[other]
    assert texture[across].mean() > 2 * texture[~across].mean()


def test_uniform_image_is_one_segment():
    assert np.array_equal(segment(np.full((40, 50), 0.5)), np.zeros((40, 50)))


def test_labels_of_large_images_have_their_size():
    image, truth = scene(noise=0.0)
    large = image.repeat(7, axis=0).repeat(7, axis=1)
    labels = segment(large, random_state=0)
    assert labels.shape == large.shape[:2]
    assert adjusted_rand_score(truth.ravel(), labels[3::7, 3::7].ravel()) > 0.95


def test_higher_resolution_gives_more_segments():
    image, _ = scene(noise=0.1)
    few, many = (segment(image, resolution=r, random_state=0).max() for r in (0.2, 0.9))
    assert few < many


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros((40, 40, 4)), r"\(40, 40, 4\); .* Remove other channels"),
        (np.zeros(40), r"\(40,\)"),
        (np.zeros((40, 9)), "40 x 9 pixels is too small"),
        (np.full((40, 40), 255.0), "float64 from 255.0 to 255.0"),
        (np.full((40, 40), -0.1), "from -0.1"),
        (np.full((40, 40), np.nan), "from nan"),
        (np.zeros((40, 40), np.int64), "int64"),
    ],
)
def test_invalid_images_are_refused(image: Any, message: str):
    with pytest.raises(ValueError, match=message):
        segment(image)


def test_regions_are_connected_and_list_adjacent_pairs():
    cues = find_cues(scene()[0])
    boundaries = cues.boundaries()
    regions = find_regions(boundaries, 80)
    assert 40 <= len(regions) <= 100
    distance = np.sqrt(boundaries.size / 80)
    assert regions.thickness.min() >= THINNEST * distance
    assert regions.areas.sum() == regions.labels.size
    assert all(label(regions.labels == i)[1] == 1 for i in range(len(regions)))
    touching = {(int(a), int(b)) for a, b in zip(regions.one, regions.other, strict=True)}
    seen = set()
    for here, there in (
        (regions.labels[1:], regions.labels[:-1]),
        (regions.labels[:, 1:], regions.labels[:, :-1]),
    ):
        pairs = np.stack([here[here != there], there[here != there]], axis=1)
        seen |= {(int(min(pair)), int(max(pair))) for pair in pairs}
    assert touching == seen


def chain() -> Regions:
    """Return four regions in a row, 10 x 10 pixels each, with a strong boundary in the middle."""
    labels = np.arange(4).repeat(10)[None].repeat(10, axis=0)
    return Regions(
        labels,
        np.full(4, 100),
        np.array([0, 1, 2]),
        np.array([1, 2, 3]),
        np.array([0.1, 0.9, 0.2]),
        np.full(3, 10),
    )


def test_features_follow_the_boundaries_between_regions():
    image = np.random.default_rng(0).random((10, 40, 3))
    features = pair_features(chain(), find_cues(image))
    assert set(features) == set(AFFINITY_WEIGHTS)
    #                                            0-1  0-2  0-3  1-2  1-3  2-3
    assert features["barrier"] ** 2 == pytest.approx([0.1, 0.9, 0.9, 0.9, 0.9, 0.2])
    step = np.array([0.1, 0.9, 0.2]) ** 1.5 + 1e-3
    ways = [step[0], step[:2].sum(), step.sum(), step[1], step[1:].sum(), step[2]]
    assert np.exp(features["path"]) - 0.05 == pytest.approx(ways)
    # The cut in the middle is the first eigenvector: nothing is farther apart than its sides.
    assert min(features["spectral"][1:5]) > max(features["spectral"][[0, 5]])


def test_affinity_is_a_symmetric_probability():
    image, truth = scene()
    cues = find_cues(image)
    regions = find_regions(cues.boundaries(), 80)
    chances = same_segment(regions, cues)
    assert np.array_equal(chances, chances.T)
    assert 0 <= chances.min() <= chances.max() < 1
    thing = regions.means(truth[None] == np.arange(3)[:, None, None]).argmax(axis=1)
    same = thing[:, None] == thing
    assert chances[same].mean() > chances[~same].mean() + 0.3


def test_overlay_draws_white_contours_and_mean_colours():
    image, truth = scene()
    shown = overlay(image, truth)
    assert shown[54, 0].tolist() == [1, 1, 1]
    inside = shown[:30][truth[:30] == 0]
    assert inside.mean(axis=0) == pytest.approx(image[truth == 0].mean(axis=0), abs=0.01)
    assert inside.std() < image[:30].std()
    with pytest.raises(ValueError, match=r"labels of shape \(3, 3\) do not fit"):
        overlay(image, np.zeros((3, 3), int))


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r'pip install "powercut\[image\]"'):
        importlib.reload(powercut.image)
