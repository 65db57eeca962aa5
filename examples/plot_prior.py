r"""
What the prior expects
======================

The Pitman-Yor prior in pictures. The discount :math:`\theta` says how heavy the tail of small
clusters is: the number of clusters grows as :math:`n^\theta`, and only as :math:`\ln n` where it
is 0. The concentration :math:`\alpha` says how many clusters there are to begin with.
"""

import matplotlib.pyplot as plt
import numpy as np

from powercut import PitmanYor

styles = {0.0: "-", 0.3: "--", 0.6: "-.", 0.9: ":"}
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
n = np.unique(np.geomspace(1, 100_000, 60).astype(int))
for discount, style in styles.items():
    prior = PitmanYor(concentration=5, discount=discount)
    left.loglog(n, [prior.expected_clusters(m) for m in n], style, label=f"discount {discount}")
    sizes = np.sort(np.bincount(prior.sample(100_000, random_state=0)))[::-1]
    right.loglog(np.arange(1, len(sizes) + 1), sizes, style, label=f"discount {discount}")
left.set(xlabel="points", ylabel="clusters, expected")
right.set(xlabel="rank", ylabel="size, in one partition of 100,000")
left.legend()
right.legend()

# %%
# What it costs to be a partition. Minus the logarithm of its probability is what the objective
# adds: cheap are a few large clusters and a tail, dear are many of one size.

prior = PitmanYor(concentration=5, discount=0.5)
for name, sizes in {
    "one of 900, ten of 10": [900] + [10] * 10,
    "ten of 100": [100] * 10,
    "a hundred of 10": [10] * 100,
    "drawn from the prior": np.bincount(prior.sample(1000, random_state=1)),
}.items():
    print(f"{name:25s}{-prior.log_prob(np.asarray(sizes)):8.0f} nats")
plt.show()
