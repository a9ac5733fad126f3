"""``dagathlon completion``: shell completion scripts."""

from __future__ import annotations

import argparse
from pathlib import Path

from dagathlon.cli._declaring import Commands, command

SCRIPTS = Path(__file__).with_name("completions")
"""The scripts by the names of the shells; `tools/make_index.py` writes them."""
SHELLS = ("bash", "zsh", "fish", "tcsh")


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "completion",
        "print a script that lets your shell finish commands and options",
        "dagathlon completion bash > ~/.local/share/bash-completion/completions/dagathlon",
        _run,
    )
    parser.add_argument("shell", choices=SHELLS)


def _run(arguments: argparse.Namespace) -> int:
    print((SCRIPTS / arguments.shell).read_text(encoding="utf-8"), end="")
    return 0
