"""Versions of Python and packages, for bug reports."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    "powercut", "numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl",
    "pandas", "matplotlib", "networkx", "igraph", "anndata", "scanpy", "pyarrow", "pyspark",
    "tqdm", "rich",
)  # fmt: skip


def show_versions() -> None:
    """Print the versions of Python, powercut and related packages, for bug reports.

    Node numbers have 32 bits unless powercut was built for graphs of more than 2**31 nodes.

    Examples
    --------
    >>> import powercut
    >>> powercut.show_versions()
    python         3...
    executable     ...
    platform       ...
    cpus           ...
    node numbers   ... bits
    powercut       ...
    numpy          ...
    """
    from joblib import cpu_count

    from powercut import _core

    rows = {
        "python": sys.version.replace("\n", " "),
        "executable": sys.executable,
        "platform": platform.platform(),
        "cpus": str(cpu_count()),
        "node numbers": f"{_core.NODE_BITS} bits",
        **{package: _version(package) for package in PACKAGES},
    }
    for name, value in rows.items():
        print(f"{name:15}{value}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
