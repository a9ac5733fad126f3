"""``dagathlon check``: validate a study and say how much work it is."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

from dagathlon.cli._parts import (
    NOTHING_LEARNED,
    Commands,
    add_study_arguments,
    command,
    load_study,
    stored_outcomes,
    table,
    unasked,
)
from dagathlon.study.plan.forecast import forecast
from dagathlon.study.plan.inputs import Inputs
from dagathlon.study.plan.plan import ALGORITHM
from dagathlon.study.plan.task import Status
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
    """What has no meaning for its data, each reason once."""
    places: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for where, data, what, reason in dict.fromkeys(study.plan.omissions):
        places.setdefault((what, reason), []).append((data, where))
    for (what, reason), pairs in places.items():
        found = list(_places(list(_without_copies(pairs)), study))
        skipped = what.startswith(ALGORITHM)
        more = f" and {len(found) - _MOST_NAMED:,} more" if len(found) > _MOST_NAMED else ""
        shown = f"{', '.join(found[:_MOST_NAMED])}{more}"
        print(f"\n{'will be skipped' if skipped else 'not applicable'}: {what} on {shown}")
        print(f"  {reason}")


def _places(pairs: list[tuple[str, str]], study: Study) -> Iterator[str]:
    """Kinds of data with their place; where an entry has many, their number."""
    graphs = {one.where: one.graph_id for one in study.plan.origins}
    for where, n in Counter(where for _, where in pairs).items():
        if n > _MOST_OF_ENTRY:
            yield f"{n} kinds of data of {graphs.get(where) or 'no graph'} ({where})"
        else:
            yield from (f"{data} ({place})" for data, place in pairs if place == where)


def _without_copies(pairs: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """All but the samples that evaluations draw of data that are named themselves."""
    named = set(pairs)
    for data, where in pairs:
        words = data.split(", ")
        whole = (", ".join(words[:end]) for end in range(1, len(words)))
        if not any((part, where) in named for part in whole):
            yield data, where


def _print_setups(study: Study) -> None:
    for number, setup in enumerate(study.config.setups):
        runs = [run for run in study.plan.runs if run.setup == number]
        learned = len({run.learn for run in runs} | study.plan.inputs_of(runs))
        cases = len({run.case for run in runs})
        rows = sum(run.entry in setup.benchmarked() for run in runs)
        print(f"\n{setup.title}: {cases} data sets, {learned} learning runs, {rows} benchmark rows")
        if not runs:
            print(f"  {NOTHING_LEARNED}")
        per_module: Counter[str] = Counter()
        for run in runs:
            per_module[study.config.algorithms[run.entry].module.name] += 1
        for name, n in sorted(per_module.items()):
            print(f"  {name}: {n}")
        _print_further(study, number)


def _print_further(study: Study, number: int) -> None:
    """Learning on transformed data, by kind; what nobody asked for is said to be so."""
    plan = study.plan
    labels = [plan.cases[run.case].transform for run in plan.further if run.setup == number]
    if not labels:
        return
    kinds = Counter(label.split("=")[0] for label in labels)
    told = ", ".join(f"{name}: {n}" for name, n in kinds.items())
    print(f"  and {len(labels)} learning runs on transformed data, for evaluations ({told})")
    for words in unasked(study, number):
        print(f"    {words}")


def _print_unused(study: Study) -> None:
    """Algorithms that are there but take no part are, more often than not, a forgotten id."""
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
    used = {study.config.algorithms[run.entry].module for run in study.plan.runs}
    reasons: dict[str, list[str]] = {}
    for module in sorted(used, key=lambda found: found.name):
        if module.unavailable:
            reasons.setdefault(module.unavailable, []).append(module.name)
    for reason, names in reasons.items():
        print(f"\nwill be skipped: {', '.join(names)}\n  {reason}")
