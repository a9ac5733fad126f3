"""What experiments change: metrics after the last one less those before the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from dagathlon.evaluate.correlations import bootstrap_means
from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluate.summary import is_number

Row: TypeAlias = Mapping[str, Any]
_KIND = ("graph", "model", "method")


def change_rows(rows: Sequence[Row], metrics: Sequence[str], resamples: int) -> Iterator[Row]:
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
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in _KIND), []).append(row)
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


def _by_seed(rows: Sequence[Row], metric: str, size: int) -> dict[Any, float]:
    """Means over starts, by data set."""
    values: dict[Any, list[float]] = {}
    for row in rows:
        if row["rows"] == size and is_number(row.get(metric)):
            values.setdefault(row["seed"], []).append(float(row[metric]))
    return {seed: float(np.mean(found)) for seed, found in values.items()}


def in_words(changes: Sequence[Row], metric: str) -> Iterator[str]:
    """Whose metric falls, whose rises, and whose does neither, for each way of choosing targets."""
    for place in dict.fromkeys((row["graph"], row["model"]) for row in changes):
        own = [
            row
            for row in changes
            if (row["graph"], row["model"], row["metric"]) == (*place, metric)
        ]
        if not own:
            continue
        falls = [row for row in own if row["high"] < 0]
        rises = [row for row in own if row["low"] > 0]
        neither = [row for row in own if row["low"] <= 0 <= row["high"]]
        told = [
            f"{verb} {', '.join(_change(row) for row in rows)}"
            for verb, rows in (("falls for", falls), ("rises for", rises), ("stays for", neither))
            if rows
        ]
        sizes = f"from {own[0]['from_rows']} to {own[0]['to_rows']} interventional rows"
        where = ", ".join(part for part in place if part)
        yield f"{where}: {sizes} {measure_of(metric).label} {'; '.join(told)}."


def _change(row: Row) -> str:
    return f"{row['method']} ({row['change']:+.2f}, {row['low']:+.2f} to {row['high']:+.2f})"
