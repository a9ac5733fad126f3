"""``dagathlon new``: write starting points to edit."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import get_args

from dagathlon.cli._data import add_preparation_arguments, tell_entries
from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._knowledge import add_knowledge_arguments, asked_constraints, constrain_study
from dagathlon.cli._parts import add_modules_argument, load_modules, write_text
from dagathlon.errors import DagathlonError, not_written
from dagathlon.external import MANIFEST
from dagathlon.external.manifest import ModuleKind
from dagathlon.study.config.examples import example, examples
from dagathlon.study.config.new_study import picked_study, starting_study, title_of

_LEARNER = '''\
"""My structure learner."""

from dataclasses import dataclass

import numpy as np

from dagathlon import Dataset, Estimate, Graph, Learner


@dataclass(frozen=True, kw_only=True)
class {cls}(Learner):
    """Say in one sentence what it does.

    Parameters
    ----------
    thresh
        Say what the parameter means.
    """

    name = "{name}"
    takes = frozenset({{"continuous"}})
    gives = "undirected"
    thresh: float = 0.3

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Join the variables whose correlation exceeds the threshold."""
        correlation = np.atleast_2d(np.corrcoef(data.values, rowvar=False))
        joined = np.abs(correlation) > self.thresh
        np.fill_diagonal(joined, False)
        return Estimate(Graph.from_adjacency(data.names, joined))
'''

_TEST = '''\
"""My test of conditional independence."""

from dataclasses import dataclass
from math import atanh, erfc, sqrt
from typing import Any

import numpy as np

from dagathlon import Dataset, PythonTest


@dataclass(frozen=True, kw_only=True)
class {cls}(PythonTest):
    """Say in one sentence what it tests.

    Parameters
    ----------
    largest
        Say what the parameter means.
    """

    name = "{name}"
    takes = frozenset({{"continuous"}})
    assumes = ("linear relations with Gaussian noise",)
    largest: float = 0.999999

    def begin(self, data: Dataset) -> Any:
        """Compute once per data set what p_value needs."""
        return data.index, len(data), np.atleast_2d(np.corrcoef(data.values, rowvar=False))

    def p_value(self, data: Any, x: str, y: str, given: tuple[str, ...]) -> float | None:
        """Fisher's z of the partial correlation; None where the data cannot answer."""
        index, n, correlation = data
        places = [index[name] for name in (x, y, *given)]
        part = correlation[np.ix_(places, places)]
        if n <= len(given) + 3 or not np.isfinite(part).all():
            return None
        precision = np.linalg.pinv(part)
        scale = max(precision[0, 0] * precision[1, 1], 1e-300)
        r = min(abs(precision[0, 1]) / sqrt(scale), self.largest)
        return erfc(atanh(r) * sqrt(n - len(given) - 3) / sqrt(2))
'''

_SCORE = '''\
"""My score."""

from dataclasses import dataclass
from math import log

import numpy as np

from dagathlon import Dataset, PythonScore


@dataclass(frozen=True, kw_only=True)
class {cls}(PythonScore):
    """Say in one sentence what it scores.

    Parameters
    ----------
    penalty
        Say what the parameter means.
    """

    name = "{name}"
    takes = frozenset({{"continuous"}})
    assumes = ("linear relations with Gaussian noise",)
    equivalent = True
    penalty: float = 1.0

    def local_score(self, data: Dataset, node: str, parents: tuple[str, ...]) -> float:
        """The log likelihood of a regression on the parents, less a price per coefficient."""
        n = len(data)
        design = np.column_stack([np.ones(n), *(data.column(name) for name in parents)])
        y = data.column(node)
        left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        variance = max(float(left @ left) / n, 1e-10)
        return -n / 2 * log(variance) - self.penalty * len(parents) * log(n) / 2
'''

_METRIC = '''\
"""My metric."""

from dagathlon.evaluate.metric import metric
from dagathlon.graphs import Graph


@metric("{name}", title="say in a few words what it measures", better="less", unit="edges")
def {name}(estimate: Graph, truth: Graph) -> float:
    """How many edges there are too many."""
    return max(estimate.n_edges - truth.n_edges, 0)
'''

_EVALUATION = '''\
"""My evaluation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dagathlon.evaluations import (
    Drawing,
    Evaluation,
    Figure,
    Grid,
    Results,
    Section,
    Table,
    TableSet,
    Words,
)


@dataclass(frozen=True, kw_only=True)
class {cls}(Evaluation):
    """Say in one sentence what it makes of the results.

    Parameters
    ----------
    ids
        Algorithms to include.
    """

    name = "{name}"
    ids: tuple[str, ...]

    def algorithms(self) -> tuple[str, ...]:
        """The ids whose runs are read."""
        return self.ids

    def tables(self, results: Results) -> Mapping[str, Table]:
        """The number of edges of every estimated graph, as edges.csv."""
        runs = results.runs_of(self.ids)
        rows = [
            {{"id": run.entry, "seed": results.case(run).seed, "edges": graph.n_edges}}
            for run, graph in results.estimates(runs)
        ]
        return {{"edges": Table(rows, "edges.csv")}}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """One, as SVG and PNG."""
        yield "edges", _chart(tables)

    def section(self, tables: TableSet) -> Section:
        """What the page shows, in order."""
        rows = [[row["id"], row["seed"], row["edges"]] for row in tables.rows("edges")]
        figure = Figure("{name}", "How large are the graphs?", "", [("edges", _chart(tables))])
        grid = Grid(["algorithm", "seed", "edges"], rows)
        return Section("{name}", "Edges", [Words("Say how to read it."), figure, grid])


def _chart(tables: TableSet) -> Drawing:
    return {{
        "width": 400,
        "data": {{"values": [dict(row) for row in tables.rows("edges")]}},
        "mark": "point",
        "encoding": {{
            "x": {{"field": "edges", "type": "quantitative"}},
            "y": {{"field": "id", "type": "nominal"}},
        }},
    }}
'''

_KINDS = ("study", "learner", "module", "metric", "evaluation", "test", "score")
_PACKAGE = Path(__file__).parent
_SKELETONS = _PACKAGE / "skeletons"
_LANGUAGES = ("python", "r", "shell")


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "new",
        "write a starting point: a study, or a learner, a test, a score, … of your own",
        "dagathlon new study mine.json --pick 'pc[alpha=0.01,0.05]' --data 'alarm[n=500,seeds=5]'\n"
        "  dagathlon new study --example quickstart\n"
        "  dagathlon new learner mine.py\n"
        "  dagathlon new study mine.json --modules mine.py --pick mine --pick hc --data ecoli70\n"
        "  dagathlon new study mine.json --pick pc --pick boss --data people.csv --missing drop\n"
        "  dagathlon new module mine --language r\n"
        "  dagathlon new module my_graphs --kind graph --language shell\n"
        "  dagathlon new test my_test.py\n"
        "  dagathlon new score my_score.py\n"
        "  dagathlon new metric my_metric.py\n"
        "  dagathlon new evaluation my_evaluation.py",
        _run,
    )
    parser.add_argument("what", choices=_KINDS, help="what to write")
    parser.add_argument("path", type=Path, nargs="?", help="file to write; a folder for a module")
    parser.add_argument(
        "--example",
        metavar="NAME",
        help=f"a copy of a study that comes with the package: {', '.join(examples())}",
    )
    parser.add_argument(
        "--pick",
        action="append",
        default=[],
        metavar="NAME[KEY=VALUE,…]",
        help="an algorithm",
    )
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="NAME[n=1000]",
        help="a network or a file",
    )
    add_modules_argument(parser)
    parser.add_argument(
        "--language", choices=_LANGUAGES, default="python", help="language of a module"
    )
    parser.add_argument(
        "--kind",
        choices=get_args(ModuleKind),
        help="what a module does: learn (algorithm, the default), or draw graphs, parameters, data",
    )
    add_knowledge_arguments(parser)
    add_preparation_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    path = _place(arguments)
    if arguments.kind and arguments.what != "module":
        raise DagathlonError(f"--kind is for a module: dagathlon new module {path.stem} --kind …")
    if path.exists():
        raise DagathlonError(f"{path}: exists already; choose another name")
    if arguments.what == "module":
        _write_module(path, arguments.kind or "algorithm", arguments.language)
        return 0
    if arguments.what in _WRITERS:
        _WRITERS[arguments.what](path)
        return 0
    if arguments.example:
        _write_example(path, arguments)
        return 0
    load_modules(arguments)
    if arguments.pick:
        study = picked_study(
            title_of(path), arguments.pick, arguments.data, arguments.modules, path.parent
        )
        tell_entries(study, arguments)
        constrain_study(study, asked_constraints(arguments), path)
    elif arguments.data or arguments.modules or asked_constraints(arguments):
        raise DagathlonError(
            "--data, --modules and background knowledge need at least one --pick: which algorithm "
            "is to be run?"
        )
    else:
        study = starting_study(title_of(path))
    write_text(path, json.dumps(study, indent=2) + "\n")
    print(f"{path}\nnext: dagathlon check {shlex.quote(str(path))}")
    return 0


def _place(arguments: argparse.Namespace) -> Path:
    """Return where to write; an example may keep its own name."""
    if arguments.example and arguments.what != "study":
        raise DagathlonError("--example names a study: dagathlon new study --example quickstart")
    if arguments.path is not None:
        return Path(arguments.path)
    if arguments.example:
        return Path(arguments.example.removesuffix(".json") + ".json")
    raise DagathlonError(f"which file is to be written? dagathlon new {arguments.what} FILE")


def _write_example(path: Path, arguments: argparse.Namespace) -> None:
    if arguments.pick or arguments.data or arguments.modules:
        raise DagathlonError("--example is a whole study: --pick, --data and --modules do not fit")
    write_text(path, example(arguments.example))
    print(f"{path}\nnext: dagathlon run {shlex.quote(str(path))}")


def _write_learner(path: Path) -> None:
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise DagathlonError(f"{path}: a learner is a Python file such as my_learner.py")
    name = path.stem
    write_text(path, _LEARNER.format(name=name, cls=_class_name(name)))
    _print_next(name, path)


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _write_metric(path: Path) -> None:
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise DagathlonError(f"{path}: a metric is a Python file such as my_metric.py")
    write_text(path, _METRIC.format(name=path.stem))
    place = shlex.quote(str(path))
    print(path)
    print(f"next: dagathlon metrics {path.stem} --modules {place}")
    print(f'then: "modules": [{json.dumps(str(path))}] in a study, or')
    print(f"      dagathlon compare learned.csv truth.csv --modules {place}")


def _write_evaluation(path: Path) -> None:
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise DagathlonError(f"{path}: an evaluation is a Python file such as my_evaluation.py")
    name = path.stem
    write_text(path, _EVALUATION.format(name=name, cls=_class_name(name)))
    print(path)
    print(f"next: dagathlon modules {name} --modules {shlex.quote(str(path))}")
    print(
        f'then: "modules": [{json.dumps(str(path))}] in a study, and in the evaluation of a setup'
    )
    print(f'      "{name}": {{"ids": ["hc"]}}')


def _write_asked(path: Path, what: str) -> None:
    """Write a test or a score."""
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise DagathlonError(f"{path}: a {what} is a Python file such as my_{what}.py")
    name, learner = path.stem, "pc" if what == "test" else "hc"
    text = _TEST if what == "test" else _SCORE
    write_text(path, text.format(name=name, cls=_class_name(name)))
    place = shlex.quote(str(path))
    print(path)
    print(f"next: dagathlon modules {name} --modules {place} --check")
    print(f"then: dagathlon learn data.csv --modules {place} --with '{learner}[{what}={name}]'")


_WRITERS: Mapping[str, Callable[[Path], None]] = {
    "learner": _write_learner,
    "metric": _write_metric,
    "evaluation": _write_evaluation,
    "test": partial(_write_asked, what="test"),
    "score": partial(_write_asked, what="score"),
}


def _write_module(folder: Path, kind: ModuleKind, language: str) -> None:
    name = folder.name
    if not name.isidentifier():
        raise DagathlonError(f"{folder}: the folder gives the module its name, such as my_module")
    skeleton = _SKELETONS / kind / language
    if (kind, language) == ("algorithm", "shell"):
        skeleton = _PACKAGE.parent / "external" / "awk_correlation"
    manifest = (skeleton / MANIFEST).read_text("utf-8")
    renamed = re.sub(r'^name = ".*"$', f'name = "{name}"', manifest, count=1, flags=re.M)
    try:
        shutil.copytree(skeleton, folder, ignore=shutil.ignore_patterns("__pycache__"))
    except OSError as error:
        raise DagathlonError(not_written(folder, error)) from None
    write_text(folder / MANIFEST, renamed)
    if kind == "algorithm":
        _print_next(name, folder)
        return
    place, entry = shlex.quote(str(folder)), {name: [{"id": f"my_{kind}"}]}
    print(folder)
    print(f"next: dagathlon modules {name} --modules {place} --check")
    print(f'then: "modules": [{json.dumps(str(folder))}] in a study, "{kind}": {json.dumps(entry)}')
    print(f'      in its resources, and "{kind}_id": "my_{kind}" in its data')


def _print_next(name: str, path: Path) -> None:
    place = shlex.quote(str(path))
    print(path)
    print(f"next: dagathlon modules {name} --modules {place} --check")
    print(f"then: dagathlon new study my-study.json --modules {place} --pick {name} --pick pc")
