"""Fuzz one file reader: for any input it must return a graph or raise `FileError`.

    python fuzz/readers.py edges SEEDS -max_total_time=60

Takes the name of a format, a folder of seed files, and options of libFuzzer. A crash, a hang, an
exception other than `FileError`, and a graph that is not symmetric, sorted and positive are
failures.
"""

import io
import sys
import warnings
from importlib import import_module
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["powercut.io"]):
    from powercut import Graph
    from powercut.io import FORMATS, FileError, read_graph, read_labels, read_points

    # Readers are imported on demand, which would be too late to instrument them.
    for module in {module for module, *_ in FORMATS.values()}:
        import_module(f"powercut.io.{module}")

# Formats that powercut itself reads; AnnData files are read by HDF5.
TARGETS = (*(name for name in FORMATS if name != "h5ad"), "labels", "points")
# Larger graphs are not validated again.
MOST_NODES = 10_000
# Fragments to insert: delimiters, quotes, extreme numbers, headers.
TOKENS = (
    *(
        b"\n",
        b"\r\n",
        b"\r",
        b" ",
        b"\t",
        b",",
        b";",
        b'"',
        b'""',
        b"#",
        b"%",
        b"-",
        b"+",
        b".",
        b"e",
    ),
    *(b"0", b"1", b"2", b"9223372036854775807", b"9223372036854775808", b"-1", b"2147483647"),
    *(
        b"nan",
        b"inf",
        b"1e308",
        b"1e-400",
        b"0.1",
        b"a",
        b"\xc3\xa9",
        b"\xff",
        b"\x00",
        b"\x1f\x8b",
    ),
    *(b"# Nodes: 3 Edges: 2\n", b"source,target\n", b"%%MatrixMarket matrix coordinate "),
)


def read(kind: str, data: bytes) -> None:
    """Read bytes as a format, and check the result."""
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
            if graph.n_nodes <= MOST_NODES:
                Graph(graph.adjacency)  # validates everything
    except FileError:
        pass


def edited(script: bytes, seeds: list[bytes]) -> bytes:
    """Return one of the seeds after some edits, which the bytes of the script determine.

    Nearly valid files get further than the inputs of libFuzzer, which gets no coverage of native
    code.
    """
    choose = atheris.FuzzedDataProvider(script)
    text = bytearray(seeds[choose.ConsumeIntInRange(0, len(seeds) - 1)])
    while choose.remaining_bytes() > 0:
        at = choose.ConsumeIntInRange(0, len(text))
        end = min(len(text), at + choose.ConsumeIntInRange(0, 8))
        if choose.ConsumeBool():
            text[at:end] = TOKENS[choose.ConsumeIntInRange(0, len(TOKENS) - 1)]
        else:
            text[at:end] = choose.ConsumeBytes(choose.ConsumeIntInRange(0, 4))
    return bytes(text)


def main() -> None:
    """Fuzz the format in the first argument, with seeds from the folder in the second."""
    kind, folder, *rest = sys.argv[1:]
    if kind not in TARGETS:
        sys.exit(f"the format must be one of {TARGETS}, got {kind!r}")
    warnings.simplefilter("ignore")
    seeds = [path.read_bytes() for path in sorted(Path(folder).iterdir())]
    atheris.Setup([sys.argv[0], *rest], lambda script: read(kind, edited(script, seeds)))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
