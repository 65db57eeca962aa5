"""Check that a change of the code leaves all results bit-identical.

    python experiments/unchanged.py --save before.json       # before the change
    python experiments/unchanged.py --compare before.json    # after it
    python experiments/unchanged.py --compare before.json --only karate ecoli
    python experiments/unchanged.py --quick    # generated data, against tests/results.json

Fits each data set with default parameters and a fixed seed, and records a digest of the labels, the
number of clusters, J and the description length. Data: every graph of POWERCUT_DATA, the paper's
graphs, blobs-3, the UCI sets; generated graphs and points with every score. Differences are listed;
the exit status is 1 if there are any.
"""

import argparse
import hashlib
import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from _quality_data import blobs, paper
from _real_data import Unavailable, data_folder
from powercut import Graph, PowerLawCut, PowerLawKernelMeans, PowerLawMeans
from powercut.datasets import load_uci, make_blobs, make_block_graph, make_paper_graph

UCI = ("audiology", "ecoli", "glass", "hypothyroid", "page-blocks", "flags")
SMALL = Path(__file__).parent.parent / "tests" / "results.json"
RELATIVE = 1e-12  # tolerance of J: compilers may sum in another order


@dataclass(frozen=True)
class Result:
    """The result of a fit, in a form that can be stored and compared."""

    n_clusters: int
    labels: str
    objective: float
    description_length: float | None

    @classmethod
    def of(cls, model: Any) -> "Result":
        labels = np.ascontiguousarray(model.labels_, dtype=np.int32)
        return cls(
            int(model.n_clusters_),
            hashlib.sha256(labels.tobytes()).hexdigest()[:16],
            float(model.objective_),
            getattr(model, "description_length_", None),
        )

    def differs_from(self, other: "Result") -> str:
        """Return the first difference, or an empty string."""
        if self.labels != other.labels:
            return f"labels ({self.n_clusters} clusters, before {other.n_clusters})"
        for name in ("objective", "description_length"):
            mine, before = getattr(self, name), getattr(other, name)
            if mine is None or before is None:
                same = mine is before
            else:
                same = math.isclose(mine, before, rel_tol=RELATIVE, abs_tol=RELATIVE)
            if not same:
                return f"{name} {mine!r}, before {before!r}"
        return ""


Case = tuple[str, Callable[[], Any]]  # a name, and a function that returns the fitted model


def real_graphs() -> Iterator[Case]:
    for folder in sorted(data_folder().joinpath("graphs").iterdir()):
        if folder.is_dir():
            yield folder.name, partial(_fit_graph, folder)


def _fit_graph(folder: Path) -> Any:
    u, v = np.loadtxt(folder / "edges.txt.gz", dtype=np.int64, unpack=True)
    labels = sorted(folder.glob("labels*.txt.gz"))
    n = len(np.loadtxt(labels[0], dtype=np.int64)) if labels else int(v.max()) + 1
    graph = Graph.from_edges(u, v, n_nodes=n, symmetrize="max")
    return PowerLawCut(random_state=0, n_jobs=2).fit(graph)


def planted() -> Iterator[Case]:
    for source in paper(quick=False):
        yield source.name, partial(_fit_source, PowerLawCut, source)
    yield "blobs-3", partial(_fit_source, PowerLawMeans, next(blobs(quick=False)))


def _fit_source(kind: Any, source: Any) -> Any:
    return kind(random_state=0, n_jobs=2).fit(source.case().data)


def uci() -> Iterator[Case]:
    data_folder()  # nothing is downloaded
    for name in UCI:
        yield name, partial(_fit_uci, name)


def _fit_uci(name: str) -> Any:
    return PowerLawMeans(random_state=0).fit(load_uci(name)[0])


def small() -> Iterator[Case]:
    """Yield generated graphs and points, with every score and algorithm; takes seconds."""
    blocks = make_block_graph(300, mixing=0.2, random_state=1)[0]
    dense = make_paper_graph(200, n_clusters=(3, 6), random_state=2)[0]
    X = make_blobs(400, n_features=4, random_state=3)[0].astype(np.float64)
    kernel = np.exp(-0.5 * np.square(X[:120, None] - X[None, :120]).sum(axis=2))
    for name, graph in (("blocks", blocks), ("dense", dense)):
        for score in ("likelihood", "ncut", "rcut", "rassoc", "modularity", "cpm"):
            resolution = 0.2 if score in ("modularity", "cpm") else None
            model = PowerLawCut(score, resolution=resolution, random_state=0)
            yield f"{name} {score}", partial(model.fit, graph)
        lloyd = PowerLawCut("ncut", algorithm="lloyd", shift=0.5, random_state=0)
        yield f"{name} ncut lloyd", partial(lloyd.fit, graph)
        coarse = PowerLawCut(tradeoff=2.0, random_state=0)
        yield f"{name} tradeoff 2", partial(coarse.fit, graph)
    neighbours = PowerLawCut(affinity="nearest_neighbors", n_neighbors=10, random_state=0)
    yield "points neighbours", partial(neighbours.fit, X)
    for covariance in ("diagonal", "spherical", "full"):
        gaussian = PowerLawMeans(covariance=covariance, random_state=0)
        yield f"points {covariance}", partial(gaussian.fit, X)
    yield "points kmeans", partial(PowerLawMeans("kmeans", random_state=0).fit, X)
    lloyd = PowerLawMeans("kmeans", tradeoff=5.0, algorithm="lloyd", random_state=0)
    yield "points kmeans lloyd", partial(lloyd.fit, X)
    kernel_means = PowerLawKernelMeans(0.05, random_state=0)
    yield "points kernel", partial(kernel_means.fit, kernel)


def results(cases: Iterator[Case], only: list[str] | None) -> Iterator[tuple[str, Result]]:
    """Fit each case, with warnings ignored."""
    for name, fit in cases:
        if only and name not in only:
            continue
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = Result.of(fit())
        seconds = time.perf_counter() - start
        print(f"{name}: {result.n_clusters} clusters, J {result.objective:.6f}, {seconds:.1f} s")
        sys.stdout.flush()
        yield name, result


def all_cases() -> Iterator[Case]:
    yield from small()
    yield from uci()
    yield from planted()
    yield from real_graphs()


def read(path: Path) -> dict[str, Result]:
    return {name: Result(**result) for name, result in json.loads(path.read_text()).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--save", type=Path, metavar="FILE", help="write results to a file")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="compare with saved results")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="data sets to fit")
    parser.add_argument("--quick", action="store_true", help="use generated data only")
    options = parser.parse_args()
    cases = small() if options.quick else all_cases()
    before_path = options.compare or (SMALL if options.quick and not options.save else None)
    before = read(before_path) if before_path else {}
    different, found = [], {}
    try:
        for name, result in results(cases, options.only):
            found[name] = result
            if options.save:  # after each case, as a long run may be interrupted
                text = json.dumps({key: asdict(one) for key, one in found.items()}, indent=1)
                options.save.write_text(text + "\n")
            if before_path and name not in before:
                different.append(f"{name}: not in {before_path.name}")
            elif before_path and (what := result.differs_from(before[name])):
                different.append(f"{name}: {what}")
    except Unavailable as reason:
        print(f"\nSkipped the real data: {reason}.")
    if before_path:
        print(f"\n{len(found)} results, {len(different)} different")
    if different:
        sys.exit("\n".join(different))


if __name__ == "__main__":
    main()
