"""What charts share: data by name, axes in words, panels, a chart for the case of no data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from dagathlon.frame import Row, Rows
from dagathlon.report.words import title

Chart: TypeAlias = dict[str, Any]

RUNS, SETTINGS = "runs", "settings"
_NOTHING = "nothing"
WIDTH, HEIGHT, STEP = 460, 340, 17


class Values(Sequence[Chart]):
    """Rows reduced to the columns of a chart, built on demand.

    A page has its tables once for all charts, so most charts of a report never ask.
    """

    def __init__(self, rows: Iterable[Row], fields: Iterable[str]) -> None:
        self._rows, self._fields = rows, tuple(dict.fromkeys(fields))

    @cached_property
    def _made(self) -> list[Chart]:
        return [{k: _plain(row.get(k)) for k in self._fields} for row in self._rows]

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, place: Any) -> Any:
        return self._made[place]


def data(name: str, rows: Iterable[Row], fields: Iterable[str]) -> Chart:
    """Return a named table with the columns of a chart; non-numbers become null."""
    return {"name": name, "values": Values(rows, fields)}


def _plain(value: Any) -> Any:
    kind = type(value)
    if value is None or kind is str or kind is int:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int | str) else str(value)


def quantity(field: str, metric: str, limits: Sequence[float] | None = None) -> Chart:
    """Return the encoding of a metric on an axis that begins at zero unless limits are given."""
    scale: Chart = {"zero": True}
    if limits is not None:
        scale = {"domain": list(limits), "clamp": False}
    return {"field": field, "type": "quantitative", "title": title(metric), "scale": scale}


def tooltip(**fields: str) -> list[Chart]:
    """Return the encoding of a tooltip from titles by field."""
    return [{"field": field, "title": name} for field, name in fields.items()]


def headed(chart: Chart, heading: str, lines: Sequence[str] = ()) -> Chart:
    """Return the chart with a title and subtitle lines."""
    return chart | {"title": {"text": heading, "subtitle": list(lines)}} if heading else chart


def nothing(reason: str) -> Chart:
    """Return a placeholder chart with the reason for its absence."""
    return {
        "width": WIDTH,
        "height": 60,
        "data": {"name": _NOTHING, "values": [{"text": reason}]},
        "mark": {"type": "text", "fontSize": 13},
        "encoding": {"text": {"field": "text"}},
    }


def is_nothing(chart: Chart) -> bool:
    """Return whether a chart is a placeholder."""
    return bool(chart.get("data", {}).get("name") == _NOTHING)


def has_values(rows: Rows, field: str) -> bool:
    """Return whether some row has a number in a column."""
    values = (row.get(field) for row in rows)
    return any(isinstance(v, int | float) and math.isfinite(v) for v in values)


# Narrower panels than this have no room for their axes.
_LEAST_WIDTH = 250


def by_kind(
    chart: Chart,
    kinds: Sequence[str],
    *,
    own: Sequence[str] = (),
    titles: Mapping[str, str] | None = None,
) -> Chart:
    """Split a chart into panels by kind of data, if there are several.

    Parameters
    ----------
    chart
        A chart of a table with the column `case`; it gives up its width to the page.
    kinds
        The kinds of data, in the order of the panels.
    own
        Axes (x, y) that each panel has for itself: quantities that are not comparable between
        kinds of data, such as distances of graphs of 8 and of 37 nodes.
    titles
        Short titles of axes, which stand at every panel.
    """
    if len(kinds) < 2 or is_nothing(chart):
        return chart
    outside = {key: chart[key] for key in ("data", "transform") if key in chart}
    inside = {key: value for key, value in chart.items() if key not in outside}
    inside["encoding"] = chart["encoding"] | {
        axis: chart["encoding"][axis] | {"title": title} for axis, title in (titles or {}).items()
    }
    header = {"title": None, "labelAnchor": "start", "labelLimit": _LEAST_WIDTH}
    facet: Chart = {"field": "case", "type": "nominal", "title": None}
    return outside | {
        "facet": facet | {"sort": list(kinds), "header": header},
        "columns": min(len(kinds), 3),
        "spec": inside,
        "resolve": {
            "scale": {axis: "independent" if axis in own else "shared" for axis in ("x", "y")}
        },
        "usermeta": {"panels": {"least_width": _LEAST_WIDTH}},
    }
