"""``powercut completion``: print a completion script for a shell."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from powercut.cli import _common

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = """
powercut completion bash > powercut.bash
powercut completion zsh > _powercut
powercut completion fish > powercut.fish
"""
DESCRIPTION = """\
Print a completion script for subcommands, options and their choices.
bash: save it as ~/.local/share/bash-completion/completions/powercut.
zsh:  save it as _powercut in a folder of $fpath.
fish: save it as ~/.config/fish/completions/powercut.fish."""


@dataclass(frozen=True)
class Argument:
    """An argument: positional if it has no flags; without choices, its value is a file."""

    flags: tuple[str, ...]
    takes_value: bool
    choices: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Command:
    """A subcommand."""

    name: str
    text: str
    arguments: tuple[Argument, ...]

    @property
    def flags(self) -> list[str]:
        """All option strings."""
        return [flag for argument in self.arguments for flag in argument.flags]

    @property
    def positionals(self) -> list[Argument]:
        """Positional arguments."""
        return [argument for argument in self.arguments if not argument.flags]


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser = _common.command(
        commands,
        "completion",
        "print a shell completion script",
        description=DESCRIPTION,
        examples=EXAMPLES,
    )
    parser.add_argument("shell", choices=SHELLS, help="shell to print the script for")
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    from powercut.cli import make_parser

    print({"bash": bash, "zsh": zsh, "fish": fish}[arguments.shell](commands_of(make_parser())))
    return 0


def commands_of(parser: argparse.ArgumentParser) -> list[Command]:
    """Return the subcommands of a parser."""
    (subparsers,) = (
        action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    )
    texts = {choice.dest: choice.help or "" for choice in subparsers._choices_actions}
    return [
        Command(name, texts[name], tuple(map(_argument, one._actions)))
        for name, one in subparsers.choices.items()
    ]


def _argument(action: argparse.Action) -> Argument:
    return Argument(
        flags=tuple(action.option_strings),
        takes_value=action.nargs != 0 and not isinstance(action, argparse.BooleanOptionalAction),
        choices=tuple(map(str, action.choices or ())),
        # Only the first clause; defaults that argparse would fill in are replaced here.
        text=(action.help or "").partition(";")[0].replace("%(default)s", str(action.default)),
    )


def bash(commands: list[Command]) -> str:
    """Return a script for bash."""
    cases = []
    for command in commands:
        values = "\n".join(
            f"        {'|'.join(argument.flags)}) words='{' '.join(argument.choices)}' ;;"
            for argument in command.arguments
            if argument.flags and argument.takes_value
        )
        choices = " ".join(choice for one in command.positionals for choice in one.choices)
        cases.append(
            f"    {command.name})\n      case $before in\n{values}\n"
            f"        *) words='{choices}' flags='{' '.join(command.flags)}' ;;\n      esac ;;"
        )
    names = " ".join(command.name for command in commands)
    choose = "\n".join(cases)
    return f"""\
# Completion of powercut for bash; made by: powercut completion bash
_powercut() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words= flags=
  case ${{COMP_CWORD}}:${{COMP_WORDS[1]}} in
    1:*) words='{names}' flags='--help --version' ;;
  esac
  [ "$COMP_CWORD" -gt 1 ] && case ${{COMP_WORDS[1]}} in
{choose}
  esac
  case $word in
    -*) words=$flags ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  # Complete file names if there are no other words.
  [ -n "$words" ] || COMPREPLY=($(compgen -f -- "$word"))
}}
complete -o filenames -F _powercut powercut"""


def zsh(commands: list[Command]) -> str:
    """Return a script for zsh."""

    def clean(text: str) -> str:
        return text.replace("'", "").replace("[", "(").replace("]", ")").replace(":", ",")

    def spec(argument: Argument) -> list[str]:
        values = f"({' '.join(argument.choices)})" if argument.choices else "_files"
        if not argument.flags:
            return [f"'*:{clean(argument.text)}:{values}'"]
        tail = f":value:{values}" if argument.takes_value else ""
        return [f"'{flag}[{clean(argument.text)}]{tail}'" for flag in argument.flags]

    cases = []
    for command in commands:
        # One pattern for all positional arguments, that of the last: any of them may be a file.
        last = command.positionals[-1:]
        options = [argument for argument in command.arguments if argument.flags]
        specs = " \\\n        ".join(one for each in (*options, *last) for one in spec(each))
        cases.append(f"      {command.name})\n        _arguments {specs} ;;")
    described = "\n    ".join(f"'{one.name}:{clean(one.text)}'" for one in commands)
    choose = "\n".join(cases)
    return f"""\
#compdef powercut
# Completion of powercut for zsh; made by: powercut completion zsh
_powercut() {{
  local -a commands=(
    {described}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _arguments '--help[help]' '--version[version]'
    return
  fi
  shift words; (( CURRENT-- ))
  case $words[1] in
{choose}
  esac
}}
compdef _powercut powercut"""


def fish(commands: list[Command]) -> str:
    """Return a script for fish."""

    def quote(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = ["# Completion of powercut for fish; made by: powercut completion fish"]
    for command in commands:
        first = f"complete -c powercut -n __fish_use_subcommand -f -a {command.name}"
        lines.append(f"{first} -d {quote(command.text)}")
        for argument in command.arguments:
            line = f"complete -c powercut -n '__fish_seen_subcommand_from {command.name}'"
            for flag in argument.flags:
                line += f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}"
            if argument.choices:
                line += (
                    f" {'-x' if argument.flags else '-f'} -a {quote(' '.join(argument.choices))}"
                )
            elif argument.takes_value and argument.flags:
                line += " -r"
            if argument.flags or argument.choices:
                lines.append(f"{line} -d {quote(argument.text)}")
    return "\n".join(lines)
