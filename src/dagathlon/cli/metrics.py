"""``dagathlon metrics``: list metrics."""

from __future__ import annotations

import argparse
import json
import textwrap

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import add_modules_argument, load_modules, table
from dagathlon.errors import DagathlonError, unknown
from dagathlon.evaluate.metric import Measure, measures

_BETTER = {"more": "higher", "less": "lower", "": ""}
_TABLES = {
    "benchpress": "joint_benchmarks.csv, as in Benchpress",
    "beside": "joint_benchmarks.csv, at its end",
    "further": "metrics/metrics.csv (evaluation `metrics`)",
    "derived": "ROC_data.csv and figures",
    "data": "metrics/data_sets.csv (evaluation `metrics`)",
    "cost": "joint_benchmarks.csv",
}


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "metrics",
        "list the metrics, or describe one",
        "dagathlon metrics bsf",
        _run,
    )
    parser.add_argument("name", nargs="?", help="describe this metric")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    add_modules_argument(parser)


def _run(arguments: argparse.Namespace) -> int:
    load_modules(arguments)
    known = measures()
    if arguments.name is not None and arguments.name not in known:
        raise DagathlonError(unknown("metric", arguments.name, known))
    chosen = list(known.values()) if arguments.name is None else [known[arguments.name]]
    if arguments.json:
        print(json.dumps([measure.to_json() for measure in chosen], indent=2))
    elif arguments.name is None:
        rows = [(m.name, _BETTER[m.better], m.unit, _kinds(m), m.title) for m in chosen]
        print(table(("metric", "better", "unit", "graphs", "what it measures"), rows))
    else:
        print(_described(chosen[0]))
    return 0


def _kinds(measure: Measure) -> str:
    return ", ".join(measure.takes) or "all"


def _described(measure: Measure) -> str:
    lines = [f"{measure.name}: {measure.title}"]
    if measure.better:
        lines.append(f"Better: {_BETTER[measure.better]}")
    if measure.unit:
        lines.append(f"Unit: {measure.unit}")
    lines.append(f"Graphs: {_kinds(measure)}")
    lines.append(f"Needs the truth: {'yes' if measure.truth else 'no'}")
    lines.append(f"Table: {_TABLES[measure.table]}")
    for reference in measure.references:
        lines += textwrap.wrap(reference, 92, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines)
