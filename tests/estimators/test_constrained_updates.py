"""Constraints that last through updates, and constraints that come with them."""

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from changing_graphs import cliques, edges_of_graph, ids_of, pairs
from powercut import Graph, PowerLawCut, load, save
from powercut.datasets import make_block_graph
from powercut.graphs import level as levels

# Labels of `fixed` in the random histories; ids of other clusters stay below.
FIRST_LABEL = 1000


def fit(graph: Any, n_jobs: int = 1, **known: Any) -> PowerLawCut:
    return PowerLawCut(random_state=0, n_jobs=n_jobs).fit(graph, **known)


def names_of(model: PowerLawCut) -> list[Any]:
    return list(range(len(model.labels_))) if model.node_names_ is None else [*model.node_names_]


def by_name(model: PowerLawCut) -> dict[Any, int]:
    return dict(zip(names_of(model), ids_of(model).tolist(), strict=True))


class History:
    """A graph that changes at random, and all that was ever said of its nodes.

    Nodes have a true label, which has nothing to do with the edges, so nothing contradicts it.
    """

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.truth = self.random.integers(0, self.random.integers(2, 7), 200)
        self.links = nx.Graph()
        self.apart: list[tuple[int, int]] = []
        self.fixed: dict[int, int] = {}

    def graph(self) -> Graph:
        n = int(self.random.integers(6, 30))
        self.next = n
        upper = np.triu(self.random.random((n, n)) < self.random.choice([0.15, 0.4]), 1)
        return Graph((upper + upper.T).astype(float))

    def known(self, nodes: list[int], taken: set[int]) -> dict[str, Any]:
        """Say something of some nodes; not by labels that are taken."""
        some = self.random.choice(nodes, (self.random.integers(0, 5), 2)).tolist()
        same = [[a, b] for a, b in some if self.truth[a] == self.truth[b]]
        others = [[a, b] for a, b in some if self.truth[a] != self.truth[b]]
        few = self.random.choice(nodes, self.random.integers(0, 3)).tolist()
        fixed = {node: FIRST_LABEL + int(self.truth[node]) for node in few}
        fixed = {node: label for node, label in fixed.items() if label not in taken}
        self.links.add_edges_from(same)
        self.links.add_edges_from((node, f"label {label}") for node, label in fixed.items())
        self.apart += others
        self.fixed |= fixed
        return {"fixed": fixed, "must_link": same, "cannot_link": others}

    def change(self, model: PowerLawCut) -> dict[str, Any]:
        """Let nodes and edges come and go."""
        nodes, random = names_of(model), self.random
        u, v = edges_of_graph(model._graph)
        lost = random.random(len(u)) < random.choice([0, 0.1, 0.3])
        gone = random.choice(nodes, random.integers(0, 3), replace=False).tolist()
        stay = [node for node in nodes if node not in gone]
        new = list(range(self.next, self.next + int(random.integers(0, 5))))
        self.next += len(new)
        places = [*stay, *new]
        wanted = {tuple(sorted(random.choice(places, 2, replace=False).tolist())) for _ in range(9)}
        there = {(nodes[a], nodes[b]) for a, b in zip(u.tolist(), v.tolist(), strict=True)}
        come = sorted(wanted - there - {(b, a) for a, b in there})
        ends = {node for edge in come for node in edge}
        named = np.array(nodes)
        return {
            "added": tuple(np.array(come, dtype=int).reshape(-1, 2).T),
            "removed": (named[u[lost]], named[v[lost]]),
            "removed_nodes": gone,
            "added_nodes": [node for node in new if node not in ends],
            "refit": [False, False, True, "auto"][random.integers(4)],
            **self.known(places, taken=self._taken(model, stay)),
        }

    def _taken(self, model: PowerLawCut, stay: list[int]) -> set[int]:
        """Return labels of which no node is left, and ids of clusters without fixed nodes."""
        used = {*self.fixed.values(), *model.cluster_ids_.tolist()}
        return used - {self.fixed.get(node) for node in stay}

    def check(self, model: PowerLawCut) -> None:
        """All that follows from what was said must hold."""
        ids = by_name(model)
        group = {
            node: at
            for at, nodes in enumerate(nx.connected_components(self.links))
            for node in nodes
        }
        members: dict[Any, set[int]] = {}
        for node, its_id in ids.items():
            members.setdefault(group.get(node, ("alone", node)), set()).add(its_id)
        assert all(len(found) == 1 for found in members.values())
        for a, b in self.apart:
            one, other = (members.get(group.get(node, ("alone", node)), set()) for node in (a, b))
            assert not one & other
        for node, label in self.fixed.items():
            assert members.get(group[node], {label}) == {label}
        # Linked nodes count as connected.
        joined = nx.Graph((("group", group[node]), node) for node in ids if node in group)
        joined.add_nodes_from(ids)
        named = np.array(names_of(model))
        joined.add_edges_from(
            zip(*(named[ends] for ends in edges_of_graph(model._graph)), strict=True)
        )
        split = [
            (a, b) for a, b in joined.edges if ids.get(a, ids.get(b)) != ids.get(b, ids.get(a))
        ]
        joined.remove_edges_from(split)
        assert nx.number_connected_components(joined) == model.n_clusters_


def followed(seed: int, n_jobs: int, folder: Path | None = None) -> list[tuple[Any, ...]]:
    """Follow a random history; with a folder, the model is saved and loaded at each step."""
    history, found = History(seed), []
    graph = history.graph()
    model = fit(graph, n_jobs, **history.known(names_of_graph(graph), set()))
    history.check(model)
    for _ in range(4):
        change = history.change(model)
        if folder is not None:
            graph = model._graph
            save(folder / "model.npz", model=model)
            model = load(folder / "model.npz")
            change["graph"] = graph
        model.update(**change)
        history.check(model)
        changes = model.changes_.to_frame().to_dict("list")
        found.append((by_name(model), model.objective_, model._next_id, changes))
    return found


def names_of_graph(graph: Graph) -> list[int]:
    return list(range(graph.n_nodes))


@given(st.integers(0, 2**32), st.booleans())
@example(506, True)  # a cluster that was between two others leaves them
@settings(deadline=None, derandomize=True, max_examples=25)
def test_random_histories_keep_all_constraints(
    tmp_path_factory: pytest.TempPathFactory, seed: int, is_large: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no cluster|One cluster|.*one cluster")
        if is_large:
            patch.setattr(levels, "LARGE", 10)
            patch.setattr(levels, "MANY_NODES", 5)
        one, two = followed(seed, 1), followed(seed, 2)
        again = followed(seed, 1, tmp_path_factory.mktemp("models"))
    assert one == two
    assert one == again


SCRIPT = """
import networkx as nx
from powercut import PowerLawCut
model = PowerLawCut(random_state=0).fit(
    nx.les_miserables_graph(), fixed={"Valjean": 10, "Javert": 20}, must_link=[["Marius", "Javert"]]
)
model.update(removed_nodes=["Marius"], must_link=[["Cosette", "Gavroche", "Fantine"]], refit=True)
model.update(added=(["Ann", "Ann"], ["Javert", "Valjean"]), cannot_link=[["Ann", "Javert"]])
ids = dict(zip(model.node_names_, model.cluster_ids_[model.labels_].tolist()))
print(ids)
"""


def test_other_processes_find_the_same() -> None:
    here: dict[str, Any] = {}
    exec(SCRIPT, here)
    ids = here["ids"]
    other = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == str(ids)
    assert (ids["Valjean"], ids["Javert"]) == (10, 20)
    assert ids["Cosette"] == ids["Gavroche"] == ids["Fantine"]
    assert ids["Ann"] != ids["Javert"]


def test_constraints_of_the_fit_stay_in_force() -> None:
    model = fit(cliques(3), fixed={0: 7, 12: 9}, must_link=[[1, 13]], cannot_link=[[2, 3]])
    for _ in range(3):
        # The clusters of all these nodes become one clique.
        u, v = pairs(np.arange(24))
        there = model._graph.adjacency.toarray()[u, v] > 0
        model.update(added=(u[~there], v[~there], np.full(np.count_nonzero(~there), 4)))
        ids = by_name(model)
        assert (ids[0], ids[12]) == (7, 9)
        assert ids[1] == ids[13]
        assert ids[2] != ids[3]
        model.update(removed=(u[~there], v[~there]))


def test_constraints_come_with_nodes() -> None:
    model = fit(cliques(3))
    model.update(
        added=([40, 40, 41, 41], [0, 1, 0, 1]),
        added_nodes=[42],
        cannot_link=[[40, 41]],
        must_link=[[42, 14]],
        fixed={40: 50},
    )
    ids = by_name(model)
    assert ids[40] == 50 != ids[41]
    assert ids[42] == ids[14] == ids[15]
    assert model._next_id == max(ids.values()) + 1 > 50
    # No constraint of its own, but all that it takes part in.
    model.update(added=([41] * 5, [2, 3, 4, 5, 6]))
    assert by_name(model)[40] != by_name(model)[41]


def test_what_follows_lasts_when_nodes_go() -> None:
    model = fit(
        cliques(3), fixed={0: 7, 20: 9}, must_link=[[0, 12], [12, 30]], cannot_link=[[12, 25]]
    )
    model.update(removed_nodes=[0, 12])
    ids = by_name(model)
    assert ids[30] == 7  # by node 12, with node 0
    assert ids[20] == 9
    assert ids[25] != 7
    with pytest.raises(ValueError, match="nodes 30 and 25 must link, but they cannot link"):
        model.update(must_link=[[25, 30]])
    with pytest.raises(ValueError, match="fixed has 8 for node 30, which is fixed at 7 already"):
        model.update(fixed={30: 8})


@pytest.mark.filterwarnings("ignore:No more than one cluster")
def test_parts_that_linked_nodes_held_together_are_split_when_these_go() -> None:
    # Cliques of 40, 30 and 4 nodes; one of the second and two of the third belong together.
    clique = np.repeat([0, 1, 2], [40, 30, 4])
    A = (clique[:, None] == clique).astype(float) - np.eye(74)
    A[40, 41:70] = A[41:70, 40] = 10  # or this node would leave the others
    model = fit(A, must_link=[[40, 70, 71]])
    np.testing.assert_array_equal(model.cluster_sizes_, [40, 34])
    # Too little changes for a division.
    model.update(removed_nodes=[70, 71], inertia=1e9)
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1, 2], [40, 30, 2]))


def test_constraints_end_with_their_nodes() -> None:
    model = fit(cliques(3), cannot_link=[[0, 1]], fixed={2: 7, 3: 9})
    model.update(removed_nodes=[0, 2, 3])
    assert not hasattr(model, "_known")
    free = fit(model._graph)
    model.update(refit=True)
    np.testing.assert_array_equal(model.labels_, free.labels_)
    # A node that comes back is another node.
    model.update(added=pairs([0], np.arange(4, 12)))
    assert by_name(model)[0] == by_name(model)[1]


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"must_link": [[0, 12]]}, "nodes 0 and 12 must link, but they are fixed at the labels 7"),
        ({"cannot_link": [[1, 13]]}, "nodes 1 and 13 must link, but they cannot link"),
        (
            {"must_link": [[3, 30], [30, 2]]},
            r"nodes 2 and 3 must link \(through 30\), but",
        ),
        ({"fixed": {0: 8}}, "fixed has 8 for node 0, which is fixed at 7 already"),
        ({"fixed": {99: 8}}, "fixed has 99, which is not a node"),
        ({"fixed": {30: 11}}, "fixed has the label 11 for nodes none of which is in the cluster"),
        ({"cannot_link": [[40, 5]], "removed_nodes": [5]}, "cannot_link has 5, which is not a"),
    ],
)
def test_contradictions_change_nothing(known: dict[str, Any], message: str) -> None:
    model = fit(cliques(4), fixed={0: 7, 12: 9}, must_link=[[1, 13]], cannot_link=[[2, 3]])
    assert 11 in model.cluster_ids_.tolist()
    assert by_name(model)[30] != 11
    before, state = vars(model).copy(), by_name(model)
    with pytest.raises(ValueError, match=message):
        model.update(added=([0, 40], [30, 30]), **known)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    assert by_name(model) == state


def test_ids_of_clusters_are_labels_that_may_be_used() -> None:
    model = fit(cliques(3))
    ids = by_name(model)
    assert ids[0] != ids[12]
    model.update(fixed={0: ids[0], 13: ids[0]})
    after = by_name(model)
    assert after[0] == after[13] == ids[0]
    assert len(set(model.cluster_ids_.tolist())) == model.n_clusters_


def test_label_moves_with_its_nodes() -> None:
    # Node 0 leaves the clique 0 to 11 for the next one, and takes its label along.
    model = fit(cliques(3), fixed={0: 70})
    assert by_name(model)[5] == 70
    u, v = pairs([0], np.arange(1, 12))
    model.update(removed=(u, v), added=pairs([0], np.arange(13, 22)))
    ids = by_name(model)
    assert ids[0] == ids[15] == 70 != ids[5]
    assert len(set(model.cluster_ids_.tolist())) == model.n_clusters_
    table = model.changes_.to_frame().set_index("id")
    assert table.change[ids[5]] == "split"
    assert table.other[ids[5]] == 70


def test_refits_keep_names_and_constraints() -> None:
    known = {
        "fixed": {"Valjean": 10, "Javert": 20},
        "must_link": [["Marius", "Enjolras", "Gavroche"]],
        "cannot_link": [["Marius", "Cosette"]],
    }
    model = fit(nx.les_miserables_graph(), **known)
    model.update(removed_nodes=["Fantine"], refit=True)
    fitted = fit(model._graph, **known)
    np.testing.assert_array_equal(model.labels_, fitted.labels_)
    ids = by_name(model)
    assert (ids["Valjean"], ids["Javert"]) == (10, 20)
    assert ids["Marius"] == ids["Enjolras"] == ids["Gavroche"] != ids["Cosette"]


def test_drift_is_of_fits_with_the_constraints() -> None:
    graph, _ = make_block_graph(400, degree=12, mixing=0.3, random_state=0)
    random = np.random.default_rng(0)
    model = fit(graph, fixed=np.where(random.random(400) < 0.2, random.integers(0, 9, 400), -1))
    model.update()
    assert model.drift_.share < 0.001
    # A fit without them would gain a lot.
    free = fit(graph)
    assert free.description_length_ < 0.95 * model.description_length_


def test_loaded_models_keep_constraints(tmp_path: Path) -> None:
    graph = nx.les_miserables_graph()
    model = fit(graph, fixed={"Valjean": 10, "Javert": 20}, cannot_link=[["Marius", "Cosette"]])
    save(tmp_path / "model.npz", model=model)
    again = load(tmp_path / "model.npz")
    with pytest.raises(ValueError, match="nodes 'Valjean' and 'Javert' must link, but they are"):
        again.update(must_link=[["Valjean", "Javert"]], graph=graph)
    change = {"removed_nodes": ["Fantine"], "must_link": [["Marius", "Valjean"]]}
    again.update(**change, graph=graph)
    model.update(**change)
    assert by_name(again) == by_name(model)


def test_fit_forgets_constraints() -> None:
    model = fit(cliques(3), fixed={0: 7, 1: 9})
    model.fit(cliques(3)).update(added=([0], [30]))
    assert by_name(model)[0] == by_name(model)[1] == 0


@pytest.mark.filterwarnings("ignore:.*stopped early")
def test_time_limit_keeps_constraints() -> None:
    model = fit(cliques(5), fixed={0: 7, 12: 9}, cannot_link=[[2, 3]])
    model.max_seconds = 0
    model.update(
        added=pairs(np.arange(60, 70)), must_link=[[61, 0], [62, 30]], cannot_link=[[63, 64]]
    )
    ids = by_name(model)
    assert ids[61] == ids[0] == 7
    assert ids[62] == ids[30]
    assert ids[63] != ids[64]
    assert ids[2] != ids[3]


def test_newcomers_in_conflict_are_not_grouped() -> None:
    model = fit(cliques(3))
    model.update(added=pairs(np.arange(40, 52)), cannot_link=[[40, 41], [42, 43]])
    ids = by_name(model)
    assert ids[40] != ids[41]
    assert ids[42] != ids[43]


def test_linked_nodes_stay_in_the_cluster_of_their_group() -> None:
    # Both are so large that divisions and joins are not tried.
    model = fit(cliques(3, 80), must_link=[np.arange(1, 71)])
    others = np.delete(np.arange(80), 1)
    model.update(removed=pairs([1], others), inertia=1e9)
    ids = by_name(model)
    assert ids[1] == ids[5] == ids[0]
    model.update(added_nodes=[999], must_link=[[999, 5]], inertia=1e9)
    assert by_name(model) == {**ids, 999: ids[0]}
