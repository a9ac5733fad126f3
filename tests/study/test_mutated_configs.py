"""Damaged studies: exit code 2 and a message, or a valid plan; never a traceback, never a hang."""

from __future__ import annotations

import copy
import json
import random
import time
from typing import Any

import pytest
from small_study import STUDY

from dagathlon.cli import main

VALUES = (
    None,
    True,
    -1,
    0,
    1e308,
    10**30,
    0.5,
    "",
    "x",
    "correlation",
    "../../etc",
    "\u0000",
    [],
    [[]],
    {},
    {"id": 3},
    ["correlation"] * 3,
    "Inf",
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in a study."""
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(child, (*path, key))
    return found


def mutated(rng: random.Random) -> Any:
    """A study with one to three places deleted, replaced, renamed, repeated or put elsewhere."""
    study = copy.deepcopy(STUDY)
    for _ in range(rng.randint(1, 3)):
        found = places(study)
        if not found:
            break
        *parents, last = rng.choice(found)
        place = study
        for key in parents:
            place = place[key]
        match rng.randrange(5):
            case 0:
                del place[last]
            case 1:
                place[last] = rng.choice(VALUES)
            case 2 if isinstance(place, dict):
                place[str(last) + rng.choice("sx_ ")] = place.pop(last)
            case 3 if isinstance(place, list):
                place.append(copy.deepcopy(place[last]))
            case _:
                other = rng.choice(found)
                moved: Any = study
                for key in other:
                    moved = moved[key] if not isinstance(moved, dict) else moved.get(key)
                    if not isinstance(moved, dict | list):
                        break
                place[last] = copy.deepcopy(moved)
    return study


def damaged_text(rng: random.Random) -> str:
    """The study's text with a few characters lost, doubled or replaced."""
    text = json.dumps(mutated(rng))
    for _ in range(rng.randint(0, 2)):
        i = rng.randrange(len(text)) if text else 0
        text = text[:i] + rng.choice(["", "}", "]", ",", '"', "\\", "9" * 400]) + text[i + 1 :]
    return text


def check_many(numbers: range, tmp_path, capsys) -> None:
    codes = {0: 0, 2: 0}
    path = tmp_path / "study.json"
    for number in numbers:
        rng = random.Random(number)
        text = json.dumps(mutated(rng)) if number % 2 else damaged_text(rng)
        path.write_text(text)
        began = time.process_time()
        code = main(["check", str(path), "--out", str(tmp_path / "none")])
        assert time.process_time() - began < 5, text
        shown = capsys.readouterr()
        assert code in codes, text
        codes[code] += 1
        if code == 2:
            assert f"dagathlon: {path}: " in shown.err, text
            assert "Traceback" not in shown.err, text
    assert codes[2] > codes[0] > 0


@pytest.mark.slow
def test_damaged_studies(tmp_path, capsys) -> None:
    check_many(range(120), tmp_path, capsys)


@pytest.mark.slow
def test_two_thousand_damaged_studies(tmp_path, capsys) -> None:
    check_many(range(120, 2300), tmp_path, capsys)


def test_references_in_a_circle(tmp_path, capsys) -> None:
    study = copy.deepcopy(STUDY)
    sampler = {"id": "a", "input_algorithm_id": "b"}
    study["resources"]["structure_learning_algorithms"] = {
        "bidag_order_mcmc": [sampler, {"id": "b", "input_algorithm_id": "a"}]
    }
    study["benchmark_setup"][0]["evaluation"]["benchmarks"]["ids"] = ["a"]
    path = tmp_path / "study.json"
    path.write_text(json.dumps(study))
    assert main(["check", str(path)]) == 2
    assert "form a cycle: a -> b -> a" in capsys.readouterr().err
