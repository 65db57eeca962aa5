"""Clusters with power-law sizes, in graphs and in vectors, their number unknown.

Names are imported when they are first used, so that ``import powercut``, and with it the
command ``powercut``, does not wait for what it does not need.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from powercut import baselines, datasets, disk, io
    from powercut.estimators.cut import PowerLawCut, power_law_cut
    from powercut.estimators.kernel_means import PowerLawKernelMeans, power_law_kernel_means
    from powercut.estimators.means import PowerLawMeans, power_law_means
    from powercut.graph import Graph
    from powercut.node_sets import community
    from powercut.path import Plateau, TradeoffPath
    from powercut.path_search import tradeoff_path
    from powercut.prior import PitmanYor
    from powercut.progress import Progress
    from powercut.sizes import SizeDistribution, size_distribution
    from powercut.storage import load, save
    from powercut.versions import show_versions

    __version__: str

# Where each public name is; None for a module.
_HOMES: dict[str, str | None] = {
    "Graph": "graph",
    "PitmanYor": "prior",
    "Plateau": "path",
    "PowerLawCut": "estimators.cut",
    "PowerLawKernelMeans": "estimators.kernel_means",
    "PowerLawMeans": "estimators.means",
    "Progress": "progress",
    "SizeDistribution": "sizes",
    "TradeoffPath": "path",
    "baselines": None,
    "community": "node_sets",
    "datasets": None,
    "disk": None,
    "io": None,
    "load": "storage",
    "power_law_cut": "estimators.cut",
    "power_law_kernel_means": "estimators.kernel_means",
    "power_law_means": "estimators.means",
    "save": "storage",
    "show_versions": "versions",
    "size_distribution": "sizes",
    "tradeoff_path": "path_search",
}

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
    "disk",
    "io",
    "load",
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
    elif name in _HOMES:
        home = _HOMES[name]
        module = import_module(f"powercut.{home or name}")
        value = module if home is None else getattr(module, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # found at once from now on
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
