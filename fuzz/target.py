"""Fuzz one target.

    python fuzz/target.py models --seconds 60
    python fuzz/target.py models --seed 123         # repeat one input, such as a failure

A seed determines an input: edits to a valid file, array or command line. An input passes if it
succeeds, or is refused by an exception that the target allows, within 2 seconds of CPU time and
1 GiB of memory. A crash, any other exception, and a wrong result are failures.
"""

import argparse
import resource
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

# The name of a target: its module in targets/.
TARGETS = {
    **dict.fromkeys(("edges", "snap", "metis", "matrixmarket", "graphml"), "text"),
    **dict.fromkeys(("labels", "points", "changes"), "text"),
    **dict.fromkeys(("arrow", "parquet"), "tables"),
    **dict.fromkeys(("npz", "h5ad"), "matrices"),
    "models": "models",
    "blocks": "blocks",
    **dict.fromkeys(("graphs", "vectors", "predictions"), "estimators"),
    "commands": "commands",
}
SECONDS, MEMORY = 2.0, 2**30


class Target(NamedTuple):
    """What a module of targets/ prepares.

    Attributes
    ----------
    make : callable
        Makes an input from random choices: the bytes of a file, or a tuple that begins with
        them, or anything else.
    check : callable
        Uses an input, and asserts that the results are sound.
    refused : tuple of exception classes
        Exceptions that refuse an input properly.
    """

    make: Callable[[Random], Any]
    check: Callable[[Any], object]
    refused: tuple[type[Exception], ...]


class LimitExceeded(Exception):  # noqa: N818
    """An input took more than `SECONDS` of CPU time or `MEMORY` bytes."""


class Counts:
    """Numbers that the process which started this one can read, even after a crash."""

    NAMES = ("tried", "accepted", "failed", "seed")

    def __init__(self, path: Path | None) -> None:
        empty = np.zeros(len(self.NAMES), np.int64)
        self._numbers = empty if path is None else np.memmap(path, np.int64, "r+")

    def __getitem__(self, name: str) -> int:
        return int(self._numbers[self.NAMES.index(name)])

    def __setitem__(self, name: str, value: int) -> None:
        self._numbers[self.NAMES.index(name)] = value


def prepare(name: str) -> Target:
    """Return a target."""
    sys.path.insert(0, str(Path(__file__).parent))
    target: Target = import_module(f"targets.{TARGETS[name]}").prepare(name)
    return target


def attempt(target: Target, value: Any) -> bool:
    """Return whether an input is accepted; raise if it fails."""
    memory, start = _peak_memory(), time.process_time()
    try:
        target.check(value)
        accepted = True
    except target.refused:
        accepted = False
    seconds, memory = time.process_time() - start, _peak_memory() - memory
    if seconds > SECONDS or memory > MEMORY:
        raise LimitExceeded(f"{seconds:.1f} s of CPU time, {memory / 2**20:.0f} MiB")
    return accepted


def _peak_memory() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def store(value: Any, path: Path) -> None:
    """Write an input to a file, if it is a file itself."""
    content = value[0] if isinstance(value, tuple) else value
    if isinstance(content, bytes):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def fuzz(
    target: Target, *, seed: int, seconds: float, counts: Counts, path_of: Callable[[int], Path]
) -> None:
    """Try the inputs of consecutive seeds; print and store the first failure of each kind."""
    seen = set()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        counts["seed"] = seed
        value = target.make(Random(seed))
        try:
            counts["accepted"] += attempt(target, value)
        except Exception as error:
            counts["failed"] += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            kind = type(error), where.filename, where.lineno
            if kind not in seen:
                seen.add(kind)
                print(f"seed {seed}:\n{traceback.format_exc()}", flush=True)
                store(value, path_of(seed))
        counts["tried"] += 1
        seed += 1


def main() -> None:
    """Fuzz a target, or repeat one of its inputs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=TARGETS)
    parser.add_argument("--seed", type=int, default=0, help="the first input")
    parser.add_argument("--seconds", type=float, help="default: only one input")
    parser.add_argument("--counts", type=Path, help="file for the numbers of inputs")
    parser.add_argument(
        "--found", type=Path, default=Path("fuzz-found"), help="folder for failing inputs"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    target = prepare(options.name)

    def path_of(seed: int) -> Path:
        return options.found.resolve() / f"{options.name}-{seed}"

    if options.seconds is not None:
        counts = Counts(options.counts)
        fuzz(target, seed=options.seed, seconds=options.seconds, counts=counts, path_of=path_of)
        return
    value = target.make(Random(options.seed))
    store(value, path_of(options.seed))
    print("accepted" if attempt(target, value) else "refused")


if __name__ == "__main__":
    main()
