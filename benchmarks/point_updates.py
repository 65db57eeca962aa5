"""Compare updates of points that come with fits of all points.

    python benchmarks/point_updates.py                    # 100,000 points in 8 dimensions
    python benchmarks/point_updates.py --covariance full --points 20000
    python benchmarks/point_updates.py --score kmeans --points 20000
    python benchmarks/point_updates.py --quick

The points are a mixture of Gaussians with sizes of a power law. A share of them is held back and
added by `PowerLawMeans.update`. Nats: by how much the description length of the update is above
that of a fit of all points; negative if it is below. Kept: the share of the other points that keep
the id of their cluster, in the update, and if the clusters of the new fit are matched to those
before. Then 1% of the points are added `--steps` times in a row, and the last step is compared with
a fit. Times are CPU times of one thread.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from _experiments import header, markdown
from powercut import PowerLawMeans, match
from powercut.datasets import make_blobs

SHARES = (0.001, 0.01)
# The share that is added at each step of a row of updates.
STEP = 0.01


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def ids_of(model: PowerLawMeans) -> Any:
    return model.cluster_ids_[model.labels_]


def more_nats(model: PowerLawMeans, fit: PowerLawMeans) -> float:
    return float((model.description_length_ - fit.description_length_) / fit.description_length_)


def run(X: Any, share: float, parameters: dict[str, Any]) -> None:
    """Print the times of an update and of a fit, and how good the update is."""
    m = int(share * len(X))
    model = PowerLawMeans(**parameters).fit(X[:-m])
    before = model.labels_
    fit, fit_seconds = timed(lambda: PowerLawMeans(**parameters).fit(X))
    _, seconds = timed(lambda: model.update(X[-m:]))
    kept, matched = (
        float(np.mean(ids[: len(before)] == before))
        for ids in (ids_of(model), match(before, fit.labels_[:-m]).ids)
    )
    numbers = [f"{fit_seconds:.2f}", f"{seconds:.3f}", f"{fit_seconds / seconds:.0f}"]
    shares = [f"{more_nats(model, fit):+.4%}", f"{kept:.3%}", f"{matched:.1%}"]
    print(markdown([f"{share:.2%}", *numbers, *shares]), flush=True)


def run_steps(X: Any, n_steps: int, parameters: dict[str, Any]) -> None:
    """Print how far a row of updates is from a fit."""
    m = max(1, int(STEP * len(X)))
    first, *steps = np.split(X, len(X) - m * np.arange(n_steps, 0, -1))
    model = PowerLawMeans(**parameters).fit(first)
    fewest, seconds = 1.0, 0.0
    for step in steps:
        before = ids_of(model)
        seconds += timed(lambda step=step: model.update(step))[1]
        fewest = min(fewest, float(np.mean(ids_of(model)[: len(before)] == before)))
    fit, fit_seconds = timed(lambda: PowerLawMeans(**parameters).fit(X))
    print(
        f"\n{n_steps} updates of {STEP:.0%}: {seconds / n_steps:.3f} s each, {fit_seconds:.2f} s "
        f"for a fit; {more_nats(model, fit):+.4%} nats; at least {fewest:.2%} kept at each step; "
        f"{model.n_clusters_} clusters, {fit.n_clusters_} of the fit"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=8)
    parser.add_argument("--score", default="gaussian", choices=["gaussian", "kmeans"])
    parser.add_argument("--covariance", choices=["diagonal", "spherical", "full"])
    parser.add_argument("--shares", type=float, nargs="*", default=SHARES)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="1,000 points, two steps")
    options = parser.parse_args()
    if options.quick:
        options.points, options.steps = 1000, 2
    warnings.simplefilter("ignore")  # clusters of few points do not pass as Gaussian
    X, _ = make_blobs(options.points, n_features=options.features, random_state=1)
    X = X[np.random.default_rng(1).permutation(len(X))]
    parameters = {
        "score": options.score,
        "covariance": options.covariance,
        "random_state": 0,
        "n_jobs": 1,
    }
    columns = ["added", "fit, s", "update, s", "times faster", "nats", "kept", "kept by a fit"]
    print(header(columns))
    for share in options.shares:
        run(X, share, parameters)
    if options.steps:
        run_steps(X, options.steps, parameters)


if __name__ == "__main__":
    main()
