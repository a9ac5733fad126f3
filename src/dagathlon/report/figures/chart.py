"""`StudyChart`: base of the charts that a study asks for by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from dagathlon.frame import Rows
from dagathlon.modules import Module
from dagathlon.report.charts.parts import Chart
from dagathlon.report.figures.palette import Look

Drawing: TypeAlias = Chart | str
"""A Vega-Lite specification with its data, or the text of an SVG picture."""


@dataclass(frozen=True, kw_only=True)
class StudyChart(Module):
    """Base class of charts of the runs of a study.

    A chart of yours is a frozen dataclass with a name and `draw`, in a file that a study names in
    ``modules``, or behind an entry point of the group ``dagathlon.modules``. A study asks for it by
    ``"charts": {"ids": ["hc"], "charts": ["mine[metric=time]"]}`` in an evaluation.

    Attributes
    ----------
    question
        What the chart answers: its heading on the page.
    caption
        How to read it.
    """

    kind = "chart"
    question: ClassVar[str] = ""
    caption: ClassVar[str] = ""

    def draw(self, runs: Rows, look: Look) -> Drawing:
        """Return a Vega-Lite specification with its data, or an SVG picture.

        Parameters
        ----------
        runs
            One row per run: the columns of ``joint_benchmarks.csv``, and ``setting``.
        look
            Colours and symbols of the algorithms: ``look.colour()`` and ``look.shape()`` are
            encodings of the column ``id``.
        """
        raise NotImplementedError
