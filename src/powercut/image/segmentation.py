"""segment: segmentation of an image by power-law cuts of its superpixels."""

from typing import Any

import numpy as np
import numpy.typing as npt
from skimage.color import gray2rgb
from skimage.transform import resize

from powercut._typing import Labels
from powercut.estimators.cut import PowerLawCut
from powercut.image.affinity import Pairs, same_segment
from powercut.image.cues import find_cues
from powercut.image.regions import Regions, find_regions
from powercut.partition import canonical_labels

Image = npt.NDArray[np.generic]

# Smaller images are too small to estimate texture. Larger ones are resized, as the neighbourhoods
# and weights were fitted to photographs of this size.
SMALLEST_SIDE = 16
LARGEST_SIDE = 481
# Pixels per superpixel: a smaller one on a contour would consist of contour only.
SMALLEST_AREA = 100
N_SUPERPIXELS = 500


def segment(
    image: Any,
    *,
    resolution: float = 0.4,
    tradeoff: float = 2e-3,
    concentration: float = 1.0,
    discount: float = 0.2,
    n_superpixels: int = N_SUPERPIXELS,
    random_state: Any = None,
) -> Labels:
    r"""Segment an image; the number of segments is estimated.

    The image is divided into superpixels that follow its boundaries. For each pair i and j, the
    probability :math:`p_{ij}` that a person would put them into the same segment is estimated
    from the contours between them, their colours, textures and positions. Then
    `powercut.PowerLawCut` finds the partition of lowest

    .. math:: J = -\frac1n \sum_c \sum_{i, j \in c} a_i a_j (p_{ij} - \gamma)
              - \lambda \ln \mathrm{EPPF}(n_1, \dots, n_k; \alpha, \theta),

    the score ``cpm`` with areas :math:`a_i` (1 on average) as weights, and the Pitman-Yor prior
    on the numbers of superpixels in the segments. Without the prior and with
    :math:`\gamma = 1/2`, this is the segmentation of highest expected Rand index.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
        Grey or RGB; uint8, or floats from 0 to 1. An image with a side above 481 pixels is
        segmented at that size, and its labels are enlarged.
    resolution : float, default=0.4
        :math:`\gamma`: two superpixels attract each other if the probability that they belong
        together is above this. Higher values give more segments.
    tradeoff : float, default=2e-3
        :math:`\lambda`, the weight of the size prior against the score.
    concentration, discount : float, default=1.0, 0.2
        :math:`\alpha` and :math:`\theta` of the prior.
    n_superpixels : int, default=500
        Approximate upper bound on the number of superpixels.
    random_state : int, RandomState instance or None, default=None
        Determines the order of moves.

    Returns
    -------
    ndarray of shape (height, width), int32
        Segment of each pixel; 0 is the largest.

    See Also
    --------
    powercut.image.overlay : Draw the segments on the image.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.image import segment
    >>> image = np.full((60, 80, 3), 0.8)
    >>> image[15:45, 20:50] = (0.8, 0.1, 0.1)
    >>> labels = segment(image, random_state=0)
    >>> print(labels.shape, labels[5, 5], labels[30, 35])
    (60, 80) 0 1
    """
    pixels = check_image(image)
    height, width = pixels.shape[:2]
    shrunk = LARGEST_SIDE / max(height, width)
    if shrunk < 1:
        size = [max(SMALLEST_SIDE, round(side * shrunk)) for side in (height, width)]
        pixels = resize(pixels, size, anti_aliasing=True)
    most = max(1, pixels.shape[0] * pixels.shape[1] // SMALLEST_AREA)
    regions, chances = regions_and_affinity(pixels, min(n_superpixels, most))
    labels = cut_regions(
        chances,
        regions,
        resolution=resolution,
        tradeoff=tradeoff,
        concentration=concentration,
        discount=discount,
        random_state=random_state,
    )
    rows, columns = (
        (np.arange(full) * side) // full
        for full, side in zip((height, width), labels.shape, strict=True)
    )
    return np.asarray(labels[rows[:, None], columns])


def regions_and_affinity(image: Image, n_superpixels: int) -> tuple[Regions, Pairs]:
    """Return the superpixels of an RGB image, and their pairwise affinity."""
    cues = find_cues(image)
    regions = find_regions(cues.boundaries(), n_superpixels)
    return regions, same_segment(regions, cues)


def cut_regions(
    chances: Pairs, regions: Regions, *, resolution: float, **parameters: Any
) -> Labels:
    """Return the segment of each pixel, from the affinity of regions."""
    n = len(regions)
    area = regions.areas / regions.areas.mean()
    # Divided by n, the score grows linearly with the number of superpixels, as the prior does.
    model = PowerLawCut("cpm", resolution=resolution / n, connected=False, **parameters)
    model.fit(chances * np.outer(area, area) / n, sample_weight=area)
    return canonical_labels(model.labels_[regions.labels].ravel()).reshape(regions.labels.shape)


def check_image(image: Any) -> Image:
    """Return the image as RGB, or raise."""
    pixels = np.asarray(image)
    if pixels.ndim == 2:
        pixels = gray2rgb(pixels)
    if pixels.ndim != 3 or pixels.shape[2] != 3:
        raise ValueError(
            f"the image has shape {np.shape(image)}; it must be (height, width) or "
            "(height, width, 3). Remove other channels, such as alpha."
        )
    if min(pixels.shape[:2]) < SMALLEST_SIDE:
        raise ValueError(
            f"an image of {pixels.shape[0]} x {pixels.shape[1]} pixels is too small to estimate "
            f"texture; each side must have at least {SMALLEST_SIDE}."
        )
    if pixels.dtype != np.uint8 and not (
        np.issubdtype(pixels.dtype, np.floating) and 0 <= pixels.min() <= pixels.max() <= 1
    ):
        raise ValueError(
            f"pixels are uint8, or floats from 0 to 1, but these are {pixels.dtype} from "
            f"{pixels.min()} to {pixels.max()}; divide them by their largest possible value."
        )
    return pixels
