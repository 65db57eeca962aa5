"""Fits of points of which part of the answer is known, beside fits of the points alone."""

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from _experiments import Labels, header, markdown
from _known import count_broken, draw
from _measure import Cost, best_runs, measure
from powercut import PowerLawMeans
from powercut.datasets import make_blobs

SHARE = 0.01
SHARES = (0.01, 0.02, 0.05, 0.1)
KINDS = ("nothing", "fixed", "must_link", "cannot_link", "all")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"covariance": "spherical"},
    {"covariance": "full"},
    {"score": "kmeans"},
    {"score": "kmeans", "tradeoff": 2.0},
)


@dataclass(frozen=True)
class Run:
    """Cost and result of a fit."""

    cost: Cost
    n_clusters: int
    nmi: float
    broken: int


def overlapping(n: int, seed: int) -> tuple[Any, Labels]:
    """Return round clusters of unit variance, most of which overlap with others."""
    return make_blobs(
        n, n_features=4, concentration=5.0, discount=0.0, spread=1.5, random_state=seed
    )


def run(kind: str, n: int) -> Run:
    """Fit points, in a process of its own."""
    X, truth = overlapping(n, 0)
    known = draw(truth, n // 10, SHARE, np.random.default_rng(0))
    known = {name: value for name, value in known.items() if kind in (name, "all")}
    model = PowerLawMeans(covariance="spherical", random_state=0, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[:500])  # loads what is imported late
        model, cost = measure(lambda: model.fit(X, **known))
    nmi = float(normalized_mutual_info_score(truth, model.labels_))
    return Run(cost, model.n_clusters_, nmi, count_broken(model.labels_, known))


def others(share: float, n: int, seed: int) -> tuple[float, float]:
    """Return the NMI of the points without known labels, without and with those of the others."""
    X, truth = overlapping(n, seed)
    fixed = draw(truth, 0, share, np.random.default_rng(seed))["fixed"]
    unknown = fixed == -1
    model = PowerLawMeans(covariance="spherical", random_state=0)
    free, known = (model.fit(X, fixed=labels).labels_[unknown] for labels in (None, fixed))
    nmi = partial(normalized_mutual_info_score, truth[unknown])
    return float(nmi(free)), float(nmi(known))


def small_case(seed: int) -> int:
    """Fit random points with random constraints; return how many are broken."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(2, 25)), int(random.integers(1, 4))
    truth = random.integers(0, random.integers(1, n + 1), n)
    X = random.choice([0.0, 2.0]) * random.normal(size=(n, d))[truth] + random.normal(size=(n, d))
    known = draw(truth, int(random.integers(0, n)), random.choice([0.0, 0.2, 0.7]), random)
    parameters = OPTIONS[random.integers(len(OPTIONS))]
    one, eight = (
        PowerLawMeans(random_state=seed, n_jobs=n_jobs, **parameters).fit(X, **known).labels_
        for n_jobs in (1, 8)
    )
    if not np.array_equal(one, eight):
        raise AssertionError(f"case {seed}: labels depend on the number of threads")
    return count_broken(one, known)


def compare_points(*, n_cases: int, repeats: int, quick: bool) -> int:
    """Print all tables of points; return how many constraints are broken."""
    n = 1000 if quick else 20_000
    print("\n" + header([f"{n:,} points", "CPU, s", "ratio", "clusters", "NMI", "broken"]))
    found = best_runs(KINDS, partial(run, n=n), repeats)
    free, broken = found["nothing"], 0
    for kind, one in found.items():
        times = [f"{one.cost.cpu:.2f}", f"{one.cost.cpu / free.cost.cpu:.2f}"]
        print(markdown([kind, *times, f"{one.n_clusters}", f"{one.nmi:.3f}", f"{one.broken}"]))
        broken += one.broken
    print("\n" + header(["labels known", "NMI of the other points", "without these labels"]))
    n, n_sets = (300, 1) if quick else (4000, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # clusters that overlap may not pass as Gaussian
        for share in SHARES:
            alone, known = np.mean([others(share, n, seed) for seed in range(n_sets)], axis=0)
            print(markdown([f"{share:.0%}", f"{known:.3f}", f"{alone:.3f}"]), flush=True)
        wrong = sum(small_case(seed) > 0 for seed in range(n_cases))
    print(f"\n{n_cases} small sets of points: {wrong} with broken constraints")
    return broken + wrong
