"""``dagathlon new``: write starting points to edit."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from dagathlon.cli import _starting_files as texts
from dagathlon.cli._data import add_preparation_arguments, tell_entries
from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._knowledge import add_knowledge_arguments, asked_constraints, constrain_study
from dagathlon.cli._parts import add_modules_argument, load_modules, write_text
from dagathlon.errors import DagathlonError, not_written
from dagathlon.external import MANIFEST
from dagathlon.external.manifest import ModuleKind
from dagathlon.study.config.examples import example, examples
from dagathlon.study.config.new_study import picked_study, starting_study, title_of

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
        "  dagathlon new evaluation my_evaluation.py\n"
        "  dagathlon new chart my_chart.py\n"
        "  dagathlon new format my_format.py",
        _run,
    )
    parser.add_argument("what", choices=("study", "module", *_WRITERS), help="what to write")
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
        _write_part(path, arguments.what, *_WRITERS[arguments.what])
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


def _write_part(path: Path, what: str, text: str, next_steps: str) -> None:
    """Write a Python file with one module, and print what to do with it."""
    name, file = path.stem, json.dumps(str(path))
    if path.suffix != ".py" or not name.isidentifier():
        article = "an" if what[0] in "aeiou" else "a"
        raise DagathlonError(f"{path}: {article} {what} is a Python file such as my_{what}.py")
    cls = "".join(part.capitalize() for part in name.split("_"))
    write_text(path, text.format(name=name, cls=cls))
    print(path)
    print(next_steps.format(name=name, place=shlex.quote(str(path)), file=file))


_CHECK = "next: dagathlon modules {name} --modules {place} --check\n"
_IN_STUDY = 'then: "modules": [{file}] in a study, '
_LEARN = "then: dagathlon learn data.csv --modules {place} --with "
_STUDY = "then: dagathlon new study my-study.json --modules {place} --pick {name} --pick pc"
_METRICS = "next: dagathlon metrics {name} --modules {place}\n"
_COMPARE = "or\n      dagathlon compare learned.csv truth.csv --modules {place}"
_EVALUATION = 'and in the evaluation of a setup\n      "{name}": {{"ids": ["hc"]}}'
_CHARTS = 'and in the evaluation of a setup\n      "charts": {{"charts": ["{name}"]}}'
_WRITERS: Mapping[str, tuple[str, str]] = {
    "learner": (texts.LEARNER, _CHECK + _STUDY),
    "test": (texts.TEST, _CHECK + _LEARN + "'pc[test={name}]'"),
    "score": (texts.SCORE, _CHECK + _LEARN + "'hc[score={name}]'"),
    "metric": (texts.METRIC, _METRICS + _IN_STUDY + _COMPARE),
    "evaluation": (
        texts.EVALUATION,
        "next: dagathlon modules {name} --modules {place}\n" + _IN_STUDY + _EVALUATION,
    ),
    "chart": (texts.CHART, _CHECK + _IN_STUDY + _CHARTS),
    "format": (texts.FORMAT, _CHECK + _LEARN + "hc --out graph.{name}"),
}
"""For each kind of module the text of a file, and the commands to go on with."""


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
        print(folder)
        print((_CHECK + _STUDY).format(name=name, place=shlex.quote(str(folder))))
        return
    place, entry = shlex.quote(str(folder)), {name: [{"id": f"my_{kind}"}]}
    print(folder)
    print(f"next: dagathlon modules {name} --modules {place} --check")
    print(f'then: "modules": [{json.dumps(str(folder))}] in a study, "{kind}": {json.dumps(entry)}')
    print(f'      in its resources, and "{kind}_id": "my_{kind}" in its data')
