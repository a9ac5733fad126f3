"""``dagathlon check``: validate a study and estimate its work."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import (
    NOTHING_LEARNED,
    add_study_arguments,
    load_study,
    stored_outcomes,
    table,
    unasked,
    warn_of_plan,
)
from dagathlon.modules import Module
from dagathlon.study.engine.preparation import modules_with_programs
from dagathlon.study.plan.forecast import forecast
from dagathlon.study.plan.inputs import Inputs
from dagathlon.study.plan.plan import ALGORITHM
from dagathlon.study.plan.task import Status
from dagathlon.study.records.causes import omitted, without_copies
from dagathlon.study.records.provenance import source_lines
from dagathlon.wording import counted
from dagathlon.workflow import Study

_MOST_NAMED = 6
_MOST_OF_ENTRY = 2


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "check",
        "validate a study and print its plan",
        "dagathlon check studies/quickstart.json",
        _run,
    )
    add_study_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    study = load_study(arguments)
    plan = study.plan
    study.prepare()
    warn_of_plan(study)
    outcomes = stored_outcomes(plan, arguments.out)
    found = (task for task in plan.tasks if task.key in outcomes)
    stored = Counter(t.call.kind for t in found if outcomes[t.key].status is Status.OK)
    rows = [(kind.value, n, stored[kind]) for kind, n in plan.counts().items()]
    print(table(("tasks", "number", "in the store"), rows))
    _print_setups(study)
    _print_unavailable(study)
    _print_unused(study)
    _print_omissions(study)
    words = forecast(plan, outcomes).words()
    if words:
        print(f"\n{words}")
    return 0


def _print_omissions(study: Study) -> None:
    """Print what does not suit its data, one line per cause."""
    omissions = list(dict.fromkeys(study.plan.omissions))
    learners = [omission for omission in omissions if omission.transform.startswith(ALGORITHM)]
    for cause in omitted(learners, study.config.algorithms):
        pairs = [
            (omission.data_label, omission.where)
            for omission in learners
            if omission.reason in cause.reasons
        ]
        print(f"\nwill be skipped: {cause.who} on {_shown_places(pairs, study)}\n  {cause.words}")
    places: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for where, data, what, reason in omissions:
        if not what.startswith(ALGORITHM):
            places.setdefault((what, reason), []).append((data, where))
    for (what, reason), pairs in places.items():
        print(f"\nnot applicable: {what} on {_shown_places(pairs, study)}\n  {reason}")


def _shown_places(pairs: list[tuple[str, str]], study: Study) -> str:
    places = list(_places(list(without_copies(dict.fromkeys(pairs))), study))
    more = f" and {len(places) - _MOST_NAMED:,} more" if len(places) > _MOST_NAMED else ""
    return f"{', '.join(places[:_MOST_NAMED])}{more}"


def _places(pairs: list[tuple[str, str]], study: Study) -> Iterator[str]:
    """Yield kinds of data with their place; for entries with many, their number."""
    graphs = {origin.where: origin.graph_id for origin in study.plan.origins}
    for where, n in Counter(where for _, where in pairs).items():
        if n > _MOST_OF_ENTRY:
            yield f"{n:,} kinds of data of {graphs.get(where) or 'no graph'} ({where})"
        else:
            of = f" of {graphs[where]}" if graphs.get(where) else ""
            yield from (f"{data}{of} ({place})" for data, place in pairs if place == where)


def _print_setups(study: Study) -> None:
    for number, setup in enumerate(study.config.setups):
        runs = [run for run in study.plan.runs if run.setup == number]
        learned = len({run.learn for run in runs} | study.plan.inputs_of(runs))
        cases = len({run.case for run in runs})
        rows = sum(run.entry in setup.benchmarked() for run in runs)
        parts = [counted(cases, "data set"), counted(learned, "learning run")]
        parts += [counted(rows, "benchmark row")] if rows else []
        print(f"\n{setup.title}: {', '.join(parts)}")
        for words in source_lines(study.sources(number)):
            print(f"  {words}")
        if not runs:
            print(f"  {NOTHING_LEARNED}")
        per_module: Counter[str] = Counter()
        for run in runs:
            per_module[study.config.algorithms[run.entry].module.name] += 1
        for name, n in sorted(per_module.items()):
            print(f"  {name}: {n}")
        _print_further(study, number)


def _print_further(study: Study, number: int) -> None:
    """Print additional runs on transformed data by kind, marking those made by default."""
    plan = study.plan
    labels = [plan.cases[run.case].transform for run in plan.further if run.setup == number]
    if not labels:
        return
    kinds = Counter(label.split("=")[0] for label in labels)
    counts = ", ".join(f"{name}: {n}" for name, n in kinds.items())
    runs = counted(len(labels), "learning run")
    print(f"  and {runs} on transformed data, for evaluations ({counts})")
    for words in unasked(study, number):
        print(f"    {words}")


def _print_unused(study: Study) -> None:
    """Print algorithms that no evaluation uses, often because of a forgotten id."""
    inputs = Inputs(study.config)
    named = {name for setup in study.config.setups for name in setup.algorithm_ids()}
    named |= {run.entry for run in study.plan.runs}
    used = {other.id for name in named for other in inputs.chain(name)}
    unused = [name for name in study.config.algorithms if name not in used]
    if len(unused) > _MOST_NAMED:
        print(f"\nnot run: {len(unused)} algorithms, in no list of ids of benchmark_setup")
    elif unused:
        print(f"\nnot run: {', '.join(unused)}\n  in no list of ids of benchmark_setup")


def _print_unavailable(study: Study) -> None:
    used: set[type[Module]] = {study.config.algorithms[run.entry].module for run in study.plan.runs}
    used |= set(modules_with_programs(task.call for task in study.plan.tasks))
    reasons: dict[str, list[str]] = {}
    for module in sorted(used, key=lambda module_type: module_type.name):
        if module.unavailable:
            reasons.setdefault(module.unavailable, []).append(module.name)
    for reason, names in reasons.items():
        print(f"\nwill be skipped: {', '.join(names)}\n  {reason}")
