"""The protocol of the paper's tables: validate settings on 30 % of the rows, cluster the rest."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score

from powercut._typing import LABEL, Labels
from powercut.datasets import load_uci
from powercut.progress import ProgressReporter

Classes = npt.NDArray[np.str_]
Features = npt.NDArray[np.float64]
Setting = TypeVar("Setting")

NAMES = ("audiology", "ecoli", "glass", "hypothyroid", "page-blocks", "flags")
RUNS, QUICK_RUNS = 10, 2
# Rows that a run draws at random from a larger data set: complete graphs grow quadratically.
ROWS, QUICK_ROWS = 1000, 300
VALIDATION = 0.3
# A number of clusters is close to the number of classes if it differs by at most this share.
NEAR = 0.25


@dataclass(frozen=True)
class Sample:
    """Points and their classes."""

    X: Features
    classes: Classes

    @property
    def n_classes(self) -> int:
        """Number of distinct classes."""
        return len(np.unique(self.classes))

    def score(self, labels: Labels) -> "Score":
        """Compare clusters with the classes."""
        return Score(
            float(normalized_mutual_info_score(self.classes, labels)),
            float(adjusted_mutual_info_score(self.classes, labels)),
            len(np.unique(labels)),
        )


@dataclass(frozen=True)
class Score:
    """Agreement of clusters with classes, and the number of clusters."""

    nmi: float
    ami: float
    n_clusters: int


def splits(name: str, encoding: str, *, quick: bool) -> Iterator[tuple[Sample, Sample]]:
    """Yield the points to validate on and the points to cluster, for each run."""
    X, classes = load_uci(name, encoding=encoding)
    rows = min(len(X), QUICK_ROWS if quick else ROWS)
    for run in range(QUICK_RUNS if quick else RUNS):
        order = np.random.RandomState(run).permutation(len(X))[:rows]
        first, second = np.split(order, [round(VALIDATION * rows)])
        yield Sample(X[first], classes[first]), Sample(X[second], classes[second])


def validate(
    fit: Callable[[Setting], Labels], walks: Iterable[Sequence[Setting]], sample: Sample
) -> Setting:
    """Return the best setting among those with about as many clusters as classes.

    Parameters
    ----------
    fit : callable
        Clusters the sample with a setting.
    walks : iterable of sequences of settings
        Each from few clusters to many; a walk ends as soon as there are too many.
    sample : Sample

    Returns
    -------
    setting
        The setting of highest NMI on this sample, among those whose number of clusters is close
        to the number of classes, or closest if none is.
    """
    k = sample.n_classes
    tried = []
    for walk in walks:
        for setting in walk:
            score = sample.score(fit(setting))
            tried.append((abs(score.n_clusters - k), score.nmi, setting))
            if score.n_clusters > (1 + NEAR) * k + 1:
                break
    near = max(NEAR * k, min(gap for gap, _, _ in tried))
    return max((row for row in tried if row[0] <= near), key=lambda row: row[1])[2]


def fit_validated(
    fit: Callable[[Setting, Sample], Labels],
    walks: Iterable[Sequence[Setting]],
    validation: Sample,
    sample: Sample,
) -> Labels:
    """Cluster a sample with the setting that is best on a validation sample."""
    return fit(validate(lambda setting: fit(setting, validation), walks, validation), sample)


# Takes the points to validate on, the points to cluster and the number of the run; returns None
# if there are too many points for the method.
Method = Callable[[Sample, Sample, int], Labels | None]


@dataclass(frozen=True)
class Scores:
    """Scores of all methods in all runs on one data set.

    Attributes
    ----------
    name, encoding : str
        The data set.
    n_classes : float
        Number of classes of the clustered points, mean over the runs.
    singletons : float
        NMI of the partition into singletons.
    by_method : dict of method to scores
        One score per run; empty for a method that was not run.
    """

    name: str
    encoding: str
    n_classes: float
    singletons: float
    by_method: dict[str, list[Score]]

    def mean(self, method: str, what: str = "nmi") -> float | None:
        """Return the mean of a measure over the runs, or None if there are none."""
        scores = self.by_method[method]
        return float(np.mean([getattr(score, what) for score in scores])) if scores else None

    def best(self, methods: Iterable[str]) -> tuple[float, str]:
        """Return the highest mean NMI of the methods, and which of them has it."""
        means = ((self.mean(method), method) for method in methods)
        return max((nmi, method) for nmi, method in means if nmi is not None)


def run_methods(
    name: str, encoding: str, methods: dict[str, Method], *, quick: bool, reporter: ProgressReporter
) -> Scores:
    """Run methods on all splits of a data set."""
    scores: dict[str, list[Score]] = {method: [] for method in methods}
    singletons = []
    runs = list(splits(name, encoding, quick=quick))
    for run, (validation, sample) in enumerate(runs):
        singletons.append(sample.score(np.arange(len(sample.X), dtype=LABEL)).nmi)
        for i, (method, cluster) in enumerate(methods.items()):
            left = len(methods) * (len(runs) - run) - i
            with reporter.part(1 / left, f"{name}, run {run + 1} of {len(runs)}: {method}"):
                labels = cluster(validation, sample, run)
            if labels is not None:
                scores[method].append(sample.score(labels))
    n_classes = float(np.mean([sample.n_classes for _, sample in runs]))
    return Scores(name, encoding, n_classes, float(np.mean(singletons)), scores)
