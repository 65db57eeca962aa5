"""The protocol of the paper's tables: settings validated on 30 percent, clusters of the rest."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score
from sklearn.model_selection import train_test_split

from powercut.datasets import load_uci
from powercut.partition import Labels

Classes = npt.NDArray[np.str_]
Features = npt.NDArray[np.float64]
Setting = TypeVar("Setting")

NAMES = ("audiology", "ecoli", "glass", "hypothyroid", "page-blocks", "flags")
RUNS, QUICK_RUNS = 10, 2
# A quick run takes so many rows of the large data sets.
QUICK_ROWS = 600
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
    if quick and len(X) > QUICK_ROWS:
        X, _, classes, _ = train_test_split(X, classes, train_size=QUICK_ROWS, random_state=0)
    for run in range(QUICK_RUNS if quick else RUNS):
        first, second, first_classes, second_classes = train_test_split(
            X, classes, train_size=VALIDATION, random_state=run
        )
        yield Sample(first, first_classes), Sample(second, second_classes)


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


def mean(scores: Sequence[Score], what: str) -> float:
    """Return the mean of one measure over runs."""
    return float(np.mean([getattr(score, what) for score in scores]))


def spread(scores: Sequence[Score]) -> float:
    """Return the standard deviation of the NMI over runs."""
    return float(np.std([score.nmi for score in scores], ddof=1))
