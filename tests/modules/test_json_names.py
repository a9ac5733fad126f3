"""Names in a study that are no Python identifiers, and documentation along base classes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from dagathlon.errors import StudyError
from dagathlon.modules import Module, NonNegative


@dataclass(frozen=True, kw_only=True)
class Penalised(Module):
    """Something with a penalty.

    Parameters
    ----------
    lambda
        The penalty.
    steps
        How many.
    """

    kind = "algorithm"

    lambda_: NonNegative = field(default=0.5, metadata={"json": "lambda"})
    steps: int = 3


@dataclass(frozen=True, kw_only=True)
class Special(Penalised):
    """A special case.

    Parameters
    ----------
    steps
        How many, here.
    """

    name = "special"


def test_parameter_has_the_name_of_the_study():
    assert list(Special.parameters()) == ["lambda", "steps"]
    assert Special.parameters()["lambda"].attribute == "lambda_"


def test_from_json_and_to_json_use_the_name_of_the_study():
    module = Special.from_json({"lambda": 2, "steps": 1})
    assert module.lambda_ == 2.0
    assert module.to_json() == {"lambda": 2.0, "steps": 1}
    assert Special.from_json(module.to_json()) == module


def test_errors_use_the_name_of_the_study():
    with pytest.raises(StudyError, match=r"x\.lambda: found -1, expected a number at least 0"):
        Special.from_json({"lambda": -1}, "x")
    with pytest.raises(StudyError, match="did you mean 'lambda'"):
        Special.from_json({"lambda_": 1}, "x")


def test_descriptions_come_from_the_nearest_class():
    parameters = Special.parameters()
    assert parameters["lambda"].description == "The penalty."
    assert parameters["steps"].description == "How many, here."
