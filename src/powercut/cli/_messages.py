"""Messages of the package in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Container

# Parameters whose options have other names.
RENAMED = {"random_state": "seed", "n_jobs": "jobs"}
# A parameter with its value, as in symmetrize="sum"; or one with an underscore, as in max_bytes.
PARAMETER = re.compile(
    r"""\b(?P<set>[a-z_]+)=(?P<value>"[^"]*"|'[^']*'|-?\d[\d.e+-]*\d|\d|True|False|None)"""
    r"|\b(?P<name>[a-z]+_[a-z_]+)\b(?!\()"
)


def in_options(message: str, options: Container[str]) -> str:
    """Name options in place of parameters of Python functions.

    Parameters
    ----------
    message : str
        What an error or a warning says.
    options : container of str
        The options of the command, in the form of Python names.

    Examples
    --------
    >>> in_options('combine the directions with symmetrize="sum"', {"symmetrize"})
    'combine the directions with --symmetrize sum'
    >>> in_options("stopped by max_seconds=3.5; header=False", {"max_seconds", "header"})
    'stopped by --max-seconds 3.5; --no-header'
    """

    def option(found: re.Match[str]) -> str:
        name = found["set"] or found["name"]
        name = RENAMED.get(name, name)
        if name not in options:
            return found[0]
        value, option = found["value"], name.replace("_", "-")
        if value in ("True", "False"):
            return f"--{'' if value == 'True' else 'no-'}{option}"
        if value is None:
            return f"--{option}"
        value = "none" if value == "None" else value.strip("\"'")
        return f"--{option} {value}"

    return PARAMETER.sub(option, message)
