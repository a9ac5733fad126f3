"""Former names of methods and functions: they still work, and say what they are called now."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dagathlon import evaluate
from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.evaluations.intersection_validation.validation import (
    IntervalResult,
    interval_validation,
)
from dagathlon.graphs import Graph
from dagathlon.learners import Estimate, Learner, run
from dagathlon.learners.constraint.pc import Pc
from dagathlon.simulate.iid import Iid

GAPS = DataFacts("continuous", missing=True)


def test_a_former_method_can_be_called() -> None:
    with pytest.deprecated_call(match=r"Pc\.objection is why_unsuitable now"):
        assert Pc().objection(GAPS) == Pc().why_unsuitable(GAPS) != ""
    with pytest.deprecated_call(match="Iid.objection is why_unsuitable now"):
        assert Iid().objection(DataFacts("discrete")) == ""


def test_an_override_under_a_former_name_is_in_effect() -> None:
    with pytest.deprecated_call(match="Plugin.objection is why_unsuitable now"):

        @dataclass(frozen=True, kw_only=True)
        class Plugin(Learner):
            name = "plugin"

            def objection(self, data: DataFacts) -> str:
                return super().objection(data) or "never"

            def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
                return Estimate(Graph(data.names))

    class Derived(Plugin):
        def why_unsuitable(self, data: DataFacts) -> str:
            return f"derived: {super().why_unsuitable(data)}"

    with pytest.deprecated_call():
        assert Plugin().why_unsuitable(DataFacts()) == "never"
        assert "cannot handle missing values" in Plugin().why_unsuitable(GAPS)
        assert Derived().why_unsuitable(DataFacts()) == "derived: never"


def test_former_functions_can_be_imported_from_where_they_were() -> None:
    with pytest.deprecated_call(match="run_inner_learner"):
        from dagathlon.learners.attempt import attempt_inside
    assert attempt_inside is run.run_inner_learner
    with pytest.deprecated_call(match="IntervalResult"):
        assert evaluate.IntervalResult is IntervalResult
    with pytest.deprecated_call(match="random_baselines"):
        assert evaluate.random_control is evaluate.random_baselines
    with pytest.deprecated_call(match="interval_validation"):
        assert evaluate.interval_validation is interval_validation
