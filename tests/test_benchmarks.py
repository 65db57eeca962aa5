"""The benchmarks run, and what they tell is true, on cases small enough to see."""

import inspect
import itertools
import os
import threading
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

import billion
import compare
import cost
import soak
from _experiments import Unavailable, read_npz
from _graphs import Workload, blocks
from _measure import Cost, in_child, measure
from compare import Method, Run
from memory_stages import stages_of_an_example
from powercut.progress import Progress
from suite import fits, kernels

MEGABYTE = 2**20


def suite() -> list[type]:
    return [
        benchmark
        for module in (fits, kernels)
        for _, benchmark in inspect.getmembers(module, inspect.isclass)
        if belongs_to(benchmark, module) and not inspect.isabstract(benchmark)
    ]


def belongs_to(benchmark: type, module: ModuleType) -> bool:
    return benchmark.__module__ == module.__name__ and hasattr(benchmark, "params")


@pytest.mark.parametrize("benchmark_class", suite())
def test_every_benchmark_of_the_suite_runs(
    benchmark_class: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = ([120], benchmark_class.params[1])  # type: ignore[attr-defined]
    monkeypatch.setattr(benchmark_class, "params", tiny)
    benchmark = benchmark_class()
    cache = benchmark.setup_cache()
    methods = [name for name in dir(benchmark) if name.startswith(("time_", "peakmem_", "track_"))]
    assert methods
    for parameters in itertools.product(*tiny):
        if hasattr(benchmark, "setup"):
            benchmark.setup(cache, *parameters)
        results = {name: getattr(benchmark, name)(cache, *parameters) for name in methods}
        assert all(0 <= results[name] < 0.5 for name in methods if name.startswith("track_"))


def test_caches_of_the_suite_are_told_apart() -> None:
    # asv knows a cache by the file and line of the function that makes it.
    makers = [benchmark.setup_cache.__code__ for benchmark in suite()]  # type: ignore[attr-defined]
    places = {(maker.co_filename, maker.co_firstlineno) for maker in makers}
    assert len(places) == len(makers)


def test_memory_is_the_peak_beyond_what_was_held() -> None:
    held, earlier_peak = (np.ones(n * MEGABYTE, dtype=np.uint8) for n in (64, 256))
    del earlier_peak
    result, taken = measure(lambda: int(np.ones(32 * MEGABYTE, dtype=np.uint8)[0]))
    assert result == held[-1] == 1
    assert 31 * MEGABYTE < taken.memory < 40 * MEGABYTE


def test_every_call_has_a_process_of_its_own() -> None:
    assert len({os.getpid(), in_child(os.getpid), in_child(os.getpid)}) == 3


def test_stages_name_the_function_that_needs_the_memory() -> None:
    # A process that has worked before reuses memory that it has freed.
    by_name, peak = in_child(stages_of_an_example)
    name, largest = max(by_name.items(), key=lambda stage: stage[1].rise)
    assert name == "large < outer"
    assert 47 * MEGABYTE < largest.rise < 56 * MEGABYTE
    assert peak == largest.peak


def test_workloads_are_made_or_taken_from_a_folder(tmp_path: Path) -> None:
    workload = blocks("blocks", 300, degree=10, mixing=0.2, seed=0)
    made = workload.file(None, tmp_path)
    graph, truth = workload.make()
    matrix, labels = read_npz(made)
    assert (matrix != graph.adjacency).nnz == 0
    np.testing.assert_array_equal(labels, truth)
    assert workload.file(tmp_path, Path("nowhere")) == made
    with pytest.raises(Unavailable, match=r"no other\.npz"):
        Workload("other", workload.make).file(tmp_path, tmp_path)


def test_comparison_tells_ratios_at_equal_threads() -> None:
    seconds = {("powercut", 1): 6.0, ("peer", 1): 4.0, ("powercut", 2): 3.0, ("peer", 2): 5.0}
    best = {
        Method(name, name, np.asarray, threads): Run(Cost(s, s, 160), 0.5, 20, 7, None)
        for (name, threads), s in seconds.items()
    }
    table = [dict(zip(compare.COLUMNS, row, strict=True)) for row in compare.rows("blocks", best)]
    assert [row["powercut / it"] for row in table] == ["", "1.50", "", "0.60"]
    assert [row["speed-up"] for row in table] == ["", "", "2.00", "0.80"]
    assert [row["passes"] for row in table] == ["12", "8", "6", "10"]
    assert {row["bytes per entry"] for row in table} == {"8.0"}


def test_line_goes_through_fits_of_a_power_law() -> None:
    def fit(edges: int, seconds: float) -> cost.Fit:
        return cost.Fit(1, edges // 10, edges, 8 * edges, 0.1, Cost(seconds, seconds, 0), 1.0)

    done = [fit(edges, 3e-6 * edges**1.1) for edges in (10**6, 10**7, 10**8)]
    line = cost.Line.through(done)
    assert (line.a, line.b) == (pytest.approx(3e-6), pytest.approx(1.1))
    assert line.worst_ratio(done) == pytest.approx(1)
    faster = fit(10**7, line.seconds(10**7) / 2)
    assert line.worst_ratio([*done, faster]) == pytest.approx(2)


@pytest.mark.parametrize(
    ("alone", "together", "threads", "part"),
    [(10, 5, 2, 1.0), (10, 10, 2, 0.0), (10, 7, 2, 0.6), (10, 3.25, 4, 0.9), (10, 12, 2, 0.0)],
)
def test_parallel_part_is_amdahls(alone: float, together: float, threads: int, part: float) -> None:
    assert cost.parallel_part(alone, together, threads) == pytest.approx(part)


def test_the_soak_sees_memory_that_grows() -> None:
    flat = [100.0] * 30 + [101.0] * 30
    assert soak.band(flat)[1] == pytest.approx(0.01)
    assert soak.band([*flat, *[103.0] * 30])[1] == pytest.approx(0.03)


def test_the_soak_sees_a_thread_that_is_left() -> None:
    before, go_on = soak.n_threads(), threading.Event()
    thread = threading.Thread(target=go_on.wait)
    thread.start()
    assert soak.n_threads() == before + 1
    go_on.set()
    thread.join()
    assert soak.threads_left(before) == 0


def test_cases_of_the_soak_are_repeatable_and_of_every_kind() -> None:
    cases = soak.random_cases(2 * len(soak.KINDS), 0.01, np.random.default_rng(0))
    assert {case.kind for case in cases} == set(range(len(soak.KINDS)))
    assert cases == soak.random_cases(len(cases), 0.01, np.random.default_rng(0))
    assert all(60 <= case.n <= max(100, soak.KINDS[case.kind].largest / 100) for case in cases)


@pytest.mark.parametrize("k", [1, 2, 7])
def test_nmi_is_that_of_scikit_learn(k: int) -> None:
    random = np.random.default_rng(k)
    one, other = random.integers(0, k, (2, 100), dtype=np.int32)
    other[:60] = one[:60]
    assert billion.nmi(one, other) == pytest.approx(normalized_mutual_info_score(one, other))


def test_the_seconds_of_stages_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    stages = billion.Stages()
    for stage, seconds in [("input", 1.0), ("search", 2.5), ("search", 4.0), ("done", 4.0)]:
        stages(Progress(0.5, stage, 1, 1, 1, 0.0, seconds))
    assert stages.seconds == {"input": 1.5, "search": 1.5, "": 1.0}
    assert capsys.readouterr().err == "  input: 2 s\n  search: 2 s\n"
