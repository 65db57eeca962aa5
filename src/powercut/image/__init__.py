"""Image segmentation. Needs scikit-image: ``pip install "powercut[image]"``."""

from importlib.util import find_spec

if find_spec("skimage") is None:
    raise ImportError(
        'powercut.image needs scikit-image, which is not installed: pip install "powercut[image]"'
    )

from powercut.image.overlay import overlay
from powercut.image.segmentation import segment

__all__ = ["overlay", "segment"]
