"""Properties of the true graphs: degrees and cliques, a bar for each seed."""

from __future__ import annotations

from collections.abc import Sequence

from dagathlon.frame import Rows
from dagathlon.report.charts.parts import Chart, nothing
from dagathlon.report.figures.palette import PALETTE

PROPERTIES = {
    "indegree_avg": "mean in-degree",
    "max_indegree": "largest in-degree",
    "clique_size_max": "largest clique",
    "clique_size_avg": "mean clique",
    "clique_size_min": "smallest clique",
}
_MOST_SEEDS = 60


def graph_properties(rows: Rows) -> Chart:
    """Draw bars of each property, one per seed, in a row of panels for each graph setting.

    Parameters
    ----------
    rows
        One row per true graph: `adjmat`, `seed` and the properties.
    """
    cells = [
        {"adjmat": row["adjmat"], "seed": row["seed"], "property": words, "value": row[name]}
        for row in rows
        for name, words in PROPERTIES.items()
        if row.get(name) is not None
    ]
    if not cells:
        return nothing("there is no true graph")
    present = [words for words in PROPERTIES.values() if words in {c["property"] for c in cells}]
    seeds = len({row["seed"] for row in rows})
    height = max(4, min(14, 240 // max(seeds, 1)))
    axis = {"labels": seeds <= _MOST_SEEDS, "ticks": False, "labelOverlap": True}
    panels = [
        _bars([cell for cell in cells if cell["adjmat"] == setting], setting, present, axis, height)
        for setting in dict.fromkeys(cell["adjmat"] for cell in cells)
    ]
    return {"vconcat": panels}


def _bars(cells: Rows, setting: str, order: Sequence[str], axis: Chart, height: int) -> Chart:
    """Return the panels of one graph setting."""
    return {
        "title": setting,
        "data": {"values": list(cells)},
        "facet": {"column": {"field": "property", "title": None, "sort": list(order)}},
        "spec": {
            "width": 130,
            "height": {"step": height},
            "mark": {"type": "bar", "color": PALETTE[0]},
            "encoding": {
                "y": {"field": "seed", "type": "ordinal", "title": "seed", "axis": axis},
                "x": {"field": "value", "type": "quantitative", "title": None},
            },
        },
    }
