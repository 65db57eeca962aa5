"""The segmentation methods, each with the settings that are tried."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from powercut.baselines import NormalizedCut
from powercut.image.segmentation import N_SUPERPIXELS, cut_regions, regions_and_affinity
from powercut.partition import compact_labels

LabelMap = npt.NDArray[np.int32]
Image = npt.NDArray[np.uint8]
Setting = dict[str, float]
Cut = Callable[..., npt.NDArray[np.integer]]


@dataclass(frozen=True)
class Method:
    """A segmentation method.

    Attributes
    ----------
    name : str
    prepare : callable
        Takes an image and the median number of human segments; returns a function that takes a
        setting as keywords and returns labels.
    settings : tuple of dict
        Settings that are tried.
    """

    name: str
    prepare: Callable[[Image, int], Cut]
    settings: tuple[Setting, ...]

    def run(self, image: Image, k: int) -> Iterator[tuple[LabelMap, float]]:
        """Yield labels and CPU seconds for each setting."""
        start = process_time()
        cut = self.prepare(image, k)
        prepared = process_time() - start
        for setting in self.settings:
            start = process_time()
            labels = cut(**setting)
            seconds = prepared + process_time() - start
            yield compact_labels(labels.ravel())[0].reshape(labels.shape), seconds


def grid(**choices: tuple[float, ...]) -> tuple[Setting, ...]:
    """Return all combinations of the values of each keyword."""
    return tuple(dict(zip(choices, values, strict=True)) for values in product(*choices.values()))


def power_law_cuts(image: Image, k: int) -> Cut:  # noqa: ARG001
    """Segment by `powercut.image.segment`."""
    regions, chances = regions_and_affinity(image, N_SUPERPIXELS)

    def cut(**setting: float) -> LabelMap:
        return cut_regions(chances, regions, random_state=0, **setting)

    return cut


def spectral_cuts(image: Image, k: int) -> Cut:
    """Segment the same affinity graph by spectral normalized cuts, with the human k."""
    regions, chances = regions_and_affinity(image, N_SUPERPIXELS)

    def cut(power: float) -> npt.NDArray[np.integer]:
        with warnings.catch_warnings():
            # Fewer than k segments are acceptable.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = NormalizedCut(min(k, len(regions)), random_state=0).fit(chances**power)
        labels: npt.NDArray[np.integer] = model.labels_[regions.labels]
        return labels

    return cut


def scikit_image_cuts(image: Image, k: int) -> Cut:  # noqa: ARG001
    """Segment by the recursive normalized cut of scikit-image, on mean colours of superpixels."""
    from skimage.graph import cut_normalized, rag_mean_color
    from skimage.segmentation import slic

    superpixels = slic(image, n_segments=400, compactness=30, start_label=0)
    graph = rag_mean_color(image, superpixels, mode="similarity")

    def cut(**setting: float) -> npt.NDArray[np.integer]:
        labels: npt.NDArray[np.integer] = cut_normalized(
            superpixels, graph, rng=0, in_place=False, **setting
        )
        return labels

    return cut


def felzenszwalb_merges(image: Image, k: int) -> Cut:  # noqa: ARG001
    """Segment by the graph-based merging of Felzenszwalb and Huttenlocher."""
    from skimage.segmentation import felzenszwalb

    def cut(scale: float, min_size: float) -> npt.NDArray[np.integer]:
        labels: npt.NDArray[np.integer] = felzenszwalb(
            image, scale=scale, sigma=0.8, min_size=int(min_size)
        )
        return labels

    return cut


def slic_clusters(image: Image, k: int) -> Cut:  # noqa: ARG001
    """Segment by SLIC: k-means on colour and position."""
    from skimage.segmentation import slic

    def cut(n_segments: float, **setting: float) -> npt.NDArray[np.integer]:
        labels: npt.NDArray[np.integer] = slic(
            image, n_segments=int(n_segments), start_label=0, **setting
        )
        return labels

    return cut


OURS = "power-law cuts"
SPECTRAL = "normalized cuts, true k"

METHODS = (
    Method(
        OURS,
        power_law_cuts,
        grid(resolution=(0.3, 0.35, 0.4, 0.45, 0.5), tradeoff=(5e-4, 2e-3)),
    ),
    Method(SPECTRAL, spectral_cuts, grid(power=(8, 16, 32, 64, 128))),
    Method("skimage cut_normalized", scikit_image_cuts, grid(thresh=(1e-4, 1e-3, 1e-2))),
    Method(
        "felzenszwalb",
        felzenszwalb_merges,
        grid(scale=(300, 600, 1200), min_size=(500, 1500)),
    ),
    Method("SLIC", slic_clusters, grid(n_segments=(4, 8, 16, 32))),
)


def as_text(setting: dict[str, Any]) -> str:
    """Return a setting as text."""
    return ", ".join(f"{name} {value:g}" for name, value in setting.items())
