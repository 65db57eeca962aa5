"""The measures, promises and peers of experiments/quality.py, on cases small enough to see."""

import argparse
import gzip
from pathlib import Path

import numpy as np
import pytest

from _measures import Measures, count_clusters, measure, size_distance
from _peers import (
    DP_MEANS_PEERS,
    GRAPH_PEERS,
    LEIDEN,
    PEERS,
    RESOLUTIONS,
    Answer,
    Peer,
    interpreter,
    resolution_name,
    run_peer,
    write_problem,
)
from _promises import (
    Promise,
    blobs,
    blocks_100k,
    classic,
    labelled,
    neighbours,
    noise,
    paper,
    unseen,
)
from _quality_data import Case, Source, from_folder, make_hypergraph, make_random
from _real_data import PARTLY_SEEN, SEEN, UNSEEN, Unavailable, read_graph
from _results import OURS, Results, Row, Store, means_table, read_csv, repeats_table, row_line
from powercut import Graph, PitmanYor, PowerLawCut
from powercut.datasets import make_block_graph
from quality import SECTIONS, Bench, report, true_length

TRUTH = [0] * 12 + [1] * 4 + [-1] * 5


def row(
    section: str,
    data: str,
    method: str = OURS,
    *,
    nmi: float = 1.0,
    ami: float = 1.0,
    ari: float = 1.0,
    k: int = 120,
    k_large: int = 100,
    singletons: int = 0,
    excess: float | None = None,
) -> Row:
    measures = Measures(nmi, ami, ari, k, k_large, 0.0, singletons)
    return Row(section, data, method, 120, 100, measures, 1.5, excess)


def verdicts(promises: list[Promise]) -> list[str]:
    return [promise.verdict for promise in promises]


def test_unlabelled_nodes_count_in_no_measure() -> None:
    found = measure(TRUTH, [7] * 12 + [3] * 4 + [7, 3, 0, 1, 2])
    assert found == Measures(
        nmi=1.0, ami=1.0, ari=1.0, k=2, k_large=1, size_distance=0.0, singletons=3
    )


def test_without_classes_all_clusters_are_counted() -> None:
    found = measure([-1] * 13, [5] * 11 + [0, 1])
    assert (found.k, found.k_large, found.singletons) == (3, 1, 2)
    assert np.isnan([found.nmi, found.ami, found.ari, found.size_distance]).all()
    one = Row("classic", "a", OURS, 0, 0, found, 1.5)
    assert row_line(one) == "| a | powercut |  |  |  | 3 | 1 | 2 |  | 1.50 |"
    known = Row("classic", "b", OURS, 1, 1, measure([0, 0], [1, 1]), 1.5)
    assert "| powercut | 1 | 1.0000 |" in means_table(Results([one, known]))


def test_merging_all_costs_every_measure() -> None:
    found = measure(TRUTH, np.zeros(21, dtype=int))
    assert (found.nmi, found.ari, found.k, found.k_large) == (0.0, 0.0, 1, 1)
    assert found.size_distance == pytest.approx((12 * np.log2(16 / 12) + 4 * np.log2(16 / 4)) / 16)


def test_noise_label_of_a_peer_is_a_cluster() -> None:
    assert count_clusters([-1, -1, 0, 0, 0]) == 2
    assert count_clusters([-1, -1, 0, 0, 0], smallest=3) == 1


def test_size_distance_is_symmetric_and_blind_to_members() -> None:
    a, b = [0, 0, 0, 1, 1, 2], [5, 5, 5, 5, 5, 5]
    assert size_distance(a, b) == size_distance(b, a) > 0
    assert size_distance(a, [2, 1, 1, 0, 0, 0]) == 0


def test_paper_promise_needs_mean_and_minimum() -> None:
    good = [row("paper", f"paper-sd-{i}", nmi=1.0) for i in range(9)]
    assert verdicts(paper(Results([*good, row("paper", "x", nmi=0.98)]))) == ["held", "held"]
    assert verdicts(paper(Results([*good, row("paper", "x", nmi=0.96)]))) == ["held", "BROKEN"]
    assert verdicts(paper(Results([*good[:1], row("paper", "x", nmi=0.97)]))) == ["BROKEN", "held"]


def test_blocks_promises_at_their_limits() -> None:
    easy = row("blocks-100k", "blocks-100k-0.2", k_large=101, excess=0.0)
    hard = row("blocks-100k", "blocks-100k-0.4", nmi=0.995, ari=0.99, excess=0.0005)
    assert verdicts(blocks_100k(Results([easy, hard]))) == ["held"] * 6
    easy = row("blocks-100k", "blocks-100k-0.2", nmi=0.9994, k_large=98, excess=1e-6)
    hard = row("blocks-100k", "blocks-100k-0.4", nmi=0.9949, ari=0.9899, excess=0.00051)
    assert verdicts(blocks_100k(Results([easy, hard]))) == ["BROKEN"] * 6
    assert (
        verdicts(blocks_100k(Results([row("blocks-100k", "blocks-100k-0.2")])))[2] == "not checked"
    )


def test_labelled_promises_compare_on_the_graphs_that_a_peer_ran() -> None:
    ours = [row("labelled", "a", ami=0.6), row("labelled", "b", ami=0.4)]
    leiden = [row("labelled", "a", LEIDEN, ami=0.5), row("labelled", "b", LEIDEN, ami=0.42)]
    # Above our mean of both graphs, below us on the one that it ran.
    slow = [row("labelled", "a", "slow", ami=0.55)]
    found = labelled(Results([*ours, *leiden, *slow]))
    assert verdicts(found) == ["BROKEN", "held", "held", "held"]
    assert found[0].figure == "0.5000"
    assert found[-1].figure == "-0.0200 on b"
    worse = [row("labelled", "a", ami=0.54), row("labelled", "b", ami=0.38)]
    assert verdicts(labelled(Results([*worse, *leiden, *slow]))) == ["BROKEN"] * 4
    assert verdicts(labelled(Results(ours))) == ["BROKEN", "not checked"]
    enough = [row("labelled", "a", ami=0.6), row("labelled", "b", ami=0.511)]
    assert verdicts(labelled(Results(enough)))[0] == "held"


def test_unseen_promise_is_checked_also_without_graphs_that_were_partly_seen() -> None:
    ours = [row("unseen", "karate", ami=0.9), row("unseen", "pubmed", ami=0.2)]
    leiden = [row("unseen", "karate", LEIDEN, ami=0.7), row("unseen", "pubmed", LEIDEN, ami=0.19)]
    found = unseen(Results([*ours, *leiden]))
    assert verdicts(found) == ["held", "BROKEN"]
    assert [one.figure for one in found] == [
        "0.5500 against 0.4450; without karate 0.2000 against 0.1900",
        "0.2000 against 0.1900",
    ]
    assert verdicts(unseen(Results([*ours, *leiden[:1]]))) == ["held", "not checked"]
    assert verdicts(unseen(Results(ours))) == ["not checked"] * 2


def test_classic_promises_at_their_limits() -> None:
    good = [
        row("classic", "karate", k=2, ami=0.6),
        row("classic", "karate weighted", k=4, ami=0.6),
        row("classic", "les miserables", singletons=2),
        *(row("classic", data, k=1) for data in ("complete", "random 0.7", "random 0.9")),
        row("classic", "two blocks", k=2),
    ]
    assert verdicts(classic(Results(good))) == ["held"] * 9
    bad = [
        row("classic", "karate", k=1, ami=0.59),
        row("classic", "karate weighted", k=5, ami=0.59),
        row("classic", "les miserables", singletons=3),
        *(row("classic", data, k=2) for data in ("complete", "random 0.7", "random 0.9")),
        row("classic", "two blocks", k=1),
    ]
    assert verdicts(classic(Results(bad))) == ["BROKEN"] * 9


def test_neighbours_promises_take_the_best_resolution() -> None:
    def leiden(*amis: float) -> list[Row]:
        return [
            row("neighbours", "a", resolution_name(r), ami=ami)
            for r, ami in zip(RESOLUTIONS, amis, strict=False)
        ]

    ours = row("neighbours", "a", ami=0.7)
    five = leiden(0.1, 0.2, 0.719, 0.69, 0.3)
    assert verdicts(neighbours(Results([ours, *five]))) == ["held", "held"]
    five = leiden(0.1, 0.2, 0.721, 0.7, 0.3)
    assert verdicts(neighbours(Results([ours, *five]))) == ["BROKEN", "BROKEN"]
    assert verdicts(neighbours(Results([ours, *five[:2]]))) == ["not checked", "not checked"]


def test_blobs_promise_names_the_best_penalty() -> None:
    theirs = [
        row("blobs", "blobs-1.5", peer.name, nmi=nmi)
        for peer, nmi in zip(DP_MEANS_PEERS, (0.2, 0.9, 0.3, 0.4, 0.5), strict=True)
    ]
    ours = [row("blobs", "blobs-3", nmi=0.9989), row("blobs", "blobs-1.5", nmi=0.91)]
    found = blobs(Results([*ours, *theirs]))
    assert verdicts(found) == ["BROKEN", "held"]
    assert DP_MEANS_PEERS[1].name in found[1].figure


@pytest.mark.parametrize(("right", "verdict"), [(38, "held"), (37, "BROKEN")])
def test_noise_promise_allows_two_of_forty(right: int, verdict: str) -> None:
    rows = [row("noise", f"g/{i}", ari=1.0 if i < right else 0.0) for i in range(40)]
    assert verdicts(noise(Results(rows))) == [verdict]
    assert f"| g | powercut | {right} of 40 |" in repeats_table(Results(rows))


def test_a_broken_promise_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(noise(Results([row("noise", "g/0")])))
    assert not report(noise(Results([row("noise", "g/0", ari=0.0)])))
    assert "BROKEN" in capsys.readouterr().out
    assert report([])
    assert capsys.readouterr().out == ""


def test_rows_come_back_from_csv(tmp_path: Path) -> None:
    rows = [row("paper", "a", ami=1 / 3, excess=-1e-5), row("paper", "a", "a peer, with a comma")]
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        store = Store(file)
        for one in rows:
            store.add(one)
    assert read_csv(path).rows == rows
    assert "| powercut | 1 | 1.0000 | 0.3333 |" in means_table(read_csv(path))


def test_random_graph_is_simple_and_its_truth_the_components() -> None:
    graph, truth = make_random(300, 2, seed=0)
    assert graph.weights is None
    assert np.all(graph.adjacency.diagonal() == 0)
    u = np.repeat(np.arange(300), np.diff(graph.indptr))
    assert np.array_equal(truth[u], truth[graph.indices])


def test_authors_of_a_hypergraph_stay_in_their_community_without_mixing() -> None:
    graph, truth = make_hypergraph(300, sizes=PitmanYor(3.0, 0.3), random_state=0)
    u = np.repeat(np.arange(300), np.diff(graph.indptr))
    assert graph.weights is None
    assert len(np.unique(truth)) > 3
    assert np.array_equal(truth[u], truth[graph.indices])
    mixed, _ = make_hypergraph(300, sizes=PitmanYor(3.0, 0.3), mixing=0.5, random_state=0)
    u = np.repeat(np.arange(300), np.diff(mixed.indptr))
    assert not np.array_equal(truth[u], truth[mixed.indices])


def test_a_hypergraph_of_pairs_is_a_random_graph() -> None:
    graph, truth = make_hypergraph(300, size=2, random_state=0)
    assert 280 < graph.n_edges <= 300
    assert len(np.unique(truth)) > 10  # components, isolated authors among them


def write_lines(path: Path, *lines: str) -> None:
    with gzip.open(path, "wt") as file:
        file.write("\n".join(lines) + "\n")


def test_a_node_of_two_communities_has_no_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POWERCUT_DATA", str(tmp_path))
    folder = tmp_path / "graphs" / "small"
    folder.mkdir(parents=True)
    write_lines(folder / "edges.txt.gz", "0 1", "1 2", "2 3")
    write_lines(folder / "communities.txt.gz", "0 1", "1 2")
    graph, truth = read_graph("small", "communities")
    assert graph.n_edges == 3
    assert truth.tolist() == [0, -1, 1, -1]
    with pytest.raises(Unavailable, match="no known classes"):
        read_graph("small", "labels")


def test_no_class_is_both_seen_and_unseen() -> None:
    assert not {*SEEN.items()} & {*UNSEEN.values()}
    assert set(UNSEEN) > PARTLY_SEEN
    assert all(name in PARTLY_SEEN for name, (graph, _) in UNSEEN.items() if graph in SEEN)


def test_folder_without_the_file_is_a_reason(tmp_path: Path) -> None:
    source = from_folder(tmp_path, Source("blobs-3", lambda: pytest.fail("made all the same")))
    with pytest.raises(Unavailable, match=r"no blobs-3\.npz"):
        source.case()


def test_true_length_is_that_of_a_fit_to_the_truth() -> None:
    graph, truth = make_block_graph(300, random_state=0)
    model = PowerLawCut("likelihood", connected=False, random_state=0).fit(graph)
    assert true_length(graph, model.labels_) == pytest.approx(model.description_length_)
    assert true_length(graph, truth) > 0


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    graph, _ = make_block_graph(200, random_state=0)
    path = tmp_path / "problem.npz"
    write_problem(path, graph)
    return path


def test_a_peer_answers_from_its_own_process(problem: Path) -> None:
    answer = run_peer(PEERS[LEIDEN], problem, limit=60)
    assert isinstance(answer, Answer)
    assert len(answer.labels) == 200
    assert answer.seconds > 0


def test_leiden_uses_weights(tmp_path: Path) -> None:
    square = np.array([[0, 9, 0, 1], [9, 0, 1, 0], [0, 1, 0, 9], [1, 0, 9, 0]])
    for weights, together in ((square, [0, 1]), (square[[0, 2, 1, 3]][:, [0, 2, 1, 3]], [0, 2])):
        write_problem(tmp_path / "problem.npz", Graph(weights))
        answer = run_peer(PEERS[LEIDEN], tmp_path / "problem.npz", limit=60)
        assert isinstance(answer, Answer)
        assert np.flatnonzero(answer.labels == answer.labels[0]).tolist() == together


def test_why_a_peer_has_no_answer(problem: Path) -> None:
    leiden = PEERS[LEIDEN]
    absent = Peer("absent", "no_such_package", leiden.convert, leiden.cluster)
    assert run_peer(absent, problem, limit=60) == "no_such_package is not installed"
    assert run_peer(leiden, problem, limit=0.001) == "not done in 0.001 s"
    unknown = Peer("unknown", "numpy", leiden.convert, leiden.cluster)
    assert run_peer(unknown, problem, limit=60) == "failed with status 1: KeyError: 'unknown'"
    assert interpreter("numpy") is not None


def test_peers_have_names_of_their_own() -> None:
    assert len({peer.name for peer in GRAPH_PEERS}) == len(GRAPH_PEERS)
    assert all(resolution_name(r) in PEERS for r in RESOLUTIONS)


def test_rows_of_an_earlier_run_spare_the_peers() -> None:
    graph, truth = make_block_graph(200, random_state=0)
    earlier = Results([row("paper", "g", LEIDEN), row("paper", "g"), row("paper", "h", LEIDEN)])
    options = argparse.Namespace(quick=False, folder=None, limit=0.0)
    bench = Bench(options, Store(None), earlier)
    skipped: dict[str, list[str]] = {}
    rows = list(bench.rows("paper", SECTIONS["paper"], Case("g", graph, truth), skipped))
    assert [one.method for one in rows] == [OURS, LEIDEN]
    assert rows[0].excess is not None
    assert rows[1] == earlier.rows[0]
    assert skipped == {}
