"""
Predict clusters of new points
==============================

Assign new points to the clusters of a fitted model with ``predict`` and ``predict_proba``. For
Gaussian clusters these are posteriors: the density of the cluster at the point, times its size. On
the training points ``predict`` always returns the labels of the fit.
"""

import matplotlib.pyplot as plt
import numpy as np

from powercut import PowerLawMeans, plot
from powercut.datasets import make_blobs

X, _ = make_blobs(800, n_features=2, spread=9, concentration=2, discount=0.2, random_state=5)
model = PowerLawMeans(random_state=0).fit(X)
assert np.array_equal(model.predict(X), model.labels_)

low, high = X.min(axis=0) - 1, X.max(axis=0) + 1
x, y = np.meshgrid(np.linspace(low[0], high[0], 200), np.linspace(low[1], high[1], 200))
highest = model.predict_proba(np.column_stack([x.ravel(), y.ravel()])).max(axis=1)

figure, ax = plt.subplots(figsize=(8, 6), layout="constrained")
surface = ax.pcolormesh(x, y, highest.reshape(x.shape), cmap="Greys_r", vmin=0.4, vmax=1)
figure.colorbar(surface, ax=ax, label="probability of the likeliest cluster")
plot.embedding(X, model.labels_, ax=ax)
plt.show()
