"""
Do the sizes follow a power law?
================================

`powercut.size_distribution` fits the Pitman-Yor prior and a power law to the sizes of any
clusters, whoever found them, and sets the power law beside what else it might be.
"""

import matplotlib.pyplot as plt
import numpy as np

from powercut import PitmanYor, plot, size_distribution

random = np.random.default_rng(0)
partitions = {
    "Pitman-Yor, discount 0.6": PitmanYor(5, 0.6).sample(20_000, random_state=0),
    "clusters of one kind": random.permutation(np.repeat(np.arange(200), random.poisson(100, 200))),
}
for name, labels in partitions.items():
    found = size_distribution(labels)
    tail = found.power_law
    print(name)
    print(
        f"  {len(found.sizes)} clusters, discount {found.prior.discount:.2f}, "
        f"concentration {found.prior.concentration:.1f}"
    )
    print(
        f"  power law from {tail.smallest} on, exponent {tail.exponent:.2f}, "
        f"KS distance {tail.distance:.2f}"
    )

# %%
# Sizes by rank above, how many clusters there are of each size below. Where sizes leave the band,
# the prior did not expect them: clusters of one size are no power law, however one fits it.

figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
for (above, below), (name, labels) in zip(axes.T, partitions.items(), strict=True):
    plot.rank_size(labels, ax=above)
    plot.size_histogram(labels, ax=below)
    above.set_title(name)
plt.show()
