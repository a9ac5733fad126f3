"""Learning from several imputed copies of data with missing values."""

from __future__ import annotations

from collections.abc import Callable

from dagathlon.learners.bayesian.imputed import Imputed
from dagathlon.modules.lineage import lineage, raised
from dagathlon.study.config.expand import Setting
from dagathlon.study.config.study_file import Steps
from dagathlon.study.plan.collector import Collector
from dagathlon.study.plan.task import Call, TaskKind


class Pooling:
    """The data sets that learners impute themselves, and the calls that do it."""

    def __init__(self, collect: Collector) -> None:
        self._collect = collect
        self._copies: dict[int, int] = {}
        self._wrapped: dict[tuple[int, int], Call] = {}

    def note(self, steps: Steps, data: int) -> None:
        """Record what the transforms of a data set ask of its learners."""
        copies = max((step.pooled_copies for step in steps), default=0)
        if copies:
            self._copies[data] = copies

    def inherit(self, before: int, after: int) -> None:
        """Copy what is asked of one data set to one derived from it."""
        if before in self._copies:
            self._copies[after] = self._copies[before]

    def pools(self, data: int) -> bool:
        """Whether learners on this data set pool over imputed copies."""
        return data in self._copies

    def call(self, setting: Setting, data: int, make: Callable[[], Call]) -> Call:
        """Return the call of a setting on a data set, cached by the setting's identity."""
        plain = self._collect.call(setting, make)
        copies = self._copies.get(data)
        if copies is None:
            return plain
        wrapped = self._wrapped.get((id(setting), copies))
        if wrapped is None:
            wrapped = self._wrapped[id(setting), copies] = _around(setting, plain, copies)
        return wrapped


def _around(setting: Setting, plain: Call, copies: int) -> Call:
    inner = {
        "module": plain.module,
        "version": plain.version,
        "parameters": setting.module.to_json() | dict(plain.values),
    }
    pool = Imputed(learner=inner, copies=copies, shared=True)  # type: ignore[arg-type]
    values = Imputed(copies=copies, shared=True).to_json() | {"learner": inner}
    behind = raised(lineage(pool))
    return Call.of(TaskKind.LEARN, Imputed.name, Imputed.version, values, raised=behind)
