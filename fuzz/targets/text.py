"""Readers of text: any bytes give a graph, changes, labels or points, or a `FileError`."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "io"))

from edits import edit_bytes
from target import Target
from test_malformed import CASES, GRAPHML

from powercut import Graph
from powercut.io import FileError, read_changes, read_graph, read_labels, read_points

VALID = {
    "edges": [b"0 1\n1 2 \n", b"0,1,0.5\n", b'a,"b ""c"""\n', b"9223372036854775807\t-1\n"],
    "snap": [b"# Nodes: 3 Edges: 2\n0\t1\n1\t2\n"],
    "metis": [b"3 2 11 1\n1 2 5\n1 1 5 3 6\n1 2 6\n", b"4 3\n2\n1 3\n2 4\n3\n"],
    "matrixmarket": [
        b"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5\n3 2 2\n",
        b"%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 2\n2 1\n2 3\n3 2\n",
    ],
    "graphml": [GRAPHML],
    "labels": [b"node,label\na,0\nb,1\n", b"0\n1\n1\n"],
    "changes": [b"+ 0 1\n- 1 2\n+ 3\n- 4\n", b'+,a,"b ""c""",0.5\n-,a\n', b"# nothing\n"],
    "points": [b"x,y\n1,2\n3,4e5\n", b"1 2\n3 4\n"],
}
# Larger graphs are not validated again.
MOST_NODES = 10_000
# Longer seeds make inputs slow, and edits to them rarely matter.
LONGEST = 4096
# Fragments to insert: delimiters, quotes, extreme numbers, headers.
TOKENS = (
    *(b"\n", b"\r\n", b"\r", b" ", b"\t", b",", b";", b'"', b'""', b"#", b"%", b"-", b"+", b"."),
    *(b"0", b"1", b"2", b"9223372036854775807", b"9223372036854775808", b"-1", b"2147483647"),
    *(b"nan", b"inf", b"1e308", b"1e-400", b"0.1", b"e", b"a", b"\xc3\xa9", b"\xff", b"\x00"),
    *(
        b"\x1f\x8b",
        b"\xe2\x80\xa8",
        b"\xef\xbb\xbf",
        b"<",
        b"&a;",
        b'<edge source="a" target="b"/>',
    ),
    *(b"# Nodes: 3 Edges: 2\n", b"source,target\n", b"%%MatrixMarket matrix coordinate "),
)


def prepare(name: str) -> Target:
    """Return the target of one format."""
    malformed = [data for kind, data in CASES if kind == name and len(data) < LONGEST]

    def make(random: Random) -> bytes:
        valid = not malformed or random.random() < 0.5
        return edit_bytes(random, random.choice(VALID[name] if valid else malformed), TOKENS)

    check = {"labels": check_labels, "points": check_points, "changes": check_changes}.get(
        name
    ) or check_graph(name)
    return Target(make, check, (FileError,))


def check_graph(kind: str) -> Callable[[bytes], None]:
    """Return the function that reads a graph, and checks it as if a user had given it."""

    def check(data: bytes) -> None:
        graph, names = read_graph(io.BytesIO(data), format=kind)
        assert names is None or len(names) == graph.n_nodes
        if graph.n_nodes <= MOST_NODES:
            Graph(graph.adjacency)

    return check


def check_labels(data: bytes) -> None:
    """Read labels."""
    labels, names = read_labels(io.BytesIO(data))
    assert len(labels) > 0
    assert names is None or len(names) == len(labels)


def check_points(data: bytes) -> None:
    """Read points."""
    assert read_points(io.BytesIO(data)).ndim == 2


def check_changes(data: bytes) -> None:
    """Read changes of a graph."""
    changes = read_changes(io.BytesIO(data))
    for edges in (changes["added"], changes["removed"]):
        assert edges is None or len({len(column) for column in edges}) == 1
    for nodes in (changes["added_nodes"], changes["removed_nodes"]):
        assert nodes is None or len(nodes)
