"""What the figures and sentences of a noise study share: orders, means over what is comparable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from dagathlon.evaluations.noise.grid import CLEAN, CODES
from dagathlon.frame import grouped
from dagathlon.report.evaluation import TableSet
from dagathlon.simulate.noise_code import LETTERS, TRUE_MISSING, parse_code

KEPT = {
    "kept": ("F1 and BSF", ("f1", "bsf")),
    "f1_kept": ("F1", ("f1",)),
    "bsf_kept": ("BSF", ("bsf",)),
}
"""What can be kept: its column, in words, and the scores it is the mean of."""


class Kept(NamedTuple):
    """What an algorithm keeps on average.

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
    """The kinds of noise: each alone by its rates, then combinations in the order of the study."""
    found = dict.fromkeys(str(row["code"]) for row in tables.rows("runs"))
    known = dict.fromkeys([*(code for code in CODES if code in found), *found])
    noisy = [code for code in known if code != CLEAN]
    return sorted(noisy, key=_place)


def _place(code: str) -> tuple[int, float, bool]:
    """Combinations stay as they are; a kind alone has its place by letter, rate, and how it is."""
    plain = code.removesuffix(TRUE_MISSING)
    if plain.startswith("c"):
        return len(LETTERS), 0.0, False
    rates = parse_code(plain)
    return [*LETTERS].index(plain[0]), sum(rates.values()), plain != code


def kept_means(tables: TableSet, column: str = "kept") -> list[Kept]:
    """All algorithms, those that keep most first; those that are not compared last."""
    cells: dict[str, dict[tuple[str, str], float]] = {}
    for row in tables.rows("accuracy_kept"):
        mine = cells.setdefault(row["algorithm"], {})
        if row[column] is not None:
            mine[row["network"], row["code"]] = row[column]
    total = len({cell for mine in cells.values() for cell in mine})
    regular = {name for name, mine in cells.items() if mine and 2 * len(mine) >= total}
    common = set.intersection(*(set(cells[name]) for name in regular)) if regular else set()
    found = [
        Kept(
            name,
            _mean([v for cell, v in mine.items() if cell in common or name not in regular]),
            name in regular and bool(common),
        )
        for name, mine in cells.items()
    ]
    return sorted(found, key=lambda one: (not one.regular, one.mean is None, -(one.mean or 0.0)))


def algorithm_order(tables: TableSet) -> list[str]:
    """From those that keep most to those that keep least; then whoever has nothing to compare."""
    kept = [one.algorithm for one in kept_means(tables)]
    every = dict.fromkeys(row["algorithm"] for row in tables.rows("runs"))
    return [*kept, *(name for name in sorted(every) if name not in kept)]


def clean_scores(tables: TableSet, metrics: Sequence[str]) -> dict[tuple[str, str], float]:
    """The mean score without noise by network and algorithm, over sizes."""
    known = (row for row in tables.rows("scores_clean") if None not in map(row.get, metrics))
    found = grouped(
        ((row["network"], row["algorithm"]), fmean(map(row.__getitem__, metrics))) for row in known
    )
    return {key: fmean(values) for key, values in found.items()}


def usual_failures(tables: TableSet) -> dict[tuple[str, str, str], str]:
    """How failed runs of an algorithm ended most often, by network, code and algorithm."""
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for row in tables.rows("runs"):
        if row["failure"]:
            key = (row["network"], row["code"], row["algorithm"])
            counts.setdefault(key, Counter())[row["failure"]] += 1
    return {key: found.most_common(1)[0][0] for key, found in counts.items()}


def several_seeds(tables: TableSet) -> bool:
    """Whether some network has more than one sample, so that its numbers have intervals."""
    found = {(row["network"], row["seed"]) for row in tables.rows("runs")}
    return len(found) > len({network for network, _ in found})


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
