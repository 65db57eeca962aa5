"""Clusters with power-law sizes, in graphs and in vectors, their number unknown."""

from importlib.metadata import version

from powercut import baselines, datasets
from powercut.estimators import (
    PowerLawCut,
    PowerLawKernelMeans,
    PowerLawMeans,
    power_law_cut,
    power_law_kernel_means,
    power_law_means,
)
from powercut.graph import Graph
from powercut.node_sets import community
from powercut.path import Plateau, TradeoffPath
from powercut.path_search import tradeoff_path
from powercut.prior import PitmanYor
from powercut.progress import Progress
from powercut.sizes import SizeDistribution, size_distribution
from powercut.storage import load, save
from powercut.versions import show_versions

__version__ = version("powercut")

__all__ = [
    "Graph",
    "PitmanYor",
    "Plateau",
    "PowerLawCut",
    "PowerLawKernelMeans",
    "PowerLawMeans",
    "Progress",
    "SizeDistribution",
    "TradeoffPath",
    "baselines",
    "community",
    "datasets",
    "load",
    "power_law_cut",
    "power_law_kernel_means",
    "power_law_means",
    "save",
    "show_versions",
    "size_distribution",
    "tradeoff_path",
]
