"""Steps of a study that fill gaps several times, for other learners to pool."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from dagathlon.data.preparing.imputation import ImputationMethod, impute
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DagathlonError, StudyError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.meta_learner import learner_behind
from dagathlon.modules import Delegate, Reference

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

ImputationSettings: TypeAlias = Annotated[str, Reference("settings")]
"""The id of an imputation step of the study, or its name with parameters."""


@dataclass(frozen=True, kw_only=True)
class ImputationStep(Learner):
    """What fills gaps for learners that name it.

    The copies depend on the data alone, so that all learners that name one step are given the same.
    As an algorithm of its own it learns nothing: its graph has no edges.
    """

    gives = "mixed"
    handles_missing = True

    @abstractmethod
    def recipe(self) -> tuple[int, int, ImputationMethod]:
        """The number of copies, of passes over the columns, and the method."""

    def copies(self, data: Dataset) -> tuple[Dataset, ...]:
        """The completed copies; the data themselves where nothing is missing."""
        if not data.has_missing:
            return (data,)
        copies, sweeps, method = self.recipe()
        return impute(data, copies, sweeps=sweeps, method=method, seed=seed_of(data))

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Fill the gaps, and say how many there were."""
        filled = 0 if data.missing is None else int(data.missing.sum())
        stats = {"copies": len(self.copies(data)), "imputed_values": filled}
        note = f"{self.name} fills gaps for other learners and learns no graph itself."
        return Estimate(Graph(data.names), stats, notes=(note,))

    def objection(self, data: DataFacts) -> str:
        """None: all data can be completed."""
        return ""


def seed_of(data: Dataset) -> int:
    """A seed that the data alone decide."""
    return int(data.fingerprint[:15], 16)


def step_behind(given: Any) -> ImputationStep:
    """The step that a text names, or that a study's settings of an algorithm describe."""
    found = learner_behind(given)
    if not isinstance(found, ImputationStep):
        raise StudyError(f"{found.name} fills no gaps; name a step that does, such as mice")
    return found


def problem_of_step(given: Any) -> str:
    """What is wrong with a step; the id of an algorithm is checked by the study."""
    if given is None or isinstance(given, Mapping):
        return ""
    try:
        found = learner_behind(given)
    except DagathlonError:
        return ""
    try:
        step_behind(given)
    except StudyError as error:
        return str(error)
    return found.problem()


def delegates_to_step(given: Any) -> tuple[Delegate, ...]:
    """The step, once it is more than the id of an algorithm."""
    if isinstance(given, Mapping):
        return (step_behind(given),)
    try:
        return () if given is None else (step_behind(given),)
    except DagathlonError:
        return ()
