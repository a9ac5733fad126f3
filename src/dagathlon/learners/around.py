"""Learners that run another learner: on samples of the rows, on completed copies of the data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, cast

from dagathlon.data.facts import DataFacts, DataKind
from dagathlon.errors import DagathlonError
from dagathlon.learners.attempt import make_ready
from dagathlon.learners.base import Learner
from dagathlon.modules import Delegate, Reference, find
from dagathlon.modules.spec import single_values

LearnerSettings: TypeAlias = Annotated[str, Reference("settings")]


@dataclass(frozen=True, kw_only=True)
class Around(Learner):
    """A learner that runs another one several times.

    Parameters
    ----------
    learner
        The learner: in a study the id of an algorithm, or a name with parameters such as
        ``hc[score=bge]``.
    """

    learner: LearnerSettings = "hc"

    def problem(self) -> str:
        """A learner's own parameters must fit, and it may not need another one's graph."""
        inner = self.known()
        if inner is None:
            return ""
        reads = [p.name for p in type(inner).parameters().values() if _reads_graph(inner, p)]
        if reads:
            return f"{self.name} cannot run {inner.name} with {reads[0]}: its graph is of all rows"
        return inner.problem()

    def accepted(self) -> frozenset[DataKind]:
        """Kinds of data that the learner takes."""
        inner = self.known()
        return self.takes if inner is None else inner.accepted()

    def parameter_sample_size(self) -> float | None:
        """That of the learner."""
        inner = self.known()
        return None if inner is None else inner.parameter_sample_size()

    def objection(self, data: DataFacts) -> str:
        """Whatever the learner objects to."""
        inner = self.known()
        return "" if inner is None else inner.objection(data)

    def inner(self) -> Learner:
        """The learner that runs."""
        return learner_behind(self.learner)

    def known(self) -> Learner | None:
        """The learner, or None for the id of an algorithm, which the study checks by itself."""
        try:
            return self.inner()
        except DagathlonError:
            return None

    def warm_up(self) -> None:
        """Get the learner ready."""
        inner = self.inner()
        make_ready(type(inner))
        inner.warm_up()

    def delegates(self) -> tuple[Delegate, ...]:
        """The learner that runs; none while it is the id of an algorithm."""
        inner = self.known()
        return () if inner is None else (inner,)


def learner_behind(given: Any) -> Learner:
    """The learner that a text names, or that a study's settings of an algorithm describe.

    The study puts the settings in the place of the id of an algorithm.
    """
    if isinstance(given, Mapping):
        return _learner_of(given["module"], given["parameters"])
    name, parameters = single_values(given)
    return _learner_of(name, parameters)


def _reads_graph(learner: Learner, parameter: Any) -> bool:
    reference = parameter.type.reference
    reads = reference is not None and reference.to == "algorithm"
    return reads and getattr(learner, parameter.attribute) is not None


def _learner_of(name: str, values: Mapping[str, Any]) -> Learner:
    """A learner; the content of a constraint file stands in the place of its name."""
    cls = cast(type[Learner], find("algorithm", name))
    known = cls.parameters()
    contents = {
        key: value
        for key, value in values.items()
        if isinstance(value, Mapping) and key in known and known[key].type.reference
    }
    plain = {key: value for key, value in values.items() if key not in contents}
    learner = cls.from_json(plain, name)
    return dataclasses.replace(learner, **contents) if contents else learner
