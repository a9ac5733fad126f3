"""What the forecast of intersection-validation is worth: how often it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dagathlon.evaluate.ranking.correlations import method_correlations, rank_correlations
from dagathlon.frame import Cells

ALL, ALL_FAMILIES = "all networks", "all families"
MEANS, DATA_SETS = "means over data sets", "data sets"
"""Levels: networks as in the paper, or each data set by itself."""
VERDICTS = ("good", "fair", "not reliable")
HIGH, MIDDLE = 0.9, 0.7
PREDICTORS = ("relative_size", "connected", "separation")
"""Of the agreement graph the paper's two; and how far apart the learners are, in standard errors.
None of them needs the truth."""
_APART = 4


def groups(rows: Sequence[Cells]) -> Iterator[tuple[Cells, list[Cells]]]:
    """Rows by network and over all networks; for each family of learners, and over all of them.

    Parameters
    ----------
    rows
        With `network`, and `family` where there are several.
    """
    families = list(dict.fromkeys(row["family"] for row in rows if "family" in row))
    for family in families or [""]:
        own = [row for row in rows if not family or row["family"] == family]
        about: Cells = {"family": family} if family else {}
        networks = list(dict.fromkeys(row["network"] for row in own))
        for network in networks:
            yield about | {"network": network}, [row for row in own if row["network"] == network]
        if len(networks) > 1:
            yield about | {"network": ALL}, own
    if len(families) > 1:
        yield {"family": ALL_FAMILIES, "network": ALL}, list(rows)


def kept(rows: Sequence[Cells], level: str) -> Iterator[Cells]:
    """For each network and verdict, what correlations of PHD with SHD went with it.

    Parameters
    ----------
    rows
        With `network`, `verdict`, `pearson`, `spearman`, `same_best`, `loss`, `blind_loss`.
    level
        What a row is of.
    """
    for about, members in groups(rows):
        for verdict in VERDICTS:
            own = [row for row in members if row["verdict"] == verdict]
            if own:
                yield {"level": level} | about | {"verdict": verdict} | _shares(own)


def _shares(rows: Sequence[Cells]) -> Cells:
    known = np.array([row["pearson"] for row in rows if row["pearson"] is not None])
    ranks = [row["spearman"] for row in rows if row["spearman"] is not None]
    best = [row["same_best"] for row in rows if row["same_best"] is not None]
    return {
        "cases": len(rows),
        "undefined": len(rows) - len(known),
        "mean_pearson": _mean(known),
        "median_pearson": float(np.median(known)) if len(known) else None,
        "above_0.9": _mean(known > HIGH),
        "above_0.7": _mean(known > MIDDLE),
        "below_0": _mean(known < 0),
        "mean_spearman": _mean(ranks),
        "same_best": _mean(best),
        "loss": _mean([row["loss"] for row in rows if row["loss"] is not None]),
        "blind_loss": _mean([row["blind_loss"] for row in rows if row["blind_loss"] is not None]),
    }


def _mean(values: Any) -> float | None:
    return float(np.mean(values)) if len(values) else None


def predictors(rows: Sequence[Cells], level: str) -> Iterator[Cells]:
    """How far properties of the agreement graph go with the correlation of PHD and SHD (figure 8).

    Parameters
    ----------
    rows
        As in `kept`, with the properties.
    level
        What a row is of.
    """
    for about, members in groups(rows):
        for name in PREDICTORS:
            own = [r for r in members if r["pearson"] is not None and r[name] is not None]
            columns = {
                key: {str(place): float(row[key]) for place, row in enumerate(own)}
                for key in (name, "pearson")
            }
            found = method_correlations(columns)[0]
            told = {"property": name, "correlation": found.value, "cases": len(own)}
            yield {"level": level} | about | told | {"rank_correlation": _spearman(own, name)}


def _spearman(rows: Sequence[Cells], name: str) -> float | None:
    if not rows:
        return None
    found = rank_correlations([[row[name], row["pearson"]] for row in rows], ["more", "more"])
    return float(found[0, 1]) if np.isfinite(found[0, 1]) else None


class Rule(NamedTuple):
    """A rule that says when to believe the ranking.

    Parameters
    ----------
    words
        The rule.
    believes
        Whether it believes the ranking of a row.
    """

    words: str
    believes: Callable[[Cells], bool]


RULES = (
    Rule("always", lambda row: True),
    Rule("not 'not reliable'", lambda row: row["verdict"] != "not reliable"),
    Rule("'good' only", lambda row: row["verdict"] == "good"),
    Rule("5 connected pairs or more", lambda row: row["connected"] >= 5),
    Rule("relative size of 0.8 or more", lambda row: row["relative_size"] >= 0.8),
    Rule("relative size above 0.9", lambda row: row["relative_size"] > 0.9),
    Rule(f"learners {_APART} standard errors apart", lambda row: (row["separation"] or 0) > _APART),
)


def rules(rows: Sequence[Cells], level: str) -> Iterator[Cells]:
    """What one gets by believing some rankings and not others.

    Of a rule: the share of rankings that it believes, of those the share with a correlation above
    0.9, and of the rankings with such a correlation the share that it believes.
    """
    for about, members in groups(rows):
        own = [row for row in members if row["pearson"] is not None]
        accurate = sum(row["pearson"] > HIGH for row in own)
        for rule in RULES:
            believed = [row for row in own if rule.believes(row)]
            right = sum(row["pearson"] > HIGH for row in believed)
            yield (
                {"level": level}
                | about
                | {
                    "rule": rule.words,
                    "cases": len(own),
                    "believed": len(believed) / len(own) if own else None,
                    "precision": right / len(believed) if believed else None,
                    "recall": right / accurate if accurate else None,
                    "mean_pearson": _mean([row["pearson"] for row in believed]),
                }
            )
