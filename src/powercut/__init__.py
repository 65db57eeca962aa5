"""Clustering of graphs and vectors into an unknown number of clusters with power-law sizes.

Public names are imported lazily, on first use, which keeps ``import powercut`` and the command
``powercut`` fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from powercut import baselines, datasets, disk, io
    from powercut import image as image
    from powercut import plot as plot
    from powercut import report as report
    from powercut import spark as spark
    from powercut._versions import show_versions
    from powercut.estimators.clusters import PowerLawClusters, cluster
    from powercut.estimators.cut import PowerLawCut, power_law_cut
    from powercut.estimators.drift import Drift
    from powercut.estimators.kernel_means import PowerLawKernelMeans, power_law_kernel_means
    from powercut.estimators.matching import Matching, match
    from powercut.estimators.means import PowerLawMeans, power_law_means
    from powercut.graphs import neighbors as neighbors
    from powercut.graphs.graph import Graph
    from powercut.graphs.tree import ClusterTree
    from powercut.interop import scanpy as scanpy
    from powercut.interop.node_sets import community
    from powercut.prior import PitmanYor
    from powercut.progress import Progress
    from powercut.results.cluster_tree import cluster_tree
    from powercut.results.plateaus import Plateau, TradeoffPath
    from powercut.results.sizes import SizeDistribution, size_distribution
    from powercut.results.storage import load, save
    from powercut.results.tradeoff_path import tradeoff_path

    __version__: str

# The module that defines each public name.
_DEFINED_IN = {
    "ClusterTree": "graphs.tree",
    "Drift": "estimators.drift",
    "Graph": "graphs.graph",
    "Matching": "estimators.matching",
    "PitmanYor": "prior",
    "Plateau": "results.plateaus",
    "PowerLawClusters": "estimators.clusters",
    "PowerLawCut": "estimators.cut",
    "PowerLawKernelMeans": "estimators.kernel_means",
    "PowerLawMeans": "estimators.means",
    "Progress": "progress",
    "SizeDistribution": "results.sizes",
    "TradeoffPath": "results.plateaus",
    "cluster": "estimators.clusters",
    "cluster_tree": "results.cluster_tree",
    "community": "interop.node_sets",
    "load": "results.storage",
    "match": "estimators.matching",
    "power_law_cut": "estimators.cut",
    "power_law_kernel_means": "estimators.kernel_means",
    "power_law_means": "estimators.means",
    "save": "results.storage",
    "show_versions": "_versions",
    "size_distribution": "results.sizes",
    "tradeoff_path": "results.tradeoff_path",
}

# The location of each public module.
_MODULES = {
    "baselines": "baselines",
    "datasets": "datasets",
    "disk": "disk",
    "image": "image",
    "io": "io",
    "neighbors": "graphs.neighbors",
    "plot": "plot",
    "report": "report",
    "scanpy": "interop.scanpy",
    "spark": "spark",
}

__all__ = [
    "ClusterTree",
    "Drift",
    "Graph",
    "Matching",
    "PitmanYor",
    "Plateau",
    "PowerLawClusters",
    "PowerLawCut",
    "PowerLawKernelMeans",
    "PowerLawMeans",
    "Progress",
    "SizeDistribution",
    "TradeoffPath",
    "baselines",
    "cluster",
    "cluster_tree",
    "community",
    "datasets",
    "disk",
    "io",
    "load",
    "match",
    "power_law_cut",
    "power_law_kernel_means",
    "power_law_means",
    "save",
    "show_versions",
    "size_distribution",
    "tradeoff_path",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("powercut")
    elif name in _MODULES:
        value = import_module(f"powercut.{_MODULES[name]}")
    elif name in _DEFINED_IN:
        value = getattr(import_module(f"powercut.{_DEFINED_IN[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # found directly from now on
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_DEFINED_IN, *_MODULES, "__version__"})
