"""How runs ended: finished, out of time, in error, out of memory, skipped."""

from __future__ import annotations

from dagathlon.frame import Rows
from dagathlon.report.charts.boxes import setting_axis
from dagathlon.report.charts.parts import RUNS, STEP, WIDTH, Chart, data, nothing

# From the closed set of statuses to words, and to colours that colour-blind eyes tell apart.
STATUSES = {
    "ok": ("finished", "#009e73"),
    "timeout": ("over the time limit", "#e69f00"),
    "error": ("ended in an error", "#d55e00"),
    "memory": ("over the memory limit", "#cc79a7"),
    "skipped": ("skipped", "#8c8c8c"),
}


def outcomes(runs: Rows, step: int = STEP) -> Chart:
    """A bar for each setting, of as many runs as it has, by how they ended.

    Parameters
    ----------
    runs
        One row per run, with the columns `setting` and `status`.
    step
        Height of a row.
    """
    if not runs:
        return nothing("there are no runs")
    present = {row["status"] for row in runs}
    there = [ending for status, ending in STATUSES.items() if status in present]
    words, colours = [text for text, _ in there], [colour for _, colour in there]
    lookup = "{" + ",".join(f"'{k}':'{text}'" for k, (text, _) in STATUSES.items()) + "}"
    colour = {
        "field": "outcome",
        "type": "nominal",
        "title": None,
        "scale": {"domain": words, "range": colours},
    }
    return {
        "width": WIDTH,
        "height": {"step": step},
        "data": data(RUNS, runs, ("setting", "id", "status", "case", "run")),
        "transform": [{"calculate": f"({lookup})[datum.status]", "as": "outcome"}],
        "mark": {"type": "bar", "height": round(0.65 * step)},
        "encoding": {
            "y": setting_axis(runs),
            "x": {
                "aggregate": "count",
                "type": "quantitative",
                "title": "runs",
                "axis": {"tickMinStep": 1},
            },
            "color": colour,
            "tooltip": [{"field": "setting"}, {"field": "outcome"}, {"aggregate": "count"}],
        },
    }
