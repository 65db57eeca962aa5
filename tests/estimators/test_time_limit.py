"""A time limit may be reached at any moment: the fit returns the best partition so far."""

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.datasets import make_moons

from powercut import PowerLawClusters, PowerLawCut, PowerLawMeans, _core, neighbors
from powercut.datasets import make_blobs, make_block_graph
from powercut.progress import ProgressReporter

GRAPH = make_block_graph(300, degree=8, random_state=0)[0]
POINTS = make_blobs(150, n_features=3, random_state=0)[0]
# All moments of a fit are tried if there are no more than MOST, or about SOME, evenly spaced.
MOST, SOME = 100, 12
MODELS = {
    "graph": (PowerLawCut(), GRAPH),
    "neighbour graph": (PowerLawCut(), neighbors.graph(POINTS)),
    "ncut": (PowerLawCut("ncut"), GRAPH),
    "clusters": (PowerLawClusters(), POINTS[:60]),
    "many columns": (PowerLawClusters(), make_blobs(100, n_features=21, random_state=0)[0]),
    "curves": (PowerLawClusters(), make_moons(100, noise=0.05, random_state=0)[0]),
    "gaussian": (PowerLawMeans(), POINTS[:60]),
    "kmeans": (PowerLawMeans("kmeans"), POINTS),
}


class Clock:
    """Lets the time limit of a fit expire right after one of the moments at which it is read."""

    def __init__(self) -> None:
        self.n_readings = 0
        self.last = -1

    def read(self, of: Callable[[ProgressReporter], bool], reporter: ProgressReporter) -> bool:
        expired = of(reporter)
        self.n_readings += 1
        if self.n_readings == self.last:
            reporter.expire_in(0.0)
        return expired


def impatient(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that reads the clock before all else; others do so now and then."""

    def call(*args: Any) -> Any:
        for one in args:
            if isinstance(one, _core.CancellationToken) and one.expired():
                raise _core.Cancelled("cancelled")
        return kernel(*args)

    return call


@pytest.mark.filterwarnings("ignore:.*max_seconds", "ignore:No more than one cluster")
@pytest.mark.parametrize("kind", list(MODELS))
def test_a_time_limit_is_no_error_at_any_moment(kind: str, monkeypatch: Any) -> None:
    model, data = MODELS[kind]
    model.set_params(max_seconds=1e6, random_state=0)
    clock, expired = Clock(), ProgressReporter.expired
    monkeypatch.setattr(ProgressReporter, "expired", lambda own: clock.read(expired, own))
    for name in dir(_core):
        if name.islower() and not name.startswith("_"):
            monkeypatch.setattr(_core, name, impatient(getattr(_core, name)))
    whole = model.fit(data).labels_
    assert not model.stopped_early_
    last = clock.n_readings - 1  # after it, the fit only asks whether it was stopped early
    step = 1 if last <= MOST else last // SOME
    for moment in range(1, last + 1, step):
        clock.n_readings, clock.last = 0, moment
        model.fit(data)
        assert model.stopped_early_
        assert len(model.labels_) == len(whole)
