"""Sortability beside results: what a data set gives away about its order."""

from __future__ import annotations

from collections.abc import Mapping

from dagathlon.frame import Cells, Rows, grouped
from dagathlon.report.tables.runs import Combination, combination, mean_of

# Names in the diagnostics of data sets, and what a narrow column calls them.
SORTABILITIES: Mapping[str, str] = {"varsortability": "variance", "r2_sortability": "R²"}
HEAD = f"sortability: {', '.join(SORTABILITIES.values())}"


def beside_runs(runs: Rows, data_sets: Rows) -> list[Cells]:
    """The sortabilities of the data set of each run; none where no data set has diagnostics."""
    if not data_sets:
        return [{} for _ in runs]
    known = {(combination(row), row["seed"]): row for row in data_sets}
    own = (known.get((combination(run), run["seed"]), {}) for run in runs)
    return [{name: row.get(name) for name in SORTABILITIES} for row in own]


def by_kind(data_sets: Rows) -> dict[Combination, str]:
    """Means over the seeds of each kind of data that has some, as ``0.91, 0.35``."""
    groups = grouped((combination(row), row) for row in data_sets)
    means = {kind: [mean_of(rows, name) for name in SORTABILITIES] for kind, rows in groups.items()}
    return {
        kind: ", ".join("–" if value is None else f"{value:.2f}" for value in values)
        for kind, values in means.items()
        if any(value is not None for value in values)
    }
