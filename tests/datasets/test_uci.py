"""The UCI data sets: search, checks, download and encoding."""

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from powercut.datasets import load_uci, uci

FOLDER = os.environ.get("POWERCUT_DATA")
needs_data = pytest.mark.skipif(FOLDER is None, reason="POWERCUT_DATA is not set")

ARFF = """@relation small
@attribute weight real
@attribute colour {red,green,blue}
@attribute same real
@attribute bars {0,1,2,10}
@attribute kind {a,b}
@data
1,red,5,0,a
?,blue,5,10,b
3,?,5,2,a
3,blue,5,10,b
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with a small data set that replaces glass."""
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci" / "glass.arff").write_text(ARFF)
    digest = hashlib.sha256(ARFF.encode()).hexdigest()
    file = uci._File("glass.arff", digest, "kind", counts=("bars",))
    monkeypatch.setitem(uci.FILES, "glass", file)
    return tmp_path


def test_one_hot_encoding_gives_a_missing_value_a_feature(small: Path) -> None:
    X, classes = load_uci("glass", data_home=small)
    assert list(classes) == ["a", "b", "a", "b"]
    # weight with its mean for the missing one, red, blue, missing, bars; `same` is constant.
    expected = [[0, 1, 0, 0, 0], [2 / 3, 0, 1, 0, 1], [1, 0, 0, 1, 0.2], [1, 0, 1, 0, 1]]
    np.testing.assert_allclose(X, expected)


def test_ordinal_encoding_takes_the_most_frequent_for_a_missing_value(small: Path) -> None:
    X, _ = load_uci("glass", encoding="ordinal", data_home=small)
    np.testing.assert_allclose(X[:, 1], [0, 1, 1, 1])  # red, and blue three times


def test_wrong_file_is_refused(small: Path) -> None:
    (small / "uci" / "glass.arff").write_text(ARFF + "4,red,5,1,a\n")
    with pytest.raises(ValueError, match=r"glass\.arff is not the expected file.* Remove it"):
        load_uci("glass", data_home=small)


def test_missing_file_is_downloaded_and_checked(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[dict[str, Any]] = []

    def fetch_file(url: str, **options: Any) -> Path:
        requests.append({"url": url, **options})
        return small / "uci" / "glass.arff"

    monkeypatch.setattr(uci, "fetch_file", fetch_file)
    load_uci("glass", data_home=tmp_path / "empty")
    assert requests[0]["url"].endswith("/classification/glass.arff")
    assert requests[0]["sha256"] == uci.FILES["glass"].sha256
    assert requests[0]["local_filename"] == "glass.arff"


@pytest.mark.parametrize(("argument", "value"), [("name", "iris"), ("encoding", "binary")])
def test_unknown_choices_are_refused(argument: str, value: str) -> None:
    with pytest.raises(ValueError, match=argument):
        load_uci(**{"name": "ecoli", argument: value})


@needs_data
@pytest.mark.parametrize(
    ("name", "rows", "classes"),
    [
        ("audiology", 226, 24),
        ("ecoli", 336, 8),
        ("glass", 214, 6),
        ("hypothyroid", 3772, 4),
        ("page-blocks", 5473, 5),
        ("flags", 194, 8),
    ],
)
def test_real_data_are_in_the_unit_cube(name: str, rows: int, classes: int) -> None:
    for encoding in ("one-hot", "ordinal"):
        X, found = load_uci(name, encoding=encoding)
        assert len(X) == len(found) == rows
        assert len(set(found)) == classes
        np.testing.assert_array_equal(X.min(axis=0), 0)
        np.testing.assert_array_equal(X.max(axis=0), 1)
