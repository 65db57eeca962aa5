"""Fuzzes one reader of files: whatever the bytes are, it reads a graph or refuses them.

    python fuzz/readers.py edges -max_total_time=60 CORPUS

Takes the name of a format, then what libFuzzer takes. A crash, a hang, an exception other than
`FileError`, and a graph that is not symmetric, sorted and positive are failures.
"""

import io
import sys
import warnings

import atheris

with atheris.instrument_imports(include=["powercut.io"]):
    from powercut import Graph
    from powercut.io import FORMATS, read_graph, read_labels, read_points
    from powercut.io._source import FileError

# Of ours, those that read bytes; AnnData files are HDF5's to read.
TARGETS = (*(name for name in FORMATS if name != "h5ad"), "labels", "points")
# Graphs of more nodes are not looked at twice.
LOOKED_AT = 10_000


def read(kind: str, data: bytes) -> None:
    """Read bytes as a format, and check what comes of it."""
    source = io.BytesIO(data)
    try:
        if kind == "labels":
            labels, names = read_labels(source)
            assert len(labels) > 0
            assert names is None or len(names) == len(labels)
        elif kind == "points":
            assert read_points(source).ndim == 2
        else:
            graph, names = read_graph(source, format=kind)
            assert names is None or len(names) == graph.n_nodes
            if graph.n_nodes <= LOOKED_AT:
                Graph(graph.adjacency)  # which checks everything
    except FileError:
        pass


def main() -> None:
    """Fuzz the format that the first argument names."""
    kind, *rest = sys.argv[1:]
    if kind not in TARGETS:
        sys.exit(f"the format must be one of {TARGETS}, got {kind!r}")
    warnings.simplefilter("ignore")
    atheris.Setup([sys.argv[0], *rest], lambda data: read(kind, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
