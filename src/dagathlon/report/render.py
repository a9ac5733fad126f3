"""Charts and drawings to files, and the script that shows charts in a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from dagathlon.report.files import write_bytes

Chart: TypeAlias = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_VEGA_LITE = "6.1"
_INK, _FAINT = "#1b1f24", "#e4e6e9"
_FONT = "Helvetica, Arial, sans-serif"
_SCALE = 1.5


def themed(chart: Mapping[str, Any], ink: str = _INK, font: str = _FONT) -> Chart:
    """The chart with colours and fonts; a page gives ``currentColor`` to follow its own."""
    axis = {
        "labelColor": ink,
        "titleColor": ink,
        **_grid(ink),
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "titlePadding": 8,
        "labelLimit": 320,
    }
    legend = {"labelColor": ink, "titleColor": ink, "labelFontSize": 11, "symbolOpacity": 1}
    line = {"color": ink}
    heading = {"color": ink, "subtitleColor": ink, "anchor": "start", "fontSize": 13, "offset": 10}
    config = {
        "font": font,
        "axis": axis,
        "legend": legend,
        "title": heading | {"subtitleFontSize": 11, "subtitlePadding": 4},
        "text": {"color": ink},
        "rule": line,
        "boxplot": {"rule": line, "ticks": line},
        "view": {"stroke": None},
    }
    return {"$schema": _SCHEMA, "background": None, **chart, "config": config}


def _grid(ink: str) -> Chart:
    """Lines of axes: solid colours in files, where transparency is slow to draw."""
    if ink == _INK:
        return {"domainColor": "#9a9fa5", "tickColor": "#9a9fa5", "gridColor": _FAINT}
    faint = {"domainOpacity": 0.4, "tickOpacity": 0.4, "gridOpacity": 0.12}
    return {"domainColor": ink, "tickColor": ink, "gridColor": ink, **faint}


def save(chart: Mapping[str, Any], path: Path) -> None:
    """Write a chart; the suffix says how: .png, .svg, .pdf or .json.

    Parameters
    ----------
    chart
        A Vega-Lite specification with its data.
    path
        The file; its folder is made.
    """
    import vl_convert  # noqa: PLC0415 - only when a figure is written

    kind = path.suffix.lower()
    spec = {**themed(chart), "background": "white"}
    if kind == ".json":
        content = (json.dumps(spec, indent=1) + "\n").encode()
    elif kind == ".svg":
        content = vl_convert.vegalite_to_svg(spec, vl_version=_VEGA_LITE).encode()
    elif kind == ".pdf":
        content = vl_convert.vegalite_to_pdf(spec, vl_version=_VEGA_LITE)
    else:
        content = vl_convert.vegalite_to_png(spec, vl_version=_VEGA_LITE, scale=_SCALE)
    write_bytes(path, content)


def save_drawing(svg: str, path: Path) -> None:
    """Write a drawing that is SVG already, as .svg, .png or .pdf."""
    import vl_convert  # noqa: PLC0415 - only when a figure is written

    kind = path.suffix.lower()
    if kind == ".svg":
        content = svg.encode()
    elif kind == ".pdf":
        content = vl_convert.svg_to_pdf(svg)
    else:
        content = vl_convert.svg_to_png(svg, scale=_SCALE)
    write_bytes(path, content)


@lru_cache(maxsize=1)
def vega_script() -> str:
    """The script that draws charts in a page; it loads nothing from anywhere."""
    import vl_convert  # noqa: PLC0415 - only when a page is written

    script = "window.vegaEmbed = vegaEmbed;"
    return vl_convert.javascript_bundle(script, vl_version=_VEGA_LITE)
