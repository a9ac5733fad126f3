"""``dagathlon modules``: list and describe what a study can name."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Sequence
from typing import cast

from dagathlon.cli._checks import CHECKS
from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._guarded_check import guarded_problems
from dagathlon.cli._parts import add_modules_argument, load_modules
from dagathlon.data.spec import DataKind
from dagathlon.errors import DagathlonError, unknown
from dagathlon.evaluate.metric import measures
from dagathlon.learners.abilities import FAMILIES, GIVES, KINDS, TAKES, abilities_of, chosen
from dagathlon.learners.base import GPU_WORDS, Learner
from dagathlon.learners.independence import TestModule
from dagathlon.learners.run import make_ready
from dagathlon.learners.score.score_kinds import ScoreModule
from dagathlon.modules import Kind, Module, modules
from dagathlon.modules.registry import unknown_module
from dagathlon.study.config.evaluation import Request
from dagathlon.study.config.units import seconds_of, size_of

_KINDS: tuple[Kind, ...] = (
    *("graph", "parameters", "data", "transform", "algorithm", "test", "score", "evaluation"),
    *("chart", "format"),
)


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "modules",
        "list what a study can name, or describe one module",
        "dagathlon modules corr_thresh",
        _run,
    )
    parser.add_argument("name", nargs="?", help="describe this module")
    add_modules_argument(parser)
    parser.add_argument(
        "--takes", metavar="WORDS", help=f"algorithms that take all of these: {', '.join(TAKES)}"
    )
    parser.add_argument(
        "--gives", metavar="WORDS", help=f"algorithms that give all of these: {', '.join(GIVES)}"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="try the learner, generator, test, score, chart or format on small inputs",
    )
    parser.add_argument(
        "--time-limit", metavar="S", default="60s", help="of each run of --check (default 60s)"
    )
    parser.add_argument(
        "--memory-limit", metavar="SIZE", default="4G", help="of all of --check (default 4G)"
    )


def _run(arguments: argparse.Namespace) -> int:
    load_modules(arguments)
    if arguments.name is None and arguments.check:
        raise DagathlonError("--check needs the name of a module")
    if arguments.takes is not None or arguments.gives is not None:
        if arguments.name is not None:
            raise DagathlonError("--takes and --gives are for lists; leave the name out")
        return _print_chosen(_words(arguments.takes, TAKES), _words(arguments.gives, GIVES))
    if arguments.name is None:
        for kind in _KINDS:
            print(f"{kind}:")
            if kind == "algorithm":
                _print_algorithms(_algorithms())
                continue
            for name, module in modules(kind).items():
                print(f"  {name}: {module.summary()}")
        return 0
    matches = [modules(kind)[arguments.name] for kind in _KINDS if arguments.name in modules(kind)]
    if not matches:
        if arguments.name in measures():
            raise DagathlonError(
                f"{arguments.name} is a metric: dagathlon metrics {arguments.name}"
            )
        everything = [name for kind in _KINDS for name in modules(kind)]
        raise DagathlonError(unknown_module("module", arguments.name, everything))
    print("\n\n".join(_described(module) for module in matches))
    return _check(arguments, matches) if arguments.check else 0


def _words(text: str | None, known: Sequence[str]) -> set[str]:
    words = [word.strip() for word in (text or "").split(",") if word.strip()]
    for word in words:
        if word not in known:
            raise DagathlonError(unknown("word", word, known))
    return set(words)


def _algorithms() -> list[type[Learner]]:
    return [cast(type[Learner], module) for module in modules("algorithm").values()]


def _print_chosen(takes: set[str], gives: set[str]) -> int:
    """Print the algorithms that take and give all of this."""
    learners = [module for module in _algorithms() if chosen(module, takes, gives)]
    _print_algorithms(learners)
    if not learners:
        print("no algorithm has all of these; ask for fewer, and see dagathlon modules for all")
    return 0


def _print_algorithms(learners: Sequence[type[Learner]]) -> None:
    """Print algorithms by family, each with what it takes and gives."""
    for family, title in FAMILIES.items():
        members = [module for module in learners if abilities_of(module).family == family]
        if members:
            print(f"  {title}:")
        for module in members:
            mark = " (not available)" if module.unavailable else ""
            able = abilities_of(module)
            print(f"    {module.name}{mark}: {module.summary()}")
            print(f"      takes {able.takes_in_words()}; gives {able.gives_in_words()}")


def _check(arguments: argparse.Namespace, classes: Sequence[type[Module]]) -> int:
    """Run the conformance checks in a child process; return the exit code."""
    name = arguments.name
    checked = [module for module in classes if module.kind in CHECKS]
    if not checked:
        raise DagathlonError(f"--check is for {', '.join(CHECKS)} modules, and {name!r} is none")
    seconds = seconds_of(arguments.time_limit, "--time-limit")
    memory = size_of(arguments.memory_limit, "--memory-limit")
    problems = []
    for module in checked:
        if module.runs_program:
            make_ready(module)  # installing what a program needs may take longer than any check
        sys.stdout.flush()
        problems += guarded_problems(name, seconds, memory, module.kind)
    print("", *(problems or ["All checks passed."]), sep="\n")
    return 1 if problems else 0


def _described(module: type[Module]) -> str:
    lines = [f"{module.name} ({module.kind}), {module.implementation}", module.summary()]
    if module.unavailable:
        lines.append(f"Not available: {module.unavailable}")
    if issubclass(module, Learner):
        lines += _abilities(module)
    if issubclass(module, TestModule | ScoreModule):
        lines += ["", f"Takes:   {', '.join(sorted(module.takes))}"]
        words = dict.fromkeys(word for kind in KINDS for word in _assumed(module, kind))
        lines += [f"Assumes: {', '.join(words)}"] if words else []
    for parameter in module.parameters().values():
        value = "required" if parameter.required else json.dumps(parameter.default)
        lines += ["", f"  {parameter.name} ({value})"]
        meaning = f"{parameter.description} Takes {parameter.type.text}.".strip()
        lines += textwrap.wrap(meaning, width=92, initial_indent="    ", subsequent_indent="    ")
    if module.kind == "format":
        lines += ["", "On a command line:", f"  --format {module.name}"]
    else:
        lines += ["", "In a study:", f"  {json.dumps(_example(module))}"]
    if module.references:
        lines += ["", "References:", *(f"  {text}" for text in module.references)]
    return "\n".join(lines)


def _assumed(module: type[TestModule | ScoreModule], kind: DataKind) -> tuple[str, ...]:
    return module.assumptions(kind) if kind in module.takes else ()


_CARDS = {
    "yes": "needs a graphics card; a study gives each run one",
    "optional": "uses a graphics card where there is one, else the processor",
}


def _abilities(module: type[Learner]) -> list[str]:
    able = abilities_of(module)
    lines = ["", f"Family:  {FAMILIES[able.family]}", f"Takes:   {able.takes_in_words()}"]
    lines.append(f"Gives:   {able.gives_in_words()}")
    if able.assumes:
        lines.append(f"Assumes: {', '.join(able.assumes)}")
    card = GPU_WORDS.get(module.gpu, "no") if isinstance(module.gpu, str | bool) else "no"
    if card != "no":
        lines.append(f"GPU:     {_CARDS[card]}")
    return lines


def _example(module: type[Module]) -> dict[str, object]:
    if module.kind == "evaluation":
        return {module.name: _asked(cast(type[Request], module))}
    defaults = {p.name: p.default for p in module.parameters().values() if not p.required}
    if module.name == "noise":  # stands in a data entry, by code or by its parameters
        return {module.name: ["N", "M5", "cMISL", defaults]}
    if module.kind == "chart":
        return {"charts": {"charts": [module.name]}}
    if module.kind in ("test", "score"):
        learner = "pc" if module.kind == "test" else "hc"
        values = ",".join(f"{name}={json.dumps(value)}" for name, value in defaults.items())
        named = f"{module.name}[{values}]" if values else module.name
        return {learner: [{"id": learner, module.kind: named}]}
    if module.kind == "transform":
        return {"transforms": [{module.name: defaults}]}
    return {module.name: [{"id": module.name, **defaults}]}


def _asked(evaluation: type[Request]) -> object:
    """Return an example of an evaluation in a setup."""
    if evaluation.shape == "flag":
        return True
    if evaluation.shape == "ids":
        return ["hc"]
    known = evaluation.parameters()
    algorithms: dict[str, object] = {"id": "hc", "ids": ["hc"]}
    values = {name: p.default for name, p in known.items() if not p.required}
    values = {name: value for name, value in algorithms.items() if name in known} | {
        name: value for name, value in values.items() if name not in algorithms
    }
    return [values] if evaluation.shape == "objects" else values
