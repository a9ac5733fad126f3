"""``ggally_ggpairs``: a matrix of all pairs of variables for each data set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dagathlon.evaluations.graphs.pairs_chart import pairs
from dagathlon.report.evaluation import Evaluation
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results


@dataclass(frozen=True, kw_only=True)
class Pairs(Evaluation):
    """Plot every pair of variables of the data."""

    name = "ggally_ggpairs"
    shape = "flag"

    def files(self, results: Results) -> Iterator[tuple[str, Drawing]]:
        """One picture for each data set; one that several settings share is drawn once."""
        cases = {case.data: case for case in reversed(results.cases)}
        for number, position in enumerate(dict.fromkeys(c.data for c in results.cases), 1):
            data = results.data(cases[position])
            if data is not None:
                yield f"pairs_{number}.png", pairs(data)
