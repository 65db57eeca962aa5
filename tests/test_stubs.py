"""The stub of the native module names what the module has."""

import ast
import re
from importlib import resources

import powercut._core


def stub_parameters() -> dict[str, list[str]]:
    """Parameters of each function of the stub, in order."""
    stub = ast.parse(resources.files("powercut").joinpath("_core.pyi").read_text())
    return {
        node.name: [argument.arg for argument in node.args.args]
        for node in stub.body
        if isinstance(node, ast.FunctionDef)
    }


def native_parameters() -> dict[str, list[str]]:
    """Parameters of each function of the module, as nanobind prints its signature."""
    found = {}
    for name, function in vars(powercut._core).items():
        if type(function).__name__ != "nb_func":
            continue
        ((signature, *_),) = function.__nb_signature__
        # What stands in brackets, innermost first, is not Python's syntax: ndarray[shape=(*)].
        while "[" in signature:
            signature = re.sub(r"\[[^\[\]]*\]", "", signature)
        # Nor is a default value, of which there is only the number.
        signature = re.sub(r"= \\\d+", "= ...", signature)
        definition = ast.parse(f"{signature}: ...").body[0]
        assert isinstance(definition, ast.FunctionDef)
        found[name] = [argument.arg for argument in definition.args.args]
    return found


def test_stub_has_the_functions_and_parameters_of_the_module() -> None:
    native = native_parameters()
    assert "local_moves" in native
    assert stub_parameters() == native


def test_every_native_module_member_is_in_the_stub() -> None:
    stub = resources.files("powercut").joinpath("_core.pyi").read_text()
    for name in vars(powercut._core):
        if not name.startswith("_"):
            assert re.search(rf"^((def|class) {name}\b|{name}: )", stub, flags=re.MULTILINE), name
