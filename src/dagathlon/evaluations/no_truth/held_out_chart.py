"""Held-out likelihoods: differences to the best setting, with their standard errors."""

from __future__ import annotations

from typing import Any

from dagathlon.frame import Rows
from dagathlon.report.charts.parts import STEP, WIDTH, Chart, nothing, tooltip

_ERRORS = 2


def held_out_plot(rows: Rows) -> Chart:
    """How far each setting is behind the best one.

    Parameters
    ----------
    rows
        `setting`, `log-likelihood`, `to the best` and `± to the best`, the best first.
    """
    shown = [_bar(row) for row in rows if row["log-likelihood"] is not None]
    if len(shown) < 2:
        return nothing("there is nothing to compare")
    order = [row["setting"] for row in shown]
    y = {"field": "setting", "type": "nominal", "sort": order, "title": None}
    title = "log-likelihood per row, difference to the best (nats)"
    scale = {"zero": True, "nice": True}
    x = {"field": "difference", "type": "quantitative", "title": title, "scale": scale}
    ends = {"x": {**x, "field": "low"}, "x2": {"field": "high"}}
    return {
        "width": WIDTH,
        "height": {"step": STEP + 5},
        "data": {"values": shown},
        "encoding": {"y": y, "tooltip": tooltip(setting="setting", words="difference")},
        "layer": [
            {"mark": {"type": "rule", "strokeWidth": 2, "color": "#2b7fc9"}, "encoding": ends},
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 70,
                    "opacity": 1,
                    "color": "#2b7fc9",
                },
                "encoding": {"x": x},
            },
        ],
    }


def _bar(row: Any) -> Chart:
    value, error = row["to the best"] or 0.0, row["± to the best"] or 0.0
    return {
        "setting": row["setting"],
        "difference": value,
        "low": value - _ERRORS * error,
        "high": value + _ERRORS * error,
        "words": "the best" if row["to the best"] is None else f"{value:.4f} ± {error:.4f}",
    }
