"""The working folder of a call on Spark: what belongs to another call is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from powercut.spark._folder import begin, has_labels, write_labels

LABELS = np.array([0, 1, 0, 2], dtype=np.int32)


def call(folder: Path, *, resume: bool = True, **parameters: Any) -> None:
    begin(folder, {"src": "src", "parameters": parameters}, resume=resume)


def test_the_same_arguments_are_resumed_and_others_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    call(folder, resume=False, score="ncut", shift=-0.1)
    call(folder, score="ncut", shift=np.float64(-0.1))
    with pytest.raises(
        ValueError,
        match=r"other arguments \(shift was -0.1 and is -0.2; tradeoff was None and is 2",
    ):
        call(folder, score="ncut", shift=-0.2, tradeoff=2.0)
    with pytest.raises(FileExistsError, match="resume=True"):
        call(folder, resume=False, score="ncut", shift=-0.1)


def test_arrays_are_compared_by_all_their_values(tmp_path: Path) -> None:
    init = np.zeros(3000, dtype=int)
    call(tmp_path / "work", init=init)
    call(tmp_path / "work", init=init.copy())
    for other in (np.eye(1, 3000, 1500, dtype=int)[0], init.astype(float), init.reshape(2, -1)):
        with pytest.raises(ValueError, match=r"init was 'array of int64, .* start again"):
            call(tmp_path / "work", init=other)


def test_parameters_without_effect_may_change(tmp_path: Path) -> None:
    call(tmp_path / "work", n_jobs=1, progress=print)
    call(tmp_path / "work", n_jobs=2)


def test_what_a_killed_call_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".partial-0123-graph").mkdir()
    (tmp_path / ".partial-0123-graph" / "indices.npy").touch()
    (tmp_path / ".partial-4567-about.json").touch()
    call(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["about.json"]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    for name in (".partial-0123-thesis.tex", "thesis.tex"):
        (tmp_path / name).touch()
    with pytest.raises(ValueError, match="not from an interrupted call"):
        call(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"src": "src"}', '{"arguments": 1}'])
def test_a_damaged_description_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "about.json").write_text(text)
    with pytest.raises(ValueError, match=r"about.json is damaged, or from an earlier version"):
        call(tmp_path)


def test_labels_are_taken_only_if_they_are_those_that_were_written(tmp_path: Path) -> None:
    call(tmp_path)
    assert not has_labels(tmp_path, 4)
    write_labels(tmp_path, LABELS)
    call(tmp_path)
    assert has_labels(tmp_path, 4)
    with pytest.raises(ValueError, match=r"labels.npy is damaged: .* Remove it and resume"):
        has_labels(tmp_path, 5)
    file = tmp_path / "labels.npy"
    whole = file.read_bytes()
    for damaged in (whole[:-1], whole[:20], b"", whole[:-1] + b"\1"):
        file.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"labels.npy is damaged"):
            has_labels(tmp_path, 4)
    file.unlink()
    assert not has_labels(tmp_path, 4)


def test_labels_without_a_checksum_are_not_taken(tmp_path: Path) -> None:
    call(tmp_path)
    write_labels(tmp_path, LABELS)
    about = json.loads((tmp_path / "about.json").read_text())
    del about["labels_checksum"]  # killed between the two writes
    (tmp_path / "about.json").write_text(json.dumps(about))
    assert not has_labels(tmp_path, 4)
