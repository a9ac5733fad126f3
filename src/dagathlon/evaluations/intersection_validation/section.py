"""The section of the page on intersection-validation: belief first, then the ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from dagathlon.evaluations.intersection_validation.charts import (
    Drawn,
    interval_drawing,
    pair_words,
    pairwise_tiles,
)
from dagathlon.evaluations.intersection_validation.forecast import percent
from dagathlon.evaluations.intersection_validation.tables import Validated, kind_rows
from dagathlon.evaluations.intersection_validation.validation import (
    DISTANCES,
    IntervalResult,
)
from dagathlon.evaluations.intersection_validation.words import (
    HOW,
    belief,
    first_of,
    lead,
    remarks,
    tested,
    weighted,
)
from dagathlon.evaluations.ranking.chart import critical_difference
from dagathlon.frame import Cells, Row, grouped
from dagathlon.report.charts.metric_lines import learning_curves
from dagathlon.report.charts.parts import Chart
from dagathlon.report.figures.palette import Look
from dagathlon.report.page.tables import case_names
from dagathlon.report.section import (
    Figure,
    Grid,
    Html,
    Listing,
    Part,
    Picture,
    Section,
    Variant,
    Words,
)
from dagathlon.report.tables.runs import Combination

_MOST_DATA, _MOST_DRAWN, _MOST_ROWS = 40, 6, 2000
_CURVES = (
    "The mean distance to what all learners agree on, with its standard error over subsamples. A "
    "line that falls early belongs to a learner that needs few rows; all lines come near zero as "
    "subsamples come near all rows. Lines that lie within each other's bars are not told apart. Of "
    "precision, recall and F1, where these can be chosen, more is better."
)
_PLACES = (
    "Mean distances to what all agree on, with their standard errors over subsamples. Places are "
    "by mean rank: learners are ranked on each subsample, and their ranks averaged."
)
_RANKS = (
    "Mean ranks of the learners over subsamples, by which they have their places; the best is on "
    "the left. A thick bar joins learners whose ranks differ by less than the critical difference "
    "(Nemenyi, level 0.05)."
)
_KINDS = (
    "Mean distances over seeds, each to what learners agree on with that seed, with standard "
    "errors over seeds. Seeds whose forecast is not reliable are among them."
)
_GRAPH = (
    "Solid: all learners have this edge, with these marks, on all rows. Dashed: some have it and "
    "some do not, or they give it different directions; such pairs do not count. Pairs that nobody "
    "joins count as agreed. DAGs are shown by their classes: a line without arrow has no direction "
    "that data could tell. Hover over an edge to see who says what."
)
_PAIRS = (
    "Every two learners by what just these two agree on, so that a third cannot spoil it. A number "
    "is by how many pairs of variables the learner of the line is nearer, on average over "
    "subsamples, than the learner of the column: blue is nearer, red is farther. A question mark "
    "stands where even the two agree on too little to be ranked."
)
_SENSITIVE = (
    "What the others agree on when one learner is left out. A learner whose leaving makes the "
    "agreement much larger disagrees with all others: it may be wrong, or the only one that is "
    "right."
)
_OTHERS = (
    "The same subsamples by other measures, of agreed pairs alone and averaged over sizes; the "
    "best of each column is bold. Precision: the share of what a learner says that all agree on. "
    "Recall: the share of what all agree on that it finds. Wrong effects: where all graphs of all "
    "rows say the same about how to estimate the effect of one variable on another, and its graph "
    "something else."
)


def interval_section(data_sets: Sequence[Validated], note: str = "") -> Section | None:
    """Return the page's section on intersection-validation; None without a data set.

    Parameters
    ----------
    data_sets
        What became of each data set.
    note
        How the evaluation came onto the page, if the study did not ask for it.
    """
    if not data_sets:
        return None
    made = [data_set for data_set in data_sets if data_set.result is not None]
    parts: list[Part] = [*belief(data_sets), Words(" ".join(filter(None, (HOW, note))))]
    parts += [
        *remarks(data_sets),
        *_ranks(made),
        *_diagrams(made),
        *_curves(made),
        *_drawings(made),
    ]
    parts += [*_listing(made), *_forecasts(made), *_pairwise(made), *_others(made)]
    heading = "Which learner to trust?"
    return Section("intersection-validation", heading, parts, leading=True, lead=lead(data_sets))


def figures(data_sets: Sequence[Validated]) -> Iterator[tuple[str, Chart]]:
    """Yield charts by file name: curves and diagrams of each data set."""
    for number, data_set in enumerate(
        (data_set for data_set in data_sets if data_set.result is not None), 1
    ):
        for name, parts in (
            ("learning_curves", _curves([data_set])),
            ("ranks", _diagrams([data_set])),
        ):
            for figure in parts:
                yield f"{name}_{number}", figure.variants[0][1]


def drawings(data_sets: Sequence[Validated]) -> Iterator[tuple[str, Drawn]]:
    """Yield the agreement graph of each data set, by name."""
    for data_set in data_sets:
        if data_set.result is not None:
            yield (
                data_set.name or "the data",
                interval_drawing(pair_words(data_set.result), data_set.result.nodes),
            )


def _look(result: IntervalResult) -> Look:
    return Look.of(result.learners)


def _ranks(data_sets: Sequence[Validated]) -> Iterator[Part]:
    """Yield the ranking of one data set, or the first learner on each of several."""
    if len(data_sets) == 1 and data_sets[0].result is not None and data_sets[0].result.means:
        yield Words(_PLACES, "The ranking")
        yield _ranking(data_sets[0].result)
        yield from weighted(data_sets[0].result)
    elif data_sets:
        yield Words("", "The rankings")
        head = ["data", "forecast", "ranks first", "mean rank", "pairs agreed on", "edges of all"]
        rows = [_first(data_set) for data_set in data_sets[:_MOST_DATA]]
        yield Grid(head, [row for row in rows if row], 3)
        if len(data_sets) > _MOST_DATA:
            yield Words(
                f"The first {_MOST_DATA} of {len(data_sets)} data sets; forecast.csv has all."
            )
        yield from _kinds(data_sets)


def _kinds(data_sets: Sequence[Validated]) -> Iterator[Part]:
    """Yield the means over seeds for each kind of data."""
    rows = list(kind_rows(data_sets))
    names = case_names(list(dict.fromkeys(data_set.data for data_set in data_sets)))
    sizes = sorted({row["size"] for row in rows})
    lines: dict[tuple[str, str], dict[int, Any]] = {}
    for row in rows:
        kind = names[Combination(row["graph"], row["parameters"], row["data"])]
        lines.setdefault((kind, row["learner"]), {})[row["size"]] = row
    if rows:
        yield Words(_KINDS, "By kind of data")
        head = ["data", "learner", "mean rank", *(f"{size:,} rows" for size in sizes)]
        shown = [
            [*key, _rank(members), *(_mean(members.get(n)) for n in sizes)]
            for key, members in lines.items()
        ]
        yield Grid(head, shown[:_MOST_DATA], 2)


def _rank(means_by_size: Mapping[int, Any]) -> str:
    ranks = [row["mean_rank"] for row in means_by_size.values() if row["mean_rank"] is not None]
    return f"{fmean(ranks):.2f}" if ranks else "–"


def _ranking(result: IntervalResult) -> Grid:
    of = {(row.learner, row.size): row for row in result.means}
    sizes = [f"{size:,} rows" for size in result.sizes]
    failed = any(row.failures for row in result.means)
    praised = first_of(result) if result.forecast.verdict != "not reliable" else []
    rows = []
    for place in result.ranking:
        cells: list[Any] = [place.learner, "–" if place.place is None else str(place.place)]
        if place.learner in praised:
            cells[1] = Html(f"<b>{cells[1]}</b>")
        cells.append("–" if place.mean_rank is None else f"{place.mean_rank:.2f}")
        mine = [of.get((place.learner, size)) for size in result.sizes]
        cells += [_mean(row and row._asdict()) for row in mine]
        rows.append(cells + ([sum(row.failures for row in mine if row)] if failed else []))
    head = ["learner", "place", "mean rank", *sizes, *(["failures"] if failed else [])]
    return Grid(head, rows)


def _mean(row: Row | None) -> str:
    """A mean with its standard error; a dash where there is none."""
    if row is None or row["mean"] is None:
        return "–"
    return f"{row['mean']:.2f}" if row["se"] is None else f"{row['mean']:.2f} ± {row['se']:.2f}"


def _first(data_set: Validated) -> list[Any]:
    if data_set.result is None:
        return []
    outlook, first = data_set.result.forecast, first_of(data_set.result)
    ranks = [place.mean_rank for place in data_set.result.ranking if place.learner in first]
    trusted = "; ".join(first) if outlook.verdict != "not reliable" else "–"
    size = percent(outlook.relative_size)
    rank = f"{ranks[0]:.2f}" if ranks and ranks[0] is not None and trusted != "–" else "–"
    return [data_set.name, outlook.verdict, trusted, rank, size, outlook.n_connected]


def _diagrams(data_sets: Sequence[Validated]) -> Iterator[Figure]:
    """Yield critical-difference diagrams: over all sizes and by size, or by data set."""
    variants: list[Variant] = []
    for data_set in data_sets[:_MOST_DATA]:
        tests = data_set.result.tests if data_set.result is not None else ()
        shown = tests[::-1] if len(data_sets) == 1 else tests[-1:]
        for test in shown:
            size = "all sizes" if test.size is None else f"{test.size:,} rows"
            ids = {name: name for name in test.nemenyi.names}
            chart = critical_difference(test.nemenyi, ids, Look.of(test.nemenyi.names))
            variants.append((data_set.name or size, chart))
    if variants:
        words = tested(data_sets[0].result) if len(data_sets) == 1 and data_sets[0].result else ""
        heading = "Do the learners differ by more than chance?"
        yield Figure("interval-ranks", heading, f"{_RANKS} {words}".strip(), variants)


def _curves(data_sets: Sequence[Validated]) -> Iterator[Figure]:
    """Yield learning curves: by distance, or by data set."""
    variants: list[Variant] = []
    for data_set in data_sets[:_MOST_DATA]:
        if data_set.result is None:
            continue
        measures = data_set.result.measures if len(data_sets) == 1 else ["phd"]
        for measure in measures:
            title = DISTANCES[measure][0]
            rows = [row._asdict() for row in data_set.result.means_by(measure)]
            variants.append(
                (data_set.name or title, learning_curves(rows, _look(data_set.result), title))
            )
    if variants:
        yield Figure("learning-curves", "How many rows does each learner need?", _CURVES, variants)


def _drawings(data_sets: Sequence[Validated]) -> Iterator[Picture]:
    drawn = [(name, item) for name, item in drawings(data_sets[:_MOST_DRAWN])]
    if drawn:
        notes = [
            note for name, item in drawn for note in _cut(name if len(drawn) > 1 else "", item)
        ]
        variants = [(name, item.picture.for_page()) for name, item in drawn]
        heading = "What do all learners agree on?"
        yield Picture("interval-graph", heading, " ".join([_GRAPH, *notes]), variants)


def _cut(name: str, drawn: Drawn) -> Iterator[str]:
    if drawn.pairs_left_out or drawn.nodes_left_out:
        where = f"{name}: " if name else ""
        yield (
            f"{where}There is no room here for {drawn.pairs_left_out:,} more pairs and "
            f"{drawn.nodes_left_out:,} more variables; the table has them."
        )


def _listing(data_sets: Sequence[Validated]) -> Iterator[Part]:
    rows = [row for data_set in data_sets for row in _pairs(data_set, len(data_sets) > 1)]
    if rows:
        yield Words("", "Edges that all have, and pairs on which they differ")
        yield Listing("agreed", rows[:_MOST_ROWS])


def _pairs(data_set: Validated, several: bool) -> Iterator[Cells]:
    if data_set.result is None:
        return
    k = len(data_set.result.learners)
    for pair in pair_words(data_set.result):
        row: Cells = {"data": data_set.name} if several else {}
        row["pair"] = pair.edge
        row["all agree"] = "yes" if pair.agreed is not None else "no"
        row["joined by"] = f"{pair.joined} of {k}"
        row["who says what"] = "" if pair.agreed is not None else " · ".join(pair.who())
        yield row


def _forecasts(data_sets: Sequence[Validated]) -> Iterator[Part]:
    """Yield the table of agreement graphs with one learner left out."""
    if len(data_sets) != 1 or data_sets[0].result is None or not data_sets[0].result.sensitivity:
        return
    result = data_sets[0].result
    outlook = result.forecast
    rows: list[list[Any]] = [
        ["nobody", outlook.verdict, percent(outlook.relative_size), outlook.n_connected]
    ]
    for row in sorted(result.sensitivity, key=lambda row: -row.n_connected):
        who = "; ".join(row.learners)
        cells = [row.verdict, percent(row.relative_size), row.n_connected]
        rows.append([who, *cells])
    yield Words(_SENSITIVE, "Who empties the agreement graph?")
    yield Grid(["left out", "forecast", "pairs agreed on", "edges of all"], rows, 2)


def _pairwise(data_sets: Sequence[Validated]) -> Iterator[Part]:
    variants: list[Variant] = []
    for data_set in data_sets[:_MOST_DATA]:
        result = data_set.result
        if result is None or not result.pairwise or len(result.learners) < 3:
            continue
        order = [place.learner for place in result.ranking]
        for size in reversed(result.sizes) if len(data_sets) == 1 else result.sizes[-1:]:
            rows = [row for row in result.pairwise if row.size == size]
            name = f"{size:,} rows" if len(data_sets) == 1 else data_set.name
            variants.append((name, pairwise_tiles(rows, order)))
    if variants:
        yield Figure("interval-pairs", "And every two learners by themselves?", _PAIRS, variants)


def _others(data_sets: Sequence[Validated]) -> Iterator[Part]:
    """Yield the other distances of one data set, averaged over sizes."""
    if len(data_sets) != 1 or data_sets[0].result is None:
        return
    result = data_sets[0].result
    averages = {name: _averages(result, name) for name in result.measures}
    columns = {name: means for name, means in averages.items() if means}
    if len(columns) < 2:
        return
    rows: list[list[Any]] = []
    for place in result.ranking:
        cells = [_best(columns[name], place.learner, name) for name in columns]
        rows.append([place.learner, *cells])
    yield Words(_OTHERS, "Other distances to what all agree on")
    yield Grid(["learner", *(DISTANCES[name][0] for name in columns)], rows)


def _averages(result: IntervalResult, measure: str) -> dict[str, float]:
    averages = grouped(
        (row.learner, row.mean) for row in result.means_by(measure) if row.mean is not None
    )
    whole = len(result.sizes)
    return {name: fmean(means) for name, means in averages.items() if len(means) == whole}


def _best(values: dict[str, float], learner: str, measure: str) -> str:
    if learner not in values:
        return "–"
    pick = min if DISTANCES[measure][1] == "less" else max
    shown = f"{values[learner]:.2f}"
    return Html(f"<b>{shown}</b>") if shown == f"{pick(values.values()):.2f}" else shown
