"""The section on noise: what one sees in sentences, then figures and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from dagathlon.evaluations.noise.figures import (
    clean_scores,
    kept_means,
    noise_figures,
    noisy_codes,
    several_seeds,
)
from dagathlon.evaluations.noise.grid import CLEAN, FAILURES
from dagathlon.evaluations.noise.robustness import OVERALL
from dagathlon.evaluations.noise.strengths import CATEGORIES
from dagathlon.frame import Row, Rows, grouped
from dagathlon.report.charts.overview import STATUSES
from dagathlon.report.evaluation import TableSet
from dagathlon.report.section import Grid, Html, Part, Words
from dagathlon.wording import counted

_STRENGTHS = (
    "From 0 (the worst of all here) to 100 % (the best), by F1, SHD and BSF together. Variance: "
    "little of it between networks and sizes. Resilience: what is kept with all kinds of noise "
    "together. Fitting: as many edges as the truth. Reliability: few errors and little want of "
    "memory; who runs out of time loses in time."
)
_ROBUSTNESS = (
    " Robustness is no scale but the share of its own F1 without noise that an algorithm keeps, as "
    "in the figure above."
)
_NO_CLEAN = (
    "Nothing says what noise costs, since no data set is without it: the code N among the noise of "
    "a data entry adds the same data without noise. Scores with noise and ranks are in the tables."
)
_NOT_YET = "Nothing says yet what noise costs: no data set without noise has all its runs."
_NOTHING_KEPT = (
    "Nothing says what noise costs: no algorithm has a score above 0 without noise and a result "
    "with noise too."
)
_INTERVALS = {
    "seeds": "Intervals are over samples: what fresh samples of the same networks might give.",
    "networks": "Intervals are over networks: what other networks like these might give.",
}
_NAMED = 4
_FAILED = {kind: kind for kind in FAILURES} | {"failed_starts": "starts"}
# Among fewer it says nothing that half of them are better.
_SEVERAL = 4


def noise_parts(tables: TableSet) -> Iterator[Part]:
    """Yield all parts of the section; none without runs."""
    if not tables.rows("runs"):
        return
    figures = list(noise_figures(tables))
    yield from _findings(tables)
    yield from figures[:1]
    yield from _failures(tables)
    yield from figures[1:]
    yield from _strengths(tables)


def _findings(tables: TableSet) -> Iterator[Part]:
    """Yield sentences on the worst noise, the most robust algorithm, ranks and intervals."""
    if not any(row["code"] == CLEAN for row in tables.rows("runs")):
        yield Words(_NOT_YET if tables.partial else _NO_CLEAN, tone="fair")
        return
    if all(row["kept"] is None for row in tables.rows("accuracy_kept")):
        yield Words(_NOTHING_KEPT, tone="bad")
        return
    words = [*_hurts(tables), *_keeps(tables), *_moves(tables), *_intervals(tables)]
    sure = several_seeds(tables)
    if not sure:
        words.append(
            "Each network has one sample, so that the cells below have no intervals: small "
            "differences may be luck."
        )
    yield Words(" ".join(words), tone="good" if sure else "fair")


def _intervals(tables: TableSet) -> Iterator[str]:
    """Yield a sentence on the units over which intervals are computed."""
    if len({(row["network"], row["seed"]) for row in tables.rows("runs")}) > 1:
        kinds = dict.fromkeys(row["intervals"] for row in tables.rows("limit"))
        yield from (_INTERVALS[kind] for kind in kinds)
        if "networks" in kinds and several_seeds(tables):
            yield "Those of one network are over its samples."


def _hurts(tables: TableSet) -> Iterator[str]:
    """Yield a sentence on the most and the least harmful kind of noise, by F1."""
    result = [row for row in tables.rows("loss_by_noise") if row["metric"] == "f1"]
    ordered = sorted(
        (row for row in result if row["paired"] is not None), key=lambda row: row["paired"]
    )
    if not ordered:
        return
    worst = ordered[0]
    if worst["paired"] >= 0:
        yield "No kind of noise costs accuracy here on average."
        return
    costs = "costs most:" if len(ordered) > 1 else "costs"
    yield f"Noise {worst['code']} {costs} {_loss(worst)} of F1 (mean of all algorithms)."
    single = next((row for row in ordered if not row["code"].startswith("c")), worst)
    if single is not worst and single["paired"] < 0:
        yield f"Of the single kinds {single['code']} costs most ({_loss(single)})."
    if ordered[-1] not in (worst, single):
        yield _least(ordered[-1])


def _least(row: Row) -> str:
    """Return the clause on the least harmful kind of noise, or an empty text."""
    low, high = row["paired_low"], row["paired_high"]
    if low is not None and low <= 0 <= high:
        return f"{row['code']} changes nothing that chance would not."
    if row["paired"] >= 0:
        return f"With {row['code']} F1 is not lower than without noise."
    return f"{row['code']} costs least ({_loss(row)})."


def _loss(row: Row) -> str:
    """Format a loss with its interval: 35 %, 30 to 39 %."""
    low, high = row["paired_low"], row["paired_high"]
    between = "" if low is None else f", {_percent(-high)} to {_percent(-low)}"
    return f"{_percent(-row['paired'])}{between}"


def _percent(share: float) -> str:
    return (
        f"{share:.0%}".replace("%", "\u00a0%")
        .replace("-", "\u2212")
        .replace("\u22120\u00a0", "0\u00a0")
    )


def _keeps(tables: TableSet) -> Iterator[str]:
    """Yield sentences on the algorithms that keep most and least accuracy."""
    result = [
        kept_mean
        for kept_mean in kept_means(tables)
        if kept_mean.regular and kept_mean.mean is not None
    ]
    if len(result) < 2:
        return
    best, last = result[0], result[-1]
    yield (
        f"{best.algorithm} keeps most of its accuracy ({_percent(best.mean or 0)}), "
        f"{last.algorithm} least ({_percent(last.mean or 0)})."
    )
    clean = grouped(
        (algorithm, score) for (_, algorithm), score in clean_scores(tables, ("f1", "bsf")).items()
    )
    means = {name: fmean(values) for name, values in clean.items()}
    ahead = sum(value > means.get(best.algorithm, 0.0) for value in means.values())
    if len(means) >= _SEVERAL and 2 * ahead >= len(means):
        yield (
            f"But {best.algorithm} has little to lose: without noise {ahead} of {len(means)} "
            "algorithms are more accurate."
        )


def _moves(tables: TableSet) -> Iterator[str]:
    """Yield sentences on algorithms whose rank by F1 changes by more than chance."""
    rows = [
        r for r in tables.rows("ranks_noisy") if r["metric"] == "f1" and r["change"] is not None
    ]
    clean = {
        r["algorithm"]: r["overall"] for r in tables.rows("ranks_clean") if r["metric"] == "f1"
    }
    sure = [
        row
        for row in rows
        if row["change_low"] is None or row["change_low"] * row["change_high"] > 0
    ]
    gains = max(sure, key=lambda row: row["change"], default=None)
    loses = min(sure, key=lambda row: row["change"], default=None)
    for row, verb, sign in ((gains, "gains", 1), (loses, "loses", -1)):
        if row is None or row["change"] * sign <= 0:
            continue
        before, now = clean[row["algorithm"]], row["overall"]
        places = f"stays {_nth(now)}" if before == now else f"from {_nth(before)} to {_nth(now)}"
        yield (
            f"With noise {row['algorithm']} {verb} most in rank by F1 ({places}; its average rank "
            f"{'improves' if sign > 0 else 'worsens'} by {abs(row['change']):.1f})."
        )
    if rows and not sure and len(rows) > 1:
        yield "Nobody's average rank by F1 changes by more than chance explains."


def _nth(place: int) -> str:
    ending = (
        "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    )
    return f"{place}{ending}"


def _failures(tables: TableSet) -> Iterator[Part]:
    """Yield a sentence on failed runs by kind and algorithm, and their table by kind of noise."""
    words = [*_failed_runs(tables.rows("runs")), *_failed_starts(tables.rows("runs"))]
    if words:
        yield Words(" ".join(words), "Who failed, and on what?")
        yield _failure_grid(tables.rows("failures_by_noise"), noisy_codes(tables))


def _failed_starts(runs: Rows) -> Iterator[str]:
    """Yield the algorithms with failed starts in runs whose other starts finished."""
    some = [row for row in runs if row["failed_starts"] and not row["failure"]]
    if some:
        names = ", ".join(dict.fromkeys(row["algorithm"] for row in some))
        failed, starts = (sum(row[name] for row in some) for name in ("failed_starts", "starts"))
        yield (
            f"In {len(some):,} finished runs some random starts failed ({names}: {failed:,} of "
            f"{starts:,}); their scores are means of the others."
        )


def _failed_runs(runs: Rows) -> Iterator[str]:
    failed = [row for row in runs if row["failure"]]
    if not failed:
        return
    kinds = Counter(row["failure"] for row in failed)
    words = []
    for kind, count in sorted(kinds.items()):
        who = Counter(row["algorithm"] for row in failed if row["failure"] == kind).most_common()
        names = ", ".join(f"{name} {number:,}" for name, number in who[:_NAMED])
        more = f" and {len(who) - _NAMED} more" if len(who) > _NAMED else ""
        words.append(f"{count:,} {STATUSES[kind][0]} ({names}{more})")
    yield f"{len(failed):,} of {counted(len(runs), 'run')} failed: {'; '.join(words)}."


def _failure_grid(rows: Rows, codes: Sequence[str]) -> Grid:
    """Return failures of each algorithm by kind of noise: 3 timeout, 1 memory, 2 starts."""
    cells = {(row["algorithm"], row["code"]): row for row in rows}
    names = dict.fromkeys(r["algorithm"] for r in rows if any(r[kind] for kind in _FAILED))
    shown = [c for c in (CLEAN, *codes) if any(row["code"] == c for row in rows)]
    lines = []
    for name in names:
        mine = [cells.get((name, code)) for code in shown]
        lines.append([name, *(_counts(row) for row in mine)])
    return Grid(["algorithm", *shown], lines)


def _counts(row: Row | None) -> str:
    if row is None:
        return ""
    result = [f"{row[kind]}\u00a0{word}" for kind, word in _FAILED.items() if row[kind]]
    return ", ".join(result) or "0"


def _strengths(tables: TableSet) -> Iterator[Part]:
    rows = tables.rows("strengths")
    shown = [name for name in CATEGORIES if any(row[name] is not None for row in rows)]
    if len(rows) < 2 or not shown:
        return
    retained = {
        row["algorithm"]: row["index"]
        for row in tables.rows("robustness")
        if row["kind"] == OVERALL and row["index"] is not None
    }
    words = _STRENGTHS + (_ROBUSTNESS if retained else "")
    yield Words(words, "Strengths and weaknesses with and without noise")
    lines = []
    for row in sorted(rows, key=lambda row: -(row["ranking"] or 0.0)):
        further = [retained.get(row["algorithm"])] if retained else []
        lines.append([row["algorithm"], *map(_share, (*(row[name] for name in shown), *further))])
    titles = [name.replace("_", " ") for name in shown]
    yield Grid(["algorithm", *titles, *(["robustness"] if retained else [])], lines)


def _share(value: float | None) -> str:
    if value is None:
        return "–"
    width = min(value, 1.0)
    return Html(f'<span class="share" style="--share:{width:.3f}">{value:.0%}</span>')
