"""On ecoli, local moves reach a J no higher than Algorithm 1, and both scores find the classes."""

import os

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from powercut import PowerLawMeans
from powercut.datasets import load_uci

FOLDER = os.environ.get("POWERCUT_DATA")


@pytest.mark.filterwarnings("ignore:The .* clusters do not pass as Gaussian:UserWarning")
@pytest.mark.skipif(FOLDER is None, reason="POWERCUT_DATA is not set")
def test_local_moves_are_no_worse_than_algorithm_1_on_ecoli() -> None:
    X, classes = load_uci("ecoli")
    agreement = []
    for tradeoff in np.geomspace(0.01, 0.3, 10):
        lloyd = PowerLawMeans("kmeans", tradeoff=tradeoff, algorithm="lloyd").fit(X)
        exact = PowerLawMeans("kmeans", tradeoff=tradeoff, random_state=0).fit(X)
        assert exact.objective_ <= lloyd.objective_ + 1e-9 * abs(lloyd.objective_)
        agreement.append(normalized_mutual_info_score(classes, exact.labels_))
    assert max(agreement) >= 0.70
    with pytest.warns(UserWarning, match="do not pass as Gaussian"):
        gaussian = PowerLawMeans(random_state=0).fit(X)
    agreement = normalized_mutual_info_score(classes, gaussian.labels_)
    assert agreement == pytest.approx(0.687, abs=0.01)
    for covariance in ("spherical", "full"):
        other = PowerLawMeans(covariance=covariance, random_state=0).fit(X)
        assert gaussian.description_length_ < other.description_length_
