"""``dagathlon learn``: run one learner on one data file."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from dagathlon.cli._data import add_data_arguments, copies_of, data_from, missing_values_explained
from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._exit_codes import INTERRUPTED
from dagathlon.cli._interrupt import interruptible
from dagathlon.cli._knowledge import (
    add_knowledge_arguments,
    asked_constraints,
    constrained,
    refuse_unknown_names,
)
from dagathlon.cli._learn_report import Learned, check_report, write_report
from dagathlon.cli._parts import (
    add_modules_argument,
    check_folder,
    cpu_limit_of,
    load_modules,
    write_text,
)
from dagathlon.cli._posterior import (
    add_posterior_arguments,
    check_posterior_form,
    check_posterior_places,
    edge_lines,
    posterior_note,
    posterior_stats,
    settled,
    write_posterior_files,
)
from dagathlon.cli._selection import (
    add_selection_arguments,
    check_selection_places,
    write_selection_files,
)
from dagathlon.data.reading.preview import described
from dagathlon.errors import DagathlonError
from dagathlon.graphs import Graph, write_graph
from dagathlon.graphs.formats.files import format_named, format_of
from dagathlon.graphs.formats.matrix import lost_by_adjacency
from dagathlon.learners import Estimate, learn
from dagathlon.learners.api import seed_of, time_limit
from dagathlon.learners.bayesian.imputed import Imputed
from dagathlon.learners.run import STOPPED_EARLY, limit_words
from dagathlon.learners.spec import LearnerSpec
from dagathlon.posteriors.posterior import Posterior
from dagathlon.study.config.units import seconds_of
from dagathlon.study.engine.limits import Meter, Usage
from dagathlon.wording import counted

# Learners look at the clock themselves, and may need a moment to put their best so far together;
# what has not come to an end by then is ended.
_GRACE_SECONDS = 2.0


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "learn",
        "learn a graph from a data file",
        "dagathlon learn data.csv --with 'pc[alpha=0.01,timeout=60]' --out graph.csv",
        _run,
    )
    add_data_arguments(parser)
    parser.add_argument(
        "--with",
        dest="spec",
        required=True,
        metavar="NAME[KEY=VALUE,…]",
        help="the learner with its parameters; dagathlon modules lists them",
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="file for the graph; without it, edges are printed. A .csv is the 0/1 matrix, and of "
        "more than 2,000 nodes a table of edges; .txt and .parquet always hold edges",
    )
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        help="how the graph is written; by default the file's ending and the graph decide",
    )
    parser.add_argument("--stats", type=Path, help="JSON file for score, tests, seconds")
    add_knowledge_arguments(parser)
    add_posterior_arguments(parser)
    add_selection_arguments(parser)
    _add_limits(parser)
    _add_report(parser)
    add_modules_argument(parser)
    parser.add_argument("--seed", type=int, default=1, help="random seed (default 1)")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for time and threads."""
    parser.add_argument(
        "--time-limit",
        metavar="S",
        help="e.g. 90s; then searches and samplers give their best so far, others nothing",
    )
    parser.add_argument(
        "--cpu-limit",
        metavar="S",
        help="the same in processor time, of all threads and programs together: on a busy machine "
        "it is the same work",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="cores for learners whose work splits; the graph is the same for any number",
    )


def _add_report(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the report."""
    parser.add_argument(
        "--report",
        type=Path,
        metavar="PAGE.html",
        help="write a page on the graph: stability, held-out likelihood, rejected independences, "
        "the posterior of samplers; any other name is a folder for page, tables and figures",
    )
    parser.add_argument(
        "--copies",
        type=int,
        default=20,
        metavar="N",
        help="with --report: bootstrap samples to learn from again (default 20; 0 for none)",
    )


def _run(arguments: argparse.Namespace) -> int:
    load_modules(arguments)
    _check_places(arguments)
    with constrained(arguments.spec, asked_constraints(arguments)) as arguments.spec:
        return _learn(arguments)


def _learn(arguments: argparse.Namespace) -> int:
    spec = _asked_for(arguments)
    asked = arguments.time_limit
    timeout = None if asked is None else seconds_of(asked, "--time-limit")
    learner = spec.learner(timeout)
    check_posterior_form(arguments, learner)
    if not learner.unavailable:
        learner.prepare()  # this, and looking for modules, is no part of the learner's time
        learner.warm_up()
    parameters = dict(spec.values)
    inner_timeout = parameters.pop(
        "timeout", None
    )  # what the brackets say, where no option says otherwise
    timeout = inner_timeout if timeout is None else timeout
    data = data_from(arguments, pooled=True)
    refuse_unknown_names(asked_constraints(arguments), data.names)
    print(f"{arguments.data}: {described(data)}", file=sys.stderr)
    limit, cpu_limit = time_limit(learner, timeout), cpu_limit_of(arguments)
    meter = Meter()
    meter.start()
    with missing_values_explained(data), interruptible(limit, _GRACE_SECONDS, cpu_limit):
        estimate = learn(
            data,
            spec.cls,
            seed=seed_of(arguments.seed, "--seed"),
            timeout=timeout,
            cpu_limit=cpu_limit,
            progress=True,
            threads=arguments.threads,
            **parameters,
        )
    usage = meter.stop()
    late = settled(estimate, learner)
    _write(arguments, spec.name, estimate, late, usage)
    if STOPPED_EARLY in estimate.stats:
        reached = limit_words(limit, cpu_limit)
        print(f"stopped at {reached} with the best so far", file=sys.stderr)
    for note in estimate.notes:
        print(f"note: {note}", file=sys.stderr)
    _print_graph(estimate.graph, late, arguments.out)
    write_posterior_files(arguments, estimate, learner)
    write_selection_files(arguments, estimate, spec.name)
    if arguments.report is None:
        return 0
    question = (spec.name, parameters, arguments.data, data)
    learned = Learned(*question, estimate, usage, arguments.seed, limit, cpu_limit)
    if not write_report(learned, arguments.report, arguments.copies):
        return INTERRUPTED
    print(f"report: {arguments.report}", file=sys.stderr)
    return 0


def _asked_for(arguments: argparse.Namespace) -> LearnerSpec:
    """Return the learner, wrapped to pool over imputed copies where values are imputed."""
    spec = LearnerSpec.of(arguments.spec)
    copies = copies_of(arguments)
    if not copies:
        return spec
    spec.learner()  # what is wrong with it is said in its own name
    return LearnerSpec.of(Imputed, {"learner": arguments.spec, "copies": copies})


def _write(
    arguments: argparse.Namespace,
    name: str,
    estimate: Estimate,
    late: Posterior | None,
    usage: Usage,
) -> None:
    """Write the requested files."""
    if arguments.out:
        form = arguments.format or _format(estimate.graph, arguments.out)
        write_graph(estimate.graph, arguments.out, form)
    if arguments.stats:
        stats: dict[str, object] = {**estimate.stats, **posterior_stats(late)}
        stats |= {
            "learner": name,
            "n_nodes": len(estimate.graph),
            "n_edges": estimate.graph.n_edges,
            "graph_kind": estimate.graph.kind,
            "wall_seconds": usage.wall,
            "cpu_seconds": usage.cpu,
            "peak_bytes": usage.memory,
        }
        if estimate.notes:
            stats["notes"] = list(estimate.notes)
        write_text(arguments.stats, json.dumps(stats, indent=2, allow_nan=False) + "\n")


def _check_places(arguments: argparse.Namespace) -> None:
    """Raise when an output file cannot be written, before hours of learning."""
    check_folder(arguments.out)
    check_folder(arguments.stats)
    check_posterior_places(arguments)
    check_selection_places(arguments)
    check_report(arguments.report)
    if arguments.threads < 1:
        raise DagathlonError(f"--threads is a number of cores, found {arguments.threads}")
    if arguments.copies < 0:
        raise DagathlonError(f"--copies is a number of samples, found {arguments.copies}")
    if arguments.format and not arguments.out:
        raise DagathlonError("--format says how the file of --out is written: name one")
    if arguments.format:
        format_named(arguments.format)
    if arguments.out and not arguments.format:
        format_of(str(arguments.out))


def _print_graph(graph: Graph, posterior: Posterior | None, out: Path | None) -> None:
    size = f"{counted(graph.n_edges, 'edge')} between {counted(len(graph), 'node')}"
    if out is not None:
        print(f"{size}: {out}")
        return
    print(size, file=sys.stderr)
    if posterior is not None:
        print(posterior_note(posterior), file=sys.stderr)
    for line in edge_lines(graph, posterior):
        print(line)


def _format(graph: Graph, path: Path) -> str:
    """Choose the format: marks where a 0/1 matrix cannot express the graph."""
    usual = format_of(str(path), len(graph))
    plain = usual != "adjacency" or lost_by_adjacency(graph) is None
    return usual if plain else "marks"
