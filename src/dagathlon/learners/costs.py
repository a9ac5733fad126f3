"""How long learners take, by the size of the data: measured once, in units of a fixed small work.

``costs.json`` holds for each learner and kind of data a law ``units = exp(a) · rows^b · columns^c``
and the largest sizes that it was fitted to; ``tools/learner_costs.py`` measures it. A unit is the
time of `unit_of_work` on the machine at hand, so that the table does not know the machine it was
made on.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from dagathlon.data.facts import DataKind
from dagathlon.learners.base import Learner

_FILE = "costs.json"
_REPEATS = 3
_MUCH_LARGER = 3.0


@dataclass(frozen=True)
class Cost:
    """The expected time of a run.

    Parameters
    ----------
    seconds
        Of processor time, on this machine, with the learner's defaults.
    extrapolated
        Whether the data are much larger than those that were measured.
    """

    seconds: float
    extrapolated: bool

    def words(self) -> str:
        """The time as a person says it, with no more digits than are known."""
        about = "very roughly" if self.extrapolated else "about"
        return f"{about} {_rounded(self.seconds)}" if self.seconds >= 0.95 else "less than 1 s"


def expected_cost(learner: type[Learner], kind: DataKind, rows: int, columns: int) -> Cost | None:
    """How long a run with default parameters is expected to take; None where nobody measured.

    Parameters
    ----------
    learner
        The learner; one of Benchpress's names takes as long as the learner behind it.
    kind
        Kind of the data.
    rows, columns
        Their size.
    """
    behind: Any = getattr(learner, "runs", None)
    law = _laws().get(learner.name) or (_laws().get(behind.name) if behind else None)
    if law is None or kind not in law:
        return None
    a, b, c, most_rows, most_columns = law[kind]
    units = math.exp(min(a + b * math.log(max(rows, 2)) + c * math.log(max(columns, 2)), 60.0))
    beyond = rows > _MUCH_LARGER * most_rows or columns > _MUCH_LARGER * most_columns
    return Cost(units * seconds_per_unit(), beyond)


@cache
def _laws() -> dict[str, dict[str, list[float]]]:
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    found: dict[str, dict[str, list[float]]] = json.loads(text)["laws"]
    return found


@cache
def seconds_per_unit() -> float:
    """Processor time of a unit of work on this machine, the best of a few."""
    return min(_timed() for _ in range(_REPEATS))


def _timed() -> float:
    began = time.process_time()
    unit_of_work()
    return time.process_time() - began


def unit_of_work() -> None:
    """Some sorting, some arithmetic and some Python: a few milliseconds."""
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
            amount = seconds / size
            digits = 0 if amount >= 9.5 else -math.floor(math.log10(max(amount, 1.0)))
            shown = f"{round(amount, digits):,.0f}"
            return f"{shown} {name}{'s' if shown != '1' and len(name) > 3 else ''}"
    return "1 s"
