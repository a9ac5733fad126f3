"""``recovery``: who finds which graph, from how many rows, with which loss and at what cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dagathlon.evaluations.paths.recovery_rows import (
    average_ranks,
    mean_rows,
    median_costs,
    run_rows,
    shapes_of,
)
from dagathlon.evaluations.paths.recovery_table import drawings, table
from dagathlon.report.evaluation import Evaluation, Table, TableSet
from dagathlon.report.results import PARTIAL, Results
from dagathlon.report.section import Picture, Section
from dagathlon.report.words import short_title

_CAPTION = (
    "Means over data sets; rest the pointer on a number for its standard error. The best of each "
    "column is bold, shades go from its median to its best, and * is a mean over some of the runs. "
    "Methods are in the order of their average rank by {}. Time is the median of processor time "
    "over all runs."
)
_DRAWN = " Above: the true graph of the first data set of each kind."


@dataclass(frozen=True, kw_only=True)
class Recovery(Evaluation):
    """Show on one screen who finds which graph, from how many rows, and at what cost.

    A table of all methods, with a column for each graph and number of rows, stands before the
    verdict, under small drawings of the true graphs.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    metrics
        The columns, one metric after the other; methods are ordered by the first. Those without any
        number are left out. A metric that an evaluation computes needs that evaluation in the
        study, as precision_kl needs precision_matrices.
    """

    name = "recovery"
    on_page = True
    ids: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ("F1_skel", "precision_kl")

    def algorithms(self) -> tuple[str, ...]:
        """The named ids."""
        return self.ids

    def needs_truth(self) -> bool:
        """Graphs are recovered if they are known."""
        return True

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Means by kind of data, method and metric; what the page draws."""
        rows = run_rows(results, self.ids or results.ids, self.metrics)
        note = {PARTIAL: True} if results.partial else {}
        means = list(mean_rows(rows, self.metrics))
        costs = [{"method": name, "cpu": cost} for name, cost in median_costs(rows).items()]
        return {
            "means": Table([row | note for row in means], "means.csv"),
            "costs": Table([row | note for row in costs], "costs.csv"),
            "shapes": Table([{"shape": one} for one in shapes_of(results)] if means else []),
        }

    def section(self, tables: TableSet) -> Section | None:
        """The drawings and the table, before the verdict."""
        means = tables.rows("means")
        if not means:
            return None
        first = means[0]["metric"]
        ranks = average_ranks(means, first)
        costs = {row["method"]: row["cpu"] for row in tables.rows("costs")}
        drawn = drawings([row["shape"] for row in tables.rows("shapes")])
        shown = drawn + table(means, sorted(ranks, key=ranks.__getitem__), tables.look, costs)
        caption = _CAPTION.format(short_title(first).rstrip(" ↑↓")) + (_DRAWN if drawn else "")
        picture = Picture("recovery", "", caption, [("Who finds which graph", shown)])
        return Section("recovery", "Who finds which graph?", [picture], opening=True)
