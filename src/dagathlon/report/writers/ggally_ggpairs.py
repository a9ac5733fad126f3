"""``ggally_ggpairs``: a matrix of all pairs of variables for each data set."""

from __future__ import annotations

from collections.abc import Sequence

from dagathlon.data import Dataset
from dagathlon.report.charts.pairs import pairs
from dagathlon.report.context import Context
from dagathlon.report.render import save
from dagathlon.study.grammar.evaluation import Pairs

EVALUATION = Pairs


def write(context: Context, evaluations: Sequence[Pairs]) -> None:
    """One picture for each data set."""
    folder = context.folder / "ggally_ggpairs"
    positions = dict.fromkeys(case.data for case in context.cases)
    for number, position in enumerate(positions, 1):
        dataset = context.result(position)
        if isinstance(dataset, Dataset):
            save(pairs(dataset), folder / f"pairs_{number}.png")
