"""Meta-learners, which run another learner on samples of the rows or on imputed copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np

from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DagathlonError
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.run import Start, make_ready, run_inner_learner
from dagathlon.learners.spec import LearnerLike, LearnerSpec
from dagathlon.modules import Delegate, Reference
from dagathlon.pulse import part
from dagathlon.threads import side_by_side

if TYPE_CHECKING:
    from dagathlon.data import Dataset

LearnerSettings: TypeAlias = Annotated[str, Reference("settings")]


@dataclass(frozen=True, kw_only=True)
class MetaLearner(Learner):
    """Base class of learners that run another learner several times.

    Parameters
    ----------
    learner
        The learner: in a study the id of an algorithm, or a name with parameters such as
        ``hc[score=bge]``.
    """

    learner: LearnerSettings = "hc"

    def problem(self) -> str:
        """Return what is wrong with the inner learner, which may not read another one's graph."""
        inner = self.known()
        if inner is None:
            return ""
        reads = [p.name for p in type(inner).parameters().values() if _reads_graph(inner, p)]
        if reads:
            return f"{self.name} cannot run {inner.name} with {reads[0]}: its graph is of all rows"
        return inner.problem()

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data that the inner learner takes."""
        inner = self.known()
        return self.takes if inner is None else inner.accepted()

    def gains_by_threads(self) -> bool:
        """Return whether the inner learner can run in several threads or splits its own work."""
        inner = self.known()
        gains = inner is not None and (inner.reentrant or inner.gains_by_threads())
        return self.splits and gains

    def parameter_sample_size(self) -> float | None:
        """Return the imaginary sample size of the inner learner's prior."""
        inner = self.known()
        return None if inner is None else inner.parameter_sample_size()

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return why the inner learner cannot use such data; empty if it can."""
        inner = self.known()
        return "" if inner is None else inner.why_unsuitable(data)

    def inner(self) -> Learner:
        """Return the inner learner."""
        return resolve_learner(self.learner)

    def known(self) -> Learner | None:
        """Return the inner learner; None for the id of an algorithm, which the study resolves."""
        try:
            return self.inner()
        except DagathlonError:
            return None

    def run_each(
        self,
        samples: Iterable[Dataset],
        count: int,
        rng: np.random.Generator,
        start: Start | None = None,
    ) -> Iterator[Estimate]:
        """Run the inner learner on each data set, in several threads; yield estimates in order.

        The random numbers of a run depend on its position in the list, not on its thread.

        Parameters
        ----------
        samples
            The data sets, which may be drawn lazily with `rng`.
        count
            Number of data sets.
        rng
            The source of randomness.
        start
            Start graph of every run, if any.
        """
        inner = self.inner()
        make_ready(type(inner))
        # From a copy, so that the samples do not depend on the learner's use of random numbers.
        seed = int(deepcopy(rng).integers(2**63))

        def learned(numbered: tuple[int, Dataset]) -> Estimate:
            number, sample = numbered
            numbers = np.random.Philox(key=seed, counter=(0, 0, 0, number))
            generator = rng if count == 1 else np.random.Generator(numbers)
            with part():
                return run_inner_learner(inner, sample, generator, start=start)

        if inner.reentrant:
            return side_by_side(learned, enumerate(samples), count)
        return map(learned, enumerate(samples))

    def warm_up(self) -> None:
        """Warm up the inner learner."""
        inner = self.inner()
        make_ready(type(inner))
        inner.warm_up()

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the inner learner; empty while it is the id of an algorithm."""
        inner = self.known()
        return () if inner is None else (inner,)


def resolve_learner(given: LearnerLike) -> Learner:
    """Return the learner given by its name or by its settings in a study.

    The study replaces the id of an algorithm by its settings.
    """
    return LearnerSpec.of(given).learner()


def _reads_graph(learner: Learner, parameter: Any) -> bool:
    reference = parameter.type.reference
    reads = reference is not None and reference.to == "algorithm"
    return reads and getattr(learner, parameter.attribute) is not None
