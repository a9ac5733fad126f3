"""`Request`: the part of an evaluation that planning depends on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from dagathlon.modules import Module
from dagathlon.study.config.plan_requests import Cases, Wanted

Shape: TypeAlias = Literal["flag", "ids", "object", "objects"]


@dataclass(frozen=True, kw_only=True)
class Request(Module):
    """The part of an evaluation that a study is read and planned with.

    `dagathlon.report.evaluation.Evaluation` adds what is made of the results.

    Attributes
    ----------
    shape
        Its form in a study: ``true`` or ``false`` (flag), a list of ids, one object of its
        parameters, or a list of such objects.
    learns
        Whether it adds learning runs, which are announced where they were not asked for.
    """

    kind = "evaluation"
    shape: ClassVar[Shape] = "object"
    learns: ClassVar[bool] = False

    def algorithms(self) -> tuple[str, ...]:
        """Ids of the algorithms whose results are read."""
        return ()

    def reads(self, cases: Cases) -> tuple[str, ...]:
        """Return ids of the algorithms whose results on one kind of data are read; by default all.

        An algorithm that no evaluation reads there is not run there.

        Parameters
        ----------
        cases
            Data sets that differ in their seed alone.
        """
        return self.algorithms()

    def compared(self) -> tuple[str, ...]:
        """Ids of the algorithms whose runs are rows of Benchpress's joint table."""
        return ()

    def needs_truth(self) -> bool:
        """Whether every data entry needs a true graph."""
        return False

    def tasks(self, cases: Cases) -> Iterable[Wanted]:
        """Return what to compute on one kind of data besides learning and the usual metrics.

        Parameters
        ----------
        cases
            Data sets that differ in their seed alone.
        """
        return ()

    @classmethod
    def by_default(cls, ids: Sequence[str], has_truth: bool) -> Request | None:
        """Return the request that reports include unasked; None for none.

        Its files are not written; its tasks are planned. None shows nothing.

        Parameters
        ----------
        ids
            The algorithms of the setup.
        has_truth
            Whether every data entry has a true graph.
        """
        return None
