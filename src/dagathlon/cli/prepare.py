"""``dagathlon prepare``: install and try what the external modules of a study need."""

from __future__ import annotations

import argparse
import sys

from dagathlon.cli._parts import Commands, add_study_arguments, command, load_study
from dagathlon.errors import DagathlonError
from dagathlon.external import ExternalLearner
from dagathlon.study.engine.preparation import external_learners

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
    learners = external_learners(task.call for task in study.plan.tasks)
    if not learners:
        print("there is nothing to prepare: no module of this study is an external program")
        return 0
    reasons = {learner.name: _reason(learner) for learner in learners}
    for learner in learners:
        reason = reasons[learner.name]
        print(f"{learner.name}: " + (reason or f"ready ({learner.implementation})"))
    return _NOT_READY if any(reasons.values()) else 0


def _reason(learner: type[ExternalLearner]) -> str:
    """Why a module cannot run here after all that could be done; empty when it can."""
    try:
        if learner.unavailable:
            return f"cannot run here: {learner.unavailable}"
        learner.prepare(lambda text: print(text, file=sys.stderr, flush=True))
        learner.start_server()
    except DagathlonError as error:
        return f"cannot run here: {error}"
    return ""
