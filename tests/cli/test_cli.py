"""The command line."""

from importlib.metadata import version

import pytest

from powercut import io
from powercut.cli import _common, main


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"powercut {version('powercut')}\n"


def test_no_command_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == 2
    assert "COMMAND" in capsys.readouterr().err


def test_formats_are_those_of_the_readers() -> None:
    # Listed twice, so that the command line need not import the readers to print its help.
    assert set(_common.GRAPH_FORMATS) == set(io.FORMATS)
    assert set(_common.LABEL_FORMATS) == set(io.LABEL_FORMATS)
    assert set(_common.POINT_FORMATS) == set(io.POINT_FORMATS)
