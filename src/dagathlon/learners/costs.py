"""Expected run times of learners by data size, in units of a fixed small computation.

``costs.json`` holds for each learner and kind of data a law ``units = exp(a) · rows^b · columns^c``
and the largest sizes to which it was fitted; ``tools/learner_costs.py`` measures it. One unit is
the time of `unit_of_work` on the present machine, so that the table is independent of the machine
it was made on.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from dagathlon.data.spec import DataKind
from dagathlon.learners.base import Learner
from dagathlon.learners.meta_learner import MetaLearner

_FILE = "costs.json"
_REPEATS = 3
_MUCH_LARGER = 3.0
_YEARS = 2 * 365 * 86_400.0


@dataclass(frozen=True)
class Cost:
    """The expected time of a run.

    Parameters
    ----------
    seconds
        Seconds of processor time on this machine, with the learner's defaults.
    extrapolated
        Whether the data are much larger than those of the measurement.
    """

    seconds: float
    extrapolated: bool

    def words(self) -> str:
        """Return the time as text, rounded to the precision of the estimate."""
        if self.seconds < 0.95:
            return "less than 1 s"
        about = "very roughly" if self.extrapolated else "about"
        return "years" if self.seconds > _YEARS else f"{about} {_rounded(self.seconds)}"


def expected_cost(learner: type[Learner], kind: DataKind, rows: int, columns: int) -> Cost | None:
    """Return the expected time of a run with default parameters; None if it was never measured.

    Parameters
    ----------
    learner
        The learner; one of Benchpress's names costs as much as the learner that it runs.
    kind
        Kind of the data.
    rows, columns
        Size of the data.
    """
    if issubclass(learner, MetaLearner) and learner.name not in _laws():
        return _of_replicates(learner, kind, rows, columns)
    behind: Any = getattr(learner, "runs", None)
    law = _laws().get(learner.name) or (_laws().get(behind.name) if behind else None)
    if law is None or kind not in law:
        return None
    a, b, c, most_rows, most_columns = law[kind]
    # Beyond what was measured, each row counts once, and there are all pairs of columns at least.
    by_rows = _log_of_size(rows, most_rows, b, 1.0)
    by_columns = _log_of_size(columns, most_columns, c, max(c, 2.0))
    units = math.exp(min(a + by_rows + by_columns, 60.0))
    beyond = rows > _MUCH_LARGER * most_rows or columns > _MUCH_LARGER * most_columns
    return Cost(units * seconds_per_unit(), beyond)


def _log_of_size(size: int, most: float, inside: float, beyond: float) -> float:
    """Return the logarithm of a power law in the size whose exponent changes at a largest size."""
    within = math.log(max(min(size, most), 2))
    return inside * within + beyond * math.log(max(size / most, 1.0))


def _of_replicates(learner: type[Learner], kind: DataKind, rows: int, columns: int) -> Cost | None:
    """Return the cost of a meta-learner: its inner learner's times the number of replicates."""
    default: Any = learner()
    times = int(getattr(default, "replicates", 0) or getattr(default, "copies", 1))
    once = expected_cost(type(default.inner()), kind, rows, columns)
    return None if once is None else replace(once, seconds=times * once.seconds)


@cache
def _laws() -> dict[str, dict[str, list[float]]]:
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    laws: dict[str, dict[str, list[float]]] = json.loads(text)["laws"]
    return laws


@cache
def seconds_per_unit() -> float:
    """Return the processor time of one unit of work on this machine: the best of a few repeats."""
    return min(_timed() for _ in range(_REPEATS))


def _timed() -> float:
    began = time.process_time()
    unit_of_work()
    return time.process_time() - began


def unit_of_work() -> None:
    """Run the reference computation: a few milliseconds of sorting, products and a loop."""
    values = np.sin(np.arange(30_000.0))
    for shift in range(3):
        np.sort(values + shift)
    table = values.reshape(-1, 10)
    for _ in range(100):
        np.einsum("ij,ik->jk", table[:500], table[:500])
    total = 0
    for number in range(30_000):
        total += number & 7


def _rounded(seconds: float) -> str:
    for size, name in ((86_400.0, "day"), (3600.0, "hour"), (60.0, "min"), (1.0, "s")):
        if seconds >= 0.95 * size:
            amount = max(round(seconds / size), 1)
            plural = "s" if amount > 1 and name in ("day", "hour") else ""
            return f"{_two_digits(amount)} {name}{plural}"
    return "1 s"


def _two_digits(amount: int) -> int:
    """Round a number to two digits."""
    return amount if amount < 100 else round(amount, 1 - int(math.log10(amount)))
