"""
Segment an image
================

Segment a photograph with `powercut.image.segment`, which estimates the number of segments. Segments
of a photograph have all sizes: a sky, a field, and many details.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage.transform import rescale
from sklearn.datasets import load_sample_image

from powercut import plot
from powercut.image import segment

image = rescale(load_sample_image("china.jpg"), 0.5, channel_axis=-1, anti_aliasing=True)
labels = segment(image, random_state=0)
sizes = np.bincount(labels.ravel())
print(f"{len(sizes)} segments; the largest hold", np.round(sizes[:5] / labels.size, 3))

# %%
# A lower ``resolution`` gives fewer segments.

coarse = segment(image, resolution=0.25, random_state=0)
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ax, (name, found) in zip(axes, {"as found": labels, "coarser": coarse}.items(), strict=True):
    plot.image(image, found, ax=ax)
    ax.set_title(f"{name}: {found.max() + 1} segments")
plt.show()
