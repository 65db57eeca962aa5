"""Kill processes at random moments, and check that each output is whole: the old or the new one.

    python benchmarks/kills.py                       # 250 kills
    python benchmarks/kills.py --only save --times 1000
    python benchmarks/kills.py --only watch --times 50
    python benchmarks/kills.py --quick

A process writes two outputs in turn under one name (or graph folders under new names, or updates
one, or runs a fit on Spark or `powercut watch`, which resume), until SIGKILL ends it. Every second
kill waits until a temporary file appears, so that it comes during a write. What killed processes
leave behind stays there for the next ones. The exit status is 1 if an output is neither the old nor
the new one, or if the last process, which is not killed, does not write the right ones.
"""

import argparse
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from itertools import chain
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

import numpy as np

from _experiments import header, markdown
from _kill_targets import TARGETS, Target
from powercut._atomic import TEMPORARY

# Processes start from a server that has imported these, so that they soon begin to write.
PRELOADED = [
    "powercut.cli",
    "powercut.cli._watch_state",
    "powercut.disk",
    "powercut.estimators.cut",
    "powercut.estimators.means",
    "powercut.results.storage",
]
FORKSERVER = multiprocessing.get_context("forkserver")


class Writer:
    """A process that writes until it is killed, or until it has written everything once.

    Parameters
    ----------
    name : str
        The target.
    """

    def __init__(self, name: str) -> None:
        self._messages, to_parent = FORKSERVER.Pipe(duplex=False)
        self._process = FORKSERVER.Process(
            target=write_until_killed, args=(name, Path.cwd(), to_parent)
        )
        self._process.start()
        to_parent.close()
        self.wait()

    def wait(self) -> None:
        """Wait until the process has begun, or next until it has written everything."""
        try:
            self._messages.recv()
        except EOFError:
            raise RuntimeError("the process ended by itself") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.pid is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.join()


def write_until_killed(name: str, folder: Path, to_parent: Connection) -> None:
    os.setsid()  # a group, so that Spark's processes are killed with it
    os.chdir(folder)
    to_parent.send("begun")
    while True:
        TARGETS[name].write()
        to_parent.send("written")


def temporaries() -> set[Path]:
    # Not `Path.rglob`, which raises if a folder is removed meanwhile.
    found = (Path(folder, name) for folder, *names in os.walk(".") for name in chain(*names))
    return {path for path in found if path.name.startswith(TEMPORARY)}


def run(name: str, *, times: int, seed: int) -> bool:
    """Kill a target's process `times` times, print the counts, and return whether all was whole."""
    target, random = TARGETS[name], np.random.default_rng(seed)
    target.prepare()
    with Writer(name) as writer:
        began = time.monotonic()
        writer.wait()
        period = time.monotonic() - began
    during_a_write, wrong = 0, []
    for number in range(times):
        before = temporaries()
        with Writer(name):
            time.sleep(random.uniform(0, period))
            patience = time.monotonic() + (period if number % 2 else 0)
            while time.monotonic() < patience and temporaries() <= before:
                pass
        during_a_write += not temporaries() <= before
        wrong += problems(target)
    with Writer(name) as writer:  # beside all that was left
        writer.wait()
    wrong += problems(target)
    counts = (times, during_a_write, len(temporaries()), len(wrong))
    print(markdown([name, f"{period:.1f}", *map(str, counts)]), *wrong, sep="\n", flush=True)
    return not wrong


def problems(target: Target) -> list[str]:
    try:
        target.check()
    except (ValueError, AssertionError, OSError) as error:
        return [f"{type(error).__name__}: {error}"]
    return []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=TARGETS, nargs="*")
    parser.add_argument("--times", type=int, default=250, help="number of kills in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="kill each process once or twice")
    options = parser.parse_args()
    FORKSERVER.set_forkserver_preload(PRELOADED)
    names = [name for name in TARGETS if not options.only or name in options.only]
    if "spark" in names and (options.quick or shutil.which("java") is None):
        print("Spark is left out: it needs Java and some minutes.")
        names.remove("spark")
    times = len(names) if options.quick else options.times
    in_all = sum(TARGETS[name].share for name in names)
    print(header(["killed", "period, s", "kills", "during a write", "files left", "not whole"]))
    passed = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            share = round(times * TARGETS[name].share / in_all)
            passed.append(run(name, times=max(1, share), seed=options.seed))
            os.chdir("/")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
