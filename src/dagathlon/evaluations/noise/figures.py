"""Figures of a noise study, and the orders and means that its figures and sentences share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from dagathlon.evaluations.noise.charts import (
    change_dots,
    edges_against_density,
    kept_cells,
    rank_cells,
    rank_moves,
    time_moves,
)
from dagathlon.evaluations.noise.grid import CLEAN, CODES
from dagathlon.evaluations.noise.rates_chart import rate_figures
from dagathlon.evaluations.noise.tables import METRICS
from dagathlon.frame import grouped
from dagathlon.report.charts.parts import Chart, is_nothing
from dagathlon.report.evaluation import TableSet
from dagathlon.report.section import Figure
from dagathlon.simulate.noise_code import LETTERS, TRUE_MISSING, parse_code

KEPT = {
    "kept": ("F1 and BSF", ("f1", "bsf")),
    "f1_kept": ("F1", ("f1",)),
    "bsf_kept": ("BSF", ("bsf",)),
}
"""What can be kept: its column, in words, and the scores it is the mean of."""


class Kept(NamedTuple):
    """Mean accuracy that an algorithm keeps under noise.

    Parameters
    ----------
    algorithm
        Who.
    mean
        Over networks and kinds of noise that all regular algorithms have; None for nothing.
    regular
        Whether it has a number for at least half of them: others are not compared.
    """

    algorithm: str
    mean: float | None
    regular: bool


def noisy_codes(tables: TableSet) -> list[str]:
    """Return the kinds of noise: single ones by rate, then combinations in study order."""
    result = dict.fromkeys(str(row["code"]) for row in tables.rows("runs"))
    known = dict.fromkeys([*(code for code in CODES if code in result), *result])
    noisy = [code for code in known if code != CLEAN]
    return sorted(noisy, key=_place)


def _place(code: str) -> tuple[int, float, bool]:
    """Return the sort key of a code: single kinds by letter and rate, combinations last."""
    plain = code.removesuffix(TRUE_MISSING)
    if plain.startswith("c"):
        return len(LETTERS), 0.0, False
    rates = parse_code(plain)
    return [*LETTERS].index(plain[0]), sum(rates.values()), plain != code


def kept_means(tables: TableSet, column: str = "kept") -> list[Kept]:
    """Return mean accuracy kept by algorithm, the largest first, algorithms not compared last."""
    cells: dict[str, dict[tuple[str, str], float]] = {}
    for row in tables.rows("accuracy_kept"):
        mine = cells.setdefault(row["algorithm"], {})
        if row[column] is not None:
            mine[row["network"], row["code"]] = row[column]
    total = len({cell for mine in cells.values() for cell in mine})
    regular = {name for name, mine in cells.items() if mine and 2 * len(mine) >= total}
    common = set.intersection(*(set(cells[name]) for name in regular)) if regular else set()
    result = [
        Kept(
            name,
            _mean([v for cell, v in mine.items() if cell in common or name not in regular]),
            name in regular and bool(common),
        )
        for name, mine in cells.items()
    ]
    return sorted(
        result, key=lambda item: (not item.regular, item.mean is None, -(item.mean or 0.0))
    )


def algorithm_order(tables: TableSet) -> list[str]:
    """Return algorithms by accuracy kept, those without comparison last."""
    retained = [kept_mean.algorithm for kept_mean in kept_means(tables)]
    every = dict.fromkeys(row["algorithm"] for row in tables.rows("runs"))
    return [*retained, *(name for name in sorted(every) if name not in retained)]


def clean_scores(tables: TableSet, metrics: Sequence[str]) -> dict[tuple[str, str], float]:
    """Return mean scores without noise by network and algorithm, over sizes."""
    known = (row for row in tables.rows("scores_clean") if None not in map(row.get, metrics))
    result = grouped(
        ((row["network"], row["algorithm"]), fmean(map(row.__getitem__, metrics))) for row in known
    )
    return {key: fmean(values) for key, values in result.items()}


def usual_failures(tables: TableSet) -> dict[tuple[str, str, str], str]:
    """Return the most frequent failure by network, code and algorithm."""
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for row in tables.rows("runs"):
        if row["failure"]:
            key = (row["network"], row["code"], row["algorithm"])
            counts.setdefault(key, Counter())[row["failure"]] += 1
    return {key: members.most_common(1)[0][0] for key, members in counts.items()}


def several_seeds(tables: TableSet) -> bool:
    """Return whether some network has more than one sample, so that its numbers have intervals."""
    result = {(row["network"], row["seed"]) for row in tables.rows("runs")}
    return len(result) > len({network for network, _ in result})


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def noise_figures(tables: TableSet) -> Iterator[Figure]:
    """Yield all figures that the tables have numbers for."""
    if not tables.rows("runs"):
        return
    made = [_kept_figure(tables), _losses(tables), *rate_figures(tables)]
    for figure in (*made, _moves(tables), _edges(tables), _times(tables)):
        drawn = [item for item in figure.variants if not is_nothing(item[1])]
        if drawn:
            yield figure._replace(variants=drawn)


def _kept_figure(tables: TableSet) -> Figure:
    """Draw the main figure: accuracy kept by algorithm and kind of noise."""
    caption = (
        "Per cent of the accuracy without noise that is left, over sample sizes and seeds: orange "
        "is lost, blue gained, deeper for more. N is the accuracy without noise itself. Algorithms "
        "that keep most stand on top; click a cell for its runs. A faint number has an interval "
        "that includes 100 %. "
        f"{_marks(tables)}An empty place: that noise has no meaning there, or the algorithm was "
        "not run."
    )
    variants = [(words, _kept(tables, column)) for column, (words, _) in KEPT.items()]
    return Figure("noise-kept", "How much accuracy is left with noise?", caption, variants)


def _marks(tables: TableSet) -> str:
    rows = tables.rows("runs")
    if not any(row["failure"] for row in rows):
        return ""
    return (
        "F1 (timeout), F2 (error) or F3 (out of memory) where all runs failed; a dashed frame "
        "where some did. "
    )


def _kept(tables: TableSet, column: str) -> Chart:
    failures, scores = usual_failures(tables), clean_scores(tables, KEPT[column][1])
    names = ("network", "code", "algorithm")
    examples = {tuple(row[n] for n in names): row["run"] for row in tables.rows("examples")}
    cells = []
    for row in tables.rows("accuracy_kept"):
        place = (row["network"], row["code"], row["algorithm"])
        cells.append(
            {name: row[name] for name in (*names, "runs", "failures")}
            | {"run": examples.get(place)}
            | {"kept": row[column], "low": row[f"{column}_low"], "high": row[f"{column}_high"]}
            | {"clean": scores.get(place[::2]), "failure": failures.get(place)}
        )
    clean = [
        {"network": network, "code": CLEAN, "algorithm": algorithm, "plain": True}
        | {"run": examples.get((network, CLEAN, algorithm))}
        | {"clean": scores.get((network, algorithm))}
        | {"failure": failures.get((network, CLEAN, algorithm))}
        | _counts(tables, network, algorithm)
        for network, algorithm in dict.fromkeys((c["network"], c["algorithm"]) for c in cells)
    ]
    return kept_cells([*clean, *cells], algorithm_order(tables), [CLEAN, *noisy_codes(tables)])


def _counts(tables: TableSet, network: str, algorithm: str) -> dict[str, int]:
    """Return the number of runs without noise, and of failed ones among them."""
    mine = [
        row
        for row in tables.rows("scores_clean")
        if (row["network"], row["algorithm"]) == (network, algorithm)
    ]
    return {name: sum(row[name] for row in mine) for name in ("runs", "failures")}


def _losses(tables: TableSet) -> Figure:
    variants = []
    for metric, words in METRICS.items():
        rows = [
            {"name": row["code"], "change": row["paired"], "low": row["paired_low"]}
            | {"high": row["paired_high"], "runs": row["n"]}
            for row in tables.rows("loss_by_noise")
            if row["metric"] == metric
        ]
        chart = change_dots(rows, _worst_first(rows), f"relative change of {words} (+ is better)")
        variants.append((f"by kind of noise, {words}", chart))
    variants += [
        (f"by algorithm, {words}", _by_algorithm(tables, column))
        for column, (words, _) in KEPT.items()
    ]
    return Figure(
        "noise-losses",
        "What does noise cost, by kind and by algorithm?",
        "By kind of noise: the change of all algorithms' mean score against the same data without "
        "noise, of those that finished both, with 95 % intervals over networks and seeds. By "
        "algorithm: the mean over networks and kinds of noise on which all can be compared.",
        variants,
    )


def _worst_first(rows: list[Chart]) -> list[str]:
    return [row["name"] for row in sorted(rows, key=lambda row: row["change"] or 0.0)]


def _by_algorithm(tables: TableSet, column: str) -> Chart:
    result = [
        kept_mean
        for kept_mean in kept_means(tables, column)
        if kept_mean.regular and kept_mean.mean is not None
    ]
    rows = [
        {"name": kept_mean.algorithm, "change": (kept_mean.mean or 0.0) - 1} for kept_mean in result
    ]
    words = f"relative change of {KEPT[column][0]} (+ is better)"
    return change_dots(rows, _worst_first(rows), words)


def _moves(tables: TableSet) -> Figure:
    moved = [(words, _moved(tables, metric)) for metric, words in METRICS.items()]
    by_code = [
        (f"{words}, by kind of noise", _places(tables, metric)) for metric, words in METRICS.items()
    ]
    return Figure(
        "noise-ranks",
        "Who gains and who loses rank?",
        "From the average rank without noise (ring) to that with noise (dot): blue for the better, "
        "orange for the worse. By kind of noise: places gained (+) or lost in the overall rank; "
        "faint numbers may be chance. Who fails shares the last rank of a data set.",
        [*moved, *by_code],
    )


def _places(tables: TableSet, metric: str) -> Chart:
    rows = [row for row in tables.rows("ranks_by_noise") if row["metric"] == metric]
    ranked = [row for row in tables.rows("ranks_noisy") if row["metric"] == metric]
    order = [row["algorithm"] for row in sorted(ranked, key=lambda row: row["average"])]
    return rank_cells(rows, order, noisy_codes(tables))


def _moved(tables: TableSet, metric: str) -> Chart:
    clean = {
        r["algorithm"]: r["average"] for r in tables.rows("ranks_clean") if r["metric"] == metric
    }
    rows = [
        {"algorithm": row["algorithm"], "noisy": row["average"], "change": row["change"]}
        | {"clean": clean.get(row["algorithm"])}
        for row in tables.rows("ranks_noisy")
        if row["metric"] == metric
    ]
    order = sorted(rows, key=lambda row: row["noisy"])
    return rank_moves(rows, [row["algorithm"] for row in order])


def _edges(tables: TableSet) -> Figure:
    rows = tables.rows("edges_by_size")
    networks = list(dict.fromkeys(row["network"] for row in rows))
    chart = edges_against_density(rows, algorithm_order(tables), networks)
    return Figure(
        "noise-edges",
        "Too many edges or too few?",
        "Without noise: edges learned for each true one (the dashed line is as many as the truth) "
        "against rows per free parameter of the network; means over seeds, both axes logarithmic.",
        [("edges", chart)],
    )


def _times(tables: TableSet) -> Figure:
    seconds = next((row["seconds"] for row in tables.rows("limit")), 0.0)
    return Figure(
        "noise-time",
        "Does noise make learning slower?",
        "Seconds without noise (ring) and with noise (dot), on a logarithmic axis; of the mean, "
        f"orange is slower. A failed run counts {seconds:,.4g} s. Who did not run on all data has "
        "a smaller sum for that reason alone.",
        [
            ("mean of a run", _timed(tables, "mean", "mean seconds of a run")),
            ("all runs together", _timed(tables, "total", "seconds of all runs together")),
        ],
    )


def _timed(tables: TableSet, column: str, words: str) -> Chart:
    clean = {row["algorithm"]: row[column] for row in tables.rows("run_time_clean")}
    rows: list[Chart] = []
    for row in tables.rows("run_time_noisy"):
        before, now = clean.get(row["algorithm"]), row[column]
        slower = None if before is None or column == "total" else before - now
        rows.append({"algorithm": row["algorithm"], "clean": before, "noisy": now})
        rows[-1]["change"] = slower
    order = sorted(rows, key=lambda row: row["noisy"] or 0.0)
    return time_moves(rows, [row["algorithm"] for row in order], words)
