"""What a page holds of a large study: it stays quick to open, and says what it leaves out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from dagathlon.report.charts.parts import Chart
from dagathlon.report.page.figures import detached
from dagathlon.report.page.tables import Tables
from dagathlon.report.section import Figure, Listing
from dagathlon.wording import counted

_MOST_CELLS = 200_000
_MOST_ROWS = 4_000
_MOST_LETTERS = 1_500_000
_FIXED = ("id", "setting", "case", "seed", "status", "reason", "graph_type")
_WITHOUT_TRUTH = ("n_edges", "time", "memory")


class Kept(NamedTuple):
    """Contents of the page after size limits, and sentences on what is left out.

    Parameters
    ----------
    what
        What is kept.
    left_out
        What is not, as a part of a sentence; empty when all is there.
    """

    what: Any
    left_out: str = ""


def run_columns(tables: Tables) -> Kept:
    """Return columns of the table of runs: all metrics, or the headlines for many runs."""
    names = [*_FIXED, *(metric for metric in tables.metrics if metric not in _FIXED)]
    if len(tables.runs) * len(names) <= _MOST_CELLS:
        return Kept(names)
    kept = [*_FIXED, *tables.headlines, *_WITHOUT_TRUTH, "SHD"]
    fewer = [name for name in names if name in kept]
    return Kept(fewer, f"{counted(len(names) - len(fewer), 'metric')} of the single runs")


def listing_rows(listing: Listing) -> Kept:
    """Return the rows of a long table, truncated if there are too many."""
    more = len(listing.rows) - _MOST_ROWS
    words = f"{more:,} rows of the table of {listing.name}" if more > 0 else ""
    return Kept(listing.rows[:_MOST_ROWS], words)


def charts_of(figures: Iterable[Figure]) -> Kept:
    """Return charts by figure, dropping the last variants of figures that exceed the size limit.

    Charts of the page's own tables are small; those with data of their own, one for each kind of
    data, are not.
    """
    budget, dropped = _MOST_LETTERS, 0
    charts: dict[str, list[Chart]] = {}
    for figure in figures:
        made: list[Chart] = []
        for _, chart in figure.variants:
            bare = detached(chart)
            budget -= len(json.dumps(bare, separators=(",", ":")))
            if made and budget < 0:
                dropped += len(figure.variants) - len(made)
                break
            made.append(bare)
        charts[figure.name] = made
    return Kept(charts, f"{dropped:,} choices of figures" if dropped else "")


def sentence(left_out: Iterable[str]) -> str:
    """Return a sentence on what the page leaves out, and where it is; empty if nothing is."""
    parts = [part for part in left_out if part]
    if not parts:
        return ""
    listed = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
    return (
        f"To stay quick to open, this page leaves out {listed}; the tables and figures in the "
        "folder of results have all of it."
    )
