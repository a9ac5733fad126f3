"""``dagathlon query``: probabilities in a network, given evidence."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import Any

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import table
from dagathlon.data import Assignment, Network, NormalAnswer, TableAnswer
from dagathlon.errors import DagathlonError, unknown

Answers = dict[str, TableAnswer | NormalAnswer]


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "query",
        "compute probabilities in a network, given evidence",
        "dagathlon query asia --target bronc --evidence 'dysp=yes,xray=no'",
        _run,
    )
    parser.add_argument("network", help="network file, or name of a bundled network")
    parser.add_argument(
        "--target",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="joint distribution of these variables; without it, each variable separately",
    )
    parser.add_argument(
        "--evidence",
        action="append",
        default=[],
        metavar="NAME=VALUE,…",
        help='what is known; quotes hold a comma ("a,b"=yes), and JSON is read too',
    )
    parser.add_argument(
        "--do",
        action="append",
        default=[],
        metavar="NAME=VALUE,…",
        help="variables set by intervention, whatever their parents",
    )
    parser.add_argument(
        "--map", action="store_true", help="the most probable levels of the targets, or of all"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def _run(arguments: argparse.Namespace) -> int:
    network = Network.load(arguments.network)
    evidence = given(arguments.evidence, network, "--evidence")
    do = given(arguments.do, network, "--do")
    if arguments.map:
        _print_assignment(
            network.most_probable(evidence, targets=arguments.target, do=do), arguments.json
        )
        return 0
    if arguments.target is None:
        answers: Answers = network.marginals(evidence, do=do)
    else:
        answers = {", ".join(arguments.target): network.query(arguments.target, evidence, do=do)}
    _print_answers(list(answers.values()), evidence, do, arguments.json)
    return 0


def given(texts: Iterable[str], network: Network, where: str) -> dict[str, Any]:
    """Parse evidence: ``A=yes,B=no``, or JSON."""
    evidence: dict[str, Any] = {}
    for text in texts:
        if text.lstrip().startswith("{"):
            try:
                evidence.update(json.loads(text))
            except ValueError as error:
                raise DagathlonError(f"{where}: not JSON: {error}") from None
            continue
        for part in _parts(text):
            name, value = _pair(part, network, where)
            if name in evidence and evidence[name] != value:
                raise DagathlonError(f"{where}: {name!r} has two values")
            evidence[name] = value
    return evidence


def _parts(text: str) -> list[str]:
    """Split at commas, except inside quotes, which may begin anywhere."""
    parts, quoted = [""], False
    for character in text:
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]


def _pair(part: str, network: Network, where: str) -> tuple[str, str]:
    """Parse a variable and its value; a name may itself have an equals sign."""
    cuts = [k for k, character in enumerate(part) if character == "="]
    if not cuts:
        raise DagathlonError(f"{where}: expected NAME=VALUE, found {part.strip()!r}")
    for cut in cuts:
        for name, value in ((part[:cut], part[cut + 1 :]), _stripped(part, cut)):
            if name in network:
                return name, value
    raise DagathlonError(unknown("variable", _stripped(part, cuts[0])[0], network.names, where))


def _stripped(part: str, cut: int) -> tuple[str, str]:
    return part[:cut].strip(), part[cut + 1 :].strip()


def _print_assignment(assignment: Assignment, as_json: bool) -> None:
    if as_json:
        print(
            json.dumps({"levels": dict(assignment.levels), "probability": assignment.probability})
        )
        return
    print(table(("variable", "most probable level"), list(assignment.levels.items())))
    print(f"probability of all of them together, given the evidence: {assignment.probability:.6g}")


def _print_answers(
    answers: list[TableAnswer | NormalAnswer],
    evidence: dict[str, Any],
    do: dict[str, Any],
    as_json: bool,
) -> None:
    if as_json:
        content = {
            "evidence": evidence,
            "do": do,
            "log_evidence": answers[0].log_evidence if answers else 0.0,
            "answers": [_json(answer) for answer in answers],
        }
        print(json.dumps(content, indent=2))
        return
    for position, answer in enumerate(a for a in answers if isinstance(a, TableAnswer)):
        rows = [(*levels, f"{p:.6f}") for levels, p in answer.rows()]
        print("\n" * (position > 0) + table((*answer.targets, "probability"), rows))
    normal = [answer for answer in answers if isinstance(answer, NormalAnswer)]
    if normal:
        print(table(("variable", "mean", "sd"), [row for a in normal for row in _moments(a)]))
    if any(answer.mixture for answer in normal):
        print("means and deviations of mixtures of normals", file=sys.stderr)


def _moments(answer: NormalAnswer) -> list[tuple[str, str, str]]:
    return [
        (name, f"{mean:.6g}", f"{sd:.6g}")
        for name, mean, sd in zip(answer.targets, answer.mean, answer.sd, strict=True)
    ]


def _json(answer: TableAnswer | NormalAnswer) -> dict[str, Any]:
    if isinstance(answer, NormalAnswer):
        return {
            "targets": list(answer.targets),
            "mean": answer.mean.tolist(),
            "covariance": answer.covariance.tolist(),
            "mixture": answer.mixture,
        }
    return {
        "targets": list(answer.targets),
        "table": [{"levels": list(levels), "probability": p} for levels, p in answer.rows()],
    }
