"""The networkx backend, and clusters as sets of nodes."""

import inspect
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import powercut
from powercut import PowerLawCut
from powercut.datasets import make_block_graph
from powercut.interop.node_sets import node_sets

nx: Any = pytest.importorskip("networkx", minversion="3.5", reason="needs networkx 3.5 or later")
from powercut.interop.networkx import backend  # noqa: E402
from powercut.interop.networkx.info import get_info  # noqa: E402

FUNCTIONS = ("louvain_communities", "leiden_communities")
needs_metric = pytest.mark.skipif(
    not backend.LEIDEN_HAS_METRIC, reason="leiden_communities has a metric from networkx 3.7 on"
)
KARATE = [
    {0, 1, 2, 3, 7, 9, 11, 12, 13, 17, 19, 21},
    {4, 5, 6, 10, 16},
    {23, 24, 25, 27, 28, 31},
    {8, 14, 15, 18, 20, 22, 26, 29, 30, 32, 33},
]


@pytest.fixture(autouse=True)
def _no_cache() -> Iterator[None]:
    with nx.config(cache_converted_graphs=False):
        yield


def call_backend(name: str, G: Any, **options: Any) -> list[set[Any]]:
    communities: list[set[Any]] = getattr(nx.community, name)(G, backend="powercut", **options)
    return communities


def by_modularity(name: str) -> dict[str, str]:
    """Return the options with which a function maximises modularity."""
    has_metric = name == "leiden_communities" and backend.LEIDEN_HAS_METRIC
    return {"metric": "modularity"} if has_metric else {}


@pytest.fixture(scope="module")
def blocks() -> Any:
    graph, _ = make_block_graph(300, random_state=0)
    return nx.relabel_nodes(nx.from_scipy_sparse_array(graph.adjacency), lambda node: f"n{node}")


def test_networkx_finds_the_backend() -> None:
    assert nx.utils.backends.backends["powercut"].load() is backend
    assert nx.utils.backends.backend_info["powercut"] == get_info()
    for name in FUNCTIONS:
        assert "powercut" in getattr(nx.community, name).backends
    assert set(get_info()["functions"]) == set(FUNCTIONS)


def test_info_imports_nothing() -> None:
    program = (
        "import runpy, sys, typing\n"
        "before = set(sys.modules)\n"
        f"runpy.run_path({inspect.getfile(get_info)!r})\n"
        "print(*(set(sys.modules) - before))"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    packages = {name.partition(".")[0] for name in run.stdout.split()}
    assert packages <= sys.stdlib_module_names


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_are_those_of_networkx(name: str) -> None:
    theirs = inspect.signature(getattr(nx.community, name).orig_func)
    ours = inspect.signature(getattr(backend, name))
    assert [(p.name, p.default, p.kind) for p in ours.parameters.values()] == [
        (p.name, p.default, p.kind) for p in theirs.parameters.values()
    ]


def test_tests_of_networkx_pass_through_the_backend(tmp_path: Any) -> None:
    modules = [f"networkx.algorithms.community.tests.test_{name}" for name in ("louvain", "leiden")]
    environment = os.environ | {
        "NETWORKX_TEST_BACKEND": "powercut",
        "NETWORKX_FALLBACK_TO_NX": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", *modules]
    run = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout
    counts = re.findall(r"(\d+) (passed|xfailed|skipped|failed)", run.stdout)
    by_result = {result: int(count) for count, result in counts}
    assert by_result["passed"] >= 15
    assert by_result["xfailed"] == (6 if backend.LEIDEN_HAS_METRIC else 3)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_karate_club_reaches_the_maximum_modularity(name: str) -> None:
    G = nx.karate_club_graph()
    found = call_backend(name, G, weight=None, seed=2, **by_modularity(name))
    best = nx.community.modularity(G, KARATE, weight=None)
    assert nx.community.modularity(G, found, weight=None) >= best - 1e-12


@pytest.mark.parametrize("name", FUNCTIONS)
def test_modularity_is_not_below_that_of_networkx(name: str, blocks: Any) -> None:
    for resolution in (0.5, 1, 2):
        options = by_modularity(name)
        found = call_backend(name, blocks, resolution=resolution, seed=0, **options)
        theirs = nx.community.louvain_communities(
            blocks, resolution=resolution, seed=0, backend="networkx"
        )
        ours, other = (
            nx.community.modularity(blocks, sets, resolution=resolution) for sets in (found, theirs)
        )
        assert ours >= other - 1e-12
        assert nx.community.is_partition(blocks, found)
        assert [len(nodes) for nodes in found] == sorted(map(len, found), reverse=True)


@needs_metric
def test_constant_potts_model_is_not_below_that_of_networkx(blocks: Any) -> None:
    for resolution in (0.02, 0.1, 0.5):
        options = {"resolution": resolution, "seed": 0}
        ours = call_backend("leiden_communities", blocks, **options)
        theirs = nx.community.leiden_communities(blocks, backend="networkx", **options)
        quality = [
            nx.community.constant_potts_model(blocks, sets, resolution=resolution)
            for sets in (ours, theirs)
        ]
        assert quality[0] >= quality[1] - 1e-9
        assert nx.community.is_partition(blocks, ours)


@needs_metric
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"max_level": 2}, "max_level must be None"),
        ({"theta": 0.1}, "theta must be the default"),
        ({"resolution": -1}, "must not be negative"),
        ({"metric": "modularity", "theta": 0.01}, True),
        ({"metric": "cpm"}, True),
        ({}, True),
    ],
)
def test_unsupported_options_of_leiden_are_declined(
    options: dict[str, Any], reason: str | bool, blocks: Any
) -> None:
    answer = backend.supports("leiden_communities", (blocks,), options)
    assert answer is True if reason is True else reason in str(answer)
    with nx.config(backend_priority=["powercut"]):
        found = nx.community.leiden_communities(blocks, seed=0, **options)
    assert nx.community.is_partition(blocks, found)


@needs_metric
def test_directed_graphs_are_left_to_leiden_of_networkx(blocks: Any) -> None:
    directed = blocks.to_directed()
    assert "directed" in str(backend.supports("leiden_communities", (directed,), {}))
    with pytest.raises(NotImplementedError, match=r"pass G\.to_undirected\(\)"):
        call_backend("leiden_communities", directed)
    with nx.config(backend_priority=["powercut"]):
        found = nx.community.leiden_communities(directed, resolution=0.1, seed=0)
    assert nx.community.is_partition(directed, found)


@needs_metric
def test_an_unknown_metric_is_declined(blocks: Any) -> None:
    answer = backend.supports("leiden_communities", (blocks,), {"metric": "surprise"})
    assert "metric must be one of" in str(answer)


def test_search_maximises_the_modularity_of_networkx_with_loops_and_weights() -> None:
    G = nx.karate_club_graph()
    G.add_weighted_edges_from([(i, i, 5 * i) for i in range(6)])
    G.add_edge(0, 33, weight=2.5)
    converted = backend.convert_from_nx(G, edge_attrs={"weight": 1})
    labels = np.arange(34) % 5
    score = PowerLawCut("modularity", tradeoff=0.0, init=labels, random_state=0)
    degrees = [degree for _, degree in G.degree(weight="weight")]
    np.testing.assert_allclose(converted.graph.degrees, degrees)
    model = score.fit(converted.graph)
    sets = node_sets(converted.nodes, model.labels_)
    total = converted.graph.total_weight
    assert -model.objective_ / total == pytest.approx(nx.community.modularity(G, sets))


@pytest.mark.parametrize("seed", [3, random.Random(3), np.random.RandomState(3)])
def test_every_type_of_seed_determines_the_result(seed: Any, blocks: Any) -> None:
    assert nx.community.is_partition(blocks, call_backend("louvain_communities", blocks, seed=seed))


def test_same_seed_makes_the_same_communities(blocks: Any) -> None:
    assert call_backend("leiden_communities", blocks, seed=1) == call_backend(
        "leiden_communities", blocks, seed=1
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"max_level": 2}, "max_level must be None"),
        ({"threshold": 0.1}, "threshold must be the default"),
        ({"resolution": -1}, "must not be negative"),
        ({}, True),
    ],
)
def test_unsupported_options_are_declined(
    options: dict[str, Any], reason: str | bool, blocks: Any
) -> None:
    answer = backend.supports("louvain_communities", (blocks,), options)
    assert answer is True if reason is True else reason in str(answer)
    # networkx then runs its own implementation.
    with nx.config(backend_priority=["powercut"]):
        assert nx.community.is_partition(
            blocks, nx.community.louvain_communities(blocks, seed=0, **options)
        )


def test_who_names_the_backend_is_told_why_it_cannot_run(blocks: Any) -> None:
    for _ in range(2):  # networkx keeps failed conversions
        with pytest.raises(NotImplementedError, match=r"pass G\.to_undirected\(\)"):
            call_backend("louvain_communities", blocks.to_directed())
    assert len(call_backend("louvain_communities", blocks.to_directed().to_undirected())) > 1
    with pytest.raises(NotImplementedError, match="max_level must be None"):
        call_backend("louvain_communities", blocks, max_level=2)


def test_directed_graphs_and_negative_weights_are_left_to_networkx(blocks: Any) -> None:
    directed = blocks.to_directed()
    assert "directed" in str(backend.supports("louvain_communities", (directed,), {}))
    with nx.config(backend_priority=["powercut"]):
        found = nx.community.louvain_communities(directed, seed=0)
    assert nx.community.is_partition(directed, found)
    negative = blocks.copy()
    negative.add_edge("n0", "n1", weight=-1.0)
    with pytest.raises(NotImplementedError, match="negative"):
        backend.convert_from_nx(negative, edge_attrs={"weight": 1})
    with nx.config(backend_priority=["powercut"], fallback_to_nx=True):
        found = nx.community.louvain_communities(negative, seed=0)
    assert nx.community.is_partition(negative, found)


def test_small_graphs_are_left_to_networkx(blocks: Any) -> None:
    small = nx.karate_club_graph()
    assert "as fast" in str(backend.should_run("louvain_communities", (small,), {}))
    # Before 3.7, networkx has no implementation of its own.
    answer = backend.should_run("leiden_communities", (small,), {})
    assert ("as fast" in str(answer)) is backend.LEIDEN_HAS_METRIC
    assert backend.should_run("louvain_communities", (blocks,), {}) is True


def test_conversion_round_trip_keeps_the_graph() -> None:
    G = nx.Graph()
    G.add_weighted_edges_from([("a", "b", 2.0), ("b", "b", 3.0), ("c", "a", 1.5)])
    G.add_node("isolated")
    back = backend.convert_to_nx(backend.convert_from_nx(G, edge_attrs={"weight": 1}))
    assert list(back) == list(G)
    assert nx.utils.edges_equal(back.edges(data=True), G.edges(data=True))
    assert backend.convert_to_nx([{1}]) == [{1}]


def test_community_returns_nodes_as_the_graph_names_them(blocks: Any) -> None:
    sets = powercut.community(blocks, random_state=0)
    labels = PowerLawCut(random_state=0).fit(blocks).labels_
    assert nx.community.is_partition(blocks, sets)
    for node, label in zip(blocks, labels, strict=True):
        assert node in sets[label]


def test_community_of_an_igraph_graph_is_vertex_numbers() -> None:
    ig = pytest.importorskip("igraph")
    graph = ig.Graph.Full(6) + ig.Graph.Full(5) + ig.Graph.Full(5)
    expected = [set(range(6)), set(range(6, 11)), set(range(11, 16))]
    assert powercut.community(graph, random_state=0) == expected


def test_empty_graph_has_no_sets() -> None:
    assert powercut.community(nx.Graph()) == []
    assert call_backend("leiden_communities", nx.Graph()) == []
