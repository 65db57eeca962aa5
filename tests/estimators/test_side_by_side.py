"""Fits in several threads of one process run concurrently, and in forked processes."""

import multiprocessing
import sys
import threading

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from powercut import PowerLawCut, PowerLawMeans
from powercut._utils import cached_property
from powercut.datasets import make_blobs, make_block_graph
from side_by_side import together


class Slow:
    """Has a cached attribute whose computation waits for that of another instance."""

    meeting = threading.Barrier(2)

    def __init__(self) -> None:
        self.computed = 0

    @cached_property
    def value(self) -> int:
        """A number."""
        self.computed += 1
        self.meeting.wait(timeout=10)
        return 7


def test_instances_compute_cached_attributes_concurrently() -> None:
    slow = [Slow(), Slow()]
    threads = [threading.Thread(target=lambda one=one: one.value) for one in slow]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.value for one in slow] == [7, 7]
    assert [one.computed for one in slow] == [1, 1]
    assert Slow.value.__doc__ == "A number."


def test_concurrent_fits_give_the_labels_of_a_single_fit() -> None:
    graph = make_block_graph(2000, random_state=0)[0]
    points = make_blobs(300, n_features=4, random_state=0)[0]
    for estimator, X in ((PowerLawCut, graph), (PowerLawMeans, points)):
        expected = estimator(random_state=0).fit(X).labels_
        _, _, both = together(lambda e=estimator, X=X: e(random_state=0).fit(X).labels_, 2)
        for labels in both:
            np.testing.assert_array_equal(labels, expected)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="processes are not forked there")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_process_can_fit_after_its_parent_has_used_openmp() -> None:
    # Two blobs of small integers, in too many dimensions for a tree of their means.
    points = np.random.default_rng(0).integers(0, 3, size=(60, 20)) + np.repeat([[0], [90]], 30, 0)
    NearestNeighbors(algorithm="brute").fit(points).kneighbors(n_neighbors=3)
    fit = PowerLawMeans("kmeans", tradeoff=1000.0, random_state=0).fit
    assert fit(points).n_clusters_ > 1
    process = multiprocessing.get_context("fork").Process(target=fit, args=(points,))
    process.start()
    process.join(timeout=60)
    hangs = process.is_alive()
    process.kill()
    assert not hangs
    assert process.exitcode == 0
