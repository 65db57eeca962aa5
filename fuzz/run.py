"""Fuzz all targets, each for an equal share of the time.

    python fuzz/run.py --seconds 60
    python fuzz/run.py --seconds 3600 --jobs 2 --only models arrow

Prints how many inputs each target tried, and how many of them it accepted; the others it refused.
Exits with 1 if a target failed or tried nothing. What it printed and its inputs are then in the
folder `--found`, and ``python fuzz/target.py TARGET --seed SEED`` repeats an input.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from target import TARGETS, Counts

# An input that takes longer hangs, and so does a target before its first input.
HANGS, STARTS = 60.0, 300.0
MOST_CRASHES = 5


class Result(NamedTuple):
    """What a target did."""

    tried: int
    accepted: int
    failed: int


def fuzz(name: str, *, seconds: float, seed: int, found: Path) -> Result:
    """Fuzz one target, again from the next seed if it crashes."""
    log = found / f"{name}.log"
    script = [sys.executable, "-X", "faulthandler", str(Path(__file__).with_name("target.py"))]
    with tempfile.TemporaryDirectory() as folder, log.open("w") as output:

        def start(*arguments: str) -> subprocess.Popen[bytes]:
            command = [*script, name, *arguments, f"--found={found}"]
            return subprocess.Popen(command, stdout=output, stderr=output)

        path = Path(folder, "counts")
        path.write_bytes(bytes(8 * len(Counts.NAMES)))
        counts = Counts(path)
        for _ in range(MOST_CRASHES):
            began = time.monotonic()
            status = wait(
                start(f"--seed={seed}", f"--seconds={seconds}", f"--counts={path}"), counts
            )
            seconds -= time.monotonic() - began
            if status == 0:
                break
            counts["failed"] += 1
            output.write(f"seed {counts['seed']}: ended with {status}\n")
            output.flush()
            # Once more, for the input and where it crashes.
            wait(start(f"--seed={counts['seed']}"), counts)
            if counts["tried"] == 0 or seconds <= 0:
                break
            seed = counts["seed"] + 1
        result = Result(counts["tried"], counts["accepted"], counts["failed"])
    if result.tried and not result.failed:
        log.unlink()
    return result


def wait(process: subprocess.Popen[bytes], counts: Counts) -> int | str:
    """Wait for a target; return its exit status, or that it hangs, and then kill it."""
    last, since = -1, time.monotonic()
    while True:
        try:
            return process.wait(1.0)
        except subprocess.TimeoutExpired:
            pass
        if counts["tried"] != last:
            last, since = counts["tried"], time.monotonic()
        elif time.monotonic() - since > (HANGS if last else STARTS):
            process.kill()
            process.wait()
            return "hangs"


def main() -> int:
    """Fuzz the targets, several at a time, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="total time")
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    parser.add_argument("--seed", type=int, help="the first input; default: by the clock")
    parser.add_argument(
        "--found", type=Path, default=Path("fuzz-found"), help="folder for failures"
    )
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=list(TARGETS))
    options = parser.parse_args()
    options.found.mkdir(parents=True, exist_ok=True)
    seed = int(time.time()) << 20 if options.seed is None else options.seed
    share = options.seconds * options.jobs / len(options.only)
    print(f"first seed {seed}, {share:.0f} s per target\n")
    print(f"{'target':14}{'inputs':>12}{'accepted':>12}{'failed':>9}")

    def run(name: str) -> Result:
        result = fuzz(name, seconds=share, seed=seed, found=options.found)
        print(line(name, result), flush=True)
        return result

    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(run, options.only))
    print(line("all", Result(*map(sum, zip(*results, strict=True)))))
    passed = all(result.tried > 0 and result.failed == 0 for result in results)
    for log in [] if passed else sorted(options.found.glob("*.log")):
        print(f"\n{log}:\n{log.read_text()[-4000:]}")
    return 0 if passed else 1


def line(name: str, result: Result) -> str:
    """Return a line of the table."""
    return f"{name:14}{result.tried:>12,}{result.accepted:>12,}{result.failed:>9,}"


if __name__ == "__main__":
    sys.exit(main())
