"""
Do the sizes follow a power law?
================================

Test whether cluster sizes follow a power law. `powercut.size_distribution` fits the Pitman-Yor
prior and a power law to the sizes of any partition, whatever method found it, and compares the
power law with other distributions.
"""

import matplotlib.pyplot as plt
import numpy as np

from powercut import PitmanYor, plot, size_distribution

random = np.random.default_rng(0)
partitions = {
    "Pitman-Yor, discount 0.6": PitmanYor(5, 0.6).sample(20_000, random_state=0),
    "all of about 100": random.permutation(np.repeat(np.arange(200), random.poisson(100, 200))),
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
        f"  power law from {tail.smallest} on: {tail.n_tail} clusters, exponent {tail.exponent:.2f}"
    )
    beside = tail.against_exponential
    print(
        f"  log-likelihood over an exponential: {beside.log_ratio:+.1f} (p = {beside.p_value:.2f})"
    )

# %%
# A power law can be fitted to any tail. The last line compares it with an exponential: the
# ratio is in standard deviations, positive where the power law fits better. With a large p the
# two distributions are indistinguishable on these sizes. The second partition has no power law: the
# fit begins at 110, where few clusters are left, and its exponent is the largest that is tried.
#
# Above: sizes by rank. Below: the number of clusters of each size. Sizes outside the band are
# unlikely under the prior.

figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
for (above, below), (name, labels) in zip(axes.T, partitions.items(), strict=True):
    plot.rank_size(labels, ax=above)
    plot.size_histogram(labels, ax=below)
    above.set_title(name)
plt.show()
