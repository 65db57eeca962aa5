r"""
What the prior expects
======================

See how the hyperparameters of the Pitman-Yor prior change the cluster sizes. The discount
:math:`\theta` controls how heavy the tail of small clusters is: the number of clusters grows as
:math:`n^\theta`, and only as :math:`\ln n` if it is 0. The concentration :math:`\alpha` controls
how many clusters there are to begin with.
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
plt.show()

# %%
# The objective adds the negative log-probability of the partition, -log EPPF. Among partitions with
# eleven clusters, a few large and many small clusters have a low cost, and equal sizes a high one.

prior = PitmanYor(concentration=5, discount=0.5)
for name, sizes in {
    "one of 900, ten of 10": [900] + [10] * 10,
    "500, 250, 125 and so on": [500, 250, 125, 62, 31, 16, 8, 4, 2, 1, 1],
    "eleven of about 91": [91] * 10 + [90],
}.items():
    print(f"{name:25s}{-prior.log_prob(np.asarray(sizes)):8.0f} nats")
