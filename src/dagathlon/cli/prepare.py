"""``dagathlon prepare``: install and try the external modules of a study."""

from __future__ import annotations

import argparse
import sys

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import add_study_arguments, load_study
from dagathlon.errors import DagathlonError
from dagathlon.modules import Module
from dagathlon.study.engine.preparation import modules_with_programs

_NOT_READY = 1


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "prepare",
        "install what the external modules of a study need, before anything is run; "
        "the exit code is 1 if one of them cannot run here",
        "dagathlon prepare study.json",
        _run,
    )
    add_study_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    study = load_study(arguments)
    external = modules_with_programs(task.call for task in study.plan.tasks)
    if not external:
        print("there is nothing to prepare: no module of this study is an external program")
        return 0
    reasons = {module.name: _reason(module) for module in external}
    for module in external:
        reason = reasons[module.name]
        print(f"{module.name}: " + (reason or f"ready ({module.implementation})"))
    return _NOT_READY if any(reasons.values()) else 0


def _reason(module: type[Module]) -> str:
    """Return why a module cannot run here after installation; empty when it can."""
    try:
        if module.unavailable:
            return f"cannot run here: {module.unavailable}"
        module.prepare(lambda text: print(text, file=sys.stderr, flush=True))
        module.start_server()
    except DagathlonError as error:
        return f"cannot run here: {error}"
    return ""
