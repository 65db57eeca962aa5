"""Points in many dimensions: one cloud, or more structure than that."""

import numpy as np
import pytest

from powercut import PowerLawClusters
from powercut.graphs import cloud
from powercut.graphs.cloud import is_one_cloud
from powercut.progress import ProgressReporter

CUBE = np.random.default_rng(0).uniform(size=(1000, 40))
TWO = np.concatenate([CUBE[:500], CUBE[500:] + 0.4])


def answer(X: np.ndarray, **options: object) -> bool:
    return is_one_cloud(X, random=np.random.default_rng(0), **options)  # type: ignore[arg-type]


def test_clouds_of_several_shapes_are_one() -> None:
    random = np.random.default_rng(1)
    ball = random.normal(size=(1000, 40))
    shell = ball / np.linalg.norm(ball, axis=1, keepdims=True)
    assert all(map(answer, (CUBE, ball, shell)))


def test_clouds_that_are_long_in_many_directions_are_not_judged() -> None:
    assert not answer(np.random.default_rng(1).normal(size=(1000, 40)) * 0.8 ** np.arange(40))


@pytest.mark.parametrize("shift", [np.full(40, 0.4), 3 * np.eye(40)[0]], ids=["all", "one"])
def test_two_clouds_are_not_one(shift: np.ndarray) -> None:
    assert not answer(np.concatenate([CUBE[:500], CUBE[500:] + shift]))


def test_many_points_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    gain = cloud._gain

    def count(X: np.ndarray, *rest: object) -> float:
        seen.append(len(X))
        return gain(X, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(cloud, "SAMPLE", 200)
    monkeypatch.setattr(cloud, "_gain", count)
    assert not answer(TWO)
    assert seen == [200, 200]


def test_answer_does_not_depend_on_threads() -> None:
    for X in (CUBE, TWO):
        assert answer(X, n_threads=1) == answer(X, n_threads=2)


def test_searches_that_were_stopped_say_nothing() -> None:
    reporter = ProgressReporter()
    reporter.expire_in(0.0)
    assert not answer(CUBE, reporter=reporter)


@pytest.mark.parametrize("seed", range(2))
def test_a_sheet_in_many_dimensions_stays_whole(seed: int) -> None:
    random = np.random.RandomState(seed)
    angle = 1.5 * np.pi * (1 + 2 * random.rand(1000))
    rolled = np.column_stack([np.cos(angle), np.sin(angle)]) * angle[:, None]
    sheet = np.column_stack([rolled, 21 * random.rand(1000, 38)])
    with pytest.warns(UserWarning, match="1000 points show no structure"):
        model = PowerLawClusters(random_state=0).fit(sheet)
    assert "no more structure than that of one cloud" in model.why_
    assert model.n_clusters_ == 1
    np.testing.assert_array_equal(model.predict(sheet), 0)
