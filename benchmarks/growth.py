"""How the cost of the searches grows with variables and rows; draws docs/images/growth.svg."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from benchmarks.inputs import linear_data
from benchmarks.timing import Row, alone, best_of, pick, print_table
from dagathlon.data import Network
from dagathlon.learners import learn
from dagathlon.report.figures.charts_io import save

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "growth.svg"
VARIABLES = pick((25, 50, 100, 200, 400, 800), (10, 20))
ROWS = pick((1_000, 10_000, 100_000, 1_000_000), (100, 1000))
# Beyond this a larger problem is not tried.
LONG = 2.0


def measured(axis: str, learner: str, sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """Times for each size, up to the first that takes long."""
    points = []
    for size in sizes:
        if axis == "variables":
            data, score = linear_data(size, 1000), "bic-g"
        else:
            data, score = Network.load("alarm").sample(size, seed=1), "bic"
        given = {"starts": 1} if learner == "grasp" else {}
        search = functools.partial(learn, data, learner, score=score, **given)
        seconds = best_of(search, repeats=2)
        points.append({"axis": axis, "learner": learner, "size": size, "seconds": seconds})
        if seconds > LONG:
            break
    return points


def chart(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Two panels on logarithmic axes: a straight line of slope k grows with the power k."""
    titles = {
        "variables": "variables (continuous, 1000 rows)",
        "rows": "rows (Alarm: 37 discrete variables)",
    }
    panels = []
    for axis, title in titles.items():
        mine = (point for point in points if point["axis"] == axis)
        values = [point | {"seconds": float(point["seconds"])} for point in mine]
        panels.append(
            {
                "data": {"values": values},
                "mark": {"type": "line", "point": True},
                "width": 300,
                "height": 260,
                "encoding": {
                    "x": {
                        "field": "size",
                        "type": "quantitative",
                        "scale": {"type": "log"},
                        "title": title,
                    },
                    "y": {
                        "field": "seconds",
                        "type": "quantitative",
                        "scale": {"type": "log"},
                        "title": "seconds on one core",
                    },
                    "color": {"field": "learner", "type": "nominal", "title": None},
                },
            }
        )
    return {"hconcat": panels}


def run() -> list[Row]:
    points = []
    for learner in ("hc", "tabu", "fges", "boss", "grasp"):
        points += measured("variables", learner, VARIABLES)
        points += measured("rows", learner, ROWS)
    if pick(True, False):
        save(chart(points), PICTURE)
    return [
        alone(f"{point['learner']} {point['axis']}={point['size']:,}", point["seconds"])
        for point in points
    ]


if __name__ == "__main__":
    print_table(run())
