"""The conformance suite: native learners pass it, and each kind of misconduct is found."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest

from dagathlon.data import Dataset
from dagathlon.errors import DataError, UnavailableError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import find
from dagathlon.testing import ConformanceError, check_learner, problems_of
from quick_settings import NATIVE, QUICK

# These take seconds on the suite's many data sets.
SLOW = (
    "gcastle_notears_low_rank",
    "notears_low_rank",
    "partition_mcmc",
    "order_mcmc",
    "bidag_itsearch",
    "gobnilp",
    "rfci_bsc",
)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in NATIVE]
)
def test_native_learners_conform(name: str):
    check_learner(find("algorithm", name).from_json(QUICK.get(name, {})))  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Fine(Learner):
    """No edges."""

    name = "fine"
    takes = frozenset({"continuous"})

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        return self.made(data, rng)

    def made(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        return Estimate(Graph(data.names))


def test_well_behaved_learner_has_no_problems():
    assert problems_of(Fine) == problems_of(Fine()) == []
    check_learner(Fine)


def chain(names) -> Graph:
    matrix = np.eye(len(names), k=1)
    return Graph.from_adjacency(names, matrix)


def misconduct(case: str) -> type[Learner]:
    def made(self, data, rng):
        rows, columns = len(data), len(data.names)
        if case == "global" and np.random.random() < 2:  # noqa: NPY002
            return Estimate(Graph(data.names), {"score": random.random()})
        if case == "changes":
            values = np.array(data.values)
            data.values.flags.writeable = True
            data.values[:] = values + 1
        if case == "names":
            return Estimate(Graph([*data.names[1:], "other"]))
        if case == "kind":
            return Estimate(Graph.from_adjacency(data.names, 1 - np.eye(columns)))
        if case == "nan":
            return Estimate(Graph(data.names), {"score": float("nan")})
        if case == "order":
            return Estimate(chain(data.names))
        if case == "one row" and rows == 1:
            raise ZeroDivisionError("division by zero")
        if case == "refuses" and rows == 1:
            raise DataError("")
        if case == "fails":
            raise RuntimeError("broken")
        return Estimate(Graph(data.names))

    attributes = {"made": made, "__doc__": "No edges.", "order_independent": case == "order"}
    return dataclass(frozen=True, kw_only=True)(type(case.title(), (Fine,), attributes))


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("global", "the same random stream gives other statistics"),
        ("names", "its graph is not over the variables of the data: a b, other"),
        ("kind", "gives is 'dag': its result needs a DAG, found the edge a b - x.1"),
        ("nan", "statistic 'score' is not a number"),
        ("order", "claims to be order_independent"),
        ("one row", "1 row: ZeroDivisionError: division by zero"),
        ("refuses", "1 row: it refuses without a reason"),
        ("fails", "it fails on ordinary data: RuntimeError: broken"),
    ],
)
def test_misconduct_is_found(case: str, message: str):
    with pytest.raises(ConformanceError, match=message):
        check_learner(misconduct(case))


def test_data_are_protected_from_learners():
    with pytest.raises(ConformanceError, match=r"cannot set WRITEABLE|it changes the data"):
        check_learner(misconduct("changes"))


def test_undescribed_parameters_are_found():
    @dataclass(frozen=True, kw_only=True)
    class Silent(Fine):
        """No edges"""

        number: int = 3

    assert problems_of(Silent) == [
        "its documentation does not begin with a sentence",
        "the parameter 'number' is not documented",
    ]


def test_parameters_hide_nothing_that_every_learner_has():
    @dataclass(frozen=True, kw_only=True)
    class Hides(Fine):
        """No edges.

        Parameters
        ----------
        samples
            Number of samples.
        """

        samples: int = 3  # type: ignore[misc]

    assert problems_of(Hides) == [
        "the parameter 'samples' has the name of an attribute of Learner: choose another"
    ]


def test_time_is_bounded():
    with pytest.raises(ConformanceError, match="120 rows took"):
        check_learner(Fine, seconds=0.0)


def test_absent_learner_is_not_blamed():
    @dataclass(frozen=True, kw_only=True)
    class Absent(Fine):
        """No edges."""

        unavailable = "its program is not installed"

    with pytest.raises(UnavailableError, match="its program is not installed"):
        check_learner(Absent)
