"""The protocol of the paper's tables: settings validated on 30 percent, clusters of the rest."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score

from powercut._typing import Labels
from powercut.datasets import load_uci
from powercut.progress import ProgressReporter

Classes = npt.NDArray[np.str_]
Features = npt.NDArray[np.float64]
Setting = TypeVar("Setting")

NAMES = ("audiology", "ecoli", "glass", "hypothyroid", "page-blocks", "flags")
RUNS, QUICK_RUNS = 10, 2
# Of a larger data set each run takes so many rows by chance: graphs of all pairs grow with the
# square of their number.
ROWS, QUICK_ROWS = 1000, 300
VALIDATION = 0.3
# Clusters are as many as the classes, if they differ by no more than this share.
NEAR = 0.25


@dataclass(frozen=True)
class Sample:
    """Points and their classes."""

    X: Features
    classes: Classes

    @property
    def n_classes(self) -> int:
        """Number of classes that occur."""
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
    """How well clusters agree with classes, and how many they are."""

    nmi: float
    ami: float
    n_clusters: int


def splits(name: str, encoding: str, *, quick: bool) -> Iterator[tuple[Sample, Sample]]:
    """Yield the points to validate on and the points to cluster, of each run."""
    X, classes = load_uci(name, encoding=encoding)
    rows = min(len(X), QUICK_ROWS if quick else ROWS)
    for run in range(QUICK_RUNS if quick else RUNS):
        order = np.random.RandomState(run).permutation(len(X))[:rows]
        first, second = np.split(order, [round(VALIDATION * rows)])
        yield Sample(X[first], classes[first]), Sample(X[second], classes[second])


def validate(
    fit: Callable[[Setting], Labels], walks: Iterable[Sequence[Setting]], sample: Sample
) -> Setting:
    """Return the setting that gives about as many clusters as there are classes.

    Parameters
    ----------
    fit : callable
        Clusters the sample at a setting.
    walks : iterable of sequences of settings
        Each from few clusters to many; it is left as soon as there are too many.
    sample : Sample

    Returns
    -------
    setting
        Among those whose number of clusters is near that of the classes, or if none is, nearest
        to it: the one of highest NMI on this sample.
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
    """Cluster a sample at the setting that is best on another."""
    return fit(validate(lambda setting: fit(setting, validation), walks, validation), sample)


# Takes the points to validate on, those to cluster and the number of the run; None where the
# method is not for so many points.
Method = Callable[[Sample, Sample, int], Labels | None]


@dataclass(frozen=True)
class Scores:
    """What methods reached in all runs on one data set, each None where it was not run.

    Attributes
    ----------
    name, encoding : str
        The data set.
    n_classes : float
        Mean over the runs, of those that are clustered.
    singletons : float
        NMI of a cluster for each point.
    by_method : dict of method to scores
        A score a run.
    """

    name: str
    encoding: str
    n_classes: float
    singletons: float
    by_method: dict[str, list[Score]]

    def mean(self, method: str, what: str = "nmi") -> float | None:
        """Return the mean of a measure over the runs."""
        scores = self.by_method[method]
        return float(np.mean([getattr(score, what) for score in scores])) if scores else None

    def best(self, methods: Iterable[str]) -> tuple[float, str]:
        """Return the highest mean NMI among methods, and the method."""
        means = ((self.mean(method), method) for method in methods)
        return max((nmi, method) for nmi, method in means if nmi is not None)


def run_methods(
    name: str, encoding: str, methods: dict[str, Method], *, quick: bool, reporter: ProgressReporter
) -> Scores:
    """Run methods on all splits of a data set."""
    scores: dict[str, list[Score]] = {method: [] for method in methods}
    alone = []
    runs = list(splits(name, encoding, quick=quick))
    for run, (validation, sample) in enumerate(runs):
        alone.append(sample.score(np.arange(len(sample.X), dtype=np.int32)).nmi)
        for i, (method, cluster) in enumerate(methods.items()):
            left = len(methods) * (len(runs) - run) - i
            with reporter.part(1 / left, f"{name}, run {run + 1} of {len(runs)}: {method}"):
                labels = cluster(validation, sample, run)
            if labels is not None:
                scores[method].append(sample.score(labels))
    n_classes = float(np.mean([sample.n_classes for _, sample in runs]))
    return Scores(name, encoding, n_classes, float(np.mean(alone)), scores)
