"""``dagathlon rank-without-truth``: rank learners on a data file without a true graph."""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from dagathlon.cli._data import (
    add_data_arguments,
    completed_from,
    copies_of,
    data_from,
    missing_values_explained,
)
from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._exit_codes import INTERRUPTED
from dagathlon.cli._knowledge import (
    add_knowledge_arguments,
    asked_constraints,
    constrained_by,
    refuse_unknown_names,
)
from dagathlon.cli._parts import (
    add_cpu_limit,
    add_modules_argument,
    cpu_limit_of,
    load_modules,
    stored_outcomes,
)
from dagathlon.data.reading.preview import described
from dagathlon.errors import DagathlonError, listing
from dagathlon.evaluations.intersection_validation.question import (
    Question,
    answer_of,
    result_of,
    run_shown,
    suggested,
)
from dagathlon.study.config.new_study import title_of
from dagathlon.study.config.picks import picks_of
from dagathlon.study.config.units import seconds_of, size_of
from dagathlon.study.engine.engines import DEFAULT, make_engine
from dagathlon.study.plan.forecast import forecast

if TYPE_CHECKING:
    from dagathlon.data import Dataset
    from dagathlon.evaluations.intersection_validation.validation import IntervalResult
    from dagathlon.study.engine.protocol import Engine
    from dagathlon.workflow import Study

_WIDTH = 100


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "rank-without-truth",
        "rank learners on a data file without a truth, and judge how reliable the ranking is",
        "dagathlon rank-without-truth data.csv --with hc --with 'pc[alpha=0.01]' --with boss",
        _run,
    )
    add_data_arguments(parser)
    parser.add_argument(
        "--with",
        dest="specs",
        action="append",
        default=[],
        metavar="NAME[KEY=VALUE,…]",
        help="a learner with its parameters, two or more; without, some that suit the data",
    )
    _add_method_arguments(parser)
    _add_run_arguments(parser)
    add_modules_argument(parser)


def _add_method_arguments(parser: argparse.ArgumentParser) -> None:
    add_knowledge_arguments(parser)
    parser.add_argument(
        "--sizes",
        metavar="N,N,…",
        help="rows of the subsamples (default: 100, 200, 400 and so on, below those of the data)",
    )
    parser.add_argument(
        "--subsamples",
        type=int,
        default=10,
        metavar="N",
        help="subsamples of each size, the same for all learners (default 10)",
    )
    parser.add_argument(
        "--copies",
        type=int,
        default=0,
        metavar="N",
        help="bootstrap samples by which pairs are weighted, for a second ranking (default none)",
    )
    parser.add_argument(
        "--no-pairwise", action="store_true", help="do not compare every two learners besides"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of subsamples and learners (default 1)"
    )


def _add_run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="folder of results; the same command goes on from what is there (default: results)",
    )
    parser.add_argument(
        "--jobs", type=int, default=0, metavar="N", help="cores to use (default: all)"
    )
    parser.add_argument("--time-limit", metavar="S", help="limit of each learning run, e.g. 90s")
    add_cpu_limit(parser)
    parser.add_argument("--memory-limit", metavar="SIZE", help="limit of each run, e.g. 2G")
    parser.add_argument(
        "--engine",
        default=DEFAULT,
        metavar="NAME",
        help="local (default): guarded processes; inline and batched: one process",
    )
    parser.add_argument(
        "--json", action="store_true", help="print all numbers as JSON, and nothing else"
    )


def _run(arguments: argparse.Namespace) -> int:
    load_modules(arguments)
    engine, limits = _engine(arguments), _limits(arguments)
    data = data_from(arguments, pooled=True)
    print(f"{arguments.data}: {described(data)}", file=sys.stderr)
    constraints = asked_constraints(arguments)
    refuse_unknown_names(constraints, data.names)
    with missing_values_explained(data):
        place = arguments.out / f"{title_of(arguments.data)}_constraints.json"
        arguments.specs = constrained_by(_specs(arguments, data), constraints, place)
        study = _question(arguments, data).study(arguments.out, *limits)
    if not arguments.json:
        _print_cost(study, arguments.out)
    done = run_shown(study, arguments.out, engine=engine, quiet=arguments.json)
    if done.interrupted:
        return INTERRUPTED
    result = result_of(done)
    if arguments.json:
        print(answer_of(done).read_text(encoding="utf-8"), end="")
        return 0
    print(f"{result.summary()}\n\n{_agreed(result)}\nreport: {done.reports[0]}")
    return 0


def _print_cost(study: Study, out: Path) -> None:
    """Print the expected time, if tasks are left to do."""
    words = forecast(study.plan, stored_outcomes(study.plan, out)).words()
    if words:
        print(words, file=sys.stderr)


def _agreed(result: IntervalResult) -> str:
    """List the edges that all learners agree on; of many, the first."""
    if not result.edges:
        return "There is no edge that all learners have."
    return textwrap.fill(f"Edges that all learners have: {listing(result.edges)}.", _WIDTH)


def _question(arguments: argparse.Namespace, data: Dataset) -> Question:
    return Question(
        data,
        picks_of(arguments.specs),
        title_of(arguments.data),
        _sizes(arguments.sizes),
        arguments.subsamples,
        arguments.copies,
        not arguments.no_pairwise,
        arguments.seed,
        copies_of(arguments) if data.has_missing else 0,
        tuple(arguments.modules),
    )


def _engine(arguments: argparse.Namespace) -> Engine:
    if arguments.jobs < 0:
        raise DagathlonError(f"--jobs is a number of cores, found {arguments.jobs}")
    return make_engine(arguments.engine, jobs=arguments.jobs)


def _limits(arguments: argparse.Namespace) -> tuple[float | None, int | None, float | None]:
    time, memory = arguments.time_limit, arguments.memory_limit
    return (
        None if time is None else seconds_of(time, "--time-limit"),
        None if memory is None else size_of(memory, "--memory-limit"),
        cpu_limit_of(arguments),
    )


def _specs(arguments: argparse.Namespace, data: Dataset) -> list[str]:
    """Return the named learners, else suitable ones, with a note on the choice."""
    if arguments.specs:
        return list(arguments.specs)
    suggestions = suggested(completed_from(arguments) if copies_of(arguments) else data)
    words = ", ".join(f"{suggestion.spec} (by {suggestion.way})" for suggestion in suggestions)
    print(f"no --with: {words}, as suit these data (dagathlon suggest)", file=sys.stderr)
    return [suggestion.spec for suggestion in suggestions]


def _sizes(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not all(word.isdecimal() for word in words):
        raise DagathlonError(f"--sizes {text}: write numbers of rows such as 100,200,400")
    return tuple(int(word) for word in words)
