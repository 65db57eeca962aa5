"""Cluster vectors that are rows of a DataFrame."""

import os
import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from powercut.estimators._common import make_random
from powercut.estimators.means import PowerLawMeans
from powercut.prior import PitmanYor
from powercut.remote.pass_state import STATE, PassState
from powercut.remote.point_passes import Model, Passes
from powercut.remote.shards import Shards, number_of_shards
from powercut.search.objective import draw_seed
from powercut.spark._folder import begin, check_rows
from powercut.spark._shards import with_clusters, write_shards
from powercut.spark._tasks import SparkTasks
from powercut.vectors.points import LARGE


def means(
    points: Any,
    *,
    folder: str | os.PathLike[str],
    features: str | Sequence[str] = "features",
    id: str = "id",  # noqa: A002 (the conventional name of the column)
    score: str = "gaussian",
    covariance: str | None = None,
    tradeoff: float | str = "auto",
    concentration: float | None = None,
    discount: float | None = None,
    n_init: int = 1,
    n_jobs: int | None = None,
    random_state: Any = None,
    resume: bool = False,
) -> Any:
    """Find the clusters of the vectors of a DataFrame.

    The driver fits a sample of 20,000 points. Then workers make passes over all points: they move
    points to other clusters or to new ones, and write sums over the clusters. From these the driver
    joins clusters and estimates the hyperparameters, until the labels settle. No point but those of
    the sample is read by the driver, whose memory does not depend on the number of points.

    The labels are the same for any number of workers and any partitions of the DataFrame. With more
    than 20,000 points they are not those of `powercut.PowerLawMeans` on one machine, which moves
    the points in another order, but about as good.

    Parameters
    ----------
    points : pyspark.sql.DataFrame
        One point per row.
    folder : str or path
        A new folder, on a file system that the driver and all workers see under the same
        name. The returned DataFrame reads from it.
    features : str or list of str, default="features"
        A column of arrays of numbers, or several columns of numbers.
    id : str, default="id"
        A column with a unique id per row.
    score, covariance, tradeoff, concentration, discount, n_init
        As in `powercut.PowerLawMeans`. What is chosen automatically is chosen on the sample: the
        covariance with ``"auto"``, and the tradeoff of ``"kmeans"``.
    n_jobs : int, optional
        Number of threads of the driver; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the search of the sample and of the order of moves.
    resume : bool, default=False
        Whether to continue in `folder` from the last whole pass of an interrupted call with the
        same arguments and points; others are refused. With an integer `random_state` the labels
        are those that the interrupted call would have returned.

    Returns
    -------
    pyspark.sql.DataFrame
        Columns ``id`` and ``cluster``. Cluster 0 is the largest.
    """
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as f

    parameters = {
        "score": score,
        "covariance": covariance,
        "tradeoff": tradeoff,
        "concentration": concentration,
        "discount": discount,
        "n_init": n_init,
        "n_jobs": n_jobs,
        "random_state": random_state,
    }
    columns = features if isinstance(features, str) else list(features)
    names = [columns] if isinstance(columns, str) else columns
    try:
        used = points.select(id, *names)
    except AnalysisException as error:
        raise ValueError(
            f"the columns {[id, *names]} of ids and features are not all among those of the "
            f"points, {points.columns}."
        ) from error
    estimator = PowerLawMeans(**parameters)
    prior, _ = estimator._prior_and_tradeoff()  # checks the parameters
    path, session = Path(folder).absolute(), points.sparkSession
    begin(path, {"features": columns, "id": id, "parameters": parameters}, resume=resume)
    with closing(SparkTasks(session)) as tasks:
        tasks.describe("compare the points with those of an interrupted call")
        n_points = check_rows(path, used)
        if not n_points:
            raise ValueError("there are no points: the DataFrame is empty.")
        shards = Shards(path, number_of_shards(n_points))
        state = PassState.read(path) if (path / STATE).exists() else None
        if state is None or not state.done:
            tasks.describe("write the points to shards")
            vector = f.col(columns) if isinstance(columns, str) else f.array(*columns)
            values = vector.cast("array<double>").alias("features")
            rows = points.select(f.col(id).alias("id"), values)
            write_shards(rows, shards, len(rows.first()["features"] or ()))
            _fit(estimator, prior, shards, state, tasks)
        shutil.rmtree(shards.points_folder, ignore_errors=True)
    return with_clusters(session, shards)


def _fit(
    estimator: PowerLawMeans,
    prior: PitmanYor | None,
    shards: Shards,
    state: PassState | None,
    tasks: SparkTasks,
) -> None:
    """Fit a sample, and then all points, from the last whole pass if there is one."""
    passes = Passes(shards, run=tasks.run, n_at_once=tasks.n_at_once)
    sample, lengths = shards.sample(LARGE)
    if state is None:
        estimator.fit(sample)
        covariance = estimator.covariance_ if estimator.score == "gaussian" else None
        model = Model(covariance, prior, estimator.tradeoff_)
        seed = draw_seed(make_random(estimator.random_state))
        state = passes.begin(model, sample, lengths, estimator.labels_, seed)
    else:
        model = Model(state.covariance, prior, state.objective.regulariser.tradeoff)
    passes.run(model, state, sample)
