"""``dagathlon schema``: JSON Schema of study files, for editors."""

from __future__ import annotations

import argparse
import json

from dagathlon.cli._declaring import Commands, command
from dagathlon.study.config.json_schema import study_schema


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    command(
        commands,
        "schema",
        "print the JSON Schema of study files, for editors",
        "dagathlon schema > study.schema.json",
        _run,
    )


def _run(arguments: argparse.Namespace) -> int:
    print(json.dumps(study_schema(), indent=2))
    return 0
