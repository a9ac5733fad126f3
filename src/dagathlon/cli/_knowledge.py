"""Arguments for background knowledge: ``--forbid``, ``--require``, ``--tiers``."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from dagathlon.cli._parts import write_text
from dagathlon.errors import DagathlonError
from dagathlon.learners.background import unknown_names
from dagathlon.modules import Module, find
from dagathlon.modules.spec import parse_spec


def add_knowledge_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the three arguments to a command."""
    for flag, what in (("--forbid", "must not be there"), ("--require", "must be there")):
        parser.add_argument(
            flag,
            action="append",
            default=[],
            metavar="'A->B'",
            help=f"an edge that {what}, for every learner; may be given several times",
        )
    parser.add_argument(
        "--tiers",
        metavar="'A,B;C'",
        help="groups of variables in order: no edge runs from a later group to an earlier one",
    )


def asked_constraints(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the flags' background knowledge as the content of a constraint file; {} without."""
    constraints: dict[str, Any] = {}
    if arguments.forbid:
        constraints["forbidden_edges"] = [_edge(text, "--forbid") for text in arguments.forbid]
    if arguments.require:
        constraints["required_edges"] = [_edge(text, "--require") for text in arguments.require]
    if arguments.tiers is not None:
        tiers = [_names(group) for group in arguments.tiers.split(";")]
        constraints["tiers"] = [tier for tier in tiers if tier]
        if len(constraints["tiers"]) < 2:
            raise DagathlonError(
                f"--tiers {arguments.tiers!r}: separate two groups or more by ';', such as 'a,b;c'"
            )
        for name, n in Counter(name for tier in tiers for name in tier).items():
            if n > 1:
                raise DagathlonError(
                    f"--tiers {arguments.tiers!r}: {name!r} is there {n} times; a variable belongs "
                    "to one group"
                )
    return constraints


def refuse_unknown_names(constraints: dict[str, Any], names: Sequence[str]) -> None:
    """Raise when a flag names a variable that is no column."""
    for words in unknown_names(constraints, names):
        raise DagathlonError(words.removesuffix(" is left out").rpartition("; the edge")[0])


def constrained_by(specs: Sequence[str], constraints: dict[str, Any], path: Path) -> list[Any]:
    """Return learner specs with the constraints, written to a file at `path`."""
    if not constraints:
        return list(specs)
    constrained = []
    for spec in specs:
        name, values = parse_spec(spec)
        single = {key: each[0] if len(each) == 1 else each for key, each in values.items()}
        constrained.append((name, single | {_free_parameter(spec): str(path)}))
    _write(constraints, path)
    return constrained


@contextmanager
def constrained(spec: str, constraints: dict[str, Any]) -> Iterator[str]:
    """Context manager: the spec (``pc[alpha=0.01]``) with constraints in a temporary file."""
    if not constraints:
        yield spec
        return
    parameter = _free_parameter(spec)
    with TemporaryDirectory(prefix="dagathlon-constraints-") as folder:
        if set(folder) & set(",[]"):
            raise DagathlonError(
                f"the folder for temporary files, {gettempdir()}, has a comma or a bracket in its "
                "name; set TMPDIR to another one"
            )
        path = Path(folder) / "constraints.json"
        _write(constraints, path)
        begun = spec.rstrip().removesuffix("]")
        link = "," if parse_spec(spec)[1] else "" if "[" in begun else "["
        yield f"{begun}{link}{parameter}={path}]"


def constrain_study(study: dict[str, Any], constraints: dict[str, Any], path: Path) -> Path | None:
    """Write the constraints beside a study and name the file in each of its algorithms.

    Parameters
    ----------
    study
        The content of the study.
    constraints
        The content of a constraint file; {} leaves the study as it is.
    path
        File of the study.
    """
    if not constraints:
        return None
    beside = path.with_name(f"{path.stem}_constraints.json")
    if beside.exists():
        raise DagathlonError(f"{beside}: exists already; choose another name for the study")
    for name, entries in study["resources"]["structure_learning_algorithms"].items():
        parameter = _parameter(find("algorithm", name))
        for entry in entries:
            if parameter in entry:
                raise DagathlonError(f"{name}: constraints are given by {parameter} and by flags")
            entry[parameter] = beside.name
    write_text(beside, json.dumps(constraints, indent=2) + "\n")
    return beside


def _write(constraints: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(constraints, indent=2) + "\n")


def _free_parameter(spec: str) -> str:
    """Return the learner's constraint parameter; raise when the spec sets it already."""
    name, values = parse_spec(spec)
    parameter = _parameter(find("algorithm", name, spec))
    if parameter in values:
        raise DagathlonError(f"{spec}: constraints are given by {parameter} and by flags")
    return parameter


def _parameter(cls: type[Module]) -> str:
    """Return the name of the algorithm's parameter that takes constraints."""
    for name, parameter in cls.parameters().items():
        reference = parameter.type.reference
        if (
            reference
            and reference.to == "constraints"
            and getattr(cls, "honours_constraints", True)
        ):
            return name
    raise DagathlonError(
        f"{cls.name} takes no background knowledge, so --forbid, --require and --tiers cannot be "
        "used with it; dagathlon modules --takes constraints lists the algorithms that do"
    )


def _edge(text: str, flag: str) -> list[str]:
    ends = [end.strip() for end in text.split("->")]
    if len(ends) != 2 or not all(ends):
        raise DagathlonError(f"{flag} {text!r}: write an edge as 'A->B'")
    return ends


def _names(group: str) -> list[str]:
    return [name.strip() for name in group.split(",") if name.strip()]
