"""
How certain each label is
=========================

Find uncertain labels and clusters. ``margins_`` says by how many nats each point prefers its
cluster to the next best, ``cluster_evidence_`` is the evidence for a cluster in nats, against
merging it with another. Both are log odds: 2 nats are odds of 7 to 1, 5 nats odds of 150 to 1.
"""

import matplotlib.pyplot as plt
import numpy as np

from powercut import PowerLawMeans, plot

random = np.random.default_rng(0)
X = np.concatenate(
    [
        random.normal([0, 0], 1.0, (600, 2)),
        random.normal([3.5, 0], 1.0, (200, 2)),
        random.normal([0, 7], 0.7, (60, 2)),
    ]
)
model = PowerLawMeans(covariance="spherical", random_state=0).fit(X)

for size, evidence in zip(model.cluster_sizes_, model.cluster_evidence_, strict=True):
    print(f"a cluster of {size:3d} points: evidence {evidence:6.1f} nats")
print(f"{np.mean(model.margins_ < 2):.0%} of the labels are uncertain")

# %%
# Labels are uncertain where two clusters touch. For each of the first two clusters, the other is
# the best one to merge with, so both have the same evidence.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 4.8), layout="constrained", subplot_kw={"aspect": "equal"}
)
plot.embedding(X, model.labels_, ax=left)
left.set_title("clusters")
dots = right.scatter(*X.T, c=np.clip(model.margins_, 0, 10), s=8, cmap="cividis")
figure.colorbar(dots, ax=right, label="margin in nats, clipped at 10")
right.set_title("certainty")
right.set(xticks=[], yticks=[])
plt.show()
