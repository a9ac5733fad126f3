"""What charts share: data by name, axes in words, a chart for the case of no data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from dagathlon.frame import Row, Rows
from dagathlon.report.words import title

Chart: TypeAlias = dict[str, Any]

RUNS, SETTINGS = "runs", "settings"
_NOTHING = "nothing"
WIDTH, HEIGHT, STEP = 460, 340, 17


class Values(Sequence[Chart]):
    """Rows with only the columns that a chart reads, made when they are asked for.

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
    """A named table with only the columns that a chart reads; what is no number is null."""
    return {"name": name, "values": Values(rows, fields)}


def _plain(value: Any) -> Any:
    kind = type(value)
    if value is None or kind is str or kind is int:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int | str) else str(value)


def quantity(field: str, metric: str, limits: Sequence[float] | None = None) -> Chart:
    """Encoding of a metric on an axis, in words; the axis begins at zero unless limits say so."""
    scale: Chart = {"zero": True}
    if limits is not None:
        scale = {"domain": list(limits), "clamp": False}
    return {"field": field, "type": "quantitative", "title": title(metric), "scale": scale}


def tooltip(**fields: str) -> list[Chart]:
    """Encoding of a tooltip: titles by field."""
    return [{"field": field, "title": name} for field, name in fields.items()]


def headed(chart: Chart, heading: str, lines: Sequence[str] = ()) -> Chart:
    """The chart under a title, with lines below it."""
    return chart | {"title": {"text": heading, "subtitle": list(lines)}} if heading else chart


def nothing(reason: str) -> Chart:
    """A chart that says why there is none."""
    return {
        "width": WIDTH,
        "height": 60,
        "data": {"name": _NOTHING, "values": [{"text": reason}]},
        "mark": {"type": "text", "fontSize": 13},
        "encoding": {"text": {"field": "text"}},
    }


def is_nothing(chart: Chart) -> bool:
    """Whether a chart only says why there is none."""
    return bool(chart.get("data", {}).get("name") == _NOTHING)


def has_values(rows: Rows, field: str) -> bool:
    """Whether some row has a number in a column."""
    values = (row.get(field) for row in rows)
    return any(isinstance(v, int | float) and math.isfinite(v) for v in values)
