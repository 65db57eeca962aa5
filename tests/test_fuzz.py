"""The fuzzer tells failures from refusals, and a run that tried nothing from one that passed."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))

import run
from edits import edit_array, edit_bytes, edit_json
from target import Counts, LimitExceeded, Target, attempt, fuzz


def target(check: Callable[[Any], object]) -> Target:
    return Target(lambda random: random.randbytes(3), check, (ValueError,))


def raises(error: Exception) -> Callable[[Any], object]:
    def check(_: Any) -> None:
        raise error

    return check


def test_inputs_are_accepted_or_refused() -> None:
    assert attempt(target(len), b"x")
    assert not attempt(target(raises(ValueError())), b"x")
    with pytest.raises(KeyError):
        attempt(target(raises(KeyError())), b"x")


def test_slow_inputs_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("target.SECONDS", 0.01)

    def busy(_: Any) -> None:
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass

    with pytest.raises(LimitExceeded, match="s of CPU time"):
        attempt(target(busy), b"x")


def test_failures_are_counted_and_stored_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = Counts(None)
    checked = target(raises(KeyError("why")))
    fuzz(checked, seed=5, seconds=0.05, counts=counts, path_of=lambda seed: tmp_path / str(seed))
    assert counts["tried"] == counts["failed"] > 1
    assert counts["accepted"] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["5"]
    assert (tmp_path / "5").read_bytes() == Random(5).randbytes(3)
    assert capsys.readouterr().out.count("KeyError: 'why'") == 1


def test_a_target_that_does_not_start_fails(tmp_path: Path) -> None:
    result = run.fuzz("no such target", seconds=1, seed=0, found=tmp_path)
    assert result == run.Result(tried=0, accepted=0, failed=1)


def test_a_seed_determines_the_edits() -> None:
    for edit, value in [
        (edit_bytes, b"0 1\n" * 9),
        (edit_array, np.arange(12).reshape(3, 4)),
        (edit_json, {"a": [1, {"b": 2}], "c": {"d": [3]}}),
    ]:
        before = repr(value)
        made = [repr(edit(Random(seed), value)) for seed in range(50)]
        assert made == [repr(edit(Random(seed), value)) for seed in range(50)]
        assert len(set(made)) > 10
        assert repr(value) == before
