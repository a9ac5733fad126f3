"""``dagathlon suggest``: learners that suit a data file."""

from __future__ import annotations

import argparse
import json
import shlex
import textwrap
from typing import Any

from dagathlon.cli._data import add_data_arguments, all_flags, completed_from, copies_of
from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import add_modules_argument, load_modules
from dagathlon.learners.suggest import (
    QUESTIONS,
    Advice,
    Suggestion,
    diverse_suggestions,
    suggest,
)

_SHOWN = 3
_WIDTH = 96


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "suggest",
        "say which learners suit a data file, what they assume and how long they take",
        "dagathlon suggest data.csv",
        _run,
    )
    add_data_arguments(parser)
    parser.add_argument("--all", action="store_true", help="all learners, and why some do not suit")
    parser.add_argument("--json", action="store_true", help="print JSON, with all learners")
    add_modules_argument(parser)


def _run(arguments: argparse.Namespace) -> int:
    load_modules(arguments)
    advice = suggest(completed_from(arguments))
    if arguments.json:
        print(json.dumps(_plain(advice, arguments), indent=1))
        return 0
    print(f"{arguments.data}: {advice.data}")
    for note in (*advice.notes, *_repeated(arguments)):
        print(textwrap.fill(note, _WIDTH, initial_indent="  ", subsequent_indent="  "))
    for question in QUESTIONS:
        _print_group(question, advice, everything=arguments.all)
    if arguments.all:
        print("\nnot for these data")
        for name, reason in advice.unsuitable.items():
            print(f"  {name}: {reason}")
    _print_commands(advice, _given(arguments))
    return 0


def _repeated(arguments: argparse.Namespace) -> list[str]:
    copies = copies_of(arguments)
    if not copies:
        return []
    return [f"Imputed: a learner runs {copies} times, once for each copy; times are of one run."]


def _print_group(question: str, advice: Advice, *, everything: bool) -> None:
    """Print learners that answer one question: a few in full, the others by name."""
    group = [suggestion for suggestion in advice.suitable if suggestion.question == question]
    if not group:
        return
    print(f"\n{QUESTIONS[question]}")
    quick = [suggestion for suggestion in group if not suggestion.takes_long]
    shown = group if everything else quick[:_SHOWN]
    width = max((len(suggestion.spec) for suggestion in shown), default=0)
    for suggestion in shown:
        assumed = f"assumes {', '.join(suggestion.assumes)}" if suggestion.assumes else ""
        text = f"{suggestion.spec:{width}}  {_time(suggestion):20}  {assumed}".rstrip()
        under = " " * (width + 26)
        print(textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent=under))
    others = [suggestion for suggestion in quick if suggestion not in shown]
    slow = [suggestion for suggestion in group if suggestion.takes_long and suggestion not in shown]
    _print_names("also", [suggestion.spec for suggestion in others])
    _print_names("long", [f"{suggestion.spec} ({_time(suggestion)})" for suggestion in slow])


def _print_names(title: str, names: list[str]) -> None:
    if names:
        text = f"{title}: {', '.join(names)}"
        print(textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="    "))


def _time(suggestion: Suggestion) -> str:
    return "time not known" if suggestion.cost is None else suggestion.cost.words()


def _given(arguments: argparse.Namespace) -> str:
    """Return the data file with its reading and preparation flags, for other commands."""
    return shlex.join([str(arguments.data), *all_flags(arguments)])


def _print_commands(advice: Advice, given: str) -> None:
    picks = _picks(advice)
    if not picks:
        print("\nno learner takes these data as they are; --all says why")
        return
    print("\nto go on")
    print(f"  {_learn(picks[0], given)}")
    options = " ".join(f"--pick {shlex.quote(suggestion.spec)}" for suggestion in picks)
    print(f"  dagathlon new study study.json --data {given} {options}")
    print("  dagathlon run study.json")
    ranked = diverse_suggestions(advice)
    if len(ranked) > 1:
        options = " ".join(f"--with {shlex.quote(suggestion.spec)}" for suggestion in ranked)
        print(f"  dagathlon rank-without-truth {given} {options}")


def _picks(advice: Advice) -> list[Suggestion]:
    """Return the first learner of each group whose graphs have directions."""
    picks = []
    for question in ("class", "dag", "latent"):
        group = [suggestion for suggestion in advice.suitable if suggestion.question == question]
        picks += [suggestion for suggestion in group if not suggestion.takes_long][:1]
    return picks or list(advice.suitable[:1])


def _learn(suggestion: Suggestion, given: str) -> str:
    return f"dagathlon learn {given} --with {shlex.quote(suggestion.spec)} --out graph.csv"


def _plain(advice: Advice, arguments: argparse.Namespace) -> dict[str, Any]:
    given = _given(arguments)
    return {
        "data": advice.data,
        "notes": [*advice.notes, *_repeated(arguments)],
        "suitable": [
            {
                "learner": suggestion.spec,
                "answers": suggestion.question,
                "gives": suggestion.gives,
                "seconds": None if suggestion.cost is None else suggestion.cost.seconds,
                "extrapolated": suggestion.cost is not None and suggestion.cost.extrapolated,
                "assumes": list(suggestion.assumes),
                "command": _learn(suggestion, given),
            }
            for suggestion in advice.suitable
        ],
        "unsuitable": dict(advice.unsuitable),
    }
