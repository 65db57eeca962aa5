"""Print the man page of the command powercut, generated from its parser.

python docs/make_man.py > docs/powercut.1
"""

import argparse

from powercut.cli import EXIT_CODES, make_parser


def escape(text: str) -> str:
    """Return text with the special characters of troff escaped."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    # A line that begins with one of these would be a troff command.
    return "\n".join(
        "\\&" + line if line[:1] in (".", "'") else line for line in escaped.split("\n")
    )


def argument(action: argparse.Action) -> list[str]:
    """Return the lines for one argument."""
    value = ""
    if action.choices:
        value = "|".join(map(str, action.choices))
    elif action.nargs != 0 and not isinstance(action, argparse.BooleanOptionalAction):
        value = str(action.metavar or action.dest.upper())
    flags = ", ".join(f"\\fB{escape(flag)}\\fR" for flag in action.option_strings)
    head = f"{flags} \\fI{escape(value)}\\fR".strip() if value else flags
    text = (action.help or "") % {"default": action.default}
    return [".TP", head, escape(text)]


def command(name: str, parser: argparse.ArgumentParser) -> list[str]:
    """Return the lines for one subcommand."""
    positionals = [action for action in parser._actions if not action.option_strings]
    options = [action for action in parser._actions if action.option_strings]
    names = " ".join(str(action.metavar or action.dest.upper()) for action in positionals)
    lines = [f'.SS "powercut {name} {names} [options]"', escape(parser.description or "")]
    for action in (*positionals, *options):
        lines += argument(action)
    epilog = (parser.epilog or "").partition("\n")
    lines += [".PP", escape(epilog[0].capitalize()), ".nf", ".RS", escape(epilog[2]), ".RE", ".fi"]
    return lines


def main() -> None:
    """Print the page."""
    parser = make_parser()
    (subparsers,) = (
        action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    )
    lines = ['.TH POWERCUT 1 "" "powercut" "User Commands"', ".SH NAME"]
    lines += ["powercut \\- " + escape("find clusters with power-law sizes")]
    lines += [".SH SYNOPSIS", "\\fBpowercut\\fR \\fICOMMAND\\fR [options]", ".SH DESCRIPTION"]
    lines += [escape(parser.description or ""), ".SH COMMANDS"]
    for name, one in subparsers.choices.items():
        lines += command(name, one)
    lines += [".SH EXIT STATUS", escape(EXIT_CODES.partition("\n")[2].strip())]
    print("\n".join(line for line in lines if line))


if __name__ == "__main__":
    main()
