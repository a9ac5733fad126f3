"""Figures and words of a study of posteriors, from its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluations.posterior_comparison.posterior_words import (
    STRONG,
    Yardstick,
    beaten,
    entropies,
    in_short,
    metrics_in_words,
    trusted,
    yardsticks,
)
from dagathlon.report.charts.correlations import correlation_tiles
from dagathlon.report.charts.metric_lines import correlation_lines, metric_lines
from dagathlon.report.evaluation import TableSet
from dagathlon.report.figures.palette import Look
from dagathlon.report.section import Figure, Grid, Part, Variant, Words
from dagathlon.report.tables.metrics import ALL_GRAPHS
from dagathlon.report.tables.regimes import ordered

DISTANCES = ("graph_mmd", "params_mmd")
"""What compares with the true posterior: by it the other metrics are judged."""
PROXIES = ("e_shd", "e_cpdag_shd", "edge_auroc", "edge_auprc", "nll", "i_nll", "i_kl", "i_mmd")
"""What compares with the true graph or model, in the order of the paper's figures."""
ENTROPIES = ("entropy", "entropy_kl")

_RANKED = (
    "On each data set, at each start, the methods are ranked by every metric; Spearman's "
    "correlation of two rankings is averaged over starts and data sets. Signs are turned so that 1 "
    "means that two metrics prefer the same methods. Ranking on each data set by itself keeps hard "
    "and easy data sets from making any two metrics look alike, as one ranking of all runs would."
)
_TRUST = (
    "Rank correlations over the data sets of all graphs. A metric is said to agree where the "
    f"correlation is at least {STRONG:g} and its 95 % interval lies above 0, and to go against "
    "where the opposite holds; correlations.csv has the intervals."
)


def posterior_figures(tables: TableSet) -> list[Figure]:
    """Those that have something to show, the judgement on metrics first."""
    metrics = ordered(tables.rows("metrics"), "metric")
    proxies = [m for m in metrics if m not in (*DISTANCES, *ENTROPIES)]
    found = [
        Figure(
            "posterior-agreement",
            "When do metrics agree with the distance to the true posterior?",
            _RANKED,
            _agreement(tables),
        ),
        Figure(
            "posterior-distance",
            "How far from the true posterior are the methods?",
            "Graph MMD compares edges, Params MMD coefficients and noise variances; 0 is the true "
            "posterior.",
            _lines(tables, [m for m in metrics if m in DISTANCES]),
        ),
        Figure(
            "posterior-metrics",
            "What do the methods score against the true graph and model?",
            "Where rows are few, the true posterior need not be the best by these metrics. Axes on "
            "which values differ widely are logarithmic away from 0.",
            _lines(tables, proxies),
        ),
        Figure(
            "posterior-entropy",
            "How uncertain are the methods?",
            "Entropy has no better end: that of the true posterior is the right one. The estimate "
            "from nearest neighbours is that of the paper's appendix D.",
            _lines(tables, [m for m in metrics if m in ENTROPIES]),
        ),
        Figure(
            "posterior-correlations",
            "Which metrics order the methods alike?",
            _RANKED,
            _tiles(tables),
        ),
    ]
    return [figure for figure in found if figure.variants]


def _lines(tables: TableSet, metrics: Sequence[str]) -> list[Variant]:
    """A chart of panels for each metric and model."""
    rows = [{**row, "id": row["method"]} for row in tables.rows("means")]
    look = _look(tables, [row["id"] for row in rows])
    models = ordered(rows, "model")
    found = []
    for metric in metrics:
        for model in models:
            own = [row for row in rows if (row["metric"], row["model"]) == (metric, model)]
            name = measure_of(metric).label
            found.append((f"{name}, {model}" if len(models) > 1 else name, own, metric))
    return [(name, metric_lines(own, metric, look)) for name, own, metric in found if own]


def _look(tables: TableSet, names: Sequence[str]) -> Look:
    """The colours of algorithms, unless methods are settings of them."""
    return tables.look if set(names) <= set(tables.look.ids) else Look.of(names)


def _agreement(tables: TableSet) -> list[Variant]:
    """Correlations of all metrics with each distance, over the number of rows."""
    rows = tables.rows("correlations")
    found: list[Variant] = []
    for distance in DISTANCES:
        own = [row for row in rows if row["left"] == distance and row["right"] not in DISTANCES]
        shown = [{**row, "id": measure_of(row["right"]).label} for row in own]
        look = Look.of(row["id"] for row in shown)
        models = ordered(shown, "model")
        for model in models:
            chosen = [row for row in shown if row["model"] == model]
            title = measure_of(distance).label
            name = f"with {title}, {model}" if len(models) > 1 else f"with {title}"
            chart = correlation_lines(chosen, f"rank correlation with {title}", look)
            found.append((name, chart))
    return found


def _tiles(tables: TableSet) -> list[Variant]:
    """All correlations, for each model and number of rows."""
    metrics = ordered(tables.rows("metrics"), "metric")
    rows = [row for row in tables.rows("correlations") if row["graph"] != ALL_GRAPHS]
    found: list[Variant] = []
    for model in ordered(rows, "model"):
        for size in sorted({row["rows"] for row in rows if row["model"] == model}):
            own = [row for row in rows if (row["model"], row["rows"]) == (model, size)]
            found.append((f"{model}, {size:,} rows", correlation_tiles(own, metrics)))
    return found


def trust_parts(tables: TableSet) -> Iterator[Part]:
    """Which metrics order methods as the distance to the true posterior does, and where."""
    rows = tables.rows("correlations")
    head = ["data", "rows", "agree", "go against", "neither"]
    for distance in DISTANCES:
        found = trusted(rows, distance, DISTANCES)
        if not found:
            continue
        title = measure_of(distance).label
        yield Words(in_short(found, distance), f"Which metrics can stand for {title}?")
        yield Grid(
            head,
            [[one.model, f"{one.rows:,}", *map(metrics_in_words, one[2:])] for one in found],
            5,
        )
        yield Words(_TRUST)


def truth_parts(tables: TableSet) -> Iterator[Part]:
    """How the true posterior itself does."""
    references = {row["model"]: row["reference"] for row in tables.rows("references")}
    means = tables.rows("means")
    metrics = ordered(tables.rows("metrics"), "metric")
    proxies = [m for m in metrics if m not in DISTANCES and measure_of(m).better]
    found = list(yardsticks(means, proxies, references))
    if found:
        heading = "By which metrics does the true posterior look worse than approximations of it?"
        words = "Behind more than half of the methods, by means over data sets and graphs:"
        yield Words(f"{words} {beaten(found)}", heading)
        yield _behind(found, proxies)
    for place, said in enumerate(entropies(means, references)):
        yield Words(said, "" if place else "How uncertain is the true posterior?")


def _behind(found: Sequence[Yardstick], metrics: Sequence[str]) -> Grid:
    """How many methods have a better mean than the true posterior, by metric."""
    lines: dict[tuple[str, int], dict[str, str]] = {}
    for one in found:
        cells = lines.setdefault((one.model, one.rows), {})
        cells[one.metric] = f"{len(one.better)} of {one.others}"
    head = ["data", "rows", *(measure_of(metric).label for metric in metrics)]
    rows = [[m, f"{n:,}", *(own.get(k) for k in metrics)] for (m, n), own in lines.items()]
    return Grid(head, rows)
