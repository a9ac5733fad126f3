"""Strengths and weaknesses: scores between the worst and the best, by kind of data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from dagathlon.evaluate.ranking.ranks import (
    Better,
    Floats,
    Scores,
    Unit,
    case_of,
    mean_ranks,
    rank_table,
    score_table,
)
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.evaluations.noise.robustness import OVERALL, robustness, row_trials
from dagathlon.frame import Cells, Rows, grouped

Case: TypeAlias = tuple[Any, ...]
Block: TypeAlias = tuple[Any, ...]
Facts: TypeAlias = Mapping[Block, Mapping[str, Any]]

_MOST_VALUES = 6
_DIGITS = 3


class Relative(NamedTuple):
    """Mean of a competitor on one kind of data, scaled from the worst (0) to the best (1).

    Parameters
    ----------
    name
        The competitor.
    case
        Labels of graph, parameters and data.
    mean
        Its mean over seeds.
    share
        Where that lies between the worst and the best competitor; None with a failure.
    failures
        Number of failed runs.
    """

    name: str
    case: Case
    mean: float | None
    share: float | None
    failures: int


def relative_scores(scores: Scores, better: Better) -> list[Relative]:
    """Return means over seeds, scaled between the extremes of competitors without failures.

    A competitor that failed on one seed of a kind of data has no share there: its mean would be
    over the easier data sets.
    """
    places = grouped((case[:-1], i) for i, case in enumerate(scores.cases))
    result = []
    for kind, chosen in places.items():
        part = scores.at(chosen)
        failures = part.failed.sum(axis=0)
        means = [_mean(column) for column in part.values.T]
        present = [mean for mean in means if mean is not None]
        for j, name in enumerate(scores.names):
            if part.took_part[:, j].any():
                share = _share(means[j], present, better)
                result.append(Relative(name, kind, means[j], share, int(failures[j])))
    return result


def _mean(column: Floats) -> float | None:
    return None if np.isnan(column).any() else float(np.mean(column))


def _share(value: float | None, among: Sequence[float], better: Better) -> float | None:
    """Return 0 for the worst, 1 for the best; 1 if all are equal."""
    if value is None or not among:
        return None
    low, high = min(among), max(among)
    if high == low:
        return 1.0
    return (value - low) / (high - low) if better == "more" else (high - value) / (high - low)


def data_facts(rows: Rows, diagnostics: Rows = ()) -> dict[Block, Cells]:
    """Return facts about each data set: kind of variables, rows, nodes, density, noise.

    Parameters
    ----------
    rows
        One row per run of the joint table.
    diagnostics
        One row per data set, with `n` and `kind`.
    """
    facts: dict[Block, Cells] = {}
    for row in rows:
        known = facts.setdefault(case_of(row), {"noise": _noise(row["data"])})
        if is_number(row.get("n_nodes")):
            nodes, edges = int(row["n_nodes"]), row["true_n_edges_skel"]
            known["nodes"] = nodes
            if nodes > 1:
                known["density"] = round(edges * 2 / nodes / (nodes - 1), _DIGITS)
    for row in diagnostics:
        known = facts.setdefault(case_of(row), {})
        known |= {"data": row["kind"], "sample size": row["n"]}
    return facts


def _noise(label: object) -> str:
    _, mark, code = str(label).partition("/noise=")
    return code if mark else "N"


class LikeMine(NamedTuple):
    """Average ranks on data of one kind.

    Parameters
    ----------
    factor, value
        What the data sets have in common.
    n
        How many there are.
    averages
        Average rank of each competitor on them, the best first.
    """

    factor: str
    value: str
    n: int
    averages: Mapping[str, float]


def ranks_by_kind(
    scores: Scores, better: Better, facts: Facts, unit: Unit = "block"
) -> list[LikeMine]:
    """Return average ranks by kind of variables, sample size, number of nodes, density and noise.

    Only what differs among the data sets is listed; quantities with more than six values are cut
    into thirds.
    """
    result = []
    for factor in ("data", "sample size", "nodes", "density", "noise"):
        values = [facts.get(case, {}).get(factor) for case in scores.cases]
        groups = _grouped(values)
        if len(groups) < 2:
            continue
        for value, members in groups.items():
            some = scores.at(members)
            here = np.flatnonzero(some.took_part.any(axis=0))
            means = mean_ranks(some, better, unit)
            averages = {some.names[j]: float(means[j]) for j in here[np.argsort(means[here])]}
            result.append(LikeMine(factor, value, len(members), averages))
    return result


def _grouped(values: Sequence[Any]) -> dict[str, list[int]]:
    """Group positions by value; if there are many numbers, by thirds."""
    known = [value for value in values if value is not None]
    distinct = sorted(set(known), key=lambda v: (str(type(v)), v))
    name: Callable[[Any], str] = str
    if len(distinct) > _MOST_VALUES and all(is_number(value) for value in distinct):
        low, high = (float(np.quantile(known, q)) for q in (1 / 3, 2 / 3))

        def name(value: Any) -> str:
            if value <= low:
                return f"up to {low:.3g}"
            return f"{low:.3g} to {high:.3g}" if value <= high else f"above {high:.3g}"

        distinct = sorted(distinct)
    groups: dict[str, list[int]] = {name(value): [] for value in distinct}
    for i, value in enumerate(values):
        if value is not None:
            groups[name(value)].append(i)
    return groups


def strengths(
    rows: Rows, metrics: Mapping[str, Better], facts: Facts, by: str = "setting"
) -> list[Cells]:
    """Score each competitor in each category from 0 (the worst of all) to 1 (the best).

    Categories: ranking; small and large networks, limited and big data (below and above the median,
    where the study has both); steadiness (little variance of the relative scores); resilience to
    noise; fitting (as many edges as the truth) and time, both on the data sets that all finished
    who finished half or more. Two are no scale: robustness is the share of its own clean accuracy
    that a competitor keeps under noise (`robustness`, by the first metric that is an F1),
    reliability the share of runs that finished.

    Parameters
    ----------
    rows
        One row per run.
    metrics
        The metrics that performance is measured by, and whether more or less is better.
    facts
        What is known of the data sets, see `data_facts`.
    by
        The column that names the competitors.
    """
    names = list(dict.fromkeys(str(row[by]) for row in rows))
    raw: dict[str, dict[str, float]] = {}
    shares: list[Relative] = []
    ranks: list[tuple[str, float]] = []
    for metric, better in metrics.items():
        scores = score_table(rows, metric, by)
        shares += relative_scores(scores, better)
        ranks += [(row.name, -row.average) for row in rank_table(scores, better)]
    raw["ranking"] = {name: float(np.mean(members)) for name, members in grouped(ranks).items()}
    by_kind = {case[:-1]: known for case, known in facts.items()}
    raw |= _performance(shares, by_kind)
    raw |= _costs(rows, by)
    scaled = {category: _scaled(members) for category, members in raw.items() if len(members) > 1}
    retained = _robust(rows, metrics, by)
    if retained:
        scaled["robustness"] = retained
    scaled["reliability"] = _finished(rows, by)
    return [
        {by: name} | {category: members.get(name) for category, members in scaled.items()}
        for name in names
    ]


def _performance(shares: Sequence[Relative], facts: Facts) -> dict[str, dict[str, float]]:
    result: dict[str, dict[str, float]] = {}
    for factor, (below, above) in {
        "nodes": ("small networks", "large networks"),
        "sample size": ("limited data", "big data"),
    }.items():
        numbers = sorted({facts.get(item.case, {}).get(factor) or 0 for item in shares})
        if len(numbers) < 2:
            continue
        middle = (numbers[(len(numbers) - 1) // 2] + numbers[len(numbers) // 2]) / 2
        least = min(middle, numbers[-2])

        def small(item: Relative, factor: str = factor, least: float = least) -> bool:
            return (facts.get(item.case, {}).get(factor) or 0) <= least

        result[below] = _means(item for item in shares if small(item))
        result[above] = _means(item for item in shares if not small(item))
    by_name = grouped((item.name, item.share) for item in shares if item.share is not None)
    if len({item.case for item in shares}) > 1:
        result["steadiness"] = {n: -float(np.var(v)) for n, v in by_name.items() if len(v) > 1}
    noisy = {case for case, known in facts.items() if known.get("noise", "N") != "N"}
    if noisy and len(noisy) < len(facts):
        loud = _means(item for item in shares if item.case in noisy)
        quiet = _means(item for item in shares if item.case not in noisy)
        result["resilience to noise"] = {n: loud[n] - quiet[n] for n in loud.keys() & quiet.keys()}
    return result


def _robust(rows: Rows, metrics: Iterable[str], by: str) -> dict[str, float]:
    """Return the mean share of the clean score kept over all kinds of noise, at most 1."""
    metric = next((name for name in metrics if "f1" in name.casefold()), None)
    if metric is None:
        return {}
    result = robustness(row_trials(rows, metric, by))
    return {
        row["algorithm"]: min(row["index"], 1.0)
        for row in result
        if row["kind"] == OVERALL and row["index"] is not None
    }


def _means(shares: Any) -> dict[str, float]:
    by_name = grouped((item.name, item.share) for item in shares if item.share is not None)
    return {name: float(np.mean(members)) for name, members in by_name.items()}


def _costs(rows: Rows, by: str) -> dict[str, dict[str, float]]:
    """Return negative misfit and time of each competitor, on data sets that all finished."""
    common = _finished_by_all(rows, by)
    named = ((str(row[by]), row) for row in rows)
    shared = [(name, row) for name, row in named if case_of(row) in common.get(name, ())]
    result = {
        "fitting": grouped(
            (name, -abs(row["TP_skel"] + row["FP_skel"] - edges) / edges)
            for name, row in shared
            if is_number(edges := row.get("true_n_edges_skel")) and edges
        ),
        "time": grouped(
            (name, -float(row["time"])) for name, row in shared if is_number(row.get("time"))
        ),
    }
    return {
        category: {name: float(np.mean(values)) for name, values in by_name.items()}
        for category, by_name in result.items()
        if by_name
    }


def _finished_by_all(rows: Rows, by: str) -> dict[str, set[Case]]:
    """Return the data sets finished by all competitors that finish at least half, by competitor."""
    ended: dict[str, set[Case]] = {}
    for row in rows:
        if row["status"] == "ok":
            ended.setdefault(str(row[by]), set()).add(case_of(row))
    total = len(set(map(case_of, rows)))
    often = {name: cases for name, cases in ended.items() if 2 * len(cases) >= total}
    common = set.intersection(*often.values()) if often else set()
    return dict.fromkeys(often, common)


def _finished(rows: Rows, by: str) -> dict[str, float]:
    """Return the share of runs that finished, without skipped ones."""
    ended = grouped(
        (str(row[by]), row["status"] == "ok") for row in rows if row["status"] != "skipped"
    )
    return {name: float(np.mean(members)) for name, members in ended.items()}


def _scaled(result: Mapping[str, float]) -> dict[str, float]:
    low, high = min(result.values()), max(result.values())
    return {name: (v - low) / (high - low) if high > low else 1.0 for name, v in result.items()}
