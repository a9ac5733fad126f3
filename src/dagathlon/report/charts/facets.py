"""Small multiples: a chart once for each kind of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dagathlon.report.charts.parts import Chart, is_nothing

# Narrower panels than this have no room for their axes.
_LEAST_WIDTH = 250


def by_kind(
    chart: Chart,
    kinds: Sequence[str],
    *,
    own: Sequence[str] = (),
    titles: Mapping[str, str] | None = None,
) -> Chart:
    """The chart as panels, one for each kind of data; as it is where there is one kind only.

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
