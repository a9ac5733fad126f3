"""Every two learners compared by what just these two agree on: differences as tiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dagathlon.evaluations.intersection_validation.validation import Comparison
from dagathlon.report.charts.parts import WIDTH, Chart, nothing, tooltip
from dagathlon.wording import counted

_STEP = 30
_LEAST = 1.0


def pairwise_tiles(rows: Iterable[Comparison], learners: Sequence[str]) -> Chart:
    """How much nearer the learner of a line is than the learner of a column.

    Parameters
    ----------
    rows
        Comparisons with one number of rows.
    learners
        The order of lines and columns.
    """
    cells = [cell for row in rows for cell in _cells(row)]
    if not cells:
        return nothing("no two learners have graphs on the same subsamples")
    most = max(_LEAST, *(abs(cell["gain"]) for cell in cells))
    axis: Chart = {"ticks": False, "domain": False, "grid": False, "labelLimit": 220}
    names: Chart = {"type": "nominal", "title": None, "sort": list(learners)}
    names["scale"] = {"domain": list(learners)}
    colour = {
        "field": "gain",
        "type": "quantitative",
        "scale": {"scheme": "redblue", "domain": [-most, most]},
        "title": "nearer by so many pairs",
        "legend": {"orient": "bottom", "gradientLength": 220},
    }
    ink = {"test": f"abs(datum.gain) > {0.6 * most:.6g}", "value": "white"}
    told = tooltip(
        line="learner",
        column="against",
        difference="nearer by",
        means="mean distances",
        won="nearer, farther, as far",
        chance="p-value (Holm)",
        agreement="they agree on",
    )
    return {
        "width": WIDTH,
        "height": _STEP * len(learners),
        "data": {"values": cells},
        "encoding": {
            "x": names | {"field": "column", "axis": axis | {"orient": "top", "labelAngle": -45}},
            "y": names | {"field": "line", "axis": axis},
            "tooltip": told,
        },
        "layer": [
            {"mark": {"type": "rect", "stroke": None}, "encoding": {"color": colour}},
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    "text": {"field": "shown"},
                    "color": {"condition": ink, "value": "#1b1f24"},
                },
            },
        ],
    }


def _cells(row: Comparison) -> Iterator[Chart]:
    """The two cells of a comparison; a gain is how much nearer the learner of the line is."""
    if row.difference is None or row.mean_left is None or row.mean_right is None:
        return
    p = "too few subsamples" if row.adjusted is None else f"{row.adjusted:.3f}"
    common: Chart = {"chance": p}
    common["agreement"] = (
        f"{row.relative_size:.1%} of all pairs, {counted(row.n_connected, 'edge')} ({row.verdict})"
    )
    doubt = "?" if row.verdict == "not reliable" else ""
    error = "" if row.se is None else f" ± {row.se:.2f}"
    sides = (
        (row.left, row.right, -row.difference, (row.wins, row.losses)),
        (row.right, row.left, row.difference, (row.losses, row.wins)),
    )
    means = {row.left: row.mean_left, row.right: row.mean_right}
    for line, column, gain, (won, lost) in sides:
        yield common | {
            "line": line,
            "column": column,
            "gain": round(gain, 4) + 0.0,
            "difference": f"{_signed(gain, 2)}{error}",
            "means": f"{means[line]:.2f} and {means[column]:.2f}",
            "won": f"{won}, {lost}, {row.ties}",
            "shown": f"{_signed(gain, 1)}{doubt}",
        }


def _signed(value: float, places: int) -> str:
    shown = f"{abs(value):.{places}f}"
    if not float(shown):
        return "0"
    return f"+{shown}" if value > 0 else f"\u2212{shown}"
