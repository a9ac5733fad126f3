"""Learners that run another learner: on samples of the rows, on completed copies of the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np

from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DagathlonError
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.run import Start, attempt_inside, make_ready
from dagathlon.learners.spec import LearnerLike, LearnerSpec
from dagathlon.modules import Delegate, Reference
from dagathlon.pulse import part
from dagathlon.threads import side_by_side

if TYPE_CHECKING:
    from dagathlon.data import Dataset

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

    def gains_by_threads(self) -> bool:
        """Where the learner may run beside itself, or splits its own work."""
        inner = self.known()
        gains = inner is not None and (inner.reentrant or inner.gains_by_threads())
        return self.splits and gains

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

    def each_learned(
        self,
        samples: Iterable[Dataset],
        count: int,
        rng: np.random.Generator,
        start: Start | None = None,
    ) -> Iterator[Estimate]:
        """What the learner finds in each of some data sets, in order; several threads share them.

        Each has random numbers by its place, whichever thread it is in.

        Parameters
        ----------
        samples
            The data sets; where they are drawn on the way, with the same random numbers.
        count
            How many there are.
        rng
            The source of randomness.
        start
            What every search starts at, if anything.
        """
        inner = self.inner()
        make_ready(type(inner))
        # Of a copy: what is drawn for the samples is the same whether the learner draws or not.
        seed = int(deepcopy(rng).integers(2**63))

        def learned(numbered: tuple[int, Dataset]) -> Estimate:
            number, sample = numbered
            numbers = np.random.Philox(key=seed, counter=(0, 0, 0, number))
            own = rng if count == 1 else np.random.Generator(numbers)
            with part():
                return attempt_inside(inner, sample, own, start=start)

        if inner.reentrant:
            return side_by_side(learned, enumerate(samples), count)
        return map(learned, enumerate(samples))

    def warm_up(self) -> None:
        """Get the learner ready."""
        inner = self.inner()
        make_ready(type(inner))
        inner.warm_up()

    def delegates(self) -> tuple[Delegate, ...]:
        """The learner that runs; none while it is the id of an algorithm."""
        inner = self.known()
        return () if inner is None else (inner,)


def learner_behind(given: LearnerLike) -> Learner:
    """The learner that a text names, or that a study's settings of an algorithm describe.

    The study puts the settings in the place of the id of an algorithm.
    """
    return LearnerSpec.of(given).learner()


def _reads_graph(learner: Learner, parameter: Any) -> bool:
    reference = parameter.type.reference
    reads = reference is not None and reference.to == "algorithm"
    return reads and getattr(learner, parameter.attribute) is not None
