"""``dagathlon completion``: let the shell finish commands and options."""

from __future__ import annotations

import argparse

from dagathlon.cli._parts import Commands, command

_SHELLS = ("bash", "zsh", "fish", "tcsh")


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "completion",
        "print a script that lets your shell finish commands and options",
        "dagathlon completion bash > ~/.local/share/bash-completion/completions/dagathlon",
        _run,
    )
    parser.add_argument("shell", choices=_SHELLS)


def _run(arguments: argparse.Namespace) -> int:
    # Imported here: no other command needs it.
    import shtab  # noqa: PLC0415

    from dagathlon.cli import parser  # noqa: PLC0415

    print(shtab.complete(parser(), shell=arguments.shell))
    return 0
