"""What ``--json`` prints is what its schema says, field by field."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from powercut import cli
from powercut.datasets import make_blobs, make_block_graph
from powercut.io import write_graph

jsonschema: Any = pytest.importorskip("jsonschema")

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "_static" / "output.schema.json").read_text()
)
CASES: dict[str, tuple[str, ...]] = {
    "cluster": ("cluster", "graph.txt"),
    "cluster-modularity": ("cluster", "graph.txt", "--score", "modularity", "--tradeoff", "1"),
    "cluster-prior": ("cluster", "graph.txt", "--prior-labels", "prior.txt"),
    "cluster-stopped": ("cluster", "graph.txt", "--max-seconds", "0"),
    "means": ("means", "points.csv"),
    "means-kmeans": ("means", "points.csv", "--score", "kmeans", "--tradeoff", "8"),
    "path": ("path", "graph.txt"),
    "path-modularity": ("path", "graph.txt", "--score", "modularity", "--tradeoffs", "1", "2"),
    "tree": ("tree", "graph.txt"),
    "tree-sizes": ("tree", "graph.txt", "--min-size", "3", "--max-size", "20", "--all-levels"),
    "sizes": ("sizes", "labels.txt"),
    "sizes-equal": ("sizes", "equal.txt"),
    "compare": ("compare", "labels.txt", "equal.txt"),
    "segment": ("segment", "photo.png"),
}


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write what the commands read."""
    monkeypatch.chdir(tmp_path)
    graph, labels = make_block_graph(120, random_state=0)
    ends = np.flatnonzero(graph.degrees)[:2]
    Path("prior.txt").write_text("".join(f"{node} {labels[node]}\n" for node in ends))
    write_graph("graph.txt", graph)
    np.savetxt("labels.txt", labels, fmt="%d")
    np.savetxt("equal.txt", np.arange(120) // 12, fmt="%d")
    np.savetxt("points.csv", make_blobs(100, random_state=0)[0], delimiter=",")


@pytest.mark.usefixtures("_files")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("arguments", CASES.values(), ids=CASES)
def test_output_has_the_fields_of_the_schema(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    if arguments[0] == "segment":
        photo = np.zeros((64, 48), dtype=np.uint8)
        photo[:, 24:] = 255
        pytest.importorskip("skimage.io").imsave("photo.png", photo, check_contrast=False)
    assert cli.main([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    check(printed, {"$ref": f"#/$defs/{arguments[0]}"})


def check(printed: Any, schema: dict[str, Any]) -> None:
    """Validate what was printed, and raise also for a field that the schema does not have."""
    whole = {**SCHEMA, **schema}
    jsonschema.Draft202012Validator(closed(whole)).validate(printed)


def closed(schema: Any) -> Any:
    """Return a schema that allows no other fields; the one for users does, for later versions."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: closed(part) for name, part in schema.items()}
    if "required" in schema:
        parts["additionalProperties"] = False
    return parts


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_command_with_json_has_a_schema_and_a_case() -> None:
    parser = cli.make_parser()
    (commands,) = (action.choices for action in parser._actions if action.metavar == "COMMAND")
    assert isinstance(commands, dict)
    with_json = {name for name, one in commands.items() if "--json" in one._option_string_actions}
    assert with_json == set(SCHEMA["$defs"]) - {"comparison"}
    assert with_json == {arguments[0] for arguments in CASES.values()}


@pytest.mark.parametrize("change", [{"other": 1}, {"n": "3"}, {"nested": None}])
def test_a_field_that_differs_is_noticed(change: dict[str, Any]) -> None:
    names = SCHEMA["$defs"]["compare"]["properties"]
    right = dict.fromkeys(names, 1) | {"nested": True}
    check(right, {"$ref": "#/$defs/compare"})
    with pytest.raises(jsonschema.ValidationError):
        check({**right, **change}, {"$ref": "#/$defs/compare"})
    right.pop("n")
    with pytest.raises(jsonschema.ValidationError):
        check(right, {"$ref": "#/$defs/compare"})
