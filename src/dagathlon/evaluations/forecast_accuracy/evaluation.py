"""``interval_accuracy``: accuracy of intersection-validation against the truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dagathlon.evaluate.models.learner_prior import SAMPLE_SIZE
from dagathlon.evaluate.ranking.correlations import LEAST_METHODS
from dagathlon.evaluations.forecast_accuracy.accuracy import (
    ALL,
    DATA_SETS,
    HIGH,
    MEANS,
    VERDICTS,
    kept,
    points,
    predictors,
    rules,
)
from dagathlon.evaluations.forecast_accuracy.figures import (
    accuracy_figures,
    chosen_point,
    first_points,
    pictures,
)
from dagathlon.evaluations.forecast_accuracy.tables import Networks, cost_rows
from dagathlon.evaluations.intersection_validation.evaluation import doubling_sizes
from dagathlon.evaluations.intersection_validation.runs import Draw
from dagathlon.evaluations.predictive.tables import cross_entropy_score, fold_learning
from dagathlon.frame import Cells, Row, Rows
from dagathlon.modules import Count, Natural, NonNegative
from dagathlon.report.charts.parts import headed, is_nothing
from dagathlon.report.evaluation import OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.report.section import Grid, Listing, Part, Section, Words
from dagathlon.report.tables.regimes import ordered, regimes_of
from dagathlon.report.words import duration
from dagathlon.simulate.resampling import Subsample
from dagathlon.study.config.plan_requests import Cases, Learning, Wanted

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
    """Yield sentences on the accuracy for each network."""
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
    """Yield a sentence on how many searches are proven optimal, where learners report it."""
    rows = [row for row in tables.rows("costs") if row["proven"] is not None]
    finished = sum(row["runs"] - row["failed"] for row in rows)
    if not finished:
        return
    proven = sum(round(row["proven"] * (row["runs"] - row["failed"])) for row in rows)
    failed = sum(row["failed"] for row in rows)
    worst = max(rows, key=lambda row: row["worst_cpu"] or 0.0)
    slowest = f"{worst['learner']} on {worst['network']}, {worst['rows']:,} rows"
    words = f"Of {finished:,} searches that come with a certificate {proven:,} are proven optimal"
    words += f", {failed:,} more failed" if failed else ""
    yield Words(f"{words}; the slowest took {duration(worst['worst_cpu'] or 0.0)} ({slowest}).")


def _line(network: str, tables: TableSet, points: Mapping[str, int]) -> list[Any]:
    selected = [row for row in tables.rows("accuracy") if row["network"] == network]
    known = _numbers(selected, "pearson")
    cells: list[Any] = [network, *_spread(known)]
    cells += [
        f"{np.mean(np.array(known) > HIGH):.0%}" if known else None,
        len(selected) - len(known),
    ]
    at_point = [row for row in selected if row["point"] == points[network]]
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
    """Format a correlation with two digits; a dash where it is not defined."""
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
    """Return one sentence per network on the accuracy to expect."""
    words = []
    for network in ordered(rows, "network"):
        known = _numbers([row for row in rows if row["network"] == network], "pearson")
        if known:
            share = float(np.mean(np.array(known) > HIGH))
            words.append(f"{network} {_degree(share)} ({share:.0%})")
    if not words:
        return "No correlation is defined: the learners do not differ."
    return (
        "How often the order by PHD is nearly that by SHD (a correlation above 0.9), of all "
        f"intersection points and numbers of rows: {'; '.join(words)}."
    )


def _degree(share: float) -> str:
    steps = ((0.9, "nearly always"), (0.6, "mostly"), (0.3, "sometimes"), (0.0, "seldom"))
    return next(words for least, words in steps if share >= least)


def verdict_parts(tables: TableSet) -> Iterator[Part]:
    """Yield the table and sentences that compare forecasts with the accuracy achieved."""
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
    """Yield the correlations of the two properties with accuracy, by family and network."""
    rows = [row for row in tables.rows("predictors") if row["level"] == DATA_SETS]
    families = list(dict.fromkeys(row["family"] for row in rows))
    lines = []
    for family in families:
        selected = [row for row in rows if row["family"] == family]
        for name, words in _PROPERTIES.items():
            mine = [row for row in selected if row["property"] == name]
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
    """Yield precision and recall of the rules for believing a ranking, over all comparisons."""
    rows = [row for row in tables.rows("rules") if row["level"] == DATA_SETS]
    if not rows:
        return
    last = (rows[-1].get("family"), rows[-1]["network"])
    selected = [row for row in rows if (row.get("family"), row["network"]) == last]
    head = ["believe a ranking", "share believed", "of these above 0.9", "of those above 0.9"]
    shares = ("believed", "precision", "recall")
    lines = [
        [row["rule"], *(_share(row[name]) for name in shares), two(row["mean_pearson"])]
        for row in selected
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
    """Return a sentence on whether better forecasts come with higher accuracy."""
    last = (rows[-1].get("family"), rows[-1]["network"])
    selected = [row for row in rows if (row.get("family"), row["network"]) == last]
    means = {row["verdict"]: row["above_0.9"] for row in selected if row["above_0.9"] is not None}
    shares = [means[verdict] for verdict in VERDICTS if verdict in means]
    frequencies = [f"{_share(means[v])} after “{v}”" for v in VERDICTS if v in means]
    if not frequencies:
        return "No correlation is defined."
    sentence = f"A correlation above 0.9 comes in {', '.join(frequencies)}"
    if len(shares) < 2:
        return f"{sentence}. There is one kind of verdict only, so that it tells nothing apart."
    falling = all(a >= b for a, b in pairwise(shares))
    end = "the better the forecast, the more often" if falling else "the forecast does not order it"
    return f"{sentence}: {end}."


@dataclass(frozen=True, kw_only=True)
class IntervalAccuracy(OfLearners):
    """Compare intersection-validation of learners with their distances to the true graph.

    Every data set is an intersection point: the learners' agreement graph on all its rows is found,
    and their graphs on subsamples are compared with it (PHD) and with the truth (SHD). The means of
    a network's data sets are correlated over the learners, for each number of rows, with
    cross-entropy and cross-validation beside them. A study may have it several times, for families
    of learners.

    Parameters
    ----------
    ids
        Algorithms to include, three or more; none means all that the other evaluations name.
    family
        What these learners are called together, where a study compares several families.
    sizes
        Numbers of rows of subsamples, of which a data set has those below its own number; null is
        100, 200, 400 and so on.
    subsamples
        Number of subsamples of each size; all learners get the same ones.
    point
        The intersection point, a number of rows, whose learning curves are shown by themselves;
        where no data set has so many rows, the next larger one.
    folds
        Number of folds of cross-validation; 0 leaves out cross-validation and cross-entropy.
    sample_size
        Imaginary rows of the prior of each probability table for these two, of learners that score
        by no such prior themselves.
    pairwise
        Whether every two learners are compared by what just these two agree on.
    """

    name = "interval_accuracy"
    shape = "objects"
    on_page = True
    references = (
        "Viinikka, Eggeling and Koivisto 2018, Intersection-validation: a method for evaluating "
        "structure learning without ground truth, AISTATS",
    )

    ids: tuple[str, ...] = ()
    family: str = ""
    sizes: tuple[Natural, ...] | None = None
    subsamples: Natural = 10
    point: Natural = 1600
    folds: Count = 10
    sample_size: NonNegative = SAMPLE_SIZE
    pairwise: bool = True

    def needs_truth(self) -> bool:
        """Return True: all comparisons are with the true graph."""
        return True

    def problem(self) -> str:
        """Return an error unless there are subsamples and enough learners to correlate."""
        if self.sizes is not None and not self.sizes:
            return "sizes names at least one number of rows"
        if self.folds == 1:
            return "folds is 0, or 2 or more"
        few = 0 < len(self.ids) < LEAST_METHODS
        return f"a correlation is over {LEAST_METHODS} learners or more" if few else ""

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request learning on every subsample and without every fold, and cross-entropies."""
        ids, rows = self.ids or cases.ids, cases.facts.n_rows
        for size, number in self.draws(rows):
            yield Learning((Subsample(n=size, number=number),), ids)
        if self.folds:
            yield from fold_learning(ids, self.folds, self.sample_size, n_rows=rows)
            yield cross_entropy_score(cases, self.sample_size)

    def draws(self, rows: int | None) -> list[Draw]:
        """Return the subsamples of a data set with that many rows."""
        sizes = doubling_sizes(rows) if self.sizes is None else sorted(set(self.sizes))
        numbers = range(1, self.subsamples + 1)
        return [(n, number) for n in sizes if rows is None or n < rows for number in numbers]

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return means, correlations, agreement graphs, and the accuracy of forecasts.

        Several of a setup are one: the first makes the tables of all.
        """
        together = [
            evaluation
            for evaluation in results.evaluations
            if isinstance(evaluation, IntervalAccuracy)
        ]
        if self != (together or [self])[0]:
            return {}
        made: dict[str, list[Cells]] = {}
        for evaluation in together or [self]:
            for name, rows in evaluation.measured(results).items():
                made.setdefault(name, []).extend(rows)
        for level, name in ((MEANS, "accuracy"), (DATA_SETS, "data_sets")):
            for table, judged in (("forecast", kept), ("predictors", predictors), ("rules", rules)):
                made.setdefault(table, []).extend(judged(made[name], level))
        pictures = made.pop("pictures")
        tables = {name: Table(results.marked(rows), f"{name}.csv") for name, rows in made.items()}
        return tables | {
            "chosen": Table([{"point": self.point}]),
            "pictures": Table(pictures),
        }

    def measured(self, results: Results) -> dict[str, list[Cells]]:
        """Return the measured accuracy for this evaluation's learners, a table per question."""
        rows = {kind.rows for kind in regimes_of(results, results.cases).values()}
        draws = {draw for n in rows for draw in self.draws(n)}
        result = Networks(points(results, self.ids, draws, self.folds, self.pairwise))
        tables: dict[str, Iterator[Cells]] = {
            "curves": result.curves(),
            "partial_curves": result.partial_curves(),
            "methods": result.methods(),
            "accuracy": result.accuracy(),
            "data_sets": result.data_sets(),
            "pairwise": result.pairs(),
            "costs": cost_rows(results, self.ids),
            "pictures": first_points(result),
        }
        about = {"family": self.family} if self.family else {}
        return {name: [about | row for row in rows] for name, rows in tables.items()}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw all figures of the section."""
        for figure in accuracy_figures(tables):
            for number, (name, chart) in enumerate(figure.variants, 1):
                if not is_nothing(chart):
                    yield f"{figure.name}_{number}", headed(chart, name)

    def section(self, tables: TableSet) -> Section | None:
        """Show the findings as sentences, the accuracy of forecasts, then the figures."""
        rows = tables.rows("accuracy")
        if not rows:
            return None
        parts: list[Part] = [*accuracy_words(tables), *verdict_parts(tables)]
        parts += [*accuracy_figures(tables), *pictures(tables), *cost_words(tables)]
        parts += [Words("", "All intersection points"), Listing("interval accuracy", rows)]
        heading = "Intersection-validation beside the truth"
        return Section("interval-accuracy", heading, parts, leading=True)
