"""Steps of a study that impute missing values several times, for other learners to pool."""

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
from dagathlon.learners.meta_learner import resolve_learner
from dagathlon.modules import Delegate, Reference

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

ImputationSettings: TypeAlias = Annotated[str, Reference("settings")]
"""The id of an imputation step of the study, or its name with parameters."""


@dataclass(frozen=True, kw_only=True)
class ImputationStep(Learner):
    """Base class of steps that impute missing values for the learners that name them.

    The copies depend on the data alone, so that all learners that name one step get the same
    copies. Run as a learner it returns a graph without edges.
    """

    gives = "mixed"
    handles_missing = True

    @abstractmethod
    def recipe(self) -> tuple[int, int, ImputationMethod]:
        """Return the number of copies, the number of sweeps over the columns, and the method."""

    def copies(self, data: Dataset) -> tuple[Dataset, ...]:
        """Return the imputed copies; the data themselves if no value is missing."""
        if not data.has_missing:
            return (data,)
        copies, sweeps, method = self.recipe()
        return impute(data, copies, sweeps=sweeps, method=method, seed=seed_of(data))

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Impute the data, report the number of imputed values, and return an empty graph."""
        filled = 0 if data.missing is None else int(data.missing.sum())
        stats = {"copies": len(self.copies(data)), "imputed_values": filled}
        note = f"{self.name} imputes missing values for other learners and learns no graph itself."
        return Estimate(Graph(data.names), stats, notes=(note,))

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return the empty text: all data can be imputed."""
        return ""


def seed_of(data: Dataset) -> int:
    """Return a seed derived from the fingerprint of the data."""
    return int(data.fingerprint[:15], 16)


def resolve_step(given: Any) -> ImputationStep:
    """Return the imputation step given by its name or by its settings in a study."""
    learner = resolve_learner(given)
    if not isinstance(learner, ImputationStep):
        raise StudyError(f"{learner.name} is no imputation step; name one, such as mice")
    return learner


def problem_of_step(given: Any) -> str:
    """Return what is wrong with an imputation step; a study checks ids of its algorithms."""
    if given is None or isinstance(given, Mapping):
        return ""
    try:
        learner = resolve_learner(given)
    except DagathlonError:
        return ""
    try:
        resolve_step(given)
    except StudyError as error:
        return str(error)
    return learner.problem()


def delegates_to_step(given: Any) -> tuple[Delegate, ...]:
    """Return the imputation step as a delegate; empty for the id of an algorithm."""
    if isinstance(given, Mapping):
        return (resolve_step(given),)
    try:
        return () if given is None else (resolve_step(given),)
    except DagathlonError:
        return ()
