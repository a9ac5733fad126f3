"""What the whole noisy-data study costs: a stratified sample of its runs, and the weekend from it.

``studies/noise_2021.json`` is planned as it is. Of each algorithm and sample size so many runs are
drawn, the same number on the smaller and on the larger half of the networks, with codes of noise
at random, and go through the engine as in the study. Sports, Property and ForMed are read from
``$DAGATHLON_SHARED/networks``; without them the study is that of the networks on board.
"""

from __future__ import annotations

import json
import math
import os
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from benchmarks.timing import Row, Timing, pick, print_table, row
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.plan.plan import Plan, Run
from dagathlon.study.plan.task import Limits, Outcome, Resources, Status, Task, TaskKind
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

STUDY = Path(__file__).parents[1] / "studies" / "noise_2021.json"
NETWORKS = Path(os.environ.get("DAGATHLON_SHARED", "shared")) / "networks"
OF_THE_USER = {"sports", "property", "formed"}
SIZES = pick((100, 1000, 10_000, 100_000, 1_000_000), (100,))
# A longer measurement: more runs, and a limit nearer to that of the study.
EACH = int(os.environ.get("DAGATHLON_BENCHMARKS_EACH", "1"))
LIMIT = float(os.environ.get("DAGATHLON_BENCHMARKS_LIMIT", pick(20, 2)))
MEMORY = 2 << 30
CORES = 2
WEEKEND = 60 * 3600.0
MEGABYTE = 2**20


class Stratum(NamedTuple):
    """Runs that are drawn together."""

    algorithm: str
    rows: int
    large: bool


@dataclass(frozen=True)
class Part:
    """Some tasks of a plan with what they need."""

    tasks: list[Task]
    limits: dict[int, Limits] = field(default_factory=dict)
    resources: dict[int, Resources] = field(default_factory=dict)


def study() -> Study:
    """The study, on the networks that are there."""
    if NETWORKS.is_dir():
        return Study.load(STUDY, resources=NETWORKS)
    content: dict[str, Any] = json.loads(STUDY.read_text())
    setup = content["benchmark_setup"][0]
    setup["data"] = [one for one in setup["data"] if one["graph_id"] not in OF_THE_USER]
    return Study.of(content, name=STUDY.name)


def strata(plan: Plan) -> dict[Stratum, list[Run]]:
    """The learning runs of the study by algorithm, size, and half of the networks."""
    columns = sorted({plan.facts[case.origin].n_columns or 0 for case in plan.cases})
    median = columns[len(columns) // 2]
    found: dict[Stratum, list[Run]] = defaultdict(list)
    for run in plan.runs:
        facts = plan.facts[plan.cases[run.case].origin]
        stratum = Stratum(run.entry, facts.n_rows or 0, (facts.n_columns or 0) >= median)
        found[stratum].append(run)
    return found


def part_of(plan: Plan, positions: Iterable[int], limits: Limits) -> Part:
    """A workload of these tasks and of all that they read."""
    wanted = set(positions)
    for position in range(len(plan.tasks) - 1, -1, -1):
        if position in wanted:
            wanted.update(plan.tasks[position].inputs)
    place = {old: new for new, old in enumerate(sorted(wanted))}
    tasks = [
        replace(plan.tasks[old], inputs=tuple(place[i] for i in plan.tasks[old].inputs))
        for old in sorted(wanted)
    ]
    learning = [k for k, task in enumerate(tasks) if task.call.kind is TaskKind.LEARN]
    return Part(tasks, dict.fromkeys(learning, limits))


def measured(part: Part) -> dict[bytes, Outcome]:
    """How the tasks ended and what they cost, by key."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        LocalEngine(CORES).run(part, store)
        return store.outcomes(task.key for task in part.tasks)


class Cost(NamedTuple):
    """The seconds of a stratum's runs in the whole study.

    Parameters
    ----------
    seconds
        Expected, runs that were stopped at the limit of the measurement with what they took.
    variance
        Of that number.
    stopped
        How many runs of the study would be stopped at that limit.
    """

    seconds: float
    variance: float
    stopped: float


def seconds_of(outcome: Outcome) -> float:
    """What a run costs; of one that was stopped, nobody has measured the processor time."""
    return outcome.wall if _stopped(outcome) else outcome.cpu


def cost_of(outcomes: Sequence[Outcome], runs: int) -> Cost:
    """From the runs of a stratum that were measured to all of them."""
    seconds = [seconds_of(outcome) for outcome in outcomes]
    spread = stdev(seconds) ** 2 if len(seconds) > 1 else 0.0
    share = sum(map(_stopped, outcomes)) / len(outcomes)
    left = 1 - len(outcomes) / runs if runs > len(outcomes) else 0.0
    return Cost(fmean(seconds) * runs, runs**2 * spread * left / len(seconds), share * runs)


def together(costs: Sequence[Cost]) -> Cost:
    """The cost of an algorithm at a size.

    With one run in each half nothing is known of the spread within: then the difference of the
    halves stands for it, which is too much rather than too little.
    """
    seconds, variance, stopped = map(sum, zip(*costs, strict=True))
    if not variance:
        mean = seconds / len(costs)
        variance = sum((cost.seconds - mean) ** 2 for cost in costs) * 2
    return Cost(seconds, variance, stopped)


def _stopped(outcome: Outcome) -> bool:
    return outcome.status is Status.TIME


def cell_row(name: str, outcomes: Sequence[Outcome], cost: Cost, runs: int) -> Row:
    """An algorithm at a size."""
    walls = [outcome.wall for outcome in outcomes]
    timing = Timing(
        min(walls),
        max(walls),
        fmean(map(seconds_of, outcomes)),
        max(outcome.memory for outcome in outcomes),
    )
    failed = [o.status.value for o in outcomes if o.status not in (Status.OK, Status.TIME)]
    took = f"{cost.seconds / 60:.2g} min" if cost.seconds < 5400 else f"{cost.seconds / 3600:.2g} h"
    note = f"{took} for its {runs:,} runs, {len(outcomes)} measured"
    if cost.stopped:
        note += f", {sum(map(_stopped, outcomes))} stopped at {LIMIT:g} s"
    return row(name, timing, note=note + (f", failed: {', '.join(failed)}" if failed else ""))


def whole_row(costs: Sequence[Cost], runs: int) -> Row:
    """The study."""
    seconds = sum(cost.seconds for cost in costs)
    error = math.sqrt(sum(cost.variance for cost in costs))
    stopped = sum(cost.stopped for cost in costs)
    left = WEEKEND * CORES - (seconds - stopped * LIMIT)
    note = (
        f"{seconds / 3600:.1f} ± {2 * error / 3600:.1f} core hours at a limit of {LIMIT:g} s per "
        f"run; about {stopped:,.0f} of {runs:,} runs would be stopped there"
    )
    if stopped:
        note += (
            f"; {CORES} cores for a weekend of 60 h leave {left / stopped / 60:.0f} min for each"
        )
    return row("the whole study, one seed", Timing(seconds / CORES), note=note)


def data_rows(plan: Plan, part: Part, outcomes: dict[bytes, Outcome]) -> list[Row]:
    """What samples and noise cost, of the largest size."""
    made = (TaskKind.DATA, TaskKind.NOISE, TaskKind.TRANSFORM)
    found = [outcomes[t.key] for t in part.tasks if t.call.kind in made and t.key in outcomes]
    cells = sum((facts.n_rows or 0) * (facts.n_columns or 0) for facts in plan.facts)
    slowest = max(found, key=lambda outcome: outcome.cpu)
    timing = Timing(slowest.wall, cpu=slowest.cpu, memory=max(o.memory for o in found))
    note = f"the slowest of {len(found)}; all data sets of the study are {cells / 1e9:.1f} GB"
    return [row("make a data set", timing, note=note)]


def algorithm_rows(
    ended: Mapping[Stratum, Sequence[Outcome]], runs: Mapping[Stratum, Sequence[Run]]
) -> list[Row]:
    """Each algorithm at each size, and the study."""
    rows: list[Row] = []
    costs: list[Cost] = []
    for name, size in sorted({(key.algorithm, key.rows) for key in ended}):
        keys = [key for key in ended if (key.algorithm, key.rows) == (name, size)]
        costs.append(together([cost_of(ended[key], len(runs[key])) for key in keys]))
        some = [outcome for key in keys for outcome in ended[key]]
        number = sum(len(runs[key]) for key in keys)
        rows.append(cell_row(f"{name}, {size:,} rows", some, costs[-1], number))
    return [*rows, whole_row(costs, sum(len(runs[key]) for key in ended))]


def run(each: int = EACH) -> list[Row]:
    """Plan, draw, run, and count up.

    Parameters
    ----------
    each
        Runs of each algorithm and size on each half of the networks.
    """
    began = time.perf_counter()
    plan = study().plan
    planned = row("plan the study", time.perf_counter() - began, note=f"{len(plan.tasks):,} tasks")
    runs = {key: runs for key, runs in strata(plan).items() if key.rows in SIZES}
    draw = random.Random(18)
    drawn = {key: draw.sample(some, min(each, len(some))) for key, some in sorted(runs.items())}
    wanted = [run.learn for some in drawn.values() for run in some]
    part = part_of(plan, wanted, Limits(LIMIT, MEMORY))
    outcomes = measured(part)
    ended = {k: [outcomes[plan.tasks[run.learn].key] for run in v] for k, v in drawn.items()}
    ended = {k: v for k, v in ended.items() if any(o.status is not Status.SKIPPED for o in v)}
    return [planned, *data_rows(plan, part, outcomes), *algorithm_rows(ended, runs)]


if __name__ == "__main__":
    print_table(run())
