"""Ids that last: `powercut.match`."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import powercut
from powercut import match

repeatable = settings(deadline=None, derandomize=True)
labels = st.integers(0, 3)


@st.composite
def two_partitions(draw):
    n = draw(st.integers(0, 12))
    lists = st.lists(labels, min_size=n, max_size=n)
    return np.array(draw(lists), dtype=int), np.array(draw(lists), dtype=int)


def stable_matchings(old, new):
    """Return all matchings without a pair that would rather be matched to each other."""
    olds, news = sorted(set(old)), sorted(set(new))

    def preference(one, other):
        common = int(np.sum((old == one) & (new == other)))
        return (common, -one, -int(np.argmax(new == other)))

    found = []
    choices = [[None, *(other for other in news if preference(one, other)[0])] for one in olds]
    for choice in itertools.product(*choices):
        taken = [other for other in choice if other is not None]
        if len(set(taken)) < len(taken):
            continue
        match_of = dict(zip(olds, choice, strict=True))
        owner = {other: one for one, other in match_of.items() if other is not None}

        def prefer_each_other(one, other, match_of=match_of, owner=owner):
            mine, theirs = match_of[one], owner.get(other)
            wanted = preference(one, other)
            return (
                wanted[0] > 0
                and mine != other
                and (mine is None or wanted > preference(one, mine))
                and (theirs is None or wanted > preference(theirs, other))
            )

        if not any(prefer_each_other(*pair) for pair in itertools.product(olds, news)):
            found.append(match_of)
    return found


@repeatable
@given(two_partitions())
def test_ids_are_those_of_the_one_stable_matching(partitions):
    old, new = partitions
    (expected,) = stable_matchings(old, new)
    found = match(old, new)
    for one, other in expected.items():
        if other is None:
            assert one not in found.ids
        else:
            assert set(found.ids[new == other]) == {one}
    # All other clusters are new, numbered by their first members.
    fresh = found.ids[~np.isin(found.ids, old)]
    assert list(dict.fromkeys(fresh)) == list(
        range(old.max(initial=-1) + 1, old.max(initial=-1) + 1 + len(set(fresh)))
    )
    assert np.array_equal(found.ids[:, None] == found.ids, new[:, None] == new)
    assert np.array_equal(found.cluster_ids[np.unique(new, return_inverse=True)[1]], found.ids)


@repeatable
@given(two_partitions(), st.permutations(range(4)))
def test_the_numbers_of_the_new_labels_do_not_matter(partitions, order):
    old, new = partitions
    assert np.array_equal(match(old, new).ids, match(old, np.array(order, dtype=int)[new]).ids)


@repeatable
@given(two_partitions())
def test_the_table_adds_up(partitions):
    old, new = partitions
    found = match(old, new)
    table = found.to_frame()
    assert list(table.id) == sorted(set(table.id))
    for id_ in {*old, *found.ids}:
        row = table[table.id == id_]
        before, after = old == id_, found.ids == id_
        if np.array_equal(before, after):
            assert row.empty
            continue
        (row,) = row.itertuples()
        assert (row.before, row.after, row.kept) == (
            before.sum(),
            after.sum(),
            (before & after).sum(),
        )
        if not before.any():
            sources = {one: np.sum(after & (old == one)) for one in set(old)}
            most = [one for one, common in sources.items() if 2 * common > after.sum()]
            assert (row.change, [row.other]) == (("split", most) if most else ("born", [-1]))
        elif not after.any():
            targets = {one: np.sum(before & (found.ids == one)) for one in set(found.ids)}
            most = [one for one, common in targets.items() if 2 * common > before.sum()]
            assert (row.change, [row.other]) == (("merged", most) if most else ("died", [-1]))
        else:
            size = np.sign(after.sum() - before.sum())
            assert row.change == {1: "grown", -1: "shrunk", 0: "moved"}[int(size)]
            assert row.other == -1


def test_split_and_merger_at_once_keep_both_rules():
    # 0 falls into 6 and 4; 1 (5 members) joins the 6. A maximum total overlap (4 + 5 > 6) would
    # give id 0 to the smaller part, and id 1 to the merger, most of whose members come from 0.
    old, new = np.repeat([0, 0, 1], [6, 4, 5]), np.repeat([0, 1, 0], [6, 4, 5])
    found = match(old, new)
    assert np.array_equal(found.ids, np.repeat([0, 2, 0], [6, 4, 5]))
    table = found.to_frame().set_index("id")
    assert list(table.change) == ["grown", "merged", "split"]
    assert list(table.other) == [-1, 0, 0]


def test_ids_are_never_used_again():
    first = match([0, 0, 1, 1], [0, 0, 0, 0])
    assert first.next_id == 2
    second = match(first.ids, [0, 0, 0, 1], next_id=first.next_id)
    assert list(second.ids) == [0, 0, 0, 2]
    assert second.next_id == 3
    with pytest.raises(ValueError, match="next_id == 1, must be >= 2"):
        match([0, 1], [0, 0], next_id=1)


@pytest.mark.parametrize("names", [np.array([30, 10, 20, 40]), np.array(["d", "b", "c", "a"])])
def test_nodes_come_and_go_by_name(names):
    old, new = names[:3], names[[3, 2, 1]]
    found = match([7, 5, 5], [1, 1, 0], old_nodes=old, new_nodes=new)
    # Of equal overlaps, the cluster of the first member keeps the id.
    assert list(found.ids) == [5, 5, 8]
    table = found.to_frame().set_index("id")
    assert list(table.index) == [5, 7, 8]
    assert list(table.change) == ["moved", "died", "split"]
    assert list(table.kept) == [1, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [0, 0]), "old has 1 labels and new has 2; if nodes have come or gone"),
        (([0], [-1]), r"new\[0\] is -1"),
        (([0.5], [0]), "old must hold integer labels"),
        (([[0]], [0]), r"old has shape \(1, 1\)"),
        (([2**62], [0]), "ids must be below 2"),
    ],
)
def test_unsound_labels_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        match(*arguments)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ({"old_nodes": ["a", "b"]}, "give both"),
        ({"old_nodes": ["a", "a"], "new_nodes": ["a", "b"]}, "old_nodes has 'a' more than once"),
        ({"old_nodes": ["a", "b"], "new_nodes": [3, 3]}, "make them the same"),
        ({"old_nodes": [1, 2], "new_nodes": [3, 3]}, "new_nodes has 3 more than once"),
        ({"old_nodes": [1], "new_nodes": [3, 3]}, r"old_nodes has shape \(1,\); 2 names"),
    ],
)
def test_unsound_names_are_refused(nodes, message):
    with pytest.raises(ValueError, match=message):
        match([0, 1], [0, 1], **nodes)


def test_two_independent_fits_of_one_graph():
    graph, _ = powercut.datasets.make_block_graph(1000, random_state=0)
    one, other = (powercut.PowerLawCut(random_state=seed).fit(graph) for seed in (0, 1))
    found = match(one.labels_, other.labels_)
    assert np.mean(found.ids == one.labels_) > 0.95


def test_a_million_nodes_take_seconds():
    random = np.random.default_rng(0)
    old = random.integers(100_000, size=1_000_000)
    new = np.where(random.random(old.size) < 0.3, random.integers(100_000, size=old.size), old)
    begin = time.process_time()
    found = match(old, new)
    assert time.process_time() - begin < 10
    assert np.mean(found.ids == old) > 0.69


def test_a_matching_is_shown_by_what_has_changed() -> None:
    assert repr(match([0, 0, 1], [1, 1, 0])) == "<Matching of 3 nodes in 2 clusters: no change>"
    shown = repr(match([0, 0, 1, 2], [0, 1, 2, 2]))
    assert shown == "<Matching of 4 nodes in 3 clusters: 1 grown, 1 merged, 1 shrunk, 1 split>"
