"""What the areas under curves along penalties say, in sentences and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dagathlon.frame import Cells, Rows, grouped
from dagathlon.report.section import Grid
from dagathlon.report.tables.best_cells import best_cells
from dagathlon.report.tables.metrics import kinds
from dagathlon.report.tables.regimes import ordered

_FORMS = {
    "moral": "True graphs with directed edges are compared by their moral graphs.",
    "dependence": "True graphs with directed edges are compared by their graphs of unconditional "
    "dependence.",
}
AREA_VIEWS = {
    "Areas under the curves": ("undirected_auroc", "undirected_auprc"),
    "F1 of the best graph of each curve, and of the chosen one": (
        "undirected_best_f1",
        "undirected_chosen_f1",
    ),
}
"""Which means stand side by side."""
MANY = 30
"""A table of more rows is folded, and methods by kinds of data stand in its place."""
# A choice that costs so much of F1 is worth a sentence.
_LOST = 0.05


def opening(means: Rows, undirected: str) -> str:
    """What is compared here, and by what."""
    along = set(ordered(means, "along"))
    of = {
        "penalty": "one for each penalty of a learner's path",
        "probability": "one for each least probability of an edge of a sampler",
    }
    what = " or ".join(of[name] for name in of if name in along)
    return (
        f"Undirected graphs, {what}, against the true graph. The area under the ROC curve (AUROC) "
        "is the chance that a true edge comes before a pair that is not joined; ½ is no better "
        "than lots. Where true edges are few, the area under precision against recall (AUPRC) "
        "says more. Curves go on in a straight line to the complete graph from where a path ends. "
        f"{_FORMS[undirected]}"
    )


def selection(means: Rows) -> Iterator[str]:
    """Which methods choose a graph that is far from the best one of their path."""
    scores = ((r["method"], r["undirected_best_f1"], r["undirected_chosen_f1"]) for r in means)
    found = grouped(
        (method, best - chosen)
        for method, best, chosen in scores
        if best is not None and chosen is not None
    )
    lost = {method: sum(values) / len(values) for method, values in found.items()}
    told = sorted((one for one in lost.items() if one[1] >= _LOST), key=lambda one: -one[1])
    if told:
        said = ", ".join(f"{method} {value:.2f}" for method, value in told[:6])
        yield (
            "What the choice of a graph costs, as mean difference in F1 to the best graph of the "
            f"same curve: {said}."
        )


def area_grid(means: Rows) -> Grid:
    """Means with standard errors, a line for each kind of data and method; the best are bold."""
    about = [name for name in ("graph", "model", "rows") if len(ordered(means, name)) > 1]
    head = [*about, "method", "data sets", "AUROC", "AUPRC", "best F1", "F1 of the chosen graph"]
    columns = ("undirected_auroc", "undirected_auprc", "undirected_best_f1", "undirected_chosen_f1")
    rows = []
    for members in kinds(means).values():
        for row, cells in zip(members, best_cells(members, columns, ".3f"), strict=True):
            place = [_text(row[name]) for name in about]
            rows.append([*place, row["method"], row["data_sets"], *cells])
    folded = f"All means with standard errors ({len(rows):,} rows)" if len(rows) > MANY else ""
    return Grid(head, rows, len(about) + 1, folded)


def long_areas(means: Rows) -> Iterator[Cells]:
    """A row for each mean."""
    for row in means:
        about = {name: row[name] for name in ("graph", "model", "rows", "method")}
        for metric in (one for view in AREA_VIEWS.values() for one in view):
            if row[metric] is not None:
                shown = {"mean": row[metric], "se": row[f"{metric}_se"], "known": row["data_sets"]}
                yield about | {"metric": metric} | shown


def _text(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
