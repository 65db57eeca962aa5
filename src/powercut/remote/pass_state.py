"""The state of a search in passes, after each of them: workers read it, and it can be resumed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from powercut._atomic import atomic_open
from powercut._typing import FloatArray, Labels
from powercut.prior import PitmanYor
from powercut.remote.shards import groups
from powercut.search.objective import Objective, Regulariser
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.points import Points
from powercut.vectors.scores import Gaussian, KMeans, PointsObjective, VectorScore
from powercut.vectors.standardised import Standardised

STATE = "state.npz"


@dataclass(frozen=True)
class PassState:
    """The clusters after a pass, and all that the next one needs.

    Attributes
    ----------
    number : int
        How many passes have been made; 0: only a sample has labels.
    clusters : Points
        The clusters, in the units of the search.
    cluster_of : ndarray of int32
        The cluster of each label in the files of the pass; -1 for labels that are not used.
    objective : Objective
        J of the next pass.
    units : Standardised
        The units of the search.
    seed : int
        Seed of the order of moves.
    path : ndarray of float64
        J after each pass.
    done : bool
        Whether the labels are final.
    """

    number: int
    clusters: Points
    cluster_of: Labels
    objective: PointsObjective
    units: Standardised
    seed: int
    path: FloatArray
    done: bool = False

    @property
    def scatter(self) -> str:
        """The scatter of the clusters, as `Points.aggregate` names it."""
        return self.objective.score.scatter

    @property
    def covariance(self) -> str | None:
        """The covariance structure of Gaussian clusters; None for k-means."""
        score = self.objective.score
        return score.form.name if isinstance(score, Gaussian) else None

    def write(self, folder: Path) -> None:
        """Write the state; the file has the old one or the new one, even after a power cut."""
        assert self.clusters.count is not None
        assert self.clusters.scatter is not None
        regulariser, score = self.objective.regulariser, self.objective.score
        arrays: dict[str, Any] = {
            "number": self.number,
            "seed": np.uint64(self.seed),
            "done": self.done,
            "path": self.path,
            "cluster_of": self.cluster_of,
            "values": self.clusters.values,
            "count": self.clusters.count,
            "scatter": self.clusters.scatter,
            "prior": regulariser.native,
            "mean": self.units.mean,
            "deviation": self.units.deviation,
            "kept": self.units.kept,
        }
        if isinstance(score, Gaussian):
            names = "covariance", "prior_mean", "kappa", "shape", "scale"
            arrays |= dict(zip(names, score.native, strict=True))
        with atomic_open(folder / STATE) as file:
            np.savez(file, **arrays)

    @classmethod
    def read(cls, folder: Path) -> "PassState":
        """Read the state that was written last."""
        with np.load(folder / STATE, allow_pickle=False) as file:
            arrays = dict(file)
        d = arrays["values"].shape[1]
        score: VectorScore = KMeans(d)
        if "covariance" in arrays:
            score = Gaussian(
                COVARIANCES[str(arrays["covariance"])](d),
                arrays["prior_mean"],
                float(arrays["kappa"]),
                float(arrays["shape"]),
                arrays["scale"],
            )
        concentration, discount, tradeoff = arrays["prior"].tolist()
        return cls(
            int(arrays["number"]),
            groups(arrays["values"], arrays["count"], arrays["scatter"]),
            arrays["cluster_of"],
            Objective(score, Regulariser(PitmanYor(concentration, discount), tradeoff)),
            Standardised(arrays["mean"], arrays["deviation"], arrays["kept"]),
            int(arrays["seed"]),
            arrays["path"],
            bool(arrays["done"]),
        )
