"""What experiments change: metrics after the last one less those before the first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluate.ranking.correlations import bootstrap_means
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.frame import Row, Rows, grouped

_KIND = ("graph", "model", "method")
# A larger part of the logarithm of the number of draws is as much as draws can show.
_LIMIT = 0.95
# Exact entropies may exceed the logarithm by more than rounding; these are left out.
_ROUNDING = 1e-9


def change_rows(rows: Rows, metrics: Sequence[str], resamples: int) -> Iterator[Row]:
    """For each method and metric the mean change from the fewest rows to the most.

    Parameters
    ----------
    rows
        One for each run: `graph`, `model`, `method`, `seed`, `rows` and the metrics.
    metrics
        Columns of numbers.
    resamples
        How often data sets are drawn again for the intervals.
    """
    groups = grouped((tuple(row[name] for name in _KIND), row) for row in rows)
    for kind, members in groups.items():
        least, most = (end(row["rows"] for row in members) for end in (min, max))
        for metric in metrics:
            ends = [_by_seed(members, metric, size) for size in (least, most)]
            both = [seed for seed in ends[0] if seed in ends[1]]
            if least == most or not both:
                continue
            first, last = (np.array([end[seed] for seed in both]) for end in ends)
            found = bootstrap_means(last - first, resamples)
            yield dict(zip(_KIND, kind, strict=True)) | {
                "metric": metric,
                "from_rows": least,
                "to_rows": most,
                "before": float(first.mean()),
                "after": float(last.mean()),
                "change": float(found.mean),
                "low": float(found.low),
                "high": float(found.high),
                "data_sets": len(both),
            }


def _by_seed(rows: Rows, metric: str, size: int) -> dict[Any, float]:
    """Means over starts, by data set."""
    values = grouped(
        (row["seed"], float(row[metric]))
        for row in rows
        if row["rows"] == size and is_number(row.get(metric))
    )
    return {seed: float(np.mean(found)) for seed, found in values.items()}


def design_rows(rows: Rows, metrics: Sequence[str], resamples: int) -> Iterator[Row]:
    """For each method and metric what another choice of targets changes, after equally many rows.

    Choices are compared with the first one, on data sets of the same graph and parameters.
    """
    first, *others = dict.fromkeys(row["graph"] for row in rows) or [""]
    for model, method in dict.fromkeys((row["model"], row["method"]) for row in rows):
        own = [row for row in rows if (row["model"], row["method"]) == (model, method)]
        for other in others:
            pair = [[row for row in own if row["graph"] == name] for name in (first, other)]
            sizes = set.intersection(*({row["rows"] for row in one} for one in pair))
            if not sizes or not max(sizes):
                continue
            for metric in metrics:
                ends = [_by_seed(one, metric, max(sizes)) for one in pair]
                both = [seed for seed in ends[0] if seed in ends[1]]
                if both:
                    apart = [ends[1][seed] - ends[0][seed] for seed in both]
                    found = bootstrap_means(apart, resamples)
                    about = {"model": model, "method": method, "metric": metric}
                    about |= {"targets": other, "instead_of": first, "rows": max(sizes)}
                    yield about | {
                        "difference": float(found.mean),
                        "low": float(found.low),
                        "high": float(found.high),
                        "data_sets": len(both),
                    }


def changes_in_words(changes: Rows, metric: str) -> Iterator[str]:
    """Whose metric falls, whose rises, and whose does neither, for each choice of targets."""
    own = [row for row in changes if row["metric"] == metric]
    for place in dict.fromkeys((row["graph"], row["model"]) for row in own):
        here = [row for row in own if (row["graph"], row["model"]) == place]
        here.sort(key=lambda row: float(row["change"]))
        kinds = (
            ("falls for", [row for row in here if row["high"] < 0]),
            ("rises for", [row for row in here if row["low"] > 0]),
            ("neither falls nor rises for", [r for r in here if r["low"] <= 0 <= r["high"]]),
        )
        told = [f"{verb} {', '.join(map(_change, rows))}" for verb, rows in kinds if rows]
        where = ", ".join(part for part in place if part)
        sizes = f"from {here[0]['from_rows']} to {here[0]['to_rows']} interventional rows"
        yield f"{where}: {sizes} {measure_of(metric).label} {'; it '.join(told)}."


def _change(row: Row) -> str:
    return f"{row['method']} ({row['change']:+.2f})"


def designs_in_words(designs: Rows, metric: str) -> Iterator[str]:
    """What another choice of targets is worth, where the interval leaves no doubt."""
    for row in designs:
        sure = row["high"] < 0 or row["low"] > 0
        if row["metric"] == metric and sure:
            less = "lower" if row["high"] < 0 else "higher"
            yield (
                f"With targets {row['targets']} in place of {row['instead_of']}, "
                f"{measure_of(metric).label} of {row['method']} is {abs(row['difference']):.2f} "
                f"{less} after {row['rows']} interventional rows "
                f"({row['low']:+.2f} to {row['high']:+.2f}; {row['model']})."
            )


def at_the_limit(rows: Rows) -> list[str]:
    """Methods whose draws are nearly all different graphs, so that their entropy is log n."""
    drawn = (row for row in rows if is_number(row.get("n_draws")) and row["n_draws"] > 1)
    known = (row for row in drawn if is_number(row.get("entropy")))
    shares = grouped(
        (row["method"], share)
        for row in known
        if (share := float(row["entropy"]) / math.log(row["n_draws"])) < 1 + _ROUNDING
    )
    return [method for method, found in shares.items() if float(np.median(found)) > _LIMIT]
