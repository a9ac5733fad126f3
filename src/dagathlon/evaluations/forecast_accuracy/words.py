"""Words on intersection-validation beside the truth, from its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dagathlon.evaluations.forecast_accuracy.accuracy import ALL, DATA_SETS, HIGH, VERDICTS
from dagathlon.evaluations.forecast_accuracy.figures import chosen_point
from dagathlon.frame import Row, Rows
from dagathlon.report.evaluation import TableSet
from dagathlon.report.section import Grid, Part, Words
from dagathlon.report.tables.regimes import ordered
from dagathlon.report.words import duration

_HOW = (
    "Intersection-validation compares what learners find on subsamples with what all of them agree "
    "on given all rows, by the partial Hamming distance (PHD), and needs no truth. Here the truth "
    "is known: accuracy is Pearson's correlation, over the learners, of their mean PHD with their "
    "mean structural Hamming distance (SHD) to the true class on as many rows."
)
_VERDICTS = (
    "Each data set by itself, as an analyst would have it, with each number of rows of its "
    "subsamples. The verdict comes from the agreement graph alone: not reliable with fewer than 5 "
    "connected pairs or less than 80 % of all pairs, good above 90 %, fair between. Same best: the "
    "learner with the least PHD is one with the least SHD. SHD lost is what that learner has more "
    "than the best one, on average, and what one has that is chosen blindly."
)


_PROPERTIES = {
    "relative_size": "relative size",
    "connected": "connected pairs",
    "separation": "separation",
}
_COLUMNS = (
    "Of all intersection points and numbers of rows, by means over data sets. “At the point” are "
    "the correlations at the one intersection point that is named, with SHD and with CE (the cross-"
    "entropy to the true model); “CE with CV” are those of cross-entropy and cross-validated "
    "log-likelihood; the last two say how far the relative size and the connected pairs of the "
    "agreement graph go with accuracy."
)


def accuracy_words(tables: TableSet) -> Iterator[Part]:
    """How accurate it is on each network."""
    yield Words(_HOW)
    rows = tables.rows("accuracy")
    yield Words(_conclusion(rows))
    if any("family" in row for row in rows):
        return
    points = chosen_point(tables)
    head = ["network", "median", "least", "greatest", "above 0.9", "not defined"]
    head += ["at the point", "with CE", "CE with CV", "size predicts", "connected predict"]
    yield Grid(head, [_line(name, tables, points) for name in ordered(rows, "network")])
    yield Words(_COLUMNS)


def cost_words(tables: TableSet) -> Iterator[Part]:
    """How many searches are proven optimal, where learners say so."""
    rows = [row for row in tables.rows("costs") if row["proven"] is not None]
    finished = sum(row["runs"] - row["failed"] for row in rows)
    if not finished:
        return
    proven = sum(round(row["proven"] * (row["runs"] - row["failed"])) for row in rows)
    failed = sum(row["failed"] for row in rows)
    worst = max(rows, key=lambda row: row["worst_cpu"] or 0.0)
    slowest = f"{worst['learner']} on {worst['network']}, {worst['rows']:,} rows"
    told = f"Of {finished:,} searches that come with a certificate {proven:,} are proven optimal"
    told += f", {failed:,} more failed" if failed else ""
    yield Words(f"{told}; the slowest took {duration(worst['worst_cpu'] or 0.0)} ({slowest}).")


def _line(network: str, tables: TableSet, points: Mapping[str, int]) -> list[Any]:
    own = [row for row in tables.rows("accuracy") if row["network"] == network]
    known = _numbers(own, "pearson")
    cells: list[Any] = [network, *_spread(known)]
    cells += [f"{np.mean(np.array(known) > HIGH):.0%}" if known else None, len(own) - len(known)]
    at_point = [row for row in own if row["point"] == points[network]]
    cells.append(f"{points[network]:,}: {_range(_numbers(at_point, 'pearson'))}")
    cells.append(_range(_numbers(at_point, "pearson_CE")))
    methods = [row for row in tables.rows("methods") if row["network"] == network]
    both = [row for row in methods if (row["left"], row["right"]) == ("CE", "CV")]
    cells.append(_range(_numbers(both, "correlation")))
    for name in ("relative_size", "connected"):
        cells.append(_predicted(tables.rows("predictors"), network, name))
    return cells


def _numbers(rows: Rows, column: str) -> list[float]:
    return [float(row[column]) for row in rows if row[column] is not None]


def _spread(known: Sequence[float]) -> list[Any]:
    if not known:
        return [None, None, None]
    return [two(float(np.median(known))), two(min(known)), two(max(known))]


def two(value: float | None) -> str:
    """A correlation with two digits; a dash where it is not defined."""
    return "–" if value is None else f"{value:.2f}".replace("-", "\u2212")


def _range(known: Sequence[float]) -> str:
    if not known:
        return "–"
    low, high = two(min(known)), two(max(known))
    return low if low == high else f"{low} to {high}"


def _predicted(rows: Rows, network: str, name: str) -> str:
    for row in rows:
        if (row["network"], row["property"]) == (network, name):
            return two(row["correlation"])
    return "–"


def _conclusion(rows: Rows) -> str:
    """In a sentence per network what to expect."""
    told = []
    for network in ordered(rows, "network"):
        known = _numbers([row for row in rows if row["network"] == network], "pearson")
        if known:
            share = float(np.mean(np.array(known) > HIGH))
            told.append(f"{network} {_degree(share)} ({share:.0%})")
    if not told:
        return "No correlation is defined: the learners do not differ."
    return (
        "How often the order by PHD is nearly that by SHD (a correlation above 0.9), of all "
        f"intersection points and numbers of rows: {'; '.join(told)}."
    )


def _degree(share: float) -> str:
    steps = ((0.9, "nearly always"), (0.6, "mostly"), (0.3, "sometimes"), (0.0, "seldom"))
    return next(words for least, words in steps if share >= least)


def verdict_parts(tables: TableSet) -> Iterator[Part]:
    """What forecasts were worth."""
    rows = [row for row in tables.rows("forecast") if row["level"] == DATA_SETS]
    if not rows:
        return
    yield Words(_VERDICTS, "What is the forecast worth?")
    several = any("family" in row for row in rows)
    shown = [row for row in rows if row["network"] == ALL] if several else rows
    head = ["learners" if several else "network", "verdict", "cases", "not defined", "median"]
    head += ["above 0.9", "below 0", "rank correlation", "same best", "SHD lost", "blindly"]
    yield Grid(head, [_verdict(row) for row in shown], 2)
    yield Words(_worth(shown))
    if several:
        yield from _predicted_parts(tables)
    yield from _rule_parts(tables)


def _predicted_parts(tables: TableSet) -> Iterator[Part]:
    """How far the two properties predict accuracy, for each family and each network in it."""
    rows = [row for row in tables.rows("predictors") if row["level"] == DATA_SETS]
    families = list(dict.fromkeys(row["family"] for row in rows))
    lines = []
    for family in families:
        own = [row for row in rows if row["family"] == family]
        for name, words in _PROPERTIES.items():
            mine = [row for row in own if row["property"] == name]
            whole = next((r["rank_correlation"] for r in mine if r["network"] == ALL), None)
            single = _numbers([r for r in mine if r["network"] != ALL], "rank_correlation")
            median = float(np.median(single)) if single else None
            lines.append([family, words, two(whole), two(median), _range(single)])
    head = ["learners", "property", "over all networks", "median over networks", "range"]
    yield Words(
        "Spearman's correlation of what is known without a truth with the correlation of PHD and "
        "SHD, over data sets and numbers of rows: of all networks together, and within each of "
        "them. Separation is how far apart the learners' mean PHD are, in standard errors.",
        "What predicts accuracy?",
    )
    yield Grid(head, lines, 2)


def _rule_parts(tables: TableSet) -> Iterator[Part]:
    """What one gets by believing some rankings and not others, over all that is compared."""
    rows = [row for row in tables.rows("rules") if row["level"] == DATA_SETS]
    if not rows:
        return
    last = (rows[-1].get("family"), rows[-1]["network"])
    own = [row for row in rows if (row.get("family"), row["network"]) == last]
    head = ["believe a ranking", "share believed", "of these above 0.9", "of those above 0.9"]
    shares = ("believed", "precision", "recall")
    lines = [
        [row["rule"], *(_share(row[name]) for name in shares), two(row["mean_pearson"])]
        for row in own
    ]
    yield Words(
        "Of the rankings that a rule believes, the share with a correlation above 0.9, and of all "
        "such rankings the share that it believes.",
        "Which rankings should be believed?",
    )
    yield Grid([*head, "mean correlation"], lines)


def _verdict(row: Row) -> list[Any]:
    shares = [_share(row[name]) for name in ("above_0.9", "below_0")]
    losses = ["–" if row[k] is None else f"{row[k]:.2g}" for k in ("loss", "blind_loss")]
    cells = [row.get("family", row["network"]), row["verdict"], row["cases"], row["undefined"]]
    cells += [two(row["median_pearson"]), *shares]
    return [*cells, two(row["mean_spearman"]), _share(row["same_best"]), *losses]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _worth(rows: Rows) -> str:
    """Whether better forecasts go with better accuracy, over all that is compared."""
    last = (rows[-1].get("family"), rows[-1]["network"])
    own = [row for row in rows if (row.get("family"), row["network"]) == last]
    means = {row["verdict"]: row["above_0.9"] for row in own if row["above_0.9"] is not None}
    shares = [means[verdict] for verdict in VERDICTS if verdict in means]
    told = [f"{_share(means[v])} after “{v}”" for v in VERDICTS if v in means]
    if not told:
        return "No correlation is defined."
    said = f"A correlation above 0.9 comes in {', '.join(told)}"
    if len(shares) < 2:
        return f"{said}. There is one kind of verdict only, so that it tells nothing apart."
    falling = all(a >= b for a, b in pairwise(shares))
    end = "the better the forecast, the more often" if falling else "the forecast does not order it"
    return f"{said}: {end}."
