"""How far learners are from what they agree on, against the number of rows they were given."""

from __future__ import annotations

import math
from typing import Any

from dagathlon.frame import Rows
from dagathlon.report.charts.parts import HEIGHT, WIDTH, Chart, has_values, nothing
from dagathlon.report.figures.palette import Look

# Bars of standard errors at the same number of rows stand beside each other, so far apart as a part
# of the axis.
_APART = 0.008


def learning_curves(
    rows: Rows, look: Look, words: str, across: str = "rows in a subsample"
) -> Chart:
    """Means with their standard errors against the number of rows, a line for each learner.

    Parameters
    ----------
    rows
        `learner`, `size`, `mean`, `se` (None where there is one value only), `n`, `failures`.
    look
        Colours and symbols of the learners.
    words
        What the means are of.
    across
        What sizes are.
    """
    if not has_values(rows, "mean"):
        return nothing("no subsample has been learned from by all learners yet")
    sizes = sorted({int(row["size"]) for row in rows})
    step = _APART * math.log(max(sizes[-1] / sizes[0], 2.0))
    shown = [_point(row, look, step) for row in rows if row["mean"] is not None]
    y: Chart = {"field": "mean", "type": "quantitative", "title": words}
    y["scale"] = {"zero": True, "nice": True}
    ends = {"y": y | {"field": "low"}, "y2": {"field": "high"}}
    titles = {"id": "learner", "size": across, "told": "mean ± standard error", "n": "subsamples"}
    tips = [{"field": field, "title": title} for field, title in titles.items()]
    if any(row["failed"] for row in shown):
        tips.append({"field": "failed", "title": "failed"})
    return {
        "width": WIDTH,
        "height": HEIGHT - 60,
        "data": {"values": shown},
        "encoding": {"x": _axis(sizes, across), "y": y, "color": look.colour()},
        "layer": [
            {"mark": {"type": "rule", "opacity": 1, "strokeOpacity": 0.55}, "encoding": ends},
            {"mark": {"type": "line", "opacity": 1, "strokeOpacity": 0.75, "strokeWidth": 1.6}},
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {"shape": look.shape(), "tooltip": tips},
            },
        ],
    }


def _point(row: Any, look: Look, step: float) -> Chart:
    mean, se = float(row["mean"]), row["se"]
    aside = look.number(row["learner"]) - (len(look.ids) + 1) / 2
    error = float(se or 0.0)
    return {
        "id": row["learner"],
        "size": int(row["size"]),
        "at": float(f"{int(row['size']) * math.exp(step * aside):.5g}"),
        "mean": float(f"{mean:.5g}"),
        "low": float(f"{mean - error:.5g}"),
        "high": float(f"{mean + error:.5g}"),
        "told": f"{mean:.2f}" if se is None else f"{mean:.2f} ± {error:.2f}",
        "n": row["n"],
        "failed": row["failures"],
    }


def _axis(sizes: list[int], across: str) -> Chart:
    """A doubling is a step of one length."""
    return {
        "field": "at",
        "type": "quantitative",
        "title": across,
        "scale": {"type": "log", "nice": False, "padding": 18},
        "axis": {"values": sizes, "format": ",d", "labelOverlap": True},
    }
