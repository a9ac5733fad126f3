"""Charts of accuracy against the rate of noise, and of the share that learners keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dagathlon.evaluations.noise.robustness import OVERALL, n_kinds
from dagathlon.frame import Row, Rows
from dagathlon.report.charts.parts import (
    HEIGHT,
    STEP,
    WIDTH,
    Chart,
    by_kind,
    has_values,
    is_nothing,
    nothing,
    tooltip,
)
from dagathlon.report.evaluation import TableSet
from dagathlon.report.figures.palette import GREY, Look
from dagathlon.report.section import Figure
from dagathlon.simulate.noise_code import TRUE_MISSING

_WORDS = {"M": "missing", "I": "incorrect", "S": "merged states", "L": "hidden variables"}
_FORMS = {"M": "as a state", f"M{TRUE_MISSING}": "as gaps"}
_LEAST_WIDTH = 215


def kind_words(kind: str) -> str:
    """Return the name of a kind of noise, such as ``missing + incorrect`` for ``MI``.

    Parameters
    ----------
    kind
        Letters of the code without rates, as `robustness` has them, or ``overall``.
    """
    if kind == OVERALL:
        return "all kinds"
    words = [_WORDS[letter] for letter in kind.removesuffix(TRUE_MISSING)]
    if kind.endswith(TRUE_MISSING):
        words[0] = "missing, as gaps"
    elif kind == "M":
        words[0] = "missing, as a state"
    return " + ".join(words)


def noise_rates(rows: Rows, look: Look, words: str = "F1") -> Chart:
    """Plot means with intervals against the rate, a line per learner, a panel per kind.

    Parameters
    ----------
    rows
        Those of `rate_curves` for one network (or for all together).
    look
        Colours and symbols of the learners.
    words
        What the accuracy is called.
    """
    if not has_values(rows, "mean"):
        return nothing("no learner was run at several rates of one kind of noise")
    rates = sorted({_percent(row) for row in rows})
    return _panels(_lines([_point(row) for row in rows], rates, look, words, "learner"), rows)


def _lines(points: list[Chart], rates: Sequence[float], look: Look, words: str, of: str) -> Chart:
    y: Chart = {"field": "mean", "type": "quantitative", "title": words}
    y["scale"] = {"zero": False, "nice": True}
    shown = [{"field": f, "title": t, "format": ".3g"} for f, t in _MEAN.items()]
    about = tooltip(id=of, rate="% of noise", seeds="seeds", failures="failed runs")
    return {
        "width": WIDTH,
        "height": HEIGHT - 80,
        "data": {"values": points},
        "encoding": {"x": _axis(rates), "y": y, "color": look.colour()},
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.mean_low)"}],
                "mark": {"type": "rule", "opacity": 1, "strokeOpacity": 0.45},
                "encoding": {"y": y | {"field": "mean_low"}, "y2": {"field": "mean_high"}},
            },
            {"mark": {"type": "line", "opacity": 1, "strokeOpacity": 0.7, "strokeWidth": 1.5}},
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {"shape": look.shape(), "tooltip": [*about, *shown]},
            },
        ],
    }


def state_or_gap(rows: Rows, words: str = "F1") -> Chart:
    """Plot missing values coded as a state and as gaps against their rate, a panel per learner.

    Parameters
    ----------
    rows
        Those of `rate_curves` for one network (or for all together); other kinds of noise are left
        out. A learner that takes no gaps has one line.
    words
        What the accuracy is called.
    """
    retained = [row for row in rows if row["kind"] in _FORMS]
    if {row["kind"] for row in retained} != set(_FORMS):
        return nothing("no learner was run with missing values both as a state and as gaps")
    points = [
        _point(row) | {"case": row["algorithm"], "id": _FORMS[row["kind"]]} for row in retained
    ]
    look = Look.of(_FORMS.values())
    names = list(dict.fromkeys(row["algorithm"] for row in retained))
    chart = _lines(points, sorted({_percent(row) for row in retained}), look, words, "written")
    return _narrow(by_kind(chart, names))


def robustness_plot(rows: Rows, look: Look) -> Chart:
    """Plot the robustness index of each learner with its interval, a panel per kind of noise.

    Parameters
    ----------
    rows
        Those of `robustness`; learners stand in the order of their index over all kinds, those
        without one last.
    look
        Colours and symbols of the learners.
    """
    if not has_values(rows, "index"):
        return nothing("no learner was run both with and without noise")
    order = _order(rows)
    x: Chart = {"field": "index", "type": "quantitative"}
    x |= {"title": "share kept", "scale": {"zero": False}}
    y = {"field": "id", "type": "nominal", "sort": order, "title": None}
    item = {"datum": 1, "type": "quantitative"}
    about = tooltip(id="learner", up_to="up to % of noise", seeds="seeds")
    shown = [{"field": f, "title": t, "format": ".3f"} for f, t in _INDEX.items()]
    chart: Chart = {
        "width": WIDTH,
        "height": {"step": STEP},
        "data": {"values": [_mark(row) for row in rows if row["index"] is not None]},
        "encoding": {"x": x, "y": y, "color": look.colour(legend=False)},
        "layer": [
            {
                "mark": {"type": "rule", "strokeDash": [4, 3]},
                "encoding": {"x": item, "y": None, "color": {"value": GREY}},
            },
            {
                "transform": [{"filter": "isValid(datum.index_low)"}],
                "mark": {"type": "rule", "opacity": 1, "strokeOpacity": 0.55},
                "encoding": {"x": x | {"field": "index_low"}, "x2": {"field": "index_high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {
                    "shape": look.shape(legend=False),
                    "tooltip": [*about, *shown],
                },
            },
        ],
    }
    return _panels(chart, rows)


_MEAN = {"mean": "mean", "mean_low": "from", "mean_high": "to"}
_INDEX = {"index": "share kept", "index_low": "from", "index_high": "to", "clean": "clean F1"}


def _panels(chart: Chart, rows: Rows) -> Chart:
    kinds = list(dict.fromkeys(kind_words(row["kind"]) for row in rows))
    return _narrow(by_kind(chart, kinds))


def _narrow(panels: Chart) -> Chart:
    """Narrow panels with few rates so that four fit side by side."""
    if "facet" in panels:
        panels["usermeta"] = {"panels": {"least_width": _LEAST_WIDTH}}
    return panels


def _point(row: Row) -> Chart:
    retained = {name: row[name] for name in ("seeds", "failures")}
    about = {"id": row["algorithm"], "case": kind_words(row["kind"]), "rate": _percent(row)}
    return retained | about | {name: _short(row[name]) for name in _MEAN}


def _mark(row: Row) -> Chart:
    about = {"id": row["algorithm"], "case": kind_words(row["kind"]), "seeds": row["seeds"]}
    top = None if row["up_to"] is None else round(100 * row["up_to"], 6)
    return about | {"up_to": top} | {name: _short(row[name]) for name in _INDEX}


def _short(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.5g}")


def _percent(row: Row) -> float:
    return round(100 * float(row["rate"]), 6)


def _axis(rates: Sequence[float]) -> Chart:
    return {
        "field": "rate",
        "type": "quantitative",
        "title": "% of noise",
        "scale": {"nice": False, "padding": 14},
        "axis": {"values": list(rates), "format": ".4~g", "labelOverlap": True},
    }


def _order(rows: Rows) -> list[str]:
    """Return learners by robustness, those with an index over all kinds first."""
    known = [row for row in rows if row["index"] is not None]
    place: dict[str, tuple[bool, float]] = {}
    for row in known:
        result = (row["kind"] != OVERALL, -row["index"])
        place[row["algorithm"]] = min(result, place.get(row["algorithm"], result))
    return sorted(place, key=lambda name: (place[name], name))


# Clean data and one rate are no curve.
_LEAST_RATES = 3


def rate_figures(tables: TableSet) -> Iterator[Figure]:
    """Yield curves for kinds of noise with several rates, and the robustness of each algorithm."""
    index = [row for row in tables.rows("robustness") if _is_single(row["kind"])]
    if not index:
        return
    look = _look(tables, index)
    rows = _curved(tables.rows("rate_curves"))
    if rows:
        networks = dict.fromkeys(row["network"] for row in rows)
        yield Figure(
            "noise-rates",
            "How does accuracy fall with the rate of noise?",
            "Mean F1 at each rate, over sizes and seeds, with 95 % intervals over seeds where they "
            "are several. A higher rate spoils more of the same values, so that a line is of one "
            "set of samples. A failed run counts as 0; data on which an algorithm failed without "
            "noise are left out of its lines.",
            [
                (name, noise_rates([r for r in rows if r["network"] == name], look))
                for name in networks
            ],
        )
        yield from _gaps(rows)
    yield Figure(
        "noise-robustness",
        "Which algorithms are robust?",
        "The area under the curve of F1 against the rate of noise, divided by what it would be if "
        "F1 stayed as it is without noise: 1 keeps everything. All kinds: the mean over single "
        "kinds. Rules are 95 % intervals over seeds.",
        [("share of F1 that is kept", robustness_plot(index, look))],
    )


def _gaps(rows: Rows) -> Iterator[Figure]:
    """Yield the figure of missing values as a state and as gaps, where a study has both."""
    networks = dict.fromkeys(row["network"] for row in rows)
    charts = {name: state_or_gap([r for r in rows if r["network"] == name]) for name in networks}
    variants = [(name, chart) for name, chart in charts.items() if not is_nothing(chart)]
    if variants:
        yield Figure(
            "noise-gaps",
            "Missing values: a state of their own, or gaps?",
            "Mean F1 where the same values are lost twice: replaced by a state that means missing, "
            "and left out. Algorithms that take no gaps have one line. Rules are 95 % intervals "
            "over seeds.",
            variants,
        )


def _is_single(kind: str) -> bool:
    return kind == OVERALL or n_kinds(kind) == 1


def _curved(rows: Rows) -> list[Row]:
    """Return the rows of kinds of noise with several rates."""
    rates: dict[str, set[float]] = {}
    for row in rows:
        rates.setdefault(row["kind"], set()).add(row["rate"])
    return [row for row in rows if len(rates[row["kind"]]) >= _LEAST_RATES]


def _look(tables: TableSet, rows: Rows) -> Look:
    """Return the page's colours, or new ones where an algorithm appears with several settings."""
    names = [row["algorithm"] for row in rows]
    return tables.look if set(names) <= set(tables.look.ids) else Look.of(names)
