"""Greedy equivalence search by the generalised (kernel) score, for nonlinear relations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from dagathlon.learners.score.equivalence_search import ClassSearch, Phase
from dagathlon.learners.score.score_kinds import DefaultScores

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class KernelGes(ClassSearch):
    """Greedy equivalence search by the generalised score, for nonlinear relations and any data.

    How well the parents predict a variable is measured in the space of its kernel, by cross-
    validation, so that neither the form of a relation nor that of its noise is assumed. The
    score is that of `score: cv-kernel`, which other searches take too. It is the same for all
    DAGs of a class only asymptotically.

    Parameters
    ----------
    score
        Score to maximise: cv-kernel, or with the authors' ridge of .01 instead of 1e-4
        (cv-kernel-2018), which finds more false edges. Null is the first.
    phases
        Phases in order: insert edges (forward), delete them (backward), turn them (turning).
    """

    name = "kernel_ges"
    references = (
        "Huang, Zhang, Lin, Schölkopf and Glymour 2018, Generalized score functions for causal "
        "discovery, KDD",
    )
    default_scores: ClassVar[DefaultScores] = {
        "continuous": "cv-kernel",
        "discrete": "cv-kernel",
        "mixed": "cv-kernel",
    }

    score: Literal["cv-kernel", "cv-kernel-2018"] | None = None
    phases: tuple[Phase, ...] | None = ("forward", "backward")

    def notes(self, data: Dataset) -> tuple[str, ...]:
        """Return no note, though the score is only nearly equal within a class."""
        return ()
