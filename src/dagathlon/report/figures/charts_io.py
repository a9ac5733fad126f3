"""Charts and drawings to files, and the script that shows charts in a page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from dagathlon.errors import UnavailableError
from dagathlon.learners.user_cache import cache_folder
from dagathlon.report.figures.figure_cache import painter_version
from dagathlon.report.figures.figure_pool import DrawingProcesses, OnFigure
from dagathlon.report.figures.vega_worker import VEGA_LITE
from dagathlon.report.files import write_bytes

Chart: TypeAlias = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_INK, _FAINT = "#1b1f24", "#e4e6e9"
# Whatever is shorter is not the whole script.
_LEAST_SCRIPT = 100_000
_FONT = "Helvetica, Arial, sans-serif"
_HERE = DrawingProcesses(most=1)
_drawing: ContextVar[DrawingProcesses] = ContextVar("drawing", default=_HERE)


def themed(chart: Mapping[str, Any], ink: str = _INK, font: str = _FONT) -> Chart:
    """Return the chart with colours and fonts; pages pass ``currentColor`` to inherit theirs."""
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
        "tick": line,
        "boxplot": {"rule": line, "ticks": line},
        "view": {"stroke": None},
    }
    return {"$schema": _SCHEMA, "background": None, **chart, "config": config}


def _grid(ink: str) -> Chart:
    """Return the grid lines of axes, in solid colours because transparency is slow to render."""
    if ink == _INK:
        return {"domainColor": "#9a9fa5", "tickColor": "#9a9fa5", "gridColor": _FAINT}
    faint = {"domainOpacity": 0.4, "tickOpacity": 0.4, "gridOpacity": 0.12}
    return {"domainColor": ink, "tickColor": ink, "gridColor": ink, **faint}


def save(chart: Mapping[str, Any], *paths: Path) -> None:
    """Write a chart in the format of the suffix: .png, .svg, .pdf or .json.

    Parameters
    ----------
    chart
        A Vega-Lite specification with its data.
    paths
        The files; their folders are made.
    """
    spec = {**themed(chart), "background": "white"}
    written = json.dumps(spec, default=list, allow_nan=False)
    for path in paths:
        if path.suffix == ".json":
            write_bytes(path, json.dumps(json.loads(written), indent=1).encode() + b"\n")
    _order({"chart": written}, [path for path in paths if path.suffix != ".json"])


def save_drawing(svg: str, path: Path) -> None:
    """Write an SVG drawing as .svg, .png or .pdf."""
    _order({"drawing": svg}, [path])


def _order(request: dict[str, Any], paths: Sequence[Path]) -> None:
    if paths:
        request["kinds"] = [path.suffix.lower() for path in paths]
        _drawing.get().order(request, paths)


@contextmanager
def painting(on_figure: OnFigure) -> Iterator[DrawingProcesses]:
    """Context in which figures are rendered by other processes, and at whose end all are written.

    Parameters
    ----------
    on_figure
        Told how many figures are there, and how many were asked for so far.
    """
    with DrawingProcesses(on_figure=on_figure) as drawing:
        token = _drawing.set(drawing)
        try:
            yield drawing
        finally:
            _drawing.reset(token)


@lru_cache(maxsize=1)
def vega_script() -> str:
    """Return the self-contained script that renders charts in a page.

    To put it together takes two seconds, so that it is kept in the user's cache.
    """
    cached = _kept_script()
    if cached is not None:
        with suppress(OSError, ValueError):
            script = cached.read_text("utf-8")
            if len(script) >= _LEAST_SCRIPT:
                return script
    import vl_convert  # noqa: PLC0415 - only when a page is written

    script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
    if cached is not None and len(script) >= _LEAST_SCRIPT:
        with suppress(OSError):
            write_bytes(cached, script.encode())
    return script


def _kept_script() -> Path | None:
    try:
        return cache_folder() / f"vega-{VEGA_LITE}-{painter_version()}.js"
    except UnavailableError:
        return None
