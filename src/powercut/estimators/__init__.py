"""Estimators in the scikit-learn contract, and their one-line twins."""

from powercut.estimators.cut import PowerLawCut, power_law_cut
from powercut.estimators.kernel_means import PowerLawKernelMeans, power_law_kernel_means
from powercut.estimators.means import PowerLawMeans, power_law_means

__all__ = [
    "PowerLawCut",
    "PowerLawKernelMeans",
    "PowerLawMeans",
    "power_law_cut",
    "power_law_kernel_means",
    "power_law_means",
]
