"""How runs ended: finished, out of time, in error, out of memory, skipped."""

from __future__ import annotations

from dagathlon.report.charts.boxes import setting_axis
from dagathlon.report.charts.parts import RUNS, STEP, WIDTH, Chart, Rows, data, nothing

# From the closed set of statuses to words, and to colours that colour-blind eyes tell apart.
STATUSES = {
    "ok": ("finished", "#009e73"),
    "F1": ("F1: time limit", "#e69f00"),
    "F2": ("F2: error", "#d55e00"),
    "F3": ("F3: memory limit", "#cc79a7"),
    "skipped": ("skipped", "#8c8c8c"),
}


def outcomes(runs: Rows) -> Chart:
    """A bar for each setting, of as many runs as it has, by how they ended.

    Parameters
    ----------
    runs
        One row per run, with the columns `setting` and `status`.
    """
    if not runs:
        return nothing("there are no runs")
    words = [text for text, _ in STATUSES.values()]
    colours = [colour for _, colour in STATUSES.values()]
    lookup = "{" + ",".join(f"'{k}':'{text}'" for k, (text, _) in STATUSES.items()) + "}"
    colour = {
        "field": "outcome",
        "type": "nominal",
        "title": None,
        "scale": {"domain": words, "range": colours},
    }
    return {
        "width": WIDTH,
        "height": {"step": STEP},
        "data": data(RUNS, runs, ("setting", "id", "status", "case", "run")),
        "transform": [{"calculate": f"({lookup})[datum.status]", "as": "outcome"}],
        "mark": {"type": "bar", "height": 11},
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
