"""Fuzz all file readers, each for an equal share of the time.

    python fuzz/run.py --seconds 60

Seeds are the malformed files of the tests and a few valid ones. Prints the number of inputs that
were tried. Exits with 1 if a reader failed, and stores the input in the folder `--found`.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "io"))

from test_malformed import CASES  # noqa: E402 (in the folder added above)

VALID = {
    "edges": [b"0 1\n1 2 \n", b"0,1,0.5\n", b'a,"b ""c"""\n', b"9223372036854775807\t-1\n"],
    "snap": [b"# Nodes: 3 Edges: 2\n0\t1\n1\t2\n"],
    "metis": [b"3 2 11 1\n1 2 5\n1 1 5 3 6\n1 2 6\n"],
    "matrixmarket": [b"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1.5\n"],
    "labels": [b"node,label\na,0\nb,1\n", b"0\n1\n1\n"],
    "points": [b"x,y\n1,2\n3,4e5\n", b"1 2\n3 4\n"],
}
TARGETS = ("edges", "snap", "metis", "matrixmarket", "graphml", "parquet", "arrow", "npz")


def fuzz(kind: str, seconds: int, found: Path) -> tuple[int, bool]:
    """Fuzz one reader; return the number of inputs, and whether it passed on all of them."""
    with tempfile.TemporaryDirectory() as folder:
        seeds = [content for case, content in CASES if case == kind] + VALID.get(kind, [])
        for number, content in enumerate(seeds):
            if len(content) < 4096:
                (Path(folder) / f"{number}").write_bytes(content)
        done = subprocess.run(
            [
                *(sys.executable, str(ROOT / "fuzz" / "readers.py"), kind, folder),
                *(f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048"),
                *("-max_len=256", "-print_final_stats=1", f"-artifact_prefix={found}/{kind}-"),
            ],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    tried = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    if done.returncode:
        print(f"exited with {done.returncode}:\n{done.stderr[-4000:]}")
    return int(tried.group(1)) if tried else 0, done.returncode == 0


def main() -> int:
    """Fuzz all readers, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="total time")
    parser.add_argument(
        "--found", type=Path, default=Path("fuzz-found"), help="folder for failing inputs"
    )
    parser.add_argument("--only", nargs="+", choices=(*TARGETS, "labels", "points"))
    arguments = parser.parse_args()
    arguments.found.mkdir(parents=True, exist_ok=True)
    kinds = arguments.only or (*TARGETS, "labels", "points")
    total, passed = 0, True
    for kind in kinds:
        tried, good = fuzz(kind, max(1, arguments.seconds // len(kinds)), arguments.found)
        print(f"{kind:14}{tried:>12,}  {'passed' if good else 'FAILED'}", flush=True)
        total, passed = total + tried, passed and good
    print(f"{'all':14}{total:>12,}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
